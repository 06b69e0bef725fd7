# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torques in a run file: constant, from a table or a bag, holding, or of a controller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kane_dynamics.analysis.run_file.load_entries import interpolation
from kane_dynamics.analysis.task_file.step_context import StepContext
from kane_dynamics.analysis.task_file.steps import read_motion
from kane_dynamics.control.control_law import ControlLaw, Feedback, FEEDBACKS
from kane_dynamics.control.torque_model import TorqueModel
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.csv_table import read_series
from kane_dynamics.io.marked_yaml import Marked
from kane_dynamics.io.text import clean, PATH
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.recorded.bags.joint_states import JointStates
from kane_dynamics.simulation.time_table import TimeTable
from kane_dynamics.task.task import Task

KINDS = ('constant', 'table', 'bag', 'hold', 'controller')
TABLE_DT = 1e-3     # [s] between the samples of a motion that a controller follows

Law = Callable[[float, FloatArray, FloatArray], FloatArray]


def per_joint(marked: Marked, names: Sequence[str], units: Sequence[str]) -> FloatArray:
    """Return (n,): one number for all, a list, or {joint: number}; 0 where it is not named."""
    if marked.is_text:
        return np.array([marked.number(unit) for unit in units])
    if marked.is_list:
        items = marked.items()
        if len(items) != len(names):
            marked.fail(f'expected {len(names)} numbers, for {", ".join(names)}; got '
                        f'{len(items)}')
        return np.array([item.number(unit) for item, unit in zip(items, units)])
    values = dict.fromkeys(names, 0.0)
    unit_of = dict(zip(names, units))
    for name, value in marked.fields(tuple(names)).items():
        values[name] = value.number(unit_of[name])
    return np.array([values[name] for name in names])


def read_torque(marked: Marked, context: StepContext) -> tuple[Law, Task | None]:
    """Return the torque law of the entry `torque`, and the task that its controller follows."""
    entries = marked.entries()
    kinds = [name for name in entries if name in KINDS]
    if len(kinds) != 1:
        marked.fail(f'expected one of {", ".join(KINDS)}; got '
                    f'{clean(", ".join(kinds or entries), PATH) or "nothing"}')
    kind, robot = kinds[0], context.robot
    if kind == 'controller':
        marked.fields(('controller',))
        return _controller(entries['controller'], context)
    if kind == 'hold':
        marked.fields(('hold',))
        return _holding(context.dynamics, entries['hold']), None
    if kind == 'constant':
        marked.fields(('constant',))
        units = [joint.effort_unit for joint in robot.independent_joints]
        constant = on_joints(robot, per_joint(entries['constant'], robot.joint_names, units))
        return (lambda t, q, qd: constant), None
    marked.fields((kind, 'interpolation', *(('topic',) * (kind == 'bag'))))
    path = entries[kind].file_path(context.folder)
    if kind == 'table':
        t, rows = entries[kind].build(read_series, path, [
            [f'{name}.tau', f'{name}.effort', name] for name in robot.joint_names])
    else:
        topic = entries['topic'].text() if 'topic' in entries else None
        t, rows = entries[kind].build(_bag_efforts, path, topic, robot.joint_names)
    table = entries[kind].build(TimeTable, t, on_joints(robot, rows), interpolation(entries))
    return table, None


def read_inputs(marked: Marked, names: Sequence[str], folder: Path) -> Law:
    """Return the law of the entry `inputs`, those of motors and cylinders [V or A]."""
    entries = marked.fields(('constant', 'table', 'interpolation'))
    if ('constant' in entries) == ('table' in entries):
        marked.fail("expected 'constant' or 'table'")
    if 'constant' in entries:
        constant = per_joint(entries['constant'], names, [''] * len(names))
        return lambda t, q, qd: constant
    path = entries['table'].file_path(folder)
    t, rows = entries['table'].build(read_series, path, [
        [f'{name}.input', f'{name}.voltage', f'{name}.motor.voltage', name] for name in names])
    return entries['table'].build(TimeTable, t, rows, interpolation(entries))


def on_joints(robot: Robot, values: FloatArray) -> FloatArray:
    """Return (..., nv): values (..., n_joints) on the joints, zero on modes and a base."""
    whole = np.zeros((*values.shape[:-1], robot.nv))
    whole[..., robot.joints_v] = values
    return whole


def _bag_efforts(path: Path, topic: str | None,
                 names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return t (N,) [s], from 0, and efforts (N, n) of a bag of JointStates."""
    blocks = list(JointStates(path, names, topic))
    if not blocks:
        raise InputError(f'{path}: no JointStates with effort of {", ".join(names)}')
    t = np.concatenate([block.t for block in blocks])
    efforts = [block.effort for block in blocks if block.effort is not None]
    return t - t[0], np.concatenate(efforts)


def _holding(dynamics: Dynamics, marked: Marked) -> Law:
    """Return the torques that hold the arm: at the present position, or at that of the start."""
    robot = dynamics.robot
    marked.text(('gravity',))

    def law(t: float, q: FloatArray, qd: FloatArray) -> FloatArray:
        tau = dynamics.gravity(q)
        tau[robot.modes_v] = 0.0
        return tau
    return law


def _controller(marked: Marked, context: StepContext) -> tuple[Law, Task]:
    """Return the law of a ControlLaw that follows the steps of a task, and the task."""
    entries = marked.fields(('follow', 'feedback', 'p', 'd', 'scale', 'limit'), ('follow',))
    robot, task = context.robot, read_motion(entries['follow'], context)
    given = entries['feedback'].text(FEEDBACKS) if 'feedback' in entries else 'pd'
    feedback: Feedback = 'inverse_dynamics' if given == 'inverse_dynamics' else 'pd'
    n, names = robot.n_joints, robot.joint_names
    p, d = (per_joint(entries[name], names, [''] * n) if name in entries else np.zeros(n)
            for name in ('p', 'd'))
    scale = entries['scale'].number('', low=0.0) if 'scale' in entries else 1.0
    limited = entries['limit'].flag() if 'limit' in entries else True
    ideal = Dynamics(context.dynamics.robot.rigid())
    law = ControlLaw(names, TorqueModel(ideal, friction=context.dynamics.friction),
                     [joint.name for joint in robot.independent_joints
                      if joint.kind == 'continuous'])
    law.set_feedback(feedback, p, d, scale)
    reference = entries['follow'].build(task.trajectory, min(TABLE_DT, task.duration))
    effort: FloatArray = robot.limits.effort

    def torque(t: float, q: FloatArray, qd: FloatArray) -> FloatArray:
        law.measured[:] = q[robot.joints_q], qd[robot.joints_v]
        law.reference[:] = reference.sample(t)[:3]
        law.errors()
        law.compute('computed_torque')
        tau = np.clip(law.tau, -effort, effort) if limited else law.tau
        return on_joints(robot, tau)
    return torque, task
