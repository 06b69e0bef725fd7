# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Paths of all joints, q(x) for shares x from 0 to 1: straight or through points.

`SolvedPath` is the one of a task in space; `evaluate` is what they share.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError


class JointLine:
    """The straight line between two postures (n,)."""

    def __init__(self, first, last):
        self._first, self._along = (np.array(first, dtype=float),
                                    np.array(last, dtype=float) - np.array(first, dtype=float))
        if self._first.ndim != 1 or not np.isfinite(self._first + self._along).all():
            raise InputError(f'a line needs two finite postures of one shape; got {first}, {last}')

    def evaluate(self, x):
        """Return q, dq/dx, d2q/dx2, each (M, n), at shares x (M,) from 0 to 1."""
        x = np.asarray(x, dtype=float)[:, None]
        return (self._first + x * self._along, np.ones_like(x) * self._along,
                np.zeros_like(x) * self._along)


class JointSpline:
    """The C2 cubic spline through postures (N, n), shares by the distance between them."""

    def __init__(self, postures):
        from scipy.interpolate import CubicSpline          # slow to import
        postures = np.array(postures, dtype=float)
        if postures.ndim != 2 or len(postures) < 2 or not np.isfinite(postures).all():
            raise InputError(f'a spline needs finite postures (N, n); got {postures.shape}')
        spans = np.linalg.norm(np.diff(postures, axis=0), axis=1)
        if (spans <= 0.0).any():
            raise InputError(f'postures {int(np.argmin(spans))} and {int(np.argmin(spans)) + 1} '
                             'are the same')
        self._spline = CubicSpline(np.concatenate([[0.0], np.cumsum(spans)]) / spans.sum(),
                                   postures)

    def evaluate(self, x):
        """Return q, dq/dx, d2q/dx2, each (M, n), at shares x (M,) from 0 to 1."""
        return tuple(self._spline(x, order) for order in range(3))
