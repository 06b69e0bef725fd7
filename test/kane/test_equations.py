# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Kane's equations on floats: against SymPy's, against partial velocities, against balances."""

import numpy as np
import pytest
from random_arms import chain, state, tree
from scipy.spatial.transform import Rotation

from kane_dynamics.codegen.lump import lump
from kane_dynamics.codegen.reframe import reframe
from kane_dynamics.kane import kinematics, recursive
from kane_dynamics.kane.equations import kane
from kane_dynamics.kane.mass_matrix import mass_matrix
from kane_dynamics.kane.solve import Factors

GRAVITY = (1.0, -2.0, -9.0)
ARMS = {
    'RRR': chain('RRR', 1, GRAVITY),
    'RPR': chain('RPR', 2, GRAVITY),
    'PRRPRR': chain('PRRPRR', 3, GRAVITY),
    'a fixed joint between': chain('RFRP', 4, GRAVITY),
    'branches': tree('RRPRRC', [0, 1, 1, 3, 2, 0], 5, GRAVITY),
    'mimics': tree('RRPRR', [0, 1, 2, 2, 4], 6, GRAVITY,
                   mimics={2: (0, 0.3, 0.1), 4: (1, -2.0, 0.2)}),
    'one mimics its own carrier': chain('RRR', 7, GRAVITY, mimics={2: (0, -1.5, 0.0)}),
    'floating': tree('RPR', [0, 1, 0], 8, GRAVITY, floating_base=True),
    'placed': chain('RPR', 9, GRAVITY, base_rotation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]],
                    base_position=[0.3, -0.2, 0.5]),
}


def numbers(values):
    return np.array(values, dtype=float)


def torques(robot, q, qd, qdd):
    """Return tau of the reference: Kane's equations run on floats."""
    return numbers(kane(robot.tree, q, qd, qdd, robot.gravity)[0])


def close(got, expected, tolerance):
    np.testing.assert_allclose(got, expected, rtol=0.0, atol=tolerance * np.abs(expected).max())


# -- other derivations ------------------------------------------------------------------------

def sympy_torques(robot, q, qd, qdd):
    """Return tau from SymPy's KanesMethod, symbolic in q, qd, qdd, numbers put in at the end."""
    sympy = pytest.importorskip('sympy', reason='the oracle of this test is SymPy')
    from sympy.physics import mechanics
    t = mechanics.dynamicsymbols._t
    n = robot.n_joints
    coordinates = mechanics.dynamicsymbols(f'q:{n}')
    speeds = mechanics.dynamicsymbols(f'u:{n}')
    N = mechanics.ReferenceFrame('N')
    O = mechanics.Point('O')                               # noqa: E741
    O.set_vel(N, 0)
    frame, point, bodies, loads = N, O, [], []
    from_link = np.eye(3)                                  # axes with z on the joint, of a link

    def vector(frame, values):
        return sum((float(x) * axis for x, axis in zip(values, frame)), mechanics.Vector(0))

    for k, (joint, link) in enumerate(zip(robot.joints, robot.links[1:])):
        to_z = Rotation.align_vectors([0.0, 0.0, 1.0], joint.axis)[0].as_matrix()
        fixed = mechanics.ReferenceFrame(f'J{k}')
        fixed.orient_explicit(frame, sympy.Matrix(from_link @ joint.rotation @ to_z.T))
        place = point.locatenew(f'P{k}', vector(frame, from_link @ joint.position))
        place.v2pt_theory(point, N, frame)
        if joint.kind == 'prismatic':
            moved = fixed
            tip = place.locatenew(f'O{k}', coordinates[k] * fixed.z)
            tip.set_vel(N, place.vel(N) + (frame.ang_vel_in(N) ^ (coordinates[k] * fixed.z))
                        + speeds[k] * fixed.z)
        else:
            moved, tip = mechanics.ReferenceFrame(f'B{k}'), place
            moved.orient_axis(fixed, fixed.z, coordinates[k])
            moved.set_ang_vel(fixed, speeds[k] * fixed.z)
        centre = tip.locatenew(f'C{k}', vector(moved, to_z @ link.inertial.com))
        centre.v2pt_theory(tip, N, moved)
        inertia = to_z @ link.inertial.inertia @ to_z.T
        dyadic = mechanics.inertia(moved, inertia[0, 0], inertia[1, 1], inertia[2, 2],
                                   inertia[0, 1], inertia[1, 2], inertia[0, 2])
        bodies.append(mechanics.RigidBody(f'body{k}', centre, moved, link.inertial.mass,
                                          (dyadic, centre)))
        loads.append((centre, link.inertial.mass * vector(N, robot.gravity)))
        frame, point, from_link = moved, tip, to_z
    method = mechanics.KanesMethod(N, coordinates, speeds,
                                   [a.diff(t) - b for a, b in zip(coordinates, speeds)])
    active, inertial = method.kanes_equations(bodies, loads)
    values = {**{u.diff(t): value for u, value in zip(speeds, qdd)},
              **{c.diff(t): value for c, value in zip(coordinates, qd)},
              **dict(zip(coordinates, q)), **dict(zip(speeds, qd))}
    # F_r + F_r* + tau_r = 0
    return -numbers(mechanics.msubs(active + inertial, values)).reshape(-1)


