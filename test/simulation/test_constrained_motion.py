# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Motions under constraints and on moving bases: closed forms, MuJoCo, balances."""

import math
from pathlib import Path
from xml.etree import ElementTree

from mechanisms import (
    five_bar, five_bar_posture, four_bar, four_bar_posture, point_mass, Reduced)
import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.spatial.transform import Rotation

import kane_dynamics as kd
from kane_dynamics.dynamics.constraints.closure import assemble, complete_speeds
from kane_dynamics.dynamics.constraints.constrained_dynamics import ConstrainedDynamics
from kane_dynamics.dynamics.constraints.constraints import Loop, PointOnSurfaces
from kane_dynamics.dynamics.constraints.surfaces import (
    line_surfaces, MovingSurface, Plane, Sphere)
from kane_dynamics.simulation.equations.base_motion import BaseMotion
from kane_dynamics.task.orientation import AxisRotation
from kane_dynamics.task.path import Line

URDF = Path(__file__).resolve().parents[2] / 'urdf'
FIVE = Loop('left_coupler', 'right_coupler', (0.4, 0, 0), (0.4, 0, 0), 'planar', (0, 1, 0))
FOUR = Loop('coupler', 'rocker', (0.6, 0, 0), (0.4, 0, 0), 'planar', (0, 1, 0))
X0, XD0 = np.array([2.0, 1.0]), np.array([1.0, -2.0])


def springs(t, q, qd):
    """Return torques that keep the five-bar from its stretched configurations."""
    return np.array([30 * (2.0 - q[0]) + 6, 0, 30 * (1.0 - q[2]) - 6, 0])


def largest_gap(dynamics, constraints, solution):
    constrained = ConstrainedDynamics(dynamics, constraints)
    return max(abs(constrained.terms(q, qd, t)[0]).max()
               for t, q, qd in zip(solution.t, solution.q, solution.qd))


# ---- closed loops -------------------------------------------------------------------------------


def four_bar_start(crank, speed):
    arm = kd.Dynamics(four_bar())
    constrained = ConstrainedDynamics(arm, [FOUR])
    q = assemble(constrained, [crank, 0.0, 1.0], fixed=['crank_joint'])
    return arm, q, complete_speeds(constrained, q, {'crank_joint': speed})


@pytest.mark.parametrize(('method', 'options', 'slack'), [
    ('DOP853', {'rtol': 1e-10, 'atol': 1e-12}, 1e-7), ('rk4', {}, 1e-6),
    ('kutta_merson', {'rtol': 1e-9, 'atol': 1e-11}, 1e-6)])
def test_a_four_bar_runs_by_its_energy_and_stays_closed(method, options, slack):
    arm, q0, qd0 = four_bar_start(0.5, 12.0)
    np.testing.assert_allclose(q0, four_bar_posture(0.5), atol=1e-12)
    solution = kd.simulate(arm, q0, qd0, duration=1.0, dt=0.002, method=method,
                           constraints=[FOUR], **options)
    assert largest_gap(arm, [FOUR], solution) < 1e-12      # the bar: 1e-8 m
    # one degree of freedom: theta' = sqrt(2 (E - V) / I), I and V by circles and differences
    reduced = Reduced(arm, four_bar_posture)
    energy = arm.energy(q0, qd0).total

    def slowness(theta):
        inertia = reduced.mass(np.array([theta]))[0, 0]
        potential = arm.energy(four_bar_posture(theta), np.zeros(3)).potential
        return math.sqrt(inertia / (2 * (energy - potential)))
    crank = solution.q[:, 0]
    assert (np.diff(crank) > 0).all() and crank[-1] > 0.5 + 2 * math.pi
    for k in (250, 500):
        time = sum(quad(slowness, a, b, epsabs=1e-11, limit=200)[0]
                   for a, b in zip(np.linspace(0.5, crank[k], 9)[:-1],
                                   np.linspace(0.5, crank[k], 9)[1:]))
        # the bar: 1e-5; slowness is some 0.1 s/rad
        assert time == pytest.approx(solution.t[k], abs=slack)
        np.testing.assert_allclose(np.exp(1j * solution.q[k]),
                                   np.exp(1j * four_bar_posture(crank[k])), atol=1e-11)
    assert solution.balance().relative_drift < 10 * slack
    assert abs(solution.work).max() < 1e-6                  # ideal constraints do none


