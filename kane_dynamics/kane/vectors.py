# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Vector algebra on any scalar type."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from kane_dynamics.kane.scalar import ScalarArray

Motion: TypeAlias = tuple[ScalarArray, ScalarArray, ScalarArray]    # w, alpha, a of a body
Pair: TypeAlias = tuple[ScalarArray, ScalarArray]                   # a force and its moment F, N
Pose: TypeAlias = tuple[ScalarArray, ScalarArray]                   # R (3, 3) and p (3,)

ZERO: ScalarArray = np.zeros(3)


def cross(a: ScalarArray, b: ScalarArray) -> ScalarArray:
    """Return a x b."""
    return np.array([a[1] * b[2] - a[2] * b[1],
                     a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]])


def skew(a: ScalarArray) -> ScalarArray:
    """Return the matrix [a]x of the cross product with a."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def spin_matrix(w: ScalarArray, alpha: ScalarArray) -> ScalarArray:
    """Return U = [alpha]x + [w]x [w]x: a point at r has the acceleration a + U r."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return np.array([[-(yy + zz), xy - alpha[2], xz + alpha[1]],
                     [xy + alpha[2], -(xx + zz), yz - alpha[0]],
                     [xz - alpha[1], yz + alpha[0], -(xx + yy)]])


def inertia_matrix(S: ScalarArray) -> ScalarArray:
    """Return I = tr(S) 1 - S, the inertia about the origin, from second mass moments."""
    return np.array([[S[1, 1] + S[2, 2], -S[0, 1], -S[0, 2]],
                     [-S[0, 1], S[0, 0] + S[2, 2], -S[1, 2]],
                     [-S[0, 2], -S[1, 2], S[0, 0] + S[1, 1]]])
