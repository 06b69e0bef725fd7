# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces h(p, t) = 0 that a point of an arm may be kept on (Vukobratovic-Potkonjak 1982, 2.10).

h is the distance from the surface [m], at least close to it, so that the multiplier of the
constraint is the normal force [N], positive along the gradient. A curve is two surfaces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.dynamics.arrays import vector
from kane_dynamics.exceptions import InputError


class SurfaceTerms(NamedTuple):
    """A surface at a place: h, gradient (3,) and Hessian (3, 3) by p.

    Of a moving one also the rates by time: h_t, of the gradient (3,), h_tt.
    """

    value: float
    gradient: np.ndarray
    hessian: np.ndarray
    rate: float = 0.0
    gradient_rate: np.ndarray = np.zeros(3)
    rate_rate: float = 0.0


class Plane:
    """The plane through a place (3,) [m] with a normal (3,); h > 0 on the normal's side."""

    def __init__(self, place, normal):
        self.place, self.normal = vector(place, 'place'), unit(normal, 'normal')

    def evaluate(self, p, t=0.0):
        """Return SurfaceTerms at a place p (3,) [m] and time t [s]."""
        return SurfaceTerms(self.normal @ (p - self.place), self.normal, np.zeros((3, 3)))


class Sphere:
    """The sphere about a centre (3,) [m] with a radius [m]; h > 0 outside."""

    def __init__(self, centre, radius):
        self.centre, self.radius = vector(centre, 'centre'), _positive(radius, 'radius')

    def evaluate(self, p, t=0.0):
        """Return SurfaceTerms at a place p (3,) [m] and time t [s]."""
        return _round(p - self.centre, np.eye(3), self.radius)


class Cylinder:
    """The cylinder about an axis (3,) through a place (3,) with a radius [m]; h > 0 outside."""

    def __init__(self, place, axis, radius):
        self.place, self.axis = vector(place, 'place'), unit(axis, 'axis')
        self.radius = _positive(radius, 'radius')

    def evaluate(self, p, t=0.0):
        """Return SurfaceTerms at a place p (3,) [m] and time t [s]."""
        across = np.eye(3) - np.outer(self.axis, self.axis)
        return _round(across @ (p - self.place), across, self.radius)


class Implicit:
    """Any surface f(p) = 0 told by functions of p (3,): f, its gradient and its Hessian.

    It is scaled to h = f/|grad f|, which is the distance to first order.
    """

    def __init__(self, function, gradient, hessian):
        self._parts = function, gradient, hessian

    def evaluate(self, p, t=0.0):
        """Return SurfaceTerms at a place p (3,) [m] and time t [s]."""
        f, g, H = (np.asarray(part(p), dtype=float) for part in self._parts)
        size = np.linalg.norm(g)
        if not size > 0.0:
            raise InputError(f'the surface has no normal at {np.asarray(p).tolist()}')
        # With s = |g| and s' = H g/s:  grad h = g/s - f s'/s^2, and, leaving out terms with f,
        # hess h = H/s - (g s'^T + s' g^T)/s^2
        s1 = H @ g / size
        mixed = np.outer(g, s1)
        return SurfaceTerms(f / size, g / size - f * s1 / size ** 2,
                            H / size - (mixed + mixed.T) / size ** 2)


class Moving:
    """A surface that is carried along: motion(t) returns its shift (3,) [m], rate and second rate.

    It keeps its orientation; h(p, t) = h(p - shift(t)).
    """

    def __init__(self, surface, motion):
        self._surface, self._motion = surface, motion

    def evaluate(self, p, t=0.0):
        """Return SurfaceTerms at a place p (3,) [m] and time t [s]."""
        shift, rate, second = (np.asarray(each, dtype=float) for each in self._motion(t))
        terms = self._surface.evaluate(p - shift)
        g, H = terms.gradient, terms.hessian
        return SurfaceTerms(terms.value, g, H, -g @ rate, -H @ rate,
                            rate @ H @ rate - g @ second)


def line(place, direction):
    """Return two planes that meet in the straight line through a place (3,) [m]."""
    direction = unit(direction, 'direction')
    first = np.cross(direction, np.eye(3)[np.argmin(abs(direction))])
    first /= np.linalg.norm(first)
    return Plane(place, first), Plane(place, np.cross(direction, first))


def _round(arm, across, radius):
    distance = np.linalg.norm(arm)
    if not distance > 1e-9 * radius:
        raise InputError('a point at the centre of a round surface has no normal to it')
    normal = arm / distance
    return SurfaceTerms(distance - radius, normal,
                        (across - np.outer(normal, normal)) / distance)


def unit(value, what):
    """Return a vector (3,) of length one, or raise."""
    value = vector(value, what)
    length = np.linalg.norm(value)
    if length < 1e-9:
        raise InputError(f'{what} must not be zero')
    return value / length


def _positive(value, what):
    if not 0.0 < value < np.inf:
        raise InputError(f'{what} must be positive [m]; got {value}')
    return float(value)