def test_a_five_bar_moves_as_lagranges_equations_of_its_two_cranks():
    arm = kd.Dynamics(five_bar())
    reduced = Reduced(arm, five_bar_posture)
    q0 = five_bar_posture(*X0)
    solution = kd.simulate(arm, q0, reduced.partial(X0) @ XD0, springs, duration=0.3, dt=0.1,
                           method='DOP853', rtol=1e-9, atol=1e-11, constraints=[FIVE])

    def rate(t, y):
        return np.concatenate([y[2:], reduced.acceleration(
            y[:2], y[2:], springs(t, five_bar_posture(*y[:2]), None))])
    other = solve_ivp(rate, (0, 0.3), np.concatenate([X0, XD0]), 'DOP853', solution.t, rtol=1e-7,
                      atol=1e-9)
    # the bar: constraint 1e-8 m, motion 1e-5
    for q, x in zip(solution.q, other.y[:2].T):
        np.testing.assert_allclose(q, five_bar_posture(*x), rtol=0, atol=1e-7)
    assert largest_gap(arm, [FIVE], solution) < 1e-12


def mujoco_of(robot, bodies, anchors, timestep):
    """Return MuJoCo's model of a robot with points of two bodies connected, as stiff as it can."""
    import mujoco
    root = ElementTree.fromstring(robot.to_urdf())
    for link in root.iter('link'):
        for visual in link.findall('visual'):
            link.remove(visual)
    for joint in root.iter('joint'):
        for tag in ('limit', 'dynamics'):
            for each in joint.findall(tag):
                joint.remove(each)
        if joint.get('type') == 'revolute':
            joint.set('type', 'continuous')
    ElementTree.SubElement(ElementTree.SubElement(root, 'mujoco'), 'compiler',
                           balanceinertia='false', boundmass='0', boundinertia='0',
                           discardvisual='true', fusestatic='false')
    spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, 'unicode'))
    connect = spec.add_equality()
    connect.type, connect.objtype = mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtObj.mjOBJ_BODY
    connect.name1, connect.name2 = bodies
    connect.data[:3] = anchors[0]
    # MuJoCo's constraints give way: by (1 - 0.9999) of the force, over a stiffness of 1e6/s^2
    connect.solref, connect.solimp = [-1e6, -2e3], [0.9999, 0.9999, 0.001, 0.5, 2]
    spec.option.timestep, spec.option.gravity = timestep, robot.gravity
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.tolerance, spec.option.iterations = 1e-15, 200
    model = spec.compile()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.eq_data[0][3:6] = anchors[1]
    assert [model.joint(k).name for k in range(model.njnt)] == list(robot.joint_names)
    return mujoco, model, mujoco.MjData(model)


def mujoco_motion(robot, bodies, anchors, q0, qd0, torque, times, timestep=1e-4):
    """Return q at times, multiples of the step, by MuJoCo."""
    mujoco, model, data = mujoco_of(robot, bodies, anchors, timestep)
    data.qpos[:], data.qvel[:] = q0, qd0
    rows = [q0]

    def control(model, data):
        data.qfrc_applied[:] = torque(data.time, data.qpos, data.qvel)
    mujoco.set_mjcb_control(control)
    try:
        for steps in np.round(np.diff(times) / timestep).astype(int):
            mujoco.mj_step(model, data, steps)
            rows.append(data.qpos.copy())
    finally:
        mujoco.set_mjcb_control(None)
    return np.array(rows)


def test_a_five_bar_moves_as_mujocos():
    arm = kd.Dynamics(five_bar())
    q0 = five_bar_posture(*X0)
    qd0 = complete_speeds(ConstrainedDynamics(arm, [FIVE]), q0,
                          {'left_joint': 1.0, 'right_joint': -2.0})
    solution = kd.simulate(arm, q0, qd0, springs, duration=1.0, dt=0.1, method='DOP853',
                           rtol=1e-9, atol=1e-11, constraints=[FIVE])
    q = mujoco_motion(arm.robot, ('left_coupler', 'right_coupler'), [(0.4, 0, 0)] * 2, q0, qd0,
                      springs, solution.t)
    assert np.ptp(solution.q[:, 0]) > 0.3
    # the bar: 1e-5; MuJoCo's connection gives way by some 1e-9 m here
    np.testing.assert_allclose(solution.q, q, rtol=0, atol=1e-6)


