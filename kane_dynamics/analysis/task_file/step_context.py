# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Context of a step of a task file (arm, folder, start), and the entries that steps share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.io.marked_yaml import Marked
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import LimitArrays
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.task.cartesian_task import CartesianTask
from kane_dynamics.task.joint_path import JointPath
from kane_dynamics.task.minimum_time import minimum_time, TimedPath
from kane_dynamics.task.task import Task

# the duration of a step that is as short as the limits allow
MINIMUM: Literal['minimum'] = 'minimum'
MIN_SAMPLES = 20        # of a motion from rest to rest: its peaks are then found to a per cent

Duration: TypeAlias = float | Literal['minimum'] | None
Entries: TypeAlias = Mapping[str, Marked]


@dataclass(frozen=True, eq=False, kw_only=True)
class StepContext:
    """The arm and the configuration in which a step begins.

    dynamics: of the arm; folder: base of the relative file names in the task file; frame: the link
    whose path is reported; limits: of the joints; rate: samples per second of the analysis.
    """

    dynamics: Dynamics
    folder: Path
    frame: str
    limits: LimitArrays
    rate: float                         # [Hz]
    start: FloatArray | None = None     # (n,) end of the step before; None: there is none

    @property
    def robot(self) -> Robot:
        """Return the arm."""
        return self.dynamics.robot

    def after(self, task: Task) -> StepContext:
        """Return the context of the step that follows a Task."""
        return replace(self, start=task.sample_many([task.duration])[0][0])


StepReader: TypeAlias = Callable[[Marked, Entries, StepContext], Task]


def configuration(marked: Marked, robot: Robot, current: FloatArray | None) -> FloatArray:
    """Return joint positions (n,): a list in joint order, names with values, or 'zero'.

    Joints that are not named keep their `current` (n,) positions; None: zero.
    """
    units = [joint.unit for joint in robot.independent_joints]
    if marked.is_list:
        items = marked.items()
        if len(items) != robot.n_joints:
            marked.fail(f'expected {robot.n_joints} numbers, for '
                        f'{", ".join(robot.joint_names)}; got {len(items)}')
        return np.array([item.position(unit) for item, unit in zip(items, units)])
    if marked.is_text and marked.node.value == 'zero':
        return np.zeros(robot.n_joints)
    if not marked.is_mapping:
        marked.fail("expected a list of joint positions, names with positions, or 'zero'")
    q = np.zeros(robot.n_joints) if current is None else current.copy()
    for name, value in marked.fields(robot.joint_names).items():
        k = robot.joint_index(name)
        q[k] = value.position(units[k])
    return q


def start_of(step: Marked, entries: Entries, context: StepContext) -> FloatArray:
    """Return the configuration (n,) of a step's start: its own, or the end of the step before."""
    if 'posture' in entries:
        return configuration(entries['posture'], context.robot, context.start)
    if context.start is None:
        step.fail("the start of the motion is not known; give the first step a 'posture': its "
                  'joint positions')
    return context.start


def duration_of(entries: Entries) -> Duration:
    """Return the duration of a step [s], MINIMUM, or None where none is given."""
    marked = entries.get('duration')
    if marked is None:
        return None
    if marked.is_text and marked.node.value == MINIMUM:
        return MINIMUM
    return marked.number('s', above=0.0)


def check_duration(step: Marked, duration: float, context: StepContext) -> None:
    """Refuse a motion [s] of so few samples that its peaks would be missed."""
    if duration * context.rate < MIN_SAMPLES:
        step.fail(f'a motion of {duration:g} s has fewer than {MIN_SAMPLES} samples at '
                  f'{context.rate:g} Hz, too few to judge it; make it longer, or give a rate '
                  f'of {MIN_SAMPLES / duration:.3g} Hz or more')


def in_minimum_time(path: JointPath | CartesianTask, entries: Entries,
                    context: StepContext) -> TimedPath:
    """Return the task that runs a joint path within the limits of the joints as fast as possible.

    The entry `use` is the fraction of the torque and speed limits that may be used.
    """
    use = entries['use'].number('', above=0.0, high=1.0) if 'use' in entries else 1.0
    timed = minimum_time(context.dynamics, path, effort=use * context.limits.effort,
                         velocity=use * context.limits.velocity)
    timed.limits = False
    return timed
