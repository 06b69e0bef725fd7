# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torques, accelerations, M and energies of generated arms agree with each other."""

from dataclasses import replace

from direct_dynamics import DirectDynamics
from generated_arms import holds_for
from motion_differences import derivative, moved, rotation
import numpy as np

import kane_dynamics as kd
from kane_dynamics.dynamics.friction import SMALLEST_LOAD

ROUND_OFF = 1e-12       # of the largest term of a sum of some hundred terms
DIFFERENCES = 1e-6      # of the largest term, by differences of fourth order


def size_of_terms(dynamics, q, qd, qdd):
    """Return the size of the terms that a torque is the sum of [N m or N]."""
    tree = dynamics.robot.tree
    shift = dynamics.robot.nq - dynamics.robot.nv
    springs = [spring.stiffness * abs(q[spring.u_index + shift]) for spring in tree.springs]
    M = abs(dynamics.mass_matrix(q))
    return max([0.0, *springs, *(M @ abs(qdd)), *abs(dynamics.bias(q, qd)),
                *abs(dynamics.gravity(q)), *(M @ abs(qd)) * (1 + max(abs(qd), default=0.0))])


def size_of_inverse(M):
    """Return |M^-1|, infinite where what some coordinate moves has no inertia."""
    least = np.linalg.svd(M, compute_uv=False).min(initial=np.inf)
    return 1.0 / least if least > 0.0 else np.inf


def close(actual, expected, tolerance, what=''):
    """Assert that arrays agree absolutely."""
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tolerance, err_msg=what)


def moves_only_bodies(robot):
    """Return whether every link that moves by itself has three positive inertias."""
    movers = {joint.child for joint in robot.joints
              if joint.kind != 'fixed' or joint.name in robot.flexible_joints}
    if robot.floating_base:
        movers.add(robot.base)
    return all(robot.link(name).inertial is not None
               and np.linalg.eigvalsh(robot.link(name).inertial.inertia)[0] > 1e-6
               for name in movers)


@holds_for(truncated=True)
def test_forward_undoes_inverse(arm):
    q, qd, qdd = arm.state
    for last_method in (False, True):     # factors of M; articulated bodies of a rigid arm
        dynamics = DirectDynamics(arm.robot, arm.friction, last_method)
        tau = dynamics.inverse(q, qd, qdd)
        inverse_of_M = size_of_inverse(dynamics.mass_matrix(q))
        lost = ROUND_OFF * size_of_terms(dynamics, q, qd, qdd) * inverse_of_M
        if arm.friction is not None and arm.friction.load is not None:
            lost += 2.0 * SMALLEST_LOAD * inverse_of_M
        if lost < 0.1:                    # else M is singular: what it carries has no inertia
            close(dynamics.forward(q, qd, tau), qdd, lost + ROUND_OFF)


@holds_for()
def test_mass_matrix_is_that_of_inverse_and_of_the_energy(arm):
    dynamics, (q, qd, _) = DirectDynamics(arm.robot), arm.state
    M, units = dynamics.mass_matrix(q), np.eye(arm.robot.nv)
    bias = dynamics.bias(q, qd)
    size = size_of_terms(dynamics, q, qd, units.sum(0))
    close(M, M.T, 0.0)
    columns = np.array([dynamics.inverse(q, qd, unit) - bias for unit in units]).reshape(M.shape)
    close(M, columns, ROUND_OFF * size)

    # T is quadratic: its slope along e at u is e' M u = (T(u + e) - T(u - e)) / 2
    u = arm.rng.uniform(-1.0, 1.0, arm.robot.nv)
    momenta = [0.5 * (dynamics.energy(q, u + e).kinetic - dynamics.energy(q, u - e).kinetic)
               for e in units]
    close(M @ u, momenta, ROUND_OFF * max(abs(M).sum(axis=0).max(initial=0.0), 1e-3))


@holds_for()
def test_mass_matrix_is_positive_definite(arm):
    q, _, _ = arm.state
    M = DirectDynamics(arm.robot).mass_matrix(q)
    scale = np.sqrt(np.maximum(np.diag(M), 1e-300))
    eigenvalues = np.linalg.eigvalsh(M / np.outer(scale, scale)) if len(M) else np.ones(1)
    assert eigenvalues[0] > -ROUND_OFF
    if moves_only_bodies(arm.robot):
        assert eigenvalues[0] > 0.0


