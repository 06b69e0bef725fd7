# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Outboard bodies: the combined mass of all links beyond each joint, at one pose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.model.flexible.mode_shapes import Load
from kane_dynamics.model.structure.topology import MOVING_KINDS
from kane_dynamics.model.structure.tree import added, MassMoments, moments, moved, NO_MASS
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot


def reference_pose(robot: Robot) -> dict[str, float]:
    """Return {joint name: position [rad or m]}: zero, or the limit nearest to it.

    Mimic joints follow their leaders.
    """
    pose = {name: min(max(0.0, float(low)), float(high))
            for name, low, high in zip(robot.joint_names, robot.limits.lower, robot.limits.upper)}
    for joint in robot.mimic_joints:
        leader = pose[joint.follows.joint]
        pose[joint.name] = joint.follows.multiplier * leader + joint.follows.offset
    return pose


def outboard_moments(robot: Robot,
                     pose: Mapping[str, float] | None = None) -> dict[str, MassMoments]:
    """
    Return {joint name: (m, h, S)} of all links beyond each joint, in its parent link's frame.

    pose: {joint name: position [rad or m]}, by default the reference pose. Links are undeformed,
    as their <inertial> describes them.
    """
    pose = reference_pose(robot) if pose is None else pose
    total = {link.name: NO_MASS if link.inertial is None else moments(link.inertial)
             for link in robot.links}
    beyond = {}
    for joint in reversed(robot.joints):
        q = pose[joint.name] if joint.kind in MOVING_KINDS else 0.0
        R, p = joint.child_pose(q)
        beyond[joint.name] = moved(*total[joint.child], R, p)
        total[joint.parent] = added(total[joint.parent], beyond[joint.name])
    return beyond


def central(m: float, h: FloatArray, S: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mass centre (3,) and the inertia about it (3, 3); zero centre without mass."""
    com = h / m if m > 0.0 else np.zeros(3)
    S = S - m * np.outer(com, com)
    return com, np.trace(S) * np.eye(3) - S


def as_load(body: MassMoments, x: float, R_LB: FloatArray, p_LB: FloatArray) -> Load:
    """Return (m, h, S) in the link frame as the Load at x of a beam at R_LB, p_LB."""
    # The point x of the beam's axis becomes the origin.
    m, h, S = moved(*body, R_LB.T, -R_LB.T @ p_LB - np.array([x, 0.0, 0.0]))
    return Load(x, m, *central(m, h, S))
