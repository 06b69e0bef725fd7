# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Compare all functions with Pinocchio on random states; Pinocchio reads the URDF itself.

kane check arm.urdf
kane check arm.urdf --floating --functions inverse forward --samples 100
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from kane_dynamics.commands.options.arm_options import add_arm, load_arm
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.oracle.cross_check import cross_check, FUNCTIONS
from kane_dynamics.io.progress import Progress
from kane_dynamics.model.library.robot_library import is_mjcf, robot_file
from kane_dynamics.model.urdf_source import urdf_text


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_arm(parser)
    parser.add_argument('--samples', type=int, default=1000,
                        help='number of random states, default 1000')
    parser.add_argument('--seed', type=int, default=0, help='seed of the random states, default 0')
    parser.add_argument('--functions', nargs='+', metavar='NAME',
                        help=f'functions to compare, default all: {" ".join(FUNCTIONS)}')
    parser.add_argument('--tolerance', type=float, default=1e-10,
                        help='largest accepted relative error, default 1e-10')


def run(arguments: Namespace) -> int:
    """Print the largest difference of each function; return 1 if one exceeds the tolerance."""
    robot = load_arm(arguments)
    functions = arguments.functions or FUNCTIONS
    file = robot_file(arguments.urdf)
    # without the text Pinocchio reads the URDF that is written from the robot
    text = None if arguments.lock or is_mjcf(file) else urdf_text(file)
    with Progress(len(functions), 'checking') as progress:
        report = cross_check(Dynamics(robot), text, arguments.samples,
                             arguments.seed, functions, progress.reach)
    print(report)
    agrees = report.passes(arguments.tolerance)
    print(f'\n{"agrees" if agrees else "DIFFERS"} within {arguments.tolerance:g} and round-off')
    return 0 if agrees else 1
