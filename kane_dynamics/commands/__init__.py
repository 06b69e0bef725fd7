# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of `kane`, a file each: add_arguments(parser) and run(arguments)."""

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.model.urdf import load_urdf


def add_arm(parser):
    """Add the arguments that name an arm."""
    parser.add_argument('urdf', help='URDF or .xacro file')
    parser.add_argument('--floating', action='store_true', help='let the base float')
    parser.add_argument('--gravity', type=float, nargs=3, default=(0.0, 0.0, -9.81),
                        metavar=('X', 'Y', 'Z'),
                        help='[m/s^2] in the axes of the base, default 0 0 -9.81')


def load_arm(arguments, unphysical='refuse'):
    """Return the Robot that the arguments name; `unphysical` as in `load_urdf`."""
    return load_urdf(arguments.urdf, gravity=arguments.gravity,
                     floating_base=arguments.floating, unphysical=unphysical)


def of_joints(robot, values, option):
    """Return the numbers of an option as an array with one for each joint (n_joints,)."""
    if len(values) != robot.n_joints:
        raise InputError(f'{option} has {len(values)} numbers; {robot.name!r} has '
                         f'{robot.n_joints} joints: {list(robot.joint_names)}')
    values = np.array(values, dtype=float)
    if not np.isfinite(values).all():
        raise InputError(f'{option}: expected finite numbers, got {values.tolist()}')
    return values
