# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible arms for tests: those of urdf/ with changed elements, and odd ones written here."""

import functools
from pathlib import Path
import re
import warnings

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root

import kane_dynamics as kd

URDF = Path(__file__).resolve().parents[2] / 'urdf'
BEAM = ('root="0.01 0.02 0" length="0.8" mass_per_length="0.5" EI_y="50" EI_z="40" GJ="30" '
        'EA="1e5" polar_inertia_per_length="1e-3"')
CARRIAGE = (
    '<link name="carriage"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" '
    'ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="clamp" type="fixed"><parent '
    'link="carriage"/><child link="beam"/></joint>')


def load(text, **options):
    """Return the robot of a URDF text, without remarks on odd inertias."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return kd.load_urdf(text, **options)


def changed(name, *changes, gravity=(0.0, 0.0, -9.81)):
    """Return an arm of urdf/ after (pattern, replacement) changes, each of which must match."""
    text = (URDF / f'{name}.urdf').read_text(encoding='utf-8')
    for pattern, replacement in changes:
        text, count = re.subn(pattern, replacement, text)
        assert count, f'{pattern!r} is not in {name}.urdf'
    return load(text, gravity=gravity)


def padilla(modes=None, model=None, damping=None, rigid=()):
    """Return Padilla's arm with other modes, model or damping ratio, some of its links rigid."""
    changes = []
    if modes is not None:
        changes.append(('<modes [^>]*/>', modes))
    if model is not None:
        changes.append(('<damping', f'{model}<damping'))
    if damping is not None:
        changes.append(('<damping ratio="[^"]*"', f'<damping ratio="{damping}"'))
    for link in rigid:
        changes.append((f'(?s)<flexible_link reference="{link}">.*?</flexible_link>', ''))
    return changed('padilla_two_link', *changes)


def single_link(EI=100.0, modes='<modes bend_y="3" nodes="9"/>', damping=0.0, model=''):
    """Return the single link with another stiffness, modes, damping ratio or model."""
    return changed('flexible_single_link', ('EI_z="100"', f'EI_z="{EI!r}"'),
                   ('<modes [^>]*/>', modes + model), ('ratio="0.01"', f'ratio="{damping}"'))


def beam_robot(beam, modes, damping=0.0, tip='', joint='continuous', axis='0 0 1', root=0.0,
               gravity=(0.0, 0.0, 0.0), mass=None, model='', more='', carriage=False):
    """Return a link that is a bare beam along x on one joint (or 'fixed'): textbook cases.

    beam: dict of length, mass_per_length, EI_z ...; tip: (mass, inertia) of a body at the end;
    more: further elements of the robot; carriage: clamp the beam to a body of 1 kg, which the
    joint moves.
    """
    values = dict(beam)
    length, rho = values['length'], values['mass_per_length']
    m = rho * length
    polar = values.get('polar_inertia_per_length', 0.0) * length
    side = m * length**2 / 12 + polar / 2
    load_link, load_joint = '', ''
    if tip:
        load_link = (f'<link name="tip"><inertial><mass value="{tip[0]!r}"/><inertia '
                     + ' '.join(f'{key}="{tip[1]!r}"' for key in ('ixx', 'iyy', 'izz'))
                     + ' ixy="0" ixz="0" iyz="0"/></inertial></link>')
        load_joint = (f'<joint name="tip_fixed" type="fixed"><parent link="beam"/><child '
                      f'link="tip"/><origin xyz="{root + length!r} 0 0"/></joint>')
    carrier, clamp = ('carriage', CARRIAGE) if carriage else ('beam', '')
    attributes = ' '.join(f'{key}="{value!r}"' for key, value in values.items())
    return load(f"""<robot name="beam"><link name="base"/>
      <link name="beam"><inertial><origin xyz="{root + length / 2!r} 0 0"/>
        <mass value="{m if mass is None else mass!r}"/>
        <inertia ixx="{polar!r}" iyy="{side!r}" izz="{side!r}" ixy="0" ixz="0" iyz="0"/>
        </inertial></link>{load_link}
      {clamp}<joint name="hinge" type="{joint}"><parent link="base"/><child link="{carrier}"/>
        <axis xyz="{axis}"/></joint>{load_joint}
      <flexible_link reference="beam"><beam root="{root!r} 0 0" {attributes}/>{modes}
        <damping ratio="{damping}"/>{model}</flexible_link>{more}</robot>""", gravity=gravity)


