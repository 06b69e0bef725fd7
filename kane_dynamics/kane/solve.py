# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Solution of M x = b by M = L' D L, without the zeros between branches of the tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kane_dynamics.kane.scalar import AnyScalar, Scalars


class Factors:
    """The factors of a symmetric positive definite M, for many right-hand sides.

    `order` are the rows to solve, from the base to the tips (others are left out, their x is 0);
    `parents[k]` is the next speed toward the base: M[k][i] is nonzero only for i on that path
    (Featherstone 2008, section 6.5: factoring from the tips fills nothing in).
    """

    def __init__(self, M: Sequence[Sequence[AnyScalar]], parents: Mapping[int, int],
                 order: Iterable[int]) -> None:
        rows = [list(row) for row in M]
        self.order = list(order)
        self.factor: dict[int, dict[int, AnyScalar]] = {k: {} for k in self.order}
        self.inverse_pivot: dict[int, AnyScalar] = {}
        for k in reversed(self.order):
            self.inverse_pivot[k] = 1.0 / rows[k][k]
            for i in _inboard(parents, k):
                self.factor[k][i] = rows[k][i] * self.inverse_pivot[k]
                for j in [i, *_inboard(parents, i)]:
                    rows[i][j] = rows[i][j] - self.factor[k][i] * rows[k][j]

    def solve(self, b: Scalars) -> list[AnyScalar]:
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


def solve(M: Sequence[Sequence[AnyScalar]], b: Scalars, parents: Mapping[int, int],
          order: Iterable[int]) -> list[AnyScalar]:
    """Return x with M x = b; see `Factors`."""
    return Factors(M, parents, order).solve(b)


def held_matrix(M: Sequence[Sequence[AnyScalar]], free: Scalars) -> list[list[AnyScalar]]:
    """Return M with the rows and columns of the speeds that are not free (0) those of 1."""
    return [[a * b * entry + (1.0 - a if j == k else 0.0)
             for k, (b, entry) in enumerate(zip(free, row))]
            for j, (a, row) in enumerate(zip(free, M))]


def _inboard(parents: Mapping[int, int], k: int) -> Iterator[int]:
    """Yield the speeds between k and the base."""
    k = parents[k]
    while k >= 0:
        yield k
        k = parents[k]
