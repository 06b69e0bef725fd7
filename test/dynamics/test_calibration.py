# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The calibration file: written, read back, applied, and refused line by line."""

from pathlib import Path
import re

from example_robots import example_urdf
import numpy as np
import pytest

from kane_dynamics.dynamics.calibration import Calibration, JointCalibration, load_calibration
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.locking import lock_joints
from kane_dynamics.model.structure.links_and_joints import Inertial
from kane_dynamics.model.urdf_reader import load_urdf
from kane_dynamics.recorded.identify.pseudo_inertia import (
    inertial_of, moved_parameters, parameters_of, pseudo_inertia)

RNG = np.random.default_rng(3)
SIX_AXIS = Path(__file__).resolve().parents[2] / 'urdf' / 'six_axis.urdf'


def panda():
    return load_urdf(example_urdf('panda.urdf'))


def bodies_of(dynamics):
    return {link: inertial_of(pi) for link, pi in zip(
        dynamics.body_links, dynamics.inertial_parameters.reshape(-1, 10))}


def calibration_of(robot, **changes):
    joints = {name: JointCalibration(
        coulomb=1.0 + k, viscous=0.1 * k, offset=-0.3 * k, stiction=2.0 + k, stribeck_speed=0.05,
        load=0.01 * k, rotor_inertia=0.2 + 0.1 * k) for k, name in enumerate(robot.joint_names)}
    return Calibration(**{'robot': robot.name, 'joints': joints, 'smoothing_speed': 0.02,
                          'bodies': bodies_of(Dynamics(robot)), **changes})


def states(n, count=20):
    return [RNG.uniform(-2, 2, (count, n)) for _ in range(3)]


def test_a_file_is_read_back_to_the_last_bit(tmp_path):
    robot = lock_joints(panda(), {'panda_finger_joint1': 0.02})
    first = calibration_of(robot, locked={'panda_finger_joint1': 0.02},
                           facts={'note': 'a "quoted" text\n: # with more', 'numbers': [1, 2e-9]})
    first.save(tmp_path / 'panda.dynamics.yaml')
    second = load_calibration(tmp_path / 'panda.dynamics.yaml')
    assert (second.robot, second.joints, second.locked, second.smoothing_speed) == (
        first.robot, first.joints, first.locked, first.smoothing_speed)
    for link, body in first.bodies.items():
        other = second.bodies[link]
        assert body.mass == other.mass and (body.com == other.com).all()
        assert (body.inertia == other.inertia).all()


def test_calibrated_torques_are_those_of_inertias_rotors_and_friction_put_in_by_hand():
    robot = load_urdf(example_urdf('ur5_robot.urdf'))
    q, v, a = states(6)
    rigid = Dynamics(robot).inverse_many(q, v, a)
    rotors = 0.2 + 0.1 * np.arange(6)
    k = np.arange(6)
    friction = Friction(0.1 * k, 1.0 + k, 2.0 + k, 0.05, 0.02, -0.3 * k, 0.01 * k)
    load = rigid + rotors * a
    found = calibration_of(robot).dynamics(robot).inverse_many(q, v, a)
    # the load's |t| is rounded within 1e-6 N m
    np.testing.assert_allclose(found, load + friction.torque(v, load), rtol=1e-9, atol=1e-6)


def test_bodies_count_once_whatever_is_fixed_to_them():
    robot = panda()
    heavier = {link: Inertial(2.0 * body.mass, body.com, 2.0 * body.inertia)
               for link, body in bodies_of(Dynamics(robot)).items()}
    double = Calibration(robot.name, {name: JointCalibration() for name in robot.joint_names},
                         bodies=heavier).apply(robot)
    q, v, a = states(robot.nv)
    np.testing.assert_allclose(Dynamics(double).inverse_many(q, v, a),
                               2.0 * Dynamics(robot).inverse_many(q, v, a), rtol=1e-9, atol=1e-9)