# ---- odd arms: every kind of joint and place ------------------------------------------------


def _link(name, mass=2.0):
    return (f'<link name="{name}"><inertial><origin xyz="0.4 0.02 -0.03"/><mass value="{mass}"/>'
            '<inertia ixx="0.02" iyy="0.3" izz="0.31" ixy="0.001" ixz="0.002" iyz="-0.001"/>'
            '</inertial></link>')


def _joint(name, kind, parent, child, xyz='0 0 0.1', rpy='0.1 0.2 0.3', axis='0 0 1', more=''):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>'
            f'<limit lower="-9" upper="9" effort="9" velocity="9"/>{more}</joint>')


def _flexible(name, inside='<modes bend_y="2" bend_z="1" torsion="1"/>', axis='1 0 0',
              normal='0 0 1'):
    return (f'<flexible_link reference="{name}"><beam {BEAM} axis="{axis}" normal="{normal}"/>'
            f'{inside}</flexible_link>')


_AB = (_link('a'), _link('b'), _joint('j1', 'continuous', 'base', 'a'),
       _joint('j2', 'continuous', 'a', 'b', '0.9 0.1 0.2', '-0.4 0.5 0.6', '0.6 0 0.8'))
_ABC = (*_AB, _link('c'), _joint('j3', 'continuous', 'b', 'c', '0.5 -0.1 0.1', '1 0.5 0.6',
                                 '0 1 0'))


def _soft(joint, stiffness=100, motor_inertia=0.2):
    return (f'<flexible_joint reference="{joint}" stiffness="{stiffness}" damping="0.5" '
            f'motor_inertia="{motor_inertia}"/>')


