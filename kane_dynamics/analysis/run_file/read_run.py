# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Run files: an arm, its first state, its loads and the method of a simulation in one YAML file.

    arm: six_axis.urdf                     # or on the command line
    start: {q: [0, -0.8, 1.2, 0, 0.6, 0]}
    torque: {table: torques.csv, interpolation: cubic}
    duration: 1 s
    step: 1 ms

`doc/simulate.md` lists all names. Every error names the line of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kane_dynamics.analysis.run_file.load_entries import (
    read_base_motion, read_constraints, read_forces, read_springs, read_timed_payloads,
    TimedPayload)
from kane_dynamics.analysis.run_file.run import Run
from kane_dynamics.analysis.run_file.torque_entries import (
    on_joints, per_joint, read_inputs, read_torque)
from kane_dynamics.analysis.task_file.arm_entries import (
    read_friction, read_locked, read_robot)
from kane_dynamics.analysis.task_file.equipment import read_drives
from kane_dynamics.analysis.task_file.step_context import configuration, Entries, StepContext
from kane_dynamics.analysis.task_file.steps import read_motion
from kane_dynamics.analysis.vibration.static_sag import static_sag
from kane_dynamics.dynamics.constraints.closure import assemble
from kane_dynamics.dynamics.constraints.constrained_dynamics import ConstrainedDynamics
from kane_dynamics.dynamics.drives.drives import Drives
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.io.marked_yaml import Marked, read_yaml
from kane_dynamics.io.text import clean, PATH
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.march import EventFunction
from kane_dynamics.simulation.rules.steppers import METHODS
from kane_dynamics.simulation.setup import Setup
from kane_dynamics.simulation.stops import Stops
from kane_dynamics.task.task import Task
from kane_dynamics.trajectory.trajectory import Trajectory

ARM = ('name', 'arm', 'lock', 'gravity', 'base', 'friction', 'payload', 'springs', 'frame')
LOADS = ('torque', 'motors', 'inputs', 'motion', 'forces', 'moving_base', 'stops', 'constraints')
METHOD = ('start', 'duration', 'step', 'method', 'rtol', 'atol', 'stop')
FRICTION = ('urdf', 'dry', 'none')
STEP = 1e-3         # [s]
RATE = 1000.0       # [Hz] of the tasks that a controller follows


def read_run(path: str | Path, arm: str | bytes | Path | None = None,
             locked: Mapping[str, float | str] | None = None) -> Run:
    """Return the Run of a run file.

    arm: see `load_robot`, or URDF text, used instead of the file's own. locked: {joint: position
    [rad or m]} in addition to `lock` in the file.
    """
    path = Path(path)
    root = read_yaml(path)
    entries = root.fields((*ARM, *LOADS, *METHOD), ('duration',))
    robot = read_locked(entries, read_robot(root, entries, path.parent, arm), locked or {})
    if 'springs' in entries:
        robot = entries['springs'].build(
            robot.with_springs, *robot.springs, *read_springs(entries['springs'], robot))
    payloads = (read_timed_payloads(entries['payload'], robot) if 'payload' in entries else ())
    robot, payloads = _always_held(robot, payloads)
    dry = 'friction' in entries and entries['friction'].text(FRICTION) == 'dry'
    friction = None if 'friction' in entries and entries['friction'].text() == 'none' else (
        read_friction({}, robot))
    dynamics = Dynamics(robot, friction)
    context = StepContext(dynamics=dynamics, folder=path.parent, frame=robot.tip(),
                          limits=robot.limits, rate=RATE, start=_start_joints(entries, robot))
    options, task = _loads(root, entries, context)
    q0, qd0 = _first_state(entries, dynamics, task)
    if 'constraints' in entries:
        constraints = read_constraints(entries['constraints'], dynamics, q0)
        q0 = entries['constraints'].build(
            assemble, ConstrainedDynamics(dynamics, constraints), q0)
        options['constraints'] = constraints
    events, conditions = _stop(entries, robot)
    setup = root.build(
        Setup, q0, qd0, duration=entries['duration'].number('s', above=0.0),
        friction='dry' if dry else 'smooth', events=events, **_method(entries), **options)
    frame = entries['frame'].text(robot.link_names) if 'frame' in entries else robot.tip()
    name = entries['name'].text() if 'name' in entries else path.stem.replace('_', ' ')
    return Run(clean(name, PATH), dynamics, setup, frame, payloads, conditions, str(path))


def _always_held(robot: Robot, payloads: tuple[TimedPayload, ...],
                 ) -> tuple[Robot, tuple[TimedPayload, ...]]:
    """Return the arm with the payloads of the whole run, and the others."""
    timed = []
    for each in payloads:
        if each.start == 0.0 and each.end == np.inf:
            payload = each.payload
            robot = robot.with_payload(payload.mass, payload.com, payload.inertia, payload.link)
        else:
            timed.append(each)
    return robot, tuple(timed)


def _start_joints(entries: Entries, robot: Robot) -> FloatArray | None:
    """Return the joint positions (n,) of the entry `start`; None where there is none."""
    if 'start' not in entries:
        return None
    start = entries['start'].fields(('q', 'qd', 'deflection'))
    return configuration(start['q'], robot, None) if 'q' in start else np.zeros(robot.n_joints)


