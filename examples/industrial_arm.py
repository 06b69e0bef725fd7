# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
The six-axis arm of Angeles, Ma and Rojas 1989, example 2: the hand along a straight line in 1 s.

Printed: x = 1.33, y = s(t), z = 1.80 m, orientation constant, s a "normal spline" with zero speed
and acceleration at both ends; figures 6 to 8 are lost. Assumptions for the rest:

s(t)       "Normal" runs from 0 to 1, so y goes from 0 (the printed first angles are in the plane
           y = 0) to 1 m. The spline is taken as the polynomial 10 t^3 - 15 t^4 + 6 t^5, the
           simplest with these ends.
the start  The first angles of Table 3 put frame 6 at x = 1.325, z = 1.238: x agrees with the line,
           z does not. (Pitched up by 26.9 deg instead of down, theta_4 = 93.4, the hand would be
           at x = 1.325, z = 1.790.) Two variants: 'line' keeps the printed line and the
           orientation of the printed angles, and computes the angles; 'angles' keeps the
           printed angles and takes the line through that position.
masses     rho_i and I_i are said to be in frame i, whose origin is on joint i. Taken literally
           ('printed'), links 2 to 4 have their masses behind their joints. In standard frames,
           with origins at the far ends of the links, the same numbers describe a sensible
           machine ('far'): the data are from Thomas and Tesar 1982, who may have meant it.

    python examples/industrial_arm.py [--plot industrial_arm.png]
"""

import argparse
from pathlib import Path
import signal
import warnings

from angeles_1989 import published_count, robot_of
import numpy as np

import kane_dynamics as kd
from kane_dynamics import AxisRotation, CartesianTask, inverse_kinematics, Line

URDF = Path(__file__).resolve().parents[1] / 'urdf'
FILES = {'printed': 'industrial_arm.urdf', 'far': 'industrial_arm_far.urdf'}
HAND = {'printed': 'link_6', 'far': 'tip'}  # the links that are frame 6
DURATION = 1.0                              # s
LINE = np.array([1.33, 0.0, 1.80])          # m, where the printed line starts
ALONG = np.array([0.0, 1.0, 0.0])           # m, from its start to its end

TABLE = [  # alpha [deg], a [m], b [m], kind: Table 3
    (0, 0, -1.5, 'revolute'), (90, 0, 0, 'revolute'), (0, 1.02, 0, 'revolute'),
    (0, 1.02, 0, 'revolute'), (90, 0.2, 0, 'revolute'), (90, 0, -0.41, 'revolute')]
FIRST = np.radians([0, 68.5, -135, 39.6, 90, 90])
INERTIALS = [  # mass [kg], mass centre [m], central inertias [kg m^2]
    (680, (0, -0.33, 0), (0, 62, 0)), (360, (-0.87, 0, -0.13), (11, 53, 44)),
    (180, (-0.64, 0.04, 0), (1.1, 44, 44)), (55, (-0.12, 0.04, 0), (0.44, 0.91, 0.82)),
    (36, (0, -0.05, -0.08), (0.47, 0.38, 0.18)), (68, (0, 0, 0), (0.44, 0.64, 0.73))]


def build(masses='printed'):
    """Return the Robot of the table; masses 'printed' or 'far', see above."""
    convention = {'printed': 'modified', 'far': 'standard'}[masses]
    with warnings.catch_warnings():
        # the paper gives link 1 one moment of inertia and two zeros, which is impossible
        warnings.simplefilter('ignore', kd.KaneDynamicsWarning)
        return robot_of(TABLE, INERTIALS, convention, name=FILES[masses][:-len('.urdf')])


def spline(t):
    """Return s, s', s'' of the rest-to-rest motion at times t (...,) [s]."""
    x = np.asarray(t, dtype=float) / DURATION
    return (x ** 3 * (10 - 15 * x + 6 * x ** 2),
            30 * x ** 2 * (1 - x) ** 2 / DURATION,
            60 * x * (1 - x) * (1 - 2 * x) / DURATION ** 2)


def follow(dyn, frame, q, R, start):
    """Return the task that carries a frame along a line from near q, orientation constant."""
    return CartesianTask(dyn, frame, Line(start, start + ALONG), AxisRotation(R), q0=q,
                         profile='quintic', duration=DURATION, limits=False)


