# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Locked joints: an arm with fewer coordinates and the same links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
import math
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Joint, Link
from kane_dynamics.model.structure.springs import AttachedSpring, LinkSpring

if TYPE_CHECKING:
    from kane_dynamics.model.flexible.flexible_joint import FlexibleJoint


def lock_joints(robot: Robot, positions: Mapping[str, float]) -> Robot:
    """
    Return the robot with joints fixed at {name: position [rad or m]}; mimics follow their leader.

    All links are kept; those beyond a locked joint move with its parent. In a flexible joint the
    motor is locked, as by a brake: its spring still deflects, and 'joint/deflection' remains a
    coordinate. To lock the spring too, use `robot.rigid()`. A slider on a flexible link keeps its
    guide at its position along the beam: a new frame, named after the joint.
    """
    for name, value in positions.items():
        robot.joint_index(name)   # raises unless it is an independent joint
        if not math.isfinite(value):
            raise InputError(f'joint {name!r} cannot be locked at {value}; expected a finite '
                             'position')
    joints: list[Joint] = []
    fixed: dict[str, float] = {}
    guides: list[Link] = []
    for joint in robot.joints:
        q = positions.get(joint.name)
        if joint.mimic is not None and joint.mimic.joint in positions:
            q = joint.mimic.multiplier * positions[joint.mimic.joint] + joint.mimic.offset
        if q and joint.kind == 'prismatic' and joint.parent in robot.flexible_links:
            guide, joint = _on_guide(robot, joint)
            guides.append(Link(guide.child))
            joints.append(guide)
        if q is not None:
            fixed[joint.name] = q
        joints.append(joint if q is None else _fixed(joint, q))
    extensions = []
    for element in robot.extensions:
        name = element.get('reference', '')
        locked = element.tag == 'flexible_joint' and name in positions
        extensions.append(_mount(element, robot.flexible_joints[name]) if locked else element)
    changed = replace(robot, links=(*robot.links, *guides), joints=tuple(joints),
                      extensions=tuple(extensions), springs=())
    return replace(changed, springs=tuple(_moving_springs(robot.springs, changed, fixed)))


def _moving_springs(springs: Iterable[AttachedSpring], robot: Robot,
                    fixed: Mapping[str, float]) -> Iterator[AttachedSpring]:
    """Yield the springs that still change their length with joints fixed at {name: position}."""
    for spring in springs:
        if isinstance(spring, LinkSpring):
            first, second = (link for link, _ in spring.ends)
            if second not in robot.rigidly_fixed_to(first):
                yield spring
        elif spring.joint not in fixed:
            yield spring
        elif spring.joint in robot.flexible_joints:     # it is left with the deflection alone
            yield replace(spring, rest=spring.rest - fixed[spring.joint])


def _on_guide(robot: Robot, joint: Joint) -> tuple[Joint, Joint]:
    """Return a fixed joint to a new frame, the slider's guide, and the slider that leaves it."""
    taken = {*robot.link_names, *(each.name for each in robot.joints)}
    name = f'{joint.name}_guide'
    while name in taken or f'{name}_joint' in taken:
        name += '_'
    return (Joint(f'{name}_joint', 'fixed', joint.parent, name, joint.rotation, joint.position),
            replace(joint, parent=name, rotation=np.eye(3), position=np.zeros(3)))


def _mount(element: Element, elastic: FlexibleJoint) -> Element:
    """Return the <flexible_joint> of a joint whose motor is locked: that of a fixed joint."""
    attributes = dict(element.attrib, type=elastic.kind,
                      axis=' '.join(map(repr, elastic.axis)))
    del attributes['motor_inertia']
    return Element(element.tag, attributes)


def _fixed(joint: Joint, q: float) -> Joint:
    """Return the joint as a fixed one, at position q [rad or m]."""
    rotation, position = joint.child_pose(q)
    return replace(joint, kind='fixed', rotation=rotation, position=position, mimic=None)
