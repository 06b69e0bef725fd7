# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Stable inversion: the torque with which the tip of a flexible link follows a path.

The tip first moves against the torque (non-minimum phase), so that integrating the inverse forward
in time diverges. The inverse has a stable and an unstable part: the first is integrated forward,
the second backward from the end. The torque then begins before the tip moves and ends after it
rests (Bayo 1987; Kwon and Book 1994; Devasia, Chen and Paden 1996). Off-line, for linear models
with one input and one output.
"""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from scipy.linalg import expm, null_space, schur, solve_sylvester

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.polynomials import quintic_hermite

if TYPE_CHECKING:
    from kane_dynamics.analysis.vibration.linearize import StateSpace

NEGLIGIBLE = 28.0      # time constants of the slowest zero before and after: exp(-28) = 7e-13
ON_THE_AXIS = 1e-6     # fraction of the largest zero: a smaller real part does not decay


class Inversion(NamedTuple):
    """Torque and states at times t (N,) [s], from before the tip moves until after it rests."""

    t: FloatArray
    torque: FloatArray     # (N,)
    states: FloatArray     # (N, n) of the linear model
    before: float          # [s] from the start of the torque to that of the tip's motion
    after: float           # [s] from the end of the tip's motion to that of the torque


def invert_tip(system: StateSpace | tuple[ArrayLike, ...],
               path: Callable[[FloatArray], tuple[ArrayLike, ArrayLike, ArrayLike]],
               duration: float, dt: float = 1e-3) -> Inversion:
    """Return the Inversion: torque and states with which the output follows the path.

    system: A (n, n), B (n, 1), C (1, n) and D of x' = A x + B u, y = C x, as from `linearize` for
    one joint and one row of C. path(t): y, y' and y'' at times t (N,), at rest before 0 and after
    `duration` [s]. dt: time step of the result [s].
    """
    A, B, C = (np.asarray(matrix, dtype=np.float64) for matrix in tuple(system)[:3])
    n = len(A)
    if A.shape != (n, n) or B.shape != (n, 1) or C.shape != (1, n):
        raise InputError(f'invert_tip needs one input and one output: A (n, n), B (n, 1), C '
                         f'(1, n); got {A.shape}, {B.shape}, {C.shape}')
    gain = (C @ A @ B).item()
    if abs((C @ B).item()) > 1e-9 * np.linalg.norm(C) * np.linalg.norm(B) or gain == 0.0:
        raise InputError('invert_tip needs an output whose second derivative the torque enters')
    internal = _InternalDynamics(A, B, C)
    before, after = internal.windows()
    steps = [int(np.ceil(span / dt)) for span in (before, duration, after)]
    t = dt * np.arange(-steps[0], steps[1] + steps[2] + 1, dtype=np.float64)
    output = np.stack([np.asarray(row, dtype=np.float64) for row in path(t)], axis=1)   # (N, 3)
    states = internal.states(output, dt)
    # y'' = C A^2 x + C A B u
    torque = (output[:, 2] - states @ (C @ A @ A).ravel()) / gain
    return Inversion(t, torque, states, steps[0] * dt, steps[2] * dt)


class _InternalDynamics:
    """Motion that does not appear in the output: z' = Z z + W (y, y'), x = P z + Q (y, y')."""

    def __init__(self, A: FloatArray, B: FloatArray, C: FloatArray) -> None:
        output = np.vstack([C, C @ A])                     # (y, y')
        # coordinates z = S x that the input does not enter, S B = 0, in addition to y and y'
        S = null_space(np.hstack([B, np.linalg.pinv(output)[:, :1]]).T).T
        basis = np.linalg.inv(np.vstack([output, S]))
        self.Q, self.P = basis[:, :2], basis[:, 2:]
        # z' = S A x (+ S B u = 0); y'' enters through B only
        self.Z, self.W = S @ A @ self.P, S @ A @ self.Q
        self.zeros = np.linalg.eigvals(self.Z)
        slow = abs(self.zeros.real).min()
        if slow <= ON_THE_AXIS * abs(self.zeros).max():
            raise InputError('the zeros of this output lie on the imaginary axis: its inverse '
                             'decays neither forward nor backward; choose another output, or '
                             f'give the link damping (zeros {np.round(self.zeros, 4).tolist()})')

    def windows(self) -> tuple[float, float]:
        """Return the times [s] by which the torque begins before and ends after the motion."""
        right, left = self.zeros.real[self.zeros.real > 0.0], self.zeros.real[self.zeros.real < 0]
        return (NEGLIGIBLE / right.min() if len(right) else 0.0,
                NEGLIGIBLE / -left.max() if len(left) else 0.0)

    def states(self, output: FloatArray, dt: float) -> FloatArray:
        """Return the model's state for y, y', y'' (N, 3), as rows (N, n)."""
        T, U, split = schur(self.Z, sort='lhp')
        stable, unstable = T[:split, :split], T[split:, split:]
        # T = [[stable, X], [0, unstable]] made block diagonal
        Y = solve_sylvester(stable, -unstable, -T[:split, split:])
        forcing = U.T @ self.W
        onward = forcing[:split] - Y @ forcing[split:]
        forward = _response(stable, onward, output, dt)
        # backward in time t = -s: rates change sign
        signs, reverse = np.array([-1.0, 1.0]), output[::-1] * np.array([1.0, -1.0, 1.0])
        backward = _response(-unstable, forcing[split:] * signs, reverse, dt)[:, ::-1]
        z = U @ np.vstack([forward + Y @ backward, backward])
        return (self.P @ z + self.Q @ output[:, :2].T).T


def _response(matrix: FloatArray, weights: FloatArray, output: FloatArray,
              dt: float) -> FloatArray:
    """Integrate z' = matrix z + weights (y, y') from rest to z (m, N), for samples (N, 3) of y.

    Between samples y is the polynomial of degree five through y, y', y'' at both ends; its
    response is exact: h sum_j j! phi_{j+1}(matrix h) f_j s^j with the phi functions of the
    exponential, found as blocks of one exponential.
    """
    m = len(matrix)
    z = np.zeros((m, len(output)))
    if m == 0:
        return z
    block = np.zeros((7 * m, 7 * m))
    block[:m, :m] = matrix * dt
    block[:-m, m:] += np.eye(6 * m)
    grown = expm(block)
    decay = grown[:m, :m]
    a = _quintics(output, dt)                              # (6, N - 1): in powers of s = t / dt
    rates = np.arange(1, 6)[:, None] * a[1:] / dt
    increments = np.zeros((m, len(output) - 1))
    for j in range(6):
        forcing = weights[:, :1] * a[j] + (weights[:, 1:] * rates[j] if j < 5 else 0.0)
        phi = grown[:m, (j + 1) * m:(j + 2) * m] * (dt * math.factorial(j))
        increments += phi @ forcing
    z[:, 0] = -np.linalg.solve(matrix, weights @ output[0, :2])   # at rest under the first y
    for k in range(len(output) - 1):
        z[:, k + 1] = decay @ z[:, k] + increments[:, k]
    return z


def _quintics(output: FloatArray, h: float) -> FloatArray:
    """Return coefficients (6, N - 1) of the polynomials between samples (N, 3) of y, y', y''."""
    y, v, a = output.T * np.array([[1.0], [h], [h * h]])
    return np.stack([y[:-1], v[:-1],
                     *quintic_hermite(np.diff(y), v[:-1], v[1:], a[:-1], a[1:])])
