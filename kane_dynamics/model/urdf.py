# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""URDF in: a path, XML text or xacro -> Robot; what cannot be computed is refused by name."""

from __future__ import annotations

import logging
import math
from pathlib import Path

from kane_dynamics.exceptions import InputError, MissingDependencyError, ModelError
from kane_dynamics.model.physical import enforce
from kane_dynamics.model.robot import (
    Inertial, Joint, JOINT_KINDS, Limits, Link, Mimic, MOVING_KINDS, Robot, Visual)
from kane_dynamics.model.rotations import from_quaternion, from_rpy
from kane_dynamics.model.topology import floating_joint, resolve_mimics, tree_order
from kane_dynamics.model.urdf_element import UrdfElements
from kane_dynamics.model.xml_reader import MAX_BYTES, parse_xml

MAX_LINKS = 5000
UNBOUNDED = 1e300  # URDF has no word for infinity
EXTENSIONS = ('flexible_link', 'flexible_joint')
LOG = logging.getLogger('kane_dynamics')


def load_urdf(source, gravity=(0.0, 0.0, -9.81), floating_base=False, unphysical='refuse'):
    """
    Return the Robot that a URDF describes.

    source: a path, a .xacro path (needs the xacro package, which evaluates the expressions in the
    file: open only files you trust), or the XML text itself.
    gravity: (3,) in the world's axes [m/s^2]. floating_base: let the root link move freely; a
    file whose massless root has a floating joint does so by itself. unphysical: 'refuse' masses
    and inertias that no body has, or 'warn'; what is merely odd is a KaneDynamicsWarning.

    Read from each joint: origin, axis, limit, mimic and dynamics. Of `<dynamics>`: damping,
    friction and, as our additions, armature [kg m^2 or kg] or rotor_inertia with gear_ratio
    (armature = rotor_inertia gear_ratio^2). A limit without lower and upper bounds nothing;
    with one of the two, the other is 0 as the URDF specification says; 1e300 and more is
    unlimited. Meshes are not opened.

    Flexible links are told, with their frequencies, to the logger 'kane_dynamics' (info).
    """
    data, name = _read(source)
    document = parse_xml(data, name)
    robot = enforce(_robot(UrdfElements(document), gravity, floating_base), unphysical)
    _ = robot.flexible_joints           # read now: what is wrong in them is told at load
    for link in robot.flexible_links.values():
        LOG.info(link.describe())
    return robot


def _read(source):
    """Return the bytes or text of a source and its name for messages."""
    if isinstance(source, bytes):
        return source, '<bytes>'
    if isinstance(source, str) and source.lstrip('\ufeff \t\r\n').startswith('<'):
        return source, '<text>'
    if not isinstance(source, (str, Path)):
        raise InputError('load_urdf: expected a path or XML text, '
                         f'got {type(source).__name__}')
    try:
        path = Path(source).expanduser()
        if not path.is_file():
            problem = 'is a folder' if path.is_dir() else 'no such file'
            raise ModelError(f'{str(source)[:200]!r}: {problem}; '
                             'expected the path of a URDF or its XML text')
        if path.suffix == '.xacro':
            return _expand_xacro(path), path.name
        with path.open('rb') as file:
            return file.read(MAX_BYTES + 1), path.name
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f'{str(source)[:200]!r}: cannot be read: {error}') from None


def _expand_xacro(path):
    """Return the URDF text that the xacro package makes of a file."""
    try:
        import xacro
    except ImportError:
        raise MissingDependencyError(
            f'{path.name}: reading xacro needs the xacro package; install it with '
            "'pip install xacro' or 'apt install ros-$ROS_DISTRO-xacro'") from None
    try:
        return xacro.process_file(str(path)).toxml()
    except Exception as error:  # xacro raises many kinds, also from expressions in the file
        raise ModelError(
            f'{path.name}: xacro failed: {type(error).__name__}: {error}; a file that wants '
            f'arguments or packages is expanded first: xacro {path.name} NAME:=VALUE > arm.urdf'
        ) from error


def _robot(xml, gravity, floating_base):
    root = xml.root
    if root.tag != 'robot':
        xml.fail(root, f'expected the root element <robot>, got <{root.tag[:60]}>')
    name = xml.name(root) if 'name' in root.attrib else 'robot'
    if any(child.tag.startswith('xacro:') for child in root):
        xml.fail(root, 'holds xacro: elements; expand it with xacro first, '
                 'or give the path of a .xacro file')
    if len(root.findall('link')) > MAX_LINKS or len(root.findall('joint')) > MAX_LINKS:
        xml.fail(root, f'more than {MAX_LINKS} links or joints')
    lines = {}
    links, joints = [], []
    for element in root:
        if element.tag in ('link', 'joint'):
            key = (element.tag, xml.name(element))
            lines[key] = element
            part = _link(xml, element) if element.tag == 'link' else _joint(xml, element)
            (links if element.tag == 'link' else joints).append(part)

    def fail(kind, part, message):
        xml.fail(lines.get((kind, part), root), message)

    # the same checks as in Robot, here with the line of the element in the message
    links, joints = tree_order(links, joints, fail)
    joints = resolve_mimics(joints, fail)
    floating_joint(links, joints, fail)
    extensions = tuple(element for element in root if element.tag in EXTENSIONS)
    return Robot(name, links, joints, gravity, floating_base,
                 extensions=extensions, source=xml.source)


