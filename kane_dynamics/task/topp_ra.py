# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Time-optimal speeds along a path under linear limits, by reachability analysis (TOPP-RA).

On a grid x_0 < ... < x_N the unknowns are u = x'^2 at the points and the acceleration alpha = x''
between them, held constant: u_{i+1} = u_i + 2 (x_{i+1} - x_i) alpha_i. Limits are rows
  A alpha + B u <= C,   0 <= u <= top,
which hold at both ends of each interval with its alpha. A backward pass finds from which u the end
can still be reached, a forward pass takes the largest alpha within these (Pham and Pham 2018).
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

SMALL = 1e-12       # coefficients, of rows scaled to one, that count as zero


class BlockedError(KaneDynamicsError):
    """No speed, not even zero, meets the limits at a grid point `index`."""

    def __init__(self, index: int) -> None:
        super().__init__(f'no speed meets the limits at grid point {index}')
        self.index = index


def fastest(x: FloatArray, A: FloatArray, B: FloatArray, C: FloatArray, top: ArrayLike,
            first: float = 0.0, last: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Return u (N + 1,) and alpha (N,) of the fastest motion along grid points x (N + 1,).

    A, B, C (N, 2, m): rows of limits at both ends of each interval; top (N + 1,): the largest u,
    may be inf; first, last: u at the ends.
    """
    h = 2.0 * np.diff(x)
    rows = [_interval_rows(*each) for each in zip(h, A, B, C)]
    low, high = np.zeros(len(x)), np.array(top, dtype=float)
    low[-1] = high[-1] = last
    for i in reversed(range(len(h))):
        low[i], high[i] = _startable(rows[i], h[i], low[i + 1], high[i + 1], high[i])
        if low[i] > high[i]:
            raise BlockedError(i)
    u, alpha = np.empty(len(x)), np.empty(len(h))
    u[0] = first
    if not low[0] - SMALL <= first <= high[0] * (1.0 + 1e-9) + SMALL:
        raise BlockedError(0)
    for i in range(len(h)):
        if high[i] <= 0.0 < i:                              # blocked here
            raise BlockedError(i)
        a, b, c = rows[i]
        rising = a > SMALL
        most = np.min((c[rising] - b[rising] * u[i]) / a[rising], initial=np.inf)
        most = min(most, (high[i + 1] - u[i]) / h[i])
        u[i + 1] = min(max(u[i] + h[i] * most, low[i + 1]), high[i + 1])
        if u[i] <= 0.0 >= u[i + 1]:                         # at rest at both ends
            raise BlockedError(i)
        alpha[i] = (u[i + 1] - u[i]) / h[i]
    return u, alpha


def _interval_rows(h: float, A: FloatArray, B: FloatArray,
                   C: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the rows in (alpha, u_i) of both ends of an interval, scaled to a largest of one."""
    a = np.concatenate([A[0], A[1] + h * B[1]])
    b, c = B.reshape(-1), C.reshape(-1)
    # comparable sizes: alpha counts by what it changes u by
    size = np.maximum(np.maximum(abs(a) / h, abs(b)), 1e-300)
    return a / size, b / size, c / size


def _startable(rows: tuple[FloatArray, FloatArray, FloatArray], h: float, low_next: float,
               high_next: float, top: float) -> tuple[float, float]:
    """Return the least and largest u from which u + h alpha can be within [low, high] next.

    alpha is eliminated (Fourier and Motzkin): each row that bounds it from above is paired with
    each that bounds it from below; rows without it bound u directly.
    """
    a, b, c = rows
    # alpha <= (high - u) / h and alpha >= (low - u) / h
    a = np.concatenate([a / h, [1.0, -1.0]])                # alpha h is the unknown from here on
    b = np.concatenate([b, [1.0, -1.0]])
    c = np.concatenate([c, [high_next, -low_next]])
    above, below, flat = a > SMALL, a < -SMALL, abs(a) <= SMALL
    slope_above, start_above = b[above] / a[above], c[above] / a[above]
    slope_below, start_below = b[below] / a[below], c[below] / a[below]
    # start_below - slope_below u <= start_above - slope_above u
    coefficient = np.concatenate([(slope_above[:, None] - slope_below).reshape(-1), b[flat]])
    bound = np.concatenate([(start_above[:, None] - start_below).reshape(-1), c[flat]])
    up, down = coefficient > SMALL, coefficient < -SMALL
    high = min(np.min(bound[up] / coefficient[up], initial=np.inf), top)
    low = max(np.max(bound[down] / coefficient[down], initial=0.0), 0.0)
    still = ~(up | down)
    if (bound[still] < -1e-9 * (1.0 + abs(bound).max())).any():
        return 1.0, 0.0
    if low > high and low - high < 1e-9 * (1.0 + abs(high)):    # rounding where both meet
        low = high
    return low, high
