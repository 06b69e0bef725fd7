# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Time kane_dynamics against its peers in one run and print the table of doc/benchmarks.md."""

from __future__ import annotations

import argparse
from importlib.metadata import PackageNotFoundError, version
import os
from pathlib import Path
import platform
import subprocess
import sys
import warnings

from arms import urdf_text
from flexible_loops import against_exudyn, real_time, URDF
import numpy as np
import peers
from slots import measure

import kane_dynamics as kd

SAMPLES = {'UR5': 16384, 'Panda': 16384, 'Talos-32': 2048}   # per batch call
PEER_SAMPLES = 256                                         # of one call of the peer's batch


class Table:
    """Rows of what, arm, peer, times; printed as they come and kept for doc/benchmarks.md."""

    def __init__(self):
        self.rows = []

    def add(self, what, arm, peer, ours, theirs, bar=None):
        """Add and print a comparison of two timings."""
        minima, median = ours.times_faster_than(theirs)
        row = (what, arm, peer, f'{ours.best * 1e6:.3f}', f'{theirs.best * 1e6:.3f}',
               f'{minima:.1f}', f'{median:.1f}', '' if bar is None else f'{bar:g}')
        self.rows.append(row)
        print('  {:<34} {:<9} {:<34} {:>9} {:>9} {:>7} {:>7} {:>5}'.format(*row), flush=True)

    def markdown(self):
        """Return the table for doc/benchmarks.md."""
        head = ('what', 'arm', 'peer', 'us', "peer's us", 'x (min)', 'x (median)', 'bar')
        lines = ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head)]
        return '\n'.join(lines + ['| ' + ' | '.join(row) + ' |' for row in self.rows])


def random_states(n, count, seed=0):
    """Return three (count, n) arrays."""
    return np.random.default_rng(seed).normal(size=(3, count, n))


def single_calls(table, arm, rounds):
    """Time one evaluation per call."""
    text = urdf_text(arm)
    dynamics, pin = kd.Dynamics(kd.load_urdf(text)), peers.Pinocchio(text)
    n = dynamics.robot.nv
    q, u, a = random_states(n, 1)[:, 0]
    vector, matrix, block = np.empty(n), np.empty((n, n)), np.empty((3, n, n))
    dynamics.inverse(q, u, a), dynamics.forward(q, u, a), dynamics.mass_matrix(q)
    dynamics.inverse_derivatives(q, u, a)
    inverse, forward, mass = dynamics.inverse, dynamics.forward, dynamics.mass_matrix
    derivatives = dynamics.inverse_derivatives
    ours = measure({
        'pin.rnea': (lambda: pin.inverse(q, u, a), 1),
        'inverse bound': (dynamics.bind('inverse', q, u, a, vector), 1),
        'inverse out=': (lambda: inverse(q, u, a, out=vector), 1),
        'inverse allocating': (lambda: inverse(q, u, a), 1),
        'pin.aba': (lambda: pin.forward(q, u, a), 1),
        'forward bound': (dynamics.bind('forward', q, u, a, vector), 1),
        'forward allocating': (lambda: forward(q, u, a), 1),
        'pin.crba': (lambda: pin.mass_matrix(q), 1),
        'mass_matrix bound': (dynamics.bind('mass_matrix', q, matrix), 1),
        'mass_matrix(q)': (lambda: mass(q), 1),
        'pin.computeRNEADerivatives': (lambda: pin.derivatives(q, u, a), 1),
        'inverse_derivatives bound': (dynamics.bind('inverse_derivatives', q, u, a, block), 1),
        'inverse_derivatives allocating': (lambda: derivatives(q, u, a), 1),
    }, rounds)
    bars = {'inverse bound': 8, 'inverse out=': 4, 'inverse allocating': 3, 'forward bound': 10,
            'mass_matrix(q)': 4, 'inverse_derivatives bound': {'UR5': 5, 'Panda': 4}[arm]}
    peer = None
    for name, timing in ours.items():
        if name.startswith('pin.'):
            peer = name
        else:
            table.add(name, arm, peer, timing, ours[peer], bars.get(name))


