# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix: what is outboard of a joint, frozen, moved by that joint's partial velocities.

Column r of M is `kane` at rest with ud = e_r. All bodies outboard of joint r then move as one, so
their mass moments are first added up (composite body) and the pair of that one body is projected
on the partial velocities inboard of it: fewer operations than nv calls of `kane`. A mode moves the
mass points of its link and, at each station, the composite body that rides there.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.kane.bending import Bending, Polynomial, Station
from kane_dynamics.kane.equations import Place
from kane_dynamics.kane.vectors import cross, inertia_matrix, ZERO


def mass_matrix(tree, q):
    """Return M (nv, nv) with M ud the inertia part of tau, as a list of rows."""
    return _Composition(tree, q).mass_matrix()


class _Composition:
    """Composite bodies of a tree at one pose, collected from the tips inward."""

    def __init__(self, tree, q):
        self.tree = tree
        self.M = [[0.0] * tree.nv for _ in range(tree.nv)]
        self.composites = [(body.m, np.array(body.h), np.array(body.S)) for body in tree.bodies]
        self.places, self.bent, self.modal = [], {}, {}
        rest = [0.0] * tree.nv
        for i, body in enumerate(tree.bodies):
            self.places.append(Station(self.bent[body.parent], body.station)
                               if body.kind == 'station' else Place(body, q))
            if body.flexible is not None:
                self.bent[i] = Bending(body, q, rest, rest)
                self._add_beam(i, body)

    def mass_matrix(self):
        """Return M, filled body by body."""
        for i in reversed(range(len(self.tree.bodies))):
            body = self.tree.bodies[i]
            for r, pair in self._unit_pairs(i):
                self._project_inward(i, r, pair)
            if body.parent >= 0:
                if body.kind == 'station':
                    self._load_station(i)
                moved = _moved_inward(self.places[i], *self.composites[i])
                self.composites[body.parent] = tuple(
                    own + more for own, more in zip(self.composites[body.parent], moved))
        return self.M

    def _add_beam(self, i, body):
        """Add a beam's mass to its composite; per mode, the pair that ud = 1 asks of it.

        f_j = sum m J_j,  n_j = sum m rho x J_j,  and M between modes: sum m J_i . J_j.
        """
        modes, count = self.bent[i].modes, body.flexible.n_modes
        m, h, S = self.composites[i]
        f, n = [ZERO] * count, [ZERO] * count
        for node in body.flexible.nodes:
            d = Polynomial(node.Phi, node.Gam, node.Cub, modes)
            rho = node.position + d.value
            m, h, S = m + node.mass, h + rho * node.mass, S + _outer(rho, rho * node.mass)
            for j in range(count):
                weighted = d.J[:, j] * node.mass
                f[j], n[j] = f[j] + weighted, n[j] + cross(rho, weighted)
                for k in range(j + 1):
                    self._add(body.modes_u + k, body.modes_u + j, d.J[:, k] @ weighted)
        I0, Cr, Mr = body.flexible.rotary
        S = S + 0.5 * np.trace(I0) * np.eye(3) - I0
        for j in range(count):
            n[j] = n[j] + Cr[:, j]
            for k in range(j + 1):
                self._add(body.modes_u + k, body.modes_u + j, Mr[k, j])
        self.composites[i], self.modal[i] = (m, h, S), (f, n)

    def _load_station(self, i):
        """Add what a station carries to the modal pairs of its beam.

        The composite moves with acceleration J_j and turns with W_j:
        f = m J + W x h,  n = h x J + I W,  M between modes: J_i . f + W_i . n.
        """
        body, place = self.tree.bodies[i], self.places[i]
        m, h, S = self.composites[i]
        h, inertia = place.inward(h), inertia_matrix(place.inward_symmetric(S))
        f, n = self.modal[body.parent]
        J, W = place.d.J, place.turned.W
        for j in range(len(f)):
            force = J[:, j] * m + cross(W[:, j], h)
            moment = cross(h, J[:, j]) + inertia @ W[:, j]
            for k in range(j + 1):
                self._add(place.first_speed + k, place.first_speed + j,
                          J[:, k] @ force + W[:, k] @ moment)
            f[j], n[j] = f[j] + force, n[j] + moment + cross(place.p, force)

    def _unit_pairs(self, i):
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

    def _project_inward(self, i, r, pair):
        """Carry the pair of column r from body i to the base, projected on what it meets."""
        F, N = pair
        start = i
        while True:
            body, place = self.tree.bodies[i], self.places[i]
            k = body.u_index
            rows = {'floating': [*F, *N], 'revolute': [body.ratio * N[2]],
                    'prismatic': [body.ratio * F[2]]}.get(body.kind, [])
            for row, value in enumerate(rows, k):
                if i != start:                             # two joints that share a speed: twice
                    self._add(row, r, value + value if row == r else value)
                elif row <= r:                             # upper triangle of a body's own block
                    self._add(row, r, value)
            if body.parent < 0:
                return
            F, N = place.inward(F), place.inward(N)
            if body.kind == 'station':
                for row, value in enumerate(place.modal_forces(F, N), place.first_speed):
                    self._add(row, r, value)
            N = N + cross(place.p, F)
            i = body.parent

    def _add(self, row, column, value):
        self.M[row][column] = self.M[row][column] + value
        self.M[column][row] = self.M[row][column]


def _moved_inward(place, m, h, S):
    """Return the mass moments of a composite body in its parent's frame.

    S_P = R S R' + p t' + t p' with t = R h + m p / 2.
    """
    h_P, p = place.inward(h), place.p
    t = h_P + p * (0.5 * m)
    return m, h_P + p * m, place.inward_symmetric(S) + _outer(p, t) + _outer(t, p)


def _outer(x, y):
    return np.array([[a * b for b in y] for a in x])
