# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""M x = b by M = L' D L, skipping what the branches of the tree keep at zero."""

from __future__ import annotations


def solve(M, b, parents):
    """Return x with M x = b for a symmetric positive definite M.

    `parents[k]` is the next speed toward the base: M[k][i] is nonzero only for i on that way
    (Featherstone 2008, section 6.5: factoring from the tips fills nothing in).
    """
    n = len(b)
    rows = [list(row) for row in M]
    factor = [{} for _ in range(n)]
    inverse_pivot = [None] * n
    for k in reversed(range(n)):
        inverse_pivot[k] = 1.0 / rows[k][k]
        for i in _inboard(parents, k):
            factor[k][i] = rows[k][i] * inverse_pivot[k]
            for j in [i, *_inboard(parents, i)]:
                rows[i][j] = rows[i][j] - factor[k][i] * rows[k][j]
    x = list(b)
    for k in reversed(range(n)):                           # L' y = b
        for i, value in factor[k].items():
            x[i] = x[i] - value * x[k]
    x = [value * inverse for value, inverse in zip(x, inverse_pivot)]
    for k in range(n):                                     # L x = D^-1 y
        for i, value in factor[k].items():
            x[k] = x[k] - value * x[i]
    return x


def _inboard(parents, k):
    """Yield the speeds between k and the base."""
    k = parents[k]
    while k >= 0:
        yield k
        k = parents[k]