def batches(table, arm, rounds):
    """Time many evaluations per call, one core."""
    text = urdf_text(arm)
    dynamics, pin = kd.Dynamics(kd.load_urdf(text)), peers.Pinocchio(text)
    count = SAMPLES[arm]
    Q, U, A = random_states(dynamics.robot.nv, count)
    out = np.empty_like(Q)
    timings = measure({
        'rneaInParallel(1)': (pin.inverse_batch(Q, U, A, PEER_SAMPLES), PEER_SAMPLES),
        'inverse_many': (lambda: dynamics.inverse_many(Q, U, A, out=out), count),
        'abaInParallel(1)': (pin.forward_batch(Q, U, A, PEER_SAMPLES), PEER_SAMPLES),
        'forward_many': (lambda: dynamics.forward_many(Q, U, A, out=out), count)}, rounds)
    bars = {'UR5': (25, 35), 'Panda': (20, 25), 'Talos-32': (12, None)}[arm]
    table.add('inverse_many, one core', arm, 'pin.rneaInParallel(1)', timings['inverse_many'],
              timings['rneaInParallel(1)'], bars[0])
    table.add('forward_many, one core', arm, 'pin.abaInParallel(1)', timings['forward_many'],
              timings['abaInParallel(1)'], bars[1])
    if arm == 'UR5':
        plain = kd.Dynamics(dynamics.robot, backend='python')
        timings = measure({
            'pin': (pin.inverse_batch(Q, U, A, PEER_SAMPLES), PEER_SAMPLES),
            'plain': (lambda: plain.inverse_many(Q, U, A, out=out), count)}, rounds)
        table.add('inverse_many without llvmlite', arm, 'pin.rneaInParallel(1)',
                  timings['plain'], timings['pin'], 1)


