# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The shortest time on a path: against closed forms, and against a search that tries all."""

import math
from pathlib import Path
import re

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import kane_dynamics as kd
from kane_dynamics.task.cartesian_task import CartesianTask
from kane_dynamics.task.friction_limits import torque_left
from kane_dynamics.task.joint_path import JointLine, JointSpline
from kane_dynamics.task.minimum_time import minimum_time
from kane_dynamics.task.orientation import AxisRotation
from kane_dynamics.task.path import Line
from kane_dynamics.trajectory.moves import plan_move
from kane_dynamics.trajectory.time_scaling import largest_alpha

URDF = Path(__file__).resolve().parents[2] / 'urdf'
Q0 = np.array([0.3, 0.4, 0.2, 0.3, 0.7, -0.2])


def two_link(gravity=-9.81):
    return kd.Dynamics(kd.load_urdf(URDF / 'two_link.urdf', gravity=(0, 0, gravity)))


@pytest.fixture(scope='module')
def six():
    return kd.Dynamics(kd.load_urdf(URDF / 'six_axis.urdf'))


def six_axis_line(six):
    R, p = six.frame_pose('tool0', Q0)
    return CartesianTask(six, 'tool0', Line(p, p + [0.05, -0.5, 0.1]), AxisRotation(R), q0=Q0,
                         duration=1.0)


# ---- closed forms -------------------------------------------------------------------------------


def test_without_gravity_a_locked_elbow_is_bang_bang_in_twice_the_root_of_inertia_over_torque():
    arm = two_link(gravity=0.0)
    inertia = arm.mass_matrix(np.array([0.0, 0.7]))[0, 0]
    timed = minimum_time(arm, JointLine((0, 0.7), (1.2, 0.7)), effort=(5, 1000), velocity=1000)
    assert timed.duration == pytest.approx(2 * math.sqrt(1.2 * inertia / 5), rel=1e-12)
    tau = timed.torques(np.linspace(0.01, timed.duration - 0.01, 100))
    np.testing.assert_allclose(abs(tau[:, 0]), 5, rtol=1e-9)


def test_a_speed_limit_makes_it_a_trapezoid():
    arm = two_link(gravity=0.0)
    inertia = arm.mass_matrix(np.zeros(2))[0, 0]
    timed = minimum_time(arm, JointLine((0, 0), (1.2, 0)), effort=(5, 1000), velocity=(2, 1))
    a, v = 5 / inertia, 2.0
    assert timed.duration == pytest.approx(1.2 / v + v / a, rel=1e-5)      # of the grid, 1000


def test_acceleration_limits_of_the_urdf_are_kept_by_default():
    # bang-bang over an angle at a: 2 sqrt(angle / a); one joint moves, torques suffice
    text = (URDF / 'two_link.urdf').read_text().replace('<robot', '<robot version="1.2"', 1)
    text = re.sub('<limit ', '<limit acceleration="0.9" deceleration="0.5" ', text)
    arm = kd.Dynamics(kd.parse_urdf(text, gravity=(0, 0, 0)))
    path = JointLine([0.0, 0.4], [0.3, 0.4])
    timed = minimum_time(arm, path, velocity=math.inf, effort=math.inf, grid=2000)
    assert timed.duration == pytest.approx(2 * math.sqrt(0.3 / 0.5), rel=1e-3)
    faster = minimum_time(arm, path, velocity=math.inf, effort=math.inf, acceleration=2.0,
                          grid=2000)
    assert faster.duration == pytest.approx(2 * math.sqrt(0.3 / 2.0), rel=1e-3)


def test_acceleration_limits_alone_give_the_fastest_move():
    arm = two_link()
    timed = minimum_time(arm, JointLine((0, 0.5), (1.2, -0.4)), effort=np.inf, velocity=(1.5, 3),
                         acceleration=(4, 2))
    move = plan_move((0, 0.5), (1.2, -0.4), (1.5, 3), (4, 2), profile='trapezoidal')
    assert timed.duration == pytest.approx(move.duration, rel=1e-5)


