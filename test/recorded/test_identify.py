# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Friction, rotors, inertias and payloads found again in recordings made with known ones."""

from dataclasses import replace
from pathlib import Path
import re

from bag_files import real_bag
from example_robots import example_urdf
import numpy as np
import pytest
from recorded_arms import pinocchio_torques, record, sines

from kane_dynamics.commands.cli import main
from kane_dynamics.dynamics.calibrated_urdf import calibrated_urdf
from kane_dynamics.dynamics.calibration import Calibration, JointCalibration, load_calibration
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.locking import lock_joints
from kane_dynamics.model.urdf_reader import load_urdf
from kane_dynamics.recorded.bags.joint_states import JointStates
from kane_dynamics.recorded.evaluate import evaluate
from kane_dynamics.recorded.identify.consistent_fit import reference_inertias
from kane_dynamics.recorded.identify.identifier import Identifier
from kane_dynamics.recorded.identify.payload import estimate_payload
from kane_dynamics.recorded.identify.pseudo_inertia import (
    inertial_of, parameters_of, pseudo_inertia)
from kane_dynamics.recorded.smoothing.smoother import Smoother
from kane_dynamics.trajectory.motion import Motion, Samples

TWO_LINK = """<robot name="two_link"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.2 0.01 0"/><mass value="3"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>
<link name="lower"><inertial><origin xyz="0.15 0 0.02"/><mass value="2"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="3" effort="100"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
<origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" velocity="3" effort="100"/></joint></robot>"""
SIX_AXIS = Path(__file__).parents[2] / 'urdf' / 'six_axis.urdf'
SNR = 10.0 ** (-30.0 / 20.0)     # 30 dB


def ur5():
    return load_urdf(example_urdf('ur5_robot.urdf'))


def true_calibration(robot, seed, **joint_parameters):
    """Return a Calibration with bodies some 15 % off the URDF's, all possible, and its pi."""
    rng = np.random.default_rng(seed)
    dynamics = Dynamics(robot)
    pi = []
    for J in reference_inertias(dynamics.inertial_parameters):
        X = np.eye(4)
        X[:3] += 0.15 * rng.uniform(-1, 1, (3, 4)) * [1.0, 1.0, 1.0, 0.3]
        X[3, 3] += 0.15 * rng.uniform(-1, 1)
        pi.append(parameters_of(X @ J @ X.T))
    joints = {name: JointCalibration(**{
        'coulomb': rng.uniform(1, 6), 'viscous': rng.uniform(1, 6),
        'offset': rng.uniform(-1, 1), 'rotor_inertia': rng.uniform(0.1, 0.5),
        **joint_parameters}) for name in robot.joint_names}
    bodies = {link: inertial_of(each) for link, each in zip(dynamics.body_links, pi)}
    return Calibration(robot.name, joints, bodies, smoothing_speed=0.01), np.concatenate(pi)


def motion_of(dynamics, seed=1, duration=40.0, rate=100.0, noise=SNR, top=0.7):
    """Return a Motion with noisy efforts, known to the last digit otherwise."""
    rng = np.random.default_rng(seed)
    t, q, qd, qdd = sines(dynamics.robot.n_joints, duration, rate, seed, 1.2, top)
    tau = dynamics.inverse_many(q, qd, qdd)
    tau += noise * np.sqrt((tau**2).mean(0)) * rng.standard_normal(tau.shape)
    return Motion(t, q, qd, qdd, tau)


def z_scores(found, calibration, pi):
    """Return (estimate - truth) / sigma of base parameters and of friction."""
    joints = list(calibration.joints.values())
    standard = np.concatenate([pi, [joint.rotor_inertia for joint in joints]])
    beta = found.parameters.combination @ standard
    base = np.array([(each.value - true) / each.sigma for each, true in zip(found.base, beta)])
    friction = np.array([(each.value - truth_of(each, calibration)) / each.sigma
                         for each in found.friction])
    return base, friction


def truth_of(estimate, calibration):
    term, _, joint = estimate.name[:-1].partition('(')
    true = calibration.joints[joint]
    if term == 'rise':
        return true.stiction - true.coulomb
    return true.rotor_inertia if term == 'rotor' else getattr(true, term)


# -- known arms -----------------------------------------------------------------------------------


