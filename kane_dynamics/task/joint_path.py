# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Paths in joint space, q(x) for x from 0 to 1: straight lines and splines."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.polynomials import Derivatives


@runtime_checkable
class JointPath(Protocol):
    """A path of all joints: JointLine, JointSpline, or the SolvedPath of a task in space."""

    def evaluate(self, x: FloatArray) -> Derivatives:
        """Return q, dq/dx, d2q/dx2, each (M, n), at fractions x (M,) from 0 to 1."""


class JointLine:
    """The straight line between two configurations (n,)."""

    def __init__(self, first: ArrayLike, last: ArrayLike) -> None:
        self._first = np.array(first, dtype=float)
        self._along = np.array(last, dtype=float) - np.array(first, dtype=float)
        if self._first.ndim != 1 or not np.isfinite(self._first + self._along).all():
            raise InputError(f'a line needs two finite configurations of one shape; got '
                             f'{first!r}, {last!r}')

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return q, dq/dx, d2q/dx2, each (M, n), at fractions x (M,) from 0 to 1."""
        x = np.asarray(x, dtype=float)[:, None]
        return (self._first + x * self._along, np.ones_like(x) * self._along,
                np.zeros_like(x) * self._along)


class JointSpline:
    """The C2 cubic spline through configurations (N, n); x is proportional to their distance."""

    def __init__(self, configurations: ArrayLike) -> None:
        from scipy.interpolate import CubicSpline          # slow to import
        rows = np.array(configurations, dtype=float)
        if rows.ndim != 2 or len(rows) < 2 or not np.isfinite(rows).all():
            raise InputError(f'a spline needs finite configurations (N, n); got {rows.shape}')
        spans = np.linalg.norm(np.diff(rows, axis=0), axis=1)
        if (spans <= 0.0).any():
            k = int(np.argmin(spans))
            raise InputError(f'configurations {k} and {k + 1} are the same')
        self._spline: Any = CubicSpline(np.concatenate([[0.0], np.cumsum(spans)]) / spans.sum(),
                                        rows)

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return q, dq/dx, d2q/dx2, each (M, n), at fractions x (M,) from 0 to 1."""
        return self._spline(x, 0), self._spline(x, 1), self._spline(x, 2)