def test_lifting_an_arm_against_gravity_is_bang_bang_by_its_energy():
    # I theta'' = tau - G cos theta: u = theta'^2 follows from work, the switch where both meet
    arm = two_link()
    inertia, weight = arm.mass_matrix(np.zeros(2))[0, 0], arm.gravity(np.zeros(2))[0]
    torque, start, end = 30.0, -0.4, 1.3

    def up(theta):
        return 2 / inertia * (torque * (theta - start)
                              - weight * (math.sin(theta) - math.sin(start)))

    def down(theta):
        return 2 / inertia * (torque * (end - theta) + weight * (math.sin(end) - math.sin(theta)))
    switch = brentq(lambda theta: up(theta) - down(theta), start, end)
    # theta = start + s^2 takes out the root at the end of the interval
    time = (quad(lambda s: 2 * s / math.sqrt(up(start + s * s)), 0, math.sqrt(switch - start))[0]
            + quad(lambda s: 2 * s / math.sqrt(down(end - s * s)), 0, math.sqrt(end - switch))[0])
    timed = minimum_time(arm, JointLine((start, 0), (end, 0)), effort=(torque, 1000),
                         velocity=1000)
    # limits hold at both ends of each interval: on the safe side, by a fraction of 1/grid
    assert time < timed.duration < time * (1 + 2e-4)
    finer = minimum_time(arm, JointLine((start, 0), (end, 0)), effort=(torque, 1000),
                         velocity=1000, grid=4000)
    assert finer.duration - time == pytest.approx((timed.duration - time) / 4, rel=0.05)


# ---- a search that tries all --------------------------------------------------------------------


def brute_force(arm, path, effort, velocity, acceleration=math.inf, nodes=60, levels=61, passes=8):
    """Return the shortest time of all speeds on a grid, refined about the best ones.

    Every pair of speeds at neighbouring nodes is tried by inverse dynamics at both ends and the
    middle of the interval, and the best sequence found by dynamic programming.
    """
    x = np.linspace(0, 1, nodes + 1)
    width = x[1] - x[0]
    # torques are linear in (x'', x'^2): three calls of inverse dynamics at each x determine them
    xs = np.linspace(0, 1, 2 * nodes + 1)
    q, q1, q2 = path.evaluate(xs)
    rest = np.zeros_like(q)
    c = arm.inverse_many(q, rest, rest)
    a, b = arm.inverse_many(q, rest, q1) - c, arm.inverse_many(q, q1, q2) - c
    fastest = np.min(np.where(abs(q1) > 1e-12, velocity / np.maximum(abs(q1), 1e-12), 1e3), axis=1)
    low, high = np.zeros(nodes + 1), np.minimum(fastest[::2], 50.0)
    high[0] = high[-1] = 0.0
    for _ in range(passes):
        grid = low[:, None] + np.linspace(0, 1, levels) * (high - low)[:, None]
        cost, choice = np.zeros(levels), []
        for k in reversed(range(nodes)):
            first, last = grid[k][:, None], grid[k + 1][None, :]
            alpha = (last ** 2 - first ** 2) / (2 * width)
            allowed = np.ones(alpha.shape, dtype=bool)
            for m, u in ((2 * k, first ** 2), (2 * k + 1, 0.5 * (first ** 2 + last ** 2)),
                         (2 * k + 2, last ** 2)):
                tau = (a[m] * alpha[..., None] + b[m] * (u + 0 * alpha)[..., None] + c[m])
                allowed &= (abs(tau) <= effort * (1 + 1e-9)).all(axis=-1)
                qdd = q1[m] * alpha[..., None] + q2[m] * (u + 0 * alpha)[..., None]
                allowed &= (abs(qdd) <= acceleration * (1 + 1e-9)).all(axis=-1)
                allowed &= u <= (fastest[m] * (1 + 1e-9)) ** 2
            with np.errstate(divide='ignore'):
                total = np.where(allowed, 2 * width / (first + last), np.inf) + cost
            choice.append(np.argmin(total, axis=1))
            cost = np.min(total, axis=1)
        best, k = [0], 0
        for pick in reversed(choice):
            k = pick[k]
            best.append(k)
        speed = grid[np.arange(nodes + 1), best]
        reach = 0.25 * (high - low)
        low, high = np.maximum(speed - reach, low), np.minimum(speed + reach, high)
    return cost[0]


