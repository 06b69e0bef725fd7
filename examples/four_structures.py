# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Energy of four kinematic structures: Vukobratovic and Potkonjak 1982, 5.4, example 1.

Tubes of AlMg3 with r/R = 0.75, 5 kg at the tip, a triangle ABCA with a triangular speed on each
side, orientation kept, drives without mass; energy is absolute work (3.5.2-4). The book's lengths
and path are in figures that are lost. Comparable with its table (figure 5.16) are

  - its form: E = a + b R^2 + (c + d R^2) / T^2, with terms for weight and inertia;
  - of the cylindrical arm also a and b: they are (5 + m 0.8 R^2) g 0.6, m the mass of a tube of
    1 m and R = 1 m, 0.8 m of it lifted, 0.6 m up and down in all;
  - the order of the four.

The dimensions are ours, each arm with about 1.2 m of reach; the cylindrical one lifts 0.8 m of
tube, and the triangle rises by 0.3 m and returns, so that the work against gravity is that of the
book.

    python examples/four_structures.py
"""

import math
import signal
import warnings

import numpy as np

import kane_dynamics as kd
from kane_dynamics import AxisRotation, CartesianTask, Line, TaskSequence
from kane_dynamics.analysis.study.loads import at_speed
from kane_dynamics.analysis.study.power import absolute_work

DENSITY, RATIO, LOAD, G = 2700.0, 0.75, 5.0, 9.81
GRIPPER = 0.2                                       # [m], the last tube
TRIANGLE = ((0.55, -0.25, -0.10), (0.75, 0.05, 0.20), (0.60, 0.30, -0.10))     # [m]
# figure 5.16 [J]: {R [m]: (times [s], {structure: energies})}
BOOK = {
    0.04: ((10.0, 6.2, 4.26), {'I': (95.6, 96.1, 97.1), 'II': (90.1, 90.6, 92.0),
                               'III': (58.0, 59.0, 60.9), 'IV': (68.3, 69.0, 70.3)}),
    0.025: ((10.0, 6.2, 3.4), {'I': (77.5, 77.9, 79.6), 'II': (73.9, 74.5, 76.6),
                               'III': (40.9, 41.7, 44.9), 'IV': (56.9, 57.6, 60.0)}),
    0.014: ((10.0, 6.2, 3.4), {'I': (69.4, 69.9, 71.4), 'II': (66.8, 67.3, 69.2),
                               'III': (33.3, 34.1, 37.0), 'IV': (51.9, 52.5, 54.8)})}
NAMES = {'I': 'anthropomorphic', 'II': 'arthropoid', 'III': 'cylindrical', 'IV': 'spherical'}
# joints: kind, axis, position in the parent link [m]; tubes: from, to in the link's frame [m]
STRUCTURES = {
    # shoulder that rotates and lifts, elbow that rotates sideways: our interpretation of the name
    'I': ((('revolute', 'z', (0, 0, 0.0)), ('revolute', 'y', (0, 0, 0)),
           ('revolute', 'z', (0.5, 0, 0))),
          (None, ((0, 0, 0), (0.5, 0, 0)), ((0, 0, 0), (0.5, 0, 0))), 0.5, (-1.0, 0.1, 1.2)),
    # rotating column, shoulder, elbow
    'II': ((('revolute', 'z', (0, 0, 0.0)), ('revolute', 'y', (0, 0, 0)),
            ('revolute', 'y', (0.5, 0, 0))),
           (None, ((0, 0, 0), (0.5, 0, 0)), ((0, 0, 0), (0.5, 0, 0))), 0.5, (-0.4, -0.7, 1.3)),
    # lift, rotate, extend; the boom is 0.6 m long, with the gripper 0.8 m
    'III': ((('prismatic', 'z', (0, 0, 0.0)), ('revolute', 'z', (0, 0, 0)),
             ('prismatic', 'x', (0, 0, 0))),
            (None, None, ((-0.6, 0, 0), (0, 0, 0))), 0.0, (0.0, -0.4, 0.4)),
    # rotate, tilt, extend; the boom reaches back beyond the tilting axis
    'IV': ((('revolute', 'z', (0, 0, 0.0)), ('revolute', 'y', (0, 0, 0)),
            ('prismatic', 'x', (0, 0, 0))),
           (None, None, ((-0.6, 0, 0), (0, 0, 0))), 0.0, (-0.4, 0.2, 0.4))}
AXES = {'x': '1 0 0', 'y': '0 1 0', 'z': '0 0 1'}


def tube_mass(R):
    """Return the mass of a metre of tube of outer radius R [kg/m]."""
    return DENSITY * math.pi * R**2 * (1.0 - RATIO**2)


def _link(name, tube, R):
    if tube is None:
        return f'<link name="{name}"/>'
    first, last = (np.array(each, dtype=float) for each in tube)
    length = float(np.linalg.norm(last - first))
    mass, centre = tube_mass(R) * length, 0.5 * (first + last)
    around = 0.5 * mass * R**2 * (1.0 + RATIO**2)
    across = 0.5 * around + mass * length**2 / 12.0
    return (f'<link name="{name}"><inertial><origin xyz="{centre[0]} {centre[1]} {centre[2]}"/>'
            f'<mass value="{mass}"/><inertia ixx="{around}" iyy="{across}" izz="{across}" '
            'ixy="0" ixz="0" iyz="0"/></inertial></link>')


def arm(structure, R):
    """Return the Robot of a structure: three joints, a wrist of three, gripper and load."""
    joints, tubes, wrist, _ = STRUCTURES[structure]
    joints = [*joints, ('revolute', 'z', (wrist, 0, 0)), ('revolute', 'y', (0, 0, 0)),
              ('revolute', 'x', (0, 0, 0))]
    tubes = [*tubes, None, None, ((0, 0, 0), (GRIPPER, 0, 0))]
    parts, before = ['<link name="base"/>'], 'base'
    for k, ((kind, axis, place), tube) in enumerate(zip(joints, tubes), start=1):
        parts.append(_link(f'link_{k}', tube, R))
        parts.append(f'<joint name="joint_{k}" type="{kind}"><parent link="{before}"/><child '
                     f'link="link_{k}"/><origin xyz="{place[0]} {place[1]} {place[2]}"/><axis '
                     f'xyz="{AXES[axis]}"/><limit lower="-3" upper="3" effort="1e4" '
                     'velocity="100"/></joint>')
        before = f'link_{k}'
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', kd.KaneDynamicsWarning)     # massless links are intended
        robot = kd.load_urdf(f'<robot name="{NAMES[structure]}">{"".join(parts)}</robot>')
    return robot.with_payload(LOAD, (GRIPPER, 0.0, 0.0), link='link_6')


def motion(structure, samples=300):
    """Return the Motion of ABCA in 1 s per side; the path does not depend on R."""
    dyn = kd.Dynamics(arm(structure, 0.025))
    q = np.concatenate([STRUCTURES[structure][3], np.zeros(3)])
    tasks, tip = [], {'frame': 'link_6', 'point': (GRIPPER, 0.0, 0.0)}
    for first, last in zip(TRIANGLE, (*TRIANGLE[1:], TRIANGLE[0])):
        tasks.append(CartesianTask(dyn, path=Line(first, last),
                                   orientation=AxisRotation(np.eye(3)),
                                   q0=q, duration=1.0, profile='triangular', limits=False, **tip))
        q = tasks[-1].sample_many([1.0])[0][0]
    return TaskSequence(tasks).sample(1.0 / samples)


def energies(structure, radii, times):
    """Return E (radii, times) [J]: absolute work of all joints."""
    way = motion(structure)
    general = kd.Dynamics(arm(structure, radii[0]), parametric=True)
    table = np.empty((len(radii), len(times)))
    for k, R in enumerate(radii):
        dyn = general.with_robot(arm(structure, R))
        for j, T in enumerate(times):
            run = at_speed(way, 3.0 / T)
            tau = dyn.inverse_many(run.q, run.qd, run.qdd)
            table[k, j] = absolute_work(run.q, tau).sum()
    return table


def fitted(radii, times, table):
    """Return a, b, c, d of E = a + b R^2 + (c + d R^2) / T^2 and the largest residual [J]."""
    rows = np.array([(1.0, R**2, 1.0 / T**2, R**2 / T**2) for R, T in zip(radii, times)])
    found, *_ = np.linalg.lstsq(rows, table, rcond=None)
    return found, float(abs(rows @ found - table).max())


def book_fit(structure):
    """Return the fit of the book's nine energies."""
    rows = [(R, T, E) for R, (times, table) in BOOK.items()
            for T, E in zip(times, table[structure])]
    return fitted(*np.array(rows).T)


