# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Print natural frequencies and mode shapes of a flexible arm in a configuration; draw them.

kane modes arm.urdf
kane modes arm.urdf --q 0 0.5 -0.9 --free --plot modes.png
kane modes arm.urdf --qd 6 0 0                      # stability while moving
kane modes arm.urdf --linearize arm.npz --outputs tool0
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kane_dynamics.analysis.pictures.figure_file import check_picture
from kane_dynamics.analysis.vibration.deflection import tip_deflections
from kane_dynamics.analysis.vibration.linearize import linearize
from kane_dynamics.analysis.vibration.vibration import moving_modes, vibration
from kane_dynamics.commands.options.arm_options import add_arm, load_arm, of_joints
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.files import whole_file
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import FloatArray

SHOWN = 0.1         # parts of a shape below this fraction of the largest are not printed
MOST_PARTS = 4


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_arm(parser)
    parser.add_argument('--q', nargs='+', metavar='POS',
                        help='joint positions in the order of `kane info` (1.57, 90deg, 20mm; '
                        'without a unit in rad or m); default 0')
    parser.add_argument('--free', action='store_true',
                        help='let the joints move freely; default: locked')
    parser.add_argument('--plot', metavar='FILE',
                        help='draw the lowest mode shapes: .png, .svg, .pdf')
    parser.add_argument('--qd', nargs='+', metavar='SPEED',
                        help='joint velocities [rad/s or m/s]: also print the elastic modes of '
                             'the moving arm; exit status 1 if they are unstable')
    parser.add_argument('--qdd', nargs='+', metavar='ACCELERATION',
                        help='joint accelerations [rad/s^2 or m/s^2] for --qd; default 0')
    parser.add_argument('--linearize', metavar='FILE',
                        help="write A, B, C, D of x' = A x + B tau, y = C x + D tau in this "
                             'configuration, with the names of states, inputs and outputs: .npz '
                             'or .mat')
    parser.add_argument('--outputs', nargs='+', metavar='NAME',
                        help='outputs y of --linearize: joints, modes, links (x, y, z); default: '
                             'joints')


def run(arguments: Namespace) -> int:
    """Print a row per mode; return 1 if the links are unstable in the motion --qd, --qdd."""
    robot = load_arm(arguments)
    if robot.n_modes == 0:
        raise InputError(f'{robot.name!r} is rigid: it has no <flexible_link> and no '
                         '<flexible_joint>')
    if arguments.plot:
        check_picture(arguments.plot)
    if arguments.linearize and Path(arguments.linearize).suffix not in ('.npz', '.mat'):
        raise InputError(f'--linearize {arguments.linearize}: expected a file that ends in .npz '
                         'or .mat')
    dyn = Dynamics(robot, backend='python')
    qd, qdd = (None if words is None else _rates(robot, words, option, rate)
               for words, option, rate in ((arguments.qd, '--qd', '/s'),
                                           (arguments.qdd, '--qdd', '/s^2')))
    found = vibration(dyn, _configuration(robot, arguments.q),
                      'free' if arguments.free else 'locked')
    joints = ', '.join(f'{name} {value:.4g}' for name, value in
                       zip(robot.joint_names, found.q[robot.joints_q]))
    print(f'{robot.name}: modes with joints {found.joints}, at {joints or "no joints"}')
    for name, deflection in tip_deflections(robot, found.q).items():
        if deflection.size > 0.0:
            print(f'  {name} sags by {deflection.size * 1e3:.4g} mm')
    print(f'\n{"":>4}{"Hz":>11}{"rad/s":>11}{"damping":>9}   shape (largest part 1)')
    for k, (frequency, ratio) in enumerate(zip(found.frequencies, found.damping_ratios)):
        parts = _largest_parts(robot, found.shapes[:, k])
        if np.isnan(frequency):
            print(f'{k + 1:>4}{"unstable":>11}{"":>20}   {parts}')
            continue
        print(f'{k + 1:>4}{frequency:>11.5g}{2 * np.pi * frequency:>11.5g}{ratio:>8.2%}    '
              + parts)
    if arguments.plot:
        from kane_dynamics.analysis.pictures.mode_picture import picture_of_modes
        picture_of_modes(robot, found, arguments.plot)
        print(f'\nwritten: {arguments.plot}')
    if arguments.linearize:
        _write_state_space(dyn, found.q, arguments.linearize, arguments.outputs)
    if qd is not None or qdd is not None:
        return _print_moving(dyn, found.q, *(np.zeros(robot.nv) if each is None else each
                                             for each in (qd, qdd)))
    return 0


