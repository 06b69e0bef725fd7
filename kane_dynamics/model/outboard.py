# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What hangs on a link: the composite of everything beyond each joint, at one pose."""

from __future__ import annotations

import numpy as np

from kane_dynamics.model.shapes import Load
from kane_dynamics.model.topology import MOVING_KINDS
from kane_dynamics.model.tree import moments, moved


def reference_pose(robot):
    """Return {joint name: coordinate}: zero, or the limit nearest to it; mimics follow."""
    pose = {joint.name: min(max(0.0, joint.limits.lower), joint.limits.upper)
            for joint in robot.independent_joints}
    for joint in robot.mimic_joints:
        pose[joint.name] = (joint.mimic.multiplier * pose[joint.mimic.joint]
                            + joint.mimic.offset)
    return pose


def outboard_moments(robot, pose=None):
    """
    Return {joint name: (m, h, S)} of all links beyond each joint, in its parent link's frame.

    pose: {joint name: coordinate}, the reference pose when left out. Links are undeformed, as
    their <inertial> describes them.
    """
    pose = reference_pose(robot) if pose is None else pose
    total = {link.name: (0.0, np.zeros(3), np.zeros((3, 3))) if link.inertial is None
             else moments(link.inertial) for link in robot.links}
    beyond = {}
    for joint in reversed(robot.joints):
        R, p = joint.rotation, joint.position
        if joint.kind == 'prismatic':
            p = p + R @ joint.axis * pose[joint.name]
        elif joint.kind in MOVING_KINDS:
            R = R @ _turn(joint.axis, pose[joint.name])
        beyond[joint.name] = moved(*total[joint.child], R, p)
        total[joint.parent] = tuple(
            own + other for own, other in zip(total[joint.parent], beyond[joint.name]))
    return beyond


def _turn(axis, angle):
    # Rodrigues: R = cos 1 + sin [a]x + (1 - cos) a a'
    a = np.asarray(axis)
    skew = np.cross(np.eye(3), a)
    return (np.cos(angle) * np.eye(3) + np.sin(angle) * skew
            + (1.0 - np.cos(angle)) * np.outer(a, a))


def central(m, h, S):
    """Return the mass centre (3,) and the inertia about it (3, 3) of mass moments; massless: 0."""
    com = h / m if m > 0.0 else np.zeros(3)
    S = S - m * np.outer(com, com)
    return com, np.trace(S) * np.eye(3) - S


def as_load(body, x, R_LB, p_LB):
    """Return (m, h, S) in the link frame as the Load at x of a beam placed by R_LB, p_LB."""
    # The point x of the beam's axis becomes the origin.
    m, h, S = moved(*body, R_LB.T, -R_LB.T @ p_LB - np.array([x, 0.0, 0.0]))
    return Load(x, m, *central(m, h, S))
