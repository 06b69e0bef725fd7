# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How well a loop keeps its time: cycles, missed ones, period errors and computing times."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LENGTH = 1 << 12  # cycles that are remembered: 4 s at 1 kHz; more would take long to sort


class LoopSummary(NamedTuple):
    """Figures of the remembered cycles; the counts are since the start. Times are in [s]."""

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
    def kept(self):
        """Return the share of cycles that ran, 0 .. 1."""
        return self.cycles / max(self.cycles + self.missed, 1)


class LoopStatistics:
    """Remember when cycles began and how long they took, in arrays that are made once.

    One thread notes; others may ask for a summary, which copies.
    """

    def __init__(self, period):
        self.period = period
        self.cycles = 0
        self.missed = 0
        self._began = np.zeros(LENGTH)
        self._took = np.zeros(LENGTH)

    def note(self, began, took):
        """Note a cycle: its beginning and its computing time [s]."""
        place = self.cycles & (LENGTH - 1)
        self._began[place] = began
        self._took[place] = took
        self.cycles += 1

    def summary(self):
        """Return the LoopSummary of what is remembered."""
        cycles = self.cycles
        count = min(cycles, LENGTH)
        places = np.arange(cycles - count, cycles) & (LENGTH - 1)
        began, took = self._began[places], self._took[places]
        periods = np.diff(began)
        errors = np.abs(periods - self.period)
        rate = len(periods) / (began[-1] - began[0]) if count > 1 and began[-1] > began[0] else 0.0
        return LoopSummary(cycles, self.missed, rate, *_spread(errors), *_spread(took))


def _spread(values):
    if len(values) == 0:
        return 0.0, 0.0, 0.0
    return (float(np.median(values)), float(np.percentile(values, 99)), float(values.max()))
