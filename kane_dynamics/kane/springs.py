# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Springs on joints and between links as active forces of Kane's equations, on any scalar type.

A spring with the force F(x) along its length x contributes -F(x) dx/dq_r to every generalized
force. On a joint that is one number. Between points A and B of two bodies the tension pulls both
together along d = p_B - p_A: it is collected with the other forces on the bodies, so that joint
reactions contain it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.kane.scalar import AnyScalar, ScalarArray, Scalars, sqrt
from kane_dynamics.kane.vectors import cross, Pose, ZERO

if TYPE_CHECKING:
    from kane_dynamics.kane.equations import Placement
    from kane_dynamics.model.structure.springs import CoordinateSpring, PointSpring, SpringLaw
    from kane_dynamics.model.structure.tree import Tree


def poses_of(tree: Tree, placements: Sequence[Placement]) -> list[Pose]:
    """Return R_NB and p_NB of every body in the base frame."""
    found: list[Pose] = []
    for body, placement in zip(tree.bodies, placements):
        R_NP, p_NP = found[body.parent] if body.parent >= 0 else (np.eye(3), ZERO)
        found.append((R_NP @ placement.rotation, p_NP + R_NP @ placement.p))
    return found


def joint_loads(tree: Tree, q: Scalars) -> Iterator[tuple[int, AnyScalar]]:
    """Yield (speed, load) of the springs on joints: F(x) dx/dq."""
    for spring in tree.joint_springs:
        force = spring.law.force_at_zero + spring.law.stiffness * _position(spring, q)
        for _, u_index, ratio in spring.terms:
            yield u_index, ratio * force


def body_pulls(tree: Tree,
               placements: Sequence[Placement]) -> Iterator[tuple[int, ScalarArray, ScalarArray]]:
    """Yield (body, F, N): the pull of springs between links, about its origin and in its axes."""
    if not tree.link_springs:
        return
    poses = poses_of(tree, placements)
    for spring in tree.link_springs:
        d = _span(spring, poses)
        # F(L) d/L = (k + F(0)/L) d: without free length no root is taken
        pull = d * (spring.law.stiffness + _over_length(spring.law.force_at_zero, d))
        for body, point, sign in zip(spring.bodies, spring.points, (1.0, -1.0)):
            if body >= 0:
                F = poses[body][0].T @ (pull * sign)
                yield body, F, cross(point, F)


def spring_energy(tree: Tree, q: Scalars, poses: Sequence[Pose]) -> AnyScalar:
    """Return the energy of the springs on joints and between links [J]; zero at rest."""
    energy: AnyScalar = 0.0
    for spring in tree.joint_springs:
        x = _position(spring, q)
        energy = energy + _energy(spring.law, x, x * x)
    for each in tree.link_springs:
        d = _span(each, poses)
        squared = d @ d
        length = sqrt(squared) if each.law.force_at_zero else 0.0
        energy = energy + _energy(each.law, length, squared)
    return energy


def _energy(law: SpringLaw, x: AnyScalar, squared: AnyScalar) -> AnyScalar:
    """Return V(x) = k x^2/2 + F(0) x - (F(0) + k rest/2) rest."""
    return (0.5 * law.stiffness * squared + law.force_at_zero * x
            - (law.force_at_zero + 0.5 * law.stiffness * law.rest) * law.rest)


def _position(spring: CoordinateSpring, q: Scalars) -> AnyScalar:
    """Return the position of the joint that a spring is on."""
    return spring.offset + sum(ratio * q[k] for k, _, ratio in spring.terms)


def _span(spring: PointSpring, poses: Sequence[Pose]) -> ScalarArray:
    """Return the vector from the first to the second end, in the base frame."""
    first, second = (point if body < 0 else poses[body][1] + poses[body][0] @ point
                     for body, point in zip(spring.bodies, spring.points))
    return second - first


def _over_length(force: float, d: ScalarArray) -> AnyScalar:
    return force / sqrt(d @ d) if force else 0.0