def test_locked_joints_give_the_torques_of_joints_that_stand_still():
    robot = panda()
    locked = lock_joints(robot, {'panda_finger_joint1': 0.03, 'panda_joint4': -1.0})
    assert locked.joint_names == tuple(f'panda_joint{k}' for k in (1, 2, 3, 5, 6, 7))
    q, v, a = np.zeros((3, 20, robot.nv))
    active = [0, 1, 2, 4, 5, 6]
    parts = states(6)
    for full, part in zip((q, v, a), parts):
        full[:, active] = part
    q[:, 3], q[:, 7] = -1.0, 0.03
    np.testing.assert_allclose(Dynamics(locked).inverse_many(*parts),
                               Dynamics(robot).inverse_many(q, v, a)[:, active], atol=1e-9)


def sprung_arm():
    """Return six_axis.urdf with springs in two of its joints."""
    return bending_arm('<flexible_joint reference="joint_2" stiffness="5000" damping="2" '
                       'motor_inertia="0.3"/><flexible_joint reference="joint_4" '
                       'stiffness="900" motor_inertia="0.1"/>')


def test_locked_flexible_joint_keeps_its_spring_behind_a_motor_that_stands_still():
    robot, value = sprung_arm(), 0.7
    locked = lock_joints(robot, {'joint_2': value})
    assert locked.mode_names == robot.mode_names == ('joint_2/deflection', 'joint_4/deflection')
    q, v, a = np.zeros((3, 20, robot.nv))
    active = [0, 2, 3, 4, 5, 6, 7]
    parts = states(locked.nv)
    for full, part in zip((q, v, a), parts):
        full[:, active] = part
    q[:, 1] = value
    tau = Dynamics(robot).inverse_many(q, v, a)[:, active]
    np.testing.assert_allclose(Dynamics(locked).inverse_many(*parts), tau,
                               rtol=0, atol=1e-13 * abs(tau).max())
    np.testing.assert_allclose(Dynamics(locked).forward_many(parts[0], parts[1], tau), parts[2],
                               rtol=0, atol=1e-9 * abs(parts[2]).max())


def test_locked_flexible_joint_is_a_fixed_joint_with_a_spring_in_the_urdf():
    # six_axis.urdf with joint_2 rewritten by hand: turned by 0.7 rad about y in its parent
    text = SIX_AXIS.read_text()
    start = text.index('<joint name="joint_2"')
    end = text.index('</joint>', start)
    joint = text[start:end]
    assert '<axis xyz="0 1 0"/>' in joint and 'rpy' not in joint
    fixed = re.sub(r'<origin xyz="([^"]*)"/>', r'<origin xyz="\1" rpy="0 0.7 0"/>',
                   joint.replace('type="revolute"', 'type="fixed"'))
    written = load_urdf((text[:start] + fixed + text[end:]).replace(
        '</robot>', '<flexible_joint reference="joint_2" stiffness="5000" damping="2" '
        'type="revolute" axis="0 1 0"/></robot>'))
    locked = lock_joints(bending_arm('<flexible_joint reference="joint_2" stiffness="5000" '
                                     'damping="2" motor_inertia="0.3"/>'), {'joint_2': 0.7})
    assert written.mode_names == locked.mode_names == ('joint_2/deflection',)
    state = states(locked.nv)
    tau = Dynamics(written).inverse_many(*state)
    np.testing.assert_allclose(Dynamics(locked).inverse_many(*state), tau, rtol=0,
                               atol=1e-13 * abs(tau).max())


def test_calibrated_body_across_the_spring_of_a_locked_joint_is_refused():
    robot = lock_joints(sprung_arm(), {'joint_4': 0.1})
    link = robot.joint('joint_4').parent
    heavy = Calibration(robot.name, {name: JointCalibration() for name in robot.joint_names},
                        bodies={link: robot.link(link).inertial})
    with pytest.raises(InputError, match="the spring of 'joint_4' carries.*leave the body out"):
        heavy.apply(robot)
    assert heavy.apply(robot.rigid()).n_modes == 0


