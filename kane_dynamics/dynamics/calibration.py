# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Calibration of one arm: measured friction, rotors and inertias, in a file next to its URDF.

`kane identify` writes it; `Dynamics`, the nodes and `kane evaluate` read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
import json
from pathlib import Path
from typing import Any

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.files import write_text
from kane_dynamics.io.marked_yaml import Marked, read_yaml
from kane_dynamics.io.text import checked_name, show, show_names
from kane_dynamics.model.locking import lock_joints
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Inertial, Joint

FORMAT = 'kane_dynamics calibration 1'
BODY = ('mass', 'centre', 'inertia')
INERTIA = ('xx', 'xy', 'xz', 'yy', 'yz', 'zz')
ROUND_OFF = 1e-9      # of the largest eigenvalue: a flat body has one that is zero


@dataclass(frozen=True)
class JointCalibration:
    """Friction and rotor of one joint; see `Friction` for the terms. None: unknown."""

    coulomb: float = 0.0
    viscous: float = 0.0
    offset: float = 0.0
    stiction: float | None = None
    stribeck_speed: float | None = None
    load: float = 0.0
    rotor_inertia: float | None = None    # [kg m^2 or kg]; None: that of the URDF


@dataclass(frozen=True, eq=False)
class Calibration:
    """Measured values of one arm that replace those of its URDF.

    joints: {name: JointCalibration}, every joint that moves. bodies: {link: Inertial} for all that
    moves as one with the link, in its frame; links that are fixed to it then count as massless.
    A body has no flexible link in it, and a joint with a spring keeps the rotor of its URDF.
    locked: {joint: position} of the joints that stood still. facts: how the values were found, as
    text, numbers, lists and mappings; nothing is computed from them.
    """

    robot: str
    joints: dict[str, JointCalibration]
    bodies: dict[str, Inertial] = field(default_factory=dict)
    locked: dict[str, float] = field(default_factory=dict)
    smoothing_speed: float = 0.01
    facts: dict[str, Any] = field(default_factory=dict)

    def apply(self, robot: Robot) -> Robot:
        """Return the Robot with these inertias and rotors, its locked joints fixed."""
        robot = lock_joints(robot, {name: value for name, value in self.locked.items()
                                    if name in robot.joint_names})
        self._require_joints(robot)
        self._require_bodies(robot)
        robot = replace(robot, joints=tuple(self._with_rotor(joint) for joint in robot.joints))
        for link, inertial in self.bodies.items():
            for other in fixed_to(robot, link):
                robot = robot.with_inertial(other, None)
            robot = robot.with_inertial(link, inertial)
        return robot

    def friction(self, robot: Robot) -> Friction:
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

    def dynamics(self, robot: Robot, **options: Any) -> Dynamics:
        """Return the Dynamics of a robot with this calibration."""
        robot = self.apply(robot)
        return Dynamics(robot, self.friction(robot), **options)

    def save(self, path: str | Path, overwrite: bool = True) -> None:
        """Write the file, as a whole or not at all."""
        write_text(path, self.to_yaml(), overwrite)

    def to_yaml(self) -> str:
        """Return the text of the file, which `load_calibration` reads back to the last bit."""
        lines = ['# Friction, rotors and inertias of an arm: see doc/recorded_motion.md.',
                 f'format: {FORMAT}', f'robot: {json.dumps(self.robot)}',
                 f'smoothing_speed: {self.smoothing_speed!r}   # [rad/s or m/s]']
        if self.locked:
            lines += ['locked:', *(f'  {json.dumps(name)}: {value!r}'
                                   for name, value in self.locked.items())]
        lines.append('joints:   # [N m, N m s/rad, kg m^2]; of a prismatic joint [N, N s/m, kg]')
        for name, row in self.joints.items():
            values = {each.name: getattr(row, each.name) for each in fields(row)}
            lines.append(f'  {json.dumps(name)}: ' + '{' + ', '.join(
                f'{key}: {float(value)!r}' for key, value in values.items() if value is not None)
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

    def _with_rotor(self, joint: Joint) -> Joint:
        row = self.joints.get(joint.name)
        if row is None or row.rotor_inertia is None:
            return joint
        return replace(joint, armature=row.rotor_inertia)

    def _require_joints(self, robot: Robot) -> None:
        missing = [name for name in robot.joint_names if name not in self.joints]
        if missing:
            raise InputError(f'calibration of {self.robot!r}: joint {missing[0]!r} of '
                             f'{robot.name!r} is missing; it has {show_names(self.joints)}')
        for name in robot.flexible_joints:
            if name in robot.joint_names and self.joints[name].rotor_inertia is not None:
                raise InputError(f'calibration of {self.robot!r}: the joint {name!r} of '
                                 f'{robot.name!r} has a <flexible_joint>, whose motor_inertia is '
                                 'its rotor; leave out rotor_inertia, or use the rigid arm')

    def _require_bodies(self, robot: Robot) -> None:
        movers = [joint.child for joint in robot.moving_joints]
        for link in self.bodies:
            if link not in movers:
                raise InputError(f'calibration of {self.robot!r}: {link!r} is no link that a '
                                 f'joint of {robot.name!r} moves; those are {movers}')
            for name in (link, *fixed_to(robot, link)):
                if name in robot.flexible_links:
                    raise InputError(
                        f'calibration of {self.robot!r}: the body {link!r} holds the link '
                        f'{name!r} of {robot.name!r}, which is flexible: the distribution of its '
                        'mass is unknown; leave the body out, or use the rigid arm')
                joint = robot.parent_joint(name)
                if name != link and joint is not None and joint.name in robot.flexible_joints:
                    raise InputError(
                        f'calibration of {self.robot!r}: the body {link!r} holds the link '
                        f'{name!r} of {robot.name!r}, which the spring of {joint.name!r} carries: '
                        'leave the body out, or use the rigid arm')


def load_calibration(path: str | Path) -> Calibration:
    """Return the Calibration in a file, or raise with the line of the mistake."""
    top = read_yaml(path)
    needed = ('format', 'robot', 'joints')
    parts = top.fields((*needed, 'smoothing_speed', 'locked', 'bodies', 'facts'), needed)
    if parts['format'].text() != FORMAT:
        parts['format'].fail(f'expected {FORMAT!r}, got {show(parts["format"].text())}')
    joints = {name: _joint(node) for name, node in _named(parts['joints'])}
    if not joints:
        parts['joints'].fail('names no joint')
    optional: dict[str, Any] = {}
    if 'smoothing_speed' in parts:
        optional['smoothing_speed'] = parts['smoothing_speed'].number(above=0.0)
    if 'locked' in parts:
        optional['locked'] = {name: node.number() for name, node in _named(parts['locked'])}
    if 'bodies' in parts:
        optional['bodies'] = {name: _body(node) for name, node in _named(parts['bodies'])}
    if 'facts' in parts:
        parts['facts'].entries()
    robot = parts['robot'].build(checked_name, parts['robot'].text(), 'robot')
    return Calibration(robot=robot, joints=joints, **optional)


def _named(node: Marked) -> Iterator[tuple[str, Marked]]:
    """Yield (name, node) of a mapping whose keys are names of joints or links."""
    for name, value in node.entries().items():
        yield value.build(checked_name, name, 'name'), value


def _joint(node: Marked) -> JointCalibration:
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


def _body(node: Marked) -> Inertial:
    parts = node.fields(BODY, required=BODY)
    entries = parts['inertia'].fields(INERTIA, required=INERTIA)
    inertia = np.zeros((3, 3))
    for key, (i, j) in zip(INERTIA, zip(*np.triu_indices(3))):
        inertia[i, j] = inertia[j, i] = entries[key].number()
    # the density is positive where S = tr(I)/2 1 - I is (Wensing, Kim and Slotine 2018)
    S = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    eigenvalues = np.linalg.eigvalsh(S)
    if eigenvalues[0] < -ROUND_OFF * abs(eigenvalues[2]):
        parts['inertia'].fail(f'no body has this inertia: its principal moments '
                              f'{np.linalg.eigvalsh(inertia)} break the triangle inequality')
    centre = np.array(parts['centre'].numbers(3))
    return node.build(Inertial, parts['mass'].number(above=0.0), centre, inertia)


def fixed_to(robot: Robot, link: str) -> list[str]:
    """Return all links that fixed joints connect to a link, on its outboard side."""
    found = []
    for joint in robot.child_joints(link):
        if joint.kind == 'fixed':
            found += [joint.child, *fixed_to(robot, joint.child)]
    return found


def _or_none(values: list[float]) -> list[float] | None:
    return values if any(values) else None
