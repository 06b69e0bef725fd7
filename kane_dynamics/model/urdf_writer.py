# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""URDF writer: a Robot as text that load_urdf reads back to the last digit."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
import math
import sys
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from kane_dynamics.model.spring_reader import write_spring
from kane_dynamics.model.structure.links_and_joints import Inertial, Joint, Limits, Shape
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.rotations import to_rpy

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

SIZES: dict[str, tuple[str, ...]] = {
    'cylinder': ('radius', 'length'), 'capsule': ('radius', 'length'), 'sphere': ('radius',)}


def write_urdf(robot: Robot) -> str:
    """
    Return the robot as URDF text.

    A URDF does not hold gravity, the pose of the base, the argument floating_base and the loads of
    with_shapes_of: give them again. An infinite limit is written as the largest float.
    """
    root = ElementTree.Element('robot', name=robot.name)
    if any(_extended(joint.limits) for joint in robot.joints):
        root.set('version', '1.2')
    for link in robot.links:
        element = SubElement(root, 'link', name=link.name)
        if link.inertial is not None:
            element.append(inertial_element(link.inertial))
        for visual in link.visuals:
            _shape(element, 'visual', visual)
        for collision in link.collisions:
            _shape(element, 'collision', collision)
    for joint in robot.joints:
        _joint(root, joint)
    root.extend(deepcopy(element) for element in robot.extensions)
    for spring in robot.springs:
        write_spring(root, spring)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding='unicode', xml_declaration=False) + '\n'


def inertial_element(inertial: Inertial) -> Element:
    """Return <inertial>."""
    element = Element('inertial')
    _origin(element, np.eye(3), inertial.com)
    SubElement(element, 'mass', value=_text(inertial.mass))
    SubElement(element, 'inertia', {
        f'i{"xyz"[row]}{"xyz"[column]}': _text(inertial.inertia[row, column])
        for row in range(3) for column in range(row, 3)})
    return element


def _shape(link: Element, tag: str, shape: Shape) -> None:
    element = SubElement(link, tag)
    _origin(element, shape.rotation, shape.position)
    geometry = SubElement(SubElement(element, 'geometry'), shape.kind)
    if shape.kind == 'box':
        geometry.set('size', _texts(shape.size))
    elif shape.kind == 'mesh':
        geometry.set('filename', shape.filename)
        geometry.set('scale', _texts(shape.size))
    else:
        for key, value in zip(SIZES[shape.kind], shape.size):
            geometry.set(key, _text(value))
    if shape.colour is not None:
        rgba = _texts(shape.colour)
        SubElement(SubElement(element, 'material', name=f'rgba {rgba}'), 'color', rgba=rgba)


def _joint(root: Element, joint: Joint) -> None:
    element = SubElement(root, 'joint', name=joint.name, type=joint.kind)
    _origin(element, joint.rotation, joint.position)
    SubElement(element, 'parent', link=joint.parent)
    SubElement(element, 'child', link=joint.child)
    if joint.kind in ('fixed', 'floating'):
        return
    SubElement(element, 'axis', xyz=_texts(joint.axis))
    position = () if joint.kind == 'continuous' else ('lower', 'upper')
    # other readers expect all four, and read a missing one as zero
    SubElement(element, 'limit', {
        key: _text(getattr(joint.limits, key))
        for key in (*position, 'effort', 'velocity', *_extended(joint.limits))})
    dynamics = ['damping', 'friction'] + ['armature'] * bool(joint.armature)
    if any(getattr(joint, key) for key in dynamics):
        # urdfdom refuses a joint whose <dynamics> has neither damping nor friction
        SubElement(element, 'dynamics', {key: _text(getattr(joint, key)) for key in dynamics})
    if joint.mimic is not None:
        SubElement(element, 'mimic', joint=joint.mimic.joint,
                   multiplier=_text(joint.mimic.multiplier), offset=_text(joint.mimic.offset))


def _extended(limits: Limits) -> list[str]:
    """Return the attributes of a <limit> that need URDF 1.2; urdfdom reads none as infinity."""
    return [key for key in ('acceleration', 'jerk') if math.isfinite(getattr(limits, key))]


def _origin(element: Element, rotation: FloatArray, position: FloatArray) -> None:
    SubElement(element, 'origin', origin_attributes(rotation, position))


def origin_attributes(rotation: FloatArray, position: FloatArray) -> dict[str, str]:
    """Return the attributes of <origin>."""
    return {'xyz': _texts(position), 'rpy': _texts(to_rpy(rotation))}


def _text(value: float) -> str:
    """Return the shortest text that reads back as the same float."""
    if math.isinf(value):
        value = math.copysign(sys.float_info.max, value)
    return repr(float(value))


def _texts(values: Iterable[float]) -> str:
    return ' '.join(_text(value) for value in values)
