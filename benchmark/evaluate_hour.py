# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Time `kane evaluate` on one hour of seven joints at 500 Hz, and measure its memory.

    python benchmark/evaluate_hour.py [--minutes 60] [--storage sqlite3|mcap] [--jitter 0.1]

The bag (0.6 GB) is made in a temporary folder first; making it is not timed. The bars of the
project: 60 s and 500 MB for the hour, on a machine that does nothing else.
"""

import argparse
import os
from pathlib import Path
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

import kane_dynamics as kd
from kane_dynamics.recorded.bags.writer import BagWriter

RATE, JOINTS, BLOCK = 500.0, 7, 20_000


def chain(n):
    """Return the URDF of n links in a row, each turning about another axis."""
    axes = ('0 0 1', '0 1 0', '1 0 0')
    text = ['<robot name="chain"><link name="l0"/>']
    for k in range(n):
        text.append(
            f'<link name="l{k + 1}"><inertial><origin xyz="0.1 0 0.05"/>'
            f'<mass value="{3 - k / 4}"/>'
            '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0.001" izz="0.025"/></inertial>'
            f'</link><joint name="j{k}" type="revolute"><parent link="l{k}"/><child '
            f'link="l{k + 1}"/><origin xyz="0.2 0 0.1"/><axis xyz="{axes[k % 3]}"/>'
            '<limit lower="-3" upper="3" velocity="3" effort="100"/></joint>')
    return ''.join(text) + '</robot>'


def make_bag(path, dynamics, minutes, storage, jitter):
    """Write the bag: sines, torques of the model and noise; stamps off by a share of a period."""
    rng = np.random.default_rng(0)
    w, phase = 2 * np.pi * rng.uniform(0.1, 0.8, JOINTS), rng.uniform(0, 6, JOINTS)
    count = int(minutes * 60 * RATE)
    with BagWriter(path, storage) as writer:
        for first in range(0, count, BLOCK):
            k = np.arange(first, min(first + BLOCK, count))
            stamps = k * 2_000_000 + np.round(
                jitter * 2e6 * rng.uniform(-1.0, 1.0, len(k))).astype(np.int64)
            angle = stamps[:, None] * 1e-9 * w + phase
            q, qd, qdd = np.sin(angle), w * np.cos(angle), -w * w * np.sin(angle)
            tau = dynamics.inverse_many(q, qd, qdd) + 0.1 * rng.standard_normal(q.shape)
            writer.write_joint_states(
                '/joint_states', dynamics.robot.joint_names, stamps + 10**18,
                position=q + 1e-6 * rng.standard_normal(q.shape), velocity=qd, effort=tau)


def main():
    """Make the bag, run the command, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--minutes', type=float, default=60.0)
    parser.add_argument('--storage', choices=('sqlite3', 'mcap'), default='sqlite3')
    parser.add_argument('--jitter', type=float, default=0.0, help='of stamps, in periods')
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parents[1]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        urdf = folder / 'chain.urdf'
        urdf.write_text(chain(JOINTS))
        bag = folder / 'hour'
        make_bag(bag, kd.Dynamics(kd.load_urdf(urdf)), arguments.minutes, arguments.storage,
                 arguments.jitter)
        size = sum(each.stat().st_size for each in bag.iterdir())
        began = time.perf_counter()
        subprocess.run([sys.executable, '-m', 'kane_dynamics', 'evaluate', str(bag), '--urdf',
                        str(urdf), '-o', str(folder / 'out'), '--storage', arguments.storage],
                       check=True, env={**os.environ, 'PYTHONPATH': str(root)})
        wall = time.perf_counter() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f'{arguments.minutes:g} min of {JOINTS} joints at {RATE:g} Hz, {arguments.storage}, '
          f'{size / 1e6:.0f} MB: {wall:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of CPU, '
          f'{used.ru_maxrss / 1e3:.0f} MB at most')


if __name__ == '__main__':
    main()
