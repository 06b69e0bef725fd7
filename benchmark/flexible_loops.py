# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible arms in time: how much faster than real time, and than Exudyn at equal accuracy."""

from __future__ import annotations

from pathlib import Path

import exact_beams
import numpy as np
from slots import measure

import kane_dynamics as kd

URDF = Path(__file__).resolve().parents[1] / 'urdf'
STEP = 1e-3                                            # [s]
ARMS = {'planar 2R, 2 links x 2 modes': ('padilla_two_link', 600),
        'spatial 3R, 2 links x (2+2+1)': ('flexible_3r', 200),
        'six-axis, 2 links x (2+2)': ('flexible_six_axis', 200)}    # urdf, bar
LINK = {'length': 0.5, 'mass_per_length': 0.5, 'EI_z': 2.0, 'EA': 8e5}     # of the pendulum
FALL = 1.0                                             # [s]
EXUDYN_BAR = 30
MESHES, TOLERANCES = (1, 2, 3, 4, 8), (1e-3, 1e-4, 1e-6)
STEPS = (1e-3, 2e-3, 2.5e-3, 5e-3)                     # [s]; divisors of the 10 ms of a path
SLOT = 0.04                                            # [s]; one fall in Exudyn


def pendulum_urdf():
    """Return the double pendulum; the first link carries a hinge, so its shapes are clamped-free.

    Two mass points more than modes: the lower modes matter here. EA is Exudyn's only: ours does
    not stretch, and pays for it in its error.
    """
    length, mass = LINK['length'], LINK['length'] * LINK['mass_per_length']
    side = mass * length**2 / 12
    links = ''.join(f"""
      <link name="link{k}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="{mass}"/>
        <inertia ixx="0" iyy="{side!r}" izz="{side!r}" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="joint{k}" type="continuous"><parent link="{'base' if k == 1 else 'link1'}"/>
        <child link="link{k}"/><origin xyz="{(k - 1) * length} 0 0"/><axis xyz="0 0 1"/></joint>
      <flexible_link reference="link{k}">
        <beam length="{length}" mass_per_length="{LINK['mass_per_length']}" EI_z="{LINK['EI_z']}"/>
        <modes bend_y="2" shapes="clamped_free" nodes="4"/><damping ratio="0"/></flexible_link>"""
                    for k in (1, 2))
    return f"""<robot name="pendulum"><link name="base"/>{links}<link name="tip"/>
      <joint name="tip_fixed" type="fixed"><parent link="link2"/><child link="tip"/>
        <origin xyz="{length} 0 0"/></joint></robot>"""


class Pendulum:
    """The same motion by `rollout`."""

    def __init__(self):
        self.dynamics = kd.Dynamics(kd.load_urdf(pendulum_urdf(), gravity=(0.0, -9.81, 0.0)))
        self._zero = np.zeros(self.dynamics.robot.nv)

    def fall(self, dt=STEP):
        """Return the states of a fall."""
        zero = self._zero
        return self.dynamics.rollout(zero, zero, zero, dt, round(FALL / dt), 'midpoint')[0]

    def tip_path(self, dt=STEP):
        """Return the tip's (x, y) every 10 ms."""
        return np.array([self.dynamics.frame_pose('tip', q)[1][:2]
                         for q in self.fall(dt)[::round(0.01 / dt)]])


def _seconds(function):
    return measure({'it': (function, 1)}, rounds=3, slot=0.0)['it'].best


def _fastest(reference, error, steps):
    """Return the fastest setting of Exudyn that errs by no more, as (arm, words, its error)."""
    found = []
    for elements in MESHES:
        for dt in steps:
            for tolerance in TOLERANCES:
                arm = exact_beams.DoublePendulum(LINK, elements, dt, tolerance, FALL)
                path = arm.tip_path()
                if path.shape != reference.shape:
                    continue            # its Newton iteration gave up
                own = abs(path - reference).max()
                if own <= error:
                    words = (f'{elements} elements a link, {dt * 1e3:g} ms, '
                             f'Newton to {tolerance:.0e}')
                    found.append((_seconds(arm.solve), arm, words, own))
        if found:                       # the coarsest mesh that is as good
            break
    if not found:
        raise RuntimeError(f'no mesh of Exudyn errs by {error:.1e} m or less; add finer MESHES')
    return min(found, key=lambda each: each[0])[1:]


def against_exudyn(table, rounds):
    """Time a fall of the double pendulum in both programs; return lines on what was compared."""
    try:
        exact_beams.exudyn_modules()
    except ImportError as error:
        return [f'no comparison with Exudyn: {error} (pip install exudyn; wheels for x86-64)']
    ours = Pendulum()
    reference = exact_beams.DoublePendulum(LINK, 8, 1e-4, 1e-7, FALL).tip_path()
    error = abs(ours.tip_path() - reference).max()
    lines = ['falling double pendulum, two flexible links of 0.5 m, 1 s: largest error of the '
             'tip against ANCF, 8 elements a link, 0.1 ms']
    milliseconds = round(FALL * 1e3)
    same, words, own = _fastest(reference, error, (STEP,))
    timings = measure({'exudyn': (same.solve, milliseconds), 'ours': (ours.fall, milliseconds)},
                      rounds, SLOT)
    table.add('flexible rollout, 1 kHz, a step', '2 x 2', 'Exudyn ANCF, as accurate',
              timings['ours'], timings['exudyn'], EXUDYN_BAR)
    lines.append(f'  both at 1 ms: ours, 2 modes a link {error * 1e3:.2f} mm; Exudyn, {words} '
                 f'{own * 1e3:.2f} mm')
    longest = max(dt for dt in STEPS if abs(ours.tip_path(dt) - reference).max() <= error)
    free, words, own = _fastest(reference, error, STEPS)
    timings = measure({'exudyn': (free.solve, milliseconds),
                       'ours': (lambda: ours.fall(longest), milliseconds)}, rounds, SLOT)
    table.add('  at its best step, 1 ms of motion', '2 x 2', 'Exudyn ANCF, as accurate',
              timings['ours'], timings['exudyn'])
    lines.append(f'  each at its best step: ours {longest * 1e3:g} ms '
                 f'{abs(ours.tip_path(longest) - reference).max() * 1e3:.2f} mm; Exudyn, {words} '
                 f'{own * 1e3:.2f} mm')
    return lines


def real_time(rounds):
    """Return a line for each arm: how much faster than real time its loop at 1 kHz is."""
    candidates, steps = {}, 100
    for name, (file, _) in ARMS.items():
        dynamics = kd.Dynamics(kd.load_urdf(URDF / f'{file}.urdf'))
        robot = dynamics.robot
        q = kd.static_sag(dynamics, 0.3 * np.ones(robot.n_joints))
        qd, tau = np.zeros(robot.nv), dynamics.gravity(q)
        qd[:robot.n_joints] = 0.2
        candidates[name] = (lambda d=dynamics, q=q, qd=qd, tau=tau: d.rollout(
            q, qd, tau, STEP, steps, 'midpoint'), steps)
    timings = measure(candidates, rounds)
    return [f'  {name:<31} {timings[name].best * 1e6:6.2f} us a step, '
            f'{STEP / timings[name].best:6.0f} x real time (bar {bar})'
            for name, (_, bar) in ARMS.items()]