def _link(xml, element):
    inertial = xml.child(element, 'inertial')
    visuals = (_visual(xml, visual) for visual in element.findall('visual'))
    return Link(xml.name(element),
                None if inertial is None else _inertial(xml, inertial),
                tuple(visual for visual in visuals if visual is not None))


def _inertial(xml, element):
    R, p = _origin(xml, element)
    mass = xml.number(xml.child(element, 'mass', required=True), 'value')
    tensor = xml.child(element, 'inertia', required=True)
    xx, xy, xz, yy, yz, zz = (
        xml.number(tensor, key) for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'))
    inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    # I in the link's axes: R I R'
    return xml.build(element, Inertial, mass, p, R @ inertia @ R.T)


def _visual(xml, element):
    R, p = _origin(xml, element)
    geometry = xml.child(element, 'geometry')
    shape = next(iter(geometry), None) if geometry is not None else None
    if shape is None:
        return None
    filename = ''
    if shape.tag == 'box':
        size = xml.vector(shape, 'size', (1.0, 1.0, 1.0))
    elif shape.tag in ('cylinder', 'capsule'):
        size = (xml.number(shape, 'radius'), xml.number(shape, 'length'))
    elif shape.tag == 'sphere':
        size = (xml.number(shape, 'radius'),)
    elif shape.tag == 'mesh':
        size = xml.vector(shape, 'scale', (1.0, 1.0, 1.0))
        filename = shape.get('filename', '')
    else:
        return None  # a shape of some other tool; it is not drawn and has no mass
    return xml.build(element, Visual, shape.tag, tuple(size), R, p, filename)


def _joint(xml, element):
    name, kind = xml.name(element), element.get('type')
    if kind not in JOINT_KINDS:
        shown = 'has no type' if kind is None else f'is {kind[:60]!r}'
        xml.fail(element, f'{shown}; supported: {", ".join(JOINT_KINDS)}')
    parent, child = (
        xml.name(xml.child(element, role, required=True), 'link') for role in ('parent', 'child'))
    R, p = _origin(xml, element)
    moves = kind in MOVING_KINDS
    axis = xml.child(element, 'axis') if moves else None
    dynamics = xml.child(element, 'dynamics') if moves else None
    return xml.build(
        element, Joint, name, kind, parent, child, R, p,
        axis=(1.0, 0.0, 0.0) if axis is None else xml.vector(axis, 'xyz'),
        limits=_limits(xml, xml.child(element, 'limit'), kind) if moves else Limits(),
        damping=xml.number(dynamics, 'damping', 0.0),
        friction=xml.number(dynamics, 'friction', 0.0),
        armature=_armature(xml, dynamics),
        mimic=_mimic(xml, xml.child(element, 'mimic')) if moves else None)


def _limits(xml, element, kind):
    if element is None:
        return Limits()
    bounds = {}
    if kind != 'continuous' and ('lower' in element.attrib or 'upper' in element.attrib):
        bounds = {key: xml.number(element, key, 0.0) for key in ('lower', 'upper')}
    bounds.update((key, xml.number(element, key))
                  for key in ('velocity', 'effort') if key in element.attrib)
    for key, value in bounds.items():
        if abs(value) >= UNBOUNDED:
            bounds[key] = math.copysign(math.inf, value)
    return xml.build(element, Limits, **bounds)


def _armature(xml, element):
    armature = xml.number(element, 'armature', 0.0)
    rotor = xml.number(element, 'rotor_inertia', 0.0)
    if armature and rotor:
        xml.fail(element, 'has both armature and rotor_inertia; give one of them')
    ratio = xml.number(element, 'gear_ratio', 1.0)
    return armature + rotor * ratio * ratio


def _mimic(xml, element):
    if element is None:
        return None
    return xml.build(element, Mimic, xml.name(element, 'joint'),
                     xml.number(element, 'multiplier', 1.0), xml.number(element, 'offset', 0.0))


def _origin(xml, element):
    """Return R (3, 3) and p (3,) of the <origin> child; the identity and zero without one."""
    origin = xml.child(element, 'origin')
    position = xml.vector(origin, 'xyz', (0.0, 0.0, 0.0))
    if origin is not None and 'quat_xyzw' in origin.attrib:
        if 'rpy' in origin.attrib:
            xml.fail(origin, 'has both rpy and quat_xyzw; give one of them')
        quaternion = xml.vector(origin, 'quat_xyzw', size=4)
        return xml.build(origin, from_quaternion, quaternion), position
    return from_rpy(xml.vector(origin, 'rpy', (0.0, 0.0, 0.0))), position
