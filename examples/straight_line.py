# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
A load along a straight line: joint motion, torques, minimum time, and unreachable lines.

    python examples/straight_line.py [--plot straight_line.svg]
"""

import argparse
from pathlib import Path
import signal

import numpy as np

import kane_dynamics as kd
from kane_dynamics import (
    AxisRotation, CartesianTask, largest_alpha, largest_alpha_kinematic, Line, minimum_time,
    TaskError)

URDF = Path(__file__).resolve().parents[1] / 'urdf' / 'six_axis.urdf'
START = np.array([0.5, 0.4, 0.2, 0.3, 0.7, -0.2])     # rad, initial configuration
LOAD = (5.0, (0.0, 0.0, 0.08))                          # kg, and m from the flange
ALONG = np.array([0.05, -0.55, 0.12])                   # m, from there to the end of the line


def make(dynamics, along=ALONG, duration=1.0):
    """Return the task: tool0 along a line, with constant orientation and quintic profile."""
    R, p = dynamics.frame_pose('tool0', START)
    return CartesianTask(dynamics, 'tool0', Line(p, p + along), AxisRotation(R), q0=START,
                         profile='quintic', duration=duration)


def fastest_scaled(dynamics, task):
    """Return the shortest duration [s] of the same profile within torque and speed limits."""
    motion = task.sample(0.002)
    q, qd, qdd = motion.q, motion.qd, motion.qdd
    limits, gravity = dynamics.robot.limits, dynamics.gravity_many(q)
    alpha = min(largest_alpha(gravity, dynamics.inverse_many(q, qd, qdd) - gravity, limits.effort),
                largest_alpha_kinematic(task.trajectory(0.01), limits.velocity))
    return task.duration / alpha


def print_motion(dynamics, task):
    """Print the joints and torques along the path, and the deviation from the line."""
    motion = task.sample(0.001)
    t, q, qd, qdd = motion.t, motion.q, motion.qd, motion.qdd
    tau = dynamics.inverse_many(q, qd, qdd)
    off = np.linalg.norm(task.point_positions(q) - task.wanted(t)[0], axis=1).max()
    print('   t [s]   joint_1 ... joint_6 [deg]' + 23 * ' ' + 'tau_1 ... tau_6 [N m]')
    for k in np.linspace(0, len(t) - 1, 6).round().astype(int):
        print(f'   {t[k]:4.2f}' + ''.join(f'{v:8.2f}' for v in np.degrees(q[k])) + ' '
              + ''.join(f'{v:8.2f}' for v in tau[k].round(2) + 0.0))
    value, time, place = task.least_singular_value
    print(f'largest distance from the line    {off:.1e} m (drift corrected at every sample)')
    print(f'smallest singular value           {value:.3f} at t = {time:.2f} s, position '
          f'{place.round(3)} m')


def print_times(dynamics, task):
    """Print the times of the line within the limits of the URDF."""
    scaled, fastest = fastest_scaled(dynamics, task), minimum_time(dynamics, task)
    print(f'given duration                    {task.duration:.3f} s')
    print(f'same profile, scaled to limits    {scaled:.3f} s')
    print(f'minimum time on this line         {fastest.duration:.3f} s')


def print_refusals(dynamics):
    """Print the errors of lines that the arm cannot follow."""
    for along in ((1.0, 0.0, 0.0), (0.0, 0.0, 0.8)):
        try:
            make(dynamics, np.array(along)).sample(0.001)
        except TaskError as error:
            print(f'by {along} m: {error}')


def plot(path, dynamics, task):
    """Draw the arm, its torques in minimum time and the phase plane to a file."""
    import matplotlib
    matplotlib.use('Agg')
    matplotlib.rcParams.update({'svg.fonttype': 'none', 'svg.hashsalt': 'kane_dynamics'})
    from matplotlib import pyplot

    figure, (space, torques, phase) = pyplot.subplots(1, 3, figsize=(12, 3.8),
                                                      layout='constrained')
    timed = minimum_time(dynamics, task)
    links = ('base_link', 'shoulder', 'upper_arm', 'forearm', 'wrist_roll', 'wrist_pitch', 'tool0')
    for k, t in enumerate(np.linspace(0, task.duration, 6)):
        q = task.sample_many([t])[0][0]
        points = np.array([dynamics.frame_pose(link, q)[1] for link in links])
        space.plot(points[:, 1], points[:, 2], '-', color=str(0.8 - 0.13 * k), linewidth=2)
    ends = np.array([task.path.first, task.path.last])
    space.plot(ends[:, 1], ends[:, 2], 'o-', color='tab:red')
    space.set(title='the arm on its way, from the front', xlabel='y [m]', ylabel='z [m]',
              aspect='equal')
    ts = np.linspace(0, timed.duration, 301)
    for j, usage in enumerate((timed.torques(ts) / dynamics.robot.limits.effort).T):
        torques.plot(ts, usage, label=f'joint_{j + 1}')
    torques.set(title='torque over its limit, shortest time', xlabel='t [s]')
    torques.legend(fontsize='small', ncols=2)
    phase.plot(timed.x, timed.speed, label='shortest time')
    t = np.linspace(0, task.duration, 201)
    x, xd, _ = (each[:, 0] for each in task.motion.sample_many(t))
    scale = task.duration / fastest_scaled(dynamics, task)
    phase.plot(x, xd * scale, label='quintic law, scaled')
    _, q1, _ = task.joint_path.evaluate(timed.x)
    phase.plot(timed.x, np.min(dynamics.robot.limits.velocity / abs(q1), axis=1), ':',
               color='0.4', label='speed limits of the joints')
    phase.set(title='speed over the fraction of the line', xlabel='x', ylabel="x' [1/s]",
              ylim=(0, 1.3 * timed.speed.max()))
    phase.legend(fontsize='small', loc='lower center')
    figure.savefig(path, dpi=100, metadata={'Date': None} if path.endswith('.svg') else None)
    print(f'written: {path}')


def main(arguments=None):
    """Print the motion, the times and two refusals; save a picture with --plot."""
    parser = argparse.ArgumentParser(description='A tool along a straight line.')
    parser.add_argument('--plot', metavar='FILE', help='save a picture')
    options = parser.parse_args(arguments)
    dynamics = kd.Dynamics(kd.load_urdf(URDF).with_payload(*LOAD))
    task = make(dynamics)
    print_motion(dynamics, task)
    print_times(dynamics, task)
    print_refusals(dynamics)
    if options.plot:
        plot(options.plot, dynamics, task)


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
