# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Tables over time: values between their rows by hold, linear or cubic interpolation."""

from __future__ import annotations

from typing import get_args, Literal, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

Interpolation: TypeAlias = Literal['hold', 'linear', 'cubic']
INTERPOLATIONS = get_args(Interpolation)


class TimeTable:
    """Rows of values over time; `table(t)` and `table(t, q, qd)` return the row (n,) at time t.

    Before the first row and after the last one these are held. It serves as `torque` of a `Setup`
    and as the wrench of a `LinkForce`.

    Args:
        t: (N,) [s], increasing.
        values: (N, n).
        interpolation: 'hold' (of the row before), 'linear', or 'cubic' (spline with continuous
            second derivative, not-a-knot ends; needs 4 rows).
    """

    def __init__(self, t: ArrayLike, values: ArrayLike,
                 interpolation: Interpolation = 'linear') -> None:
        times, rows = np.array(t, dtype=float), np.array(values, dtype=float)
        if interpolation not in INTERPOLATIONS:
            raise InputError(f'interpolation {interpolation!r} is unknown; there are '
                             f'{list(INTERPOLATIONS)}')
        least = 4 if interpolation == 'cubic' else 2
        if times.ndim != 1 or rows.ndim != 2 or len(times) != len(rows) or len(times) < least:
            raise InputError(f'a table by {interpolation} interpolation needs {least} rows or '
                             f'more; got times {times.shape} and values {rows.shape}')
        if not (np.isfinite(times).all() and np.isfinite(rows).all()):
            raise InputError('a table must be finite; it holds NaN or infinity')
        if not (np.diff(times) > 0.0).all():
            k = int(np.argmax(~(np.diff(times) > 0.0)))
            raise InputError(f'times of a table must increase; row {k + 2} has {times[k + 1]:g} s '
                             f'after {times[k]:g} s')
        self.t, self.values, self.interpolation = times, rows, interpolation
        self._coefficients = self._polynomials()

    def _polynomials(self) -> FloatArray:
        """Return (degree + 1, N - 1, n), highest power first."""
        rows, steps = self.values, np.diff(self.t)[:, None]
        if self.interpolation == 'hold':
            return rows[None, :-1]
        if self.interpolation == 'linear':
            return np.stack([np.diff(rows, axis=0) / steps, rows[:-1]])
        from scipy.interpolate import CubicSpline       # slow to load: only this one needs it
        return np.asarray(CubicSpline(self.t, rows).c, dtype=float)

    def __call__(self, t: float, q: FloatArray | None = None,
                 qd: FloatArray | None = None) -> FloatArray:
        """Return the values (n,) at time t [s]."""
        times = self.t
        if t >= times[-1]:
            return self.values[-1]
        k = max(int(np.searchsorted(times, t, side='right')) - 1, 0)
        since = max(t - times[k], 0.0)
        value: FloatArray = self._coefficients[0, k]
        for coefficient in self._coefficients[1:]:
            value = value * since + coefficient[k]
        return value
