# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Kane's equations with flexible links, to round-off, on arms with every kind of joint."""

from dataclasses import replace

from flexible_arms import changed, odd_arm, ODD_ARMS, random_state
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.kane.equations import kane
from kane_dynamics.model.assembly import tree_of

every_arm = pytest.mark.parametrize('name', ODD_ARMS)
fixed_base = pytest.mark.parametrize('name', [name for name in ODD_ARMS if 'floating' not in name])


def rotors(dyn):
    """Return the motor inertias (nv,) that act beside the bodies."""
    joints = dyn.robot.flexible_joints
    names = [*dyn.robot.joint_names, *dyn.robot.mode_names]
    first = dyn.robot.nv - len(names)
    return np.array([0.0] * first + [joints[name].motor_inertia if name in joints else 0.0
                                     for name in names])


def dampers(dyn):
    """Return the damping (nv,) of every coordinate."""
    values = np.zeros(dyn.robot.nv)
    for spring in tree_of(dyn.robot).springs:
        values[spring.u_index] = spring.damping
    return values


@every_arm
def test_generated_torques_are_those_of_kane_on_floats(name):
    # generated: in chosen frames with lumped masses; on floats: the tree as the file tells it
    dyn = odd_arm(name)
    tree = tree_of(dyn.robot)
    for seed in range(3):
        q, qd, qdd = random_state(dyn.robot, seed)
        tau = np.array(kane(tree, q, qd, qdd, dyn.robot.gravity)[0], float) + rotors(dyn) * qdd
        np.testing.assert_allclose(dyn.inverse(q, qd, qdd), tau, rtol=0,
                                   atol=1e-13 * abs(tau).max())


@every_arm
def test_mass_matrix_has_the_columns_of_kane(name):
    # composite bodies against nv calls of kane, on the same arm without weight and springs
    dyn = odd_arm(name)
    n, tree = dyn.robot.nv, replace(tree_of(dyn.robot), springs=())
    q, _, _ = random_state(dyn.robot, 5)
    columns = [kane(tree, q, np.zeros(n), unit, np.zeros(3))[0] for unit in np.eye(n)]
    M = dyn.mass_matrix(q)
    np.testing.assert_allclose(M, np.array(columns, float).T + np.diag(rotors(dyn)), rtol=0,
                               atol=1e-14 * abs(M).max())
    np.testing.assert_array_equal(M, M.T)


@every_arm
def test_mass_matrix_is_positive_definite_however_bent(name):
    dyn = odd_arm(name)
    for seed, bend in enumerate((0.0, 0.1, 0.4)):     # of 0.8 m: far beyond the model's range
        q, _, _ = random_state(dyn.robot, seed, bend)
        np.linalg.cholesky(dyn.mass_matrix(q))


@every_arm
def test_inverse_is_mass_times_acceleration_plus_bias(name):
    dyn = odd_arm(name)
    q, qd, qdd = random_state(dyn.robot, 7)
    tau = dyn.inverse(q, qd, qdd)
    np.testing.assert_allclose(dyn.mass_matrix(q) @ qdd + dyn.bias(q, qd), tau, rtol=0,
                               atol=1e-13 * abs(tau).max())


@every_arm
def test_forward_undoes_inverse(name):
    dyn = odd_arm(name)
    q, qd, qdd = random_state(dyn.robot, 8)
    condition = np.linalg.cond(dyn.mass_matrix(q))
    np.testing.assert_allclose(dyn.forward(q, qd, dyn.inverse(q, qd, qdd)), qdd, rtol=0,
                               atol=1e-14 * condition)


@every_arm
def test_hybrid_leaves_no_force_on_the_modes(name):
    dyn = odd_arm(name)
    given = dyn.robot.nv - dyn.robot.n_modes
    q, qd, qdd = random_state(dyn.robot, 9)
    tau, accelerations = dyn.hybrid(q, qd, qdd[:given])
    np.testing.assert_array_equal(accelerations[:given], qdd[:given])
    needed = dyn.inverse(q, qd, accelerations)
    scale = abs(dyn.mass_matrix(q) * accelerations).max()
    np.testing.assert_allclose(needed, [*tau, *np.zeros(dyn.robot.n_modes)], rtol=0,
                               atol=1e-13 * scale)


@fixed_base
def test_power_of_the_torques_is_the_rate_of_energy(name):
    # u . tau = dE/dt + loss; the energies are computed from velocities, not from torques
    dyn = odd_arm(name)
    q, qd, qdd = random_state(dyn.robot, 10)
    power = qd @ dyn.inverse(q, qd, qdd) - dampers(dyn) @ qd**2

    def energy(t):
        return dyn.energy(q + t * qd + t**2 / 2 * qdd, qd + t * qdd).total
    h = 1e-4
    rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    assert power == pytest.approx(rate, abs=1e-9 * (abs(qd) @ abs(dyn.inverse(q, qd, qdd))))


