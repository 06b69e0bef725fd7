# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Vibrations, sag, linearization and deflection of flexible arms, and the command `kane modes`."""

from dataclasses import replace
import functools
import re
import warnings

from flexible_arms import (
    beam_robot, changed, free_motion, integrate, padilla, single_link, URDF)
import numpy as np
import pytest
from scipy.io import loadmat
from scipy.linalg import eigvals, expm

import kane_dynamics as kd
from kane_dynamics.analysis.pictures.arm_lines import ArmLines
from kane_dynamics.commands.cli import main


@functools.cache
def arm(name):
    return kd.Dynamics(changed(name), backend='python')


def with_rotors(robot, inertia):
    """Return the robot with rotor inertia [kg m^2] on every moving joint."""
    return replace(robot, joints=tuple(
        joint if joint.kind == 'fixed' else replace(joint, armature=inertia)
        for joint in robot.joints))


@pytest.mark.parametrize(('tip', 'free', 'locked'), [
    # hub and payload, EI = 10 (transcendental equation, finite elements agree to 2e-6) [rad/s]
    (None, (25.05129, 100.61605), (15.72410, 98.54124)),
    ((0.25, 1e-12), (19.70502, 78.21178), (9.01716, 75.58544)),
    ((0.25, 0.005), (19.34261, 62.29996), (8.88848, 59.94201))])
def test_link_with_hub_and_payload_has_its_exact_frequencies(tip, free, locked):
    # hub: 0.1 kg m^2 of rotor inertia on the joint
    robot = beam_robot({'length': 1.0, 'mass_per_length': 0.5, 'EI_z': 10.0},
                       '<modes bend_y="4" nodes="11"/>', tip=tip or '')
    dyn = kd.Dynamics(with_rotors(robot, 0.1), backend='python')
    for joints, expected in (('free', free), ('locked', locked)):
        got = 2 * np.pi * kd.natural_frequencies(dyn, np.zeros(5), joints)[:2]
        np.testing.assert_allclose(got, expected, rtol=1e-5)


def test_frequencies_are_those_that_a_simulation_shows():
    # the spatial arm, locked, released from its lowest shape: zero crossings in time
    dyn = kd.Dynamics(changed('flexible_3r', ('ratio="0.01"', 'ratio="0"'),
                              ('<modes [^>]*/>', '<modes bend_y="1" bend_z="1" torsion="1"/>')))
    pose = np.array([0.2, 0.5, -0.9])
    found = kd.vibration(dyn, pose)
    n, dt, steps = dyn.robot.n_modes, 1e-4, 6000
    # a joint that is held by a very large rotor does not move
    held = kd.Dynamics(with_rotors(dyn.robot, 1e9))
    q = found.q + 1e-5 * found.shapes[:, 0] / abs(found.shapes[:, 0]).max()
    tau = dyn.gravity(found.q)
    tau[3:] = 0.0
    Q, _ = held.rollout(q, np.zeros(dyn.robot.nv), tau, dt, steps, 'midpoint')
    wave = (Q[:, 3:] - found.q[3:]) @ found.shapes[3:, 0]
    crossings = np.flatnonzero((wave[:-1] > 0) & (wave[1:] <= 0))
    exact = crossings + wave[crossings] / (wave[crossings] - wave[crossings + 1])
    period = (exact[-1] - exact[0]) / (len(exact) - 1) * dt
    assert n == 6 and 1 / period == pytest.approx(found.frequencies[0], rel=1e-4)


def test_shapes_diagonalise_mass_and_stiffness():
    dyn = arm('flexible_six_axis')
    q = kd.static_sag(dyn, np.array([0.1, 0.4, -0.6, 0.3, 0.5, 0.0]))
    found = kd.vibration(dyn, q, 'free')
    M = dyn.mass_matrix(q)
    np.testing.assert_allclose(found.shapes.T @ M @ found.shapes, np.eye(8), atol=1e-9)
    assert (np.diff(found.frequencies) > 0.0).all()
    assert kd.vibration(dyn, q).shapes[:6].any() == np.False_      # locked joints do not move


def test_damping_ratio_of_a_loaded_link_is_the_one_in_the_file():
    # tip-loaded modes refer it to the loaded mass, as the arm has it
    found = kd.vibration(kd.Dynamics(single_link(damping=0.02), backend='python'))
    np.testing.assert_allclose(found.damping_ratios, 0.02, rtol=1e-3)


def test_arm_without_flexible_parts_does_not_vibrate():
    dyn = kd.Dynamics(kd.load_urdf(URDF / 'two_link.urdf'), backend='python')
    assert kd.natural_frequencies(dyn).shape == (0,)
    np.testing.assert_array_equal(kd.static_sag(dyn, [0.1, 0.2]), [0.1, 0.2])


