# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Fair timing on a shared machine: equal short slots, interleaved, minima and medians.

A long slot never meets a quiet core and a short one does, so every candidate gets slots of the
same length, one after another, round by round. Reported are the ratio of the minima and the median
of the ratios within a round: where both agree, the figure can be trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
import statistics
import time

SLOT = 2e-3        # [s]
ROUNDS = 60


@dataclass(frozen=True)
class Timing:
    """Seconds per unit of work of one candidate, over all rounds."""

    per_unit: tuple

    @property
    def best(self):
        """Return the smallest time of a round [s]."""
        return min(self.per_unit)

    def times_faster_than(self, peer):
        """Return (ratio of minima, median of per-round ratios); above 1: faster than the peer."""
        by_round = [theirs / ours for ours, theirs in zip(self.per_unit, peer.per_unit)]
        return peer.best / self.best, statistics.median(by_round)


def _repetitions(function, slot):
    """Return how many calls fill a slot."""
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            function()
        spent = time.perf_counter() - start
        if spent > slot / 4:
            return max(1, round(count * slot / spent))
        count *= 2


def measure(candidates, rounds=ROUNDS, slot=SLOT):
    """Return {name: Timing} for {name: (function, units of work in one call)}.

    slot [s]: at least as long as one call of the slowest candidate takes.
    """
    counts = {}
    for name, (function, _) in candidates.items():
        function()                                         # compile, fill caches
        counts[name] = _repetitions(function, slot)
    times = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, (function, units) in candidates.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                function()
            spent = time.perf_counter() - start
            times[name].append(spent / (counts[name] * units))
    return {name: Timing(tuple(values)) for name, values in times.items()}
