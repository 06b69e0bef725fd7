# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Paths told in cylindrical or spherical coordinates (Vukobratovic and Potkonjak 1982, 3.4).

A path of coordinates, for instance the Line from (r, angle, z) to (r, angle, z), becomes a path in
space. The share x is that of the coordinates, all of which follow one law; it is no arc length.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.dynamics.arrays import vector
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.path import Path
from kane_dynamics.motion.rotation import as_rotation


class Curvilinear(Path):
    """A path in coordinates about an origin (3,) [m] and axes (a rotation), in base axes."""

    def __init__(self, coordinates, origin=(0.0, 0.0, 0.0), axes=(0.0, 0.0, 0.0)):
        if not isinstance(coordinates, Path):
            raise InputError(f'{type(self).__name__} needs a path of coordinates, such as '
                             f'Line(first, last); got {type(coordinates).__name__}')
        self._coordinates, self._origin = coordinates, vector(origin, 'origin')
        self._axes = as_rotation(axes, 'axes')
        x, weights = np.polynomial.legendre.leggauss(64)
        speed = np.linalg.norm(self.evaluate(0.5 + 0.5 * x)[1], axis=1)
        self.length = float(0.5 * speed @ weights)

    def evaluate(self, x):
        """Return p, dp/dx, d2p/dx2, each (M, 3) [m], at shares x (M,) from 0 to 1."""
        rows = self._in_space(*(each.T for each in self._coordinates.evaluate(x)))
        p, p1, p2 = (np.stack(each, axis=1) @ self._axes.T for each in rows)
        return self._origin + p, p1, p2

    def _in_space(self, c, c1, c2):
        raise NotImplementedError


class Cylindrical(Curvilinear):
    """A path of (rho, theta, z): distance from the z axis [m], angle about it from x [rad], z."""

    def _in_space(self, c, c1, c2):
        # along e_rho, e_theta, e_z: acceleration (3.4.2)
        (rho, theta, z), (rho1, theta1, z1), (rho2, theta2, z2) = c, c1, c2
        cosine, sine = np.cos(theta), np.sin(theta)
        v, w = rho1, rho * theta1
        a, b = rho2 - rho * theta1 ** 2, rho * theta2 + 2.0 * rho1 * theta1
        # turned by theta into x, y (3.4.3)
        return ((rho * cosine, rho * sine, z),
                (v * cosine - w * sine, v * sine + w * cosine, z1),
                (a * cosine - b * sine, a * sine + b * cosine, z2))


class Spherical(Curvilinear):
    """A path of (r, theta, phi): distance [m], azimuth from x and elevation above x-y [rad]."""

    def _in_space(self, c, c1, c2):
        (r, theta, phi), (r1, theta1, phi1), (r2, theta2, phi2) = c, c1, c2
        ct, st, cp, sp = np.cos(theta), np.sin(theta), np.cos(phi), np.sin(phi)
        # along e_r, e_theta, e_phi: acceleration (3.4.5, with phi' for its misprinted rho')
        velocity = r1, r * theta1 * cp, r * phi1
        acceleration = (
            r2 - r * phi1 ** 2 - r * (cp * theta1) ** 2,
            2.0 * r1 * theta1 * cp + r * theta2 * cp - 2.0 * r * phi1 * theta1 * sp,
            2.0 * r1 * phi1 + r * phi2 + r * sp * cp * theta1 ** 2)

        def turned(along_r, along_theta, along_phi):        # (3.4.6)
            level = along_r * cp - along_phi * sp
            return (level * ct - along_theta * st, level * st + along_theta * ct,
                    along_r * sp + along_phi * cp)
        return (r * cp * ct, r * cp * st, r * sp), turned(*velocity), turned(*acceleration)