def _first_state(entries: Entries, dynamics: Dynamics,
                 task: Task | None) -> tuple[FloatArray, FloatArray]:
    """Return q0 (nq,) and qd0 (nv,): as given, or the start of the task that is followed."""
    robot = dynamics.robot
    q0, qd0 = robot.neutral(), np.zeros(robot.nv)
    joints = _start_joints(entries, robot)
    if joints is None and task is not None:
        joints, speeds, _ = (each[0] for each in task.sample_many([0.0]))
        qd0[robot.joints_v] = speeds
    if joints is not None:
        q0[robot.joints_q] = joints
    start = entries['start'].fields(('q', 'qd', 'deflection')) if 'start' in entries else {}
    if 'qd' in start:
        units = [f'{joint.unit}/s' for joint in robot.independent_joints]
        qd0 = on_joints(robot, per_joint(start['qd'], robot.joint_names, units))
    wanted = start['deflection'].text(('static', 'zero')) if 'deflection' in start else 'static'
    if robot.n_modes and wanted == 'static':
        where = entries.get('start', next(iter(entries.values())))
        q0 = where.build(static_sag, dynamics, q0)
    return q0, qd0


def _method(entries: Entries) -> dict[str, Any]:
    """Return the arguments of a Setup that belong to the method."""
    found: dict[str, Any] = {
        'dt': entries['step'].number('s', above=0.0) if 'step' in entries else STEP}
    if 'method' in entries:
        found['method'] = entries['method'].text(tuple(METHODS))
    for name in ('rtol', 'atol'):
        if name in entries:
            found[name] = entries[name].number('', above=0.0)
    return found


def _loads(root: Marked, entries: Entries,
           context: StepContext) -> tuple[dict[str, Any], Task | None]:
    """Return the arguments of a Setup that are loads, and the task that a controller follows."""
    robot, task = context.robot, None
    found: dict[str, Any] = {}
    if 'motors' in entries:
        if 'torque' in entries:
            entries['torque'].fail("with 'motors' their 'inputs' are given, not the torque")
        drives = read_drives(entries['motors'], robot)
        passive = [name for name in robot.joint_names if name not in drives]
        found['drives'] = entries['motors'].build(Drives, robot, drives, passive)
        if 'inputs' not in entries:
            root.fail("'inputs' missing: the voltages of the motors [V]")
        found['torque'] = read_inputs(entries['inputs'], tuple(drives), context.folder)
    elif 'torque' in entries:
        found['torque'], task = read_torque(entries['torque'], context)
    if 'motion' in entries:
        found['motion'] = _motion(entries['motion'], context)
    if 'forces' in entries:
        found['link_forces'] = read_forces(entries['forces'], robot, context.folder)
    if 'moving_base' in entries:
        found['base'] = read_base_motion(entries['moving_base'])
    if 'stops' in entries:
        found['stops'] = _stops(entries['stops'], robot)
    return found, task


def _motion(marked: Marked, context: StepContext) -> Trajectory:
    """Return the Trajectory of the joints that move as prescribed."""
    entries = marked.fields(('joints', 'follow'), ('joints', 'follow'))
    names = [item.text(context.robot.joint_names) for item in entries['joints'].items()]
    task = read_motion(entries['follow'], context)
    whole = entries['follow'].build(task.trajectory, min(1e-3, task.duration))
    t = whole.times
    q, qd, qdd, _ = whole.sample_many(t)
    chosen = [context.robot.joint_index(name) for name in names]
    return marked.build(Trajectory, names, t, q[:, chosen], qd[:, chosen], qdd[:, chosen])


def _stops(marked: Marked, robot: Robot) -> Stops | bool:
    if marked.is_text:
        return marked.flag()
    entries = marked.fields(('restitution',), ('restitution',))
    return marked.build(Stops.of, robot, entries['restitution'].number('', low=0.0, high=1.0))


def _stop(entries: Entries, robot: Robot) -> tuple[list[EventFunction], tuple[str, ...]]:
    """Return the terminal events of the entry `stop`, a list, and a sentence for each."""
    events: list[EventFunction] = []
    sentences = []
    for each in entries['stop'].items() if 'stop' in entries else []:
        own = each.fields(('joint', 'above', 'below', 'speed_above'), ('joint',))
        name = own['joint'].text(robot.joint_names)
        k, unit = robot.joint_index(name), robot.joint(name).unit
        given = [key for key in own if key != 'joint']
        if len(given) != 1:
            each.fail("expected one of 'above', 'below' and 'speed_above'")
        key = given[0]
        limit = own[key].number(f'{unit}/s' if key == 'speed_above' else unit)
        events.append(_event(robot, k, key, limit))
        sentences.append(f'{name} {key.replace("_", " ")} {limit:g} {unit}'
                         + '/s' * (key == 'speed_above'))
    return events, tuple(sentences)


def _event(robot: Robot, k: int, kind: str, limit: float) -> EventFunction:
    row, column = robot.joints_q.start + k, robot.joints_v.start + k

    def event(t: float, q: FloatArray, qd: FloatArray) -> float:
        if kind == 'speed_above':
            return float(abs(qd[column]) - limit)
        return float(q[row] - limit if kind == 'above' else limit - q[row])
    setattr(event, 'terminal', True)
    setattr(event, 'direction', 1)
    return event
