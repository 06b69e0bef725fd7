# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Signals as pages carry them: thinned with their peaks kept, 16 bits each, base64."""

from __future__ import annotations

import base64

import numpy as np

MOST = 2000     # samples of a curve: more than a screen has columns


class Thinner:
    """Bring N samples to at most MOST: of each bin in time the smallest and the largest value."""

    def __init__(self, t, most=MOST):
        self._count = len(t)
        self._bins = None
        if self._count > most:
            edges = np.linspace(0, self._count, most // 2 + 1).astype(int)
            self._bins = edges[:-1]
            width = np.diff(edges)
            self._places = (edges[:-1, None] + np.array([[0.25, 0.75]]) * width[:, None]).ravel()
        self.t = self._times(np.asarray(t, dtype=float))

    def _times(self, t):
        if self._bins is None:
            return t
        times = np.interp(self._places, np.arange(self._count), t)
        times[0], times[-1] = t[0], t[-1]
        return times

    def __call__(self, values):
        """Return the thinned values; the order of smallest and largest in a bin is kept."""
        values = np.asarray(values, dtype=float)
        if self._bins is None:
            return values
        low = np.minimum.reduceat(values, self._bins)
        high = np.maximum.reduceat(values, self._bins)
        first = values[self._bins]
        last = values[np.append(self._bins[1:], self._count) - 1]
        falls = last < first
        return np.column_stack([np.where(falls, high, low), np.where(falls, low, high)]).ravel()


def channel(values):
    """Return {a, b, d}: values between a and b in 65536 steps, little-endian, base64."""
    values = np.nan_to_num(np.asarray(values, dtype=float))
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    step = (high - low) / 65535.0
    codes = np.round((values - low) / step) if step > 0.0 else np.zeros(len(values))
    return {'a': low, 'b': high,
            'd': base64.b64encode(codes.astype('<u2').tobytes()).decode('ascii')}