def test_a_bag_with_noise_of_30_db_gives_back_every_parameter_within_three_sigma(tmp_path):
    robot = ur5()
    calibration, pi = true_calibration(robot, seed=2)
    motion = motion_of(calibration.dynamics(robot), seed=2, duration=60.0, rate=250.0)
    rng = np.random.default_rng(2)
    # an encoder of 1e-5 rad on top of the torque noise
    q = motion.q + 1e-5 * rng.standard_normal(motion.q.shape)
    bag = record(tmp_path / 'bag', robot.joint_names, motion.t, q, motion.qd, motion.effort)
    motions = list(Smoother(robot.joint_names, speeds='position').motions(
        JointStates(bag, robot.joint_names)))
    found = Identifier(robot).fit(motions)
    base, friction = z_scores(found, calibration, pi)
    identified = np.array([each.identified for each in found.base])
    assert identified.all() and len(identified) == 40 and np.abs(base).max() < 3.0
    for each in found.friction:
        true = truth_of(each, calibration)
        if each.name.startswith('offset'):      # near zero: relative to Coulomb friction
            true, value = 1.0, 1.0 + (each.value - true) / calibration.joints[
                each.name[7:-1]].coulomb
        else:
            value = each.value
        assert value == pytest.approx(true, rel=0.02), each
    assert found.calibration.smoothing_speed == 0.01


@pytest.mark.parametrize('correlation', [0.0, 0.95])
def test_intervals_hold_as_often_as_they_say_with_correlated_noise_too(correlation):
    robot = load_urdf(TWO_LINK)
    calibration, pi = true_calibration(robot, seed=5)
    dynamics = calibration.dynamics(robot)
    scores = []
    for seed in range(8):
        motion = motion_of(dynamics, seed, 60.0, 100.0, noise=0.0)
        rng = np.random.default_rng(100 + seed)
        noise = rng.standard_normal(motion.effort.shape)
        for k in range(1, len(noise)):
            noise[k] += correlation * noise[k - 1]
        noise *= SNR * np.sqrt((motion.effort**2).mean(0) / (noise**2).mean(0))
        motion.effort[:] += noise
        found = Identifier(robot, smoothing_speed=0.01).fit([motion])
        scores += [np.concatenate(z_scores(found, calibration, pi))]
    size = np.sqrt((np.array(scores)**2).mean())
    # 8 x 14 scores: 1 +- 0.07 if independent; levels are the largest of several, so a bit below
    assert 0.7 < size < 1.2
    assert (np.abs(scores) < 3.0).mean() > 0.98


@pytest.mark.slow
@pytest.mark.parametrize(('step', 'jitter'), [(1e-3, 0.0), (1e-4, 1e-3)],
                         ids=['coarse positions', 'jittered stamps'])
def test_intervals_hold_for_coarse_positions_and_jittered_stamps(step, jitter, record_property):
    # no velocities recorded; with noise of the efforts alone 4 % and 64 % of the base
    # parameters that were called identified were beyond three sigma
    robot = load_urdf(TWO_LINK)
    calibration, pi = true_calibration(robot, seed=5)
    arm = calibration.dynamics(robot).robot.to_urdf()
    friction = calibration.dynamics(robot).friction
    scores, identified = [], []
    for seed in range(30):
        rng = np.random.default_rng(1000 + seed)
        t, q, qd, qdd = sines(2, 40.0, 100.0, seed, 1.2, 0.7)
        tau = pinocchio_torques(arm, q, qd, qdd) + friction.torque(qd)
        tau += qdd * [joint.rotor_inertia for joint in calibration.joints.values()]
        tau += SNR * np.sqrt((tau**2).mean(0)) * rng.standard_normal(tau.shape)
        stamps = t + jitter * rng.uniform(-1.0, 1.0, t.shape)
        samples = Samples(stamps, step * np.round(q / step), None, tau, True)
        motions = list(Smoother(robot.joint_names).motions([samples]))
        found = Identifier(robot, smoothing_speed=0.01).fit(motions)
        scores.append(np.concatenate(z_scores(found, calibration, pi)))
        identified.append([each.identified for each in (*found.base, *found.friction)])
    scores, identified = np.abs(scores), np.array(identified)
    record_property('figure', f'{(scores[identified] > 3.0).mean():.2%} beyond three sigma')
    assert (scores[identified] < 3.0).mean() > 0.99
    # and they are not wide for nothing
    assert identified.mean() > 0.9 and np.sqrt((scores[identified]**2).mean()) > 0.5


