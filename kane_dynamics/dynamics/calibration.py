# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What was measured of one arm: friction, rotors and inertias, in a file beside its URDF.

`kane identify` writes it; Dynamics, the nodes, `kane evaluate` and people read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
import json
from pathlib import Path

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.locking import lock_joints
from kane_dynamics.model.marked_yaml import read_yaml
from kane_dynamics.model.robot import Inertial

FORMAT = 'kane_dynamics calibration 1'
BODY = ('mass', 'centre', 'inertia')
INERTIA = ('xx', 'xy', 'xz', 'yy', 'yz', 'zz')
ROUND_OFF = 1e-9      # of the largest eigenvalue: a flat body has one that is zero


@dataclass(frozen=True)
class JointCalibration:
    """Friction and rotor of one joint; see `Friction` for the terms. None: not told."""

    coulomb: float = 0.0
    viscous: float = 0.0
    offset: float = 0.0
    stiction: float | None = None
    stribeck_speed: float | None = None
    load: float = 0.0
    rotor_inertia: float | None = None    # [kg m^2 or kg]; None: what the URDF says


@dataclass(frozen=True, eq=False)
class Calibration:
    """Figures of one arm that stand in for those of its URDF.

    joints: {name: JointCalibration}, every joint that moves. bodies: {link: Inertial} for all that
    moves as one with the link, in its frame; links that are fixed to it then count as massless.
    Nothing that bends can be among it, and a joint with a spring keeps the rotor of its URDF.
    locked: {joint: position} of the joints that stood still. facts: how it was found, as plain
    text, numbers, lists and mappings; nothing is computed from it.
    """

    robot: str
    joints: dict
    bodies: dict = field(default_factory=dict)
    locked: dict = field(default_factory=dict)
    smoothing_speed: float = 0.01
    facts: dict = field(default_factory=dict)

    def apply(self, robot):
        """Return the Robot with these inertias and rotors, its locked joints fixed."""
        robot = lock_joints(robot, {name: value for name, value in self.locked.items()
                                    if name in robot.joint_names})
        self._require_joints(robot)
        self._require_bodies(robot)
        joints = tuple(
            joint if self._rotor(joint) is None else replace(joint, armature=self._rotor(joint))
            for joint in robot.joints)
        robot = replace(robot, joints=joints)
        for link, inertial in self.bodies.items():
            for other in _fixed_to(robot, link):
                robot = robot.with_inertial(other, None)
            robot = robot.with_inertial(link, inertial)
        return robot

    def friction(self, robot):
        """Return the Friction of the robot's joints, in its order."""
        self._require_joints(robot)
        rows = [self.joints[name] for name in robot.joint_names]
        stiction = None
        if any(row.stiction is not None for row in rows):
            stiction = [row.coulomb if row.stiction is None else row.stiction for row in rows]
        return Friction(
            viscous=[row.viscous for row in rows], coulomb=[row.coulomb for row in rows],
            stiction=stiction, stribeck_speed=[row.stribeck_speed or 0.1 for row in rows],
            smoothing_speed=self.smoothing_speed, offset=_or_none([row.offset for row in rows]),
            load=_or_none([row.load for row in rows]))

    def dynamics(self, robot, **options):
        """Return the Dynamics of a robot with this calibration."""
        robot = self.apply(robot)
        return Dynamics(robot, self.friction(robot), **options)

    def save(self, path):
        """Write the file."""
        Path(path).write_text(self.to_yaml(), encoding='utf-8')

    def to_yaml(self):
        """Return the text of the file: what `load_calibration` reads back to the last bit."""
        lines = ['# Friction, rotors and inertias of an arm: see doc/recorded_motion.md.',
                 f'format: {FORMAT}', f'robot: {json.dumps(self.robot)}',
                 f'smoothing_speed: {self.smoothing_speed!r}   # [rad/s or m/s]']
        if self.locked:
            lines += ['locked:', *(f'  {json.dumps(name)}: {value!r}'
                                   for name, value in self.locked.items())]
        lines.append('joints:   # [N m, N m s/rad, kg m^2]; of a prismatic joint [N, N s/m, kg]')
        for name, row in self.joints.items():
            told = {each.name: getattr(row, each.name) for each in fields(row)}
            lines.append(f'  {json.dumps(name)}: ' + '{' + ', '.join(
                f'{key}: {float(value)!r}' for key, value in told.items() if value is not None)
                + '}')
        if self.bodies:
            lines.append('bodies:   # all that moves with the link, in its frame [kg, m, kg m^2]')
        for link, body in self.bodies.items():
            inertia = body.inertia[np.triu_indices(3)]
            lines += [f'  {json.dumps(link)}:', f'    mass: {float(body.mass)!r}',
                      f'    centre: {[float(value) for value in body.com]!r}',
                      '    inertia: {' + ', '.join(f'{key}: {float(value)!r}' for key, value in
                                                   zip(INERTIA, inertia))
                      + '}   # about the centre']
        if self.facts:
            # JSON is YAML, and escapes whatever a name may hold
            lines.append('facts:   # how it was found; nothing is computed from it')
            lines += [f'  {json.dumps(key)}: {json.dumps(value)}'
                      for key, value in self.facts.items()]
        return '\n'.join(lines) + '\n'

    def _rotor(self, joint):
        row = self.joints.get(joint.name)
        return None if row is None else row.rotor_inertia

    def _require_joints(self, robot):
        missing = [name for name in robot.joint_names if name not in self.joints]
        if missing:
            raise InputError(f'calibration of {self.robot!r}: joint {missing[0]!r} of '
                             f'{robot.name!r} is missing; it has {list(self.joints)}')
        for name in robot.flexible_joints:
            if self.joints[name].rotor_inertia is not None:
                raise InputError(f'calibration of {self.robot!r}: the joint {name!r} of '
                                 f'{robot.name!r} has a <flexible_joint>, whose motor_inertia is '
                                 'its rotor; leave out rotor_inertia, or take the arm as rigid')

    def _require_bodies(self, robot):
        movers = [joint.child for joint in robot.moving_joints]
        for link in self.bodies:
            if link not in movers:
                raise InputError(f'calibration of {self.robot!r}: {link!r} is no link that a '
                                 f'joint of {robot.name!r} moves; those are {movers}')
            for name in (link, *_fixed_to(robot, link)):
                if name in robot.flexible_links:
                    raise InputError(
                        f'calibration of {self.robot!r}: the body {link!r} holds the link '
                        f'{name!r} of {robot.name!r}, which bends: where along it the mass lies '
                        'is not told; leave the body out, or take the arm as rigid')