def test_a_joint_that_does_not_exist_or_nowhere_cannot_be_locked():
    with pytest.raises(InputError, match="'finger'"):
        lock_joints(panda(), {'finger': 0.0})
    with pytest.raises(InputError, match='nan'):
        lock_joints(panda(), {'panda_joint1': float('nan')})


def test_a_calibration_without_a_joint_of_the_arm_is_refused_by_name():
    robot = panda()
    with pytest.raises(InputError, match="'panda_finger_joint1' of 'panda' is missing"):
        Calibration('panda', {name: JointCalibration() for name in robot.joint_names[:7]}
                    ).dynamics(robot)


def test_a_body_that_no_joint_moves_is_refused_with_those_that_are():
    robot = panda()
    body = bodies_of(Dynamics(robot))['panda_link1']
    with pytest.raises(InputError, match="'panda_hand' is no link that a joint"):
        calibration_of(robot, bodies={'panda_hand': body}).apply(robot)


def test_pseudo_inertia_is_positive_definite_and_comes_back_from_point_masses():
    for _ in range(20):
        r, m = RNG.normal(size=(5, 3)), RNG.uniform(0.1, 2.0, 5)
        homogeneous = np.hstack([r, np.ones((5, 1))])
        J = np.einsum('i,ij,ik->jk', m, homogeneous, homogeneous)
        pi = parameters_of(J)
        np.testing.assert_allclose(pseudo_inertia(pi), J, atol=1e-12)
        assert np.linalg.eigvalsh(J)[0] > 0.0
        body = inertial_of(pi)
        centre = m @ r / m.sum()
        about = r - centre
        np.testing.assert_allclose(body.com, centre)
        np.testing.assert_allclose(body.inertia, sum(
            mass * (p @ p * np.eye(3) - np.outer(p, p)) for mass, p in zip(m, about)), atol=1e-12)
        R, _ = np.linalg.qr(RNG.normal(size=(3, 3)))
        R *= np.linalg.det(R)
        p = RNG.normal(size=3)
        there = np.hstack([r @ R.T + p, np.ones((5, 1))])
        np.testing.assert_allclose(pseudo_inertia(moved_parameters(pi, R, p)), np.einsum(
            'i,ij,ik->jk', m, there, there), atol=1e-12)


GOOD = """format: kane_dynamics calibration 1
robot: arm
joints:
  elbow: {coulomb: 1.0, viscous: 2}
bodies:
  arm:
    mass: 1.0
    centre: [0, 0, 0]
    inertia: {xx: 1, xy: 0, xz: 0, yy: 1, yz: 0, zz: 1}
"""


def test_the_good_file_of_the_next_test_is_good(tmp_path):
    (tmp_path / 'x.yaml').write_text(GOOD)
    assert load_calibration(tmp_path / 'x.yaml').joints['elbow'].viscous == 2.0


