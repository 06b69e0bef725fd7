# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
The robot arm of Kane and Levinson's book, as Abdelaziz, Helaly and Atta 2004 (3.1) simulate it.

The 2004 paper says how the arm is built and how it answers over 15 s ("a rapid increase, a slight
overshoot followed by a steady value"), and integrates with Kutta and Merson's method of variable
step. It prints no number: masses, lengths, inertias, law of the drives and set points are those of
the book, which was not at hand. So the geometry is the book's, and the numbers are ours (see
urdf/kane_levinson_arm.urdf). The law of the drives is ours too: they carry the weights, and
pull to the set point with a spring and a damper each,

    tau = g(q) - beta qd - gamma (q - q*)

    python examples/kane_levinson_arm.py [--plot arm.png]
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import kane_dynamics as kd

URDF = Path(__file__).resolve().parents[1] / 'urdf' / 'kane_levinson_arm.urdf'
DURATION = 15.0  # s, of the paper's figures
START = np.array([0.0, 0.0, 0.1])                          # rad, rad, m
GOAL = np.array([np.radians(60), np.radians(40), 0.5])
BETA = np.array([145.0, 50.0, 150.0])                      # N m s/rad, N m s/rad, N s/m
GAMMA = np.array([100.0, 60.0, 250.0])                     # N m/rad, N m/rad, N/m


def drives(dyn, q, qd):
    """Return the torques and the force (3,) of the drives."""
    return dyn.gravity(q) - BETA * qd - GAMMA * (q - GOAL)


def rate(dyn):
    """Return f(t, y): the rate of y = (q, qd)."""
    def f(t, y):
        q, qd = y[:3], y[3:6]
        return np.concatenate([qd, dyn.forward(q, qd, drives(dyn, q, qd))])
    return f


def merson(f, y, duration, tolerance, h=0.1):
    """
    Return times (N,) and states (N, n) by Kutta and Merson's 4th-order method, step varied.

    tolerance: of the estimated error of a step, largest component. A step that misses it is
    halved and taken again; one that beats it 32 times over is followed by a doubled one.
    """
    t, times, states = 0.0, [0.0], [y]
    while t < duration * (1 - 1e-12):
        h = min(h, duration - t)
        k1 = f(t, y)
        k2 = f(t + h / 3, y + h / 3 * k1)
        k3 = f(t + h / 3, y + h / 6 * (k1 + k2))
        k4 = f(t + h / 2, y + h / 8 * (k1 + 3 * k3))
        k5 = f(t + h, y + h / 2 * (k1 - 3 * k3 + 4 * k4))
        estimate = abs(h / 30 * (2 * k1 - 9 * k3 + 8 * k4 - k5)).max()
        if estimate > tolerance:
            h /= 2
            continue
        t, y = t + h, y + h / 6 * (k1 + 4 * k4 + k5)
        times.append(t)
        states.append(y)
        if estimate < tolerance / 32:
            h *= 2
    return np.array(times), np.array(states)


def simulate(dyn, times):
    """Return states (N, 6) at times by an 8th-order method with tight tolerances."""
    return solve_ivp(rate(dyn), (0.0, times[-1]), first(), 'DOP853', times,
                     rtol=1e-12, atol=1e-12).y.T


def first():
    """Return y = (q, qd) at the start: at rest."""
    return np.concatenate([START, np.zeros(3)])


def answers(times, q):
    """Return per coordinate: rise time 10 to 90 % [s], overshoot [%], last |q - q*|."""
    part = (q - START) / (GOAL - START)
    rise = [times[(column > 0.9).argmax()] - times[(column > 0.1).argmax()] for column in part.T]
    return np.array(rise), 100 * (part.max(axis=0) - 1), abs(q[-1] - GOAL)


