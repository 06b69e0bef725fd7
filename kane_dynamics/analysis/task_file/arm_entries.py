# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The arm in a task or run file: its model, base, locked joints and friction."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kane_dynamics.analysis.task_file.step_context import Entries
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.io.marked_yaml import Marked
from kane_dynamics.io.text import show
from kane_dynamics.io.units import parse
from kane_dynamics.model.library.robot_library import EARTH, load_robot, robot_names
from kane_dynamics.model.locking import lock_joints
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.urdf_reader import load_urdf
from kane_dynamics.numerics.rotations import from_rpy


def read_robot(root: Marked, entries: Entries, folder: Path,
               arm: str | bytes | Path | None) -> Robot:
    """Return the arm on its base."""
    if arm is None:
        if 'arm' not in entries:
            root.fail("no arm: name its URDF as 'arm', or on the command line")
        marked = entries['arm']
        known = marked.text() in robot_names() and not Path(folder, marked.text()).exists()
        arm = marked.text() if known else marked.file_path(folder)
    else:
        marked = entries.get('arm', root)
    gravity = entries['gravity'].numbers(3, 'm/s^2') if 'gravity' in entries else None
    try:
        if isinstance(arm, bytes) or isinstance(arm, str) and arm.lstrip().startswith('<'):
            robot = load_urdf(arm, EARTH if gravity is None else gravity)
        else:
            robot = load_robot(arm, gravity)
    except KaneDynamicsError as error:
        if marked is root:          # the arm does not come from this file
            raise
        marked.fail(str(error))
    if not robot.n_joints:
        marked.fail(f'{robot.name!r} has no moving joint')
    if 'base' in entries:
        base = entries['base'].fields(('rpy', 'position'))
        robot = entries['base'].build(
            robot.with_base, from_rpy(base['rpy'].numbers(3, 'rad')) if 'rpy' in base else None,
            base['position'].numbers(3, 'm') if 'position' in base else None)
    return robot


def read_locked(entries: Entries, robot: Robot, locked: Mapping[str, float | str]) -> Robot:
    """Return the arm with joints fixed: those given and those of `lock` in the file."""
    joints = entries['lock'].fields(robot.joint_names) if 'lock' in entries else {}
    positions = {name: value.position(robot.joint(name).unit) for name, value in joints.items()}
    for name, value in locked.items():
        try:
            positions[name] = value if isinstance(value, float) else parse(
                str(value), robot.joint(name).unit)
        except ValueError as error:
            raise InputError(f'lock {show(name)}: {show(value)}: {error}') from None
    return lock_joints(robot, positions)


def read_friction(entries: Entries, robot: Robot) -> Friction | None:
    """Return the URDF's friction, unless the file says none."""
    wanted = entries['friction'].text(('urdf', 'none')) if 'friction' in entries else 'urdf'
    friction = Friction.of(robot)
    if wanted == 'none' or not (friction.viscous.any() or friction.coulomb.any()):
        return None
    return friction
