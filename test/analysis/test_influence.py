# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Deflection by influence coefficients: its own convergence table, textbooks, and the modes."""

import functools

from flexible_arms import beam_robot, changed, load, quintic, URDF
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.analysis.vukobratovic.influence import InfluenceModel

# a horizontal tube of 1 m, 20/15 mm, AlMg3 (Vukobratovic and Potkonjak 1982, Fig. 5.10)
AREA, SECOND = np.pi * (0.02**2 - 0.015**2), np.pi / 4 * (0.02**4 - 0.015**4)
TUBE = {'length': 1.0, 'mass_per_length': 2700 * AREA, 'EI_y': 7.848e10 * SECOND,
        'EI_z': 7.848e10 * SECOND, 'GJ': 3.04e10 * 2 * SECOND, 'EA': 7.848e10 * AREA,
        'polar_inertia_per_length': 2700 * 2 * SECOND}


@functools.cache
def tube(payload=False):
    return beam_robot(TUBE, '<modes bend_z="4"/>', joint='fixed', gravity=(0.0, 0.0, -9.81),
                      tip=(5.0 if payload else 1e-12, 1e-15))


def test_tube_is_that_of_the_book():
    assert AREA == pytest.approx(5.4978e-4, rel=1e-4)
    assert TUBE['mass_per_length'] == pytest.approx(1.48440, rel=1e-5)
    assert SECOND == pytest.approx(8.5903e-8, rel=1e-4)
    assert 1 / (3 * TUBE['EI_y']) == pytest.approx(4.9444e-5, rel=1e-4)     # alpha_x [m/N]


@pytest.mark.parametrize(('pieces', 'bare', 'loaded', 'factor', 'speed'), [
    # sag [m] without and with 5 kg, first frequency / sqrt(EI / m L^3), and with 5 kg [rad/s]
    (1, 3.600e-4, 2.7852e-3, 2.4495, 59.35), (2, 2.925e-4, 2.7177e-3, 3.1562, 60.95),
    (4, 2.756e-4, 2.7008e-3, 3.4180, 61.35), (8, 2.714e-4, 2.6966e-3, 3.4910, 61.45)])
def test_convergence_table(pieces, bare, loaded, factor, speed):
    unit = np.sqrt(TUBE['EI_y'] / TUBE['mass_per_length'])
    for payload, sag in ((False, bare), (True, loaded)):
        model = InfluenceModel(tube(payload), pieces)
        u, phi = model.quasi_static(np.zeros(0))['tip']
        assert -u[2] == pytest.approx(sag, rel=3e-4)
        assert abs(u[:2]).max() < 1e-15 and phi[1] > 0.0
    got = 2 * np.pi * InfluenceModel(tube(), pieces).frequencies(np.zeros(0))[0]
    assert got / unit == pytest.approx(factor, rel=1e-4)
    got = 2 * np.pi * InfluenceModel(tube(True), pieces).frequencies(np.zeros(0))[0]
    assert got == pytest.approx(speed, rel=2e-4)


def test_error_falls_with_the_square_of_the_pieces():
    exact = TUBE['mass_per_length'] * 9.81 / (8 * TUBE['EI_y'])
    errors = [-InfluenceModel(tube(), n).quasi_static(np.zeros(0))['tip'].u[2] / exact - 1
              for n in (1, 2, 4, 8)]
    np.testing.assert_allclose(errors, np.array([1 / 3, 1 / 12, 1 / 48, 1 / 192]), rtol=1e-6)


def quasi_static_modes(dyn, q, qd, qdd):
    """Return q with modes that follow a motion without swinging: eta'' = eta' = 0."""
    n = dyn.robot.n_modes
    q, qd, qdd = (np.concatenate([value, np.zeros(n)]) for value in (q, qd, qdd))
    K = np.concatenate([link.body.stiffness for link in dyn.robot.flexible_links.values()])
    for _ in range(30):
        q[-n:] -= dyn.inverse(q, qd, qdd)[-n:] / K
    return q


