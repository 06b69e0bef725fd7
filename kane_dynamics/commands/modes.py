# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Print the natural frequencies and mode shapes of a flexible arm at a pose, and draw them.

kane modes arm.urdf
kane modes arm.urdf --q 0 0.5 -0.9 --free --plot modes.png
"""

import numpy as np

from kane_dynamics.analysis.deflection import tip_deflections
from kane_dynamics.analysis.modal import vibration
from kane_dynamics.commands import add_arm, load_arm
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError

SHOWN = 0.1         # parts of a shape below this fraction of the largest are not printed
MOST_PARTS = 4


def add_arguments(parser):
    """Add what the command takes."""
    add_arm(parser)
    parser.add_argument('--q', type=float, nargs='+', metavar='ANGLE',
                        help='the joints [rad or m], in the order of `kane info`; default 0')
    parser.add_argument('--free', action='store_true',
                        help='joints that move freely; default: locked')
    parser.add_argument('--plot', metavar='FILE', help='draw the lowest shapes: .png, .svg, .pdf')


def run(arguments):
    """Print a row per vibration."""
    robot = load_arm(arguments)
    if robot.n_modes == 0:
        raise InputError(f'{robot.name!r} has nothing that bends: no <flexible_link> and no '
                         '<flexible_joint>')
    dyn = Dynamics(robot, backend='python')
    found = vibration(dyn, _pose(robot, arguments.q), 'free' if arguments.free else 'locked')
    joints = ', '.join(f'{name} {value:.4g}' for name, value in
                       zip(robot.joint_names, found.q[robot.nq - robot.n_modes
                                                      - robot.n_joints:]))
    print(f'{robot.name}: vibrations with joints {found.joints}, at {joints or "no joints"}')
    for name, deflection in tip_deflections(robot, found.q).items():
        if deflection.size > 0.0:
            print(f'  {name} sags by {deflection.size * 1e3:.4g} mm')
    print(f'\n{"":>4}{"Hz":>11}{"rad/s":>11}{"damping":>9}   shape (largest part 1)')
    for k, (frequency, ratio) in enumerate(zip(found.frequencies, found.damping_ratios)):
        if np.isnan(frequency):
            print(f'{k + 1:>4}{"unstable":>11}{"":>20}   {_parts(robot, found.shapes[:, k])}')
            continue
        print(f'{k + 1:>4}{frequency:>11.5g}{2 * np.pi * frequency:>11.5g}{ratio:>8.2%}    '
              f'{_parts(robot, found.shapes[:, k])}')
    if arguments.plot:
        from kane_dynamics.analysis.modal_picture import picture_of_modes
        picture_of_modes(robot, found, arguments.plot)
        print(f'\n{arguments.plot} written')
    return 0


def _pose(robot, angles):
    if angles is None:
        return None
    if len(angles) != robot.n_joints:
        raise InputError(f'--q has {len(angles)} numbers; {robot.name!r} has {robot.n_joints} '
                         f'joints: {list(robot.joint_names)}')
    q = robot.neutral()[:robot.nq - robot.n_modes]
    q[len(q) - robot.n_joints:] = angles
    return q


def _parts(robot, shape):
    """Return the largest coordinates of a shape, in words."""
    names = (*robot.joint_names, *robot.mode_names)
    shape = shape[len(shape) - len(names):]
    shape = shape / shape[np.argmax(abs(shape))]
    order = [k for k in np.argsort(-abs(shape))[:MOST_PARTS] if abs(shape[k]) >= SHOWN]
    return ', '.join(f'{names[k]} {shape[k]:.2g}' for k in order)
