# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Paths of a point in space: lines, arcs and rounded way-points, as functions of a share x.

A path is a C2 function p(x), x from 0 to 1, in metres and base axes: evaluate(x) returns p, dp/dx
and d2p/dx2. Here x is the share of the arc length, so that a law x(t) of motion is the law of the
speed along the path: v = length x', and with x(t) of a `Law` the motion is as smooth as that law.
"""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.dynamics.arrays import vector
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.corner import Corner
from kane_dynamics.motion.rotation import turned, unit


class Path:
    """A curve in space; subclasses have `length` [m] and `evaluate`."""

    length = 0.0

    def evaluate(self, x):
        """Return p, dp/dx, d2p/dx2, each (M, 3) [m], at shares x (M,) from 0 to 1."""
        raise NotImplementedError

    @property
    def first(self):
        """Return where the path starts (3,) [m]."""
        return self.evaluate(np.array([0.0]))[0][0]

    @property
    def last(self):
        """Return where the path ends (3,) [m]."""
        return self.evaluate(np.array([1.0]))[0][0]


class Line(Path):
    """The straight line from one place (3,) to another [m]; one place twice is a path at rest."""

    def __init__(self, first, last):
        self._first, self._along = vector(first, 'first'), vector(last, 'last') - first
        self.length = float(np.linalg.norm(self._along))

    def evaluate(self, x):
        """Return p, dp/dx, d2p/dx2, each (M, 3) [m], at shares x (M,) from 0 to 1."""
        x = np.asarray(x, dtype=float)[:, None]
        return (self._first + x * self._along, np.ones_like(x) * self._along,
                np.zeros_like(x) * self._along)


class Arc(Path):
    """The arc of a circle from a place (3,) about a centre (3,) [m] and an axis, by an angle.

    The angle [rad] may be negative or more than a turn; the circle lies in the plane through
    `first` normal to the axis.
    """

    def __init__(self, first, centre, axis, angle):
        first, centre = vector(first, 'first'), vector(centre, 'centre')
        self._axis = unit(axis, 'the axis of an arc')
        self._centre = centre + self._axis * ((first - centre) @ self._axis)
        self._arm, self._angle = first - self._centre, float(angle)
        if not math.isfinite(self._angle):
            raise InputError(f'the angle of an arc must be finite [rad]; got {angle}')
        radius = float(np.linalg.norm(self._arm))
        if radius < 1e-9:
            raise InputError(f'an arc from {first.tolist()} about {centre.tolist()} has no radius')
        self.radius, self.length = radius, abs(self._angle) * radius

    @classmethod
    def through(cls, first, via, last):
        """Return the arc from `first` over `via` to `last`, three places (3,) [m]."""
        a, b, c = vector(first, 'first'), vector(via, 'via'), vector(last, 'last')
        u, v = b - a, c - a
        normal = np.cross(u, v)
        size = normal @ normal
        if size < 1e-18 * max(u @ u, v @ v, 1e-300) ** 2:
            raise InputError(f'no circle goes through {a.tolist()}, {b.tolist()} and {c.tolist()}:'
                             ' they are on one line; use Line')
        # equal distances to all three: centre - a = (|v|^2 n x u + |u|^2 v x n) / (2 |n|^2)
        arm = (np.cross(normal, u) * (v @ v) + np.cross(v, normal) * (u @ u)) / (2.0 * size)
        axis = normal / math.sqrt(size)
        start, end = -arm, v - arm
        angle = math.atan2(np.cross(start, end) @ axis, start @ end)
        return cls(a, a + arm, axis, angle if angle > 0.0 else angle + 2.0 * math.pi)

    def evaluate(self, x):
        """Return p, dp/dx, d2p/dx2, each (M, 3) [m], at shares x (M,) from 0 to 1."""
        arm = turned(self._axis, self._angle * np.asarray(x, dtype=float)) @ self._arm
        return (self._centre + arm, self._angle * np.cross(self._axis, arm),
                -self._angle ** 2 * arm)


class WayPoints(Path):
    """Straight lines between places (N, 3) [m] with the corners cut, C2 all the way.

    blend: how far from a way-point the line is left [m], one number or N - 2. The arc of a circle
    in the corner would make the acceleration jump; see `Corner` for what is used instead. The path
    comes as near as `distances` to the way-points. To stop at them instead, make a task of each.
    """

    def __init__(self, places, blend):
        try:
            places = np.array(places, dtype=float)
        except (TypeError, ValueError):
            places = np.empty(0)
        if places.ndim != 2 or places.shape[1] != 3 or len(places) < 2:
            raise InputError('way-points are two or more places of three numbers each; got shape '
                             f'{places.shape}')
        along = np.diff(places, axis=0)
        lengths = np.linalg.norm(along, axis=1)
        if not np.isfinite(places).all() or (lengths < 1e-9).any():
            k = int(np.argmin(lengths))
            raise InputError(f'way-points {k} and {k + 1} are the same place, '
                             f'{places[k].tolist()}, or not finite')
        blends = np.concatenate([[0.0], _blends(blend, len(places) - 2), [0.0]])
        for k, length in enumerate(lengths):
            if blends[k] + blends[k + 1] > length * (1.0 + 1e-12):
                raise InputError(
                    f'way-points {k} and {k + 1} are {length:g} m apart; there is no room for '
                    f'blends of {blends[k]:g} and {blends[k + 1]:g} m')
        directions = along / lengths[:, None]
        corners = [Corner(places[k], directions[k - 1], directions[k], blends[k], k)
                   for k in range(1, len(places) - 1)]
        self.distances = np.array([corner.distance for corner in corners])
        self._pieces, ends, middles = [], [0.0], []
        for k, length in enumerate(lengths):
            self._pieces.append((places[k] + blends[k] * directions[k], directions[k]))
            ends.append(ends[-1] + max(length - blends[k] - blends[k + 1], 0.0))
            if k < len(corners):
                self._pieces.append(corners[k])
                middles.append(ends[-1] + 0.5 * corners[k].length)
                ends.append(ends[-1] + corners[k].length)
        self._ends, self.length = np.array(ends), ends[-1]
        # shares of the arc length where way-points are passed, and half the widths of the corners
        self.shares = np.array([0.0, *middles, ends[-1]]) / self.length
        self.half_widths = 0.5 * np.array([corner.length for corner in corners]) / self.length

    def evaluate(self, x):
        """Return p, dp/dx, d2p/dx2, each (M, 3) [m], at shares x (M,) from 0 to 1."""
        s = np.asarray(x, dtype=float) * self.length
        which = np.clip(np.searchsorted(self._ends, s, side='right') - 1, 0,
                        len(self._pieces) - 1)
        p, tangent, curvature = np.zeros((3, len(s), 3))
        for k, piece in enumerate(self._pieces):
            here = which == k
            since = s[here] - self._ends[k]
            if not len(since):
                continue
            if isinstance(piece, Corner):
                p[here], tangent[here], curvature[here] = piece.evaluate(since)
            else:
                p[here], tangent[here] = piece[0] + since[:, None] * piece[1], piece[1]
        return p, self.length * tangent, self.length ** 2 * curvature


def _blends(blend, count):
    blends = np.asarray(blend, dtype=float)
    if blends.shape not in ((), (count,)) or not (blends > 0.0).all():
        raise InputError(f'the blend must be positive [m], one number or {count}; got {blend}. To '
                         'stop at way-points, make a task of each line')
    return np.broadcast_to(blends, (count,))
