# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""M x = b by M = L' D L, skipping what the branches of the tree keep at zero."""

from __future__ import annotations


class Factors:
    """The factors of a symmetric positive definite M, good for many right-hand sides.

    `order` are the rows to solve, from the base to the tips (others are left out, their x is 0);
    `parents[k]` is the next speed toward the base: M[k][i] is nonzero only for i on that way
    (Featherstone 2008, section 6.5: factoring from the tips fills nothing in).
    """

    def __init__(self, M, parents, order):
        rows = [list(row) for row in M]
        self.order = list(order)
        self.factor = {k: {} for k in self.order}
        self.inverse_pivot = {}
        for k in reversed(self.order):
            self.inverse_pivot[k] = 1.0 / rows[k][k]
            for i in _inboard(parents, k):
                self.factor[k][i] = rows[k][i] * self.inverse_pivot[k]
                for j in [i, *_inboard(parents, i)]:
                    rows[i][j] = rows[i][j] - self.factor[k][i] * rows[k][j]

    def solve(self, b):
        """Return x with M x = b."""
        x = [value if k in self.factor else 0.0 for k, value in enumerate(b)]
        for k in reversed(self.order):                     # L' y = b
            for i, value in self.factor[k].items():
                x[i] = x[i] - value * x[k]
        for k in self.order:                               # D z = y, L x = z
            x[k] = x[k] * self.inverse_pivot[k]
            for i, value in self.factor[k].items():
                x[k] = x[k] - value * x[i]
        return x


class UnsymmetricFactors:
    """The factors M = L U of any M that needs no pivoting, for the rows of `order`."""

    def __init__(self, M, order):
        self.order = list(order)
        self.rows = {k: dict(enumerate(M[k])) for k in self.order}
        for n, k in enumerate(self.order):
            inverse = 1.0 / self.rows[k][k]
            for i in self.order[n + 1:]:
                factor = self.rows[i][k] = self.rows[i][k] * inverse
                for j in self.order[n + 1:]:
                    self.rows[i][j] = self.rows[i][j] - factor * self.rows[k][j]

    def solve(self, b):
        """Return x with M x = b; rows that are left out have x = 0."""
        x = [value if k in self.rows else 0.0 for k, value in enumerate(b)]
        for n, k in enumerate(self.order):                 # L y = b
            for j in self.order[:n]:
                x[k] = x[k] - self.rows[k][j] * x[j]
        for n, k in reversed(list(enumerate(self.order))):   # U x = y
            for j in self.order[n + 1:]:
                x[k] = x[k] - self.rows[k][j] * x[j]
            x[k] = x[k] / self.rows[k][k]
        return x


def solve(M, b, parents, order):
    """Return x with M x = b; see `Factors`."""
    return Factors(M, parents, order).solve(b)


def _inboard(parents, k):
    """Yield the speeds between k and the base."""
    k = parents[k]
    while k >= 0:
        yield k
        k = parents[k]
