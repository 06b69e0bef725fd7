# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Elements <spring> of a URDF, read and written.

    <spring joint="joint_2" stiffness="200" rest="0.3"/>
    <spring stiffness="4000" rest="0.2" preload="50">
      <end link="base_link" xyz="0 0 0.6"/>
      <end link="upper_arm" xyz="0.25 0 0"/>
    </spring>

The law and the units are those of `model/structure/springs.py`.
"""

from __future__ import annotations

from typing import NoReturn, TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.io.extension_element import Extension
from kane_dynamics.io.text import known
from kane_dynamics.model.structure.springs import (
    AttachedSpring, End, JointSpring, LinkSpring, spring_label)

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

LAW = ('stiffness', 'rest', 'preload')


def read_spring(element: Element, where: str) -> AttachedSpring:
    """Return the spring of a <spring> element; where: its file and line."""
    tag = Extension(element, where)
    tag.allow(('name', 'joint', *LAW), ('end',))
    stiffness, rest, preload = (tag.number(key, 0.0) for key in LAW)
    ends = tag.children('end')
    if tag.has('joint') and not ends:
        return tag.build(JointSpring, joint=tag.text('joint'), stiffness=stiffness, rest=rest,
                         preload=preload)
    if tag.has('joint') or len(ends) != 2:
        tag.fail('expected the attribute joint, or two elements <end link="..." xyz="..."/>; got '
                 f'{len(ends)} of these{" and joint" * tag.has("joint")}')
    first, second = (_end(end) for end in ends)
    return tag.build(LinkSpring, ends=(first, second), stiffness=stiffness, rest=rest,
                     preload=preload)


def _end(tag: Extension) -> End:
    tag.allow(('link', 'xyz'))
    return tag.text('link'), np.array(tag.vector('xyz', (0.0, 0.0, 0.0)))


def write_spring(root: Element, spring: AttachedSpring) -> None:
    """Add the <spring> element of a spring."""
    law = {key: repr(float(getattr(spring, key))) for key in LAW}
    if isinstance(spring, JointSpring):
        SubElement(root, 'spring', {'joint': spring.joint, **law})
        return
    element = SubElement(root, 'spring', law)
    for link, point in spring.ends:
        SubElement(element, 'end', link=link, xyz=' '.join(repr(float(x)) for x in point))


def check_spring(robot: Robot, spring: AttachedSpring, where: str = '') -> None:
    """Raise a ModelError for a spring on links or joints that cannot hold it."""
    def fail(message: str) -> NoReturn:
        raise ModelError(f'{where + ": " if where else ""}{spring_label(spring)}: {message}')

    if isinstance(spring, JointSpring):
        moving = [joint.name for joint in robot.joints
                  if joint.kind in ('revolute', 'continuous', 'prismatic')
                  or joint.name in robot.flexible_joints]
        if spring.joint not in moving:
            fail(f'there is no such moving joint; there are {known(moving)}')
        return
    for link, _ in spring.ends:
        if link not in robot.link_names:
            fail(f'no link {link!r}; there are {known(robot.link_names)}')
        if link in robot.flexible_links:
            fail(f'{link!r} is flexible: name a massless link on a fixed joint at that point of '
                 'the beam instead')
    held = robot.rigidly_fixed_to(spring.ends[0][0])
    if spring.ends[1][0] in held:
        fail('both links are one rigid body, so that its length never changes')
