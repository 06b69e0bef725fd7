# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Segment polynomials: what joins two points, by what both of them carry.

A segment is q(x) = c0 + c1 x + ... + c5 x^5 with x the time since its left knot [s]. Its order is
1, 3 or 5 (linear, cubic, quintic), or 0 when it is held: then x stays 0 and q, qd, qdd are c0, c1,
2 c2.
"""

from __future__ import annotations

import math

import numpy as np

HELD, LINEAR, CUBIC, QUINTIC = 0, 1, 3, 5


def carried(rows):
    """Return which points carry a field: (N,) bool; a row of NaN is a point without it."""
    return ~np.isnan(rows[:, 0])


def hermite(times, positions, velocities, accelerations):
    """Return the segments between N points, by the fields of both ends, and their orders.

    times (N,) [s]; positions, velocities, accelerations (N, n), NaN rows where a point carries
    none. Gives coefficients (N - 1, 6, n) and orders (N - 1,). The rule is that of
    joint_trajectory_controller: positions only - linear; with velocities - cubic; with velocities
    and accelerations - quintic.
    """
    count, n = positions.shape
    coefficients = np.zeros((count - 1, 6, n))
    orders = np.full(count - 1, LINEAR)
    if count < 2:
        return coefficients, orders
    cubic = carried(velocities)
    quintic = cubic & carried(accelerations)
    cubic, quintic = cubic[:-1] & cubic[1:], quintic[:-1] & quintic[1:]
    orders[cubic] = CUBIC
    orders[quintic] = QUINTIC

    h = np.diff(times)[:, None]
    slope = np.diff(positions, axis=0) / h
    coefficients[:, 0] = positions[:-1]
    coefficients[:, 1] = np.where(cubic[:, None], velocities[:-1], slope)
    for order, fill in ((CUBIC, _fill_cubic), (QUINTIC, _fill_quintic)):
        rows = orders == order
        if rows.all():
            rows = slice(None)  # a view: no copies for the usual trajectory of one kind
        elif not rows.any():
            continue
        fill(coefficients, rows, h[rows], slope[rows], velocities[:-1][rows], velocities[1:][rows],
             accelerations[:-1][rows], accelerations[1:][rows])
    return coefficients, orders


def _fill_cubic(c, rows, h, slope, v0, v1, _a0, _a1):
    # q(0), qd(0), q(h), qd(h) given; slope = (q(h) - q(0)) / h
    c[rows, 2] = (3.0 * slope - 2.0 * v0 - v1) / h
    c[rows, 3] = (v0 + v1 - 2.0 * slope) / h ** 2


def _fill_quintic(c, rows, h, slope, v0, v1, a0, a1):
    # as the cubic, and qdd(0), qdd(h) given
    c[rows, 2] = 0.5 * a0
    c[rows, 3] = (20.0 * slope - 12.0 * v0 - 8.0 * v1 - (3.0 * a0 - a1) * h) / (2.0 * h ** 2)
    c[rows, 4] = (-30.0 * slope + 16.0 * v0 + 14.0 * v1
                  + (3.0 * a0 - 2.0 * a1) * h) / (2.0 * h ** 3)
    c[rows, 5] = (12.0 * slope - 6.0 * (v0 + v1) - (a0 - a1) * h) / (2.0 * h ** 4)


def next_point(positions, velocities, accelerations):
    """Return held segments that show the point at their right end; missing fields are 0."""
    coefficients = np.zeros((len(positions) - 1, 6, positions.shape[1]))
    coefficients[:, 0] = positions[1:]
    coefficients[:, 1] = np.nan_to_num(velocities[1:])
    coefficients[:, 2] = 0.5 * np.nan_to_num(accelerations[1:])
    return coefficients, np.full(len(positions) - 1, HELD)


def linear(times, values):
    """Return the linear segments between N points: (N - 1, 2, n)."""
    return np.stack([values[:-1], np.diff(values, axis=0) / np.diff(times)[:, None]], axis=1)


def shifted(coefficients, x):
    """Return the same polynomials about a later origin: coefficients (S, d, n), x (S,) [s].

    c'_j = sum_i binomial(i, j) c_i x^(i - j): exact, so a segment can be cut anywhere.
    """
    out = coefficients.copy()
    moved = np.flatnonzero(x)
    degree, part, x = coefficients.shape[1], coefficients[moved], x[moved, None]
    for j in range(degree):
        row = np.zeros((len(moved), coefficients.shape[2]))
        for i in range(degree - 1, j - 1, -1):
            row = row * x + math.comb(i, j) * part[:, i]
        out[moved, j] = row
    return out


def derivatives(coefficients, x):
    """Return q, qd, qdd, each (M, n), of polynomials (M, 6, n) at x (M,), by Horner's rule."""
    x = x[:, None]
    out = tuple(np.zeros((len(x), coefficients.shape[2])) for _ in range(3))
    for i in range(5, -1, -1):
        c = coefficients[:, i]
        for order, factor in enumerate((1, i, i * (i - 1))):
            if i >= order:  # in place: the arrays stay in the cache
                out[order][:] *= x
                out[order][:] += factor * c
    return out


def polynomials(x, coefficients):
    """Return q, qd, qdd, n scalars each, at x by n coefficients of each power: to be compiled."""
    n, out = len(coefficients) // 6, []
    for order in range(3):
        for j in range(n):
            value = 0.0
            for i in range(5, order - 1, -1):    # Horner's rule
                value = value * x[0] + math.perm(i, order) * coefficients[i * n + j]
            out.append(value)
    return out