def test_an_arm_whose_tool_is_pinned_swings_as_mujocos():
    # a loop in space: six joints, a ball joint between tool and ground leaves three to move
    arm = kd.Dynamics(kd.load_urdf(URDF / 'six_axis.urdf'))
    q0 = np.array([0.3, 0.4, 0.2, 0.3, 0.7, -0.2])
    p = arm.frame_pose('flange', q0)[1]
    loop = Loop('flange', 'base_link', (0, 0, 0), p)
    qd0 = complete_speeds(ConstrainedDynamics(arm, [loop]), q0,
                          {'joint_4': 1.0, 'joint_5': -0.5, 'joint_6': 1.0})

    def torque(t, q, qd):
        return -0.1 * qd - 5.0 * (q - q0)
    solution = kd.simulate(arm, q0, qd0, torque, duration=0.4, dt=0.1, method='DOP853', rtol=1e-9,
                           atol=1e-11, constraints=[loop])
    q = mujoco_motion(arm.robot, ('flange', 'base_link'), [(0, 0, 0), p], q0, qd0, torque,
                      solution.t)
    np.testing.assert_allclose(solution.q, q, rtol=0, atol=1e-5)
    assert abs(solution.q - q0).max() > 0.05
    assert largest_gap(arm, [loop], solution) < 1e-12


# ---- the tip on surfaces ------------------------------------------------------------------------


