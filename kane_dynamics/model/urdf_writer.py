# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""URDF out: a Robot as text that load_urdf reads back to the last digit."""

from __future__ import annotations

from copy import deepcopy
import math
import sys
from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

import numpy as np

from kane_dynamics.model.rotations import to_rpy

VISUAL_SIZES = {'cylinder': ('radius', 'length'), 'capsule': ('radius', 'length'),
                'sphere': ('radius',)}


def write_urdf(robot):
    """
    Return the robot as URDF text.

    Gravity, the base placement and the wish for a floating base are no part of a URDF: give
    them to load_urdf and with_base again. An infinite bound is written as the largest float.
    """
    root = ElementTree.Element('robot', name=robot.name)
    for link in robot.links:
        element = SubElement(root, 'link', name=link.name)
        if link.inertial is not None:
            _inertial(element, link.inertial)
        for visual in link.visuals:
            _visual(element, visual)
    for joint in robot.joints:
        _joint(root, joint)
    root.extend(deepcopy(element) for element in robot.extensions)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding='unicode', xml_declaration=False) + '\n'


def _inertial(link, inertial):
    element = SubElement(link, 'inertial')
    _origin(element, np.eye(3), inertial.com)
    SubElement(element, 'mass', value=_text(inertial.mass))
    SubElement(element, 'inertia', {
        f'i{"xyz"[row]}{"xyz"[column]}': _text(inertial.inertia[row, column])
        for row in range(3) for column in range(row, 3)})


def _visual(link, visual):
    element = SubElement(link, 'visual')
    _origin(element, visual.rotation, visual.position)
    shape = SubElement(SubElement(element, 'geometry'), visual.kind)
    if visual.kind == 'box':
        shape.set('size', _texts(visual.size))
    elif visual.kind == 'mesh':
        shape.set('filename', visual.filename)
        shape.set('scale', _texts(visual.size))
    else:
        for key, value in zip(VISUAL_SIZES[visual.kind], visual.size):
            shape.set(key, _text(value))


def _joint(root, joint):
    element = SubElement(root, 'joint', name=joint.name, type=joint.kind)
    _origin(element, joint.rotation, joint.position)
    SubElement(element, 'parent', link=joint.parent)
    SubElement(element, 'child', link=joint.child)
    if joint.kind in ('fixed', 'floating'):
        return
    SubElement(element, 'axis', xyz=_texts(joint.axis))
    bounds = ('effort', 'velocity')
    if joint.kind != 'continuous':
        bounds = ('lower', 'upper') + bounds
    # other readers want all four, and take a bound that is left out for zero
    SubElement(element, 'limit', {key: _text(getattr(joint.limits, key)) for key in bounds})
    dynamics = ('damping', 'friction') + (('armature',) if joint.armature else ())
    if any(getattr(joint, key) for key in dynamics):
        # urdfdom refuses a joint whose <dynamics> has neither damping nor friction
        SubElement(element, 'dynamics', {key: _text(getattr(joint, key)) for key in dynamics})
    if joint.mimic is not None:
        SubElement(element, 'mimic', joint=joint.mimic.joint,
                   multiplier=_text(joint.mimic.multiplier), offset=_text(joint.mimic.offset))


def _origin(element, rotation, position):
    SubElement(element, 'origin', xyz=_texts(position), rpy=_texts(to_rpy(rotation)))


def _text(value):
    """Return the shortest text that reads back as the same float."""
    if math.isinf(value):
        value = math.copysign(sys.float_info.max, value)
    return repr(float(value))


def _texts(values):
    return ' '.join(_text(value) for value in values)
