# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Paths in cylindrical or spherical coordinates (Vukobratovic and Potkonjak 1982, 3.4).

A path of coordinates, for instance the Line from (r, angle, z) to (r, angle, z), becomes a path in
space. x is the fraction of the change of the coordinates, not of the arc length.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.polynomials import Derivatives
from kane_dynamics.numerics.rotations import as_rotation
from kane_dynamics.numerics.validation import vector
from kane_dynamics.task.path import Path

Columns: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]      # x, y, z: (M,) each


class Curvilinear(Path):
    """A path in coordinates about an origin (3,) [m] and axes (a rotation), in base axes."""

    def __init__(self, coordinates: Path, origin: ArrayLike = (0.0, 0.0, 0.0),
                 axes: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        if not isinstance(coordinates, Path):
            raise InputError(f'{type(self).__name__} needs a path of coordinates, such as '
                             f'Line(first, last); got {type(coordinates).__name__}')
        self._coordinates, self._origin = coordinates, vector(origin, 'origin')
        self._axes = as_rotation(axes, 'axes')
        x, weights = np.polynomial.legendre.leggauss(64)
        speed = np.linalg.norm(self.evaluate(0.5 + 0.5 * x)[1], axis=1)
        self.length = float(0.5 * speed @ weights)

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return p, dp/dx, d2p/dx2, each (M, 3) [m], at fractions x (M,) from 0 to 1."""
        c, c1, c2 = self._coordinates.evaluate(x)
        p, p1, p2 = (np.stack(columns, axis=1) @ self._axes.T
                     for columns in self._in_space(c.T, c1.T, c2.T))
        return self._origin + p, p1, p2

    @abstractmethod
    def _in_space(self, c: FloatArray, c1: FloatArray,
                  c2: FloatArray) -> tuple[Columns, Columns, Columns]:
        """Return p, dp/dx, d2p/dx2 of coordinates (3, M) and their derivatives."""


class Cylindrical(Curvilinear):
    """A path of (rho, theta, z): distance from the z axis [m], angle about it from x [rad], z."""

    def _in_space(self, c: FloatArray, c1: FloatArray,
                  c2: FloatArray) -> tuple[Columns, Columns, Columns]:
        # along e_rho, e_theta, e_z: acceleration (3.4.2)
        (rho, theta, z), (rho1, theta1, z1), (rho2, theta2, z2) = c, c1, c2
        cosine, sine = np.cos(theta), np.sin(theta)
        v, w = rho1, rho * theta1
        a, b = rho2 - rho * theta1 ** 2, rho * theta2 + 2.0 * rho1 * theta1
        # rotated by theta into x, y (3.4.3)
        return ((rho * cosine, rho * sine, z),
                (v * cosine - w * sine, v * sine + w * cosine, z1),
                (a * cosine - b * sine, a * sine + b * cosine, z2))


class Spherical(Curvilinear):
    """A path of (r, theta, phi): distance [m], azimuth from x and elevation above x-y [rad]."""

    def _in_space(self, c: FloatArray, c1: FloatArray,
                  c2: FloatArray) -> tuple[Columns, Columns, Columns]:
        (r, theta, phi), (r1, theta1, phi1), (r2, theta2, phi2) = c, c1, c2
        ct, st, cp, sp = np.cos(theta), np.sin(theta), np.cos(phi), np.sin(phi)
        # along e_r, e_theta, e_phi: acceleration (3.4.5, with phi' for its misprinted rho')
        velocity = r1, r * theta1 * cp, r * phi1
        acceleration = (
            r2 - r * phi1 ** 2 - r * (cp * theta1) ** 2,
            2.0 * r1 * theta1 * cp + r * theta2 * cp - 2.0 * r * phi1 * theta1 * sp,
            2.0 * r1 * phi1 + r * phi2 + r * sp * cp * theta1 ** 2)

        def turned(along_r: FloatArray, along_theta: FloatArray,
                   along_phi: FloatArray) -> Columns:        # (3.4.6)
            level = along_r * cp - along_phi * sp
            return (level * ct - along_theta * st, level * st + along_theta * ct,
                    along_r * sp + along_phi * cp)
        return (r * cp * ct, r * cp * st, r * sp), turned(*velocity), turned(*acceleration)
