# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Segment polynomials: linear, cubic or quintic, by the fields that both end points carry.

A segment is q(x) = c0 + c1 x + ... + c5 x^5 with x the time since its left knot [s]. Its order is
1, 3 or 5 (linear, cubic, quintic), or 0 when it is held: then x stays 0 and q, qd, qdd are c0, c1,
2 c2.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

import numpy as np

from kane_dynamics.numerics.array_types import BoolArray, FloatArray, IntArray
from kane_dynamics.numerics.polynomials import cubic_hermite, Derivatives, quintic_hermite

HELD, LINEAR, CUBIC, QUINTIC = 0, 1, 3, 5


def carried(rows: FloatArray) -> BoolArray:
    """Return which points carry a field: (N,) bool; a row of NaN is a point without it."""
    return ~np.isnan(rows[:, 0])


def hermite(times: FloatArray, positions: FloatArray, velocities: FloatArray,
            accelerations: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the segments between N points, by the fields of both ends, and their orders.

    times (N,) [s]; positions, velocities, accelerations (N, n), NaN rows where a point carries
    none. Returns coefficients (N - 1, 6, n) and orders (N - 1,). The rule is that of
    joint_trajectory_controller: positions only - linear; with velocities - cubic; with velocities
    and accelerations - quintic.
    """
    count, n = positions.shape
    coefficients = np.zeros((count - 1, 6, n))
    orders = np.full(count - 1, LINEAR)
    if count < 2:
        return coefficients, orders
    with_velocity = carried(velocities)
    with_acceleration = with_velocity & carried(accelerations)
    cubic = with_velocity[:-1] & with_velocity[1:]
    orders[cubic] = CUBIC
    orders[with_acceleration[:-1] & with_acceleration[1:]] = QUINTIC

    h = np.diff(times)[:, None]
    slope = np.diff(positions, axis=0) / h
    coefficients[:, 0] = positions[:-1]
    coefficients[:, 1] = np.where(cubic[:, None], velocities[:-1], slope)
    for order in (CUBIC, QUINTIC):
        chosen = orders == order
        if not chosen.any():
            continue
        # a view: no copies for the usual trajectory of one kind
        rows: BoolArray | slice = slice(None) if chosen.all() else chosen
        ends = slope[rows], velocities[:-1][rows], velocities[1:][rows]
        if order == CUBIC:
            higher: tuple[FloatArray, ...] = cubic_hermite(*ends, h[rows])
        else:
            higher = quintic_hermite(*ends, accelerations[:-1][rows], accelerations[1:][rows],
                                     h[rows])
        for power, values in enumerate(higher, start=2):
            coefficients[rows, power] = values
    return coefficients, orders


def next_point(positions: FloatArray, velocities: FloatArray,
               accelerations: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return held segments with the values of the point at their right end; missing ones are 0."""
    coefficients = np.zeros((len(positions) - 1, 6, positions.shape[1]))
    coefficients[:, 0] = positions[1:]
    coefficients[:, 1] = np.nan_to_num(velocities[1:])
    coefficients[:, 2] = 0.5 * np.nan_to_num(accelerations[1:])
    return coefficients, np.full(len(positions) - 1, HELD)


def linear(times: FloatArray, values: FloatArray) -> FloatArray:
    """Return the linear segments between N points: (N - 1, 2, n)."""
    return np.stack([values[:-1], np.diff(values, axis=0) / np.diff(times)[:, None]], axis=1)


def shifted(coefficients: FloatArray, x: FloatArray) -> FloatArray:
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


def derivatives(coefficients: FloatArray, x: FloatArray) -> Derivatives:
    """Return q, qd, qdd, each (M, n), of polynomials (M, 6, n) at x (M,), by Horner's rule."""
    x = x[:, None]
    q, qd, qdd = (np.zeros((len(x), coefficients.shape[2])) for _ in range(3))
    for i in range(5, -1, -1):
        c = coefficients[:, i]
        for order, (out, factor) in enumerate(((q, 1), (qd, i), (qdd, i * (i - 1)))):
            if i >= order:  # in place: the arrays stay in the cache
                out *= x
                out += factor * c
    return q, qd, qdd


def polynomials(x: Sequence[Any], coefficients: Sequence[Any]) -> list[Any]:
    """Return q, qd, qdd, n scalars each, at x by n coefficients of each power: to be compiled."""
    n, out = len(coefficients) // 6, []
    for order in range(3):
        for j in range(n):
            value = 0.0
            for i in range(5, order - 1, -1):    # Horner's rule
                value = value * x[0] + math.perm(i, order) * coefficients[i * n + j]
            out.append(value)
    return out
