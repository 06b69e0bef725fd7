# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Task files: an arm, its payload, drives, motion and limits in one YAML file.

    arm: six_axis.urdf                     # or on the command line
    payload: {link: tool0, mass: 3 kg, com: [0, 0, 80 mm]}
    motors: {joint_1: {motor: {...}, gear: {...}}, ...}
    sections: {upper_arm: {shape: tube, outer_radius: ..., ...}, ...}
    task:                                  # a step, or a list of steps
      way_points: [[0, 0, 0, 0, 0, 0], [90 deg, 0, 0, 0, 0, 0]]
      duration: 2 s
    limits: {safety: 3, energy: 200 J}

`doc/analyze.md` lists all names. Every error names the line of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
import math
from pathlib import Path

from kane_dynamics.analysis.collision.collision_check import Surroundings
from kane_dynamics.analysis.study.link_beam import flexible_beams
from kane_dynamics.analysis.study.study import HeldPayload, Study
from kane_dynamics.analysis.task_file.arm_entries import (
    read_friction, read_locked, read_robot)
from kane_dynamics.analysis.task_file.collision_entry import read_surroundings
from kane_dynamics.analysis.task_file.equipment import (
    read_beams, read_drives, read_limits, read_payloads)
from kane_dynamics.analysis.task_file.step_context import Entries, StepContext
from kane_dynamics.analysis.task_file.steps import read_motion
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.io.limits import TASK_SAMPLES
from kane_dynamics.io.marked_yaml import Marked, read_yaml
from kane_dynamics.io.text import clean, PATH
from kane_dynamics.model.robot import Robot
from kane_dynamics.task.task import Task
from kane_dynamics.trajectory.motion import Motion

TOP = ('name', 'arm', 'lock', 'gravity', 'base', 'friction', 'payload', 'motors', 'sections',
       'task', 'limits', 'collision', 'frame', 'rate')
RATE = 1000.0           # [Hz]


def read_task(path: str | Path, arm: str | bytes | Path | None = None,
              locked: Mapping[str, float | str] | None = None) -> Study:
    """Return the Study of a task file.

    arm: see `load_robot`, or URDF text, used instead of the file's own. locked: {joint: position}
    in addition to `lock` in the file, a number [rad or m] or a text with a unit ('20 mm').
    """
    path = Path(path)
    root = read_yaml(path)
    entries = root.fields(TOP, ('task',))
    whole = read_locked(entries, read_robot(root, entries, path.parent, arm), locked or {})
    if whole.floating_base:
        entries.get('arm', root).fail(
            f'{whole.name!r} has a floating base; tasks are for arms on a fixed base')
    robot = whole.rigid()
    payloads = read_payloads(entries['payload'], robot) if 'payload' in entries else ()
    drives = read_drives(entries['motors'], robot) if 'motors' in entries else {}
    beams = read_beams(entries['sections'], robot) if 'sections' in entries else ()
    limits, totals = (read_limits(entries['limits'], robot) if 'limits' in entries else
                      (robot.limits, {}))
    surroundings = read_surroundings(entries['collision'], robot) if (
        'collision' in entries) else Surroundings()
    frame = _frame(entries, robot, payloads)
    dynamics = Dynamics(_loaded(entries, robot, payloads), read_friction(entries, robot))
    rate = entries['rate'].number('Hz', above=0.0) if 'rate' in entries else RATE
    task = read_motion(entries['task'], StepContext(
        dynamics=dynamics, folder=path.parent, frame=frame, limits=limits, rate=rate))
    return Study(
        name=clean(entries['name'].text() if 'name' in entries else path.stem.replace('_', ' '),
                   PATH),
        dynamics=dynamics, motion=_sampled(root, entries, task, rate), frame=frame,
        payloads=payloads, drives=drives, beams=beams, flexible_beams=flexible_beams(whole),
        limits=limits, safety=totals.get('safety', 2.0), max_energy=totals.get('energy', math.inf),
        max_deflection=totals.get('deflection', math.inf), source=str(path),
        folder=whole.folder or None, surroundings=surroundings)


def _loaded(entries: Entries, robot: Robot, payloads: tuple[HeldPayload, ...]) -> Robot:
    """Return the arm with its payloads."""
    for payload in payloads:
        robot = entries['payload'].build(robot.with_payload, payload.mass, payload.com,
                                         payload.inertia, payload.link)
    return robot


def _frame(entries: Entries, robot: Robot, payloads: tuple[HeldPayload, ...]) -> str:
    """Return the link whose path is reported: as given, the payload's, or the end of the arm."""
    if 'frame' in entries:
        return entries['frame'].text(robot.link_names)
    return payloads[0].link if payloads else robot.tip()


def _sampled(root: Marked, entries: Entries, task: Task, rate: float) -> Motion:
    if task.duration * rate > TASK_SAMPLES.value:
        root.fail(f'{task.duration:g} s at {rate:g} Hz are {task.duration * rate:.1e} samples: '
                  f'give a lower rate; {TASK_SAMPLES.exceeded}')
    return entries['task'].build(task.sample, min(1.0 / rate, task.duration))