def _print_moving(dyn: Dynamics, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> int:
    """Print the elastic modes of the moving arm; return 0 if they are stable, else 1."""
    moving = moving_modes(dyn, q, qd, qdd)
    softest = np.linalg.eigvalsh((moving.stiffness + moving.stiffness.T) / 2)[0]
    print('\nmoving with --qd and --qdd: '
          + ('stable' if moving.stable else 'NOT STABLE') + ', effective stiffness '
          + ('positive definite' if softest > 0.0 else f'not positive definite ({softest:.4g})'))
    print(f'{"":>4}{"Hz":>11}{"rad/s":>11}{"growth [1/s]":>14}')
    pairs = sorted((value for value in moving.eigenvalues if value.imag >= 0.0),
                   key=lambda value: (value.imag, value.real))
    for k, value in enumerate(pairs):
        print(f'{k + 1:>4}{value.imag / (2 * np.pi):>11.5g}{value.imag:>11.5g}{value.real:>14.4g}')
    return 0 if moving.stable else 1


def _write_state_space(dyn: Dynamics, q: FloatArray, path: str,
                       outputs: Sequence[str] | None) -> None:
    """Write A, B, C, D and the names of states, inputs and outputs."""
    robot = dyn.robot
    model = linearize(dyn, q, outputs=outputs)
    first = robot.nv - robot.n_joints - robot.n_modes
    base = ('base_x', 'base_y', 'base_z', 'base_rx', 'base_ry', 'base_rz')[:first]
    coordinates = (*base, *robot.joint_names, *robot.mode_names)
    names = [(name,) if name in coordinates else tuple(f'{name}/{axis}' for axis in 'xyz')
             for name in (robot.joint_names if outputs is None else outputs)]
    arrays = {**model._asdict(), 'inputs': robot.joint_names, 'outputs': sum(names, ()),
              'states': (*coordinates, *(f'{name}_rate' for name in coordinates))}
    with whole_file(path) as temporary:
        if temporary.suffix == '.npz':
            np.savez(temporary, **arrays)
        else:
            from scipy.io import savemat
            savemat(temporary, {
                name: np.array(value, dtype=object) if isinstance(value, tuple) else value
                for name, value in arrays.items()})
    print(f'\nwritten: {path} (A {model.A.shape}, B {model.B.shape}, C {model.C.shape}, '
          f'D {model.D.shape})')


def _rates(robot: Robot, words: Sequence[str], option: str, rate: str) -> FloatArray:
    """Return (nv,) with the values of an option at the joints."""
    whole = np.zeros(robot.nv)
    whole[robot.joints_v] = of_joints(robot, words, option, rate)
    return whole


def _configuration(robot: Robot, words: Sequence[str] | None) -> FloatArray | None:
    """Return the configuration of the base and the joints, for the sag to be added."""
    if words is None:
        return None
    q: FloatArray = robot.neutral()
    q[robot.joints_q] = of_joints(robot, words, '--q')
    return q[:robot.nq - robot.n_modes]


def _largest_parts(robot: Robot, shape: FloatArray) -> str:
    """Return the largest coordinates of a mode shape as text."""
    names = (*robot.joint_names, *robot.mode_names)
    shape = shape[len(shape) - len(names):]
    shape = shape / shape[np.argmax(abs(shape))]
    order = [k for k in np.argsort(-abs(shape))[:MOST_PARTS] if abs(shape[k]) >= SHOWN]
    return ', '.join(f'{names[k]} {shape[k]:.2g}' for k in order)