@pytest.mark.parametrize(('call', 'words'), [
    (lambda dyn: kd.natural_frequencies(dyn, joints='loose'), "'loose'.*'locked', 'free'"),
    (lambda dyn: kd.natural_frequencies(dyn, np.zeros(3)), r'shape \(3,\).*\(4,\).*hub'),
    (lambda dyn: kd.linearize(dyn, outputs=['elbow']), "no output 'elbow'.*'hub'.*'tip'")])
def test_wrong_questions_are_answered_with_what_there_is(call, words):
    with pytest.raises(kd.InputError, match=words):
        call(arm('flexible_single_link'))


# ---- static sag -----------------------------------------------------------------------------


def test_sag_of_a_cantilever_is_the_textbooks():
    # own weight w L^4 / 8 EI and a tip load F L^3 / 3 EI, small; static shapes are exact
    beam = {'length': 1.2, 'mass_per_length': 0.8, 'EI_y': 5e4}
    for tip, expected in ((None, 0.8 * 9.81 * 1.2**4 / 8 / 5e4),
                          ((2.0, 1e-12), 0.8 * 9.81 * 1.2**4 / 8 / 5e4
                           + 2.0 * 9.81 * 1.2**3 / 3 / 5e4)):
        robot = beam_robot(beam, '<modes bend_z="6"/>', joint='fixed',
                           gravity=(0.0, 0.0, -9.81), tip=tip or '')
        dyn = kd.Dynamics(robot, backend='python')
        q = kd.static_sag(dyn, np.zeros(6))
        tip = kd.tip_deflections(robot, q)['beam']
        assert tip.vector[2] == pytest.approx(-expected, rel=2e-4)
        assert tip.in_range


@pytest.mark.parametrize('name', ['flexible_3r', 'flexible_six_axis'])
def test_sagging_arm_rests(name):
    dyn = arm(name)
    for seed in range(3):
        joints = np.random.default_rng(seed).uniform(-1.5, 1.5, dyn.robot.n_joints)
        q = kd.static_sag(dyn, joints)
        n = dyn.robot.nv
        tau = dyn.gravity(q)
        assert abs(tau[dyn.robot.n_joints:]).max() < 1e-12 * abs(tau).max()
        np.testing.assert_allclose(dyn.forward(q, np.zeros(n), tau), np.zeros(n), atol=1e-8)


def test_link_too_soft_to_stand_is_refused():
    # upright under more than its buckling load: the straight link is at rest, but does not stay
    robot = beam_robot({'length': 1.0, 'mass_per_length': 1.0, 'EI_z': 1.0},
                       '<modes bend_y="2"/>', joint='fixed', gravity=(-9.81, 0.0, 0.0))
    with pytest.raises(kd.KaneDynamicsError, match='does not stay at rest.*too soft'):
        kd.static_sag(kd.Dynamics(robot, backend='python'), np.zeros(2))


def test_sag_beyond_the_range_of_the_model_causes_a_warning():
    robot = beam_robot({'length': 1.0, 'mass_per_length': 1.0, 'EI_z': 12.0},
                       '<modes bend_y="2"/>', joint='fixed', gravity=(0.0, -9.81, 0.0))
    with pytest.warns(kd.KaneDynamicsWarning, match="'beam' bends by 0.102 m, 10.2% of its"):
        kd.static_sag(kd.Dynamics(robot, backend='python'), np.zeros(2))


# ---- linearization --------------------------------------------------------------------------


def test_linear_model_moves_as_the_arm_does_near_its_rest():
    dyn = kd.Dynamics(changed('flexible_3r', ('<modes [^>]*/>', '<modes bend_y="1" bend_z="1"/>')))
    q = kd.static_sag(dyn, np.array([0.2, 0.5, -0.9]))
    A, B, C, D = kd.linearize(dyn, q, outputs=['joint_2', 'forearm/bend_y_1', 'tool0'])
    n = dyn.robot.nv
    assert (A.shape, B.shape, C.shape, D.shape) == ((14, 14), (14, 3), (5, 14), (5, 3))
    push, T = 1e-4 * np.array([1.0, -0.5, 0.3]), 0.03
    tau = dyn.gravity(q)
    tau[:3] += push
    end = integrate(free_motion(dyn, lambda t, q, qd: tau), np.concatenate([q, np.zeros(n)]),
                    0.0, T, rtol=1e-10, atol=1e-14)[0].y[:, -1]
    # exact solution of x' = A x + B u: the exponential of [[A, B], [0, 0]]
    grown = expm(T * np.block([[A, B], [np.zeros((3, 17))]]))
    x = grown[:14, 14:] @ push
    moved = end - np.concatenate([q, np.zeros(n)])
    np.testing.assert_allclose(moved, x, rtol=0, atol=1e-5 * abs(moved).max())
    y = [moved[1], moved[5],
         *(dyn.frame_pose('tool0', end[:n])[1] - dyn.frame_pose('tool0', q)[1])]
    np.testing.assert_allclose(y, C @ x, rtol=0, atol=1e-4 * abs(C @ x).max())


