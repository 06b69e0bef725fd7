# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Splines through way-points: the knot velocities and accelerations of C2 and C4 splines."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_banded

from kane_dynamics.numerics.array_types import ArrayLike, FloatArray


def spline_velocities(times: FloatArray, positions: FloatArray, start_velocity: ArrayLike = 0.0,
                      end_velocity: ArrayLike = 0.0) -> FloatArray:
    """Return the knot velocities (N, n) of the C2 cubic spline through N points; ends at rest.

    times (N,) [s], positions (N, n); the end velocities are scalars or (n,). Equal accelerations
    on both sides of knot i, with h the durations and s the slopes of its segments, require
      v[i-1]/h0 + 2 (1/h0 + 1/h1) v[i] + v[i+1]/h1 = 3 (s0/h0 + s1/h1).
    """
    count, n = positions.shape
    velocities = np.empty((count, n))
    velocities[0] = start_velocity
    velocities[-1] = end_velocity
    if count < 3:
        return velocities
    inverse_h = 1.0 / np.diff(times)
    slope = np.diff(positions, axis=0) * inverse_h[:, None]
    right = 3.0 * (slope[:-1] * inverse_h[:-1, None] + slope[1:] * inverse_h[1:, None])
    right[0] -= velocities[0] * inverse_h[0]
    right[-1] -= velocities[-1] * inverse_h[-1]
    banded = np.zeros((3, count - 2))
    banded[0, 1:] = inverse_h[1:-1]
    banded[1] = 2.0 * (inverse_h[:-1] + inverse_h[1:])
    banded[2, :-1] = inverse_h[1:-1]
    velocities[1:-1] = solve_banded((1, 1), banded, right, check_finite=False)
    return velocities


def quintic_spline_fields(times: FloatArray,
                          positions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return knot velocities and accelerations (N, n) of the C4 quintic spline through N points.

    Both are zero at both ends, so that a torque computed from the motion starts and ends without a
    step. Continuity of the third and the fourth derivative at each inner knot gives two equations
    for its two unknowns.
    """
    count, n = positions.shape
    velocities, accelerations = np.zeros((count, n)), np.zeros((count, n))
    if count < 3:
        return velocities, accelerations
    h = np.diff(times)
    slope = np.diff(positions, axis=0) / h[:, None]
    # With (v, a) at both ends of a segment and s its slope, at its left end (x = 0) and right end:
    #   q'''(0) = ( 60 s - 36 v0 - 24 v1)/h^2 - (9 a0 - 3 a1)/h
    #   q'''(h) = ( 60 s - 24 v0 - 36 v1)/h^2 - (3 a0 - 9 a1)/h
    #   q''''(0) = (-360 s + 192 v0 + 168 v1)/h^3 + (36 a0 - 24 a1)/h^2
    #   q''''(h) = ( 360 s - 168 v0 - 192 v1)/h^3 + (-24 a0 + 36 a1)/h^2
    # Unknowns y = [v1, a1, v2, a2, ...]; row pairs say left = right at each inner knot.
    left, right = h[:-1], h[1:]
    inner = count - 2
    banded = np.zeros((7, 2 * inner))  # three diagonals on either side

    def put(row: int, column_knot: int, column_field: int, value: FloatArray) -> None:
        # row: 0 third, 1 fourth derivative; column_knot: -1, 0, 1 relative to the row's knot
        knots = np.arange(inner)
        keep = (knots + column_knot >= 0) & (knots + column_knot < inner)
        i = 2 * knots[keep] + row
        j = 2 * (knots[keep] + column_knot) + column_field
        banded[3 + i - j, j] = value[keep]

    put(0, -1, 0, -24.0 / left ** 2)
    put(0, -1, 1, -3.0 / left)
    put(0, 0, 0, 36.0 / right ** 2 - 36.0 / left ** 2)
    put(0, 0, 1, 9.0 / left + 9.0 / right)
    put(0, 1, 0, 24.0 / right ** 2)
    put(0, 1, 1, -3.0 / right)
    put(1, -1, 0, -168.0 / left ** 3)
    put(1, -1, 1, -24.0 / left ** 2)
    put(1, 0, 0, -192.0 / left ** 3 - 192.0 / right ** 3)
    put(1, 0, 1, 36.0 / left ** 2 - 36.0 / right ** 2)
    put(1, 1, 0, -168.0 / right ** 3)
    put(1, 1, 1, 24.0 / right ** 2)
    load = np.empty((2 * inner, n))
    load[0::2] = 60.0 * (slope[1:] / right[:, None] ** 2 - slope[:-1] / left[:, None] ** 2)
    load[1::2] = -360.0 * (slope[1:] / right[:, None] ** 3 + slope[:-1] / left[:, None] ** 3)
    solution = solve_banded((3, 3), banded, load, check_finite=False)
    velocities[1:-1], accelerations[1:-1] = solution[0::2], solution[1::2]
    return velocities, accelerations
