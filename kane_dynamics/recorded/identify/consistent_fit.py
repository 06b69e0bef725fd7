# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Least squares constrained to physically consistent bodies and friction.

Minimize  theta' A theta / 2 - b' theta + prior sum_i D(J_i | J0_i)  over all theta whose bodies
have positive definite pseudo-inertias J_i and whose friction is not negative, with

    D(J | J0) = tr(J0^-1 J) - log det(J0^-1 J) - 4

the log-determinant divergence from the inertias of the URDF (Lee, Wensing and Park 2020). D is
infinite where J ceases to be positive definite, so that it is prior and barrier in one. The
problem is convex; a damped Newton method solves it without a solver of semidefinite programs. A
prior of weight 1 counts as much as one sample of noise: the data determine the parameters that
they identify, the others stay as in the URDF.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, BoolArray, FloatArray
from kane_dynamics.recorded.identify.pseudo_inertia import BASIS, parameters_of, pseudo_inertia

BARRIERS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)   # weights that keep friction positive
STEPS = 100
DONE = 1e-9          # Newton decrement at the end: possible decrease of the cost, in noise units


def reference_inertias(pi: ArrayLike) -> FloatArray:
    """Return J0 (B, 4, 4) for pi (10 B,), made positive definite where the URDF's are not.

    A massless body gets one gram and a point mass a radius of one millimetre, so that the fit has
    a start inside the feasible set.
    """
    found = []
    for block in np.asarray(pi).reshape(-1, 10):
        J = pseudo_inertia(block)
        mass = max(J[3, 3], 1e-3)
        centre = J[:3, 3] / mass if J[3, 3] > 1e-3 else np.zeros(3)
        S = J[:3, :3] - mass * np.outer(centre, centre)
        values, vectors = np.linalg.eigh(S)
        values = np.maximum(values, max(mass * 1e-6, 1e-4 * values.max()))
        J = np.zeros((4, 4))
        J[:3, :3] = vectors @ np.diag(values) @ vectors.T + mass * np.outer(centre, centre)
        J[:3, 3] = J[3, :3] = mass * centre
        J[3, 3] = mass
        found.append(J)
    return np.array(found).reshape(-1, 4, 4)


class ConsistentFit:
    """The problem above for B bodies and further parameters, some of which are positive.

    Args:
        references: J0 (B, 4, 4); theta begins with the 10 parameters of each.
        further: (K,) initial values of the further parameters.
        positive: (K,) which of them must stay positive; their initial values are positive.
        prior: the weight of D.
    """

    def __init__(self, references: FloatArray, further: FloatArray, positive: BoolArray,
                 prior: float = 1.0) -> None:
        if not prior > 0.0:
            raise InputError(f'prior must be positive, got {prior}')
        self.bodies, self.prior = len(references), prior
        self._inverse = np.linalg.inv(references) if self.bodies else np.zeros((0, 4, 4))
        self._slopes = np.einsum('bij,kji->bk', self._inverse, BASIS)
        start = np.array([parameters_of(J) for J in references]).reshape(-1)
        self.start = np.concatenate([start, further])
        self._positive = 10 * self.bodies + np.flatnonzero(positive)
        self._scale = self.start[self._positive]
        if (self._scale <= 0.0).any():
            raise InputError('parameters that must be positive start from '
                             f'{self._scale.min():g}')

    def solve(self, A: FloatArray, b: FloatArray) -> FloatArray:
        """Return theta."""
        theta = self.start.copy()
        for weight in BARRIERS if len(self._positive) else BARRIERS[-1:]:
            theta = self._newton(theta, A, b, weight)
        return theta

    def prior_curvature(self, theta: FloatArray | None = None) -> FloatArray:
        """Return the second derivatives (P, P) of the prior at theta; None: at the reference."""
        theta = self.start if theta is None else theta
        H = np.zeros((len(theta), len(theta)))
        for k, J in enumerate(self._inertias(theta)):
            X = np.einsum('ij,kjl->kil', np.linalg.inv(J), BASIS)
            own = slice(10 * k, 10 * k + 10)
            H[own, own] = self.prior * np.einsum('kij,lji->kl', X, X)
        return H

    def _inertias(self, theta: FloatArray) -> FloatArray:
        return pseudo_inertia(theta[:10 * self.bodies].reshape(-1, 10))

    def _newton(self, theta: FloatArray, A: FloatArray, b: FloatArray,
                weight: float) -> FloatArray:
        value = self._value(theta, A, b, weight)
        for _ in range(STEPS):
            gradient, H = self._derivatives(theta, A, b, weight)
            step = -_solved(H, gradient)
            decrement = -gradient @ step
            if not decrement > max(DONE, 1e-13 * abs(value)):    # below that is round-off
                return theta
            length, found = 1.0, np.inf
            while not found <= value - 1e-4 * length * decrement:
                if length < 1e-12:
                    return theta        # round-off: no step improves
                found = self._value(theta + length * step, A, b, weight)
                length *= 0.5
            theta, value = theta + 2.0 * length * step, found
        return theta

    def _value(self, theta: FloatArray, A: FloatArray, b: FloatArray, weight: float) -> float:
        x = theta[self._positive]
        if (x <= 0.0).any():
            return np.inf
        value = 0.5 * theta @ A @ theta - b @ theta + weight * (
            x / self._scale - np.log(x)).sum()
        for k, J in enumerate(self._inertias(theta)):
            try:
                factor = np.linalg.cholesky(J)
            except np.linalg.LinAlgError:
                return np.inf
            value += self.prior * (self._slopes[k] @ theta[10 * k:10 * k + 10]
                                   - 2.0 * np.log(np.diag(factor)).sum())
        return float(value)

    def _derivatives(self, theta: FloatArray, A: FloatArray, b: FloatArray,
                     weight: float) -> tuple[FloatArray, FloatArray]:
        gradient, H = A @ theta - b, A + self.prior_curvature(theta)
        for k, J in enumerate(self._inertias(theta)):
            gradient[10 * k:10 * k + 10] += self.prior * (
                self._slopes[k] - np.einsum('ij,kji->k', np.linalg.inv(J), BASIS))
        own = self._positive
        gradient[own] += weight * (1.0 / self._scale - 1.0 / theta[own])
        H[own, own] += weight / theta[own]**2
        return gradient, H


def _solved(H: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return H^-1 gradient for an H that is positive definite up to round-off."""
    scale = 1.0 / np.sqrt(np.diag(H))
    values, vectors = np.linalg.eigh(H * np.outer(scale, scale))
    values = np.maximum(values, 1e-15 * values[-1])
    return scale * (vectors @ (vectors.T @ (scale * gradient) / values))