@holds_for(truncated=True)
def test_inverse_is_mass_times_acceleration_plus_bias(arm):
    friction = arm.friction
    if friction is not None and friction.load is not None:     # friction of the load: not linear
        friction = replace(friction, load=None)
    dynamics, (q, qd, qdd) = DirectDynamics(arm.robot, friction), arm.state
    size = size_of_terms(dynamics, q, qd, qdd)
    close(dynamics.inverse(q, qd, qdd), dynamics.mass_matrix(q) @ qdd + dynamics.bias(q, qd),
          ROUND_OFF * size)
    rest = np.zeros(arm.robot.nv)
    close(DirectDynamics(arm.robot).bias(q, rest), dynamics.gravity(q), ROUND_OFF * size)


@holds_for()
def test_friction_adds_its_torque_to_the_ideal_arm(arm):
    # by the formula on numpy arrays, under the load that the ideal arm computes
    if arm.friction is None:
        return
    q, qd, qdd = arm.state
    ideal = DirectDynamics(arm.robot).inverse(q, qd, qdd)
    joints = arm.robot.joints_v
    expected = ideal.copy()
    expected[joints] += arm.friction.torque(qd[joints], ideal[joints])
    dynamics = DirectDynamics(arm.robot, arm.friction)
    close(dynamics.inverse(q, qd, qdd), expected,
          ROUND_OFF * size_of_terms(dynamics, q, qd, qdd) + SMALLEST_LOAD)


@holds_for()
def test_torques_are_those_of_lagrange(arm):
    # d/dt dT/du_r - dT/dq_r + dV/dq_r + damping, energies differentiated numerically, along random
    # displacements; for the speeds of a floating base with Hamel's terms (1904) of moving axes
    dynamics, robot, (q, qd, qdd) = DirectDynamics(arm.robot), arm.robot, arm.state
    for e in arm.rng.uniform(-1.0, 1.0, (2, robot.nv)):
        def momentum(t):
            at, u = moved(robot, q, qd, qdd, t), qd + t * qdd
            return 0.5 * (dynamics.energy(at, u + e).kinetic - dynamics.energy(at, u - e).kinetic)

        def lagrangian(t):
            energy = dynamics.energy(moved(robot, q, e, np.zeros(robot.nv), t), qd)
            return energy.kinetic - energy.potential - energy.strain
        power = derivative(momentum) - derivative(lagrangian) + e @ (robot.tree.damping * qd)
        if robot.floating_base:
            p, v, w = dynamics.mass_matrix(q) @ qd, qd[:3], qd[3:6]
            power += e[:3] @ np.cross(w, p[:3])
            power += e[3:6] @ (np.cross(w, p[3:6]) + np.cross(v, p[:3]))
        size = size_of_terms(dynamics, q, qd, qdd) * (1.0 + robot.nv)
        close(power, e @ dynamics.inverse(q, qd, qdd), DIFFERENCES * max(1e-3, size))


@holds_for()
def test_hybrid_leaves_no_force_on_the_modes(arm):
    dynamics, (q, qd, qdd) = DirectDynamics(arm.robot), arm.state
    given_ones = arm.robot.nv - arm.robot.n_modes
    elastic = dynamics.mass_matrix(q)[given_ones:, given_ones:]
    if ROUND_OFF * size_of_inverse(elastic) > 0.1:
        return
    tau, accelerations = dynamics.hybrid(q, qd, qdd[:given_ones])
    np.testing.assert_array_equal(accelerations[:given_ones], qdd[:given_ones])
    close(dynamics.inverse(q, qd, accelerations), [*tau, *np.zeros(arm.robot.n_modes)],
          ROUND_OFF * size_of_terms(dynamics, q, qd, accelerations))


@holds_for()
def test_the_mixed_problem_joins_inverse_and_forward(arm):
    # torques and accelerations that belong together are found from any half of each
    dynamics, robot, (q, qd, qdd) = DirectDynamics(arm.robot, arm.friction), arm.robot, arm.state
    inverse_of_M = size_of_inverse(dynamics.mass_matrix(q))
    known = robot.nv - robot.n_modes
    tau = arm.rng.uniform(-3.0, 3.0, known)
    given = [name for name in robot.joint_names if arm.rng.integers(2)]
    lost = (ROUND_OFF * size_of_terms(dynamics, q, qd, qdd) + 2.0 * SMALLEST_LOAD) * inverse_of_M
    if not lost < 1e-3 or not robot.nv:
        return
    torques, found = dynamics.hybrid(q, qd, qdd[:known], tau, given=given)
    size = size_of_terms(dynamics, q, qd, found)
    close(dynamics.inverse(q, qd, found), [*torques, *np.zeros(robot.n_modes)],
          ROUND_OFF * size * (1.0 + inverse_of_M) * 10.0 + 2.0 * SMALLEST_LOAD)
    for k, name in enumerate(robot.joint_names):
        row = robot.joints_v.start + k
        close(found[row], qdd[row], 0.0) if name in given else close(torques[row], tau[row], 0.0)


