# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Rounded corners between two straight lines, without a step in curvature.

A quartic Bezier curve whose first three control points lie on the first line and whose last three
lie on the second, with the way-point w in the middle:
  w - d e1, w - d/2 e1, w, w + d/2 e2, w + d e2.
Tangent and curvature are then those of the lines at both ends (Farin 2002, ch. 4 and 11); with a
circular arc the curvature, and so the acceleration, would jump. Its middle passes w at a distance
of 3/16 d |e2 - e1|.
"""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.polynomials import Derivatives

SHARPEST = math.radians(170.0)      # change of direction beyond which the curve is nearly a cusp
PANELS = 16                         # of the arc length's quadrature; 8 Gauss points each
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


class Corner:
    """A corner at a way-point (3,) between unit directions (3,), rounded from a distance on [m].

    number: index of the way-point, for messages. `distance` [m]: from the way-point to the curve.
    """

    def __init__(self, way_point: FloatArray, before: FloatArray, after: FloatArray,
                 distance: float, number: int) -> None:
        turn = math.atan2(np.linalg.norm(np.cross(before, after)), before @ after)
        if turn > SHARPEST:
            raise InputError(
                f'way-point {number} turns back by {math.degrees(turn):.1f} deg; a corner can be '
                f'rounded up to {math.degrees(SHARPEST):.0f} deg: stop there instead')
        controls = np.array([way_point - distance * before, way_point - 0.5 * distance * before,
                             way_point, way_point + 0.5 * distance * after,
                             way_point + distance * after])
        self.distance = 3.0 / 16.0 * distance * float(np.linalg.norm(after - before))
        # powers of w, the curve's own parameter from 0 to 1
        P0, P1, P2, P3, P4 = controls
        self._powers = np.array([P0, 4.0 * (P1 - P0), 6.0 * (P0 - 2.0 * P1 + P2),
                                 4.0 * (P3 - 3.0 * P2 + 3.0 * P1 - P0),
                                 P4 - 4.0 * P3 + 6.0 * P2 - 4.0 * P1 + P0])
        edges = np.linspace(0.0, 1.0, PANELS + 1)
        panels = self._arc(edges[:-1], edges[1:])
        self._edges, self._arcs = edges, np.concatenate([[0.0], np.cumsum(panels)])
        self.length = float(self._arcs[-1])

    def evaluate(self, s: FloatArray) -> Derivatives:
        """Return position, unit tangent and curvature vector, (M, 3), at arc lengths s (M,)."""
        w = self._parameter(s)
        c, c1, c2 = self._curve(w)
        square = np.sum(c1 * c1, axis=1)[:, None]
        tangent = c1 / np.sqrt(square)
        # d2c/ds2 = (c'' - t (t . c'')) / |c'|^2
        return c, tangent, (c2 - tangent * np.sum(tangent * c2, axis=1)[:, None]) / square

    def _parameter(self, s: FloatArray) -> FloatArray:
        """Return w (M,) at arc lengths s (M,), by Newton's method on the quadrature."""
        w = np.interp(s, self._arcs, self._edges)
        for _ in range(20):
            panel = np.clip(np.searchsorted(self._edges, w, side='right') - 1, 0, PANELS - 1)
            short = s - self._arcs[panel] - self._arc(self._edges[panel], w)
            step = short / np.linalg.norm(self._curve(w)[1], axis=1)
            w = np.clip(w + step, 0.0, 1.0)
            if abs(short).max() < 1e-15 * self.length:
                break
        return w

    def _arc(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the arc lengths (M,) between parameters low and high (M,)."""
        half = 0.5 * (high - low)
        w = low[:, None] + half[:, None] * (1.0 + NODES)
        speed = np.linalg.norm(self._curve(w.reshape(-1))[1], axis=1).reshape(w.shape)
        return half * (speed @ WEIGHTS)

    def _curve(self, w: FloatArray) -> Derivatives:
        a0, a1, a2, a3, a4 = self._powers
        w = w[:, None]
        return (a0 + w * (a1 + w * (a2 + w * (a3 + w * a4))),
                a1 + w * (2.0 * a2 + w * (3.0 * a3 + w * 4.0 * a4)),
                2.0 * a2 + w * (6.0 * a3 + w * 12.0 * a4))
