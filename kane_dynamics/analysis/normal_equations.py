# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Least squares without keeping the data: sums of products, a set for each joint.

With a set per joint the weights of the joints can be chosen afterwards.
"""

from __future__ import annotations

import numpy as np

# What no recording tells, of the r.m.s. torque of the joint itself and of the largest one. Made
# recordings do; beyond this the prior would drown in the round-off of the data's part.
FINEST, FINEST_OF_LARGEST = 1e-4, 1e-5


class NormalEquations:
    """Gather Y pi + X_j phi_j = y_j for n joints: parameters [pi (m,), phi (n, terms)].

    G (n, p, p), g (n, p), yy (n,) with p = m + terms: X' X, X' y and y' y of each joint alone.
    """

    def __init__(self, n, m, terms):
        self.n, self.m, self.terms = n, m, terms
        p = m + terms
        self.G, self.g, self.yy = np.zeros((n, p, p)), np.zeros((n, p)), np.zeros(n)
        self.count = 0

    @property
    def size(self):
        """Return the number of parameters of all joints together."""
        return self.m + self.n * self.terms

    def add(self, Y, X, y):
        """Take a block: Y (N, n, m), X (N, n, terms), y (N, n)."""
        for j in range(self.n):
            rows = np.hstack([Y[:, j], X[:, j]])
            self.G[j] += rows.T @ rows
            self.g[j] += rows.T @ y[:, j]
        self.yy += np.einsum('ij,ij->j', y, y)
        self.count += len(y)

    @property
    def least_variances(self):
        """Return the least mean squares (n,) that residuals are taken to have."""
        squares = self.yy / max(self.count, 1)
        least = np.maximum(FINEST**2 * squares, FINEST_OF_LARGEST**2 * squares.max())
        return np.where(least > 0.0, least, 1.0)

    def places(self, j):
        """Return where the parameters of joint j stand among all."""
        return np.r_[:self.m, self.m + j * self.terms:self.m + (j + 1) * self.terms]

    def weighted(self, variances):
        """Return A (P, P) and b (P,) of sum over joints of |residual_j|^2 / variance_j."""
        A, b = np.zeros((self.size, self.size)), np.zeros(self.size)
        for j in range(self.n):
            places = self.places(j)
            A[np.ix_(places, places)] += self.G[j] / variances[j]
            b[places] += self.g[j] / variances[j]
        return A, b

    def free_variances(self):
        """Return the mean square that is left of each joint when it is fitted alone (n,)."""
        found = np.zeros(self.n)
        for j in range(self.n):
            scale = 1.0 / np.sqrt(np.maximum(np.diag(self.G[j]), 1e-300))
            x = np.linalg.lstsq(self.G[j] * np.outer(scale, scale), scale * self.g[j],
                                rcond=1e-12)[0]
            found[j] = self.yy[j] - x @ (scale * self.g[j])
        return np.maximum(found / max(self.count, 1), self.least_variances)
