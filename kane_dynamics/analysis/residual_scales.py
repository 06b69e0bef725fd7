# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How uncertain a mean of residuals is when they are not independent of each other.

The variance of a mean of k samples is c/k for k long enough, with c the residual's level at low
frequencies, where motion is; for independent samples c is their variance. What a model misses is
correlated for a second and more, and counting samples then promises intervals that are far too
narrow. c is taken as the largest k var(mean of k) for k = 1, 2, 4, ... samples up to a second
(batch means; Law and Carson 1979).
"""

from __future__ import annotations

import numpy as np

LONGEST = 1.0   # [s]


class ResidualScales:
    """Gather residuals in blocks; `level` is c of each joint [effort^2]."""

    def __init__(self, n):
        self._n = n
        self._sums, self._counts = {}, {}

    def add(self, t, residual):
        """Take a block of residuals (N, n) at times t (N,) [s] without gaps."""
        if len(t) < 2:
            return
        most = min(len(t), max(1, int(LONGEST / np.median(np.diff(t)))))
        k = 1
        while k <= most:
            groups = len(t) // k
            means = residual[:groups * k].reshape(groups, k, self._n).mean(axis=1)
            self._sums[k] = self._sums.get(k, 0.0) + k * (means**2).sum(axis=0)
            self._counts[k] = self._counts.get(k, 0) + groups
            k *= 2

    @property
    def level(self):
        """Return c (n,)."""
        return np.max([self._sums[k] / self._counts[k] for k in self._sums], axis=0)

    @property
    def variance(self):
        """Return the mean square of single residuals (n,)."""
        return self._sums[1] / self._counts[1]