@pytest.mark.parametrize('name', ['flexible_3r', 'flexible_six_axis'])
@pytest.mark.parametrize('moving', [False, True])
def test_modes_and_influence_coefficients_agree_in_space(name, moving):
    # different methods, the same beams; static shapes (craig_bampton) are exact for tip loads
    robot = changed(name, ('<modes [^>]*/>', '<modes bend_y="3" bend_z="3" torsion="1" '
                           'shapes="craig_bampton"/>'))
    dyn = kd.Dynamics(robot, backend='python')
    n = robot.n_joints
    q, qd, qdd = quintic(0.3, 1.0, np.linspace(0.2, 0.9, n), np.linspace(1.5, -0.8, n))
    if not moving:
        qd, qdd = np.zeros(n), np.zeros(n)
    bent = quasi_static_modes(dyn, q, qd, qdd)
    straight = np.concatenate([q, np.zeros(robot.n_modes)])
    R, p = dyn.frame_pose('tool0', bent)
    R0, p0 = dyn.frame_pose('tool0', straight)
    turned = R @ R0.T
    phi = np.array([turned[2, 1], turned[0, 2], turned[1, 0]])
    found = InfluenceModel(robot, 8).quasi_static(q, qd, qdd)['tool0']
    # second-order effects and the lumping: some per mille of the deflection
    np.testing.assert_allclose(found.u, p - p0, rtol=0, atol=0.01 * np.linalg.norm(p - p0))
    np.testing.assert_allclose(found.phi, phi, rtol=0, atol=0.01 * np.linalg.norm(phi))


def test_lowest_frequencies_of_the_spatial_arm_agree():
    # points instead of bodies: rotary inertia is missing, so frequencies come out a little high
    robot = changed('flexible_3r')
    q = np.array([0.3, 0.6, -0.9])
    modal = kd.natural_frequencies(kd.Dynamics(robot, backend='python'), q)[:2]
    got = InfluenceModel(robot, 6).frequencies(q)[:2]
    np.testing.assert_allclose(got, modal, rtol=0.02)


def test_branch_at_a_station_loads_only_what_is_inboard_of_it():
    # 2 kg at mid-length of a massless cantilever: tip = F a^2 (3 L - a) / 6 EI
    text = """<robot name="r"><link name="base"/>
      <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="1e-9"/><inertia ixx="1e-12"
        iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="load"><inertial><mass value="2"/><inertia ixx="1e-6" iyy="1e-6" izz="1e-6"
        ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tip"/>
      <joint name="a" type="fixed"><parent link="base"/><child link="arm"/></joint>
      <joint name="b" type="fixed"><parent link="arm"/><child link="load"/>
        <origin xyz="0.5 0 0"/></joint>
      <joint name="c" type="fixed"><parent link="arm"/><child link="tip"/>
        <origin xyz="1 0 0"/></joint>
      <flexible_link reference="arm"><beam length="1" mass_per_length="1e-9" EI_y="100"/>
        <modes bend_z="2"/></flexible_link></robot>"""
    found = InfluenceModel(load(text), 4).quasi_static(np.zeros(0))
    F = 2 * 9.81
    assert -found['load'].u[2] == pytest.approx(F * 0.5**3 / 300, rel=1e-6)
    assert -found['tip'].u[2] == pytest.approx(F * 0.25 * 2.5 / 600, rel=1e-6)
    assert found['tip'].phi[1] == pytest.approx(found['load'].phi[1], rel=1e-6)


@pytest.mark.parametrize(('call', 'words'), [
    (lambda: InfluenceModel(kd.load_urdf(URDF / 'two_link.urdf')), 'no <flexible_link>'),
    (lambda: InfluenceModel(tube(), 0), 'at least 1')])
def test_impossible_models_are_refused(call, words):
    with pytest.raises(kd.InputError, match=words):
        call()
