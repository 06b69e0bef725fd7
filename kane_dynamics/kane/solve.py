# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""M x = b by M = L' D L, skipping what the branches of the tree keep at zero."""

from __future__ import annotations


def solve(M, b, parents, order):
    """Return x with M x = b for a symmetric positive definite M.

    `order` are the rows to solve, from the base to the tips (others are left out, their x is 0);
    `parents[k]` is the next speed toward the base: M[k][i] is nonzero only for i on that way
    (Featherstone 2008, section 6.5: factoring from the tips fills nothing in).
    """
    rows = [list(row) for row in M]
    factor = {k: {} for k in order}
    inverse_pivot = {}
    for k in reversed(order):
        inverse_pivot[k] = 1.0 / rows[k][k]
        for i in _inboard(parents, k):
            factor[k][i] = rows[k][i] * inverse_pivot[k]
            for j in [i, *_inboard(parents, i)]:
                rows[i][j] = rows[i][j] - factor[k][i] * rows[k][j]
    x = [value if k in factor else 0.0 for k, value in enumerate(b)]
    for k in reversed(order):                              # L' y = b
        for i, value in factor[k].items():
            x[i] = x[i] - value * x[k]
    for k in order:                                        # D z = y, L x = z
        x[k] = x[k] * inverse_pivot[k]
        for i, value in factor[k].items():
            x[k] = x[k] - value * x[i]
    return x


def _inboard(parents, k):
    """Yield the speeds between k and the base."""
    k = parents[k]
    while k >= 0:
        yield k
        k = parents[k]
