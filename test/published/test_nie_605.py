# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
The Intelledex 605 of Nie 1988 moves as its equations say.

The thesis prints no torque. The reference numbers here were computed from its equations three
times over (Appendix 1 as corrected, the general recursion of chapter III, Pinocchio), which agree
to 4e-14; they are held to the digits that were written down. BASE has the lengths that survive,
FULL invents the four lost ones.
"""

from pathlib import Path
import runpy
from types import SimpleNamespace
import warnings

import numpy as np
import pytest

import kane_dynamics as kd

ROOT = Path(__file__).resolve().parents[2]
NIE = SimpleNamespace(**runpy.run_path(str(ROOT / 'examples' / 'nie_605.py')))
FIRST = np.array([0, np.pi / 2, 0, 0, 0, 0])  # the pose that the motion starts from
LOST = {'L33': 0.05, 'L43': 0.03, 'L52': 0.04, 'L63': 0.08}  # as FULL invents them


def printed(decimals):
    """Return the tolerance of a number that was rounded to so many decimals."""
    return 0.501 * 10.0 ** -decimals


@pytest.fixture(scope='module', params=['BASE', 'FULL'])
def data(request):
    return request.param


@pytest.fixture(scope='module')
def arms():
    return {name: NIE.load(name) for name in ('BASE', 'FULL')}


def with_lengths(dyn, **lengths):
    """Return the dynamics with mass centres moved: D^k of the thesis with other lengths."""
    value = {'L12': 0.1397, 'L13': 0.1588, 'L22': 0.0127, 'L31': 0.1, 'L41': 0.127,
             **dict.fromkeys(LOST, 0.0), **lengths}
    coms = [(0, -value['L12'], value['L13']), (0, -value['L22'], 0),
            (value['L31'], 0, value['L33']), (value['L41'], 0, value['L33'] + value['L43']),
            (0, -value['L52'], 0), (0, 0, value['L63'])]
    robot = dyn.robot
    for k, com in enumerate(coms, 1):
        old = robot.link(f'link_{k}').inertial
        robot = robot.with_inertial(f'link_{k}', kd.Inertial(old.mass, com, old.inertia))
    return kd.Dynamics(robot, backend='python')


# ---- torques ----------------------------------------------------------------------------------


def test_torques_are_the_reference_to_its_nine_decimals(arms, data):
    tau = arms[data].inverse_many(*NIE.motion(NIE.TIMES))
    np.testing.assert_allclose(tau, NIE.REFERENCE[data], rtol=0, atol=printed(9))


def test_the_files_differ_by_the_four_lost_lengths_alone(arms):
    t = np.linspace(0, 2, 11)
    full = with_lengths(arms['BASE'], **LOST).inverse_many(*NIE.motion(t))
    np.testing.assert_allclose(full, arms['FULL'].inverse_many(*NIE.motion(t)), rtol=0, atol=1e-13)


@pytest.mark.parametrize(('joint', 'low', 'at_low', 'high', 'at_high'), [
    (1, -6.45673, 0.818, 3.63682, 2.0), (2, -0.60474, 0.178, 19.23612, 0.980),
    (3, -41.74105, 0.0, 11.91460, 2.0), (4, -13.39395, 0.0, 8.37122, 2.0),
    (5, -0.04993, 1.510, 0.04651, 0.548), (6, -0.00683, 0.862, 0.00537, 0.335)])
def test_each_torque_stays_in_its_range(arms, joint, low, at_low, high, at_high):
    t = np.linspace(0, 2, 20001)
    tau = arms['BASE'].inverse_many(*NIE.motion(t))[:, joint - 1]
    # five decimals and milliseconds were written down; the curves are flat at their extremes
    assert tau.min() == pytest.approx(low, abs=printed(5) + 1e-7)
    assert tau.max() == pytest.approx(high, abs=printed(5) + 1e-7)
    assert t[tau.argmin()] == pytest.approx(at_low, abs=1e-3)
    assert t[tau.argmax()] == pytest.approx(at_high, abs=1e-3)


def test_torques_at_the_start_are_those_of_weights_on_levers(arms):
    g, (L1, L2, L31, L41) = 9.81, (0.2794, 0.3226, 0.1, 0.127)
    m3, m4, m5, m6 = 8.6184, 4.9896, 1.3608, 0.9072
    for which, lost in (('BASE', dict.fromkeys(LOST, 0.0)), ('FULL', LOST)):
        l33, l43, l52 = (lost[name] for name in ('L33', 'L43', 'L52'))
        expected = [g * (m3 * l33 + m4 * (l33 + l43) + m5 * l52), 0,
                    -g * (m3 * L31 + m4 * (L1 + L41) + (m5 + m6) * (L1 + L2)),
                    -g * (m4 * L41 + (m5 + m6) * L2), 0, 0]
        np.testing.assert_allclose(arms[which].inverse(*NIE.motion(0.0)), expected, 0, 1e-13)


def test_the_last_torque_knows_nothing_of_any_length(arms):
    # so it is certain for the thesis' own run, whatever the lost lengths were
    t = np.linspace(0, 2, 201)
    base, full = (arms[name].inverse_many(*NIE.motion(t))[:, 5] for name in ('BASE', 'FULL'))
    assert abs(base).max() > 6e-3
    np.testing.assert_allclose(base, full, rtol=0, atol=1e-16)


# largest change of tau1 ... tau6 over the run, N m per metre of each length, as noted
SENSITIVITY = {'L33': (133, 58, 5.0, 1.1, 0, 0), 'L43': (49, 21, 3.5, 1.1, 0, 0),
               'L52': (13, 5.8, 1.4, 0.8, 0, 0), 'L63': (7.7, 8.7, 5.1, 6.2, 9.5, 0),
               'L22': (104, 0, 0, 0, 0, 0), 'L13': (160, 0, 0, 0, 0, 0),
               'L31': (53, 42, 85, 0, 0, 0), 'L12': (0, 0, 0, 0, 0, 0)}


@pytest.mark.parametrize('length', SENSITIVITY)
def test_a_doubtful_length_moves_the_torques_as_noted(arms, length):
    h, motion = 1e-4, NIE.motion(np.linspace(0, 2, 401))
    here = {'L22': 0.0127, 'L13': 0.1588, 'L31': 0.1, 'L12': 0.1397}.get(length, 0.0)
    more, less = (with_lengths(arms['BASE'], **{length: here + step}).inverse_many(*motion)
                  for step in (h, -h))
    # the torque is a quadratic of each length, so the central difference has rounding error only
    slope = abs(more - less).max(axis=0) / (2 * h)
    for got, noted in zip(slope, SENSITIVITY[length]):
        digit = 0.0 if noted == 0 else 1.0 if noted >= 10 else 0.1  # the last that was noted
        assert got == pytest.approx(noted, abs=0.501 * digit + 1e-9)


# ---- the parts of the equations ---------------------------------------------------------------


def test_mass_matrix_is_the_one_noted(arms):
    upper = np.array([
        [1.48893667, 0.77387467, 0.43760801, 0.17643091, 0.00227761, -0.00289778],
        [0, 1.10245230, 0, 0, 0, 0], [0, 0, 1.69078751, 0.68167668, 0.00880000, 0],
        [0, 0, 0, 0.35130974, 0.00880000, 0], [0, 0, 0, 0, 0.00880000, 0], [0, 0, 0, 0, 0, 0.003]])
    M = arms['BASE'].mass_matrix(NIE.motion(1.0)[0])
    np.testing.assert_allclose(M, upper + np.triu(upper, 1).T, rtol=0, atol=printed(8))
    assert np.linalg.cond(M) == pytest.approx(813, abs=0.5)
    first = np.diag([0.70792058, 1.93330340, 1.79300340, 0.35130974, 0.0088, 0.003])
    for r, s, value in [(1, 5, -0.003), (2, 3, 0.73278462), (2, 4, 0.0088), (3, 4, 0.0088)]:
        first[r, s] = first[s, r] = value
    np.testing.assert_allclose(arms['BASE'].mass_matrix(FIRST), first, rtol=0, atol=printed(8))


def test_velocity_and_gravity_torques_are_those_noted(arms):
    q, qd, qdd = NIE.motion(1.0)
    Z = [3.44859861, 4.10785335, -0.34846779, 0.48973972, 0.00752381, -0.00450906]
    K = np.array([9.01267478, -15.09079857, 23.72480140, 4.29866337, 0, 0])  # active, so -gravity
    assert abs(qdd).max() < 1e-14  # the middle of the motion
    np.testing.assert_allclose(arms['BASE'].gravity(q), -K, rtol=0, atol=printed(8))
    np.testing.assert_allclose(arms['BASE'].bias(q, qd), Z - K, rtol=0, atol=2 * printed(8))


@pytest.mark.parametrize(('name', 'qdd'), [
    ('BASE', [15.4456233, -28.2566681, 42.0554034, -79.3307623, 32.4227595, 16.4223471]),
    ('FULL', [14.6398249, -30.1599425, 48.4556378, -84.6421491, 17.1136746, 15.6440056])])
def test_accelerations_without_torque_are_those_noted(arms, name, qdd):
    q, qd, _ = NIE.motion(1.0)
    np.testing.assert_allclose(arms[name].forward(q, qd, np.zeros(6)), qdd, rtol=0,
                               atol=printed(7))


@pytest.mark.parametrize(('name', 'qdd', 'later'), [
    ('BASE', [0, 0, 52.8985768, -72.7097856, 19.8112088, 0],
     [0, 1.5707963, 1.3113375, -0.5395724, -0.7717651, 0]),
    ('FULL', [-1.4520254, 0.0319443, 52.3620332, -71.8650135, 19.5029803, 0.0319443],
     [-0.1805446, 1.6921238, 1.2481910, -0.4393081, -2.2334599, 0.1596884])])
def test_the_arm_falls_freely_as_noted_and_keeps_its_energy(arms, name, qdd, later):
    dyn, nothing = arms[name], np.zeros(6)
    np.testing.assert_allclose(dyn.forward(FIRST, nothing, nothing), qdd, 0, printed(7))
    fall = kd.simulate(dyn, FIRST, nothing, duration=0.3, method='DOP853', rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(fall.q[-1], later, rtol=0, atol=printed(7))
    energy = [dyn.energy(q, qd).total for q, qd in zip(fall.q, fall.qd)]
    assert np.ptp(energy) < 1e-10  # of some 50 J in motion; 1e-11 noted, with other steps


# ---- both formulations of the thesis ----------------------------------------------------------


def test_the_first_speeds_of_the_hand_derived_form_are_link_3s_turning(arms):
    # (2.18): u1 ... u3 are the components of link 3's angular velocity in its own axes
    noted = {0.5: (0.545509807, 0.210935587, 0.548495073),
             1.0: (1.137797213, -0.052307739, 1.318232221),
             1.5: (0.483190095, -0.227265375, 0.763541225)}
    for t, u in noted.items():
        q, qd, _ = NIE.motion(t)
        R, _ = arms['BASE'].frame_pose('link_3', q)
        w = R.T @ arms['BASE'].frame_velocity('link_3', q, qd)[3:]
        np.testing.assert_allclose(w, u, rtol=0, atol=printed(9))
        s2, c2, s3, c3 = np.sin(q[1]), np.cos(q[1]), np.sin(q[2]), np.cos(q[2])
        np.testing.assert_allclose(w, [s2 * c3 * qd[0] - s3 * qd[1], -s2 * s3 * qd[0] - c3 * qd[1],
                                       c2 * qd[0] + qd[2]], rtol=0, atol=1e-15)


def test_active_forces_of_the_hand_derived_form_are_the_torques_in_other_speeds(arms):
    # (2.53)-(2.56): k1 = Z4 t1 - s3 t2 - Z8 t3, k2 = Z5 t1 - c3 t2 - Z9 t3, k3 = t3. With
    # u = W qd the power k.u = t.qd asks for k = W^-T t, where W comes from the Jacobian.
    rng = np.random.default_rng(1988)
    q, tau = rng.uniform(0.3, 1.2, 6), rng.normal(size=6)
    R, _ = arms['BASE'].frame_pose('link_3', q)
    W = np.eye(6)
    W[:3] = R.T @ arms['BASE'].frame_jacobian('link_3', q)[3:]
    Z4, Z5 = np.cos(q[2]) / np.sin(q[1]), -np.sin(q[2]) / np.sin(q[1])
    Z8, Z9 = Z4 * np.cos(q[1]), Z5 * np.cos(q[1])
    k = [Z4 * tau[0] - np.sin(q[2]) * tau[1] - Z8 * tau[2],
         Z5 * tau[0] - np.cos(q[2]) * tau[1] - Z9 * tau[2], *tau[2:]]
    np.testing.assert_allclose(np.linalg.solve(W.T, tau), k, rtol=0, atol=1e-14)


def test_the_wrist_is_where_it_was_noted(arms):
    for t, position in {0.0: (0, 0, 0.602), 1.0: (-0.119149961, 0.415120403, 0.389526491),
                        2.0: (-0.4569, 0.251320572, -0.018706149)}.items():
        _, p = arms['BASE'].frame_pose('link_5', NIE.motion(t)[0])
        np.testing.assert_allclose(p, position, rtol=0, atol=printed(9))


# ---- there and back ---------------------------------------------------------------------------


def test_torques_give_the_motion_back(arms, data):
    # The raised arm is unstable: errors grow 3e3 times in 1 s and 1e7 times in 2 s. The integrator
    # leaves some 1e-15 per step, so 1e-8 over 1 s and 1e-6 over 2 s have a hundredfold margin.
    assert NIE.error(arms[data], NIE.adaptive, 0.01, 1.0) < 1e-8
    assert NIE.error(arms[data], NIE.adaptive, 0.01) < 1e-6


def test_looser_integrators_lose_the_motion_as_noted(arms):
    dyn = arms['BASE']
    # two digits were noted; the largest error is looked for on other grids
    assert NIE.error(dyn, NIE.runge_kutta, 0.01) == pytest.approx(0.038, rel=0.03)
    assert NIE.error(dyn, NIE.runge_kutta, 0.005) == pytest.approx(2.5e-3, rel=0.03)
    # backward Euler and BDF2, as ANGLE and AUTOQ do when they converge
    assert NIE.error(dyn, NIE.thesis_scheme, 0.01, 1.0) == pytest.approx(0.118, rel=0.03)


# ---- the files --------------------------------------------------------------------------------


@pytest.mark.parametrize('name', ['intelledex_605.urdf', 'intelledex_605_full.urdf'])
def test_the_files_are_clean_and_pinocchio_agrees(name):
    pinocchio = pytest.importorskip('pinocchio')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        dyn = kd.Dynamics(kd.load_urdf(ROOT / 'urdf' / name, gravity=NIE.GRAVITY))
    model = pinocchio.buildModelFromUrdf(str(ROOT / 'urdf' / name))
    model.gravity.linear[:] = NIE.GRAVITY
    other = model.createData()
    rng = np.random.default_rng(7)
    for _ in range(20):
        q, qd, qdd = rng.uniform(-3, 3, (3, 6))
        expected = pinocchio.rnea(model, other, q, qd, qdd)
        np.testing.assert_allclose(dyn.inverse(q, qd, qdd), expected, 1e-12, 1e-12)
        np.testing.assert_allclose(dyn.forward(q, qd, expected), qdd, 1e-10, 1e-10)


def test_the_example_prints_reference_next_to_computed(capsys):
    NIE.print_torques()
    NIE.print_facts(NIE.load())
    text = capsys.readouterr().out
    assert text.count('reference') > 18 and '-41.741054006' in text and '672 / 404' in text
