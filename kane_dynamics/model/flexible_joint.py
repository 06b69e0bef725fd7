# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible joints: a motor behind a spring, <flexible_joint reference=... stiffness=... />."""

from __future__ import annotations

from dataclasses import dataclass

from kane_dynamics.model.extension import Extension
from kane_dynamics.model.topology import known


@dataclass(frozen=True)
class FlexibleJoint:
    """
    A series elasticity: the joint turns by q, its motor by theta, both on the joint's side.

    motor_inertia * thetadd = tau - k (theta - q) - d (thetad - qd); the link feels the last two.
    """

    joint: str
    stiffness: float       # k [N m/rad or N/m]
    damping: float         # d [N m s/rad or N s/m]
    motor_inertia: float   # reflected to the joint [kg m^2 or kg]


def read_flexible_joints(robot):
    """Return {joint name: FlexibleJoint} of the robot's <flexible_joint> elements, in q order."""
    found = {}
    for element in robot.extensions:
        if element.tag == 'flexible_joint':
            joint = _read(Extension(element, robot.source), robot, found)
            found[joint.joint] = joint
    return {name: found[name] for name in robot.joint_names if name in found}


def _read(tag, robot, found):
    tag.allow(('reference', 'stiffness', 'damping', 'motor_inertia'))
    name = tag.text('reference', None)
    if name is None:
        tag.fail("the attribute 'reference' is missing: the joint it describes; "
                 f'joints: {known(robot.joint_names)}')
    if name not in robot.joint_names:
        tag.fail('the robot has no such independent moving joint; '
                 f'joints: {known(robot.joint_names)}')
    if name in found:
        tag.fail('describes this joint a second time; expected one element')
    values = {key: tag.number(key) for key in ('stiffness', 'motor_inertia')}
    for key, value in values.items():
        if value <= 0.0:
            tag.fail(f'{key}: expected more than 0, got {value:g}')
    return FlexibleJoint(name, damping=tag.number('damping', 0.0, low=0.0), **values)
