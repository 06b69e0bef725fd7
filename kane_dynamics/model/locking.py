# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Joints held where they are: an arm with fewer coordinates and the same links."""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.model.robot import Robot


def lock_joints(robot, positions) -> Robot:
    """
    Return the robot with joints fixed at {name: position [rad or m]}; mimics follow their leader.

    Every link stays; those beyond a locked joint move with the link before it.
    """
    for name, value in positions.items():
        robot.joint_index(name)   # raises for a name that is no independent joint
        if not math.isfinite(value):
            raise InputError(f'joint {name!r} cannot be locked at {value}')
    joints = []
    for joint in robot.joints:
        value = positions.get(joint.name)
        if joint.mimic is not None and joint.mimic.joint in positions:
            value = joint.mimic.multiplier * positions[joint.mimic.joint] + joint.mimic.offset
        joints.append(joint if value is None else _fixed(joint, value))
    return replace(robot, joints=tuple(joints))


def _fixed(joint, value):
    rotation, position = joint.rotation, joint.position
    if joint.kind == 'prismatic':
        position = position + rotation @ joint.axis * value
    else:
        rotation = rotation @ _turn(joint.axis, value)
    return replace(joint, kind='fixed', rotation=rotation, position=position, mimic=None)


def _turn(axis, angle):
    # R = 1 + sin K + (1 - cos) K^2, K the cross product with the axis (Rodrigues 1840)
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)
