# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of a task file in joint space: way-points, moves from rest to rest, and rests."""

from __future__ import annotations

import numpy as np

from kane_dynamics.analysis.task_file.step_context import (
    check_duration, configuration, duration_of, Entries, in_minimum_time, MINIMUM, start_of,
    StepContext, StepReader)
from kane_dynamics.io.marked_yaml import Marked
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.task.joint_path import JointLine, JointSpline
from kane_dynamics.task.task import JointMotion, JointTask, Task
from kane_dynamics.trajectory.moves import Move, plan_move
from kane_dynamics.trajectory.profiles import PROFILES
from kane_dynamics.trajectory.trajectory import Interpolation, Trajectory

# names that a step may have
FIELDS = {'way_points': ('way_points', 'times', 'duration', 'use', 'interpolation'),
          'move': ('move', 'posture', 'law', 'duration', 'use', 'speed', 'acceleration', 'jerk'),
          'hold': ('hold', 'posture')}
# by its name in the file
INTERPOLATIONS: dict[str, Interpolation] = {
    'quintic_spline': 'quintic_spline', 'spline': 'spline'}


def joint_task(motion: JointMotion, context: StepContext) -> JointTask:
    """Return the task of a motion of the joints; its limits are judged later."""
    return JointTask(context.dynamics, motion, context.frame, limits=False)


def _way_points(step: Marked, entries: Entries, context: StepContext) -> Task:
    step.fields(FIELDS['way_points'])
    rows = _rows(entries['way_points'], context)
    if ('times' in entries) == ('duration' in entries):
        step.fail("give either 'duration' [s], divided in proportion to the lengths of the legs, "
                  "or 'times' of all way-points")
    duration = duration_of(entries)
    if duration == MINIMUM:
        return in_minimum_time(JointSpline(rows), entries, context)
    times = (_given_times(entries['times'], len(rows)) if duration is None else
             duration * _fractions(entries['way_points'], rows))
    check_duration(step, float(np.diff(times).min()), context)
    name = 'quintic_spline'
    if 'interpolation' in entries:
        name = entries['interpolation'].text(INTERPOLATIONS)
    return joint_task(Trajectory(context.robot.joint_names, times, rows,
                                 interpolation=INTERPOLATIONS[name]), context)


def _rows(marked: Marked, context: StepContext) -> FloatArray:
    """Return the configurations (N, n) of way-points, each completed by the one before."""
    rows: list[FloatArray] = []
    for item in marked.items():
        rows.append(configuration(item, context.robot, rows[-1] if rows else context.start))
    if len(rows) < 2:
        marked.fail(f'expected two or more configurations, got {len(rows)}')
    return np.array(rows)


def _given_times(marked: Marked, count: int) -> FloatArray:
    times = marked.numbers(count, 's')
    if times[0] != 0.0 or (np.diff(times) <= 0.0).any():
        marked.fail(f'expected times that increase from 0, got {times}')
    return np.array(times)


def _fractions(marked: Marked, rows: FloatArray) -> FloatArray:
    """Return the fractions (N,) of the path length in joint space at way-points (N, n)."""
    legs = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    if not legs.all():
        k = int(np.argmin(legs))
        marked.items()[k + 1].fail(
            "the same configuration as the one before; use 'times' to rest there")
    return np.concatenate([[0.0], np.cumsum(legs)]) / legs.sum()


def _move(step: Marked, entries: Entries, context: StepContext) -> Task:
    step.fields(FIELDS['move'])
    start = start_of(step, entries, context)
    end = configuration(entries['move'], context.robot, start)
    profile = entries['law'].text(tuple(PROFILES)) if 'law' in entries else 'quintic'
    duration = duration_of(entries)
    if duration is not None and 'speed' in entries:
        entries['speed'].fail("give either 'duration' or 'speed'")
    if duration == MINIMUM:
        return in_minimum_time(JointLine(start, end), entries, context)
    if duration is not None:
        return joint_task(Move(PROFILES[profile](), start, end, duration), context)
    if 'speed' not in entries:
        step.fail("give 'duration' [s], or 'speed', the fraction of the joints' speed limits "
                  '(50 %)')
    limits = context.robot.limits
    velocity = entries['speed'].number('', above=0.0) * limits.velocity
    if not np.isfinite(velocity).all():
        entries['speed'].fail('not every joint has a speed limit in the URDF; give duration')
    acceleration, jerk = (
        entries[name].number(above=0.0) if name in entries else getattr(limits, name)
        for name in ('acceleration', 'jerk'))
    return joint_task(plan_move(start, end, velocity, profile=profile, acceleration=acceleration,
                                jerk=jerk), context)


def _hold(step: Marked, entries: Entries, context: StepContext) -> Task:
    step.fields(FIELDS['hold'])
    rest = start_of(step, entries, context)
    duration = entries['hold'].number('s', above=0.0)
    return joint_task(Move(PROFILES['quintic'](), rest, rest, duration), context)


JOINT_STEPS: dict[str, StepReader] = {'way_points': _way_points, 'move': _move, 'hold': _hold}
