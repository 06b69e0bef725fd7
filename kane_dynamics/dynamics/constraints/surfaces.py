# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces h(p, t) = 0 that a point of an arm is kept on (Vukobratovic-Potkonjak 1982, 2.10).

h is the distance from the surface [m], at least close to it, so that the multiplier of the
constraint is the normal force [N], positive along the gradient. A curve is two surfaces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.rotations import normals_to, unit
from kane_dynamics.numerics.validation import vector


class SurfaceTerms(NamedTuple):
    """A surface at a point: h, gradient (3,) and Hessian (3, 3) by p.

    For a moving surface also the rates by time: h_t, that of the gradient (3,), h_tt.
    """

    value: float
    gradient: FloatArray
    hessian: FloatArray
    rate: float = 0.0
    gradient_rate: FloatArray = np.zeros(3)
    rate_rate: float = 0.0


class Surface(Protocol):
    """A surface that a point can be kept on."""

    def evaluate(self, p: FloatArray, t: float = 0.0) -> SurfaceTerms:
        """Return SurfaceTerms at a point p (3,) [m] and time t [s]."""


class Plane:
    """The plane through a point (3,) [m] with a normal (3,); h > 0 on the normal's side."""

    def __init__(self, point: ArrayLike, normal: ArrayLike) -> None:
        self.point, self.normal = vector(point, 'point'), unit(normal, 'normal')

    def evaluate(self, p: FloatArray, t: float = 0.0) -> SurfaceTerms:
        """Return SurfaceTerms at a point p (3,) [m] and time t [s]."""
        return SurfaceTerms(float(self.normal @ (p - self.point)), self.normal, np.zeros((3, 3)))


class Sphere:
    """The sphere about a centre (3,) [m] with a radius [m]; h > 0 outside."""

    def __init__(self, centre: ArrayLike, radius: float) -> None:
        self.centre, self.radius = vector(centre, 'centre'), _positive(radius, 'radius')

    def evaluate(self, p: FloatArray, t: float = 0.0) -> SurfaceTerms:
        """Return SurfaceTerms at a point p (3,) [m] and time t [s]."""
        return _round(p - self.centre, np.eye(3), self.radius)


class Cylinder:
    """The cylinder about an axis (3,) through a point (3,) with a radius [m]; h > 0 outside."""

    def __init__(self, point: ArrayLike, axis: ArrayLike, radius: float) -> None:
        self.point, self.axis = vector(point, 'point'), unit(axis, 'axis')
        self.radius = _positive(radius, 'radius')

    def evaluate(self, p: FloatArray, t: float = 0.0) -> SurfaceTerms:
        """Return SurfaceTerms at a point p (3,) [m] and time t [s]."""
        across = np.eye(3) - np.outer(self.axis, self.axis)
        return _round(across @ (p - self.point), across, self.radius)


class ImplicitSurface:
    """Any surface f(p) = 0, given by functions of p (3,): f, its gradient and its Hessian.

    It is scaled to h = f/|grad f|, which is the distance to first order.
    """

    def __init__(self, function: Callable[[FloatArray], float],
                 gradient: Callable[[FloatArray], ArrayLike],
                 hessian: Callable[[FloatArray], ArrayLike]) -> None:
        self._parts = function, gradient, hessian

    def evaluate(self, p: FloatArray, t: float = 0.0) -> SurfaceTerms:
        """Return SurfaceTerms at a point p (3,) [m] and time t [s]."""
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


class MovingSurface:
    """A surface that moves: motion(t) returns its shift (3,) [m], rate and second rate.

    It keeps its orientation; h(p, t) = h(p - shift(t)).
    """

    def __init__(self, surface: Surface,
                 motion: Callable[[float], tuple[ArrayLike, ArrayLike, ArrayLike]]) -> None:
        self._surface, self._motion = surface, motion

    def evaluate(self, p: FloatArray, t: float = 0.0) -> SurfaceTerms:
        """Return SurfaceTerms at a point p (3,) [m] and time t [s]."""
        shift, rate, second = (np.asarray(each, dtype=float) for each in self._motion(t))
        terms = self._surface.evaluate(p - shift)
        g, H = terms.gradient, terms.hessian
        return SurfaceTerms(terms.value, g, H, -g @ rate, -H @ rate,
                            rate @ H @ rate - g @ second)


def line_surfaces(point: ArrayLike, direction: ArrayLike) -> tuple[Plane, Plane]:
    """Return two planes that meet in the straight line through a point (3,) [m]."""
    first, second = normals_to(unit(direction, 'direction'))
    return Plane(point, first), Plane(point, second)


def _round(arm: FloatArray, across: FloatArray, radius: float) -> SurfaceTerms:
    distance = float(np.linalg.norm(arm))
    if not distance > 1e-9 * radius:
        raise InputError('a point at the centre of a round surface has no normal to it')
    normal = arm / distance
    return SurfaceTerms(distance - radius, normal,
                        (across - np.outer(normal, normal)) / distance)


def _positive(value: float, what: str) -> float:
    if not 0.0 < value < np.inf:
        raise InputError(f'{what} must be positive [m]; got {value}')
    return float(value)
