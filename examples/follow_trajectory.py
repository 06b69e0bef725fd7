# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torques of a six-axis arm along a trajectory: a table, and the arm in motion as a page."""

import argparse
from pathlib import Path
import signal

import numpy as np

import kane_dynamics as kd
from kane_dynamics import Trajectory

URDF = Path(__file__).parents[1] / 'urdf' / 'six_axis.urdf'
BARS = ' ▁▂▃▄▅▆▇█'


def way_points(robot):
    """Return a trajectory through four configurations, smooth and at rest at both ends."""
    points = np.array([[0.0, -0.8, 1.2, 0.0, 0.6, 0.0],
                       [0.8, -0.2, 0.6, 0.5, 0.9, 1.0],
                       [-0.4, 0.4, 1.0, -0.5, 0.2, -0.6],
                       [0.0, -0.8, 1.2, 0.0, 0.6, 0.0]])
    return Trajectory(robot.joint_names, times=[0.0, 1.2, 2.6, 4.0], positions=points,
                      interpolation='quintic_spline')


def sparkline(values, width=48):
    """Return a row of small bars, zero at half height."""
    samples = values[np.linspace(0, len(values) - 1, width).astype(int)]
    heights = 0.5 + 0.5 * samples / max(np.abs(values).max(), 1e-12)
    return ''.join(BARS[int(round(height * (len(BARS) - 1)))] for height in heights)


def main():
    """Print the torques, write the page, compare with Pinocchio where it is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--page', type=Path, default=Path('out/follow_trajectory.html'))
    arguments = parser.parse_args()
    robot = kd.load_urdf(URDF)
    dynamics = kd.Dynamics(robot)
    print(f'{robot.name}: {robot.n_joints} joints, {robot.total_mass:.1f} kg; '
          f'inverse dynamics in {dynamics.operation_count("inverse")}')

    t = np.arange(0.0, 4.0, 1e-3)
    trajectory = way_points(robot)
    q, qd, qdd, *_ = trajectory.sample_many(t)
    tau = dynamics.inverse_many(q, qd, qdd)

    print(f'\n{"joint":<16} {"peak [N m]":>11} {"RMS [N m]":>11}   torque over 4 s')
    for k, name in enumerate(robot.joint_names):
        print(f'{name:<16} {np.abs(tau[:, k]).max():>11.3f} '
              f'{np.sqrt(np.mean(tau[:, k]**2)):>11.3f}   {sparkline(tau[:, k])}')
    arguments.page.parent.mkdir(parents=True, exist_ok=True)
    kd.show(robot, trajectory, path=arguments.page)
    print(f'\nthe arm in motion, to open in a browser: {arguments.page}')
    try:
        difference = kd.cross_check(dynamics, URDF.read_text())
    except kd.MissingDependencyError:
        return
    print('\ncomparison with Pinocchio, which reads the same file; largest relative differences:')
    print(difference)


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