def print_answers(dyn):
    """Print how the arm answers, the words of 2004 beside numbers."""
    times = np.linspace(0.0, DURATION, 3001)
    rise, over, left = answers(times, simulate(dyn, times)[:, :3])
    print('                                                  q1          q2          q3')
    print('published (2004)   "rapid increase"')
    print('computed           rise, 10 to 90 % [s]    '
          + ''.join(f'{value:10.2f}  ' for value in rise))
    print('published          "slight overshoot"')
    print('computed           overshoot [% of the way]'
          + ''.join(f'{value:10.2f}  ' for value in over))
    print('published          "steady value" within 15 s')
    print('computed           |q - q*| at 15 s        '
          + ''.join(f'{value:10.1e}  ' for value in left))


def print_steps(dyn):
    """Print what Kutta and Merson's method takes and gives."""
    print('\nKutta-Merson, tolerance     steps    smallest, largest step [s]    '
          'largest error of q')
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        times, states = merson(rate(dyn), first(), DURATION, tolerance)
        steps = np.diff(times)[:-1]  # the last one is cut to end at 15 s
        off = abs(states - simulate(dyn, times))[:, :3].max()
        print(f'  {tolerance:12.0e}         {len(times) - 1:9d}        {steps.min():8.4f} '
              f'{steps.max():8.4f}         {off:15.1e}')


def print_energy(dyn):
    """Print that what the arm and its springs lose is what the dampers take."""
    done = solve_ivp(lambda t, y: [*rate(dyn)(t, y), BETA @ y[3:6] ** 2], (0.0, DURATION),
                     [*first(), 0.0], 'DOP853', rtol=1e-12, atol=1e-12)
    q, qd, lost = done.y[:3, -1], done.y[3:6, -1], done.y[6, -1]
    before, after = 0.5 * GAMMA @ (START - GOAL) ** 2, 0.5 * GAMMA @ (q - GOAL) ** 2
    after += dyn.energy(q, qd).kinetic
    print(f'\nenergy of motion and springs: {before:.9f} J at the start, {after:.1e} J at the '
          f'end; the dampers took {lost:.9f} J')


def plot(dyn, path):
    """Save the answer in time and the arm at six instants as a picture."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot

    times = np.linspace(0.0, DURATION, 601)
    q = simulate(dyn, times)[:, :3]
    figure = pyplot.figure(figsize=(13, 5), layout='constrained')
    left = figure.add_subplot(1, 2, 1)
    for k, (name, scale) in enumerate([('q1 [deg]', np.degrees(1)), ('q2 [deg]', np.degrees(1)),
                                       ('q3 [cm]', 100.0)]):
        left.plot(times, scale * q[:, k], label=name)
        left.axhline(scale * GOAL[k], color=f'C{k}', linewidth=0.6, linestyle=':')
    merson_times, states = merson(rate(dyn), first(), DURATION, 1e-6)
    left.plot(merson_times, np.degrees(states[:, 0]), 'k.', markersize=4,
              label='steps of Kutta-Merson')
    left.set(xlabel='t [s]', title='answer over 15 s')
    left.legend()
    right = figure.add_subplot(1, 2, 2, projection='3d')
    for shade, t in zip(np.linspace(0.15, 1.0, 6), (0.0, 0.75, 1.25, 2.0, 3.0, 15.0)):
        pose = q[round(t / DURATION * 600)]
        points = np.array([dyn.frame_pose(link, pose)[1] for link in 'EBCD'])
        right.plot(*points.T, 'o-', color='C0', alpha=shade, markersize=4, label=f'{t:g} s')
    right.set(title='the points O, P, C*, D*', xlabel='x [m]', ylabel='y [m]', zlabel='z [m]')
    right.set_aspect('equal')
    right.legend(loc='upper left')
    figure.savefig(path, dpi=100)
    print(f'\nwrote {path}')


def main(arguments=None):
    """Print the tables; save a picture with --plot."""
    parser = argparse.ArgumentParser(description="The arm of Kane and Levinson's book.")
    parser.add_argument('--plot', metavar='FILE', help='save the answer as a picture')
    options = parser.parse_args(arguments)
    dyn = kd.Dynamics(kd.load_urdf(URDF))
    print_answers(dyn)
    print_steps(dyn)
    print_energy(dyn)
    if options.plot:
        plot(dyn, options.plot)


if __name__ == '__main__':
    main()
