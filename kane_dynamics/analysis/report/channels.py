# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Signals as pages carry them: thinned with their peaks kept, 16 bits per value, base64."""

from __future__ import annotations

import base64
from typing import TypedDict

import numpy as np

from kane_dynamics.numerics.array_types import ArrayLike, BoolArray, FloatArray

MAX_SAMPLES = 2000      # of a curve: more than a screen has columns


class Channel(TypedDict):
    """A signal: values between a and b in 65536 steps, little-endian, base64."""

    a: float
    b: float
    d: str


class Thinner:
    """Reduce N samples to at most `count`: the smallest and the largest value of each bin."""

    def __init__(self, t: FloatArray, count: int = MAX_SAMPLES) -> None:
        """Make bins of samples at times t (N,) [s]."""
        self.t = np.asarray(t, dtype=np.float64)     # of the thinned samples
        self._count = len(t)
        self._bins = None
        if self._count > count:
            edges = np.linspace(0, self._count, count // 2 + 1).astype(np.int64)
            self._bins = edges[:-1]
            inside = edges[:-1, None] + np.array([[0.25, 0.75]]) * np.diff(edges)[:, None]
            self.t = np.interp(inside.ravel(), np.arange(self._count), t)
            self.t[0], self.t[-1] = t[0], t[-1]

    def __call__(self, values: FloatArray) -> FloatArray:
        """Return the thinned values; the order of smallest and largest in a bin is kept."""
        if self._bins is None:
            return values
        first = values[self._bins]
        last = values[np.append(self._bins[1:], self._count) - 1]
        return extremes(np.minimum.reduceat(values, self._bins),
                        np.maximum.reduceat(values, self._bins), last < first)


def extremes(low: FloatArray, high: FloatArray, falls: BoolArray) -> FloatArray:
    """Return low and high (B,) of bins in one row (2 B,), high first where the signal falls."""
    return np.column_stack([np.where(falls, high, low), np.where(falls, low, high)]).ravel()


def channel(values: ArrayLike) -> Channel:
    """Return the Channel of a signal (N,); values that are not finite are replaced."""
    signal: FloatArray = np.asarray(values, dtype=np.float64)
    finite = signal[np.isfinite(signal)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    signal = np.nan_to_num(signal, nan=0.5 * low + 0.5 * high, posinf=high, neginf=low)
    step = high / 65535.0 - low / 65535.0                  # high - low may overflow
    codes = np.round((signal - low) / step) if step > 0.0 else np.zeros(len(signal))
    return {'a': low, 'b': high,
            'd': base64.b64encode(codes.astype('<u2').tobytes()).decode('ascii')}