def test_stribeck_and_load_are_found_where_they_are():
    robot = ur5()
    calibration, _ = true_calibration(robot, seed=3, coulomb=3.0, stiction=4.5,
                                      stribeck_speed=0.1, load=0.08)
    motion = motion_of(calibration.dynamics(robot), seed=3, duration=60.0, noise=0.003)
    found = Identifier(robot, stribeck=True, load=True).fit([motion])
    for each in found.friction:
        if each.name.startswith('rise'):
            assert each.value == pytest.approx(1.5, abs=max(4.0 * each.sigma, 0.1)), each
        if each.name.startswith('load') and each.identified:
            assert each.value == pytest.approx(0.08, abs=max(4.0 * each.sigma, 0.01)), each
    assert sum(each.identified for each in found.friction if each.name.startswith('load')) >= 3
    without = Identifier(robot).fit([motion])
    assert (found.noise < without.noise).all()


def test_the_urdf_is_kept_where_data_say_nothing_and_unidentified_parameters_are_listed():
    robot = ur5()
    calibration, _ = true_calibration(robot, seed=4)
    dynamics = calibration.dynamics(robot)
    t, q, qd, qdd = sines(6, 30.0, 100.0, 4)
    q[:, 3:], qd[:, 3:], qdd[:, 3:] = 0.3, 0.0, 0.0       # the wrist stands still
    tau = dynamics.inverse_many(q, qd, qdd)
    rng = np.random.default_rng(4)
    motion = Motion(t, q, qd, qdd, tau + 0.05 * rng.standard_normal(tau.shape))
    found = Identifier(robot).fit([motion])
    unidentified = {each.name for each in found.unidentified}
    for joint in robot.joint_names[3:]:
        assert {f'coulomb({joint})', f'viscous({joint})'} <= unidentified
        assert not {f'coulomb({robot.joint_names[0]})'} & unidentified
    last = found.calibration.bodies['wrist_3_link']
    urdf = inertial_of(Dynamics(robot).inertial_parameters[-10:])
    # gravity still identifies the wrist's first moments, and the inertia follows the mass a little
    np.testing.assert_allclose(np.linalg.eigvalsh(last.inertia),
                               np.linalg.eigvalsh(urdf.inertia), rtol=0.5)


def test_every_body_is_possible_even_when_the_data_ask_for_the_impossible():
    robot = load_urdf(TWO_LINK)
    calibration, _ = true_calibration(robot, seed=6)
    motion = motion_of(calibration.dynamics(robot), 6)
    motion.effort[:, 1] -= 3.0 * motion.qdd[:, 1]          # a negative inertia
    motion.effort[:, 1] -= 2.0 * calibration.dynamics(robot).friction.torque(motion.qd)[:, 1]
    found = Identifier(robot).fit([motion])
    for body in found.calibration.bodies.values():
        S = 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia
        assert body.mass > 0.0 and np.linalg.eigvalsh(S)[0] > 0.0
    for joint in found.calibration.joints.values():
        assert min(joint.coulomb, joint.viscous, joint.rotor_inertia) >= 0.0


@pytest.mark.parametrize('parts', [('friction',), ('rotor', 'friction'), ('inertia',),
                                   ('inertia', 'friction')])
def test_what_is_not_fitted_stays_as_the_robot_has_it(parts):
    robot = load_urdf(TWO_LINK)
    calibration, _ = true_calibration(robot, 7)
    if 'inertia' not in parts:      # the truth differs from the robot only in what is fitted
        calibration = Calibration(robot.name, calibration.joints, {}, smoothing_speed=0.01)
    if 'rotor' not in parts:
        calibration = Calibration(robot.name, {
            name: JointCalibration(each.coulomb, each.viscous, each.offset)
            for name, each in calibration.joints.items()}, calibration.bodies,
            smoothing_speed=0.01)
    if 'friction' not in parts:
        calibration = Calibration(robot.name, {name: JointCalibration() for name in
                                               calibration.joints}, calibration.bodies)
    motion = motion_of(calibration.dynamics(robot), 7, noise=1e-4)
    found = Identifier(robot, parts, smoothing_speed=0.01).fit([motion]).calibration
    assert bool(found.bodies) == ('inertia' in parts)
    for name, joint in found.joints.items():
        assert (joint.rotor_inertia is None) == ('rotor' not in parts)
        if 'friction' in parts:
            assert joint.coulomb == pytest.approx(calibration.joints[name].coulomb, rel=0.01)
        else:
            assert joint.coulomb == joint.viscous == 0.0
    judged = evaluate(found.dynamics(robot), [motion])
    assert (judged.r2 > 0.9999).all()