def two_link_line():
    arm = two_link()
    return CartesianTask(arm, 'tool0', Line((0.5, 0, 0.4), (0.55, 0, -0.45)), q0=(1, -1),
                         duration=1.0)


@pytest.mark.parametrize('case', ['two links, a line', 'six axes, a line', 'six axes, a curve'])
def test_no_other_motion_on_the_path_is_two_percent_faster(six, case):
    limits = six.robot.limits
    arm, path, effort, velocity, acceleration = {
        'two links, a line': lambda: (two_link(), two_link_line().joint_path, np.array([25., 8]),
                                      np.array([6., 6]), math.inf),
        'six axes, a line': lambda: (six, six_axis_line(six).joint_path, 0.6 * limits.effort,
                                     limits.velocity, math.inf),
        'six axes, a curve': lambda: (
            six, JointSpline([Q0, Q0 + [0.5, -0.3, 0.4, 0, 0.3, 1], Q0 + [0.4, 0.5, -0.2, 1, -0.4,
                                                                          0.5],
                              Q0 + [-0.6, 0.3, 0.1, 0.4, 0.2, 0]]),
            0.6 * limits.effort, limits.velocity, np.full(6, 25.0))}[case]()
    timed = minimum_time(arm, path, effort=effort, velocity=velocity, acceleration=acceleration)
    searched = brute_force(arm, path, effort, velocity, acceleration)
    # the bar: 2 %. The search is on a grid of 60, whose own error is of that size
    assert timed.duration <= 1.02 * searched
    assert timed.duration >= 0.98 * searched
    assert_within(timed, effort, velocity, acceleration)


def assert_within(timed, effort, velocity, acceleration=math.inf):
    ts = np.linspace(0, timed.duration, 5001)
    q, qd, qdd = timed.sample_many(ts)
    tau = timed.torques(ts)
    # between grid points the limits may be passed by the square of their distance
    assert (abs(tau) <= effort * (1 + 1e-3)).all()
    assert (abs(qd) <= velocity * (1 + 1e-4)).all()
    assert (abs(qdd) <= acceleration * (1 + 1e-3)).all()
    # some limit is reached nearly all the time: otherwise it could be faster
    used = np.max(np.concatenate([abs(tau) / effort, abs(qd) / velocity, abs(qdd) / acceleration],
                                 axis=1), axis=1)
    assert np.mean(used > 0.98) > 0.95


def test_scaling_time_alone_is_slower_than_the_shortest_time(six):
    task = six_axis_line(six)
    effort = 0.6 * six.robot.limits.effort
    q, qd, qdd = task.sample_many(np.linspace(0, 1, 501))
    gravity = six.gravity_many(q)
    alpha = largest_alpha(gravity, six.inverse_many(q, qd, qdd) - gravity, effort)
    timed = minimum_time(six, task, effort=effort, velocity=1000)
    assert timed.duration < 1.0 / alpha < 3 * timed.duration


# ---- the motion that comes out ------------------------------------------------------------------


def test_the_motion_is_on_the_path_and_its_rates_are_its_own(six):
    task = six_axis_line(six)
    timed = minimum_time(six, task)
    motion = timed.sample(0.001)
    q, qd = motion.q, motion.qd
    p = task.point_positions(q)
    along = (p - task.path.first) @ (task.path.last - task.path.first) / task.path.length
    np.testing.assert_allclose(p, task.path.evaluate(along / task.path.length)[0], atol=1e-13)
    np.testing.assert_allclose(q[[0, -1]], task.sample_many([0, 1])[0], atol=1e-12)
    assert abs(qd[[0, -1]]).max() < 1e-9
    # midpoint differences within grid intervals, where x'' is constant
    ts = 0.5 * (timed.times[:-1] + timed.times[1:])[1:-1:7]
    h = 1e-7
    (q0, v0, _), (q1, v1, _), (_, v, a) = (timed.sample_many(ts + d) for d in (-h, h, 0))
    np.testing.assert_allclose((q1 - q0) / (2 * h), v, rtol=0, atol=1e-6)
    np.testing.assert_allclose((v1 - v0) / (2 * h), a, rtol=0, atol=1e-3)