def main():
    """Print the tables."""
    radii, times = (0.04, 0.025, 0.014), (10.0, 6.2, 3.4)
    print('E = a + b R^2 + (c + d R^2) / T^2:  book, fitted to figure 5.16; ours, computed\n')
    print(f'{"":<20}{"a [J]":>9}{"b":>9}{"c":>9}{"d":>9}{"residual":>10}')
    totals = {}
    for structure, name in NAMES.items():
        (a, b, c, d), miss = book_fit(structure)
        print(f'{structure:<4}{name:<16}{a:>9.2f}{b:>9.0f}{c:>9.2f}{d:>9.0f}{miss:>8.2f} J  book')
        table = energies(structure, radii, times)
        totals[structure] = table
        grid = [(R, T) for R in radii for T in times]
        (a, b, c, d), miss = fitted(*np.array(grid).T, table.ravel())
        print(f'{"":<20}{a:>9.2f}{b:>9.0f}{c:>9.2f}{d:>9.0f}{miss:>8.2f} J  ours')
    print(f'\ncylindrical, gravity only: a = 5 g 0.6 = {5 * G * 0.6:.2f}, '
          f'b = m 0.8 g 0.6 = {tube_mass(1.0) * 0.8 * G * 0.6:.0f}')
    print('\nEnergies at R = 0.025 m [J]         book' + ' ' * 24 + 'ours')
    for structure, name in NAMES.items():
        book = ' '.join(f'{E:>7.1f}' for E in BOOK[0.025][1][structure])
        ours = ' '.join(f'{E:>7.1f}' for E in totals[structure][1])
        print(f'  {structure:<4}{name:<18}{book}    {ours}')
    for who, table in (('book', {s: BOOK[0.025][1][s] for s in NAMES}),
                       ('ours', {s: totals[s][1] for s in NAMES})):
        print(f'order, {who}: ' + ' < '.join(sorted(NAMES, key=lambda s: table[s][0])))


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # end quietly with `| head`
    main()
