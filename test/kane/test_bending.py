# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Kane's equations with flexible links, to round-off, on arms with every kind of joint."""

from dataclasses import replace

from flexible_arms import (
    beam_robot, changed, odd_arm, ODD_ARMS, random_state, SOFT_JOINTS)
import numpy as np
import pytest
from scipy.optimize import brentq

import kane_dynamics as kd
from kane_dynamics.kane.equations import kane

every_arm = pytest.mark.parametrize('name', ODD_ARMS)
fixed_base = pytest.mark.parametrize('name', [name for name in ODD_ARMS if 'floating' not in name])


def rotors(dyn):
    """Return the motor inertias (nv,) that act in addition to the bodies."""
    joints = dyn.robot.flexible_joints
    names = [*dyn.robot.joint_names, *dyn.robot.mode_names]
    first = dyn.robot.nv - len(names)
    return np.array([0.0] * first + [joints[name].motor_inertia if name in joints else 0.0
                                     for name in names])


def dampers(dyn):
    """Return the damping (nv,) of every coordinate."""
    values = np.zeros(dyn.robot.nv)
    for spring in dyn.robot.tree.springs:
        values[spring.u_index] = spring.damping
    return values


@every_arm
def test_generated_torques_are_those_of_kane_on_floats(name):
    # generated: in chosen frames with lumped masses; on floats: the tree as the file describes it
    dyn = odd_arm(name)
    tree = dyn.robot.tree
    for seed in range(3):
        q, qd, qdd = random_state(dyn.robot, seed)
        tau = np.array(kane(tree, q, qd, qdd, dyn.robot.gravity)[0], float) + rotors(dyn) * qdd
        np.testing.assert_allclose(dyn.inverse(q, qd, qdd), tau, rtol=0,
                                   atol=1e-13 * abs(tau).max())


@every_arm
def test_mass_matrix_has_the_columns_of_kane(name):
    # composite bodies against nv calls of kane, on the same arm without weight and springs
    dyn = odd_arm(name)
    n, tree = dyn.robot.nv, replace(dyn.robot.tree, springs=())
    q, _, _ = random_state(dyn.robot, 5)
    columns = [kane(tree, q, np.zeros(n), unit, np.zeros(3))[0] for unit in np.eye(n)]
    M = dyn.mass_matrix(q)
    np.testing.assert_allclose(M, np.array(columns, float).T + np.diag(rotors(dyn)), rtol=0,
                               atol=1e-14 * abs(M).max())
    np.testing.assert_array_equal(M, M.T)


@every_arm
def test_mass_matrix_is_that_of_the_kinetic_energy(name):
    # T = u' M u / 2 exactly, so M_ij = T(e_i + e_j) - T(e_i) - T(e_j) holds to the rounding of T
    dyn = odd_arm(name)
    q, _, _ = random_state(dyn.robot, 6)
    M, units = dyn.mass_matrix(q), np.eye(dyn.robot.nv)

    def kinetic(u):
        return dyn.energy(q, u).kinetic
    own = np.array([kinetic(unit) for unit in units])
    differences = [[kinetic(a + b) - own[i] - own[j] for j, b in enumerate(units)]
                   for i, a in enumerate(units)]
    np.testing.assert_allclose(M, differences, rtol=0, atol=1e-14 * abs(M).max())


@every_arm
def test_mass_matrix_has_the_columns_of_inverse(name):
    # round-off is that of the torques that are subtracted, springs included
    dyn = odd_arm(name)
    q, qd, _ = random_state(dyn.robot, 6)
    bias, M = dyn.bias(q, qd), dyn.mass_matrix(q)
    columns = [dyn.inverse(q, qd, unit) - bias for unit in np.eye(dyn.robot.nv)]
    np.testing.assert_allclose(M, np.array(columns).T, rtol=0,
                               atol=1e-14 * (abs(M).max() + abs(bias).max()))


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


@pytest.mark.parametrize('model', ['consistent', 'inconsistent', 'ruthless'])
def test_truncated_models_behind_a_flexible_joint_have_the_mass_matrix_of_inverse(model):
    # their M is another program, and not symmetric
    dyn = kd.Dynamics(changed(
        'padilla_two_link', ('<damping', f'<model>{model}</model><damping'),
        ('</robot>', '<flexible_joint reference="shoulder" stiffness="50" motor_inertia="0.1"/>'
                     '</robot>')), backend='python')
    q, qd, qdd = random_state(dyn.robot, 7)
    tau = dyn.inverse(q, qd, qdd)
    np.testing.assert_allclose(dyn.mass_matrix(q) @ qdd + dyn.bias(q, qd), tau, rtol=0,
                               atol=1e-13 * abs(tau).max())