def test_a_tip_on_a_circle_about_the_shoulder_is_a_pendulum_with_a_locked_elbow():
    arm = kd.Dynamics(kd.load_urdf(URDF / 'two_link.urdf'))
    q0 = np.array([-0.5, 0.8])
    radius = float(np.linalg.norm(arm.frame_pose('tool0', q0)[1]))
    ring = PointOnSurfaces('tool0', Sphere((0, 0, 0), radius))
    solution = kd.simulate(arm, q0, [2.0, 0.0], duration=1.0, dt=0.1, method='DOP853', rtol=1e-10,
                           atol=1e-12, constraints=[ring])
    np.testing.assert_allclose(solution.q[:, 1], 0.8, atol=1e-12)
    # I theta'' = -dV/dtheta of the arm as one body
    inertia = arm.mass_matrix(q0)[0, 0]
    pendulum = solve_ivp(lambda t, y: [y[1], -arm.gravity([y[0], 0.8])[0] / inertia], (0, 1),
                         [-0.5, 2.0], 'DOP853', solution.t, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(solution.q[:, 0], pendulum.y[0], rtol=0, atol=1e-9)
    # what the ring does at the elbow is what a lock would do there
    lock = [arm.inverse(q, qd, qdd)[1] for q, qd, qdd in zip(
        solution.q, solution.qd, solution.accelerations())]
    J = [arm.frame_jacobian('tool0', q)[:3] for q in solution.q]
    n = [arm.frame_pose('tool0', q)[1] / radius for q in solution.q]
    ring_torque = [(each.T @ normal)[1] * f
                   for each, normal, f in zip(J, n, solution.forces[:, 0])]
    np.testing.assert_allclose(ring_torque, lock, atol=1e-9)


def test_a_mass_on_a_sphere_keeps_energy_and_moment_of_momentum():
    arm = kd.Dynamics(point_mass())
    ball = PointOnSurfaces('mass', Sphere((0, 0, 0), 0.8))
    solution = kd.simulate(arm, [0.48, 0, -0.64], [0.8, 2.0, 0.6], duration=3.0, dt=0.005,
                           constraints=[ball])
    p, v = solution.q, solution.qd
    np.testing.assert_allclose(np.linalg.norm(p, axis=1), 0.8, atol=1e-12)
    spin = p[:, 0] * v[:, 1] - p[:, 1] * v[:, 0]
    np.testing.assert_allclose(spin, spin[0], rtol=1e-5)           # rk4, 5 ms
    assert solution.balance().relative_drift < 1e-5
    # N = m (g . n - v^2/r), n outward
    normal = 2.0 * (9.81 * p[:, 2] / 0.8 - np.sum(v * v, axis=1) / 0.8)
    np.testing.assert_allclose(solution.forces[:, 0], normal, atol=1e-9)


def test_a_bead_on_a_straight_wire_slides_down_with_the_slopes_share_of_gravity():
    arm = kd.Dynamics(point_mass())
    direction = np.array([1.0, 2.0, -2.0]) / 3.0
    wire = PointOnSurfaces('mass', *line_surfaces((0.1, 0.2, 0.3), direction))
    solution = kd.simulate(arm, [0.1, 0.2, 0.3], np.zeros(3), duration=0.5, dt=0.01,
                           constraints=[wire])
    expected = [0.1, 0.2, 0.3] + np.outer(0.5 * 9.81 * 2 / 3 * solution.t ** 2, direction)
    np.testing.assert_allclose(solution.q, expected, atol=1e-11)
    # the wire carries what is left of the weight
    np.testing.assert_allclose(np.linalg.norm(solution.forces, axis=1),
                               2 * 9.81 * math.sqrt(1 - 4 / 9), rtol=1e-12)


def test_a_plane_that_is_lifted_lifts_the_mass_and_its_work_is_in_the_balance():
    arm = kd.Dynamics(point_mass())

    def lift(t):
        return np.array([0, 0, 1.5 * t * t]), np.array([0, 0, 3.0 * t]), np.array([0, 0, 3.0])
    floor = PointOnSurfaces('mass', MovingSurface(Plane((0, 0, 0.2), (0, 0, 1)), lift))
    for method in ('rk4', 'DOP853', 'semi_implicit'):
        solution = kd.simulate(arm, [0, 0, 0.2], [0.5, 0, 0], duration=1.0, dt=0.01, method=method,
                               constraints=[floor])
        np.testing.assert_allclose(solution.q[:, 2], 0.2 + 1.5 * solution.t ** 2, atol=1e-12)
        np.testing.assert_allclose(solution.qd[:, 2], 3.0 * solution.t, atol=1e-12)
        np.testing.assert_allclose(solution.forces[:, 0], 2 * (9.81 + 3.0), atol=1e-8)
        if method != 'semi_implicit':           # of first order: its work is taken at the start
            assert solution.work[-1] == pytest.approx(2 * 9.81 * 1.5 + 0.5 * 2 * 9.0, rel=1e-8)
            assert solution.balance().relative_drift < 1e-8


def test_the_power_of_a_surface_at_rest_is_zero_and_friction_is_still_told():
    robot = kd.load_urdf(URDF / 'six_axis.urdf')
    arm = kd.Dynamics(robot, kd.Friction(viscous=np.full(6, 0.02), coulomb=np.zeros(6)))
    q0 = np.array([0.3, 0.4, 0.2, 0.3, 0.7, -0.2])
    table = PointOnSurfaces('tool0', Plane(arm.frame_pose('tool0', q0)[1], (0, 0, 1)))
    solution = kd.simulate(arm, q0, np.zeros(6), duration=0.3, dt=0.01, method='DOP853',
                           rtol=1e-9, atol=1e-11, constraints=[table])
    balance = solution.balance()
    assert abs(solution.work).max() < 1e-8 and balance.friction_loss > 0.01
    assert balance.relative_drift < 1e-6
    assert solution.forces[0, 0] > 0                        # the arm leans on the table


# ---- a base that moves --------------------------------------------------------------------------


def test_a_base_that_accelerates_upward_is_more_gravity():
    robot = kd.load_urdf(URDF / 'two_link.urdf')
    arm = kd.Dynamics(robot)
    heavier = kd.Dynamics(robot.with_gravity((0, 0, -12.0)))
    lift = BaseMotion(lambda t: (np.eye(3), np.zeros(3), np.zeros(3), [0, 0, 12.0 - 9.81]))
    one = kd.simulate(arm, [0.3, -0.5], [1, 0], duration=1.0, dt=0.01, base=lift)
    two = kd.simulate(heavier, [0.3, -0.5], [1, 0], duration=1.0, dt=0.01)
    np.testing.assert_allclose(one.q, two.q, rtol=0, atol=1e-12)


def test_a_prescribed_base_is_the_same_as_joints_below_that_are_driven_so():
    # slide along y and turn about z: as the base's motion, and as two more joints
    robot = kd.load_urdf(URDF / 'six_axis.urdf')
    arm = kd.Dynamics(robot)
    text = robot.to_urdf().replace('<robot name="six_axis">', """<robot name="six_axis">
      <link name="ground"/><link name="cart"/>
      <joint name="slide" type="prismatic"><parent link="ground"/><child link="cart"/>
      <axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
      <joint name="table" type="continuous"><parent link="cart"/><child link="base_link"/>
      <axis xyz="0 0 1"/></joint>""")
    with pytest.warns(kd.KaneDynamicsWarning):             # a cart without mass
        longer = kd.Dynamics(kd.load_urdf(text))
    assert longer.robot.joint_names[:2] == ('slide', 'table')
    base = BaseMotion.along(Line((0, 0, 0), (0, 0.8, 0)), 1.0, 'quintic',
                            AxisRotation(np.eye(3), (0, 0, 1), 1.2))
    q0, qd0 = np.array([0.3, 0.4, 0.2, 0.3, 0.7, -0.2]), 0.3 * np.ones(6)
    options = {'duration': 1.0, 'dt': 0.1, 'method': 'DOP853', 'rtol': 1e-10, 'atol': 1e-12}
    solution = kd.simulate(arm, q0, qd0, lambda t, q, qd: -0.02 * qd, base=base, **options)

    def quintic(t):
        return t ** 3 * (10 - 15 * t + 6 * t * t), 30 * t * t * (1 - t) ** 2, 60 * t * (
            1 - t) * (1 - 2 * t)

    def torque(t, q, qd):
        # drives of slide and table that make their motion, whatever the arm does
        tau = np.concatenate([[0, 0], -0.02 * qd[2:]])
        M, h = longer.mass_matrix(q), longer.bias(q, qd)
        given = quintic(t)[2] * np.array([0.8, 1.2])
        rest = np.linalg.solve(M[2:, 2:], (tau - h)[2:] - M[2:, :2] @ given)
        tau[:2] = (M @ np.concatenate([given, rest]) + h)[:2]
        return tau
    other = kd.simulate(longer, [0, 0, *q0], [0, 0, *qd0], torque, **options)
    np.testing.assert_allclose(other.q[:, 1], 1.2 * quintic(other.t)[0], atol=1e-8)
    np.testing.assert_allclose(solution.q, other.q[:, 2:], rtol=0, atol=1e-7)
    np.testing.assert_allclose(solution.accelerations(), other.accelerations()[:, 2:], rtol=0,
                               atol=1e-5)
    # relative to the base: energy is work of torques and of inertia forces
    assert solution.balance().relative_drift < 1e-7


def test_base_motion_is_that_of_the_frame_in_which_the_root_link_stands():
    # the same motion of the root link as coordinates of a floating base: other equations
    rng = np.random.default_rng(7)
    turn, stand = (Rotation.from_rotvec(rng.normal(size=3)).as_matrix() for _ in range(2))
    w, alpha, a, offset = rng.normal(size=(4, 3))
    robot = kd.load_urdf(URDF / 'six_axis.urdf').with_base(stand, offset)
    motion = BaseMotion(lambda t: (turn, w, alpha, a))
    q, qd, qdd = rng.normal(size=(3, 6))
    tau = kd.Dynamics(robot).inverse(q, qd, qdd, base=motion.in_base_axes(0.0, robot.gravity))
    # the root link in the inertial frame, instantaneously at rest: v = 0
    R, r = turn @ stand, turn @ offset
    a_root = a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
    floating = kd.Dynamics(kd.load_urdf(URDF / 'six_axis.urdf', floating_base=True))
    expected = floating.inverse([*r, *Rotation.from_matrix(R).as_quat(), *q],
                                [0, 0, 0, *(R.T @ w), *qd],
                                [*(R.T @ a_root), *(R.T @ alpha), *qdd])[6:]
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-12 * abs(tau).max())