@pytest.mark.parametrize('kinds, seed', [('RRR', 21), ('RPR', 22), ('PRR', 23)])
def test_torques_are_those_of_sympys_kanes_method(kinds, seed):
    robot = chain(kinds, seed, GRAVITY)
    q, qd, qdd = state(robot, np.random.default_rng(seed))
    close(torques(robot, q, qd, qdd), sympy_torques(robot, q, qd, qdd), 1e-12)


def partial_velocity_torques(robot, q, qd, qdd, step=1e-5):
    """Return tau_r = sum_B v_r . m (a - g) + w_r . (I alpha + w x I w), bodies in the world.

    Kane and Levinson 1985, (4.11.1) to (4.11.8): partial velocities are the columns of each
    body's Jacobian; its motion comes from differences of the velocities J qd along the path.
    """
    moving = robot.tree
    bodies = [(link.name, link.inertial) for link in robot.links if link.inertial is not None
              and moving.frames[link.name].body >= 0]

    def jacobians(q):
        return [numbers(kinematics.frame_jacobian(moving, moving.frames[name], q))
                for name, _ in bodies]

    def velocities(s):
        moved, speeds = q + s * qd + 0.5 * s * s * qdd, qd + s * qdd
        return [J @ speeds for J in jacobians(moved)]

    ahead, behind = velocities(step), velocities(-step)
    tau = np.zeros(robot.nv)
    for (name, inertial), J, plus, minus in zip(bodies, jacobians(q), ahead, behind):
        R, _ = kinematics.frame_pose(moving, moving.frames[name], q)
        R = numbers(R)
        (v_dot, alpha), w = np.split((plus - minus) / (2 * step), 2), (J @ qd)[3:]
        c, inertia = R @ inertial.com, R @ inertial.inertia @ R.T
        a = v_dot + np.cross(alpha, c) + np.cross(w, np.cross(w, c))
        Ju_v, Ju_w = J[:3] + np.cross(J[3:], c, axisb=0, axisa=0, axisc=0), J[3:]
        tau += Ju_v.T @ (inertial.mass * (a - robot.gravity))
        tau += Ju_w.T @ (inertia @ alpha + np.cross(w, inertia @ w))
    return tau


@pytest.mark.parametrize('name', [name for name in ARMS if name != 'floating'])
def test_torques_are_inertia_and_gravity_forces_on_partial_velocities_body_by_body(name):
    robot = ARMS[name]
    q, qd, qdd = state(robot, np.random.default_rng(31))
    # differences over 1e-5 s of velocities about 1: 1e-16 / 1e-5 and (1e-5)^2
    close(torques(robot, q, qd, qdd), partial_velocity_torques(robot, q, qd, qdd), 1e-8)


# -- the same equations asked differently -----------------------------------------------------

@pytest.mark.parametrize('name', ARMS)
def test_short_frames_and_base_parameters_give_the_same_torques(name):
    robot = ARMS[name]
    rng = np.random.default_rng(32)
    full = robot.tree
    reframed = reframe(full)
    for _ in range(5):
        q, qd, qdd = state(robot, rng)
        expected = torques(robot, q, qd, qdd)
        for arm in (reframed, lump(reframed), lump(full)):
            close(numbers(kane(arm, q, qd, qdd, robot.gravity)[0]), expected, 1e-13)