ODD_ARMS = {
    'two flexible links and a rigid one': (*_ABC, _flexible('a'), _flexible('b')),
    'third order, all families': (*_AB, _flexible(
        'a', '<modes bend_y="1" bend_z="1" torsion="1" stretch="1"/><model order="3"/>')),
    'beam askew in its link': (*_AB, _flexible('a', axis='0.96 0.28 0', normal='0.28 -0.96 0')),
    'behind a fixed joint on a rigid link': (
        _link('a'), _link('b'), _link('c'), _joint('j1', 'continuous', 'base', 'a'),
        _joint('f', 'fixed', 'a', 'b', '0.3 0.1 0.2', '-0.4 0.5 0.6'),
        _joint('j3', 'continuous', 'b', 'c', '0.8 -0.1 0.1', '1 0.5 0.6', '0 1 0'),
        _flexible('b')),
    'on the base, nothing else': (_link('a'), _joint('f', 'fixed', 'base', 'a'), _flexible('a')),
    'sliders, one flexible link fixed to another': (
        _link('a'), _link('b'), _link('c'), _joint('j1', 'prismatic', 'base', 'a'),
        _joint('f', 'fixed', 'a', 'b', '0.8 0.1 0.2', '-0.4 0.5 0.6'),
        _joint('j3', 'prismatic', 'b', 'c', '0.6 -0.1 0.1', '1 0.5 0.6', '0.6 0.8 0'),
        _flexible('a'), _flexible('b')),
    'branches on one flexible link': (
        *_AB, _link('c'), _joint('j3', 'prismatic', 'a', 'c', '0.5 -0.1 0.1', '1 0.5 0.6',
                                 '0 1 0'),
        _flexible('a'), _flexible('b'), _flexible('c')),
    'a branch at the clamped root': (
        *_AB, _link('c'), _joint('j3', 'continuous', 'a', 'c', '-0.3 0.1 0.1'),
        _flexible('a')),
    'segments before modes': (*_AB, _flexible('a', '<segments count="3"/>'), _flexible('b')),
    'a flexible joint on a flexible link': (*_AB, _flexible('a'), _soft('j2')),
    'a mimic joint': (
        *_AB, _link('c'), _joint('j3', 'continuous', 'b', 'c', '0.5 -0.1 0.1', '1 0.5 0.6',
                                 '0 1 0', '<mimic joint="j2" multiplier="-0.7" offset="0.2"/>'),
        _flexible('a'), _flexible('b')),
    'a floating base': (*_AB, _flexible('b')),
    # the deflection of a flexible joint follows all modes in q: its index is above that of the
    # modes of the link it moves
    'a flexible joint before a flexible link': (*_AB, _flexible('a'), _soft('j1')),
    'three flexible joints, two flexible links': (
        *_ABC, _flexible('a'), _flexible('b'), _soft('j3', 40, 0.1), _soft('j1', 300, 0.3),
        _soft('j2')),
    'flexible joints at the stations of a flexible link': (
        *_AB, _link('c'), _joint('j3', 'prismatic', 'a', 'c', '0.5 -0.1 0.1', '1 0.5 0.6',
                                 '0 1 0'),
        _flexible('a'), _flexible('b'), _flexible('c'), _soft('j1'), _soft('j2'),
        _soft('j3', 900, 1.5)),
    'a flexible slider before a link of third order': (
        _link('a'), _link('b'), _joint('j1', 'prismatic', 'base', 'a', axis='0.6 0.8 0'),
        _joint('j2', 'continuous', 'a', 'b', '0.9 0.1 0.2', '-0.4 0.5 0.6', '0.6 0 0.8'),
        _flexible('a', '<modes bend_y="1" bend_z="1" torsion="1"/><model order="3"/>'),
        _soft('j1', 900, 1.5)),
    'a mimic joint of a flexible joint, between flexible links': (
        *_AB, _link('c'), _joint('j3', 'continuous', 'b', 'c', '0.5 -0.1 0.1', '1 0.5 0.6',
                                 '0 1 0', '<mimic joint="j2" multiplier="-0.7" offset="0.2"/>'),
        _flexible('a'), _flexible('b'), _flexible('c', '<modes bend_y="1"/>'), _soft('j2')),
    'a mimic joint before its flexible leader': (
        _link('a'), _link('b'), _link('c'),
        _joint('j1', 'continuous', 'base', 'a',
               more='<mimic joint="j3" multiplier="0.6" offset="-0.1"/>'),
        _joint('j2', 'continuous', 'a', 'b', '0.9 0.1 0.2', '-0.4 0.5 0.6', '0.6 0 0.8'),
        _joint('j3', 'continuous', 'b', 'c', '0.5 -0.1 0.1', '1 0.5 0.6', '0 1 0'),
        _flexible('a'), _flexible('c', '<modes bend_y="1" torsion="1"/>'), _soft('j3'),
        _soft('j2')),
    'segments between flexible joints, before modes': (
        *_AB, _flexible('a', '<segments count="2"/>'), _flexible('b'), _soft('j1'), _soft('j2')),
    'springs in fixed joints, before flexible links': (
        *_ABC, _link('d'), _joint('f', 'fixed', 'b', 'd', '0.7 0.1 0.2', '-0.4 0.5 0.6'),
        _flexible('a'), _flexible('b'), _flexible('d', '<modes bend_z="1"/>'), _soft('j1'),
        '<flexible_joint reference="f" stiffness="400" damping="1" type="prismatic" '
        'axis="0.6 0 0.8"/>'),
    'a flexible joint on a floating base': (*_AB, _flexible('a'), _soft('j1'), _soft('j2')),
}
SOFT_JOINTS = [name for name in ODD_ARMS if '<flexible_joint' in ''.join(ODD_ARMS[name])]


