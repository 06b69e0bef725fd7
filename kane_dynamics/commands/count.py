# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Count the operations of the generated code of an arm and compare them with the literature.

kane count arm.urdf
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from kane_dynamics.commands.options.arm_options import add_arm, load_arm
from kane_dynamics.dynamics.dynamics import Dynamics

FUNCTIONS = ('inverse', 'bias', 'gravity', 'mass_matrix', 'forward', 'inverse_derivatives')
COLUMNS = ('mul', 'add', 'div', 'sqrt', 'sincos')
# inverse dynamics of a general arm with n revolute joints: a n - b products, c n - d sums, as
# Angeles, Ma and Rojas (1989, table 1) list them; parallel axes take fewer, nearly
# parallel ones up to a third more
LITERATURE = (
    ('Hollerbach 1980, Lagrange', 412, 277, 320, 201),
    ('Luh, Walker and Paul 1980', 150, 48, 131, 48),
    ('Walker and Orin 1982', 137, 22, 101, 11),
    ('Khalil, Kleinfinger and Gautier 1986', 105, 92, 94, 86),
    ('Angeles, Ma and Rojas 1989, Kane', 105, 109, 90, 105),
    ('this package, general axes', 86, 121, 75, 114),
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_arm(parser)
    parser.add_argument('--functions', nargs='+', default=FUNCTIONS, metavar='NAME',
                        help=f'methods of Dynamics, default {" ".join(FUNCTIONS)}')


def run(arguments: Namespace) -> int:
    """Print a row per function, then the counts of other methods for as many joints."""
    robot = load_arm(arguments)
    dynamics = Dynamics(robot, backend='python')
    counts = {name: dynamics.program(name).operation_count for name in arguments.functions}
    print(f'{robot.name}: operations of one evaluation\n')
    print(f'{"function":<38}' + ''.join(f'{name:>8}' for name in COLUMNS))
    for name, count in counts.items():
        print(f'{name:<38}' + ''.join(f'{getattr(count, column):>8}' for column in COLUMNS))
    n = robot.n_joints
    if n > 1 and not robot.floating_base and not robot.n_modes:
        print(f'\n{f"inverse of a general arm, n = {n}":<38}{"mul":>8}{"add":>8}')
        for author, a, b, c, d in LITERATURE:
            print(f'{author:<38}{a * n - b:>8}{c * n - d:>8}')
    return 0