def test_friction_makes_it_slower_and_is_part_of_the_torques_that_are_kept(six):
    robot = six.robot
    rubbing = kd.Dynamics(robot, kd.Friction(viscous=np.full(6, 5.0), coulomb=np.full(6, 6.0)))
    task, effort = six_axis_line(six), 0.6 * robot.limits.effort
    free = minimum_time(six, task, effort=effort)
    timed = minimum_time(rubbing, task, effort=effort)
    # joint 6 has 8.4 N m and loses 6 of them at once: its friction alone limits the speed
    assert timed.duration > 3 * free.duration
    ts = np.linspace(0, timed.duration, 3001)
    used = np.max(abs(timed.torques(ts)) / effort, axis=1)
    assert (used < 1 + 1e-4).all() and np.mean(used > 0.98) > 0.95


FRICTIONS = {
    'none': None,
    'viscous and Coulomb': kd.Friction(viscous=[7., 7, 5, 1, 1, .5],
                                       coulomb=[4., 4, 3, .8, .8, .5]),
    'nearly all of the torque': kd.Friction(viscous=np.full(6, 5.0), coulomb=np.full(6, 6.0)),
    'Stribeck': kd.Friction(viscous=np.full(6, 1.0), coulomb=[8., 8, 6, 2, 1.5, 1],
                            stiction=[12., 12, 9, 3, 2, 1.5]),
    'load': kd.Friction(viscous=[2., 2, 2, .5, .5, .3], coulomb=[3., 3, 2, .5, .5, .3],
                        load=np.full(6, 0.3)),
}
ZIGZAG = JointSpline([Q0, Q0 + [1, .3, -.5, 1, .5, 2], Q0 + [-.5, -.2, .4, -1, -.4, -1.5],
                      Q0 + [.6, .5, .2, .5, .9, 1]])      # every joint turns round twice


@pytest.mark.parametrize('path', ['line', 'zigzag'])
@pytest.mark.parametrize('friction', FRICTIONS)
def test_limits_hold_between_grid_points(six, friction, path):
    robot = six.robot
    arm = kd.Dynamics(robot, FRICTIONS[friction])
    effort, velocity = 0.6 * robot.limits.effort, robot.limits.velocity
    timed = minimum_time(arm, six_axis_line(six) if path == 'line' else ZIGZAG, effort=effort,
                         velocity=velocity, grid=400)
    # 20-fold oversampling of each interval and, for the ends, of the whole motion
    inside = (np.arange(20) + 0.5) / 20
    ts = np.concatenate([(timed.times[:-1, None] + inside * np.diff(timed.times)[:, None]).ravel(),
                         np.linspace(0.0, timed.duration, 8001),
                         timed.duration - np.geomspace(1e-7, 1e-2, 200)])
    _, qd, _ = timed.sample_many(ts)
    torque, speed = abs(timed.torques(ts)) / effort, abs(qd) / velocity
    assert torque.max() <= 1 + 1e-3 and speed.max() <= 1 + 1e-3
    # and all of the time some limit is nearly reached
    uniform = np.linspace(0.0, timed.duration, 2001)
    used = np.maximum(abs(timed.torques(uniform)) / effort,
                      abs(timed.sample_many(uniform)[1]) / velocity).max(axis=1)
    assert np.mean(used > 0.98) > 0.95


@pytest.mark.parametrize('share', [0.1, 0.4, 0.8])
def test_coulomb_friction_slows_the_start_and_helps_to_brake(share):
    # I a1 = (1 - share) tau, I a2 = (1 + share) tau: L = v^2 / 2 a1 + v^2 / 2 a2
    robot = kd.load_urdf(URDF / 'two_link.urdf', gravity=(0, 0, 0))
    arm = kd.Dynamics(robot, kd.Friction(viscous=[0, 0], coulomb=[share * 5.0, 0]))
    inertia = arm.mass_matrix(np.array([0.0, 0.7]))[0, 0]
    timed = minimum_time(arm, JointLine((0, 0.7), (1.2, 0.7)), effort=(5, 1000), velocity=1000)
    a1, a2 = (1 - share) * 5 / inertia, (1 + share) * 5 / inertia
    time = math.sqrt(2 * 1.2 * (1 / a1 + 1 / a2))
    assert time <= timed.duration <= time * (1 + 1e-3)


