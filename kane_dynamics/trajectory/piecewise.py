# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Piecewise polynomials of time, at rest before the first and after the last knot."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from kane_dynamics.codegen.formula import apply_formula
from kane_dynamics.numerics.array_types import FloatArray, IntArray
from kane_dynamics.numerics.polynomials import Derivatives
from kane_dynamics.trajectory import interpolation

BLOCK = 1 << 11  # rows evaluated at once: the arrays of 7 joints stay near 1 MB, in the cache


@dataclass(frozen=True, eq=False)
class Segments:
    """Segment k spans [knots[k-1], knots[k]) [s]; segment 0 and segment N are the rests outside.

    knots (N,), coefficients (N + 1, 6, n) in powers of the time since the left knot, orders
    (N + 1,) as in `interpolation`, effort (N + 1, 2, n) likewise, or None.
    """

    knots: FloatArray
    coefficients: FloatArray
    orders: IntArray
    effort: FloatArray | None = None

    @classmethod
    def through(cls, times: FloatArray, positions: FloatArray, velocities: FloatArray,
                accelerations: FloatArray, efforts: FloatArray | None,
                method: Literal['fields', 'none']) -> Segments:
        """Return the segments through N points (fields (N, n), NaN rows where not carried)."""
        if method == 'none':
            between, orders = interpolation.next_point(positions, velocities, accelerations)
        else:
            between, orders = interpolation.hermite(times, positions, velocities, accelerations)
        count, n = positions.shape
        coefficients = np.zeros((count + 1, 6, n))
        coefficients[1:-1] = between
        coefficients[0, 0], coefficients[-1, 0] = positions[0], positions[-1]
        held = [interpolation.HELD]
        segments = cls(times, coefficients, np.concatenate([held, orders, held]))
        return segments if efforts is None else segments.with_effort(efforts)

    def with_effort(self, efforts: FloatArray) -> Segments:
        """Return the segments with effort (N, n) at the knots, linear between; held where held."""
        effort = np.zeros((len(self.knots) + 1, 2, efforts.shape[1]))
        effort[1:-1] = interpolation.linear(self.knots, efforts)
        held = 1 + np.flatnonzero(self.orders[1:-1] == interpolation.HELD)
        effort[held, 0] = efforts[held]  # that of the next point, like its position
        effort[0, 0], effort[-1, 0] = efforts[0], efforts[-1]
        return replace(self, effort=effort)

    @cached_property
    def _search(self) -> tuple[list[float], list[float], list[float]]:
        # plain lists: bisect and item access on them are several times faster than on arrays
        origins = [float(self.knots[0]), *self.knots.tolist()]
        return self.knots.tolist(), origins, (self.orders > 0).astype(float).tolist()

    def locate(self, time: float) -> tuple[int, float]:
        """Return the segment of a time [s] and the argument x of its polynomial."""
        knots, origins, moving = self._search
        k = bisect_right(knots, time)
        return k, (time - origins[k]) * moving[k]

    def locate_many(self, times: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the segments (M,) of times (M,) and the arguments (M,) of their polynomials."""
        k = np.searchsorted(self.knots, times, side='right')
        x = (times - self.knots[np.maximum(k - 1, 0)]) * (self.orders[k] > 0)
        return k, x

    def evaluate(self, time: float) -> FloatArray:
        """Return q, qd, qdd (3, n) at a time [s]."""
        k, x = self.locate(time)
        x2 = x * x
        x3 = x2 * x
        # rows: the powers of x and their first and second derivative
        powers = np.array((1.0, x, x2, x3, x2 * x2, x3 * x2,
                           0.0, 1.0, 2.0 * x, 3.0 * x2, 4.0 * x3, 5.0 * x2 * x2,
                           0.0, 0.0, 2.0, 6.0 * x, 12.0 * x2, 20.0 * x3)).reshape(3, 6)
        return np.dot(powers, self.coefficients[k])

    def evaluate_many(self, times: FloatArray) -> Derivatives:
        """Return q, qd, qdd, each (M, n), at times (M,)."""
        k, x = self.locate_many(times)
        if len(times) < BLOCK:      # not worth compiling
            return interpolation.derivatives(self.coefficients[k], x)
        n = self.coefficients.shape[2]
        out = np.empty((3, len(times), n))
        for first in range(0, len(times), BLOCK):
            block = slice(first, first + BLOCK)
            rows = np.empty((len(x[block]), 3 * n))
            apply_formula(interpolation.polynomials,
                          [x[block], self.coefficients.take(k[block], axis=0)], rows)
            out[:, block] = rows.reshape(-1, 3, n).transpose(1, 0, 2)
        return out[0], out[1], out[2]

    def effort_at(self, time: float) -> FloatArray:
        """Return the effort (n,) at a time; zero where the trajectory carries none."""
        if self.effort is None:
            return np.zeros(self.coefficients.shape[2])
        k, x = self.locate(time)
        return self.effort[k, 0] + self.effort[k, 1] * x

    def effort_at_many(self, times: FloatArray) -> FloatArray:
        """Return the efforts (M, n) at times (M,)."""
        if self.effort is None:
            return np.zeros((len(times), self.coefficients.shape[2]))
        k, x = self.locate_many(times)
        return self.effort[k, 0] + self.effort[k, 1] * x[:, None]

    def refined(self, knots: FloatArray) -> Segments:
        """Return the same function on knots (K,) that contain every knot of this one."""
        k = np.searchsorted(self.knots, knots, side='right')
        k = np.concatenate([[0], k])  # the rest before the first knot stays
        x = np.concatenate([[0.0], knots]) - self.knots[np.maximum(k - 1, 0)]
        x = np.where(self.orders[k] > 0, x, 0.0)
        effort = None if self.effort is None else interpolation.shifted(self.effort[k], x)
        coefficients = interpolation.shifted(self.coefficients[k], x)
        return Segments(knots, coefficients, self.orders[k], effort)

    def scaled(self, alpha: float) -> Segments:
        """Return the same path run alpha times as fast: c_i alpha^i on knots / alpha."""
        powers = alpha ** np.arange(6)[None, :, None]
        effort = None if self.effort is None else self.effort * powers[:, :2]
        return Segments(self.knots / alpha, self.coefficients * powers, self.orders, effort)

    def translated(self, offset: float) -> Segments:
        """Return the same function later by offset [s]."""
        return Segments(self.knots + offset, self.coefficients, self.orders, self.effort)