def stepping(table, rounds):
    """Time a simulation at 1 kHz; pieces of 500 steps, so that all slots are equally long."""
    text = urdf_text('UR5')
    dynamics, pin, mujoco = (kd.Dynamics(kd.load_urdf(text)), peers.Pinocchio(text),
                             peers.MuJoCo(text))
    q, u, tau = 0.3 * random_states(6, 1)[:, 0]
    steps = 500
    timings = measure({
        'pin loop': (lambda: pin.simulate(q, u, tau, 1e-3, steps), steps),
        'rk4 pin loop': (lambda: pin.simulate_rk4(q, u, tau, 1e-3, steps // 4), steps // 4),
        'mj_step': (mujoco.simulation(q, u, tau, 1e-3, steps), steps),
        'semi-implicit': (lambda: dynamics.rollout(q, u, tau, 1e-3, 4 * steps), 4 * steps),
        'rk4': (lambda: dynamics.rollout(q, u, tau, 1e-3, steps, 'rk4'), steps)}, rounds)
    table.add('rollout semi-implicit, a step', 'UR5', 'Python loop of pin.aba',
              timings['semi-implicit'], timings['pin loop'], 30)
    table.add('rollout semi-implicit, a step', 'UR5', 'mj_step(nstep) in C',
              timings['semi-implicit'], timings['mj_step'], 14)
    table.add('rollout rk4, a step', 'UR5', 'Python loop of pin.aba', timings['rk4'],
              timings['rk4 pin loop'])


def other_peers(table, rounds):
    """Time MuJoCo's inverse dynamics, CasADi's generated C and SymPy's Kane method."""
    text = urdf_text('UR5')
    dynamics = kd.Dynamics(kd.load_urdf(text))
    q, u, a = random_states(6, 1)[:, 0]
    dynamics.inverse(q, u, a)
    inverse = dynamics.inverse
    candidates = {'ours': (lambda: inverse(q, u, a), 1),
                  'mj_inverse': (peers.MuJoCo(text).inverse(q, u, a), 1)}
    casadi = peers.casadi_inverse(dynamics, q, u, a)
    if casadi is not None:
        candidates['CasADi SX to C, gcc -O3, buffers'] = (casadi, 1)
    timings = measure(candidates, rounds)
    for name in list(candidates)[1:]:
        table.add('inverse allocating', 'UR5', name, timings['ours'], timings[name])
    robot = kd.load_urdf(peers.THREE_R)
    small = kd.Dynamics(robot)
    q, u, a = random_states(3, 1)[:, 0]
    small.inverse(q, u, a)
    call = small.inverse
    timings = measure({'ours': (lambda: call(q, u, a), 1),
                       'sympy': (peers.sympy_inverse(robot, q, u, a), 1)}, rounds)
    table.add('inverse allocating', '3R', 'SymPy KanesMethod, lambdify(cse)', timings['ours'],
              timings['sympy'])


def start_up(text, call):
    """Return the seconds of a fresh process from before the import to the first torque.

    text: the URDF; call: what is asked of the Dynamics d.
    """
    script = ('import time; t = time.perf_counter()\n'
              'import sys, warnings; warnings.simplefilter("ignore")\n'
              'import kane_dynamics as kd\n'
              'd = kd.Dynamics(kd.load_urdf(sys.stdin.read()))\n'
              f'{call}\n'
              'print(time.perf_counter() - t)')
    seconds = []
    for _ in range(7):
        done = subprocess.run([sys.executable, '-c', script], input=text, text=True,
                              capture_output=True, check=True)
        seconds.append(float(done.stdout))
    return min(seconds), sorted(seconds)[len(seconds) // 2]


def start_ups():
    """Return a line for a rigid and for a flexible arm."""
    flexible = (URDF / 'flexible_six_axis.urdf').read_text(encoding='utf-8')
    lines = []
    for name, text, call, bar in (
            ('UR5', urdf_text('UR5'), 'd.inverse([0.1] * 6, [0.2] * 6, [0.3] * 6)', 0.5),
            ('six axes, two flexible links', flexible,
             'd.hybrid([0.1] * 6 + [0.0] * 8, [0.2] * 6 + [0.0] * 8, [0.3] * 6)', 2)):
        best, median = start_up(text, call)
        lines.append(f'  {name:<31} {best:.2f} s at best, {median:.2f} s median of 7 (bar {bar})')
    return lines


def operation_counts():
    """Print what one evaluation costs, next to the literature."""
    print('\noperations (multiplications / additions, sin and cos apart)')
    for arm in ('UR5', 'Panda', 'Talos-32'):
        dynamics = kd.Dynamics(kd.load_urdf(urdf_text(arm)), backend='python')
        counts = {name: dynamics.operation_count(name) for name in
                  ('inverse', 'mass_matrix', 'forward')}
        print(f'  {arm:<9}', '  '.join(f'{name} {count.mul}/{count.add}'
                                       for name, count in counts.items()))
    print('  general 6R: 395/336 = (86 n - 121)/(75 n - 114); Angeles, Ma, Rojas 1989: 521/435')


def versions():
    """Return the versions of everything that was timed."""
    names = ('kane_dynamics', 'numpy', 'llvmlite', 'pin', 'mujoco', 'casadi', 'sympy',
             'exudyn')
    found = []
    for name in names:
        try:
            found.append(f'{name} {version(name)}')
        except PackageNotFoundError:
            found.append(f'{name} (not installed)')
    return ', '.join(found)


def main():
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--rounds', type=int, default=60, help='rounds of 2 ms slots')
    parser.add_argument('--markdown', type=Path, help='write the table here')
    arguments = parser.parse_args()
    warnings.simplefilter('ignore')
    before = os.getloadavg()[0]
    print(f'{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, '
          f'load {before:.2f} at the start\n{versions()}')
    print('slots of 2 ms, interleaved; x: how many times faster than the peer\n')
    table = Table()
    for arm in ('UR5', 'Panda'):
        single_calls(table, arm, arguments.rounds)
    for arm in ('UR5', 'Panda', 'Talos-32'):
        batches(table, arm, arguments.rounds)
    stepping(table, arguments.rounds)
    other_peers(table, arguments.rounds)
    exact = against_exudyn(table, arguments.rounds)
    sections = {'against Exudyn': exact,
                'flexible arms, rollout by midpoint at 1 kHz': real_time(arguments.rounds),
                'fresh process, imports to first torque': start_ups()}
    text = '\n\n'.join('\n'.join([title, *lines]) for title, lines in sections.items())
    print(f'\n{text}')
    operation_counts()
    after = os.getloadavg()[0]
    print(f'\nload at the end {after:.2f}')
    if arguments.markdown:
        arguments.markdown.write_text(
            f'{table.markdown()}\n\n```text\n{text}\n```\n\n'
            f'{platform.machine()}, {os.cpu_count()} cores, load {before:.1f} to {after:.1f}; '
            f'Python {platform.python_version()}, {versions()}.\n')


if __name__ == '__main__':
    main()
