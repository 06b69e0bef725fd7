# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics in O(n): each joint's equation is solved in the inward recursion.

A subtree, from its root joint to its tips, responds to an acceleration (a, alpha) of its root
origin with the pair

    F = A a + B alpha + f,    N = B' a + D alpha + n,

A, D symmetric. Kane's equation of the root joint alone then gives its ud, which is eliminated, and
the subtree hangs on its parent as one more such body (Featherstone 1983, articulated bodies).
Longer than M and its factors for an arm of six or seven joints; shorter from about nine in a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.kane.equations import inertia_pair, joint_motion, JointPlacement
from kane_dynamics.kane.scalar import AnyScalar, ScalarArray, Scalars
from kane_dynamics.kane.solve import solve
from kane_dynamics.kane.vectors import cross, inertia_matrix, Motion, Pair, skew, ZERO

if TYPE_CHECKING:
    from kane_dynamics.model.structure.tree import Body, Tree

Subtree: TypeAlias = list[ScalarArray]                                      # A, B, D, f, n
Solved: TypeAlias = tuple[ScalarArray, ScalarArray, AnyScalar, AnyScalar]   # terms that give ud


def forward(tree: Tree, q: Scalars, u: Scalars, tau: Scalars, gravity: Scalars, armature: Scalars,
            base: Motion = (ZERO, ZERO, ZERO)) -> list[AnyScalar]:
    """Return ud (nv,) under the generalized forces tau; rigid links, no mimic joints."""
    g = np.asarray(gravity)
    bodies = tree.bodies
    rest = [0.0] * tree.nv
    placements = [JointPlacement(body, q) for body in bodies]
    motion: list[Motion] = []
    subtrees: list[Subtree] = []
    for body, placement in zip(bodies, placements):                # motion at ud = 0
        parent = motion[body.parent] if body.parent >= 0 else (base[0], base[1], base[2] - g)
        motion.append(joint_motion(body, placement, u, rest, parent))
        subtrees.append(_subtree(body, *motion[-1]))
    solved: dict[int, Solved] = {}
    for i in reversed(range(len(bodies))):
        body, placement = bodies[i], placements[i]
        if body.kind == 'floating':
            continue
        subtree, solved[i] = _eliminated(body, subtrees[i], tau, armature)
        if body.parent >= 0:
            _hang(subtrees[body.parent], subtree, placement)
    ud: list[AnyScalar] = [None] * tree.nv
    extra: list[Pair] = []                                 # accelerations on top of `motion`
    for i, body in enumerate(bodies):
        k = body.u_index
        if body.kind == 'floating':
            da, dalpha, ud[k:k + 6] = _free_body(subtrees[i], tau[k:k + 6])
        else:
            da_P, dalpha_P = extra[body.parent] if body.parent >= 0 else (ZERO, ZERO)
            placement = placements[i]
            dalpha = placement.outward(dalpha_P)
            da = placement.outward(da_P + cross(dalpha_P, placement.p))
            column_a, column_alpha, pivot, force = solved[i]
            ud[k] = pivot * (force - column_a @ da - column_alpha @ dalpha)
            z = np.array([0.0, 0.0, ud[k]])
            da, dalpha = (da, dalpha + z) if body.kind == 'revolute' else (da + z, dalpha)
        extra.append((da, dalpha))
    return ud


def _subtree(body: Body, w: ScalarArray, alpha: ScalarArray, a: ScalarArray) -> Subtree:
    """Return [A, B, D, f, n] of one rigid body; f, n belong to the acceleration at ud = 0."""
    h = body.h
    f, n = inertia_pair(body, w, alpha, a)
    A = np.eye(3) * body.m
    B = np.array([[0.0, h[2], -h[1]], [-h[2], 0.0, h[0]], [h[1], -h[0], 0.0]])   # alpha x h
    return [A, B, inertia_matrix(body.S), f, n]


def _eliminated(body: Body, subtree: Subtree, tau: Scalars,
                armature: Scalars) -> tuple[Subtree, Solved]:
    """Return the subtree with its root joint's equation solved, and the terms that give ud later.

    Revolute: tau = z . N + I ud with alpha = alpha_P + z ud; prismatic: z . F and a instead.
    """
    A, B, D, f, n = subtree
    k = body.u_index
    if body.kind == 'revolute':
        column_a, column_alpha, moving = B[:, 2], D[:, 2], n[2]
        own = D[2, 2]
    else:
        column_a, column_alpha, moving = A[:, 2], B[2, :], f[2]
        own = A[2, 2]
    pivot = 1.0 / (own + armature[k])
    force = tau[k] - moving
    scaled_a, scaled_alpha = column_a * pivot, column_alpha * pivot
    A = A - _symmetric_product(column_a, scaled_a)
    B = B - np.array([[x * y for y in column_alpha] for x in scaled_a])
    D = D - _symmetric_product(column_alpha, scaled_alpha)
    if isinstance(armature[k], float) and armature[k] == 0.0:
        # no inertia is left along the solved speed: these entries are exactly zero
        if body.kind == 'revolute':
            B[:, 2] = D[:, 2] = D[2, :] = 0.0
        else:
            A[:, 2] = A[2, :] = B[2, :] = 0.0
    return ([A, B, D, f + scaled_a * force, n + scaled_alpha * force],
            (column_a, column_alpha, pivot, force))


def _symmetric_product(x: ScalarArray, y: ScalarArray) -> ScalarArray:
    """Return the matrix x y' where it is known to be symmetric."""
    P = np.empty((3, 3), dtype=object)
    for i in range(3):
        for j in range(i, 3):
            P[i, j] = P[j, i] = x[i] * y[j]
    return P


def _hang(parent: Subtree, child: Subtree, placement: JointPlacement) -> None:
    """Add a subtree to its parent's: rotate it, then move it by p.

    a = a_P + alpha_P x p and N_P = N + p x F; with P = [p]x,
    B_P = B - A P,  D_P = D + P B - B' P - P A P.
    """
    A, D = placement.inward_definite(child[0]), placement.inward_definite(child[2])
    B = np.array([placement.inward(row) for row in
                  np.array([placement.inward(column) for column in child[1].T]).T])
    f = placement.inward(child[3])
    n = placement.inward(child[4]) + cross(placement.p, f)
    P = skew(placement.p)
    B_P = B - A @ P
    PB = P @ B_P
    BP = B.T @ P
    D_P = np.empty((3, 3), dtype=object)
    for i in range(3):
        for j in range(i, 3):
            D_P[i, j] = D_P[j, i] = D[i, j] + PB[i, j] - BP[i, j]
    for k, term in enumerate((A, B_P, D_P, f, n)):
        parent[k] = parent[k] + term


def _free_body(subtree: Subtree, tau: Scalars) -> tuple[ScalarArray, ScalarArray, list[AnyScalar]]:
    """Return (da, dalpha, ud) of a floating root from its six equations."""
    A, B, D, f, n = subtree
    M = [[*A[i], *B[i]] for i in range(3)] + [[*B[:, i], *D[i]] for i in range(3)]
    ud = solve(M, [t - x for t, x in zip(tau, [*f, *n])], dict(zip(range(6), range(-1, 5))),
               range(6))
    return np.array(ud[:3]), np.array(ud[3:]), ud
