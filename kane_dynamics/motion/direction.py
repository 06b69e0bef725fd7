# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Directions along a path: where one axis of a frame points, while the frame may spin about it.

The partial orientation of Vukobratovic and Potkonjak 1982 (3.3; block B1): five degrees of freedom
with the place, enough for arc welding, drilling, spraying with a round jet. evaluate(x) returns
the unit vector u and two derivatives by the share x, in base axes.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.path import Line
from kane_dynamics.motion.path_coordinates import Spherical
from kane_dynamics.motion.rotation import carrying, rotation_vectors, turned, unit


class Direction:
    """A direction u(x) for an `axis` (3,) held by the frame; two equations of a task."""

    equations = 2

    def __init__(self, axis):
        self.axis = unit(axis, 'the axis of the frame')

    def evaluate(self, x):
        """Return u, du/dx, d2u/dx2, each (M, 3), at shares x (M,) from 0 to 1."""
        raise NotImplementedError


class Pointing(Direction):
    """An axis of the frame that swings on the shortest way from one direction (3,) to another.

    Without `last` it keeps the first direction. axis: in the frame, by default its z.
    """

    def __init__(self, first, last=None, axis=(0.0, 0.0, 1.0)):
        super().__init__(axis)
        self._first = unit(first, 'first')
        last = self._first if last is None else unit(last, 'last')
        if self._first @ last < -1.0 + 1e-9:
            raise InputError(f'from {self._first.tolist()} to its opposite no way is the shortest;'
                             ' name a direction in between')
        turn = rotation_vectors(carrying(self._first, last)[None])[0]
        self._angle = float(np.linalg.norm(turn))
        self._axis = turn / self._angle if self._angle > 1e-12 else np.array([0.0, 0.0, 1.0])

    def evaluate(self, x):
        """Return u, du/dx, d2u/dx2, each (M, 3), at shares x (M,) from 0 to 1."""
        u = turned(self._axis, self._angle * np.asarray(x, dtype=float)) @ self._first
        return u, self._angle * np.cross(self._axis, u), -self._angle ** 2 * (
            u - np.outer(u @ self._axis, self._axis))


class PointingAngles(Direction):
    """An axis of the frame told by azimuth and elevation [rad], each from first to last.

    u = (cos phi cos theta, cos phi sin theta, sin phi): 3.4.28 of the book, as 'B1' has it.
    """

    def __init__(self, first, last, axis=(0.0, 0.0, 1.0)):
        super().__init__(axis)
        first, last = np.array(first, dtype=float), np.array(last, dtype=float)
        if first.shape != (2,) or last.shape != (2,) or not np.isfinite(last - first).all():
            raise InputError('first and last must be azimuth and elevation [rad]; got '
                             f'{first.tolist()} and {last.tolist()}')
        # a path on the sphere of radius one
        self._path = Spherical(Line((1.0, *first), (1.0, *last)))

    def evaluate(self, x):
        """Return u, du/dx, d2u/dx2, each (M, 3), at shares x (M,) from 0 to 1."""
        return self._path.evaluate(x)