@holds_for(floating=False)
def test_prescribed_base_motion_is_that_of_a_floating_carriage(arm):
    robot, (q, qd, qdd) = arm.robot, arm.state
    w, alpha, a = arm.rng.uniform(-2.0, 2.0, (3, 3))
    carried = kd.Robot(
        'carried', (kd.Link('ground'), kd.Link('carriage'), *robot.links),
        (kd.Joint('float', 'floating', 'ground', 'carriage'),
         kd.Joint('mount', 'fixed', 'carriage', robot.root, robot.base_rotation,
                  robot.base_position), *robot.joints), robot.gravity, extensions=robot.extensions,
        springs=robot.springs)
    free = DirectDynamics(carried, arm.friction)
    # at rest in place and unturned: ud of a floating base is a - w x v with v = 0
    expected = free.inverse(np.concatenate([carried.neutral()[:7], q]),
                            np.concatenate([np.zeros(3), w, qd]),
                            np.concatenate([a, alpha, qdd]))[6:]
    dynamics, base = DirectDynamics(robot, arm.friction), np.concatenate([w, alpha, a])
    size = size_of_terms(dynamics, q, qd, qdd) + 10.0 * robot.total_mass
    tau = dynamics.inverse(q, qd, qdd, base=base)
    close(tau, expected, ROUND_OFF * size)
    inverse_of_M = size_of_inverse(dynamics.mass_matrix(q))
    lost = (ROUND_OFF * size + 2.0 * SMALLEST_LOAD) * inverse_of_M
    if lost < 0.1:
        close(dynamics.forward(q, qd, tau, base=base), qdd, lost + ROUND_OFF)


@holds_for()
def test_momentum_is_mass_times_the_rate_of_the_mass_centre(arm):
    dynamics, robot, (q, qd, qdd) = DirectDynamics(arm.robot), arm.robot, arm.state
    mass = moving_mass(robot)
    if not mass:
        return
    rate = derivative(lambda t: dynamics.mass_centre(moved(robot, q, qd, qdd, t)))
    momentum = dynamics.momentum(q, qd)
    close(momentum[:3], mass * rate, DIFFERENCES * max(1.0, abs(momentum[:3]).max()))


def moving_mass(robot):
    """Return the mass of the links that move [kg]; None where a link moves in part."""
    frames = robot.rigid().tree.frames
    if any(link.segments is not None and frames[name].body < 0
           for name, link in robot.flexible_links.items()):
        return None
    return sum(link.inertial.mass for link in robot.links if link.inertial is not None
               and (frames[link.name].body >= 0 or robot.tree.frames[link.name].body >= 0))


@holds_for()
def test_rate_of_momentum_is_gravity_and_the_force_on_a_floating_base(arm):
    # Newton and Euler for the whole arm, about the origin of the world
    dynamics, robot, (q, qd, qdd) = DirectDynamics(arm.robot), arm.robot, arm.state
    if not robot.floating_base:
        return
    R, p = dynamics.frame_pose(robot.base, q)
    tau = dynamics.inverse(q, qd, qdd)
    weight = moving_mass(robot) * np.asarray(robot.gravity)
    force, moment = R @ tau[:3], R @ tau[3:6]
    rate = derivative(lambda t: dynamics.momentum(moved(robot, q, qd, qdd, t), qd + t * qdd))
    size = DIFFERENCES * max(1.0, size_of_terms(dynamics, q, qd, qdd))
    close(rate[:3], force + weight, size)
    close(rate[3:], moment + np.cross(p, force) + np.cross(dynamics.mass_centre(q), weight), size)
    # and the rotation that the base's quaternion describes
    C = robot.base_rotation if robot.base == robot.root else np.eye(3)
    if robot.base == robot.root:
        close(R, C @ rotation(q[3:7]), ROUND_OFF)