def ruthless_arm():
    """Return the Dynamics of Padilla's arm with 'ruthless' links, and a state without bending."""
    dyn = kd.Dynamics(changed('padilla_two_link', ('<damping', '<model>ruthless</model><damping'))
                      .with_gravity((0.0, -9.81, 0.0)), backend='python')
    q, qd, qdd = random_state(dyn.robot, 9)
    q[dyn.robot.modes_q] = 0.0
    return dyn, q, qd, qdd


def test_energy_of_a_ruthless_arm_has_the_rates_of_its_modes():
    # u' M u / 2 where the model is exact, at the undeformed links
    dyn, q, qd, _ = ruthless_arm()
    np.testing.assert_allclose(dyn.energy(q, qd).kinetic, 0.5 * qd @ dyn.mass_matrix(q) @ qd,
                               rtol=1e-13)


def test_torques_of_a_ruthless_arm_are_those_of_lagrange_at_the_undeformed_links():
    # d/dt dT/dqd - d(T - V)/dq by central differences of `energy`; eta = eta' = 0
    dyn, q, qd, qdd = ruthless_arm()
    qd[dyn.robot.modes_v] = 0.0
    units, step = np.eye(dyn.robot.nv), 1e-4

    def lagrangian(q, qd):
        kinetic, potential, strain = dyn.energy(q, qd)
        return kinetic - potential - strain

    def slope(function, at=0.0):
        return (function(at + step) - function(at - step)) / (2.0 * step)

    def momenta(t):
        now, rate = q + qd * t + 0.5 * qdd * t * t, qd + qdd * t
        return np.array([slope(lambda s: lagrangian(now, rate + s * unit)) for unit in units])
    forces = np.array([slope(lambda s: lagrangian(q + s * unit, qd)) for unit in units])
    tau = dyn.inverse(q, qd, qdd)
    np.testing.assert_allclose(slope(momenta) - forces, tau, rtol=0, atol=1e-6 * abs(tau).max())


@pytest.mark.parametrize('model', ['consistent', 'inconsistent', 'ruthless'])
def test_frames_of_truncated_models_move_with_the_deflections(model):
    # only the equations of motion are truncated: the rate of the pose is J qd
    dyn = kd.Dynamics(changed('padilla_two_link', ('<damping', f'<model>{model}</model><damping')),
                      backend='python')
    q, qd, _ = random_state(dyn.robot, 10)
    link, step = dyn.robot.tip(), 1e-6
    rate = (dyn.frame_pose(link, q + step * qd)[1] - dyn.frame_pose(link, q - step * qd)[1])
    velocity = dyn.frame_velocity(link, q, qd)
    np.testing.assert_allclose(velocity, dyn.frame_jacobian(link, q) @ qd, rtol=0, atol=1e-13)
    np.testing.assert_allclose(rate / (2.0 * step), velocity[:3], rtol=0, atol=1e-8)
    assert np.linalg.norm(dyn.frame_deflection(link, q)) > 1e-3


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


@pytest.mark.parametrize('name', [name for name in SOFT_JOINTS if 'mimic' not in name])
def test_hybrid_torque_of_a_flexible_joint_is_that_of_its_motor(name):
    # the motor meets its rotor and its spring alone: tau = J qdd - k e - d ed
    dyn = odd_arm(name)
    robot = dyn.robot
    given, shift = robot.nv - robot.n_modes, robot.nq - robot.nv
    q, qd, qdd = random_state(robot, 14)
    tau, _ = dyn.hybrid(q, qd, qdd[:given])
    for joint in robot.flexible_joints.keys() & set(robot.joint_names):
        spring = robot.flexible_joints[joint]
        k = given - robot.n_joints + robot.joint_index(joint)
        e = given + robot.mode_names.index(f'{joint}/deflection')
        motor = (spring.motor_inertia * qdd[k] - spring.stiffness * q[e + shift]
                 - spring.damping * qd[e])
        assert tau[k] == pytest.approx(motor, abs=1e-11 * abs(tau).max())


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


def test_fall_of_an_arm_on_a_flexible_joint_before_a_flexible_link_keeps_its_energy():
    dyn = odd_arm('a flexible joint before a flexible link')
    q, _, _ = random_state(dyn.robot, 15, 0.01)
    found = kd.simulate(dyn, q, np.zeros(dyn.robot.nv), duration=0.1, dt=1e-3, method='DOP853')
    assert found.balance().relative_drift < 1e-6     # what the integrator's tolerance leaves


