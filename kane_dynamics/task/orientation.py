# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Orientations along a path: rotations R(x) of a frame and their rates.

evaluate(x) returns R and W, W' with W = vee(dR/dx R^T), W' = dW/dx, in base axes. With a motion
x(t) the frame has the angular velocity W x' and the angular acceleration W x'' + W' x'^2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.polynomials import Derivatives
from kane_dynamics.numerics.rotations import as_rotation, between, carrying, cross, turned, unit
from kane_dynamics.numerics.validation import vector


class Orientation(ABC):
    """A full orientation: three task equations (six degrees of freedom with the position)."""

    equations = 3

    @abstractmethod
    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return R (M, 3, 3), W and W' (M, 3) at fractions x (M,) from 0 to 1."""


class AxisRotation(Orientation):
    """A rotation from a first orientation about a fixed axis (3,) of the base by an angle [rad].

    An angle of zero, the default, keeps the orientation; 4 pi is two revolutions. body: the axis
    is given in the axes of the first orientation, as for an axis of the tool.
    """

    def __init__(self, first: ArrayLike, axis: ArrayLike = (0.0, 0.0, 1.0), angle: float = 0.0,
                 body: bool = False) -> None:
        self._first: FloatArray = as_rotation(first, 'first')
        along = unit(axis, 'the axis of a rotation')
        self._axis: FloatArray = self._first @ along if body else along
        self._angle = float(angle)
        if not np.isfinite(self._angle):
            raise InputError(f'the angle of a rotation must be finite [rad]; got {angle}')

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return R (M, 3, 3), W and W' (M, 3) at fractions x (M,) from 0 to 1."""
        x = np.asarray(x, dtype=float)
        W = np.tile(self._angle * self._axis, (len(x), 1))
        return turned(self._axis, self._angle * x) @ self._first, W, np.zeros_like(W)


class Slerp(AxisRotation):
    """The smallest rotation between two orientations, at a constant rate (Shoemake 1985)."""

    def __init__(self, first: ArrayLike, last: ArrayLike) -> None:
        first, last = as_rotation(first, 'first'), as_rotation(last, 'last')
        super().__init__(first, *between(first, last))


