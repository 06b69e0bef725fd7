# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Models of Padilla 1989, for comparison: truncated to first order in the deflections.

In the thesis partial velocities and accelerations are linearized in the modal coordinates, and of
F_r + F_r* only terms up to first order in (eta, eta', eta'') are kept (sections 2.3, 2.4). That is
the linear Taylor polynomial of Kane's equations at the undeformed link, computed by the same
`kane` on dual numbers: eta = 0 + eta e, and the result is value + slope.

`consistent` keeps the foreshortening of the beam, `inconsistent` does not (the kinematics of its
links are of level 0). Products eta eta'' are dropped: in M, deflections multiply the accelerations
of joints but not those of modes. M is therefore not symmetric, and that, not its conditioning,
made the thesis's runs fail: it feeds energy into the fast modes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TYPE_CHECKING

import numpy as np

from kane_dynamics.kane.equations import kane
from kane_dynamics.kane.mass_matrix import mass_matrix
from kane_dynamics.kane.scalar import AnyScalar, Scalars
from kane_dynamics.kane.truncated.dual import Dual
from kane_dynamics.kane.vectors import Pair

if TYPE_CHECKING:
    from kane_dynamics.model.structure.tree import Tree

FIRST_ORDER = ('consistent', 'inconsistent')


def first_order_speeds(tree: Tree) -> set[int]:
    """Return the generalized speeds of all modes that are taken to first order only."""
    return {body.modes_u + k for body in tree.bodies
            if body.flexible is not None and body.flexible.model in FIRST_ORDER
            for k in range(body.flexible.n_modes)}


def first_order_kane(tree: Tree, q: Scalars, u: Scalars, ud: Scalars, gravity: Scalars,
                     **motion: Any) -> tuple[list[AnyScalar], list[Pair]]:
    """Return the result of `kane`, truncated."""
    small, shift = first_order_speeds(tree), tree.nq - tree.nv
    tau, pairs = kane(tree, _small(q, {k + shift for k in small}), _small(u, small),
                      _small(ud, small), gravity, **motion)
    return ([_sum(value) for value in tau],
            [(np.array([_sum(x) for x in F]), np.array([_sum(x) for x in N])) for F, N in pairs])


def first_order_mass_matrix(tree: Tree, q: Scalars) -> list[list[AnyScalar]]:
    """Return M truncated: a mode's column holds no deflection. It is not symmetric."""
    small, shift = first_order_speeds(tree), tree.nq - tree.nv
    M = mass_matrix(tree, _small(q, {k + shift for k in small}))
    return [[_value(entry) if column in small else _sum(entry)
             for column, entry in enumerate(row)] for row in M]


class UnsymmetricFactors:
    """The factors M = L U of any M that needs no pivoting, for the rows of `order`."""

    def __init__(self, M: Sequence[Sequence[AnyScalar]], order: Iterable[int]) -> None:
        self.order = list(order)
        self.rows = {k: dict(enumerate(M[k])) for k in self.order}
        for n, k in enumerate(self.order):
            inverse = 1.0 / self.rows[k][k]
            for i in self.order[n + 1:]:
                factor = self.rows[i][k] = self.rows[i][k] * inverse
                for j in self.order[n + 1:]:
                    self.rows[i][j] = self.rows[i][j] - factor * self.rows[k][j]

    def solve(self, b: Scalars) -> list[AnyScalar]:
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


def _small(values: Iterable[AnyScalar], which: set[int]) -> list[AnyScalar]:
    return [Dual(0.0, value) if k in which else value for k, value in enumerate(values)]


def _value(x: AnyScalar) -> AnyScalar:
    return x.value if isinstance(x, Dual) else x


def _sum(x: AnyScalar) -> AnyScalar:
    return x.value + x.slope if isinstance(x, Dual) else x