@fixed_base
def test_frames_move_as_their_poses_do(name):
    # Jacobian, velocity and acceleration of the last link against differences of its pose
    dyn = odd_arm(name)
    frame = dyn.robot.link_names[-1]
    q, qd, qdd = random_state(dyn.robot, 11)
    J = dyn.frame_jacobian(frame, q)
    np.testing.assert_allclose(dyn.frame_velocity(frame, q, qd), J @ qd, atol=1e-13)
    h = 1e-5

    def place(q):
        return dyn.frame_pose(frame, q)[1]

    def velocity(t):
        return dyn.frame_velocity(frame, q + t * qd + t**2 / 2 * qdd, qd + t * qdd)
    columns = [(place(q + h * unit) - place(q - h * unit)) / (2 * h)
               for unit in np.eye(dyn.robot.nq)]
    np.testing.assert_allclose(J[:3], np.array(columns).T, atol=1e-9)
    np.testing.assert_allclose(dyn.frame_acceleration(frame, q, qd, qdd),
                               (velocity(h) - velocity(-h)) / (2 * h), atol=1e-7)


@fixed_base
def test_forces_in_the_joints_are_those_of_the_rigid_arm_when_nothing_bends(name):
    dyn = odd_arm(name)
    robot = dyn.robot
    rigid = kd.Dynamics(robot.rigid(), backend='python') if robot.n_joints else None
    if rigid is None:
        assert dyn.reactions(*random_state(robot, 1)).shape == (0, 6)
        return
    n, joints = robot.nv, robot.n_joints
    state = np.zeros((3, n))
    state[:, :joints] = np.random.default_rng(12).normal(size=(3, joints))
    np.testing.assert_allclose(dyn.reactions(*state), rigid.reactions(*state[:, :joints]),
                               atol=1e-12)


def test_link_behind_a_fixed_joint_is_the_same_link_written_on_its_own():
    # on the base: the cantilever has no joints, its coordinates are its modes
    dyn = odd_arm('on the base, nothing else')
    assert (dyn.robot.n_joints, dyn.robot.nv, dyn.robot.n_modes) == (0, 4, 4)
    tau, accelerations = dyn.hybrid(np.zeros(4), np.zeros(4), np.zeros(0))
    assert tau.shape == (0,)
    np.testing.assert_allclose(dyn.forward(np.zeros(4), np.zeros(4), np.zeros(4)), accelerations,
                               rtol=1e-12)


@pytest.mark.parametrize('name', ['padilla_two_link', 'flexible_single_link', 'flexible_3r'])
def test_machine_code_computes_what_generated_python_computes(name):
    robot = changed(name)
    python, llvm = (kd.Dynamics(robot, backend=backend) for backend in ('python', 'llvm'))
    q, qd, qdd = random_state(robot, 3, 0.01)
    tau = python.inverse(q, qd, qdd)
    np.testing.assert_allclose(llvm.inverse(q, qd, qdd), tau, rtol=0, atol=1e-13 * abs(tau).max())
    np.testing.assert_allclose(llvm.mass_matrix(q), python.mass_matrix(q), rtol=1e-13, atol=1e-15)
    forward = python.forward(q, qd, tau)
    np.testing.assert_allclose(llvm.forward(q, qd, tau), forward, rtol=0,
                               atol=1e-9 * abs(forward).max())
    state = [np.ascontiguousarray(np.broadcast_to(row, (5, len(row)))) for row in (q, qd, qdd)]
    np.testing.assert_allclose(llvm.inverse_many(*state), np.broadcast_to(tau, (5, robot.nv)),
                               rtol=0, atol=1e-13 * abs(tau).max())


def test_derivatives_of_a_flexible_arm_are_exact():
    dyn = odd_arm('behind a fixed joint on a rigid link')
    q, qd, qdd = random_state(dyn.robot, 13)
    by_q, by_qd, M = dyn.inverse_derivatives(q, qd, qdd)
    h, n = 1e-6, dyn.robot.nv
    columns = [(dyn.inverse(q + h * e, qd, qdd) - dyn.inverse(q - h * e, qd, qdd)) / (2 * h)
               for e in np.eye(n)]
    np.testing.assert_allclose(by_q, np.array(columns).T, atol=1e-6)
    columns = [(dyn.inverse(q, qd + h * e, qdd) - dyn.inverse(q, qd - h * e, qdd)) / (2 * h)
               for e in np.eye(n)]
    np.testing.assert_allclose(by_qd, np.array(columns).T, atol=1e-7)
    np.testing.assert_allclose(M, dyn.mass_matrix(q), rtol=1e-13)


def test_regressor_of_a_flexible_arm_is_refused_with_a_way_out():
    dyn = odd_arm('a flexible joint on a flexible link')
    with pytest.raises(kd.InputError, match='robot.rigid'):
        dyn.regressor(*random_state(dyn.robot, 1))