def load_calibration(path):
    """Return the Calibration in a file; anything odd is refused with its line."""
    top = read_yaml(path)
    needed = ('format', 'robot', 'joints')
    parts = top.fields((*needed, 'smoothing_speed', 'locked', 'bodies', 'facts'), needed)
    if parts['format'].text() != FORMAT:
        parts['format'].fail(f'expected {FORMAT!r}, got {parts["format"].text()!r}')
    joints = {name: _joint(node) for name, node in parts['joints'].entries().items()}
    if not joints:
        parts['joints'].fail('names no joint')
    optional = {}
    if 'smoothing_speed' in parts:
        optional['smoothing_speed'] = parts['smoothing_speed'].number(above=0.0)
    if 'locked' in parts:
        optional['locked'] = {name: node.number()
                              for name, node in parts['locked'].entries().items()}
    if 'bodies' in parts:
        optional['bodies'] = {name: _body(node)
                              for name, node in parts['bodies'].entries().items()}
    if 'facts' in parts:
        parts['facts'].entries()
    return Calibration(robot=parts['robot'].text(), joints=joints, **optional)


def _joint(node):
    values = {}
    for name, value in node.fields([each.name for each in fields(JointCalibration)]).items():
        if name == 'offset':
            values[name] = value.number()
        elif name == 'stribeck_speed':
            values[name] = value.number(above=0.0)
        elif name == 'load':
            values[name] = value.number(low=0.0, high=0.99)
        else:
            values[name] = value.number(low=0.0)
    return JointCalibration(**values)


def _body(node):
    parts = node.fields(BODY, required=BODY)
    entries = parts['inertia'].fields(INERTIA, required=INERTIA)
    inertia = np.zeros((3, 3))
    for key, (i, j) in zip(INERTIA, zip(*np.triu_indices(3))):
        inertia[i, j] = inertia[j, i] = entries[key].number()
    # the density is positive where S = tr(I)/2 1 - I is (Wensing, Kim and Slotine 2018)
    S = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    eigenvalues = np.linalg.eigvalsh(S)
    if eigenvalues[0] < -ROUND_OFF * abs(eigenvalues[2]):
        parts['inertia'].fail(f'no body has it: its principal moments '
                              f'{np.linalg.eigvalsh(inertia)} break the triangle inequality')
    return Inertial(parts['mass'].number(above=0.0), parts['centre'].numbers(3), inertia)


def _fixed_to(robot, link):
    """Return the links that fixed joints carry along with a link, however far."""
    found = []
    for joint in robot.child_joints(link):
        if joint.kind == 'fixed':
            found += [joint.child, *_fixed_to(robot, joint.child)]
    return found


def _or_none(values):
    return values if any(values) else None
