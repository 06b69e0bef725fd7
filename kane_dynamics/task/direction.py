# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Directions along a path: of one axis of a frame, which may spin about it.

The partial orientation of Vukobratovic and Potkonjak 1982 (3.3; block B1): five degrees of freedom
with the position, enough for arc welding, drilling, spraying with a round jet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike
from kane_dynamics.numerics.polynomials import Derivatives
from kane_dynamics.numerics.rotations import carrying, rotation_vectors, turned, unit
from kane_dynamics.task.curvilinear_path import Spherical
from kane_dynamics.task.path import Line


class Direction(ABC):
    """A direction u(x) in base axes for an `axis` (3,) fixed in the frame; two task equations."""

    equations = 2

    def __init__(self, axis: ArrayLike) -> None:
        self.axis = unit(axis, 'the axis of the frame')

    @abstractmethod
    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return u, du/dx, d2u/dx2, each (M, 3), at fractions x (M,) from 0 to 1."""


class Pointing(Direction):
    """An axis of the frame that moves by the smallest rotation from one direction (3,) to another.

    Without `last` it keeps the first direction. axis: in the frame, by default its z.
    """

    def __init__(self, first: ArrayLike, last: ArrayLike | None = None,
                 axis: ArrayLike = (0.0, 0.0, 1.0)) -> None:
        super().__init__(axis)
        self._first = unit(first, 'first')
        last = self._first if last is None else unit(last, 'last')
        if self._first @ last < -1.0 + 1e-9:
            raise InputError(f'from {self._first.tolist()} to its opposite no rotation is the '
                             'smallest; give a direction in between')
        rotation = rotation_vectors(carrying(self._first, last)[None])[0]
        self._angle = float(np.linalg.norm(rotation))
        self._axis = rotation / self._angle if self._angle > 1e-12 else np.array([0.0, 0.0, 1.0])

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return u, du/dx, d2u/dx2, each (M, 3), at fractions x (M,) from 0 to 1."""
        u = turned(self._axis, self._angle * np.asarray(x, dtype=float)) @ self._first
        return u, self._angle * np.cross(self._axis, u), -self._angle ** 2 * (
            u - np.outer(u @ self._axis, self._axis))


class PointingAngles(Direction):
    """An axis of the frame given by azimuth theta and elevation phi (2,) [rad], first to last.

    u = (cos phi cos theta, cos phi sin theta, sin phi): 3.4.28 of the book, as in its block B1.
    """

    def __init__(self, first: ArrayLike, last: ArrayLike,
                 axis: ArrayLike = (0.0, 0.0, 1.0)) -> None:
        super().__init__(axis)
        first, last = np.array(first, dtype=float), np.array(last, dtype=float)
        if first.shape != (2,) or last.shape != (2,) or not np.isfinite(last - first).all():
            raise InputError('first and last must be azimuth and elevation [rad]; got '
                             f'{first.tolist()} and {last.tolist()}')
        # a path on the sphere of radius one
        self._path = Spherical(Line((1.0, *first), (1.0, *last)))

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return u, du/dx, d2u/dx2, each (M, 3), at fractions x (M,) from 0 to 1."""
        return self._path.evaluate(x)
