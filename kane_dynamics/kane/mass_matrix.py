# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Mass matrix by composite bodies, on any scalar type.

Column r of M is `kane` at rest with ud = e_r. All bodies outboard of joint r then move as one, so
their mass moments are first added up (composite body) and the pair of that one body is projected
on the partial velocities inboard of it: fewer operations than nv calls of `kane`. A mode moves the
mass points of its link and, at each station, the composite body that rides there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.kane.bending import Bending, flexible_of, Polynomial, Station
from kane_dynamics.kane.equations import JointPlacement, Placement
from kane_dynamics.kane.scalar import AnyScalar, ScalarArray, Scalars
from kane_dynamics.kane.vectors import cross, inertia_matrix, Pair, ZERO

if TYPE_CHECKING:
    from kane_dynamics.model.structure.tree import Body, Tree

Composite: TypeAlias = tuple[AnyScalar, ScalarArray, ScalarArray]   # mass moments m, h, S


def mass_matrix(tree: Tree, q: Scalars) -> list[list[AnyScalar]]:
    """Return M (nv, nv) with M ud the inertia part of tau, as a list of rows."""
    return _Composition(tree, q).mass_matrix()


class _Composition:
    """Composite bodies of a tree at one pose, collected from the tips inward."""

    def __init__(self, tree: Tree, q: Scalars) -> None:
        self.tree = tree
        self.M: list[list[AnyScalar]] = [[0.0] * tree.nv for _ in range(tree.nv)]
        self.composites: list[Composite] = [
            (body.m, np.array(body.h), np.array(body.S)) for body in tree.bodies]
        self.placements: list[Placement] = []
        self.bent: dict[int, Bending] = {}
        # per beam, force and moment for ud = 1 of each mode
        self.modal: dict[int, tuple[list[ScalarArray], list[ScalarArray]]] = {}
        rest = [0.0] * tree.nv
        for i, body in enumerate(tree.bodies):
            self.placements.append(Station(self.bent[body.parent], body.station)
                                   if body.kind == 'station' else JointPlacement(body, q))
            if body.flexible is not None:
                self.bent[i] = Bending(body, q, rest, rest)
                self._add_beam(i, body)

    def mass_matrix(self) -> list[list[AnyScalar]]:
        """Return M, filled body by body."""
        for i in reversed(range(len(self.tree.bodies))):
            body = self.tree.bodies[i]
            for r, pair in self._unit_pairs(i):
                self._project_inward(i, r, pair)
            if body.parent >= 0:
                placement = self.placements[i]
                if isinstance(placement, Station):
                    self._load_station(i, placement)
                m, h, S = self.composites[body.parent]
                dm, dh, dS = _moved_inward(placement, *self.composites[i])
                self.composites[body.parent] = (m + dm, h + dh, S + dS)
        return self.M

    def _add_beam(self, i: int, body: Body) -> None:
        """Add a beam's mass to its composite, and per mode the pair for ud = 1.

        f_j = sum m J_j,  n_j = sum m rho x J_j,  and M between modes: sum m J_i . J_j.
        """
        flexible, modes = flexible_of(body), self.bent[i].modes
        count = flexible.n_modes
        m, h, S = self.composites[i]
        f, n = [ZERO] * count, [ZERO] * count
        for node in flexible.nodes:
            d = Polynomial(node.Phi, node.Gam, node.Cub, modes)
            rho = node.position + d.value
            m, h, S = m + node.mass, h + rho * node.mass, S + _outer(rho, rho * node.mass)
            for j in range(count):
                weighted = d.J[:, j] * node.mass
                f[j], n[j] = f[j] + weighted, n[j] + cross(rho, weighted)
                for k in range(j + 1):
                    self._add(body.modes_u + k, body.modes_u + j, d.J[:, k] @ weighted)
        I0, Cr, Mr = flexible.rotary
        S = S + 0.5 * np.trace(I0) * np.eye(3) - I0
        for j in range(count):
            n[j] = n[j] + Cr[:, j]
            for k in range(j + 1):
                self._add(body.modes_u + k, body.modes_u + j, Mr[k, j])
        self.composites[i], self.modal[i] = (m, h, S), (f, n)

    def _load_station(self, i: int, placement: Station) -> None:
        """Add the composite body on a station to the modal pairs of its beam.

        The composite moves with acceleration J_j and turns with W_j:
        f = m J + W x h,  n = h x J + I W,  M between modes: J_i . f + W_i . n.
        """
        m, h, S = self.composites[i]
        h, inertia = placement.inward(h), inertia_matrix(placement.inward_symmetric(S))
        f, n = self.modal[self.tree.bodies[i].parent]
        J, W = placement.d.J, placement.turned.W
        for j in range(len(f)):
            force = J[:, j] * m + cross(W[:, j], h)
            moment = cross(h, J[:, j]) + inertia @ W[:, j]
            for k in range(j + 1):
                self._add(placement.first_speed + k, placement.first_speed + j,
                          J[:, k] @ force + W[:, k] @ moment)
            f[j], n[j] = f[j] + force, n[j] + moment + cross(placement.p, force)

    def _unit_pairs(self, i: int) -> Iterator[tuple[int, Pair]]:
        """Yield (r, (F, N)) for each speed of a body: the pair of its composite for ud_r = 1.

        Turning about z: F = z x h, N = I z.  Sliding along z: F = m z, N = h x z.
        """
        body = self.tree.bodies[i]
        m, h, S = self.composites[i]
        k, axes = body.u_index, np.eye(3)
        if body.kind == 'floating':
            inertia = inertia_matrix(S)
            for j in range(3):
                yield k + j, (axes[j] * m, cross(h, axes[j]))
            for j in range(3):
                yield k + 3 + j, (cross(axes[j], h), inertia[:, j])
        elif body.kind == 'revolute':
            yield k, (cross(axes[2], h) * body.ratio, inertia_matrix(S)[:, 2] * body.ratio)
        elif body.kind == 'prismatic':
            yield k, (axes[2] * m * body.ratio, cross(h, axes[2]) * body.ratio)
        if body.flexible is not None:
            for j, pair in enumerate(zip(*self.modal[i])):
                yield body.modes_u + j, pair

    def _project_inward(self, i: int, r: int, pair: Pair) -> None:
        """Carry the pair of column r from body i to the base, projected on each joint and mode."""
        F, N = pair
        start = i
        while True:
            body, placement = self.tree.bodies[i], self.placements[i]
            k = body.u_index
            rows = {'floating': [*F, *N], 'revolute': [body.ratio * N[2]],
                    'prismatic': [body.ratio * F[2]]}.get(body.kind, [])
            joint = range(k, k + len(rows))
            for row, value in zip(joint, rows):
                if i != start:                             # two joints that share a speed: twice
                    self._add(row, r, value + value if row == r else value)
                elif r not in joint or row <= r:           # of its own block the upper triangle
                    self._add(row, r, value)
            if body.parent < 0:
                return
            F, N = placement.inward(F), placement.inward(N)
            if isinstance(placement, Station):
                for row, value in enumerate(placement.modal_forces(F, N), placement.first_speed):
                    self._add(row, r, value)
            N = N + cross(placement.p, F)
            i = body.parent

    def _add(self, row: int, column: int, value: AnyScalar) -> None:
        self.M[row][column] = self.M[row][column] + value
        self.M[column][row] = self.M[row][column]


def _moved_inward(placement: Placement, m: AnyScalar, h: ScalarArray, S: ScalarArray) -> Composite:
    """Return the mass moments of a composite body in its parent's frame.

    S_P = R S R' + p t' + t p' with t = R h + m p / 2.
    """
    h_P, p = placement.inward(h), placement.p
    t = h_P + p * (0.5 * m)
    return m, h_P + p * m, placement.inward_symmetric(S) + _outer(p, t) + _outer(t, p)


def _outer(x: ScalarArray, y: ScalarArray) -> ScalarArray:
    return np.array([[a * b for b in y] for a in x])
