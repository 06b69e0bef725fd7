# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""URDF of a calibrated arm: the file of the arm with measured inertias, friction and rotors.

Visuals, collisions, transmissions and all else stay as they are. <dynamics> gets damping, friction
and armature, the rotor inertia at the joint; other tools ignore the latter.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

import numpy as np

from kane_dynamics.dynamics.calibration import Calibration, fixed_to
from kane_dynamics.io.xml_reader import parse_xml
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Joint
from kane_dynamics.model.urdf_edit import set_inertials, urdf_with_note
from kane_dynamics.model.urdf_writer import origin_attributes, write_urdf

FLEXIBLE = ('flexible_link', 'flexible_joint')      # identification treats the arm as rigid


def calibrated_urdf(calibration: Calibration, robot: Robot,
                    source: str | bytes | None = None) -> tuple[str, list[str]]:
    """Return URDF text of a robot with its Calibration, and what the text cannot hold.

    source: the URDF of the robot, which is kept but for the calibrated values; None: a new one is
    written from the robot. Joints that were locked are fixed. With

        robot = load_urdf(text)
        Dynamics(robot, Friction.of(robot, smoothing_speed=calibration.smoothing_speed))

    torques are those of `calibration.dynamics(robot)`, but for what the text cannot hold.
    """
    calibrated = calibration.apply(robot)
    root = parse_xml(write_urdf(robot) if source is None else source, robot.name).root
    missing = _missing(calibration)
    for element in [each for each in root if each.tag in FLEXIBLE]:
        root.remove(element)
        missing[:] = dict.fromkeys([*missing, 'flexible links and joints'])
    changed = {name for body in calibration.bodies
               for name in (body, *fixed_to(calibrated, body))}
    set_inertials(root, {name: calibrated.link(name).inertial for name in changed})
    joints = {joint.name: joint for joint in calibrated.joints}
    for element in root.findall('joint'):
        joint = joints.get(str(element.get('name')))
        if joint is not None and joint.kind == 'fixed' and element.get('type') != 'fixed':
            _fix(element, joint)
        elif joint is not None and joint.kind not in ('fixed', 'floating'):
            _set_dynamics(element, joint, calibration)
    note = 'Inertias, friction and rotors are calibrated by kane_dynamics.' + (
        f' Not in this file: {", ".join(missing)}.' if missing else '')
    return urdf_with_note(root, note), missing


def _missing(calibration: Calibration) -> list[str]:
    """Return the calibrated values that URDF has no element for."""
    rows = calibration.joints.values()
    missing = []
    if any(row.offset for row in rows):
        missing.append('offsets of the efforts')
    if any(row.stiction is not None and row.stiction != row.coulomb for row in rows):
        missing.append('the Stribeck effect')
    if any(row.load for row in rows):
        missing.append('friction that grows with the load')
    if any(row.coulomb for row in rows):
        missing.append('the smoothing of Coulomb friction within '
                       f'+-{calibration.smoothing_speed:g} rad/s')
    return missing


def _set_dynamics(element: Element, joint: Joint, calibration: Calibration) -> None:
    """Write friction and rotor of a joint; those of a mimic joint are in its leader's."""
    row = calibration.joints.get(joint.name)
    dynamics = element.find('dynamics')
    if dynamics is None:
        dynamics = SubElement(element, 'dynamics')
    dynamics.set('damping', repr(float(row.viscous if row else 0.0)))
    dynamics.set('friction', repr(float(row.coulomb if row else 0.0)))
    if joint.armature:
        dynamics.set('armature', repr(float(joint.armature)))
    else:
        dynamics.attrib.pop('armature', None)


def _fix(element: Element, joint: Joint) -> None:
    """Make a joint a fixed one, at the pose in which it was locked."""
    element.set('type', 'fixed')
    for name in ('origin', 'axis', 'limit', 'dynamics', 'mimic', 'calibration',
                 'safety_controller'):
        for child in element.findall(name):
            element.remove(child)
    pose = joint.rotation, np.asarray(joint.position, dtype=np.float64)
    element.insert(0, Element('origin', origin_attributes(*pose)))
