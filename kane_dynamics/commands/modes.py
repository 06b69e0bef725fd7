# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Print the natural frequencies and mode shapes of a flexible arm at a pose, and draw them.

kane modes arm.urdf
kane modes arm.urdf --q 0 0.5 -0.9 --free --plot modes.png
kane modes arm.urdf --qd 6 0 0                      # is it stable in this motion?
kane modes arm.urdf --linearize arm.npz --outputs tool0
"""

from pathlib import Path

import numpy as np

from kane_dynamics.analysis.deflection import tip_deflections
from kane_dynamics.analysis.linearize import linearize
from kane_dynamics.analysis.modal import moving_modes, vibration
from kane_dynamics.analysis.picture_file import check_picture
from kane_dynamics.commands import add_arm, load_arm, of_joints
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
    parser.add_argument('--qd', type=float, nargs='+', metavar='SPEED',
                        help='also the elastic modes while the joints move so [rad/s or m/s]; '
                             'exit status 1 where that makes them unstable')
    parser.add_argument('--qdd', type=float, nargs='+', metavar='ACCELERATION',
                        help='with these accelerations [rad/s^2 or m/s^2]; default 0')
    parser.add_argument('--linearize', metavar='FILE',
                        help="write A, B, C, D of x' = A x + B tau, y = C x + D tau at this pose, "
                             'with the names of states, inputs and outputs: .npz or .mat')
    parser.add_argument('--outputs', nargs='+', metavar='NAME',
                        help='y of --linearize: joints, modes, links (x, y, z); default: joints')


def run(arguments):
    """Print a row per vibration; 1 if the motion of --qd and --qdd makes the links unstable."""
    robot = load_arm(arguments)
    if robot.n_modes == 0:
        raise InputError(f'{robot.name!r} has nothing that bends: no <flexible_link> and no '
                         '<flexible_joint>')
    if arguments.plot:
        check_picture(arguments.plot)
    if arguments.linearize and Path(arguments.linearize).suffix not in ('.npz', '.mat'):
        raise InputError(f'--linearize {arguments.linearize}: expected a file that ends in .npz '
                         'or .mat')
    dyn = Dynamics(robot, backend='python')
    qd, qdd = (None if values is None else _rates(robot, values, option) for values, option in
               ((arguments.qd, '--qd'), (arguments.qdd, '--qdd')))
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
        print(f'\nwritten: {arguments.plot}')
    if arguments.linearize:
        _write_state_space(dyn, found.q, arguments.linearize, arguments.outputs)
    if qd is not None or qdd is not None:
        return _print_moving(dyn, found.q, *(np.zeros(robot.nv) if each is None else each
                                             for each in (qd, qdd)))
    return 0


def _print_moving(dyn, q, qd, qdd):
    """Print the elastic modes of the moving arm; return 0 if they are stable, else 1."""
    moving = moving_modes(dyn, q, qd, qdd)
    softest = np.linalg.eigvalsh((moving.stiffness + moving.stiffness.T) / 2)[0]
    print('\nwhile the joints move so: '
          + ('stable' if moving.stable else 'NOT STABLE') + ', effective stiffness '
          + ('positive definite' if softest > 0.0 else f'not positive definite ({softest:.4g})'))
    print(f'{"":>4}{"Hz":>11}{"rad/s":>11}{"growth [1/s]":>14}')
    pairs = sorted((value for value in moving.eigenvalues if value.imag >= 0.0),
                   key=lambda value: (value.imag, value.real))
    for k, value in enumerate(pairs):
        print(f'{k + 1:>4}{value.imag / (2 * np.pi):>11.5g}{value.imag:>11.5g}{value.real:>14.4g}')
    return 0 if moving.stable else 1


def _write_state_space(dyn, q, path, outputs):
    """Write A, B, C, D and the names of what they relate."""
    robot = dyn.robot
    model = linearize(dyn, q, outputs=outputs)
    first = robot.nv - robot.n_joints - robot.n_modes
    base = ('base_x', 'base_y', 'base_z', 'base_rx', 'base_ry', 'base_rz')[:first]
    coordinates = (*base, *robot.joint_names, *robot.mode_names)
    names = [(name,) if name in coordinates else tuple(f'{name}/{axis}' for axis in 'xyz')
             for name in (robot.joint_names if outputs is None else outputs)]
    arrays = {**model._asdict(), 'inputs': robot.joint_names, 'outputs': sum(names, ()),
              'states': (*coordinates, *(f'{name}_rate' for name in coordinates))}
    if Path(path).suffix == '.npz':
        np.savez(path, **arrays)
    else:
        from scipy.io import savemat
        savemat(path, {name: np.array(value, dtype=object) if isinstance(value, tuple) else value
                       for name, value in arrays.items()})
    print(f'\nwritten: {path} (A {model.A.shape}, B {model.B.shape}, C {model.C.shape}, '
          f'D {model.D.shape})')


def _rates(robot, values, option):
    """Return (nv,) with the values of an option at the joints."""
    whole = np.zeros(robot.nv)
    end = robot.nv - robot.n_modes
    whole[end - robot.n_joints:end] = of_joints(robot, values, option)
    return whole


def _pose(robot, angles):
    if angles is None:
        return None
    q = robot.neutral()[:robot.nq - robot.n_modes]
    q[len(q) - robot.n_joints:] = of_joints(robot, angles, '--q')
    return q


def _parts(robot, shape):
    """Return the largest coordinates of a shape, in words."""
    names = (*robot.joint_names, *robot.mode_names)
    shape = shape[len(shape) - len(names):]
    shape = shape / shape[np.argmax(abs(shape))]
    order = [k for k in np.argsort(-abs(shape))[:MOST_PARTS] if abs(shape[k]) >= SHOWN]
    return ', '.join(f'{names[k]} {shape[k]:.2g}' for k in order)
