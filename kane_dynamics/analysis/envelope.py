# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A long signal as a few hundred bins in time: smallest and largest value of each."""

from __future__ import annotations

import numpy as np


class Envelope:
    """Keep m signals in `bins` to 2 `bins` bins, whatever the length: bins double when needed.

    After some adds: t (B,) [s], the beginnings of bins that hold samples; low, high (B, m).
    """

    def __init__(self, bins=600):
        self._most = 2 * bins
        self._width = None      # [s]
        self._start = 0.0
        self._bins = np.zeros(0, np.int64)
        self.low = self.high = None

    @property
    def t(self):
        """Return the beginnings of the bins [s]."""
        return self._start + self._bins * (self._width or 0.0)

    def add(self, t, rows):
        """Take samples at times t (N,) [s], rows (N, m)."""
        if not len(t):
            return
        if self._width is None:
            self._start = float(t[0])
            self._width = max(float(t[-1] - t[0]) / self._most, 1e-9)
            self.low = self.high = np.zeros((0, rows.shape[1]))
        bins = np.floor((t - self._start) / self._width).astype(np.int64)
        self._merge(np.concatenate([self._bins, bins]), np.concatenate([self.low, rows]),
                    np.concatenate([self.high, rows]))
        while len(self._bins) > self._most:
            self._width *= 2.0
            self._merge(self._bins // 2, self.low, self.high)

    def _merge(self, bins, low, high):
        # time may go back between pieces of a recording, so bins are sorted
        order = np.argsort(bins, kind='stable')
        bins = bins[order]
        first = np.flatnonzero(np.diff(bins, prepend=bins[0] - 1))
        self.low = np.minimum.reduceat(low[order], first)
        self.high = np.maximum.reduceat(high[order], first)
        self._bins = bins[first]