def test_linearization_by_differences_is_the_exact_derivative():
    dyn = kd.Dynamics(padilla('<modes bend_y="1"/>'), backend='python')
    rng = np.random.default_rng(5)
    q, qd = 0.1 * rng.normal(size=(2, 4))
    tau = rng.normal(size=4)
    A, B, _, _ = kd.linearize(dyn, q, qd, tau)
    by_q, by_qd, by_tau = dyn.forward_derivatives(q, qd, tau)
    np.testing.assert_allclose(A[4:, :4], by_q, atol=1e-7 * abs(by_q).max())
    np.testing.assert_allclose(A[4:, 4:], by_qd, atol=1e-9 * abs(by_qd).max())
    np.testing.assert_allclose(B[4:], by_tau[:, :2], rtol=1e-12)


def test_poles_of_the_linear_model_are_the_natural_frequencies():
    dyn = kd.Dynamics(single_link(damping=0.0), backend='python')
    poles = np.linalg.eigvals(kd.linearize(dyn).A)
    got = np.sort(poles.imag[poles.imag > 1.0]) / (2 * np.pi)
    np.testing.assert_allclose(got, kd.natural_frequencies(dyn, joints='free'), rtol=1e-8)


@pytest.mark.parametrize(('modes', 'zeros'), [(1, (39.892,)), (2, (50.760, 135.38))])
def test_tip_of_a_flexible_link_has_zeros_in_the_right_half_plane(modes, zeros):
    # torque to tip, EI = 10: why the tip cannot be inverted causally
    dyn = kd.Dynamics(single_link(10.0, f'<modes bend_y="{modes}" nodes="9"/>'), backend='python')
    A, B, C, D = kd.linearize(dyn, outputs=['tip'])
    n = len(A)
    pencil = np.block([[A, B], [C[1:2], D[1:2]]])
    E = np.zeros_like(pencil)
    E[:n, :n] = np.eye(n)
    found = eigvals(pencil, E)
    found = found[np.isfinite(found) & (abs(found) < 1e4)]
    right = np.sort(found.real[found.real > 1.0])
    np.testing.assert_allclose(right, zeros, rtol=2e-4)


# ---- deflection -----------------------------------------------------------------------------


def test_watch_warns_once_when_a_link_leaves_the_range_of_its_model():
    robot = padilla()
    watch = kd.DeflectionWatch(robot)
    q = np.zeros(6)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        watch.check(q)
        q[4] = 0.02                                   # 2 % of the forearm
        watch.check(q)
    q[4] = 0.06                                       # of 0.9144 m: 6.6 %
    with pytest.warns(kd.KaneDynamicsWarning, match='forearm.*6.6%.*order="3"'):
        watch.check(q)
    assert watch.messages(q) == []                    # said once
    assert not kd.tip_deflections(robot, q)['forearm'].in_range
    assert kd.tip_deflections(robot, q)['upper_arm'].in_range


def test_third_order_has_a_wider_range():
    robot = padilla(model='<model order="3"/>')
    q = np.array([0, 0, 0, 0, 0.15, 0])
    assert kd.tip_deflections(robot, q)['forearm'].in_range


# ---- pictures and command -------------------------------------------------------------------


def test_lines_of_a_bent_arm_end_where_its_frames_are():
    for name, change in (('flexible_3r', ()), ('flexible_3r', (
            ('<modes [^>]*/>', '<segments count="4"/>'),)), ('flexible_six_axis', ())):
        robot = changed(name, *change)
        dyn = kd.Dynamics(robot, backend='python')
        q = np.random.default_rng(1).normal(scale=0.02, size=robot.nq)
        lines = ArmLines(robot).at(q)
        for link, child in (('upper_arm', 'elbow_body'), ('upper_arm', 'forearm')):
            if robot.parent_joint(child).parent == link:
                ends = [part[-1] for part in lines[link]]
                origin = dyn.frame_pose(child, q)[1]
                assert min(np.linalg.norm(end - origin) for end in ends) < 1e-12
        # the axis is one line from the link's origin to the bent tip
        axis = lines['upper_arm'][0]
        np.testing.assert_allclose(axis[0], dyn.frame_pose('upper_arm', q)[1], atol=1e-14)
        length = np.linalg.norm(np.diff(axis[1:], axis=0), axis=1).sum()
        assert length == pytest.approx(robot.flexible_links['upper_arm'].beam.length, rel=1e-3)


