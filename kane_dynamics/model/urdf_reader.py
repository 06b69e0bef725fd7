# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""URDF reader: a Robot from a path, XML text or xacro; errors name file, line and element.

`load_urdf` is for users: it opens files. `parse_urdf` is for text from elsewhere (a topic, a
parameter, a network): it never opens a file.
"""

from __future__ import annotations

import logging
import math
from pathlib import Path
from typing import NoReturn
import warnings
from xml.etree.ElementTree import Element

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsWarning, ModelError
from kane_dynamics.io.limits import LINKS
from kane_dynamics.io.text import clean, show, WORD
from kane_dynamics.io.urdf_elements import UrdfElements
from kane_dynamics.io.xml_reader import parse_xml
from kane_dynamics.model.inertia_checks import enforce, Unphysical
from kane_dynamics.model.robot import gravity_vector, Robot
from kane_dynamics.model.spring_reader import check_spring, read_spring
from kane_dynamics.model.structure.links_and_joints import Inertial, Joint, Limits, Link, Mimic
from kane_dynamics.model.structure.topology import JOINT_KINDS, JointKind, MOVING_KINDS
from kane_dynamics.model.urdf_shapes import (
    Colours, named_colours, read_origin, read_shapes, version_of)
from kane_dynamics.model.urdf_source import is_xml, read_source, UNNAMED
from kane_dynamics.numerics.array_types import ArrayLike

VERSIONS = ('1.0', '1.1', '1.2')    # of the specification, as urdfdom 6 reads them
EXTENDED_LIMITS = ('acceleration', 'deceleration', 'jerk')      # of version 1.2
UNBOUNDED = 1e300  # URDF has no word for infinity
EXTENSIONS = ('flexible_link', 'flexible_joint')
LOG = logging.getLogger('kane_dynamics')


def load_urdf(source: str | bytes | Path, gravity: ArrayLike = (0.0, 0.0, -9.81),
              floating_base: bool = False, unphysical: Unphysical = 'refuse') -> Robot:
    """
    Return the Robot that a URDF describes.

    source: a path, a .xacro path (needs the xacro package, which evaluates the expressions in the
    file: open only files you trust), or the XML text itself.
    gravity: (3,) in the world's axes [m/s^2]. floating_base: the root link moves freely; a file
    with a floating joint at a massless root needs no such argument. unphysical: 'refuse' masses
    and inertias that no body has, or 'warn'; implausible ones give a KaneDynamicsWarning.

    Read from each joint: origin, axis, limit, mimic and dynamics. Read from `<dynamics>`: damping,
    friction and, as extensions, armature [kg m^2 or kg] or rotor_inertia with gear_ratio
    (armature = rotor_inertia gear_ratio^2). Without lower and upper the position is unlimited;
    with one of the two, the other is 0 as the URDF specification says; values of 1e300 and more
    are unlimited. Limits of a mimic joint limit its leader; its damping, friction and armature
    count there by virtual work. Meshes are not opened. An origin may have quat_xyzw instead of rpy
    where <robot> has version="1.1" or "1.2"; in version 1.0, the default, urdfdom ignores it. In
    version 1.2 a limit may have acceleration, deceleration and jerk; the smaller one of the first
    two limits the acceleration in both directions.

    Refused, because digits would be lost: joint positions and mass centres beyond 1e5 m, mimic
    offsets beyond 1e3 rad or 1e5 m, mimic multipliers beyond 1e6.

    Extensions: `<flexible_link>`, `<flexible_joint>` and `<spring>`, on a joint or between links.

    The logger 'kane_dynamics' (info) lists the flexible links with their frequencies.

    Text from outside the process goes to `parse_urdf`, which never opens a file.
    """
    data, name = read_source(source)
    folder = ''
    if isinstance(source, (str, Path)) and name not in UNNAMED:
        folder = str(Path(source).expanduser().resolve().parent)
    return _load(data, name, gravity, floating_base, unphysical, folder)


def parse_urdf(text: str | bytes, gravity: ArrayLike = (0.0, 0.0, -9.81),
               floating_base: bool = False, unphysical: Unphysical = 'refuse',
               name: str = '<text>') -> Robot:
    """
    Return the Robot that URDF text describes; no file is opened and xacro is not run.

    text: XML; anything else, such as the path of a file, is refused. name: the source in messages.
    The other arguments: see `load_urdf`.
    """
    if not isinstance(text, (str, bytes)):
        raise InputError(f'parse_urdf: expected XML text, got {type(text).__name__}')
    if isinstance(text, str) and not is_xml(text):
        raise ModelError(f'{name}: expected the XML text of a URDF, got {show(text)}; the path of '
                         'a file goes to load_urdf, or to the parameter robot_description_file')
    return _load(text, name, gravity, floating_base, unphysical)


def _load(data: str | bytes, name: str, gravity: ArrayLike, floating_base: bool,
          unphysical: Unphysical, folder: str = '') -> Robot:
    document = parse_xml(data, name)
    xml = UrdfElements(document)
    robot = _robot(xml, gravity, floating_base, folder)
    for spring, element in zip(robot.springs, xml.root.findall('spring')):
        check_spring(robot, spring, xml.where(element))
    robot = enforce(robot, unphysical, stacklevel=3)
    conflicts = [f'{name}: {conflict}' for conflict in robot.limit_conflicts]
    for message in filter(None, [_ignored_limits(xml), *conflicts]):
        warnings.warn(message, KaneDynamicsWarning, stacklevel=3)
    _ = robot.flexible_joints           # read now: errors in them are raised at load
    for link in robot.flexible_links.values():
        LOG.info(link.describe())
    return robot


def _robot(xml: UrdfElements, gravity: ArrayLike, floating_base: bool, folder: str) -> Robot:
    root = xml.root
    if root.tag != 'robot':
        xml.fail(root, f'expected the root element <robot>, got <{clean(root.tag, WORD)}>')
    name = xml.name(root) if 'name' in root.attrib else 'robot'
    if version_of(xml) not in VERSIONS:
        xml.fail(root, f'version: expected one of {", ".join(VERSIONS)}, got '
                 f'{show(root.get("version"))}')
    if any(child.tag.startswith('xacro:') for child in root):
        xml.fail(root, 'has xacro: elements; expand it with xacro first, '
                 'or give the path of a .xacro file')
    if max(len(root.findall('link')), len(root.findall('joint'))) > LINKS.value:
        xml.fail(root, LINKS.exceeded)
    elements: dict[tuple[str, str], Element] = {}
    links, joints = [], []
    colours = named_colours(xml)
    for element in root:
        if element.tag == 'link':
            links.append(_link(xml, element, colours))
            elements['link', links[-1].name] = element
        elif element.tag == 'joint':
            joints.append(_joint(xml, element))
            elements['joint', joints[-1].name] = element

    def fail(kind: str, name: str, message: str) -> NoReturn:
        xml.fail(elements.get((kind, name), root), message)

    extensions = tuple(element for element in root if element.tag in EXTENSIONS)
    return Robot(name, tuple(links), tuple(joints), gravity_vector(gravity), floating_base,
                 extensions=extensions, source=xml.source, folder=folder, fail=fail,
                 springs=tuple(read_spring(element, xml.where(element))
                               for element in root.findall('spring')))


def _link(xml: UrdfElements, element: Element, colours: Colours) -> Link:
    inertial = xml.child(element, 'inertial')
    return Link(xml.name(element),
                None if inertial is None else _inertial(xml, inertial),
                read_shapes(xml, element, 'visual', colours),
                read_shapes(xml, element, 'collision'))


def _inertial(xml: UrdfElements, element: Element) -> Inertial:
    R, p = read_origin(xml, element)
    mass = xml.required_child(element, 'mass')
    value = xml.number(mass, 'value')
    tensor = xml.required_child(element, 'inertia')
    xx, xy, xz, yy, yz, zz = (
        xml.number(tensor, key) for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'))
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    # I in the link's axes: R I R'
    return xml.build(element, Inertial, value, p, R @ inertia @ R.T, xml.where(mass))


def _joint(xml: UrdfElements, element: Element) -> Joint:
    name, given = xml.name(element), element.get('type')
    kind = next((known for known in JOINT_KINDS if known == given), None)
    if kind is None:
        shown = 'has no type' if given is None else f'is {show(given)}'
        xml.fail(element, f'{shown}; supported: {", ".join(JOINT_KINDS)}')
    parent, child = (
        xml.name(xml.required_child(element, role), 'link') for role in ('parent', 'child'))
    R, p = read_origin(xml, element)
    moves = kind in MOVING_KINDS
    axis = xml.child(element, 'axis') if moves else None
    dynamics = xml.child(element, 'dynamics') if moves else None
    return xml.build(
        element, Joint, name, kind, parent, child, R, p,
        axis=np.array((1.0, 0.0, 0.0) if axis is None else xml.vector(axis, 'xyz')),
        limits=_limits(xml, xml.child(element, 'limit'), kind) if moves else Limits(),
        damping=xml.number(dynamics, 'damping', 0.0),
        friction=xml.number(dynamics, 'friction', 0.0),
        armature=_armature(xml, dynamics),
        mimic=_mimic(xml, xml.child(element, 'mimic')) if moves else None)


def _limits(xml: UrdfElements, element: Element | None, kind: JointKind) -> Limits:
    if element is None:
        return Limits()
    bounds: dict[str, float] = {}
    if kind != 'continuous' and ('lower' in element.attrib or 'upper' in element.attrib):
        bounds = {key: xml.number(element, key, 0.0) for key in ('lower', 'upper')}
    extended = EXTENDED_LIMITS if version_of(xml) == '1.2' else ()
    bounds.update((key, xml.number(element, key))
                  for key in ('velocity', 'effort', *extended) if key in element.attrib)
    if 'deceleration' in bounds:
        slowing = bounds.pop('deceleration')
        if slowing < 0.0:
            xml.fail(element, f'limit deceleration: expected at least 0, got {slowing:g}')
        bounds['acceleration'] = min(slowing, bounds.get('acceleration', math.inf))
    for key, value in bounds.items():
        if abs(value) >= UNBOUNDED:
            bounds[key] = math.copysign(math.inf, value)
    return xml.build(element, Limits, **bounds)


def _ignored_limits(xml: UrdfElements) -> str:
    """Return a sentence on limits that the file's version does not have; '' if there are none."""
    for element in xml.root.iterfind('joint/limit'):
        if version_of(xml) != '1.2' and not set(EXTENDED_LIMITS).isdisjoint(element.attrib):
            return (f'{xml.where(element)}: acceleration, deceleration and jerk of a <limit> need '
                    'URDF 1.2; ignored, as in urdfdom: write <robot version="1.2" ...>')
    return ''


def _armature(xml: UrdfElements, element: Element | None) -> float:
    armature = xml.number(element, 'armature', 0.0)
    rotor = xml.number(element, 'rotor_inertia', 0.0)
    if element is not None and armature and rotor:
        xml.fail(element, 'has both armature and rotor_inertia; give one of them')
    ratio = xml.number(element, 'gear_ratio', 1.0)
    return armature + rotor * ratio * ratio


def _mimic(xml: UrdfElements, element: Element | None) -> Mimic | None:
    if element is None:
        return None
    return xml.build(element, Mimic, xml.name(element, 'joint'),
                     xml.number(element, 'multiplier', 1.0), xml.number(element, 'offset', 0.0))
