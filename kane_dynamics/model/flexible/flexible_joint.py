# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible joints: a motor behind a spring, <flexible_joint reference=... stiffness=... />.

On a fixed joint it is a spring without a motor: a compliant mount, or a joint with its brake on.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import get_args, Literal, TYPE_CHECKING

from kane_dynamics.io.extension_element import Extension
from kane_dynamics.io.text import known
from kane_dynamics.model.structure.links_and_joints import Joint
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.validation import unit

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

SpringKind = Literal['revolute', 'prismatic']
KINDS: tuple[SpringKind, ...] = get_args(SpringKind)


@dataclass(frozen=True)
class FlexibleJoint:
    """
    A series elasticity between the motor angle theta and the joint angle q, both at the joint.

    motor_inertia * thetadd = tau - k (theta - q) - d (thetad - qd); the last two terms act on the
    link with the opposite sign. On a fixed joint theta = 0.
    """

    joint: str
    stiffness: float       # k [N m/rad or N/m]
    damping: float         # d [N m s/rad or N s/m]
    motor_inertia: float   # reflected to the joint [kg m^2 or kg]; 0 on a fixed joint
    kind: SpringKind
    axis: tuple[float, float, float]   # unit vector in the joint frame


def read_flexible_joints(robot: Robot) -> dict[str, FlexibleJoint]:
    """Return {joint name: FlexibleJoint} of the <flexible_joint> elements, in tree order."""
    found: dict[str, FlexibleJoint] = {}
    for element in robot.extensions:
        if element.tag == 'flexible_joint':
            joint = _read(Extension(element, robot.source), robot, found)
            found[joint.joint] = joint
    return {joint.name: found[joint.name] for joint in robot.joints if joint.name in found}


def _read(tag: Extension, robot: Robot, found: Collection[str]) -> FlexibleJoint:
    tag.allow(('reference', 'stiffness', 'damping', 'motor_inertia', 'type', 'axis'))
    name = tag.element.get('reference')
    joints = {joint.name: joint for joint in robot.joints
              if joint.kind == 'fixed' or joint.name in robot.joint_names}
    if name is None:
        tag.fail("the attribute 'reference' is missing: the joint it describes; "
                 f'joints: {known(robot.joint_names)}')
    if name not in joints:
        tag.fail('the robot has no such joint, independent or fixed; '
                 f'joints: {known(robot.joint_names)}')
    if name in found:
        tag.fail('describes this joint a second time; expected one element')
    fixed = joints[name].kind == 'fixed'
    kind, (x, y, z) = _freedom(tag, joints[name])
    values = {key: tag.number(key) for key in ('stiffness', 'motor_inertia')[:1 if fixed else 2]}
    for key, value in values.items():
        if value <= 0.0:
            tag.fail(f'{key}: expected more than 0, got {value:g}')
    return FlexibleJoint(name, values['stiffness'], tag.number('damping', 0.0, low=0.0),
                         values.get('motor_inertia', 0.0), kind, (float(x), float(y), float(z)))


def _freedom(tag: Extension, joint: Joint) -> tuple[SpringKind, FloatArray]:
    """Return the kind of motion that the spring allows, and its axis (3,)."""
    if joint.kind != 'fixed':
        for key in ('type', 'axis'):
            if tag.has(key):
                tag.fail(f'{key}: only for a fixed joint; this one is {joint.kind} and has an '
                         'axis, leave it out')
        return 'prismatic' if joint.kind == 'prismatic' else 'revolute', joint.axis
    if tag.has('motor_inertia'):
        tag.fail('motor_inertia: the joint is fixed and has no motor, leave it out')
    for key in ('type', 'axis'):
        if not tag.has(key):
            tag.fail(f'the attribute {key!r} is missing: the joint is fixed, so type="revolute" '
                     'or "prismatic" and axis="x y z" describe the motion of its spring')
    given = tag.text('type', choices=KINDS)
    return (next(kind for kind in KINDS if kind == given),
            tag.build(unit, tag.vector('axis'), 'axis'))