class EulerAngles(Orientation):
    """Three angles about moving axes, each running from its first to its last value [rad].

    axes: 'xyx' (Vukobratovic and Potkonjak 1982, 3.4.9: R = Rx Ry Rx), 'zyx' (yaw, pitch, roll),
    or any three letters. after: a constant rotation on the right, R = Ra Rb Rc after.
    """

    def __init__(self, axes: str, first: ArrayLike, last: ArrayLike,
                 after: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        if not isinstance(axes, str) or len(axes) != 3 or set(axes) - set('xyz'):
            raise InputError(f"axes must be three of the letters x, y, z, such as 'xyx'; "
                             f'got {axes!r}')
        self._axes = [np.eye(3)['xyz'.index(letter)] for letter in axes]
        self._first, self._rates = _angles(first, 'first'), (_angles(last, 'last')
                                                             - _angles(first, 'first'))
        self._after = as_rotation(after, 'after')

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return R (M, 3, 3), W and W' (M, 3) at fractions x (M,) from 0 to 1."""
        x = np.asarray(x, dtype=float)
        R = np.tile(np.eye(3), (len(x), 1, 1))
        W, W1 = np.zeros((2, len(x), 3))
        for axis, first, rate in zip(self._axes, self._first, self._rates):
            # the axis of this angle is carried by the angles before it: e' = W x e
            e = R @ axis
            W1 += rate * cross(W, e)
            W += rate * e
            R = R @ turned(axis, first + rate * x)
        return R @ self._after, W, W1


class DirectionAndSpin(EulerAngles):
    """The azimuth and elevation of an axis of the frame, and the spin about it (3,) [rad].

    Block C2 of Vukobratovic and Potkonjak 1982 (3.4.22): R = Rz(azimuth) Ry(-elevation) Rx(spin)
    for the frame's x axis; another `axis` (3,) of the frame replaces x by the smallest rotation
    between them. For spraying, screwing, drilling.
    """

    def __init__(self, first: ArrayLike, last: ArrayLike,
                 axis: ArrayLike = (1.0, 0.0, 0.0)) -> None:
        (a0, e0, s0), (a1, e1, s1) = _angles(first, 'first'), _angles(last, 'last')
        after = carrying(unit(axis, 'the axis'), np.array([1.0, 0.0, 0.0]))
        super().__init__('zyx', (a0, -e0, s0), (a1, -e1, s1), after)


class ThroughOrientations(Orientation):
    """Orientations reached in order, by rotations about fixed axes that blend where they meet.

    R = exp(b_n r_n) ... exp(b_1 r_1) R_0, where r_k rotates orientation k - 1 into k and b_k rises
    from 0 to 1 (the cumulative form of Kim, Kim and Shin 1995). fractions (N,): x at each
    orientation; half_widths (N - 2,): half the range of x over which two rotations blend. Those of
    `WayPoints` blend in its corners. The rate is C1, the rest C2.
    """

    def __init__(self, orientations: Sequence[ArrayLike], fractions: ArrayLike,
                 half_widths: ArrayLike) -> None:
        rotations = [as_rotation(each, f'orientation {k}') for k, each in enumerate(orientations)]
        xs, widths = np.array(fractions, dtype=float), np.array(half_widths, dtype=float)
        count = len(rotations)
        if count < 2 or xs.shape != (count,) or widths.shape != (count - 2,):
            raise InputError(f'{count} orientations need {count} fractions and '
                             f'{max(count - 2, 0)} half widths; got {xs.shape} and {widths.shape}')
        reach = np.concatenate([[0.0], widths, [0.0]])
        if (xs[0] != 0.0 or abs(xs[-1] - 1.0) > 1e-12 or (widths <= 0.0).any()
                or (xs[:-1] + reach[:-1] > xs[1:] - reach[1:] + 1e-12).any()):
            raise InputError('fractions must run from 0 to 1 with room for the positive half '
                             f'widths between them; got {xs.tolist()} and {widths.tolist()}')
        self._first, self._fractions, self._reach = rotations[0], xs, reach
        self._legs = [between(a, b) for a, b in zip(rotations[:-1], rotations[1:])]

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return R (M, 3, 3), W and W' (M, 3) at fractions x (M,) from 0 to 1."""
        x = np.asarray(x, dtype=float)
        ramps = [_rounded_ramp(x - fraction, reach)
                 for fraction, reach in zip(self._fractions, self._reach)]
        R = np.tile(self._first, (len(x), 1, 1))
        W, W1 = np.zeros((2, len(x), 3))
        for k, (axis, angle) in enumerate(self._legs):
            span = self._fractions[k + 1] - self._fractions[k]
            b, b1, b2 = (angle * (rise - fall) / span
                         for rise, fall in zip(ramps[k], ramps[k + 1]))
            # a later rotation acts from the left: it carries all earlier ones
            T = turned(axis, b)
            R, carried, e = T @ R, (T @ W[:, :, None])[:, :, 0], b1[:, None] * axis
            W1 = (T @ W1[:, :, None])[:, :, 0] + cross(e, carried) + b2[:, None] * axis
            W = carried + e
        return R, W, W1


def _rounded_ramp(x: FloatArray, w: float) -> Derivatives:
    """Return max(x, 0) with its corner rounded over |x| < w, C2, and two derivatives."""
    if w == 0.0:
        return np.maximum(x, 0.0), (x >= 0.0).astype(float), np.zeros_like(x)
    y = np.clip(x / w, -1.0, 1.0)
    inside = w * (3.0 / 16.0 + y / 2.0 + 3.0 / 8.0 * y ** 2 - y ** 4 / 16.0)
    return (np.where(x > w, x, inside), 0.5 + 0.75 * y - 0.25 * y ** 3,
            0.75 * (1.0 - y ** 2) / w)


def _angles(value: ArrayLike, what: str) -> FloatArray:
    return vector(value, what, 'angles [rad]')
