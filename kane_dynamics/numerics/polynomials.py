# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Hermite polynomials: the cubic and the quintic between two points with given derivatives.

A segment of length h is q(x) = c0 + c1 x + c2 x^2 + ... for x from 0 to h. Its lowest two
coefficients are c0 = q(0) and c1 = q'(0); the functions below return the others. `slope` is
(q(h) - q(0)) / h. All arguments are scalars or arrays that broadcast.
"""

from __future__ import annotations

from typing import TypeAlias

from kane_dynamics.numerics.array_types import FloatArray

# A quantity and its first two derivatives.
Derivatives: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]


def cubic_hermite(slope: FloatArray, v0: FloatArray, v1: FloatArray,
                  h: FloatArray | float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Return c2, c3 of the cubic with velocities v0, v1 at its ends."""
    return (3.0 * slope - 2.0 * v0 - v1) / h, (v0 + v1 - 2.0 * slope) / h ** 2


def quintic_hermite(
        slope: FloatArray, v0: FloatArray, v1: FloatArray, a0: FloatArray, a1: FloatArray,
        h: FloatArray | float = 1.0) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return c2, ..., c5 of the quintic with velocities v0, v1 and accelerations a0, a1."""
    return (0.5 * a0,
            (20.0 * slope - 12.0 * v0 - 8.0 * v1 - (3.0 * a0 - a1) * h) / (2.0 * h ** 2),
            (-30.0 * slope + 16.0 * v0 + 14.0 * v1 + (3.0 * a0 - 2.0 * a1) * h) / (2.0 * h ** 3),
            (12.0 * slope - 6.0 * (v0 + v1) - (a0 - a1) * h) / (2.0 * h ** 4))
