# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Write a commented task file for an arm, or the JSON schema of task files for editors.

kane new task arm.urdf -o pick.yaml
kane new task panda --lock panda_finger_joint1=20mm
kane new schema                          # kane_task.schema.json, for VS Code and others
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
import json
import os
from pathlib import Path

from kane_dynamics.analysis.task_file.new_task import new_task, SCHEMA_FILE
from kane_dynamics.analysis.task_file.schema import task_schema
from kane_dynamics.commands.options.arm_options import add_lock, ARM, locked_positions
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.files import require_folder, write_text
from kane_dynamics.model.library.robot_library import load_robot, robot_file
from kane_dynamics.model.locking import lock_joints


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument('kind', choices=('task', 'schema'),
                        help='task: a task file for ARM, and the schema next to it; schema: the '
                        'schema alone')
    parser.add_argument('arm', nargs='?', metavar='ARM', help=ARM)
    parser.add_argument('-o', '--output', metavar='FILE',
                        help=f'file to write; default: the name of the arm and "_task.yaml", or '
                        f'{SCHEMA_FILE}')
    parser.add_argument('--force', action='store_true', help='overwrite an existing FILE')
    add_lock(parser, 'fix a joint, such as that of a gripper, at this position')


def run(arguments: Namespace) -> int:
    """Write the files and print their names."""
    if (arguments.kind == 'task') == (arguments.arm is None):
        raise InputError('`kane new task ARM` needs the arm; `kane new schema` takes none')
    default = SCHEMA_FILE if arguments.arm is None else f'{Path(arguments.arm).stem}_task.yaml'
    path = Path(arguments.output or default)
    require_folder(path)
    if path.exists() and not arguments.force:
        raise InputError(f'{path} exists already; name another with -o, or use --force')
    schema = path if arguments.arm is None else path.parent / SCHEMA_FILE
    if arguments.arm is not None:
        robot = load_robot(arguments.arm)
        locked = locked_positions(arguments, robot)
        robot = lock_joints(robot, locked)
        if robot.floating_base or not robot.n_joints:
            raise InputError(f'{arguments.arm}: tasks are for arms on a fixed base with moving '
                             'joints')
        write_text(path, new_task(robot, _named(arguments.arm, path.parent), locked),
                   arguments.force)
        print(f'written: {path} (check it: kane analyze {path})')
    write_text(schema, json.dumps(task_schema(), indent=1) + '\n')
    print(f'written: {schema} (names and units of task files, for editors)')
    return 0


def _named(arm: str, folder: Path) -> str:
    """Return the arm as a task file in a folder names it: a known robot, or a relative path."""
    file = robot_file(arm)
    return arm if not Path(arm).exists() else Path(os.path.relpath(file, folder)).as_posix()
