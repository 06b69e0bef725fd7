# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Follow a trajectory with a six-axis arm: the torques, a picture, and what Pinocchio says."""

import argparse
from pathlib import Path

import numpy as np

import kane_dynamics as kd
from kane_dynamics.dynamics.oracle import cross_check
from kane_dynamics.motion import Trajectory

URDF = Path(__file__).parents[1] / 'urdf' / 'six_axis.urdf'
BARS = ' ▁▂▃▄▅▆▇█'


def way_points(robot):
    """Return a trajectory through four postures, smooth and at rest at both ends."""
    postures = np.array([[0.0, -0.8, 1.2, 0.0, 0.6, 0.0],
                         [0.8, -0.2, 0.6, 0.5, 0.9, 1.0],
                         [-0.4, 0.4, 1.0, -0.5, 0.2, -0.6],
                         [0.0, -0.8, 1.2, 0.0, 0.6, 0.0]])
    return Trajectory(robot.joint_names, times=[0.0, 1.2, 2.6, 4.0], positions=postures,
                      interpolation='quintic_spline')


def sparkline(values, width=48):
    """Return a row of small bars, zero at half height."""
    samples = values[np.linspace(0, len(values) - 1, width).astype(int)]
    heights = 0.5 + 0.5 * samples / max(np.abs(values).max(), 1e-12)
    return ''.join(BARS[int(round(height * (len(BARS) - 1)))] for height in heights)


def save_picture(path, t, tau, names):
    """Draw the torques into a file."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout='constrained')
    axes.plot(t, tau, label=names)
    axes.set(xlabel='time [s]', ylabel='torque [N m]', title='Torques of the motion')
    axes.grid(alpha=0.3)
    axes.legend(ncols=3, fontsize='small')
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main():
    """Load, follow, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--picture', type=Path, default=Path('out/torques.png'))
    arguments = parser.parse_args()
    robot = kd.load_urdf(URDF)
    dynamics = kd.Dynamics(robot)
    print(f'{robot.name}: {robot.n_joints} joints, {robot.total_mass:.1f} kg; '
          f'inverse dynamics in {dynamics.operation_count("inverse")}')

    t = np.arange(0.0, 4.0, 1e-3)
    q, qd, qdd, *_ = way_points(robot).sample_many(t)
    tau = dynamics.inverse_many(q, qd, qdd)

    print(f'\n{"joint":<16} {"peak [N m]":>11} {"RMS [N m]":>11}   torque over 4 s')
    for k, name in enumerate(robot.joint_names):
        print(f'{name:<16} {np.abs(tau[:, k]).max():>11.3f} '
              f'{np.sqrt(np.mean(tau[:, k]**2)):>11.3f}   {sparkline(tau[:, k])}')
    save_picture(arguments.picture, t, tau, robot.joint_names)
    print(f'\npicture: {arguments.picture}')

    print('\nthe same arm read and computed by Pinocchio, largest relative differences:')
    print(cross_check(dynamics, URDF.read_text()))


if __name__ == '__main__':
    main()
