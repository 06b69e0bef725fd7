# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics: a configuration where there is one, else the distance of the nearest."""

from pathlib import Path

from example_robots import example_urdf
from kinematics import link_poses
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.task.direction import Pointing
from kane_dynamics.task.inverse_kinematics import inverse_kinematics, NotReachedError

URDF = Path(__file__).resolve().parents[2] / 'urdf'


@pytest.fixture(scope='module')
def arm():
    return kd.Dynamics(kd.load_urdf(URDF / 'six_axis.urdf'))


def within(robot, rng):
    low, high = np.maximum(robot.limits.lower, -3), np.minimum(robot.limits.upper, 3)
    return low + (high - low) * rng.uniform(0.05, 0.95, robot.n_joints)


@pytest.mark.parametrize('seed', range(10))
def test_a_configuration_is_found_again_from_one_nearby(arm, seed):
    rng = np.random.default_rng(seed)
    q = within(arm.robot, rng)
    q[4] = np.copysign(max(abs(q[4]), 0.3), q[4])      # away from the wrist's singularity
    q[2] = min(q[2], 0.9)                              # and the elbow's, stretched at 1.22
    R, p = link_poses(arm.robot, q)['tool0']
    found = inverse_kinematics(arm, 'tool0', p, R, np.clip(
        q + rng.uniform(-0.1, 0.1, 6), arm.robot.limits.lower, arm.robot.limits.upper))
    R_found, p_found = link_poses(arm.robot, found)['tool0']
    np.testing.assert_allclose(p_found, p, rtol=0, atol=1e-11)
    np.testing.assert_allclose(R_found, R, rtol=0, atol=1e-11)


@pytest.mark.parametrize(('name', 'tip'), [
    ('ur5_robot.urdf', 'tool0'), ('panda.urdf', 'panda_hand'), ('six_axis.urdf', 'tool0')])
def test_reachable_poses_are_found_without_q0_and_within_limits(name, tip):
    path = URDF / name if name == 'six_axis.urdf' else example_urdf(name)
    arm = kd.Dynamics(kd.load_urdf(path))
    rng = np.random.default_rng(11)
    for _ in range(10):
        R, p = link_poses(arm.robot, within(arm.robot, rng))[tip]
        q = inverse_kinematics(arm, tip, p, R)
        assert (q >= arm.robot.limits.lower).all() and (q <= arm.robot.limits.upper).all()
        np.testing.assert_allclose(link_poses(arm.robot, q)[tip][1], p, rtol=0, atol=1e-8)
        np.testing.assert_allclose(link_poses(arm.robot, q)[tip][0], R, rtol=0, atol=1e-8)
        np.testing.assert_array_equal(q, inverse_kinematics(arm, tip, p, R))     # and again


def test_a_position_alone_and_a_direction_can_be_given(arm):
    q0 = np.array([0.3, 0.4, 0.2, 0.3, 0.7, -0.2])
    position = (0.4, -0.2, 0.5)
    q = inverse_kinematics(arm, 'tool0', position, q0=q0)
    np.testing.assert_allclose(link_poses(arm.robot, q)['tool0'][1], position, atol=1e-11)
    q = inverse_kinematics(arm, 'tool0', position, Pointing((0, 0, -1)), q0)
    R, p = link_poses(arm.robot, q)['tool0']
    np.testing.assert_allclose(p, position, atol=1e-11)
    np.testing.assert_allclose(R[:, 2], (0, 0, -1), atol=1e-11)
    tip = (0.0, 0.05, 0.1)
    q = inverse_kinematics(arm, 'tool0', position, (np.pi, 0, 0), q0, point=tip)
    R, p = link_poses(arm.robot, q)['tool0']
    np.testing.assert_allclose(p + R @ tip, position, atol=1e-11)


def test_a_position_out_of_reach_is_refused_with_the_nearest_configuration():
    arm = kd.Dynamics(kd.load_urdf(URDF / 'two_link.urdf'))
    with pytest.raises(NotReachedError, match='nearest .* 0.1 m away') as caught:
        inverse_kinematics(arm, 'tool0', (0.6, 0, 0.8), q0=(0.5, 0.5))
    # stretched towards it: 0.9 m long, 1 m asked for
    np.testing.assert_allclose(caught.value.nearest, [np.arctan2(0.8, 0.6), 0.0], atol=1e-4)
    with pytest.raises(NotReachedError, match='m away'):
        inverse_kinematics(arm, 'tool0', (0.6, 0, 0.8), tries=3)


def test_a_position_behind_a_joint_limit_is_not_reached_unless_limits_are_off(arm):
    q = np.array([3.05, 0.4, 0.2, 0.3, 0.7, -0.2])         # joint 1 ends at 2.967
    R, p = link_poses(arm.robot, q)['tool0']
    start = q - [0.2, 0, 0, 0, 0, 0]
    with pytest.raises(NotReachedError, match='joint_1 at its limit 2.967'):
        inverse_kinematics(arm, 'tool0', p, R, start)
    np.testing.assert_allclose(inverse_kinematics(arm, 'tool0', p, R, start, limits=False), q,
                               atol=1e-10)


@pytest.mark.parametrize(('change', 'word'), [
    ({'q0': (0, 0)}, '6 finite numbers'), ({'q0': 'home'}, '6 finite numbers'),
    ({'q0': (9, 0, 0, 0, 0, 0)}, "'joint_1' is 9"), ({'frame': 'tip'}, 'tool0'),
    ({'position': (1, 2)}, 'three finite numbers'), ({'orientation': (1, 2)}, 'rotation matrix')])
def test_wrong_arguments_are_refused_with_the_reason(arm, change, word):
    arguments = {'frame': 'tool0', 'position': (0.4, 0, 0.5), 'q0': np.zeros(6), **change}
    with pytest.raises(kd.InputError, match=word):
        inverse_kinematics(arm, **arguments)