@pytest.mark.parametrize('name', ARMS)
def test_mass_matrix_has_the_columns_of_kane(name):
    robot = ARMS[name]
    q, *_ = state(robot, np.random.default_rng(33))
    rest = np.zeros(robot.nv)
    columns = [numbers(kane(robot.tree, q, rest, unit, np.zeros(3))[0])
               for unit in np.eye(robot.nv)]
    M = numbers(mass_matrix(robot.tree, q))
    close(M, np.transpose(columns), 1e-14)
    close(M, M.T, 1e-15)
    assert np.linalg.eigvalsh(M).min() > 0.0


@pytest.mark.parametrize('name', ARMS)
def test_factors_of_the_mass_matrix_solve_it(name):
    robot = ARMS[name]
    moving = robot.tree
    rng = np.random.default_rng(34)
    q, _, x = state(robot, rng)
    M = numbers(mass_matrix(moving, q))
    found = Factors(M.tolist(), moving.speed_parents, moving.speed_order).solve(M @ x)
    close(numbers(found), x, 1e-14 * np.linalg.cond(M))


@pytest.mark.parametrize('name', [name for name in ARMS if 'mimic' not in name])
def test_the_recursive_solution_undoes_the_inverse(name):
    robot = ARMS[name]
    q, qd, qdd = state(robot, np.random.default_rng(35))
    armature = list(np.linspace(0.0, 0.3, robot.nv))
    if robot.floating_base:
        armature[:6] = [0.0] * 6
    tau = torques(robot, q, qd, qdd) + armature * qdd
    M = numbers(mass_matrix(robot.tree, q)) + np.diag(armature)
    for arm in (robot.tree, lump(reframe(robot.tree))):
        found = recursive.forward(arm, q, qd, tau, robot.gravity, armature)
        close(numbers(found), qdd, 1e-14 * np.linalg.cond(M))


@pytest.mark.parametrize('name', ARMS)
def test_torques_are_linear_in_the_accelerations(name):
    robot = ARMS[name]
    rng = np.random.default_rng(36)
    q, qd, qdd = state(robot, rng)
    M = numbers(mass_matrix(robot.tree, q))
    h = torques(robot, q, qd, np.zeros(robot.nv))
    close(torques(robot, q, qd, qdd), M @ qdd + h, 1e-14)


def test_gravity_is_an_upward_acceleration_of_the_base():
    robot = ARMS['PRRPRR']
    q, qd, qdd = state(robot, np.random.default_rng(37))
    lifted = (np.zeros(3), np.zeros(3), -np.asarray(GRAVITY))
    tau, _ = kane(robot.tree, q, qd, qdd, np.zeros(3), base=lifted)
    close(numbers(tau), torques(robot, q, qd, qdd), 1e-15)


def test_a_turning_base_is_one_more_joint_below_the_arm():
    # the same arm on a turntable: its first joint is the prescribed motion of the base
    table = chain('RRPR', 38, GRAVITY)
    q, qd, qdd = state(table, np.random.default_rng(38))
    first, root = table.joints[0], table.links[1].name
    arm = type(table)('arm', table.links[1:], table.joints[1:], GRAVITY)
    moving = table.tree
    frame = moving.frames[root]
    R, _ = kinematics.frame_pose(moving, frame, q)
    velocity = numbers(kinematics.frame_velocity(moving, frame, q, qd))
    acceleration = numbers(kinematics.frame_acceleration(moving, frame, q, qd, qdd))
    R = numbers(R)
    base = (R.T @ velocity[3:], R.T @ acceleration[3:], R.T @ acceleration[:3])
    tau, _ = kane(arm.tree, q[1:], qd[1:], qdd[1:], R.T @ GRAVITY, base=base)
    assert first.kind == 'revolute'
    close(numbers(tau), torques(table, q, qd, qdd)[1:], 1e-13)


# -- balances ---------------------------------------------------------------------------------

