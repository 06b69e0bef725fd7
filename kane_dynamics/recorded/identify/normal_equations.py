# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Least squares over recordings of any length: normal equations and the level of the residuals.

Data are read in blocks and never kept. There is one set of normal equations per joint, so that
the weights of the joints can be chosen afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import numpy as np

from kane_dynamics.numerics.array_types import FloatArray, IntArray
from kane_dynamics.recorded.evaluate import measured_effort
from kane_dynamics.trajectory.motion import Motion

BLOCK = 4096    # samples whose regressors are in memory at once
# Smallest residuals, as fractions of the r.m.s. torque of the joint itself and of the largest one.
# Simulated recordings have smaller ones; the round-off of the data would then exceed the prior.
FINEST, FINEST_OF_LARGEST = 1e-4, 1e-5
LONGEST = 1.0   # [s] longest mean of `ResidualScales`


def effort_blocks(motions: Iterable[Motion],
                  error_factor: float = 0.0) -> Iterator[tuple[Motion, FloatArray]]:
    """Yield Motions of at most BLOCK samples with their measured effort (N, n).

    error_factor: multiple of the sampled errors to add to q, qd, qdd.
    """
    for motion in motions:
        effort = measured_effort(motion)
        state = np.stack([motion.q, motion.qd, motion.qdd])
        if error_factor and motion.errors is not None:
            state = state + error_factor * motion.errors
        for k in range(0, len(motion), BLOCK):
            rows = slice(k, k + BLOCK)
            q, qd, qdd = state[:, rows]
            yield Motion(motion.t[rows], q, qd, qdd, effort[rows]), effort[rows]


def have_errors(motions: Iterable[Motion]) -> bool:
    """Return whether the first of some Motions has a sample of its errors."""
    return any(motion.errors is not None for motion in islice(motions, 1))


def error_bias(theta: FloatArray, fit: Callable[[float], FloatArray]) -> FloatArray:
    """Return the bias (P,) of a fit theta (P,) that errors of the recorded motion cause.

    fit(factor): the fit with `factor` times the sampled errors added. Errors of the regressor bias
    least squares. Fits with further errors, of twice and three times the variance in all, are
    extrapolated to none by a parabola (SIMEX; Cook and Stefanski 1994). The mean over both signs
    of the further errors cancels odd effects.
    """
    twice, thrice = (0.5 * (fit(factor) + fit(-factor)) for factor in (1.0, 2.0**0.5))
    # theta - theta(0), theta(0) = 3 theta - 3 theta(2) + theta(3), in multiples of the variance
    return 3.0 * twice - thrice - 2.0 * theta


class NormalEquations:
    """Accumulate Y pi + X_j phi_j = y_j for n joints: parameters [pi (m,), phi (n, terms)].

    G (n, p, p), g (n, p), yy (n,) with p = m + terms: X' X, X' y and y' y of each joint alone.
    """

    def __init__(self, n: int, m: int, terms: int) -> None:
        self.n, self.m, self.terms = n, m, terms
        p = m + terms
        self.G, self.g, self.yy = np.zeros((n, p, p)), np.zeros((n, p)), np.zeros(n)
        self.count = 0

    @property
    def size(self) -> int:
        """Return the number of parameters of all joints together."""
        return self.m + self.n * self.terms

    def add(self, Y: FloatArray, X: FloatArray, y: FloatArray) -> None:
        """Add a block: Y (N, n, m), X (N, n, terms), y (N, n)."""
        for j in range(self.n):
            rows = np.hstack([Y[:, j], X[:, j]])
            self.G[j] += rows.T @ rows
            self.g[j] += rows.T @ y[:, j]
        self.yy += np.einsum('ij,ij->j', y, y)
        self.count += len(y)

    @property
    def least_variances(self) -> FloatArray:
        """Return the smallest mean squares (n,) assumed of the residuals."""
        squares = self.yy / max(self.count, 1)
        least = np.maximum(FINEST**2 * squares, FINEST_OF_LARGEST**2 * squares.max())
        return np.where(least > 0.0, least, 1.0)

    def columns(self, j: int) -> IntArray:
        """Return the indices of the parameters of joint j among all."""
        return np.r_[:self.m, self.m + j * self.terms:self.m + (j + 1) * self.terms]

    def weighted(self, variances: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return A (P, P) and b (P,) of sum over joints of |residual_j|^2 / variance_j."""
        A, b = np.zeros((self.size, self.size)), np.zeros(self.size)
        for j in range(self.n):
            columns = self.columns(j)
            A[np.ix_(columns, columns)] += self.G[j] / variances[j]
            b[columns] += self.g[j] / variances[j]
        return A, b

    def free_variances(self) -> FloatArray:
        """Return the residual mean square (n,) of each joint fitted alone."""
        found = np.zeros(self.n)
        for j in range(self.n):
            scale = 1.0 / np.sqrt(np.maximum(np.diag(self.G[j]), 1e-300))
            x = np.linalg.lstsq(self.G[j] * np.outer(scale, scale), scale * self.g[j],
                                rcond=1e-12)[0]
            found[j] = self.yy[j] - x @ (scale * self.g[j])
        return np.maximum(found / max(self.count, 1), self.least_variances)


class ResidualScales:
    """Level c (n,) [effort^2] of correlated residuals, accumulated in blocks.

    The variance of a mean of k samples is c/k for large k, with c the residual's level at low
    frequencies, where motion is; for independent samples c is their variance. Model errors are
    correlated for a second and more, and intervals that count samples are then far too narrow. c
    is the largest k var(mean of k) for k = 1, 2, 4, ... samples up to a second (batch means; Law
    and Carson 1979).
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self._sums: dict[int, FloatArray] = {}
        self._counts: dict[int, int] = {}

    def add(self, t: FloatArray, residual: FloatArray) -> None:
        """Add a block of residuals (N, n) at times t (N,) [s] without gaps."""
        if len(t) < 2:
            return
        most = min(len(t), max(1, int(LONGEST / np.median(np.diff(t)))))
        k = 1
        while k <= most:
            groups = len(t) // k
            means = residual[:groups * k].reshape(groups, k, self._n).mean(axis=1)
            self._sums[k] = self._sums.get(k, np.zeros(self._n)) + k * (means**2).sum(axis=0)
            self._counts[k] = self._counts.get(k, 0) + groups
            k *= 2

    @property
    def level(self) -> FloatArray:
        """Return c (n,)."""
        return np.max([self._sums[k] / self._counts[k] for k in self._sums], axis=0)

    @property
    def variance(self) -> FloatArray:
        """Return the mean square of single residuals (n,)."""
        return self._sums[1] / self._counts[1]