@fixed_base
def test_frames_move_as_their_poses_do(name):
    # Jacobian, velocity and acceleration of the last link against differences of its pose
    dyn = odd_arm(name)
    frame = dyn.robot.link_names[-1]
    q, qd, qdd = random_state(dyn.robot, 11)
    J = dyn.frame_jacobian(frame, q)
    np.testing.assert_allclose(dyn.frame_velocity(frame, q, qd), J @ qd, atol=1e-13)
    h = 1e-5

    def position(q):
        return dyn.frame_pose(frame, q)[1]

    def velocity(t):
        return dyn.frame_velocity(frame, q + t * qd + t**2 / 2 * qdd, qd + t * qdd)
    columns = [(position(q + h * unit) - position(q - h * unit)) / (2 * h)
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


def test_flexible_joint_of_the_page_leaves_its_motor_the_rotor_alone():
    # the arm of the page, undeformed: 0.3 kg m^2 x 0.5 rad/s^2
    spring = ('<flexible_joint reference="joint_2" stiffness="5000" damping="2" '
              'motor_inertia="0.3"/>')
    dyn = kd.Dynamics(changed('flexible_six_axis', ('</robot>', spring + '</robot>')))
    robot = dyn.robot
    q = np.append([0.0, -0.8, 0.9, 0.0, 0.5, 0.0], np.zeros(robot.n_modes))
    tau, _ = dyn.hybrid(q, np.zeros(robot.nv), [0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    assert tau[1] == pytest.approx(0.150, abs=1e-12)


def test_beam_on_a_flexible_joint_has_the_frequencies_of_a_beam_on_a_torsion_spring():
    # kappa (1 + cos x cosh x) = x (sin x cosh x - cos x sinh x) with kappa = k L / EI and
    # omega = x^2 sqrt(EI / (rho L^4)): clamped for kappa -> inf, pinned for kappa -> 0
    length, rho, EI, kappa = 0.8, 0.5, 50.0, 1.5
    dyn = kd.Dynamics(beam_robot(
        {'length': length, 'mass_per_length': rho, 'EI_z': EI},
        '<modes bend_y="5" shapes="clamped_free" nodes="21"/>',
        more=f'<flexible_joint reference="hinge" stiffness="{kappa * EI / length}" '
             'motor_inertia="0.1"/>'), backend='python')

    def characteristic(x):
        return (kappa * (1 + np.cos(x) * np.cosh(x))
                - x * (np.sin(x) * np.cosh(x) - np.cos(x) * np.sinh(x)))
    x = np.array([brentq(characteristic, 0.5, 2.0), brentq(characteristic, 3.5, 4.9)])
    exact = x**2 * np.sqrt(EI / (rho * length**4)) / (2 * np.pi)
    # five shapes that are clamped at the root, and a rotation, for one that turns there
    np.testing.assert_allclose(kd.natural_frequencies(dyn)[:2], exact, rtol=2e-5)
    np.testing.assert_allclose(dyn.locked_frequencies()[:2], 2 * np.pi * exact, rtol=2e-5)


def test_rotor_of_a_mimic_joint_counts_on_a_flexible_leader_by_the_square_of_its_ratio():
    # T = (J + 0.7^2 armature) qd^2 / 2 for the motor and the follower's rotor
    name = 'a mimic joint of a flexible joint, between flexible links'
    plain = odd_arm(name).robot
    joints = [replace(joint, armature=0.3) if joint.name == 'j3' else joint
              for joint in plain.joints]
    q, _, _ = random_state(plain, 1)
    M = odd_arm(name).mass_matrix(q)
    with_rotor = kd.Dynamics(replace(plain, joints=tuple(joints)), backend='python')
    more = np.zeros(plain.nv)
    more[1] = 0.7**2 * 0.3
    np.testing.assert_allclose(with_rotor.mass_matrix(q) - M, np.diag(more), atol=1e-13)


@fixed_base
def test_momentum_balance_is_mass_times_speed_and_what_changes_it(name):
    # spring forces k q counted as momentum: found on a flexible joint behind two rigid ones
    dyn = odd_arm(name)
    q, qd, qdd = random_state(dyn.robot, 16)
    balance = np.zeros((2, dyn.robot.nv))
    dyn.bind('momentum_balance', q, qd, balance)()
    momentum, needed = balance
    np.testing.assert_allclose(momentum, dyn.mass_matrix(q) @ qd, atol=1e-12)
    h = 1e-4
    ahead, behind = (dyn.mass_matrix(q + t * qd + t**2 / 2 * qdd) @ (qd + t * qdd)
                     for t in (h, -h))
    tau = dyn.inverse(q, qd, qdd)
    np.testing.assert_allclose((ahead - behind) / (2 * h), tau - needed,
                               atol=1e-6 * abs(tau).max())
