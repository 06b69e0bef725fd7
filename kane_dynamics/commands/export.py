# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Write an arm's dynamics as source code for other programs: C99 or Python.

kane export c99 arm.urdf -o out
kane export python arm.urdf --prefix my_arm --functions inverse frame_pose --frame tool0
"""

from keyword import iskeyword
from pathlib import Path

from kane_dynamics.codegen.c99 import c99_source
from kane_dynamics.codegen.python_module import python_module
from kane_dynamics.commands import add_arm, load_arm
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError

FUNCTIONS = ('inverse', 'forward', 'mass_matrix', 'bias', 'gravity')


def add_arguments(parser):
    """Add what the command takes."""
    parser.add_argument('language', choices=('c99', 'python'),
                        help='of the files: arm.h and arm.c, or arm.py')
    add_arm(parser)
    parser.add_argument('-o', '--output', type=Path, default=Path('.'), metavar='DIR',
                        help='folder to write to, default here')
    parser.add_argument('--prefix', default='arm',
                        help='of file and C function names, default arm')
    parser.add_argument('--functions', nargs='+', default=FUNCTIONS, metavar='NAME',
                        help=f'methods of Dynamics, default {" ".join(FUNCTIONS)}')
    parser.add_argument('--frame', metavar='LINK',
                        help='the link that frame_pose, frame_jacobian and so on are of')


def run(arguments):
    """Write the files and say which."""
    robot = load_arm(arguments)
    dynamics = Dynamics(robot, backend='python')
    programs = [dynamics.program(name, arguments.frame if name.startswith('frame_') else None)
                for name in dict.fromkeys(arguments.functions)]
    if arguments.language == 'c99':
        header, source = c99_source(programs, robot, arguments.prefix)
        files = {f'{arguments.prefix}.h': header, f'{arguments.prefix}.c': source}
    else:
        if not arguments.prefix.isidentifier() or iskeyword(arguments.prefix):
            raise InputError(f'prefix {arguments.prefix!r} is not a Python name')
        files = {f'{arguments.prefix}.py': python_module(programs, robot)}
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = arguments.output / name
        path.write_text(text)
        print(f'{path}: {text.count(chr(10))} lines')
    for program in programs:
        print(f'  {program.name}: {program.operation_count}')
    return 0