@pytest.mark.parametrize('floating', [False, True])
def test_poses_and_velocities_are_relative_to_the_world_and_not_to_the_root_link(floating):
    rng = np.random.default_rng(8)
    stand, offset = Rotation.from_rotvec(rng.normal(size=3)).as_matrix(), rng.normal(size=3)
    robot = kd.load_urdf(URDF / 'six_axis.urdf', floating_base=floating)
    arm, moved = kd.Dynamics(robot), kd.Dynamics(robot.with_base(stand, offset))
    q = robot.neutral()
    q[robot.joints_q] = rng.normal(size=6)
    qd = rng.normal(size=robot.nv)
    if floating:
        q[:7] = [*rng.normal(size=3), *Rotation.from_rotvec(rng.normal(size=3)).as_quat()]
    R, p = arm.frame_pose('tool0', q)                       # relative to the root's pose at q = 0
    found_R, found_p = moved.frame_pose('tool0', q)
    np.testing.assert_allclose(found_R, stand @ R, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found_p, offset + stand @ p, rtol=0, atol=1e-14)
    np.testing.assert_allclose(moved.mass_centre(q), offset + stand @ arm.mass_centre(q), rtol=0,
                               atol=1e-14)
    velocity = arm.frame_velocity('tool0', q, qd).reshape(2, 3) @ stand.T
    np.testing.assert_allclose(moved.frame_velocity('tool0', q, qd), velocity.ravel(), rtol=0,
                               atol=1e-13)


