# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of the commands that read a task file."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
import re

from kane_dynamics.analysis.study.study import Study
from kane_dynamics.analysis.task_file.read_task import read_task
from kane_dynamics.commands.options.arm_options import add_lock, ARM
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.library.robot_library import ENDINGS


def add_task(parser: ArgumentParser) -> None:
    """Add the arguments that specify an arm and a task."""
    parser.add_argument('arm', nargs='?',
                        help=f'{ARM}; default: the one in the task file')
    parser.add_argument('task', help='task file (YAML); see doc/analyze.md')
    add_lock(parser, 'fix a joint, such as that of a gripper, at this position')


def load_study(arguments: Namespace) -> Study:
    """Return the Study that the arguments specify."""
    if Path(arguments.task).suffix in ENDINGS:
        raise InputError(f'{arguments.task!r} is an arm; a task file, YAML, comes last: ARM TASK')
    return read_task(arguments.task, arguments.arm, dict(arguments.lock))


def plain_name(text: str) -> str:
    """Return a text as a valid name of a file or ROS topic."""
    return re.sub(r'\W+', '_', text, flags=re.ASCII).strip('_') or 'x'
