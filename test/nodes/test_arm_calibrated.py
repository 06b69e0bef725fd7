# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes with a calibration file of `kane identify`."""

from example_robots import example_urdf
import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed: nodes cannot be started')

from ros_graph import FeedforwardRig, ROOT  # noqa: E402
from simulator_rig import SimulatorRig  # noqa: E402

import kane_dynamics as kd  # noqa: E402
from kane_dynamics.dynamics.calibration import Calibration, JointCalibration  # noqa: E402
from kane_dynamics.nodes.feedforward.arm_setup import FeedforwardSetup  # noqa: E402
from kane_dynamics.nodes.feedforward.settings import FeedforwardSettings, SCHEMA  # noqa: E402

URDF = example_urdf('ur5_robot.urdf')
BENDING = ROOT / 'urdf' / 'flexible_six_axis.urdf'
POSE = np.array([0.1, -1.0, 1.2, -0.3, 0.8, 0.4])


def measured(robot, link='forearm_link', times=2.0, **changes):
    """Return a Calibration with a heavier link and friction on every joint."""
    joints = {name: JointCalibration(**{'coulomb': 2.0 + k, 'viscous': 1.0 + k, 'offset': 0.3,
                                        'load': 0.05, 'rotor_inertia': 0.2, **changes})
              for k, name in enumerate(robot.joint_names)}
    body = robot.link(link).inertial
    heavier = kd.Inertial(times * body.mass, body.com, times * body.inertia)
    return Calibration(robot.name, joints, {link: heavier}, smoothing_speed=0.02)


def test_torques_of_the_feedforward_model_are_those_of_the_calibration():
    robot = kd.load_urdf(URDF)
    calibration = measured(robot)
    arm = calibration.apply(robot)
    model = FeedforwardSetup(arm, FeedforwardSettings(), calibration).torque_model(
        kd.Dynamics(arm, parametric=True))
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, 20, 6))
    # |t| of the load is rounded within 1e-6 N m in one of the two
    np.testing.assert_allclose(model.evaluate_many(q, qd, qdd),
                               calibration.dynamics(robot).inverse_many(q, qd, qdd), atol=1e-6)


def test_a_parameter_stands_in_for_what_was_measured():
    robot = kd.load_urdf(URDF)
    calibration = measured(robot, load=0.0)
    arm = calibration.apply(robot)
    settings = SCHEMA.read({'friction.coulomb': [7.0]})
    friction = FeedforwardSetup(arm, settings, calibration).friction()
    assert (friction.coulomb == 7.0).all() and friction.viscous[2] == 3.0
    assert (friction.offset == 0.3).all() and friction.smoothing_speed == 0.02


def holding(urdf, joint_names, calibration, folder):
    """Return the torque (n,) and the log of the feedforward node that holds an arm at POSE."""
    path = folder / 'arm.dynamics.yaml'
    calibration.save(path)
    with FeedforwardRig(joint_names, {
            'robot_description_file': str(urdf), 'ramp_time': 0.0, 'trigger': 'joint_states',
            'mode': 'gravity', 'state_timeout': 5.0, 'clock_jump_threshold': 10.0,
            'limits.effort': [1000.0], 'calibration_file': str(path)}) as rig:
        rig.step(POSE)
        return rig.step(POSE), rig.process.log


@pytest.mark.ros
def test_the_feedforward_node_holds_the_arm_that_was_measured(tmp_path):
    robot = kd.load_urdf(URDF)
    calibration = measured(robot)
    torque, log = holding(URDF, robot.joint_names, calibration, tmp_path)
    assert 'Pinocchio' in log       # compared as the URDF has it
    expected = kd.Dynamics(calibration.apply(robot)).gravity(POSE)
    np.testing.assert_allclose(torque, expected + 0.3, atol=1e-9)      # and the offset
    assert np.abs(expected - kd.Dynamics(robot).gravity(POSE)).max() > 1.0


@pytest.mark.ros
def test_the_simulator_moves_the_arm_that_was_measured(tmp_path):
    robot = kd.load_urdf(URDF)
    calibration = measured(robot)
    calibration.save(tmp_path / 'ur5.dynamics.yaml')
    hold = kd.Dynamics(calibration.apply(robot)).gravity(POSE)
    with SimulatorRig(robot, {'lock_step': True, 'update_rate': 200.0,
                              'initial_positions': POSE.tolist(), 'friction': 'none',
                              'calibration_file': str(tmp_path / 'ur5.dynamics.yaml')}) as rig:
        for k in range(20):
            rig.command(hold)
            rig.wait_for_stamp(1_000_000_000 + (k + 1) * 5_000_000)
        moved = np.abs(np.array(rig.states[-1].position) - POSE).max()
    # the torque that holds the measured arm holds this one: 0.1 s of round-off
    assert moved < 1e-6


