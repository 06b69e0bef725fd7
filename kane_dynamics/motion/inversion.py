# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The torque that makes the tip of a flexible link follow a path: stable inversion.

The tip answers to the torque in the wrong direction first, so that solving for the torque forward
in time runs away. The inverse has a stable and an unstable half: the first is integrated forward,
the second backward from the end. The torque then begins before the tip moves and ends after it
rests (Bayo 1987; Kwon and Book 1994; Devasia, Chen and Paden 1996). Off-line, and for a linear
model: one input, one output.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import expm, null_space, schur, solve_sylvester

from kane_dynamics.exceptions import InputError

NEGLIGIBLE = 28.0      # exp(-28) = 7e-13: so many time constants of the slowest zero are waited
ON_THE_AXIS = 1e-6     # of the largest zero: a real part below it does not decay


class Inversion(NamedTuple):
    """What to do, at times t (N,) [s], from before the tip moves until after it rests."""

    t: np.ndarray
    torque: np.ndarray     # (N,)
    states: np.ndarray     # (N, n) of the linear model
    before: float          # [s] how long before the tip's motion the torque begins
    after: float           # [s]


def invert_tip(system, path, duration, dt=1e-3):
    """Return the Inversion: torque and states with which the output follows the path.

    system: A (n, n), B (n, 1), C (1, n) and D of x' = A x + B u, y = C x, as from `linearize` for
    one joint and one row of C. path(t): y, y' and y'' at times t (N,), at rest before 0 and after
    `duration` [s]. dt: of the result [s].
    """
    A, B, C = (np.asarray(matrix, dtype=float) for matrix in tuple(system)[:3])
    n = len(A)
    if A.shape != (n, n) or B.shape != (n, 1) or C.shape != (1, n):
        raise InputError(f'invert_tip needs one input and one output: A (n, n), B (n, 1), C '
                         f'(1, n); got {A.shape}, {B.shape}, {C.shape}')
    gain = (C @ A @ B).item()
    if abs((C @ B).item()) > 1e-9 * np.linalg.norm(C) * np.linalg.norm(B) or gain == 0.0:
        raise InputError('invert_tip needs an output whose second derivative the torque enters')
    inner = _Internal(A, B, C, gain)
    before, after = inner.windows()
    steps = [int(np.ceil(span / dt)) for span in (before, duration, after)]
    t = dt * np.arange(-steps[0], steps[1] + steps[2] + 1)
    wanted = np.stack([np.asarray(row, dtype=float) for row in path(t)], axis=1)     # (N, 3)
    states = inner.states(wanted, dt)
    # y'' = C A^2 x + C A B u
    torque = (wanted[:, 2] - states @ (C @ A @ A).ravel()) / gain
    return Inversion(t, torque, states, steps[0] * dt, steps[2] * dt)


class _Internal:
    """The motion that the output does not show: z' = Z z + W (y, y', y''), x = P z + Q (y, y')."""

    def __init__(self, A, B, C, gain):
        output = np.vstack([C, C @ A])                     # (y, y')
        # coordinates z = S x that the input does not enter, S B = 0, beside y and y'
        S = null_space(np.hstack([B, np.linalg.pinv(output)[:, :1]]).T).T
        basis = np.linalg.inv(np.vstack([output, S]))
        self.Q, self.P = basis[:, :2], basis[:, 2:]
        # z' = S A x (+ S B u = 0); y'' enters through B only
        self.Z, self.W = S @ A @ self.P, S @ A @ self.Q
        self.zeros = np.linalg.eigvals(self.Z)
        slow = abs(self.zeros.real).min()
        if slow <= ON_THE_AXIS * abs(self.zeros).max():
            raise InputError('the zeros of this output lie on the imaginary axis: its inverse '
                             'neither decays forward nor backward; choose another output, or '
                             f'give the link damping (zeros {np.round(self.zeros, 4).tolist()})')

    def windows(self):
        """Return the times [s] before and after the motion that the torque needs."""
        right, left = self.zeros.real[self.zeros.real > 0.0], self.zeros.real[self.zeros.real < 0]
        return (NEGLIGIBLE / right.min() if len(right) else 0.0,
                NEGLIGIBLE / -left.max() if len(left) else 0.0)

    def states(self, wanted, dt):
        """Return the (N, n) states that go with y, y', y'' (N, 3)."""
        T, U, split = schur(self.Z, sort='lhp')
        stable, unstable = T[:split, :split], T[split:, split:]
        # T = [[stable, X], [0, unstable]] made block diagonal: X = unstable part seen by the other
        Y = solve_sylvester(stable, -unstable, -T[:split, split:])
        forcing = U.T @ self.W
        onward = forcing[:split] - Y @ forcing[split:]
        forward = _driven(stable, onward, wanted, dt)
        # backward in time t = -s: rates change sign
        there, back = np.array([-1.0, 1.0]), wanted[::-1] * [1.0, -1.0, 1.0]
        backward = _driven(-unstable, forcing[split:] * there, back, dt)[:, ::-1]
        z = U @ np.vstack([forward + Y @ backward, backward])
        return (self.P @ z + self.Q @ wanted[:, :2].T).T


def _driven(matrix, weights, wanted, dt):
    """Return z (m, N) of z' = matrix z + weights (y, y'), from rest, for samples (N, 3) of y.

    Between samples y is the polynomial of degree five through y, y', y'' at both ends; its
    response is exact: h sum_j j! phi_{j+1}(matrix h) f_j s^j with the phi functions of the
    exponential, found as blocks of one exponential.
    """
    m = len(matrix)
    z = np.zeros((m, len(wanted)))
    if m == 0:
        return z
    block = np.zeros((7 * m, 7 * m))
    block[:m, :m] = matrix * dt
    block[:-m, m:] += np.eye(6 * m)
    grown = expm(block)
    decay = grown[:m, :m]
    a = _quintics(wanted, dt)                              # (6, N - 1): in powers of s = t / dt
    rates = np.arange(1, 6)[:, None] * a[1:] / dt
    pushes = 0.0
    for j in range(6):
        forcing = weights[:, :1] * a[j] + (weights[:, 1:] * rates[j] if j < 5 else 0.0)
        phi = grown[:m, (j + 1) * m:(j + 2) * m] * (dt * math.factorial(j))
        pushes = pushes + phi @ forcing
    z[:, 0] = -np.linalg.solve(matrix, weights @ wanted[0, :2])   # at rest under the first y
    for k in range(len(wanted) - 1):
        z[:, k + 1] = decay @ z[:, k] + pushes[:, k]
    return z


def _quintics(wanted, h):
    """Return coefficients (6, N - 1) of the polynomials between samples (N, 3) of y, y', y''."""
    y, v, a = wanted.T * np.array([[1.0], [h], [h * h]])
    rise = np.diff(y)
    v0, v1, a0, a1 = v[:-1], v[1:], a[:-1], a[1:]
    return np.stack([y[:-1], v0, a0 / 2,
                     10 * rise - 6 * v0 - 4 * v1 - (3 * a0 - a1) / 2,
                     -15 * rise + 8 * v0 + 7 * v1 + (3 * a0 - 2 * a1) / 2,
                     6 * rise - 3 * (v0 + v1) - (a0 - a1) / 2])
