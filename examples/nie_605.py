# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
The Intelledex 605 of Nie 1988: torques of a motion, and the motion under these torques.

Nie wrote four programs: TORQUE and ANGLE (inverse and forward dynamics, equations derived by hand
for this arm), AUTOTF and AUTOQ (the same by a general recursion), and compared them with one
another. The thesis prints no torque, and four of its lengths are lost. `reference` below has the
torques of its equations with the surviving lengths (BASE), and with assumed values for the lost
ones (FULL). Its Appendix 1, its general recursion and Pinocchio agree to 4e-14 N m.

    python examples/nie_605.py [--plot nie_605.png]
"""

import argparse
from pathlib import Path
import signal

import numpy as np

import kane_dynamics as kd

URDF = Path(__file__).resolve().parents[1] / 'urdf'
GRAVITY = (0.0, 9.81, 0.0)  # along +y of the base: the first joint axis is horizontal
DURATION = 2.0              # s

TIMES = 0.25 * np.arange(9)
REFERENCE = {
    'BASE': np.array([
        [0.000000000, 0.000000000, -41.741054006, -13.393946160, 0.000000000, 0.000000000],
        [0.176757119, -0.428177595, -38.728309533, -12.094722653, 0.030923768, 0.004880617],
        [-2.839759383, 4.179418664, -36.463243600, -11.043983794, 0.046085923, 0.003207879],
        [-6.267622670, 14.257994931, -32.958720009, -8.922391902, 0.038824195, -0.005218826],
        [-5.564076171, 19.198651918, -24.073269193, -3.808923643, 0.007523806, -0.004509062],
        [-4.048546442, 14.400926486, -10.153453918, 2.315953533, -0.032423664, 0.002282175],
        [-2.588606287, 8.691693908, 1.514476023, 5.526755145, -0.049901008, 0.000477752],
        [0.050987714, 6.034896076, 8.064229126, 6.922515941, -0.035761353, -0.001446947],
        [3.636819150, 5.607435632, 11.914604831, 8.371216350, 0.000000000, 0.000000000]]),
    'FULL': np.array([
        [8.677141200, 0.000000000, -41.741054006, -13.393946160, 0.000000000, 0.000000000],
        [8.549133295, -0.393374944, -38.970929588, -12.131911487, 0.080738170, 0.004880617],
        [5.404936755, 4.372078096, -36.776671039, -10.991542838, 0.296947225, 0.003207879],
        [1.871202378, 14.645004509, -33.058403602, -8.622704496, 0.648175542, -0.005218826],
        [1.819280561, 19.917611248, -23.700957622, -3.315617569, 0.761445965, -0.004509062],
        [1.912494845, 16.004931745, -9.559033576, 2.635227530, 0.355811933, 0.002282175],
        [1.862001365, 11.247068085, 1.945744811, 5.571225709, -0.078296904, 0.000477752],
        [3.567917398, 9.304025640, 8.169951016, 6.780654779, -0.256738035, -0.001446947],
        [6.777546914, 9.364747988, 11.606312535, 8.062924054, -0.308292296, 0.000000000]])}


def load(data='BASE'):
    """Return the Dynamics of the arm with the surviving lengths (BASE) or all of them (FULL)."""
    name = {'BASE': 'intelledex_605.urdf', 'FULL': 'intelledex_605_full.urdf'}[data]
    return kd.Dynamics(kd.load_urdf(URDF / name, gravity=GRAVITY))


def motion(t):
    """Return q, qd, qdd (..., 6) of the cycloidal motion at times t (...,) [s]."""
    # phi = t - T/(2 pi) sin(2 pi t/T);  q_i = (pi/3T) phi, but q_2 = pi/2 - (pi/6T) phi
    w = 2 * np.pi / DURATION
    t = np.asarray(t, dtype=float)[..., None]
    scale = np.pi / (3 * DURATION) * np.array([1, -0.5, 1, 1, 1, 1])
    q = scale * (t - np.sin(w * t) / w) + np.array([0, np.pi / 2, 0, 0, 0, 0])
    return q, scale * (1 - np.cos(w * t)), scale * w * np.sin(w * t)


def simulated(dyn, h, duration, method):
    """Return times (N,) and q (N, 6) of the arm under the torques of the motion."""
    q, qd, _ = motion(0.0)
    done = kd.simulate(dyn, q, qd, lambda t, q, qd: dyn.inverse(*motion(t)), duration=duration,
                       dt=h, method=method, rtol=1e-12, atol=1e-13)
    return done.t, done.q


def adaptive(dyn, h, duration):
    """Return times and q by an 8th-order method that chooses its steps; h is between samples."""
    return simulated(dyn, h, duration, 'DOP853')


def runge_kutta(dyn, h, duration):
    """Return times and q by the classical 4th-order method with step h."""
    return simulated(dyn, h, duration, 'rk4')


def thesis_scheme(dyn, h, duration):
    """Return times and q by the method of ANGLE and AUTOQ, fully implicit, solved by Newton."""
    # first step (y1 - y0)/h = f(y1), then (3 y_{n+1} - 4 y_n + y_{n-1})/(2h) = f(y_{n+1})
    times = h * np.arange(round(duration / h) + 1)
    path = [np.concatenate(motion(0.0)[:2])]
    for t in times[1:]:
        if len(path) == 1:
            known, a = path[0], h
        else:
            known, a = (4 * path[-1] - path[-2]) / 3, 2 * h / 3
        y, tau = path[-1], dyn.inverse(*motion(t))
        for _ in range(50):
            q, qd = y[:6], y[6:]
            residual = y - known - a * np.concatenate([qd, dyn.forward(q, qd, tau)])
            by_q, by_qd, _ = dyn.forward_derivatives(q, qd, tau)
            jacobian = np.block([[np.zeros((6, 6)), np.eye(6)], [by_q, by_qd]])
            step = np.linalg.solve(np.eye(12) - a * jacobian, residual)
            y = y - step
            if abs(step).max() < 1e-12:
                break
        path.append(y)
    return times, np.array(path)[:, :6]


def error(dyn, method, h, duration=DURATION):
    """Return the largest |q - motion| [rad] over a round trip torque -> motion."""
    times, q = method(dyn, h, duration)
    return abs(q - motion(times)[0]).max()


def print_torques():
    """Print torques and reference for both sets of lengths."""
    for data, reference in REFERENCE.items():
        tau = load(data).inverse_many(*motion(TIMES))
        shown = np.round(tau, 9) + 0.0  # no minus before a zero
        print(f'\n{data}: torques [N m], reference above computed')
        print('  t [s]            ' + ''.join(f'{f"tau{i}":>15}' for i in range(1, 7)))
        for t, expected, got in zip(TIMES, reference, shown):
            print(f'  {t:5.2f}  reference' + ''.join(f'{value:15.9f}' for value in expected))
            print('         computed ' + ''.join(f'{value:15.9f}' for value in got))
        print(f'  largest difference {abs(tau - reference).max():.1e} N m '
              '(the reference has nine decimals)')


def print_facts(dyn):
    """Print the published values next to the computed ones."""
    count = dyn.operation_count('inverse')
    print('\nstatement of the thesis                            published            computed')
    print('  operations of six torques (mult / add)            672 / 404           '
          f'{count.mul} / {count.add}')
    print('  (its count is of equations for any data; here numbers are folded in and inertias\n'
          '  lumped ahead of time, so the two are not the same job)')
    off = abs(dyn.inverse_many(*motion(TIMES)) - REFERENCE['BASE']).max()
    print('  largest difference of TORQUE, AUTOTF and this     "precisely the same"'
          f'  {off:.0e} N m')
    print('  motion back from torques (ANGLE, AUTOQ)           "identical"         see below')


def print_round_trips(dyn):
    """Print the error of the motion under its torques for several integrators."""
    print('\ntorques -> motion, largest |q - q desired| [rad], BASE    over 1 s     over 2 s')
    rows = [('8th order, adaptive, rtol 1e-12', adaptive, 0.01),
            ('4th-order Runge-Kutta, h = 5 ms', runge_kutta, 0.005),
            ('4th-order Runge-Kutta, h = 1 ms', runge_kutta, 0.001),
            ('scheme of the thesis (BDF2), h = 10 ms', thesis_scheme, 0.01),
            ('scheme of the thesis (BDF2), h = 1 ms', thesis_scheme, 0.001)]
    for name, method, h in rows:
        print(f'  {name:50s}{error(dyn, method, h, 1.0):13.1e}{error(dyn, method, h):13.1e}')
    print('  The raised arm is unstable: a disturbance grows about 1e7 times in 2 s. "Identical" '
          'curves\n  need a tighter method than the thesis describes, or feedback.')


def plot(dyn, path):
    """Save the torques and the round-trip errors as a picture."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot

    times = np.linspace(0.0, DURATION, 401)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2), layout='constrained')
    for data, style in (('BASE', '-'), ('FULL', '--')):
        tau = load(data).inverse_many(*motion(times))
        for joint in range(6):
            left.plot(times, tau[:, joint], style, color=f'C{joint}',
                      label=f'tau{joint + 1}' if data == 'BASE' else None)
    left.plot(np.repeat(TIMES, 6), REFERENCE['BASE'].ravel(), 'k.', markersize=4,
              label='reference')
    left.set(xlabel='t [s]', ylabel='torque [N m]', title='Intelledex 605: BASE -, FULL - -')
    left.legend(ncols=2)
    for name, method, h in [('8th order, rtol 1e-12', adaptive, 0.005),
                            ('Runge-Kutta 4, 1 ms', runge_kutta, 0.001),
                            ('BDF2 of the thesis, 1 ms', thesis_scheme, 0.001)]:
        times, q = method(dyn, h, DURATION)
        off = abs(q - motion(times)[0]).max(axis=1)
        right.semilogy(times[1:], np.maximum(off[1:], 1e-17), label=name)
    right.set(xlabel='t [s]', ylabel='largest |q - q desired| [rad]', ylim=(1e-17, 10),
              title='torque -> motion')
    right.legend()
    figure.savefig(path, dpi=110)
    print(f'\nwritten: {path}')


def main(arguments=None):
    """Print the tables; save a picture with --plot."""
    parser = argparse.ArgumentParser(description='The Intelledex 605 of Nie 1988.')
    parser.add_argument('--plot', metavar='FILE', help='save torques and errors as a picture')
    options = parser.parse_args(arguments)
    dyn = load()
    print_torques()
    print_facts(dyn)
    print_round_trips(dyn)
    if options.plot:
        plot(dyn, options.plot)


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
