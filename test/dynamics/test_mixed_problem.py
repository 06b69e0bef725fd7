# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The mixed problem: motion given at some joints, torque at the others."""

from itertools import combinations

import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.dynamics.oracle.cross_check import pinocchio_arm

ROBOT = kd.load_urdf('urdf/six_axis.urdf')
NAMES = ROBOT.joint_names


def test_the_pendulum_on_a_moving_cart():
    # the cart accelerates as given: l theta'' = -g sin(theta) - a cos(theta), force from momentum
    robot = kd.load_urdf("""<robot name="cart_pole"><link name="rail"/>
<link name="cart"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="pole"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9" effort="90" velocity="9"/></joint>
<joint name="swing" type="continuous"><parent link="cart"/><child link="pole"/>
<axis xyz="0 -1 0"/></joint></robot>""", unphysical='warn')
    theta, rate, a = 0.7, 1.3, 2.0
    tau, qdd = kd.Dynamics(robot).hybrid([0.1, theta], [0.4, rate], [a, np.nan], [np.nan, 0.0],
                                         given=['slide'])
    swing = -(9.81 * np.sin(theta) + a * np.cos(theta)) / 0.5
    force = 3.0 * a + 0.5 * (swing * np.cos(theta) - rate**2 * np.sin(theta))
    np.testing.assert_allclose(qdd, [a, swing], rtol=1e-12)
    np.testing.assert_allclose(tau, [force, 0.0], rtol=1e-12, atol=1e-12)


def test_every_subset_agrees_with_pinocchio():
    pytest.importorskip('pinocchio')
    arm, dyn = pinocchio_arm(ROBOT), kd.Dynamics(ROBOT)
    rng = np.random.default_rng(1)
    for count in range(7):
        for given in combinations(range(6), count):
            q, qd, qdd, tau = rng.uniform(-2.0, 2.0, (4, 6))
            free = [k for k in range(6) if k not in given]
            M, h = arm.mass_matrix(q), arm.bias(q, qd)
            right = (tau - h - M[:, list(given)] @ qdd[list(given)])[free]
            expected = qdd.copy()
            expected[free] = np.linalg.solve(M[np.ix_(free, free)], right)
            torques, found = dyn.hybrid(q, qd, qdd, tau, given=[NAMES[k] for k in given])
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(torques, arm.inverse(q, qd, expected), atol=1e-9)


def test_friction_acts_at_both_kinds_of_joints():
    friction = kd.Friction(np.full(6, 0.5), np.full(6, 1.0), load=np.full(6, 0.1))
    dyn = kd.Dynamics(ROBOT, friction)
    q, qd, qdd, tau = np.random.default_rng(2).uniform(-2.0, 2.0, (4, 6))
    torques, found = dyn.hybrid(q, qd, qdd, 20.0 * tau, given=NAMES[::2])
    np.testing.assert_allclose(torques[1::2], 20.0 * tau[1::2])
    np.testing.assert_allclose(found[::2], qdd[::2])
    np.testing.assert_allclose(dyn.inverse(q, qd, found), torques, atol=1e-9)


def test_a_batch_is_its_rows():
    dyn = kd.Dynamics(ROBOT)
    q, qd, qdd, tau = np.random.default_rng(3).uniform(-2.0, 2.0, (4, 5, 6))
    torques, found = dyn.hybrid_many(q, qd, qdd, tau, given=NAMES[:2])
    for k in range(5):
        one = dyn.hybrid(q[k], qd[k], qdd[k], tau[k], given=NAMES[:2])
        np.testing.assert_allclose(torques[k], one[0], atol=1e-11)
        np.testing.assert_allclose(found[k], one[1], atol=1e-11)


def test_wrong_inputs_are_refused():
    dyn, zero = kd.Dynamics(ROBOT), np.zeros(6)
    with pytest.raises(kd.InputError, match="independent joint 'elbow'"):
        dyn.hybrid(zero, zero, zero, zero, given=['elbow'])
    with pytest.raises(kd.InputError, match='list of joint names'):
        dyn.hybrid(zero, zero, zero, zero, given='joint_1')
    with pytest.raises(kd.InputError, match=r'tau has shape \(2,\), expected \(6,\)'):
        dyn.hybrid(zero, zero, zero, [0.0, 0.0], given=['joint_1'])
