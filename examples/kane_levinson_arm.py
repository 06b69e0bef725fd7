# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
The robot arm of Kane and Levinson's book, as Abdelaziz, Helaly and Atta 2004 (3.1) simulate it.

The 2004 paper says how the arm is built and how it responds over 15 s ("a rapid increase, a slight
overshoot followed by a steady value"), and integrates with Kutta and Merson's method of variable
step. It prints no number: masses, lengths, inertias, control law and set points are those of
the book, which was not available. The geometry is that of the book, the numbers are ours (see
urdf/kane_levinson_arm.urdf). The control law is ours too: gravity compensation,
and a spring and a damper to the set point,

    tau = g(q) - beta qd - gamma (q - q*)

    python examples/kane_levinson_arm.py [--plot arm.png] [--movie arm.gif]
"""

import argparse
from pathlib import Path
import signal

import numpy as np

import kane_dynamics as kd

URDF = Path(__file__).resolve().parents[1] / 'urdf' / 'kane_levinson_arm.urdf'
DURATION = 15.0  # s, of the paper's figures
START = np.array([0.0, 0.0, 0.1])                          # rad, rad, m
GOAL = np.array([np.radians(60), np.radians(40), 0.5])
BETA = np.array([145.0, 50.0, 150.0])                      # N m s/rad, N m s/rad, N s/m
GAMMA = np.array([100.0, 60.0, 250.0])                     # N m/rad, N m/rad, N/m


def drives(dyn):
    """Return the control law: torques and force (3,) of t, q, qd."""
    return lambda t, q, qd: dyn.gravity(q) - BETA * qd - GAMMA * (q - GOAL)


def simulate(dyn, dt=0.005, method='DOP853', tolerance=1e-12):
    """Return the Solution over 15 s from rest; dt between samples, None: the method's steps."""
    return kd.simulate(dyn, START, np.zeros(3), drives(dyn), duration=DURATION, dt=dt,
                       method=method, rtol=tolerance, atol=tolerance)


def answers(times, q):
    """Return per coordinate: rise time 10 to 90 % [s], overshoot [%], last |q - q*|."""
    part = (q - START) / (GOAL - START)
    rise = [times[(column > 0.9).argmax()] - times[(column > 0.1).argmax()] for column in part.T]
    return np.array(rise), 100 * (part.max(axis=0) - 1), abs(q[-1] - GOAL)


def print_answers(solution):
    """Print the step response next to the description in the paper."""
    rise, over, left = answers(solution.t, solution.q)
    print('                                                  q1          q2          q3')
    print('published (2004)   "rapid increase"')
    print('computed           rise, 10 to 90 % [s]    '
          + ''.join(f'{value:10.2f}  ' for value in rise))
    print('published          "slight overshoot"')
    print('computed           overshoot [% of step]   '
          + ''.join(f'{value:10.2f}  ' for value in over))
    print('published          "steady value" within 15 s')
    print('computed           |q - q*| at 15 s        '
          + ''.join(f'{value:10.1e}  ' for value in left))


def print_steps(dyn, exact):
    """Print steps and error of the Kutta-Merson method."""
    print('\nKutta-Merson, tolerance     steps    smallest, largest step [s]    '
          'largest error of q')
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        steps = np.diff(simulate(dyn, None, 'kutta_merson', tolerance).t)[:-1]  # the last is cut
        off = abs(simulate(dyn, 0.005, 'kutta_merson', tolerance).q - exact.q).max()
        print(f'  {tolerance:12.0e}         {len(steps) + 1:9d}        {steps.min():8.4f} '
              f'{steps.max():8.4f}         {off:15.1e}')


def stored(dyn, q, qd):
    """Return kinetic energy and energy of the springs [J]; gravity is compensated."""
    return dyn.energy(q, qd).kinetic + 0.5 * GAMMA @ (q - GOAL) ** 2


def print_energy(dyn, solution):
    """Print the energy lost by arm and springs and that dissipated by the dampers."""
    power = solution.qd ** 2 @ BETA
    lost = (power[:-1:2] + 4 * power[1::2] + power[2::2]).sum() * solution.t[1] / 3  # Simpson
    ends = [stored(dyn, solution.q[k], solution.qd[k]) for k in (0, -1)]
    print(f'\nenergy of motion and springs: {ends[0]:.6f} J at the start, {ends[1]:.0e} J at the '
          f'end; the dampers took {lost:.6f} J')


def plot(dyn, solution, path):
    """Draw the response and the arm at six instants to a file."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(13, 5), layout='constrained')
    left = figure.add_subplot(1, 2, 1)
    for k, (name, scale) in enumerate([('q1 [deg]', np.degrees(1)), ('q2 [deg]', np.degrees(1)),
                                       ('q3 [cm]', 100.0)]):
        left.plot(solution.t, scale * solution.q[:, k], label=name)
        left.axhline(scale * GOAL[k], color=f'C{k}', linewidth=0.6, linestyle=':')
    steps = simulate(dyn, None, 'kutta_merson', 1e-6)
    left.plot(steps.t, np.degrees(steps.q[:, 0]), 'k.', markersize=4,
              label='steps of Kutta-Merson')
    left.set(xlabel='t [s]', title='answer over 15 s')
    left.legend()
    right = figure.add_subplot(1, 2, 2, projection='3d')
    for shade, t in zip(np.linspace(0.15, 1.0, 6), (0.0, 0.75, 1.25, 2.0, 3.0, 15.0)):
        pose = solution.q[abs(solution.t - t).argmin()]
        points = np.array([dyn.frame_pose(link, pose)[1] for link in 'EBCD'])
        right.plot(*points.T, 'o-', color='C0', alpha=shade, markersize=4, label=f'{t:g} s')
    right.set(title='the points O, P, C*, D*', xlabel='x [m]', ylabel='y [m]', zlabel='z [m]')
    right.set_aspect('equal')
    for axis in (right.xaxis, right.yaxis, right.zaxis):
        axis.set_major_locator(pyplot.MaxNLocator(4))
    right.legend(loc='upper left')
    figure.savefig(path, dpi=100)
    print(f'\nwritten: {path}')


def film(solution, path):
    """Save the motion as a movie, .gif or .mp4, as Abdelaziz, Helaly and Atta (2004) did."""
    first = solution.t <= 4.0                               # it is at rest afterwards
    t, q = solution.t[first], solution.q[first]
    painter = kd.Painter(solution.dynamics.robot, q, 640, 480, frame='D',
                         title='Kane and Levinson')
    print(f'\nwritten: {path} ({kd.write_movie(path, painter, t, q)} frames)')


def main(arguments=None):
    """Print the tables; save a picture with --plot, a movie with --movie."""
    parser = argparse.ArgumentParser(description="The arm of Kane and Levinson's book.")
    parser.add_argument('--plot', metavar='FILE', help='save the answer as a picture')
    parser.add_argument('--movie', metavar='FILE', help='save the motion as .gif or .mp4')
    options = parser.parse_args(arguments)
    dyn = kd.Dynamics(kd.load_urdf(URDF))
    solution = simulate(dyn)
    print_answers(solution)
    print_steps(dyn, solution)
    print_energy(dyn, solution)
    if options.plot:
        plot(dyn, solution, options.plot)
    if options.movie:
        film(solution, options.movie)


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
