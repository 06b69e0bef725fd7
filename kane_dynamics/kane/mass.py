# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix: what is outboard of a joint, frozen, moved by that joint's partial velocities.

Column r of M is `kane` at rest with ud = e_r. All bodies outboard of joint r then move as one, so
their mass moments are first added up (composite body) and the pair of that one body is projected
on the partial velocities of the joints inboard of it: fewer operations than nv calls of `kane`.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.kane.equations import Place
from kane_dynamics.kane.vectors import cross, inertia_matrix


def mass_matrix(tree, q):
    """Return M (nv, nv) with M ud the inertia part of tau, as a list of rows."""
    places = [Place(body, q) for body in tree.bodies]
    m = [body.m for body in tree.bodies]
    h = [np.array(body.h) for body in tree.bodies]
    S = [np.array(body.S) for body in tree.bodies]
    M = [[0.0] * tree.nv for _ in range(tree.nv)]
    for i in reversed(range(len(tree.bodies))):
        for r, pair in _unit_pairs(tree.bodies[i], m[i], h[i], S[i]):
            _project_inward(tree, places, M, i, r, pair)
        parent = tree.bodies[i].parent
        if parent >= 0:
            m_P, h_P, S_P = _moved_inward(places[i], m[i], h[i], S[i])
            m[parent], h[parent], S[parent] = m[parent] + m_P, h[parent] + h_P, S[parent] + S_P
    return M


def _unit_pairs(body, m, h, S):
    """Yield (r, (F, N)) for each speed of a joint: the composite body's pair for ud_r = 1.

    Turning about z: F = z x h, N = I z with I = tr(S) 1 - S.  Sliding along z: F = m z, N = h x z.
    """
    k = body.u_index
    inertia = inertia_matrix(S)
    axes = np.eye(3)
    if body.kind == 'floating':
        for j in range(3):
            yield k + j, (axes[j] * m, cross(h, axes[j]))
        for j in range(3):
            yield k + 3 + j, (cross(axes[j], h), inertia[:, j])
    elif body.kind == 'revolute':
        yield k, (cross(axes[2], h) * body.ratio, inertia[:, 2] * body.ratio)
    else:
        yield k, (axes[2] * m * body.ratio, cross(h, axes[2]) * body.ratio)


def _project_inward(tree, places, M, i, r, pair):
    """Carry the pair of column r from body i to the base and project it on the joints it meets."""
    F, N = pair
    own = True
    while True:
        body = tree.bodies[i]
        k = body.u_index
        if body.kind == 'floating':
            rows = list(zip(range(k, k + 6), [*F, *N]))
        else:
            rows = [(k, body.ratio * (N[2] if body.kind == 'revolute' else F[2]))]
        for row, value in rows:
            if own:
                if row <= r:                                # upper triangle of a body's own block
                    _add(M, row, r, value)
            else:                                           # two joints that share a speed: twice
                _add(M, row, r, value + value if row == r else value)
        if body.parent < 0:
            return
        F = places[i].inward(F)
        N = places[i].inward(N) + cross(places[i].p, F)
        i, own = body.parent, False


def _add(M, row, column, value):
    M[row][column] = M[row][column] + value
    M[column][row] = M[row][column]


def _moved_inward(place, m, h, S):
    """Return the mass moments of a composite body in its parent's frame.

    S_P = R S R' + p t' + t p' with t = R h + m p / 2.
    """
    S_P = place.inward_symmetric(S)
    h_P, p = place.inward(h), place.p
    t = h_P + p * (0.5 * m)
    for r in range(3):
        for k in range(r, 3):
            S_P[r, k] = S_P[k, r] = S_P[r, k] + (p[r] * t[k] + t[r] * p[k])
    return m, h_P + p * m, S_P
