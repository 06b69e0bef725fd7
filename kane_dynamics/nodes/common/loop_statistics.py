# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Timing statistics of a loop: cycles, missed cycles, period errors and computing times."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.numerics.array_types import FloatArray

LENGTH = 1 << 12  # cycles in the statistics: 4 s at 1 kHz; more would take long to sort


class LoopSummary(NamedTuple):
    """Statistics of the last cycles; the counts are since the start. Times are in [s]."""

    cycles: int
    missed: int
    rate: float                 # [Hz], measured
    period_error_median: float
    period_error_p99: float
    period_error_max: float
    compute_median: float
    compute_p99: float
    compute_max: float

    @property
    def kept(self) -> float:
        """Return the fraction of cycles that ran, 0 .. 1."""
        return self.cycles / max(self.cycles + self.missed, 1)


class LoopStatistics:
    """Ring buffer of the start times and computing times of the last cycles.

    One thread calls `note`; others may call `summary`, which copies.
    """

    def __init__(self, period: float) -> None:
        self.period = period
        self.cycles = 0
        self.missed = 0
        self._first = 0     # the first cycle in the statistics
        self._began = np.zeros(LENGTH)
        self._took = np.zeros(LENGTH)

    def note(self, began: float, took: float) -> None:
        """Record a cycle: its start time and its computing time [s]."""
        index = self.cycles & (LENGTH - 1)
        self._began[index] = began
        self._took[index] = took
        self.cycles += 1

    def restart(self) -> None:
        """Drop the start times so far, after a clock jump; the cycles remain counted."""
        self._first = self.cycles

    def summary(self) -> LoopSummary:
        """Return the LoopSummary of the last cycles."""
        cycles = self.cycles
        count = min(cycles - self._first, LENGTH)
        indices = np.arange(cycles - count, cycles) & (LENGTH - 1)
        began, took = self._began[indices], self._took[indices]
        periods = np.diff(began)
        errors = np.abs(periods - self.period)
        rate = len(periods) / (began[-1] - began[0]) if count > 1 and began[-1] > began[0] else 0.0
        return LoopSummary(cycles, self.missed, rate, *_spread(errors), *_spread(took))


def _spread(values: FloatArray) -> tuple[float, float, float]:
    if len(values) == 0:
        return 0.0, 0.0, 0.0
    return (float(np.median(values)), float(np.percentile(values, 99)), float(values.max()))
