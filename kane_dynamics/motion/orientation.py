# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Orientations along a path: rotations R(x) of a frame, with what its angular motion needs.

evaluate(x) returns R and W, W' with W = vee(dR/dx R^T), W' = dW/dx, in base axes. Run by a law
x(t) the frame has the angular velocity W x' and the angular acceleration W x'' + W' x'^2.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.dynamics.arrays import vector
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.rotation import (
    as_rotation, between, carrying, cross, turned, unit)


class Orientation:
    """A full orientation: three equations of a task (six degrees of freedom with the place)."""

    equations = 3

    def evaluate(self, x):
        """Return R (M, 3, 3), W and W' (M, 3) at shares x (M,) from 0 to 1."""
        raise NotImplementedError


class Turn(Orientation):
    """A turn from a first orientation about a fixed axis (3,) of the base by an angle [rad].

    An angle of zero keeps the orientation, one of 4 pi is two turns: an axis that the tool holds
    may be given with `body=True`, in the axes of the first orientation.
    """

    def __init__(self, first, axis=(0.0, 0.0, 1.0), angle=0.0, body=False):
        self._first, axis = as_rotation(first, 'first'), unit(axis, 'the axis of a turn')
        self._axis = self._first @ axis if body else axis
        self._angle = float(angle)
        if not np.isfinite(self._angle):
            raise InputError(f'the angle of a turn must be finite [rad]; got {angle}')

    def evaluate(self, x):
        """Return R (M, 3, 3), W and W' (M, 3) at shares x (M,) from 0 to 1."""
        x = np.asarray(x, dtype=float)
        W = np.tile(self._angle * self._axis, (len(x), 1))
        return turned(self._axis, self._angle * x) @ self._first, W, np.zeros_like(W)


class Slerp(Turn):
    """The shortest turn between two orientations, at a constant rate (Shoemake 1985)."""

    def __init__(self, first, last):
        first, last = as_rotation(first, 'first'), as_rotation(last, 'last')
        super().__init__(first, *between(first, last))


class EulerAngles(Orientation):
    """Three angles about moving axes, each running from its first to its last value [rad].

    axes: 'xyx' (Vukobratovic and Potkonjak 1982, 3.4.9: R = Rx Ry Rx), 'zyx' (yaw, pitch, roll),
    or any three letters. after: a constant rotation on the right, R = Ra Rb Rc after.
    """

    def __init__(self, axes, first, last, after=(0.0, 0.0, 0.0)):
        if not isinstance(axes, str) or len(axes) != 3 or set(axes) - set('xyz'):
            raise InputError(f"axes must be three of the letters x, y, z, such as 'xyx'; "
                             f'got {axes!r}')
        self._axes = [np.eye(3)['xyz'.index(letter)] for letter in axes]
        self._first, self._rates = _angles(first, 'first'), (_angles(last, 'last')
                                                             - _angles(first, 'first'))
        self._after = as_rotation(after, 'after')

    def evaluate(self, x):
        """Return R (M, 3, 3), W and W' (M, 3) at shares x (M,) from 0 to 1."""
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
    """The azimuth and elevation of a direction that the frame holds, and the spin about it [rad].

    Block C2 of Vukobratovic and Potkonjak 1982 (3.4.22): R = Rz(azimuth) Ry(-elevation) Rx(spin)
    for the frame's x axis; another `axis` (3,) of the frame stands in for x after the smallest
    turn between them. For spraying, screwing, drilling.
    """

    def __init__(self, first, last, axis=(1.0, 0.0, 0.0)):
        (a0, e0, s0), (a1, e1, s1) = _angles(first, 'first'), _angles(last, 'last')
        after = carrying(unit(axis, 'the axis'), np.array([1.0, 0.0, 0.0]))
        super().__init__('zyx', (a0, -e0, s0), (a1, -e1, s1), after)


class ThroughOrientations(Orientation):
    """Orientations met in turn, each leg a turn about a fixed axis, rounded where legs meet.

    R = exp(b_n r_n) ... exp(b_1 r_1) R_0, where r_k turns orientation k - 1 into k and b_k rises
    from 0 to 1 (the cumulative form of Kim, Kim and Shin 1995). shares (N,): where on the path the
    orientations belong; half_widths (N - 2,): over what distance legs overlap, as the corners of
    `WayPoints`, whose `shares` and `half_widths` serve here. The rate is C1, the rest C2.
    """

    def __init__(self, orientations, shares, half_widths):
        rotations = [as_rotation(each, f'orientation {k}') for k, each in enumerate(orientations)]
        shares, widths = np.array(shares, dtype=float), np.array(half_widths, dtype=float)
        count = len(rotations)
        if count < 2 or shares.shape != (count,) or widths.shape != (count - 2,):
            raise InputError(f'{count} orientations need {count} shares and {max(count - 2, 0)} '
                             f'half widths; got {shares.shape} and {widths.shape}')
        reach = np.concatenate([[0.0], widths, [0.0]])
        if (shares[0] != 0.0 or abs(shares[-1] - 1.0) > 1e-12 or (widths <= 0.0).any()
                or (shares[:-1] + reach[:-1] > shares[1:] - reach[1:] + 1e-12).any()):
            raise InputError('shares must run from 0 to 1 with room for the positive half widths '
                             f'between them; got {shares.tolist()} and {widths.tolist()}')
        self._first, self._shares, self._reach = rotations[0], shares, reach
        self._legs = [between(a, b) for a, b in zip(rotations[:-1], rotations[1:])]

    def evaluate(self, x):
        """Return R (M, 3, 3), W and W' (M, 3) at shares x (M,) from 0 to 1."""
        x = np.asarray(x, dtype=float)
        ramps = [_rounded_ramp(x - share, reach)
                 for share, reach in zip(self._shares, self._reach)]
        R = np.tile(self._first, (len(x), 1, 1))
        W, W1 = np.zeros((2, len(x), 3))
        for k, (axis, angle) in enumerate(self._legs):
            span = self._shares[k + 1] - self._shares[k]
            b, b1, b2 = (angle * (rise - fall) / span
                         for rise, fall in zip(ramps[k], ramps[k + 1]))
            # a later turn acts from the left: it carries all that came before
            T = turned(axis, b)
            R, carried, e = T @ R, (T @ W[:, :, None])[:, :, 0], b1[:, None] * axis
            W1 = (T @ W1[:, :, None])[:, :, 0] + cross(e, carried) + b2[:, None] * axis
            W = carried + e
        return R, W, W1


def _rounded_ramp(x, w):
    """Return max(x, 0) with its corner rounded over |x| < w, C2, and two derivatives."""
    if w == 0.0:
        return np.maximum(x, 0.0), (x >= 0.0).astype(float), np.zeros_like(x)
    y = np.clip(x / w, -1.0, 1.0)
    inside = w * (3.0 / 16.0 + y / 2.0 + 3.0 / 8.0 * y ** 2 - y ** 4 / 16.0)
    return (np.where(x > w, x, inside), 0.5 + 0.75 * y - 0.25 * y ** 3,
            0.75 * (1.0 - y ** 2) / w)


def _angles(value, what):
    return vector(value, what, 'angles [rad]')
