# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded steps of a task file: a CSV table of samples, or the joint states of a bag."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
import warnings

import numpy as np

from kane_dynamics.analysis.task_file.joint_steps import joint_task
from kane_dynamics.analysis.task_file.step_context import Entries, StepContext, StepReader
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning
from kane_dynamics.io.csv_table import read_table
from kane_dynamics.io.marked_yaml import Marked
from kane_dynamics.io.text import clean, PATH
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.recorded.bags.joint_states import JointStates
from kane_dynamics.recorded.smoothing.smoother import Smoother
from kane_dynamics.task.task import Task
from kane_dynamics.trajectory.from_samples import trajectory_from_samples

# names that a step may have
FIELDS = {'samples': ('samples', 'noise'), 'bag': ('bag', 'topic', 'noise')}


class _Table(NamedTuple):
    """A recording: t (N,) [s]; q, qd, qdd (N, n)."""

    t: FloatArray
    q: FloatArray
    qd: FloatArray | None = None
    qdd: FloatArray | None = None


def _samples(step: Marked, entries: Entries, context: StepContext) -> Task:
    step.fields(FIELDS['samples'])
    path = entries['samples'].file_path(context.folder)
    table = entries['samples'].build(_read_table, path, context.robot.joint_names)
    return _recorded(step, entries, context, table)


def _bag(step: Marked, entries: Entries, context: StepContext) -> Task:
    step.fields(FIELDS['bag'])
    topic = entries['topic'].text() if 'topic' in entries else None
    path = entries['bag'].file_path(context.folder)
    table = entries['bag'].build(_read_bag, path, topic, context.robot.joint_names)
    return _recorded(step, entries, context, table)


RECORDED_STEPS: dict[str, StepReader] = {'samples': _samples, 'bag': _bag}


def _recorded(step: Marked, entries: Entries, context: StepContext, table: _Table) -> Task:
    noise = None
    if 'noise' in entries:
        noise = entries['noise'].number(above=0.0)
        table = _Table(table.t, table.q)        # smoothing finds the derivatives
    motion = step.build(trajectory_from_samples, context.robot.joint_names, table.t - table.t[0],
                        table.q, table.qd, table.qdd, noise=noise)
    return joint_task(motion, context)


def _read_table(path: Path, joint_names: Sequence[str]) -> _Table:
    try:
        return _Table(*read_table(path, joint_names))
    except OSError as error:
        raise InputError(f'{clean(path, PATH)}: {error.strerror}') from None


def _read_bag(path: Path, topic: str | None, joint_names: Sequence[str]) -> _Table:
    """Return the smoothed joint states of a bag, which must have no gaps."""
    states = JointStates(path, joint_names, topic, effort='if there')
    smoother = Smoother(joint_names, errors=False)
    blocks = list(smoother.motions(states))
    for line in states.ledger.lines()[1:]:
        warnings.warn(f'{path}: {line}', KaneDynamicsWarning, stacklevel=2)
    if not blocks:
        raise InputError(f'{path}: no samples are left after smoothing; expected a longer '
                         'recording')
    t = np.concatenate([block.t for block in blocks])
    if (np.diff(t) <= 0.0).any() or smoother.gaps:
        raise InputError(f'{path}: the recording has {smoother.gaps} gaps in time; expected none: '
                         'cut it into pieces and use one of them')
    return _Table(t, *(np.concatenate([getattr(block, name) for block in blocks])
                       for name in ('q', 'qd', 'qdd')))
