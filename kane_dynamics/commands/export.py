# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Write the dynamics of an arm as source code: C99 or Python.

kane export c99 arm.urdf -o out
kane export python arm.urdf --prefix my_arm --functions inverse frame_pose --frame tool0
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from keyword import iskeyword
from pathlib import Path

from kane_dynamics.codegen.c99 import c99_source
from kane_dynamics.codegen.python_module import python_module
from kane_dynamics.commands.options.arm_options import add_arm, load_arm
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.files import write_text

FUNCTIONS = ('inverse', 'forward', 'mass_matrix', 'bias', 'gravity')


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument('language', choices=('c99', 'python'),
                        help='c99: arm.h and arm.c; python: arm.py')
    add_arm(parser)
    parser.add_argument('-o', '--output', type=Path, default=Path('.'), metavar='DIR',
                        help='folder to write to, default the current one')
    parser.add_argument('--prefix', default='arm',
                        help='prefix of file and C function names, default arm')
    parser.add_argument('--functions', nargs='+', default=FUNCTIONS, metavar='NAME',
                        help=f'methods of Dynamics, default {" ".join(FUNCTIONS)}')
    parser.add_argument('--frame', metavar='LINK',
                        help='link or frame of frame_pose, frame_jacobian and so on')


def run(arguments: Namespace) -> int:
    """Write the files and print their names."""
    functions = list(dict.fromkeys(arguments.functions))
    framed = [name for name in functions if name.startswith('frame_')]
    if framed and arguments.frame is None:
        raise InputError(f'{framed[0]} needs --frame LINK, the link or frame that it is of')
    if arguments.language == 'python' and (not arguments.prefix.isidentifier()
                                           or iskeyword(arguments.prefix)):
        raise InputError(f'--prefix: {arguments.prefix!r} is not a Python name')
    robot = load_arm(arguments)
    dynamics = Dynamics(robot, backend='python')
    programs = [dynamics.program(name, arguments.frame if name in framed else None)
                for name in functions]
    if arguments.language == 'c99':
        header, source = c99_source(programs, robot, arguments.prefix)
        files = {f'{arguments.prefix}.h': header, f'{arguments.prefix}.c': source}
    else:
        files = {f'{arguments.prefix}.py': python_module(programs, robot)}
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = arguments.output / name
        write_text(path, text)
        print(f'{path}: {text.count(chr(10))} lines')
    for program in programs:
        print(f'  {program.name}: {program.operation_count}')
    return 0