@pytest.mark.parametrize('name', ARMS)
def test_power_of_the_torques_is_the_rate_of_energy(name):
    robot = ARMS[name]
    q, qd, qdd = state(robot, np.random.default_rng(41))
    moving, step = robot.tree, 1e-4

    def energy(s):
        kinetic, potential, strain = kinematics.energies(
            moving, displaced(robot, q, qd, qdd, s), qd + s * qdd, robot.gravity)
        assert strain == 0.0
        return float(kinetic + potential)

    # step^4 = 1e-16 times the fifth derivative, and round-off of the energy over step
    rate = five_point(energy, step)
    size = abs(energy(0.0)) + np.abs(torques(robot, q, qd, qdd) * qd).sum()
    assert torques(robot, q, qd, qdd) @ qd == pytest.approx(rate, abs=1e-9 * size)


def five_point(function, step):
    """Return the derivative at zero, with an error of step^4 times the fifth derivative."""
    return (8 * (function(step) - function(-step)) - function(2 * step)
            + function(-2 * step)) / (12 * step)


def displaced(robot, q, qd, qdd, s):
    """Return q after a short time s of speeds qd + s qdd, right to s^2: enough for a slope."""
    shift = s * qd + 0.5 * s * s * qdd
    if not robot.floating_base:
        return q + shift
    R = Rotation.from_quat(q[3:7])
    place = q[:3] + R.apply(shift[:3] + 0.5 * s * s * np.cross(qd[3:6], qd[:3]))
    return np.concatenate([place, (R * Rotation.from_rotvec(shift[3:6])).as_quat(),
                           q[7:] + shift[6:]])


def test_a_free_arm_keeps_its_momentum():
    robot = tree('RPR', [0, 1, 0], 42, (0.0, 0.0, 0.0), floating_base=True)
    q, qd, _ = state(robot, np.random.default_rng(42))
    moving = robot.tree
    # motors work between the links: the base gets no force, whatever the torques are
    tau = np.concatenate([np.zeros(6), [1.0, -2.0, 0.5]])
    qdd = numbers(recursive.forward(moving, q, qd, tau, np.zeros(3), [0.0] * robot.nv))

    def momentum(s):
        return np.concatenate([numbers(part) for part in kinematics.momentum(
            moving, displaced(robot, q, qd, qdd, s), qd + s * qdd)])

    rate = five_point(momentum, 1e-4)
    np.testing.assert_allclose(rate, 0.0, atol=1e-9 * np.abs(momentum(0.0)).max())


def test_gravity_alone_changes_momentum_by_the_weight():
    robot = ARMS['floating']
    q, qd, _ = state(robot, np.random.default_rng(43))
    moving = robot.tree
    qdd = numbers(recursive.forward(moving, q, qd, np.zeros(robot.nv), robot.gravity,
                                    [0.0] * robot.nv))

    def momentum(s):
        return np.concatenate([numbers(part) for part in kinematics.momentum(
            moving, displaced(robot, q, qd, qdd, s), qd + s * qdd)])

    rate = five_point(momentum, 1e-4)
    mass, centre = kinematics.mass_centre(moving, q)
    weight = mass * np.asarray(GRAVITY)
    np.testing.assert_allclose(rate[:3], weight, rtol=0, atol=1e-8 * np.abs(weight).max())
    np.testing.assert_allclose(rate[3:], np.cross(numbers(centre), weight), rtol=0,
                               atol=1e-8 * np.abs(weight).max())


def test_the_pair_in_the_first_joint_carries_the_whole_arm():
    # at rest: the weight of all that moves, and its moment about the joint
    arm = tree('RRPR', [0, 1, 2, 1], 44, GRAVITY)
    q, *_ = state(arm, np.random.default_rng(44))
    rest = np.zeros(arm.nv)
    moving = arm.tree
    _, pairs = kane(moving, q, rest, rest, arm.gravity)
    R, p = kinematics.poses(moving, q)[0]
    mass, centre = kinematics.mass_centre(moving, q)
    weight = mass * np.asarray(GRAVITY)
    F, N = (numbers(R) @ numbers(part) for part in pairs[0])
    close(F, -weight, 1e-14)
    close(N, -np.cross(numbers(centre) - numbers(p), weight), 1e-14)
