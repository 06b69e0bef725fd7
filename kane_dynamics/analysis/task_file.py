# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Task files: an arm, what it holds, what drives it and what it shall do, in one YAML.

    arm: six_axis.urdf                     # or on the command line
    payload: {link: tool0, mass: 3 kg, com: [0, 0, 80 mm]}
    motors: {joint_1: {motor: {...}, gear: {...}}, ...}
    sections: {upper_arm: {shape: tube, outer_radius: ..., ...}, ...}
    task:                                  # a step, or a list of steps
      way_points: [[0, 0, 0, 0, 0, 0], [90 deg, 0, 0, 0, 0, 0]]
      duration: 2 s
    limits: {safety: 3, energy: 200 J}

`doc/analyze.md` tells all names. Each mistake is told with its line.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kane_dynamics.analysis.link_beam import flexible_beams
from kane_dynamics.analysis.scene import Scene
from kane_dynamics.analysis.study import Study
from kane_dynamics.analysis.task_motion import read_motion
from kane_dynamics.analysis.task_parts import (
    read_beams, read_drives, read_limits, read_payloads)
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.model.marked_yaml import read_yaml
from kane_dynamics.model.rotations import from_rpy
from kane_dynamics.model.urdf import load_urdf
from kane_dynamics.motion.recording import Motion

TOP = ('name', 'arm', 'gravity', 'base', 'friction', 'payload', 'motors', 'sections', 'task',
       'limits', 'frame', 'rate')
RATE = 1000.0           # [Hz]
MOST_SAMPLES = 2_000_000
GRAVITY = (0.0, 0.0, -9.81)


def read_task(path, arm=None, read_bag=None):
    """Return the Study of a task file.

    arm: URDF file or text that stands in for the file's own; read_bag: see `Scene`.
    """
    path = Path(path)
    root = read_yaml(path)
    entries = root.fields(TOP, ('task',))
    whole, folder = _robot(root, entries, path.parent, arm)
    robot = whole.rigid()
    payloads = read_payloads(entries['payload'], robot) if 'payload' in entries else ()
    drives = read_drives(entries['motors'], robot) if 'motors' in entries else {}
    beams = read_beams(entries['sections'], robot) if 'sections' in entries else ()
    limits, others = robot.limits, {}
    if 'limits' in entries:
        limits, others = read_limits(entries['limits'], robot)
    frame = _frame(entries, robot, payloads)
    loaded = robot
    for payload in payloads:
        loaded = entries['payload'].build(loaded.with_payload, payload.mass, payload.com,
                                          payload.inertia, payload.link)
    dynamics = Dynamics(loaded, _friction(entries, robot))
    rate = entries['rate'].number('Hz', above=0.0) if 'rate' in entries else RATE
    scene = Scene(dynamics, path.parent, frame, limits, read_bag, rate)
    task = read_motion(entries['task'], scene)
    motion = _sampled(root, entries, task, rate)
    name = entries['name'].text() if 'name' in entries else path.stem.replace('_', ' ')
    return Study(name, dynamics, motion, frame, payloads, drives, beams, flexible_beams(whole),
                 limits, others.get('safety', 2.0), others.get('energy', np.inf),
                 others.get('deflection', np.inf), str(path), folder)


def _robot(root, entries, folder, arm):
    if arm is None:
        if 'arm' not in entries:
            root.fail("no arm: name its URDF as 'arm', or on the command line")
        marked = entries['arm']
        arm = folder / marked.text()
        if not arm.exists():
            marked.fail(f'{arm} does not exist; paths are relative to the task file')
    else:
        marked = entries.get('arm', root)
    gravity = entries['gravity'].numbers(3, 'm/s^2') if 'gravity' in entries else GRAVITY
    try:
        robot = load_urdf(arm, gravity=gravity)
    except KaneDynamicsError as error:
        if marked is root:                                 # the arm is not the file's fault
            raise
        marked.fail(str(error))
    if robot.floating_base:
        marked.fail(f'{robot.name!r} floats; tasks are for arms that stand')
    if not robot.n_joints:
        marked.fail(f'{robot.name!r} has no joint that moves')
    if 'base' in entries:
        base = entries['base'].fields(('rpy', 'position'))
        robot = robot.with_base(
            from_rpy(base['rpy'].numbers(3, 'rad')) if 'rpy' in base else None,
            base['position'].numbers(3, 'm') if 'position' in base else None)
    is_text = isinstance(arm, bytes) or isinstance(arm, str) and arm.lstrip().startswith('<')
    return robot, None if is_text else str(Path(arm).resolve().parent)


def _friction(entries, robot):
    """Return the URDF's friction, unless the file says none."""
    wanted = entries['friction'].text(('urdf', 'none')) if 'friction' in entries else 'urdf'
    friction = Friction.of(robot)
    if wanted == 'none' or not (friction.viscous.any() or friction.coulomb.any()):
        return None
    return friction


def _frame(entries, robot, payloads):
    """Return the link whose path is told: as given, the payload's, or the end of the arm."""
    if 'frame' in entries:
        return entries['frame'].text(robot.link_names)
    return payloads[0].link if payloads else robot.tip()


def _sampled(root, entries, task, rate):
    if task.duration * rate > MOST_SAMPLES:
        root.fail(f'{task.duration:g} s at {rate:g} Hz are {task.duration * rate:.1e} samples, '
                  f'more than {MOST_SAMPLES}; give a lower rate')
    samples = entries['task'].build(task.sample, min(1.0 / rate, task.duration))
    return Motion(*samples)