# -- an arm that bends ----------------------------------------------------------------------------


def measured_bending():
    """Return flexible_six_axis and a Calibration of it: friction, rotors, a heavier flange."""
    robot = kd.load_urdf(BENDING)
    return robot, measured(robot, 'flange', 10.0, load=0.0)


def sagging(robot):
    """Return q (nq,) at POSE and the torques (6,) that hold it, by Newton's method."""
    dynamics = kd.Dynamics(robot)
    q = kd.static_sag(dynamics, POSE)
    return q, dynamics.gravity(q)[:6]


def test_torques_of_a_bending_arm_have_its_measured_rotors_and_friction_on_top():
    robot, calibration = measured_bending()
    arm = calibration.apply(robot)
    model = FeedforwardSetup(arm, FeedforwardSettings(), calibration).torque_model(
        kd.Dynamics(arm, parametric=True))
    # the joints are led: how the links bend does not depend on rotors and friction
    bare = robot.with_inertial('flange', calibration.bodies['flange'])
    smooth = SCHEMA.read({'friction.viscous': [0.0], 'friction.coulomb': [0.0]})
    reference = FeedforwardSetup(bare, smooth).torque_model(kd.Dynamics(bare, parametric=True))
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.uniform(-1, 1, (3, 10, 6))
    k = np.arange(6)
    friction = (1.0 + k) * qd + (2.0 + k) * qd / np.sqrt(qd**2 + 0.02**2) + 0.3
    armature = np.array([robot.joint(name).armature for name in robot.joint_names])
    np.testing.assert_allclose(
        model.evaluate_many(q, qd, qdd),
        reference.evaluate_many(q, qd, qdd) + (0.2 - armature) * qdd + friction, atol=1e-9)


@pytest.mark.ros
def test_the_feedforward_node_holds_the_bending_arm_that_was_measured(tmp_path):
    robot, calibration = measured_bending()
    torque, _ = holding(BENDING, robot.joint_names, calibration, tmp_path)
    _, expected = sagging(calibration.apply(robot))
    np.testing.assert_allclose(torque, expected + 0.3, atol=1e-9)
    assert np.abs(expected - sagging(robot)[1]).max() > 1.0


@pytest.mark.ros
def test_the_simulator_moves_the_bending_arm_that_was_measured(tmp_path):
    robot, calibration = measured_bending()
    calibration.save(tmp_path / 'arm.dynamics.yaml')
    _, hold = sagging(calibration.apply(robot))
    with SimulatorRig(robot, {'lock_step': True, 'update_rate': 200.0,
                              'initial_positions': POSE.tolist(), 'friction': 'none',
                              'calibration_file': str(tmp_path / 'arm.dynamics.yaml')}) as rig:
        for k in range(20):
            rig.command(hold)
            rig.wait_for_stamp(1_000_000_000 + (k + 1) * 5_000_000)
        moved = np.abs(np.array(rig.states[-1].position) - POSE).max()
    assert moved < 1e-6         # 0.1 s of round-off, from the measured arm's own sag


@pytest.mark.ros
def test_bodies_that_bend_are_refused_unless_the_arm_is_taken_as_rigid(tmp_path):
    robot = kd.load_urdf(BENDING)
    measured(robot, 'forearm').save(tmp_path / 'arm.dynamics.yaml')
    parameters = {'robot_description_file': str(BENDING), 'model_check.samples': 0,
                  'mode': 'gravity', 'ramp_time': 0.0, 'trigger': 'joint_states',
                  'limits.effort': [1000.0], 'autostart': False,
                  'calibration_file': str(tmp_path / 'arm.dynamics.yaml')}
    with FeedforwardRig(robot.joint_names, parameters, active=False) as rig:
        assert not rig.peer.change_state(rig.node, 'configure')
        rig.process.wait_for_log("the body 'forearm' holds the link 'forearm'")
        assert rig.peer.set_parameters(rig.node, elastic='rigid')[0].successful
        assert rig.peer.change_state(rig.node, 'configure')