@functools.cache
def odd_arm(name):
    """Return the Dynamics of an odd arm, by generated Python."""
    floating = 'floating' in name
    base = '<link name="base"/>' if not floating else (
        '<link name="base"><inertial><origin xyz="0.1 0 0.2"/><mass value="5"/><inertia ixx="0.4" '
        'iyy="0.5" izz="0.6" ixy="0.01" ixz="0" iyz="0.02"/></inertial></link>')
    robot = load(f'<robot name="odd">{base}{"".join(ODD_ARMS[name])}</robot>',
                 floating_base=floating)
    return kd.Dynamics(robot, backend='python')


def random_state(robot, seed, bend=0.05):
    """Return q, qd, qdd; links bent by about `bend` metres or radians."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1.5, 1.5, robot.nq)
    if robot.n_modes:
        q[-robot.n_modes:] = rng.normal(scale=bend, size=robot.n_modes)
    if robot.floating_base:
        q[3:7] /= np.linalg.norm(q[3:7])
    return (q, *rng.normal(size=(2, robot.nv)))


# ---- motion ---------------------------------------------------------------------------------


def quintic(t, T, start, end):
    """Return q, qd, qdd of the rest-to-rest polynomial of degree five; afterwards it rests."""
    s, way = min(max(t / T, 0.0), 1.0), np.subtract(end, start)
    return (start + way * (10 * s**3 - 15 * s**4 + 6 * s**5),
            way / T * (30 * s**2 - 60 * s**3 + 30 * s**4),
            way / T**2 * (60 * s - 180 * s**2 + 120 * s**3))


def integrate(rate, x, *times, rtol=1e-9, atol=1e-11, **options):
    """Return the solutions of x' = rate(t, x) over the spans between times, one after another."""
    solutions = []
    for span in zip(times[:-1], times[1:]):
        solutions.append(solve_ivp(rate, span, x, method='DOP853', rtol=rtol, atol=atol,
                                   **options))
        assert solutions[-1].success, solutions[-1].message
        x = solutions[-1].y[:, -1]
    return solutions


def free_motion(dyn, torque=None):
    """Return rate(t, x) of the arm, x = [q, qd], under torque(t, q, qd) (nv,)."""
    n, none = dyn.robot.nv, np.zeros(dyn.robot.nv)

    def rate(t, x):
        q, qd = x[:n], x[n:]
        return np.concatenate([qd, dyn.forward(q, qd, none if torque is None
                                               else torque(t, q, qd))])
    return rate


def led_motion(dyn, motion):
    """Return rate(t, x) of the modes, x = [eta, etad], with joints on motion(t) -> q, qd, qdd."""
    n = dyn.robot.n_modes

    def state(t, x):
        q, qd, qdd = motion(t)
        return np.concatenate([q, x[:n]]), np.concatenate([qd, x[n:]]), qdd

    def rate(t, x):
        _, accelerations = dyn.hybrid(*state(t, x))
        return np.concatenate([x[n:], accelerations[-n:]])

    def torque(t, x):
        return dyn.hybrid(*state(t, x))[0]
    return rate, torque


def quasi_static(dyn, q, qd, qdd):
    """Return the deflections and the joint torques, joints given, modes without inertia."""
    n, still = dyn.robot.n_joints, np.zeros(dyn.robot.n_modes)

    def rows(e):
        return dyn.inverse(np.append(q, e), np.append(qd, still), np.append(qdd, still))
    e = root(lambda e: rows(e)[n:], still, tol=1e-14).x
    return e, rows(e)[:n]


SPRUNG = """<robot name="sprung"><link name="base"/>
  <link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="2"/><inertia ixx="0.01" iyy="0.06"
   izz="0.06" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="elbow" type="continuous"><parent link="base"/><child link="arm"/>
   <axis xyz="0 1 0"/></joint>
  <flexible_joint reference="elbow" stiffness="2000" damping="0.5" motor_inertia="0.05"/>
  </robot>"""
