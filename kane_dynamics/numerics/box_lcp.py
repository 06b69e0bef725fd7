# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Box-constrained linear complementarity problem: forces within bounds."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.numerics.array_types import FloatArray, IntArray

INSIDE, LOW, HIGH = 0, -1, 1
ROUNDING = 1e-13                # of the sizes of the terms that are summed


def solve_box_lcp(A: FloatArray, b: FloatArray, low: FloatArray,
                  high: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return x within its bounds, w = A x + b, and the side (LOW, INSIDE, HIGH) of each x.

        low <= x <= high;    x = low -> w >= 0,    x = high -> w <= 0,    between -> w = 0.

    A (n, n) is symmetric positive definite, so there is one solution: it also minimizes
    x.A x / 2 + b.x in the box. Found by block principal pivoting (Judice and Pires 1994): all
    wrong guesses change side at once while that helps, else only the last one (Murty 1974), which
    terminates for every such A.
    """
    n = len(b)
    side = np.full(n, INSIDE)
    fewest, patience = n + 1, 10
    for _ in range(50 + 2**min(n, 12)):
        x = np.where(side == LOW, low, np.where(side == HIGH, high, 0.0))
        inside = side == INSIDE
        if inside.any():
            known = b[inside] + A[np.ix_(inside, ~inside)] @ x[~inside]
            x[inside] = -np.linalg.solve(A[np.ix_(inside, inside)], known)
        w = A @ x + b
        w[inside] = 0.0
        slack = ROUNDING * (abs(A) @ abs(x) + abs(b))
        room = ROUNDING * abs(x)
        turned = np.where(inside & (x < low - room), LOW,
                          np.where(inside & (x > high + room), HIGH, side))
        turned[(side == LOW) & (w < -slack) | (side == HIGH) & (w > slack)] = INSIDE
        wrong = np.flatnonzero(turned != side)
        if not len(wrong):
            return np.clip(x, low, high), w, side
        if len(wrong) < fewest:
            fewest, patience = len(wrong), 10
        else:
            patience -= 1
        if patience < 0:
            wrong = wrong[-1:]
        side[wrong] = turned[wrong]
    raise KaneDynamicsError('contact forces were not found; is the mass matrix positive definite? '
                            f'A = {A.tolist()}, b = {b.tolist()}')
