# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Least squares over parameters that real bodies and real friction can have.

Minimize  theta' A theta / 2 - b' theta + prior sum_i D(J_i | J0_i)  over all theta whose bodies
have positive definite pseudo-inertias J_i and whose friction is not negative, with

    D(J | J0) = tr(J0^-1 J) - log det(J0^-1 J) - 4

the log-determinant divergence from what the URDF says (Lee, Wensing and Park 2020). D is infinite
where J ceases to be positive definite, so that it is prior and barrier in one; the problem is
convex and a damped Newton method solves it without any solver of semidefinite programs. What the
data tell overrules a prior of weight 1, as it counts as much as one sample of noise; what they do
not tell stays as the URDF has it.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.analysis.pseudo_inertia import BASIS, parameters_of, pseudo_inertia
from kane_dynamics.exceptions import InputError

BARRIERS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)   # weights that keep friction positive
STEPS = 100
DONE = 1e-9          # Newton decrement: what the cost could still fall by, in units of noise


def reference_inertias(pi):
    """Return J0 (B, 4, 4) for pi (10 B,), made positive definite where the URDF's are not.

    A massless body is given a gram and a point mass a radius of a millimetre: something has to be
    there for data to change.
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
    """The problem above for B bodies and further parameters, some of which are not negative.

    Args:
        references: J0 (B, 4, 4); theta begins with the 10 parameters of each.
        further: (K,) where the further parameters start from.
        positive: (K,) which of them must stay positive; they start from positive values.
        prior: the weight of D.
    """

    def __init__(self, references, further, positive, prior=1.0):
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

    def solve(self, A, b):
        """Return theta."""
        theta = self.start.copy()
        for weight in BARRIERS if len(self._positive) else BARRIERS[-1:]:
            theta = self._newton(theta, A, b, weight)
        return theta

    def prior_curvature(self, theta=None):
        """Return the second derivatives (P, P) of the prior at theta (the reference itself)."""
        theta = self.start if theta is None else theta
        H = np.zeros((len(theta), len(theta)))
        for k, J in enumerate(self._inertias(theta)):
            X = np.einsum('ij,kjl->kil', np.linalg.inv(J), BASIS)
            own = slice(10 * k, 10 * k + 10)
            H[own, own] = self.prior * np.einsum('kij,lji->kl', X, X)
        return H

    def _inertias(self, theta):
        return pseudo_inertia(theta[:10 * self.bodies].reshape(-1, 10))

    def _newton(self, theta, A, b, weight):
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
                    return theta        # round-off: no step is better
                found = self._value(theta + length * step, A, b, weight)
                length *= 0.5
            theta, value = theta + 2.0 * length * step, found
        return theta

    def _value(self, theta, A, b, weight):
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
        return value

    def _derivatives(self, theta, A, b, weight):
        gradient, H = A @ theta - b, A + self.prior_curvature(theta)
        for k, J in enumerate(self._inertias(theta)):
            gradient[10 * k:10 * k + 10] += self.prior * (
                self._slopes[k] - np.einsum('ij,kji->k', np.linalg.inv(J), BASIS))
        places = self._positive
        gradient[places] += weight * (1.0 / self._scale - 1.0 / theta[places])
        H[places, places] += weight / theta[places]**2
        return gradient, H


def _solved(H, gradient):
    """Return H^-1 gradient for a positive definite H that may be so to round-off only."""
    scale = 1.0 / np.sqrt(np.diag(H))
    values, vectors = np.linalg.eigh(H * np.outer(scale, scale))
    values = np.maximum(values, 1e-15 * values[-1])
    return scale * (vectors @ (vectors.T @ (scale * gradient) / values))
