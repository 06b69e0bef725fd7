# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Count the operations of the generated code of an arm, beside the literature."""

from kane_dynamics.commands import add_arm, load_arm
from kane_dynamics.dynamics.dynamics import Dynamics

FUNCTIONS = ('inverse', 'bias', 'gravity', 'mass_matrix', 'forward', 'inverse_derivatives')


def add_arguments(parser):
    """Add what the command takes."""
    add_arm(parser)
    parser.add_argument('--functions', nargs='+', default=FUNCTIONS, help='which, by name')


def run(arguments):
    """Print a row per function."""
    robot = load_arm(arguments)
    dynamics = Dynamics(robot, backend='python')
    print(f'{robot.name}: operations of one evaluation\n')
    columns = ('mul', 'add', 'div', 'sqrt', 'sincos')
    print(f'{"function":<22}' + ''.join(f'{name:>9}' for name in columns))
    for name in arguments.functions:
        count = dynamics.operation_count(name)
        print(f'{name:<22}' + ''.join(f'{getattr(count, column):>9}' for column in columns))
    n = robot.n_joints
    if not robot.floating_base and not robot.n_modes:
        print(f'\ninverse of a general arm with {n} revolute joints: {86 * n - 121} mul, '
              f'{75 * n - 114} add here; {105 * n - 109}, {90 * n - 105} in Angeles, Ma and Rojas '
              '1989')
    return 0