def test_a_coarse_grid_is_refined_where_limits_demand_it(six):
    limits = six.robot.limits
    fine, coarse = (minimum_time(six, ZIGZAG, effort=0.6 * limits.effort, grid=grid)
                    for grid in (4000, 200))
    assert 200 < len(coarse.x) - 1 < 400
    assert fine.duration < coarse.duration < 1.01 * fine.duration
    usual = minimum_time(six, ZIGZAG, effort=0.6 * limits.effort, grid=400)
    assert usual.duration < 1.002 * fine.duration


def test_torques_within_the_limits_left_by_friction_add_up_to_those_of_the_motor():
    friction = kd.Friction([0.5, 0.2], [2.0, 1.0], stiction=[3.0, 1.5], load=[0.3, 0.6])
    effort = np.array([[-50.0, -np.inf], [40.0, 20.0]])
    speed = np.linspace(-2.0, 2.0, 41)[:, None] * [1.0, 0.01]
    for limit, left in zip(effort, torque_left(friction, effort, speed)):
        for j in range(2):
            if math.isinf(limit[j]):
                assert (left[:, j] == limit[j]).all()
                continue
            for v, t in zip(speed[:, j], left[:, j]):
                def missing(load):
                    loads, speeds = np.zeros((2, 2))
                    loads[j], speeds[j] = load, v
                    return load + friction.torque(speeds, loads)[j] - limit[j]

                assert t == pytest.approx(brentq(missing, -500.0, 500.0, xtol=1e-11), abs=1e-9)


def test_infinite_torque_limits_go_with_friction(six):
    effort = 0.6 * six.robot.limits.effort
    effort[3:] = np.inf
    arm = kd.Dynamics(six.robot, FRICTIONS['load'])
    timed = minimum_time(arm, ZIGZAG, effort=effort, grid=100)
    tau = timed.torques(np.linspace(0.0, timed.duration, 2001))
    assert (abs(tau[:, :3]) <= effort[:3] * (1 + 1e-3)).all()


def test_one_sided_torque_limits_are_kept(six):
    task = six_axis_line(six)
    effort = np.stack([-0.6 * six.robot.limits.effort, 0.5 * six.robot.limits.effort])
    timed = minimum_time(six, task, effort=effort, velocity=1000)
    tau = timed.torques(np.linspace(0, timed.duration, 2001))
    slack = 1e-3 * six.robot.limits.effort
    assert (tau >= effort[0] - slack).all() and (tau <= effort[1] + slack).all()
    assert (abs(tau - effort[0]) < slack).any() and (abs(tau - effort[1]) < slack).any()


def test_an_arm_too_weak_to_hold_itself_is_refused_with_the_joint_and_the_fraction(six):
    with pytest.raises(kd.KaneDynamicsError, match="of the path: joint 'joint_2' needs .* -20"):
        minimum_time(six, six_axis_line(six), effort=20.0)


@pytest.mark.parametrize(('change', 'word'), [
    ({'effort': -1.0}, 'effort must be positive'), ({'effort': (1, 2)}, r'\(2, 6\)'),
    ({'velocity': 0.0}, 'velocity must be positive'), ({'grid': 1}, 'grid'),
    ({'acceleration': (1, 2)}, 'acceleration must be positive'),
    ({'effort': math.inf}, 'limits of torque or of acceleration'),
    ({'path': JointLine((0, 0), (1, 1))}, '2 joints'), ({'path': 'home'}, 'one path of all'),
    ({'path': JointLine(Q0, Q0)}, 'stays where it starts')])
def test_wrong_arguments_are_refused_with_the_reason(six, change, word):
    with pytest.raises(kd.InputError, match=word):
        minimum_time(six, **{'path': JointLine(Q0, Q0 + 0.1), **change})


def test_a_flexible_arm_is_refused_with_what_to_do():
    arm = kd.Dynamics(kd.load_urdf(URDF / 'flexible_six_axis.urdf'))
    with pytest.raises(kd.InputError, match='rigid'):
        minimum_time(arm, JointLine(Q0, Q0 + 0.1))
