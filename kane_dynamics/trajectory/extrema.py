# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Extrema of position, velocity or acceleration over a trajectory, with their times."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Literal, TypeAlias

import numpy as np

from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.trajectory.piecewise import Segments
from kane_dynamics.trajectory.trajectory import Trajectory

Order: TypeAlias = Literal[0, 1, 2]     # position, velocity, acceleration


@dataclass(frozen=True, eq=False)
class Extrema:
    """Bounds of each joint over the whole motion: values (n,) and their times (n,) [s]."""

    lower: FloatArray
    upper: FloatArray
    lower_time: FloatArray
    upper_time: FloatArray

    @property
    def magnitude(self) -> FloatArray:
        """Return the largest absolute value of each joint (n,)."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))


def find_extrema(trajectory: Trajectory, derivative: Order = 0) -> Extrema:
    """Return the exact extrema of position (0), velocity (1) or acceleration (2).

    A polynomial lies within the range of its Bernstein coefficients. Roots are therefore computed
    only in the few segments whose range exceeds the largest value found so far. At a jump both
    sides count.
    """
    knots = trajectory.segments.knots
    scaled, hull, h = _hull(trajectory.segments, derivative)
    sides = []
    for sign in (-1.0, 1.0):
        values, times = zip(*(_largest(sign * hull[j], sign * scaled[j], h, knots)
                              for j in range(trajectory.n_joints)))
        sides.append((sign * np.array(values), np.array(times) + trajectory.start))
    (lower, lower_time), (upper, upper_time) = sides
    return Extrema(lower, upper, lower_time, upper_time)


def hull_bounds(trajectory: Trajectory, derivative: Order = 0) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper bounds (n,) of the extrema: often equal to them, and much faster."""
    hull = _hull(trajectory.segments, derivative)[1]
    return hull.min(axis=(1, 2)), hull.max(axis=(1, 2))


def _hull(segments: Segments, derivative: Order) -> tuple[FloatArray, FloatArray, FloatArray]:
    # The derivative's polynomials in the fraction of their segment, and their Bernstein
    # coefficients, (n, S, d) each; the durations (S,), 0 where held. S = N: the rest before the
    # first knot is left out.
    h = np.append(np.diff(segments.knots), 0.0)
    h = np.where(segments.orders[1:] > 0, h, 0.0)
    c = np.ascontiguousarray(segments.coefficients[1:].transpose(2, 0, 1))
    for _ in range(derivative):
        c = c[:, :, 1:] * np.arange(1, c.shape[2])
    scaled = c * h[:, None] ** np.arange(c.shape[2])
    return scaled, scaled @ _bernstein(c.shape[2] - 1).T, h


def _bernstein(degree: int) -> FloatArray:
    # b_j = sum_i binomial(j, i) / binomial(degree, i) a_i for a polynomial a_i s^i on [0, 1]
    return np.array([[math.comb(j, i) / math.comb(degree, i) for i in range(degree + 1)]
                     for j in range(degree + 1)])


def _largest(hull: FloatArray, scaled: FloatArray, h: FloatArray,
             knots: FloatArray) -> tuple[float, float]:
    # hull[:, 0] and hull[:, -1] are the values at the ends of the segments
    bound = hull.max(axis=1)
    ends = np.maximum(hull[:, 0], hull[:, -1])
    k = int(np.argmax(ends))
    best, time = ends[k], knots[k] + (h[k] if hull[k, -1] > hull[k, 0] else 0.0)
    slack = 1e-12 * (1.0 + abs(best))
    for k in np.argsort(-bound, kind='stable').tolist():
        if bound[k] <= best + slack:
            break
        slopes = scaled[k, 1:] * np.arange(1, scaled.shape[1])
        roots = np.roots(slopes[::-1])
        inner = roots.real[(np.abs(roots.imag) < 1e-6) & (roots.real > 0.0) & (roots.real < 1.0)]
        if len(inner):
            values = np.polyval(scaled[k, ::-1], inner)
            i = int(np.argmax(values))
            if values[i] > best:
                best, time = values[i], knots[k] + inner[i] * h[k]
    return float(best), float(time)
