# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Compare every function with Pinocchio, which reads the same file by itself.

kane check arm.urdf
kane check arm.urdf --floating --functions inverse forward --samples 100
"""

from pathlib import Path

from kane_dynamics.commands import add_arm, load_arm
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.oracle import cross_check, FUNCTIONS
from kane_dynamics.motion.progress import Progress


def add_arguments(parser):
    """Add what the command takes."""
    add_arm(parser)
    parser.add_argument('--samples', type=int, default=1000, help='random states, default 1000')
    parser.add_argument('--seed', type=int, default=0, help='of the random states, default 0')
    parser.add_argument('--functions', nargs='+', metavar='NAME',
                        help=f'some of {" ".join(FUNCTIONS)}; default all')
    parser.add_argument('--tolerance', type=float, default=1e-10,
                        help='largest relative error that passes, default 1e-10')


def run(arguments):
    """Print the largest difference per function; 1 if one is above the tolerance."""
    robot = load_arm(arguments)
    functions = arguments.functions or FUNCTIONS
    with Progress(len(functions), 'checking') as progress:
        report = cross_check(Dynamics(robot), _text(arguments.urdf), arguments.samples,
                             arguments.seed, functions, progress.reach)
    print(report)
    agrees = report.passes(arguments.tolerance)
    print(f'\n{"agrees" if agrees else "DIFFERS"} within {arguments.tolerance:g} and round-off')
    return 0 if agrees else 1


def _text(path):
    """Return the URDF for Pinocchio to read by itself; None: let it read what we write."""
    path = Path(path)
    try:
        return None if path.suffix == '.xacro' else path.read_text(encoding='utf-8-sig')
    except UnicodeDecodeError:
        return None
