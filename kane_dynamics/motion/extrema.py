# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The largest and smallest position, velocity or acceleration of a trajectory, and when."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np


@dataclass(frozen=True, eq=False)
class Extrema:
    """Bounds of each joint over the whole motion: values (n,) and their times (n,) [s]."""

    lower: np.ndarray
    upper: np.ndarray
    lower_time: np.ndarray
    upper_time: np.ndarray

    @property
    def magnitude(self):
        """Return the largest absolute value of each joint (n,)."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))


def find_extrema(trajectory, derivative=0):
    """Return the exact extrema of position (0), velocity (1) or acceleration (2) of a trajectory.

    A polynomial lies within the range of its Bernstein coefficients, so that roots are sought
    only in the few segments whose range reaches beyond the best value known. At a jump both sides
    count.
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


def hull_bounds(trajectory, derivative=0):
    """Return bounds (n,), (n,) that the extrema lie within: as good for most, and much faster."""
    hull = _hull(trajectory.segments, derivative)[1]
    return hull.min(axis=(1, 2)), hull.max(axis=(1, 2))


def _hull(segments, derivative):
    # The derivative's polynomials in the share of their segment, and their Bernstein coefficients,
    # (n, S, d) each; the durations (S,), 0 where held. S = N: the rest before is left out.
    h = np.append(np.diff(segments.knots), 0.0)
    h = np.where(segments.orders[1:] > 0, h, 0.0)
    c = np.ascontiguousarray(segments.coefficients[1:].transpose(2, 0, 1))
    for _ in range(derivative):
        c = c[:, :, 1:] * np.arange(1, c.shape[2])
    scaled = c * h[:, None] ** np.arange(c.shape[2])
    return scaled, scaled @ _bernstein(c.shape[2] - 1).T, h


def _bernstein(degree):
    # b_j = sum_i binomial(j, i) / binomial(degree, i) a_i for a polynomial a_i s^i on [0, 1]
    return np.array([[math.comb(j, i) / math.comb(degree, i) for i in range(degree + 1)]
                     for j in range(degree + 1)])


def _largest(hull, scaled, h, knots):
    # hull[:, 0] and hull[:, -1] are the values at the ends of the segments
    bound = hull.max(axis=1)
    ends = np.maximum(hull[:, 0], hull[:, -1])
    k = int(np.argmax(ends))
    best, time = ends[k], knots[k] + (h[k] if hull[k, -1] > hull[k, 0] else 0.0)
    slack = 1e-12 * (1.0 + abs(best))
    for k in np.argsort(-bound, kind='stable'):
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
    return best, time