@pytest.mark.parametrize(('old', 'new', 'words'), [
    ('calibration 1', 'calibration 2', ':1: format: expected'),
    ('robot: arm', 'robot:', ':2: robot: expected a text'),
    ('viscous: 2', 'viscous: -2', ':4: joints.elbow.viscous: expected at least 0, got -2'),
    ('viscous: 2', 'viscous: yes', ":4: joints.elbow.viscous: 'yes'"),
    ('viscous: 2', 'viscous: 2 kg', ":4: joints.elbow.viscous: '2 kg'"),
    ('viscous: 2', 'viscous: .nan', ":4: joints.elbow.viscous: '.nan'"),
    ('viscous: 2', 'viscous: 1e999', ':4: joints.elbow.viscous: expected a finite number'),
    ('viscous: 2', 'viscous: [2]', ':4: joints.elbow.viscous: expected a number, got a list'),
    ('viscous: 2', 'stickiness: 2', ":4: joints.elbow: unknown name 'stickiness'"),
    ('viscous: 2', 'coulomb: 2', ":4: joints.elbow: 'coulomb' is given a second time"),
    ('viscous: 2', 'load: 1.5', ':4: joints.elbow.load: expected at most 0.99, got 1.5'),
    ('{coulomb: 1.0, viscous: 2}', '7', ':4: joints.elbow: expected names with values'),
    ('  elbow: {coulomb: 1.0, viscous: 2}', '  {}', ':4: joints: names no joint'),
    ('joints:', 'joint:', ":3: unknown name 'joint'; did you mean 'joints'?"),
    ('mass: 1.0', 'mass: 0.0', ':7: bodies.arm.mass: expected more than 0'),
    ('    mass: 1.0\n', '', ':7: bodies.arm: mass missing'),
    ('[0, 0, 0]', '[0, 0]',
     ':8: bodies.arm.centre: expected 3 numbers, got 2'),
    ('[0, 0, 0]', '[0, 1e29, 0]', ': bodies.arm: mass centre: expected finite numbers up to'),
    ('[0, 0, 0]', '[0, x, 0]', ":8: bodies.arm.centre[2]: 'x'"),
    ('zz: 1}', 'zz: 3}', ':9: bodies.arm.inertia: no body has this inertia'),
    ('robot: arm', 'robot: &a arm', None),
    ('robot: arm', 'robot: &a arm\nfacts: {b: *a}', None),
    ('robot: arm', 'robot: [', 'is not YAML'),
    ('robot: arm', 'robot: !!python/object/apply:os.getcwd []', ':2: robot: expected a text'),
])
def test_every_odd_value_is_refused_with_its_line(tmp_path, old, new, words):
    assert old in GOOD
    path = tmp_path / 'x.yaml'
    path.write_text(GOOD.replace(old, new, 1))
    if words is None:
        assert load_calibration(path).robot == 'arm'
        return
    with pytest.raises(InputError) as caught:
        load_calibration(path)
    assert words in str(caught.value) and 'x.yaml' in str(caught.value)


@pytest.mark.parametrize(('data', 'words'), [
    (b'', 'is empty'), (b'\xff\xfe\x00', 'not UTF-8'), (b'a: ' + b'x' * 4_000_001, 'the limit'),
    (b'[' * 5000, 'more than 20 levels of nested')])
def test_what_is_no_such_file_at_all_is_refused(tmp_path, data, words):
    (tmp_path / 'x.yaml').write_bytes(data)
    with pytest.raises(InputError, match=words):
        load_calibration(tmp_path / 'x.yaml')
    with pytest.raises(InputError, match='cannot be read'):
        load_calibration(tmp_path / 'absent.yaml')


def bending_arm(extension):
    """Return six_axis.urdf with an element for flexible links or joints."""
    return load_urdf(SIX_AXIS.read_text().replace('</robot>', f'{extension}</robot>'))


def test_what_was_measured_as_rigid_is_refused_for_flexible_links():
    robot = load_urdf(Path(__file__).resolve().parents[2] / 'urdf' / 'flexible_six_axis.urdf')
    joints = calibration_of(robot.rigid()).joints
    whole = calibration_of(robot.rigid())
    with pytest.raises(InputError, match="'upper_arm' .* flexible: .* leave the body out"):
        whole.apply(robot)
    assert whole.apply(robot.rigid()).n_modes == 0
    # rotors, friction and the wrist beyond the beams are those of a rigid arm
    heavy = Inertial(3.0, (0.0, 0.0, 0.03), np.diag([2e-3, 2e-3, 1e-3]))
    applied = Calibration(robot.name, joints, {'flange': heavy}).apply(robot)
    assert applied.n_modes == robot.n_modes and applied.link('flange').inertial.mass == 3.0
    sprung = bending_arm('<flexible_joint reference="joint_2" stiffness="5000" '
                         'motor_inertia="0.3"/>')
    with pytest.raises(InputError, match="'joint_2' .* motor_inertia is its rotor"):
        Calibration(sprung.name, joints).apply(sprung)
    joints = {**joints, 'joint_2': JointCalibration(coulomb=1.0)}
    assert Calibration(sprung.name, joints).apply(sprung).flexible_joints