def test_a_base_that_tilts_turns_gravity():
    robot = kd.load_urdf(URDF / 'two_link.urdf')
    # tilted about y by a quarter turn, at rest: gravity is along the arm's own x
    tilt = BaseMotion(lambda t: (np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]), np.zeros(3),
                                 np.zeros(3), np.zeros(3)))
    tilted = kd.Dynamics(robot.with_gravity((9.81, 0, 0)))
    one = kd.simulate(kd.Dynamics(robot), [0.3, -0.5], [1, 0], duration=0.5, dt=0.01, base=tilt)
    two = kd.simulate(tilted, [0.3, -0.5], [1, 0], duration=0.5, dt=0.01)
    np.testing.assert_allclose(one.q, two.q, rtol=0, atol=1e-12)


def test_a_loop_on_a_moving_base_stays_closed():
    arm = kd.Dynamics(five_bar())
    q0 = five_bar_posture(*X0)
    shake = BaseMotion(lambda t: (np.eye(3), np.zeros(3), np.zeros(3),
                                  [5 * math.sin(9 * t), 0, 3 * math.cos(7 * t)]))
    solution = kd.simulate(arm, q0, np.zeros(4), springs, duration=0.5, dt=0.002,
                           constraints=[FIVE], base=shake)
    still = kd.simulate(arm, q0, np.zeros(4), springs, duration=0.5, dt=0.002, constraints=[FIVE])
    assert largest_gap(arm, [FIVE], solution) < 1e-12
    assert abs(solution.q - still.q).max() > 0.01
    # the springs' energy is not the arm's: it is in their work, with the base's
    assert solution.balance().relative_drift < 1e-6


# ---- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(('change', 'word'), [
    ({'q0': five_bar_posture(*X0) + [0.1, 0, 0, 0]}, 'q0 breaks row .*assemble'),
    ({'qd0': [1.0, 0, 0, 0]}, 'qd0 breaks row'),
    ({'method': 'midpoint'}, 'midpoint'), ({'stops': True}, 'without stops'),
    ({'constraints': [], 'base': 'ship'}, 'BaseMotion'),
    ({'base': BaseMotion(lambda t: np.zeros(3))}, 'R, w, alpha'),
    ({'base': BaseMotion(lambda t: (np.eye(3), np.zeros(3), np.zeros(3), 0.0))}, 'R .* each'),
])
def test_what_does_not_fit_is_refused_with_the_reason(change, word):
    arguments = {'q0': five_bar_posture(*X0), 'qd0': np.zeros(4), 'duration': 0.1, 'dt': 0.01,
                 'constraints': [FIVE], **change}
    with pytest.raises(kd.InputError, match=word):
        kd.simulate(kd.Dynamics(five_bar()), **arguments)


def test_a_floating_base_cannot_be_prescribed():
    arm = kd.Dynamics(kd.load_urdf(URDF / 'six_axis.urdf', floating_base=True))
    still = BaseMotion(lambda t: (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)))
    with pytest.raises(kd.InputError, match='floats'):
        kd.simulate(arm, arm.robot.neutral(), np.zeros(12), duration=0.1, dt=0.01, base=still)