def test_command_prints_frequencies_and_shapes(capsys):
    assert main(['modes', str(URDF / 'padilla_two_link.urdf'), '--q', '0', '1.5707963']) == 0
    text = capsys.readouterr().out
    rows = [line.split() for line in text.splitlines() if line[:4].strip().isdigit()]
    dyn = kd.Dynamics(padilla(), backend='python')
    expected = kd.natural_frequencies(dyn, np.array([0.0, 1.5707963]))
    np.testing.assert_allclose([float(row[1]) for row in rows], expected, rtol=1e-4)
    assert 'forearm/bend_y_1 1' in text and 'joints locked' in text


def test_command_draws_the_shapes(tmp_path, capsys):
    pytest.importorskip('matplotlib', reason='matplotlib is not installed')
    path = tmp_path / 'modes.png'
    assert main(['modes', str(URDF / 'flexible_3r.urdf'), '--free', '--plot', str(path)]) == 0
    assert path.read_bytes()[:4] == b'\x89PNG' and path.stat().st_size > 20000
    assert f'written: {path}' in capsys.readouterr().out


@pytest.mark.parametrize('ending', ['npz', 'mat'])
def test_command_writes_the_state_space_with_names(ending, tmp_path, capsys):
    path = tmp_path / f'arm.{ending}'
    assert main(['modes', str(URDF / 'padilla_two_link.urdf'), '--q', '0', '1',
                 '--linearize', str(path), '--outputs', 'tip', 'elbow']) == 0
    assert 'A (12, 12), B (12, 2), C (4, 12), D (4, 2)' in capsys.readouterr().out
    read = np.load(path) if ending == 'npz' else loadmat(path, squeeze_me=True)
    expected = kd.linearize(kd.Dynamics(padilla(), backend='python'), np.array([0.0, 1.0]),
                            outputs=['tip', 'elbow'])
    for name in 'ABCD':
        np.testing.assert_array_equal(read[name], getattr(expected, name))
    assert list(read['inputs']) == ['shoulder', 'elbow']
    assert list(read['outputs']) == ['tip/x', 'tip/y', 'tip/z', 'elbow']
    assert read['states'][2] == 'upper_arm/bend_y_1' and read['states'][7] == 'elbow_rate'


def test_command_reports_whether_the_links_are_stable_in_motion(tmp_path, capsys):
    # spin stiffens: link 2 of Padilla's arm, the first being rigid, at 4 rad/s
    file = tmp_path / 'arm.urdf'
    file.write_text(re.sub('(?s)<flexible_link reference="upper_arm">.*?</flexible_link>', '',
                           (URDF / 'padilla_two_link.urdf').read_text(encoding='utf-8')),
                    encoding='utf-8')
    assert main(['modes', str(file), '--qd', '0', '4']) == 0
    text = capsys.readouterr().out
    assert 'stable, effective stiffness positive definite' in text
    still, spun = (float(re.findall(r'^ +1 +\S+ +(\S+)', part, re.M)[0])
                   for part in text.split('moving with --qd and --qdd'))
    assert still < 4.7 < 5.0 < spun
    # acceleration along the link buckles it: 22 g, a little above its limit of 21.94 g
    robot = beam_robot({'length': 0.9144, 'mass_per_length': 0.669685, 'EI_z': 14.0},
                       '<modes bend_y="1" shapes="clamped_free"/>', joint='prismatic',
                       axis='1 0 0', carriage=True)
    file.write_text(robot.to_urdf(), encoding='utf-8')
    for g, status, words in ((21.8, 0, ': stable, effective'), (22.1, 1, ': NOT STABLE, .* not')):
        assert main(['modes', str(file), '--gravity', '0', '0', '0',
                     '--qdd', str(g * 9.81)]) == status
        assert re.search(words, capsys.readouterr().out)


@pytest.mark.parametrize(('arguments', 'words'), [
    (['two_link.urdf'], 'is rigid'),
    (['padilla_two_link.urdf', '--q', '1'], "--q has 1 number;.*'shoulder', 'elbow'"),
    (['padilla_two_link.urdf', '--qdd', '1'], "--qdd has 1 number;.*'shoulder', 'elbow'"),
    (['padilla_two_link.urdf', '--q', '1', 'nan'], "--q: elbow: 'nan': expected a number in rad"),
    (['padilla_two_link.urdf', '--plot', 'modes.doc'],
     'modes.doc: expected a picture file, one of .png'),
    (['padilla_two_link.urdf', '--linearize', 'arm.csv'], 'ends in .npz or .mat'),
    (['padilla_two_link.urdf', '--linearize', 'arm.npz', '--outputs', 'nose'],
     "no output 'nose'; there are joints and modes .*'elbow'")])
def test_command_refuses_impossible_arguments(arguments, words, capsys):
    assert main(['modes', str(URDF / arguments[0]), *arguments[1:]]) == 2
    assert re.search(words, capsys.readouterr().err)
