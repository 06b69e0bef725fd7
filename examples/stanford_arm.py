# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
The Stanford arm of Angeles, Ma and Rojas 1989, example 1: forces of a ten-second motion.

Masses, mass centres and inertias are printed and legible (rho_6 shows four zeros, not three).
Of Table 2 the text has only "-0.1 90 0 -0.1 0 0 -0.6 0 0 90 0": b_1, then alpha_2, a_2 and b_2,
then b_4, and one more angle of 90. The rest of TABLE is reconstructed:
  a_i = 0       a Stanford arm has no common-normal lengths
  alpha_4 = 0   the hand rolls about the boom that slides
  alpha_3, alpha_5, alpha_6 = 90   right angles; no -90 is left in the text or in the paper's other
                table. Reversing a sign mirrors the parts behind it.
The curves of the paper's figure 5 are lost, so no torque can be compared with the paper.
The comparison is with its algorithm (angeles_1989.py) and with Pinocchio, if installed.

    python examples/stanford_arm.py [--plot stanford_arm.png] [--urdf stanford_arm.urdf]
"""

import argparse
from pathlib import Path
import signal

from angeles_1989 import inverse_dynamics, published_count, robot_of
import numpy as np

import kane_dynamics as kd

URDF = Path(__file__).resolve().parents[1] / 'urdf' / 'stanford_arm.urdf'
GRAVITY = (0.0, 0.0, -9.81)
DURATION = 10.0  # s

TABLE = [  # alpha [deg], a [m], b [m], kind
    (0, 0, -0.1, 'revolute'), (90, 0, -0.1, 'revolute'), (90, 0, 0, 'prismatic'),
    (0, 0, -0.6, 'revolute'), (90, 0, 0, 'revolute'), (90, 0, 0, 'revolute')]
INERTIALS = [  # mass [kg], mass centre [m], central inertias [kg m^2], in frame i
    (9.0, (0, 0, -0.1), (0.02, 0.01, 0.01)), (6.0, (0, 0, 0), (0.05, 0.01, 0.06)),
    (4.0, (0, 0, 0), (0.4, 0.4, 0.01)), (1.0, (0, 0, 0.1), (0.001, 0.0005, 0.001)),
    (0.6, (0, 0.06, 0), (0.0005, 0.0002, 0.0005)), (0.5, (0, 0, 0), (0.003, 0.001, 0.002))]


def build():
    """Return the Robot of the table."""
    return robot_of(TABLE, INERTIALS, name='stanford_arm', gravity=GRAVITY)


def motion(t):
    """Return q, qd, qdd (..., 6) of the printed motion at times t (...,) [s]; q_3 is b_3 [m]."""
    # q_i = q_i(0) + A_i (t - sin(B t)/B)
    A = np.array([np.pi / 30, -np.pi / 60, 0.01, np.pi / 30, np.pi / 30, np.pi / 30])
    B = 2 * np.pi / DURATION
    t = np.asarray(t, dtype=float)[..., None]
    start = np.array([0, np.pi / 2, 0, 0, 0, 0])
    return start + A * (t - np.sin(B * t) / B), A * (1 - np.cos(B * t)), A * B * np.sin(B * t)


def paper(t):
    """Return tau (N, 6) at times t (N,) by the algorithm of the paper."""
    return np.array([inverse_dynamics(TABLE, INERTIALS, GRAVITY, *state)
                     for state in zip(*motion(t))])


def print_forces(dyn):
    """Print torques and sliding force of the motion, and the difference from other methods."""
    times = np.linspace(0.0, DURATION, 11)
    tau = dyn.inverse_many(*motion(times))
    print('  t [s]   tau1 [N m]   tau2 [N m]    F3 [N]    tau4 [N m]   tau5 [N m]   tau6 [N m]')
    for t, row in zip(times, np.round(tau, 6) + 0.0):
        print(f'{t:7.1f}' + ''.join(f'{value:13.6f}' for value in row))
    print(f"largest difference from the paper's algorithm {abs(tau - paper(times)).max():.1e}")
    try:
        import pinocchio
    except ImportError:
        print('Pinocchio is not installed: not compared with it')
        return
    model = pinocchio.buildModelFromUrdf(str(URDF))
    data = model.createData()
    other = [pinocchio.rnea(model, data, *state) for state in zip(*motion(times))]
    print(f'largest difference from Pinocchio on urdf/{URDF.name} {abs(tau - other).max():.1e}')


def print_counts(dyn):
    """Print operations of one inverse dynamics, published and counted."""
    count, (mul, add) = dyn.operation_count('inverse'), published_count(6)
    print('\noperations of six drives                                      mult    add')
    print('  published: Kane and Levinson 1983, this arm                 646    394')
    print(f'  published: Angeles, Ma and Rojas 1989, any six-axis arm     {mul}    {add}')
    print(f'  counted here: code generated for this arm                   {count.mul}     '
          f'{count.add}')
    print('  (numbers folded in and inertias lumped ahead of time, which the first two do not;\n'
          f'  {count.sincos} sines with cosines apart)')


def plot(dyn, path):
    """Save the joint motion and the drives as a picture."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot

    times = np.linspace(0.0, DURATION, 401)
    q, qd, qdd = motion(times)
    tau = dyn.inverse_many(q, qd, qdd)
    figure, axes = pyplot.subplots(1, 3, figsize=(13, 4), layout='constrained')
    axes[0].plot(times, np.degrees(q[:, 0]), label='theta1, 4, 5, 6 [deg]')
    axes[0].plot(times, np.degrees(q[:, 1]), label='theta2 [deg]')
    axes[0].plot(times, 100 * q[:, 2], 'k', label='b3 [cm]')
    axes[0].set(title='motion', xlabel='t [s]')
    for joint in (0, 1):
        axes[1].plot(times, tau[:, joint], label=f'tau{joint + 1} [N m]')
    axes[1].plot(times, tau[:, 2], 'k', label='F3 [N]')
    axes[1].set(title='first three drives', xlabel='t [s]')
    for joint in (3, 4, 5):
        axes[2].plot(times, tau[:, joint], label=f'tau{joint + 1} [N m]')
    axes[2].set(title='wrist', xlabel='t [s]')
    for each in axes:
        each.legend()
    figure.savefig(path, dpi=110)
    print(f'\nwritten: {path}')


def main(arguments=None):
    """Print the tables; save a picture with --plot, the arm with --urdf."""
    parser = argparse.ArgumentParser(description='The Stanford arm of Angeles et al. 1989.')
    parser.add_argument('--plot', metavar='FILE', help='save motion and drives as a picture')
    parser.add_argument('--urdf', metavar='FILE', help='write the arm built from the table')
    options = parser.parse_args(arguments)
    dyn = kd.Dynamics(build())
    print_forces(dyn)
    print_counts(dyn)
    if options.plot:
        plot(dyn, options.plot)
    if options.urdf:
        Path(options.urdf).write_text(dyn.robot.to_urdf(), encoding='utf-8')
        print(f'\nwritten: {options.urdf}')


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