def test_a_payload_is_weighed_within_its_interval():
    robot = ur5()
    calibration, _ = true_calibration(robot, seed=8)
    inertia = np.diag([0.004, 0.006, 0.005])
    arm = calibration.dynamics(robot)
    loaded = arm.with_payload(2.3, (0.02, -0.05, 0.08), inertia, 'tool0')
    motion = motion_of(loaded, seed=8, top=1.2)
    found = estimate_payload(arm, 'tool0', [motion])
    assert found.inertial.mass == pytest.approx(2.3, abs=found.mass_spread)
    assert found.mass_spread < 0.05
    offsets = np.abs(found.inertial.com - [0.02, -0.05, 0.08])
    assert (offsets < found.centre_spread).all() and found.centre_spread.max() < 0.01
    if found.inertia_identified:
        np.testing.assert_allclose(found.inertial.inertia, inertia, atol=0.003)
    assert 'mass' in found.describe() and np.linalg.eigvalsh(
        pseudo_inertia(parameters_of(np.eye(4))))[0] > 0.0


def test_an_empty_gripper_has_no_identified_payload():
    robot = ur5()
    arm = true_calibration(robot, seed=8)[0].dynamics(robot)
    found = estimate_payload(arm, 'tool0', [motion_of(arm, seed=12)])
    assert found.inertial.mass < found.mass_spread < 0.1
    assert 'no payload identified' in found.describe()


def test_a_payload_on_the_base_is_refused():
    robot = ur5()
    with pytest.raises(InputError, match='no joint feels'):
        estimate_payload(Dynamics(robot), 'base_link', [])


@pytest.mark.parametrize(('change', 'words'), [
    ({'parts': ('mass',)}, "expected some of ['inertia'"), ({'parts': ()}, 'expected some of'),
    ({'prior': 0.0}, 'prior must be positive')])
def test_wrong_wishes_are_refused(change, words):
    robot = load_urdf(TWO_LINK)
    with pytest.raises(InputError) as caught:
        Identifier(robot, **change).fit([motion_of(Dynamics(robot))])
    assert words in str(caught.value)


@pytest.mark.filterwarnings('error::RuntimeWarning')
@pytest.mark.parametrize('parts', [('inertia', 'rotor', 'friction'), ('friction',)])
def test_a_joint_that_neither_moves_nor_feels_torque_leaves_the_others_to_be_fitted(parts):
    # a made recording without noise, such as `kane analyze --bag` writes: 0 N m throughout
    robot = load_urdf(TWO_LINK.replace('<origin xyz="0.15 0 0.02"/>', '<origin xyz="0 0 0"/>'),
                      gravity=(0.0, 0.0, 0.0))
    t = np.arange(0.0, 8.0, 0.01)
    qd = np.column_stack([np.cos(t), np.zeros_like(t)])
    motion = Motion(t, np.column_stack([np.sin(t), np.zeros_like(t)]), qd,
                    np.column_stack([-np.sin(t), np.zeros_like(t)]), 2.5 * qd * [1, 0])
    found = Identifier(robot, parts).fit([motion])
    assert found.calibration.joints['shoulder'].viscous == pytest.approx(2.5, rel=0.02)
    assert np.isfinite([value for body in found.calibration.bodies.values()
                        for value in (body.mass, *body.com)]).all()


def test_too_few_samples_are_refused():
    robot = load_urdf(TWO_LINK)
    with pytest.raises(InputError, match='50 samples are too few'):
        Identifier(robot).fit([motion_of(Dynamics(robot), duration=0.5)])


# -- the real UR10 --------------------------------------------------------------------------------


