# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Paths of a point in space: lines, arcs and way-points with rounded corners.

A path is a C2 function p(x), x from 0 to 1, in metres and base axes. Here x is the fraction of the
arc length, so that a motion x(t) by a `Profile` has that profile as its speed along the path:
v = length x'.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
import math

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.polynomials import Derivatives
from kane_dynamics.numerics.rotations import turned, unit
from kane_dynamics.numerics.validation import vector
from kane_dynamics.task.corner import Corner


class Path(ABC):
    """A curve in space; subclasses have `length` [m] and `evaluate`."""

    length: float

    @abstractmethod
    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return p, dp/dx, d2p/dx2, each (M, 3) [m], at fractions x (M,) from 0 to 1."""

    @property
    def first(self) -> FloatArray:
        """Return the first position (3,) [m]."""
        return self.evaluate(np.array([0.0]))[0][0]

    @property
    def last(self) -> FloatArray:
        """Return the last position (3,) [m]."""
        return self.evaluate(np.array([1.0]))[0][0]


class Line(Path):
    """The straight line from one position (3,) to another [m]; equal ones are a path at rest."""

    def __init__(self, first: ArrayLike, last: ArrayLike) -> None:
        self._first = vector(first, 'first')
        self._along = vector(last, 'last') - self._first
        self.length = float(np.linalg.norm(self._along))

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return p, dp/dx, d2p/dx2, each (M, 3) [m], at fractions x (M,) from 0 to 1."""
        x = np.asarray(x, dtype=float)[:, None]
        return (self._first + x * self._along, np.ones_like(x) * self._along,
                np.zeros_like(x) * self._along)


class Arc(Path):
    """The arc of a circle from a position (3,) about a centre (3,) [m] and an axis, by an angle.

    The angle [rad] may be negative or more than one revolution; the circle lies in the plane
    through `first` normal to the axis.
    """

    def __init__(self, first: ArrayLike, centre: ArrayLike, axis: ArrayLike,
                 angle: float) -> None:
        start, middle = vector(first, 'first'), vector(centre, 'centre')
        self._axis: FloatArray = unit(axis, 'the axis of an arc')
        self._centre: FloatArray = middle + self._axis * ((start - middle) @ self._axis)
        self._arm, self._angle = start - self._centre, float(angle)
        if not math.isfinite(self._angle):
            raise InputError(f'the angle of an arc must be finite [rad]; got {angle}')
        radius = float(np.linalg.norm(self._arm))
        if radius < 1e-9:
            raise InputError(f'an arc from {start.tolist()} about {middle.tolist()} has no radius')
        self.radius, self.length = radius, abs(self._angle) * radius

    @classmethod
    def through(cls, first: ArrayLike, via: ArrayLike, last: ArrayLike) -> Arc:
        """Return the arc from `first` through `via` to `last`, three positions (3,) [m]."""
        a, b, c = vector(first, 'first'), vector(via, 'via'), vector(last, 'last')
        u, v = b - a, c - a
        normal = np.cross(u, v)
        size = normal @ normal
        if size < 1e-18 * max(float(u @ u), float(v @ v), 1e-300) ** 2:
            raise InputError(f'no circle goes through {a.tolist()}, {b.tolist()} and {c.tolist()}:'
                             ' they are on one line; use Line')
        # equal distances to all three: centre - a = (|v|^2 n x u + |u|^2 v x n) / (2 |n|^2)
        arm = (np.cross(normal, u) * (v @ v) + np.cross(v, normal) * (u @ u)) / (2.0 * size)
        axis = normal / math.sqrt(size)
        start, end = -arm, v - arm
        angle = math.atan2(np.cross(start, end) @ axis, start @ end)
        return cls(a, a + arm, axis, angle if angle > 0.0 else angle + 2.0 * math.pi)

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return p, dp/dx, d2p/dx2, each (M, 3) [m], at fractions x (M,) from 0 to 1."""
        arm = turned(self._axis, self._angle * np.asarray(x, dtype=float)) @ self._arm
        return (self._centre + arm, self._angle * np.cross(self._axis, arm),
                -self._angle ** 2 * arm)


class WayPoints(Path):
    """Straight lines between positions (N, 3) [m] with rounded corners, C2 throughout.

    blend: distance from a way-point at which the path leaves the line [m], one number or N - 2. A
    circular arc in the corner would make the acceleration jump; see `Corner` for the curve used.
    The path passes the way-points at `distances` (N - 2,) [m]. To stop at them instead, make a
    task of each line.

    fractions (N,): x at the ends and in the middle of each corner; half_widths (N - 2,): half the
    range of x of each corner.
    """

    def __init__(self, positions: ArrayLike, blend: ArrayLike) -> None:
        try:
            points = np.array(positions, dtype=float)
        except (TypeError, ValueError):
            points = np.empty(0)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2:
            raise InputError('way-points are two or more positions of three numbers each; got '
                             f'shape {points.shape}')
        along = np.diff(points, axis=0)
        lengths = np.linalg.norm(along, axis=1)
        if not np.isfinite(points).all() or (lengths < 1e-9).any():
            k = int(np.argmin(lengths))
            raise InputError(f'way-points {k} and {k + 1} are the same position, '
                             f'{points[k].tolist()}, or not finite')
        blends = np.concatenate([[0.0], _blends(blend, len(points) - 2), [0.0]])
        for k, length in enumerate(lengths):
            if blends[k] + blends[k + 1] > length * (1.0 + 1e-12):
                raise InputError(
                    f'way-points {k} and {k + 1} are {length:g} m apart; there is no room for '
                    f'blends of {blends[k]:g} and {blends[k + 1]:g} m')
        directions = along / lengths[:, None]
        corners = [Corner(points[k], directions[k - 1], directions[k], blends[k], k)
                   for k in range(1, len(points) - 1)]
        self.distances = np.array([corner.distance for corner in corners])
        self._pieces: list[Corner | tuple[FloatArray, FloatArray]] = []
        ends, middles = [0.0], []
        for k, length in enumerate(lengths):
            self._pieces.append((points[k] + blends[k] * directions[k], directions[k]))
            ends.append(ends[-1] + max(length - blends[k] - blends[k + 1], 0.0))
            if k < len(corners):
                self._pieces.append(corners[k])
                middles.append(ends[-1] + 0.5 * corners[k].length)
                ends.append(ends[-1] + corners[k].length)
        self._ends, self.length = np.array(ends), ends[-1]
        self.fractions = np.array([0.0, *middles, ends[-1]]) / self.length
        self.half_widths = 0.5 * np.array([corner.length for corner in corners]) / self.length

    def evaluate(self, x: ArrayLike) -> Derivatives:
        """Return p, dp/dx, d2p/dx2, each (M, 3) [m], at fractions x (M,) from 0 to 1."""
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


def _blends(blend: ArrayLike, count: int) -> FloatArray:
    blends = np.asarray(blend, dtype=float)
    if blends.shape not in ((), (count,)) or not (blends > 0.0).all():
        raise InputError(f'the blend must be positive [m], one number or {count}; got {blend!r}. '
                         'To stop at way-points, make a task of each line')
    return np.broadcast_to(blends, (count,))
