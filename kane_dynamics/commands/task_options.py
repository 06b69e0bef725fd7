# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What commands that read task files share."""

from __future__ import annotations

from pathlib import Path
import re

import numpy as np

from kane_dynamics.analysis.task_file import read_task
from kane_dynamics.exceptions import InputError


def add_task(parser):
    """Add the arguments that name an arm and a task."""
    parser.add_argument('arm', nargs='?',
                        help='URDF or .xacro file; default: the one that the task file names')
    parser.add_argument('task', help='task file, YAML; see doc/analyze.md')


def load_study(arguments):
    """Return the Study that the arguments name."""
    if Path(arguments.task).suffix in ('.urdf', '.xacro'):
        raise InputError(f'{arguments.task!r} is an arm; a task file, YAML, comes last: ARM TASK')
    return read_task(arguments.task, arguments.arm, read_bag)


def read_bag(path, topic, joint_names):
    """Return t (N,), q, qd, qdd (N, n) of a recording: one piece without gaps, smoothed."""
    from kane_dynamics.bags.joint_states import JointStates
    from kane_dynamics.motion.smoothing import Smoother
    states = JointStates(path, joint_names, topic, effort='if there')
    smoother = Smoother(joint_names)
    blocks = list(smoother.motions(states))
    if not blocks:
        raise InputError(f'{path}: nothing is left of the recording after smoothing')
    t = np.concatenate([block.t for block in blocks])
    if (np.diff(t) <= 0.0).any() or smoother.gaps:
        raise InputError(f'{path}: the recording has {smoother.gaps} gaps in time; a task needs '
                         'one piece: cut it')
    return (t, *(np.concatenate([getattr(block, name) for block in blocks])
                 for name in ('q', 'qd', 'qdd')))


def plain_name(text):
    """Return a name that files and ROS topics can have."""
    return re.sub(r'\W+', '_', text, flags=re.ASCII).strip('_') or 'x'
