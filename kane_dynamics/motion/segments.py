# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A piecewise polynomial of time with rest before its first and after its last knot."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from struct import Struct

import numpy as np

from kane_dynamics.dynamics.loop_kernel import apply_formula
from kane_dynamics.motion import interpolation

BLOCK = 1 << 11  # rows evaluated at once: what 7 joints need stays near 1 MB, in the cache
_PACK = Struct('18d').pack_into


@dataclass(frozen=True, eq=False)
class Segments:
    """Segment k spans [knots[k-1], knots[k]) [s]; segment 0 and segment N are the rests outside.

    knots (N,), coefficients (N + 1, 6, n) in powers of the time since the left knot, orders
    (N + 1,) as in `interpolation`, effort (N + 1, 2, n) likewise, or None.
    """

    knots: np.ndarray
    coefficients: np.ndarray
    orders: np.ndarray
    effort: np.ndarray | None = None

    @classmethod
    def through(cls, times, positions, velocities, accelerations, efforts, method):
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

    def with_effort(self, efforts):
        """Return the segments with effort (N, n) at the knots, linear between; held where held."""
        effort = np.zeros((len(self.knots) + 1, 2, efforts.shape[1]))
        effort[1:-1] = interpolation.linear(self.knots, efforts)
        held = 1 + np.flatnonzero(self.orders[1:-1] == interpolation.HELD)
        effort[held, 0] = efforts[held]  # of the point to come, as its position
        effort[0, 0], effort[-1, 0] = efforts[0], efforts[-1]
        return replace(self, effort=effort)

    @cached_property
    def _search(self):
        # plain lists: bisect and item access on them are several times faster than on arrays
        origins = [float(self.knots[0]), *self.knots.tolist()]
        return self.knots.tolist(), origins, (self.orders > 0).astype(float).tolist()

    def locate(self, time):
        """Return the segment of a time [s] and the argument x of its polynomial."""
        knots, origins, moving = self._search
        k = bisect_right(knots, time)
        return k, (time - origins[k]) * moving[k]

    def locate_many(self, times):
        """Return the segments (M,) of times (M,) and the arguments (M,) of their polynomials."""
        k = np.searchsorted(self.knots, times, side='right')
        x = (times - self.knots[np.maximum(k - 1, 0)]) * (self.orders[k] > 0)
        return k, x

    def evaluate(self, time, powers, out):
        """Fill out (3, n) with q, qd, qdd at a time, using powers (3, 6) as work space."""
        k, x = self.locate(time)
        x2 = x * x
        x3 = x2 * x
        # rows: the powers of x and their first and second derivative
        _PACK(powers, 0, 1.0, x, x2, x3, x2 * x2, x3 * x2,
              0.0, 1.0, 2.0 * x, 3.0 * x2, 4.0 * x3, 5.0 * x2 * x2,
              0.0, 0.0, 2.0, 6.0 * x, 12.0 * x2, 20.0 * x3)
        np.dot(powers, self.coefficients[k], out)

    def evaluate_many(self, times):
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
        return tuple(out)

    def effort_at(self, time):
        """Return the effort (n,) at a time; zero where the trajectory carries none."""
        if self.effort is None:
            return np.zeros(self.coefficients.shape[2])
        k, x = self.locate(time)
        return self.effort[k, 0] + self.effort[k, 1] * x

    def effort_at_many(self, times):
        """Return the efforts (M, n) at times (M,)."""
        if self.effort is None:
            return np.zeros((len(times), self.coefficients.shape[2]))
        k, x = self.locate_many(times)
        return self.effort[k, 0] + self.effort[k, 1] * x[:, None]

    def refined(self, knots):
        """Return the same function on knots (K,) that contain every knot of this one."""
        k = np.searchsorted(self.knots, knots, side='right')
        k = np.concatenate([[0], k])  # the rest before the first knot stays
        x = np.concatenate([[0.0], knots]) - self.knots[np.maximum(k - 1, 0)]
        x = np.where(self.orders[k] > 0, x, 0.0)
        effort = None if self.effort is None else interpolation.shifted(self.effort[k], x)
        coefficients = interpolation.shifted(self.coefficients[k], x)
        return Segments(knots, coefficients, self.orders[k], effort)

    def scaled(self, alpha):
        """Return the same path run alpha times as fast: c_i alpha^i on knots / alpha."""
        powers = alpha ** np.arange(6)[None, :, None]
        effort = None if self.effort is None else self.effort * powers[:, :2]
        return Segments(self.knots / alpha, self.coefficients * powers, self.orders, effort)

    def translated(self, offset):
        """Return the same function later by offset [s]."""
        return Segments(self.knots + offset, self.coefficients, self.orders, self.effort)