@pytest.fixture(scope='module')
def ur10():
    """Return the arm and the two halves of its recording."""
    robot = load_urdf(example_urdf('ur10_robot.urdf'))
    motions = list(Smoother(robot.joint_names).motions(
        JointStates(real_bag('ur10'), robot.joint_names)))
    return (robot, *([each.between(*span) for each in motions]
                     for span in ((0.0, 13.76), (13.76, 99.0))))


def test_the_ur10_is_known_from_half_a_recording(ur10):
    robot, first, second = ur10
    found = Identifier(robot).fit(first)
    judged = evaluate(found.calibration.dynamics(robot), second)
    assert (judged.r2[:3] >= 0.95).all() and (judged.r2[3:] >= 0.85).all()
    for body in found.calibration.bodies.values():
        S = 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia
        assert body.mass > 0.0 and np.linalg.eigvalsh(S)[0] > 0.0


def test_a_full_identification_beats_friction_alone_on_unseen_data(ur10):
    robot, first, second = ur10
    rmse = {}
    for parts in (('friction',), ('inertia', 'rotor', 'friction')):
        found = Identifier(robot, parts).fit(first)
        rmse[len(parts)] = evaluate(found.calibration.dynamics(robot), second).rmse
    assert (rmse[3] <= rmse[1]).all()
    assert rmse[3].sum() < 0.85 * rmse[1].sum()


# -- the command ----------------------------------------------------------------------------------


def same_torques(calibration, robot, loaded):
    """Check that a loaded URDF has the torques of a calibration without offsets, to round-off."""
    expected = replace(calibration, joints={name: replace(row, offset=0.0) for name, row in
                                            calibration.joints.items()}).dynamics(robot)
    dynamics = Dynamics(loaded, Friction.of(
        loaded, smoothing_speed=calibration.smoothing_speed))
    assert dynamics.robot.joint_names == expected.robot.joint_names
    state = np.random.default_rng(4).uniform(-1.0, 1.0, (3, 50, expected.robot.n_joints))
    tau = expected.inverse_many(*state)
    np.testing.assert_allclose(dynamics.inverse_many(*state), tau, rtol=0.0,
                               atol=1e-12 * abs(tau).max())


def test_a_calibrated_urdf_keeps_the_file_and_fixes_locked_joints():
    path = Path(example_urdf('panda.urdf'))
    robot = load_urdf(path)
    calibration, _ = true_calibration(lock_joints(robot, {'panda_finger_joint1': 0.02}), 3)
    calibration = replace(calibration, locked={'panda_finger_joint1': 0.02}, smoothing_speed=0.03)
    text, missing = calibrated_urdf(calibration, robot, path.read_text())
    loaded = load_urdf(text)
    same_torques(calibration, robot, loaded)
    assert loaded.joint('panda_finger_joint2').kind == 'fixed' and 'offsets' in missing[0]
    assert text.count('<collision') == path.read_text().count('<collision') > 0
    assert [len(link.visuals) for link in loaded.links] == [
        len(link.visuals) for link in robot.links]
    stripped, _ = calibrated_urdf(calibration, robot)
    same_torques(calibration, robot, load_urdf(stripped))


@pytest.fixture
def two_link_bag(tmp_path):
    """Return the folder with a URDF, a bag and the calibration that is in it."""
    (tmp_path / 'arm.urdf').write_text(TWO_LINK)
    robot = load_urdf(TWO_LINK)
    calibration, _ = true_calibration(robot, 9)
    motion = motion_of(calibration.dynamics(robot), 9, duration=40.0)
    record(tmp_path / 'bag', robot.joint_names, motion.t, motion.q, motion.qd, motion.effort)
    return tmp_path, calibration


