# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics straight from the joints of a Robot, for tests to compare with."""

import numpy as np

from kane_dynamics.numerics.rotations import from_quaternion


def turn(axis, angle):
    """Return exp(angle axis x), by Rodrigues' formula."""
    K = np.cross(np.eye(3), axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def joint_values(robot, q):
    """Return {moving joint: coordinate}, mimics included."""
    values = dict(zip(robot.joint_names, q[len(q) - robot.n_joints:]))
    for joint in robot.mimic_joints:
        mimic = joint.mimic
        values[joint.name] = mimic.multiplier * values[mimic.joint] + mimic.offset
    return values


def link_poses(robot, q):
    """Return {link: (R, p)} in the world."""
    poses = {robot.root: (robot.base_rotation, robot.base_position)}
    if robot.floating_base and robot.base == robot.root:
        poses[robot.root] = from_quaternion(q[3:7]), q[:3]
    values = joint_values(robot, q)
    for joint in robot.joints:
        R, p = poses[joint.parent]
        R, p = R @ joint.rotation, p + R @ joint.position
        if joint.kind == 'floating':
            R, p = R @ from_quaternion(q[3:7]), p + R @ q[:3]
        elif joint.kind == 'prismatic':
            p = p + values[joint.name] * R @ joint.axis
        elif joint.kind in ('revolute', 'continuous'):
            R = R @ turn(joint.axis, values[joint.name])
        poses[joint.child] = R, p
    return poses
