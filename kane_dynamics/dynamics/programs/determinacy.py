# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Check that accelerations are determined: the mass matrix of the arm is not singular.

A massless link between two joints about one axis, or a massless floating base with one joint on
it, can move without moving any mass. Torques are still defined there, accelerations are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.kane.mass_matrix import mass_matrix

if TYPE_CHECKING:
    from kane_dynamics.dynamics.recorded_arm import RecordedArm
    from kane_dynamics.model.structure.tree import Body
    from kane_dynamics.numerics.array_types import FloatArray

ROUND_OFF = 10 * np.finfo(float).eps      # times n: a smallest eigenvalue of zero, as computed


def solves_mass_matrix(name: str) -> bool:
    """Return whether a program divides by the mass matrix of all coordinates."""
    return name.startswith(('forward', 'step_', 'mixed'))


def require_inertia(arm: RecordedArm, name: str) -> None:
    """Raise a ModelError if the mass matrix of an arm is singular in every configuration."""
    light = {index for index, body in enumerate(arm.tree.bodies) if _lacks_inertia(body)}
    if not light:
        return            # M is a sum of J' I J with one positive definite I for every speed
    moved = _massless_motion(_mass_matrix(arm))
    if not moved:
        return
    robot = arm.robot
    first = robot.joints_v.start
    names = [*robot.joint_names, *robot.mode_names]
    parts = ['the floating base'] * (moved[0] < first) + [
        repr(names[k - first]) for k in moved if k >= first]
    index = {link: arm.tree.frames[link].body for link in arm.body_links}
    links = [repr(link) for link, body in index.items()
             if body in light and not set(arm.tree.bodies[body].speeds).isdisjoint(moved)]
    raise ModelError(
        f'{robot.name!r}: {name} divides by the mass matrix, which is singular: '
        f'{" with ".join(parts)} can move without moving any mass. Give '
        f'{"link " + " or ".join(links) if links else "their links"} a mass and an inertia, or '
        'a joint there an armature, or fix one of the joints')


def _mass_matrix(arm: RecordedArm) -> FloatArray:
    """Return M (nv, nv) at random joint positions, where no axes are aligned by chance."""
    q = np.zeros(arm.nq)
    joints = arm.robot.joints_q
    q[joints] = np.random.default_rng(0).uniform(-1.0, 1.0, arm.robot.n_joints)
    if arm.robot.floating_base:
        q[6] = 1.0
    return np.array(mass_matrix(arm.tree, q.tolist()), dtype=np.float64) + np.diag(arm.armature)


def _massless_motion(M: FloatArray) -> list[int]:
    """Return the speeds in the null space of M; none if it is positive definite.

    M is scaled to a unit diagonal: units and sizes of the links do not matter.
    """
    size = np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    values, vectors = np.linalg.eigh(M / np.outer(size, size))
    null = vectors[:, values < ROUND_OFF * len(M)] / size[:, None]
    largest = np.abs(null).max(axis=1, initial=0.0)
    return [int(k) for k in np.flatnonzero(largest > 1e-6 * largest.max(initial=0.0))]


def _lacks_inertia(body: Body) -> bool:
    """Return whether a body with speeds has no mass, or no central inertia about some axis."""
    if not body.speeds or body.m <= 0.0:
        return bool(body.speeds)
    S = body.S - np.outer(body.h, body.h) / body.m
    least, _, most = np.linalg.eigvalsh(np.trace(S) * np.eye(3) - S)
    return not least > 1e-9 * most