def test_the_command_writes_a_file_that_evaluate_uses(two_link_bag, capsys, monkeypatch):
    folder, calibration = two_link_bag
    monkeypatch.chdir(folder)
    assert main(['identify', 'bag', '--urdf', 'arm.urdf', '--urdf-out', 'out.urdf']) == 0
    text = capsys.readouterr().out
    first = re.match(r'GOOD: RMSE on unseen data (\S+) N m instead of (\S+) N m \(sum of 2 '
                     r'joints\); (\d+) of (\d+) base parameters are identifiable\.\n', text)
    assert float(first[1]) < 0.1 * float(first[2]) and 0 < int(first[3]) <= int(first[4])
    assert 'Next: kane evaluate bag --urdf arm.urdf --calibration arm.dynamics.yaml' in text
    page = Path('arm.html').read_text()
    assert '>GOOD</div>' in page and page.count('<circle ') == 2 * 3 + int(first[4])
    assert all(f'elbow: {word}' in page for word in ('effort', 'error'))
    for word in ('coulomb', 'base parameters', 'condition number', 'not used for the fit',
                 'written: arm.dynamics.yaml', 'half power'):
        assert word in text
    found = load_calibration('arm.dynamics.yaml')
    assert 'not in it: offsets of the efforts, the smoothing of Coulomb friction' in text
    same_torques(found, load_urdf(TWO_LINK), load_urdf('out.urdf'))
    for name, joint in found.joints.items():
        assert joint.coulomb == pytest.approx(calibration.joints[name].coulomb, rel=0.05)
    assert main(['evaluate', 'bag', '--urdf', 'arm.urdf', '--calibration', 'arm.dynamics.yaml',
                 '--no-bag', '--no-page']) == 0
    assert capsys.readouterr().out.count(' 0.99') >= 2       # R2 of a noise of 30 dB
    assert main(['identify', 'bag', '--urdf', 'arm.urdf']) == 2
    assert 'exists already' in capsys.readouterr().err
    assert main(['identify', 'bag', 'bag', '--urdf', 'arm.urdf', '--force', '--fit', 'friction',
                 '--split', '1']) == 0
    assert not load_calibration('arm.dynamics.yaml').bodies


def test_efforts_that_no_arm_gives_are_refused_in_words():
    robot = load_urdf(SIX_AXIS)
    t, *motion = sines(6, 8.0, 250.0)
    tau = Dynamics(robot).inverse_many(*motion)
    with pytest.raises(InputError, match='sign, their units and the URDF'):
        Identifier(robot).fit([Motion(t, *motion, -tau)])


def test_the_urdf_of_another_arm_is_warned_of(two_link_bag, capsys, monkeypatch):
    folder, _ = two_link_bag
    monkeypatch.chdir(folder)
    heavy = TWO_LINK.replace('mass value="3"', 'mass value="300"').replace(
        'mass value="2"', 'mass value="200"')
    (folder / 'heavy.urdf').write_text(heavy)
    assert main(['identify', 'bag', '--urdf', 'heavy.urdf']) == 0
    assert 'warning: shoulder, elbow: the model is worse than none' in capsys.readouterr().err
    assert main(['identify', 'bag', '--urdf', 'arm.urdf']) == 0
    assert not capsys.readouterr().err


def test_the_command_weighs_a_payload(two_link_bag, capsys, monkeypatch):
    folder, calibration = two_link_bag
    monkeypatch.chdir(folder)
    calibration.save('arm.dynamics.yaml')
    robot = load_urdf(TWO_LINK)
    loaded = calibration.dynamics(robot).with_payload(1.2, (0.3, 0.0, 0.05))
    motion = motion_of(loaded, 10)
    record(folder / 'loaded', robot.joint_names, motion.t, motion.q, motion.qd, motion.effort)
    assert main(['identify', 'loaded', '--urdf', 'arm.urdf', '--calibration',
                 'arm.dynamics.yaml', '--payload', 'lower']) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if 'mass' in line)
    mass, spread = float(line.split()[1]), float(line.split()[3])
    assert mass == pytest.approx(1.2, abs=spread) and spread < 0.2


@pytest.mark.parametrize(('arguments', 'words'), [
    (['--fit', 'mass'], 'expected some of'), (['--split', '0'], '--split must be'),
    (['--payload', 'hand'], "no link 'hand'"), (['--from', '1000'], 'no samples to fit')])
def test_wrong_options_of_the_command_are_refused(two_link_bag, capsys, monkeypatch, arguments,
                                                  words):
    monkeypatch.chdir(two_link_bag[0])
    assert main(['identify', 'bag', '--urdf', 'arm.urdf', *arguments]) == 2
    assert words in capsys.readouterr().err
    assert not (two_link_bag[0] / 'arm.dynamics.yaml').exists()
