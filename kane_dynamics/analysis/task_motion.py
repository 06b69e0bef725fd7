# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The part of a task file that tells the motion: steps in joints, in space, or recorded."""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.analysis.scene import MINIMUM
from kane_dynamics.analysis.table_file import read_table
from kane_dynamics.analysis.task_space import read_space_step, SPACE
from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.model.marked_yaml import ImpossibleError
from kane_dynamics.motion.inverse_kinematics import NotReachedError
from kane_dynamics.motion.joint_path import JointLine, JointSpline
from kane_dynamics.motion.moves import Move, plan_move
from kane_dynamics.motion.profiles import LAWS
from kane_dynamics.motion.samples import sampled
from kane_dynamics.motion.task import JointTask, TaskSequence
from kane_dynamics.motion.task_error import TaskError
from kane_dynamics.motion.trajectory import Trajectory

STEPS = ('way_points', 'move', 'hold', 'samples', 'bag', *SPACE)
SLOW = ('hold', 'samples', 'bag')       # at rest, or sampled already
INTERPOLATIONS = ('spline', 'quintic_spline')


def read_motion(marked, scene):
    """Return the Task of `task:`, one step or a list of them."""
    steps = marked.items() if marked.is_list else [marked]
    if not steps:
        marked.fail(f'no step; a step is one of {", ".join(STEPS)}')
    tasks = []
    for step in steps:
        entries = step.entries()
        kinds = [name for name in entries if name in STEPS]
        if len(kinds) != 1:
            step.fail(f'expected one of {", ".join(STEPS)}; got '
                      f'{", ".join(kinds or entries) or "nothing"}')
        try:
            task = READERS.get(kinds[0], read_space_step)(step, entries, scene)
            scene.posture = task.sample_many([task.duration])[0][0]
            if kinds[0] not in SLOW:
                scene.check_seen(step, task.duration)
        except (TaskError, NotReachedError) as error:
            step.fail(str(error), ImpossibleError)
        except KaneDynamicsError as error:
            if hasattr(error, 'line'):
                raise
            step.fail(str(error))
        tasks.append(task)
    return marked.build(TaskSequence, tasks) if len(tasks) > 1 else tasks[0]


# -- steps in joints -----------------------------------------------------------------------------

def _way_points(step, entries, scene):
    step.fields(('way_points', 'times', 'duration', 'use', 'interpolation'))
    rows = []
    for item in entries['way_points'].items():
        rows.append(scene.posture_of(item))
        scene.posture = rows[-1]
    if len(rows) < 2:
        entries['way_points'].fail(f'expected two postures or more, got {len(rows)}')
    if ('times' in entries) == ('duration' in entries):
        step.fail("give either 'duration' [s], shared by the legs as their lengths, or 'times' "
                  'of all way-points')
    duration = scene.duration_of(entries)
    if duration == MINIMUM:
        return scene.in_minimum_time(JointSpline(rows), entries)
    if 'times' in entries:
        times = entries['times'].numbers(len(rows), 's')
        if times[0] != 0.0 or (np.diff(times) <= 0.0).any():
            entries['times'].fail(f'expected times that grow from 0, got {times}')
    else:
        legs = np.linalg.norm(np.diff(rows, axis=0), axis=1)
        if not legs.all():
            k = int(np.argmin(legs))
            entries['way_points'].items()[k + 1].fail(
                "the same posture as the one before; use 'times' to rest there")
        shares = np.concatenate([[0.0], np.cumsum(legs)]) / legs.sum()
        times = shares * duration
    scene.check_seen(step, float(np.diff(times).min()))
    kind = 'quintic_spline'
    if 'interpolation' in entries:
        kind = entries['interpolation'].text(INTERPOLATIONS)
    return JointTask(scene.dynamics, Trajectory(scene.robot.joint_names, times, rows,
                                                interpolation=kind), scene.frame, limits=False)


def _move(step, entries, scene):
    step.fields(('move', 'posture', 'law', 'duration', 'use', 'speed', 'acceleration', 'jerk'))
    start = scene.start_of(step, entries)
    end = scene.posture_of(entries['move'])
    law = entries['law'].text(tuple(LAWS)) if 'law' in entries else 'quintic'
    duration = scene.duration_of(entries)
    if duration is not None and 'speed' in entries:
        entries['speed'].fail("give either 'duration' or 'speed'")
    if duration == MINIMUM:
        return scene.in_minimum_time(JointLine(start, end), entries)
    if duration is not None:
        move = Move(LAWS[law](), start, end, duration)
    else:
        if 'speed' not in entries:
            step.fail("give 'duration' [s], or 'speed', the share of the joints' speed limits "
                      '(50 %)')
        velocity = entries['speed'].number('', above=0.0) * scene.robot.limits.velocity
        if not np.isfinite(velocity).all():
            entries['speed'].fail('not every joint has a speed limit in the URDF; give duration')
        limits = {name: entries[name].number(above=0.0) if name in entries else math.inf
                  for name in ('acceleration', 'jerk')}
        move = plan_move(start, end, velocity, law=law, **limits)
    return JointTask(scene.dynamics, move, scene.frame, limits=False)


def _hold(step, entries, scene):
    step.fields(('hold', 'posture'))
    rest = scene.start_of(step, entries)
    return JointTask(scene.dynamics, Move(LAWS['quintic'](), rest, rest,
                                          entries['hold'].number('s', above=0.0)),
                     scene.frame, limits=False)


# -- recorded motions ----------------------------------------------------------------------------

def _samples(step, entries, scene):
    step.fields(('samples', 'noise'))
    path = scene.folder / entries['samples'].text()
    table = entries['samples'].build(_read_file, path, scene.robot.joint_names)
    return _recorded(step, entries, scene, table)


def _bag(step, entries, scene):
    step.fields(('bag', 'topic', 'noise'))
    if scene.read_bag is None:
        step.fail('bags are read by the command `kane analyze` only; write the samples as CSV')
    topic = entries['topic'].text() if 'topic' in entries else None
    table = entries['bag'].build(scene.read_bag, scene.folder / entries['bag'].text(), topic,
                                 scene.robot.joint_names)
    return _recorded(step, entries, scene, table)


def _recorded(step, entries, scene, table):
    noise = entries['noise'].number(above=0.0) if 'noise' in entries else None
    t, *fields = table
    if noise is not None:
        fields = fields[:1]
    motion = step.build(sampled, scene.robot.joint_names, t - t[0], *fields, noise=noise)
    return JointTask(scene.dynamics, motion, scene.frame, limits=False)


def _read_file(path, joints):
    try:
        return read_table(path, joints)
    except OSError as error:
        raise InputError(f'{path}: {error.strerror}') from None


READERS = {'way_points': _way_points, 'move': _move, 'hold': _hold, 'samples': _samples,
           'bag': _bag}