def case(dyn, masses='printed', start='line'):
    """Return first angles (6,), orientation (3, 3) and first position (3,) of a variant."""
    R, p = dyn.frame_pose(HAND[masses], FIRST)
    if start == 'angles':
        return FIRST, R, p
    return inverse_kinematics(dyn, HAND[masses], LINE, R, FIRST, limits=False), R, LINE


def run(masses='printed', start='line', times=np.linspace(0.0, DURATION, 101)):
    """Return the dynamics and q, qd, qdd, tau (N, 6) and hand positions (N, 3) of a variant."""
    dyn = kd.Dynamics(build(masses))
    q, R, p = case(dyn, masses, start)
    q, qd, qdd = follow(dyn, HAND[masses], q, R, p).sample_many(times)
    hand = np.array([dyn.frame_pose(HAND[masses], each)[1] for each in q])
    return dyn, q, qd, qdd, dyn.inverse_many(q, qd, qdd), hand


def print_case(masses, start):
    """Print angles and torques along the line for one variant."""
    times = np.linspace(0.0, DURATION, 101)
    dyn, q, _, _, tau, hand = run(masses, start, times)
    p = case(dyn, masses, start)[2]
    off = abs(hand - (p + spline(times)[0][:, None] * ALONG)).max()
    print(f"\nstart from the printed {start}, masses '{masses}'")
    print('                         x [m]    y [m]            z [m]')
    print('  published              1.33     s(t)             1.80')
    print(f'  here                   {p[0]:.4f}   0 ... 1          {p[2]:.4f}'
          f'     largest distance from the line {off:.0e} m')
    print('  t [s]  y [m]   theta1 ... theta6 [deg]' + ' ' * 31 + 'tau1 ... tau6 [N m]')
    for k in range(0, 101, 20):
        numbers = np.concatenate([np.degrees(q[k]), tau[k]]).round(2) + 0.0  # no minus at a zero
        print(f'  {times[k]:4.1f}  {spline(times[k])[0]:6.3f} '
              + ''.join(f'{value:8.2f}' for value in numbers[:6]) + '  '
              + ''.join(f'{value:10.2f}' for value in numbers[6:]))


def print_start_and_count():
    """Print the first pose and the operation count, published and computed."""
    dyn = kd.Dynamics(build())
    _, p = dyn.frame_pose('link_6', FIRST)
    count, (mul, add) = dyn.operation_count('inverse'), published_count(6)
    print('                                         published      computed')
    print(f'  x of frame 6 at the first angles [m]    1.33           {p[0]:.4f}')
    print(f'  z of frame 6 at the first angles [m]    1.80           {p[2]:.4f}   (see the text '
          'of this file)')
    print(f'  multiplications / additions, six axes   {mul} / {add}      {count.mul} / {count.add}'
          '    (here for this arm, inertias lumped)')


def plot(path):
    """Save angles and torques along the printed line as a picture."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot

    times = np.linspace(0.0, DURATION, 201)
    figure, axes = pyplot.subplots(1, 4, figsize=(14, 4.4), layout='constrained')
    s, sd, sdd = spline(times)
    axes[0].plot(times, s, label='y [m]')
    axes[0].plot(times, sd, label="y' [m/s]")
    axes[0].plot(times, sdd / 5, label="y''/5 [m/s^2]")
    axes[0].set(title='along the line')
    for masses, axis in (('printed', axes[2]), ('far', axes[3])):
        _, q, _, _, tau, _ = run(masses, 'line', times)
        for joint in range(6):
            axis.plot(times, tau[:, joint] / 1e3, label=f'tau{joint + 1}')
        axis.set(title=f"torques [kN m], masses '{masses}'")
    for joint in range(6):
        axes[1].plot(times, np.degrees(q[:, joint]), label=f'theta{joint + 1}')
    axes[1].set(title='joint angles [deg]')
    for axis in axes:
        axis.set_xlabel('t [s]')
        axis.legend(ncols=3, fontsize='small', loc='upper center', bbox_to_anchor=(0.5, -0.15))
    figure.savefig(path, dpi=100)
    print(f'\nwritten: {path}')


def main(arguments=None):
    """Print the tables; save a picture with --plot."""
    parser = argparse.ArgumentParser(description='The industrial arm of Angeles et al. 1989.')
    parser.add_argument('--plot', metavar='FILE', help='save angles and torques as a picture')
    options = parser.parse_args(arguments)
    print_start_and_count()
    print_case('printed', 'line')
    print_case('far', 'line')
    print_case('printed', 'angles')
    if options.plot:
        plot(options.plot)


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
