# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Mimic joints and their leaders: limits, damping, friction; by virtual work and energy."""

import math
import textwrap

import numpy as np
import pytest
from scipy.integrate import simpson

import kane_dynamics as kd
from kane_dynamics.analysis.study.study import analyse
from kane_dynamics.analysis.task_file.read_task import read_task
from kane_dynamics.task.inverse_kinematics import inverse_kinematics, NotReachedError
from kane_dynamics.task.joint_path import JointLine
from kane_dynamics.task.minimum_time import minimum_time


def link(name):
    return (f'<link name="{name}"><inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia '
            'ixx="0.002" iyy="0.02" izz="0.021" ixy="0" ixz="0" iyz="0"/></inertial></link>')


def joint(name, parent, child, lower=-1.0, upper=1.0, velocity=4.0, inside='', kind='revolute'):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{0.0 if parent == "base" else 0.4} 0 0"/><axis xyz="0 0 1"/><limit '
            f'lower="{lower}" upper="{upper}" velocity="{velocity}" effort="50"/>{inside}</joint>')


def mimic(leader, multiplier, offset=0.0):
    return f'<mimic joint="{leader}" multiplier="{multiplier}" offset="{offset}"/>'


def arm(follower, last='', leader=None):
    """Return a level arm: `one` leads `two`, and `three` follows `two` where it is given."""
    links = link('a') + link('b') + (link('c') if last else '')
    leader = joint('one', 'base', 'a') if leader is None else leader
    return kd.load_urdf(f'<robot name="led"><link name="base"/>{links}{leader}{follower}{last}'
                        '</robot>')


def twice(**limits):
    """Return the arm whose second joint is at 0.1 - 2 q of the first, within -0.25 ... 0.25."""
    return arm(joint('two', 'a', 'b', **{'lower': -0.25, 'upper': 0.25, **limits},
                     inside=mimic('one', -2.0, 0.1)))


def follower_of(robot, q):
    return 0.1 - 2.0 * np.asarray(q)


# ---- the limits ---------------------------------------------------------------------------------


def test_a_leader_stays_where_its_follower_keeps_its_own_limits():
    robot = twice(velocity=3.0)
    # 0.1 - 2 q within -0.25 ... 0.25; |2 qd| <= 3
    assert robot.limits.lower == pytest.approx([-0.075]) and robot.limits.upper == pytest.approx(
        [0.175])
    assert robot.limits.velocity == pytest.approx([1.5]) and robot.limits.effort == [50.0]
    assert robot.range_of('two') == pytest.approx((-0.25, 0.25))
    # the file's own limits stay with the joints
    assert robot.joint('one').limits.upper == 1.0


def test_a_follower_with_more_room_than_its_leader_changes_nothing():
    robot = arm(joint('two', 'a', 'b', -3.0, 3.0, 30.0, mimic('one', 2.0)))
    assert robot.limits.lower == [-1.0] and robot.limits.upper == [1.0]
    assert robot.limits.velocity == [4.0]
    assert robot.range_of('two') == (-2.0, 2.0)
    # printed digits: 1.1 x 0.909091 is the leader's limit
    robot = arm(joint('two', 'a', 'b', -1.1, 1.0999999, 4.4, mimic('one', 1.1)))
    assert robot.limits.upper == [1.0] and robot.limits.velocity == [4.0]


def test_limits_reach_the_leader_through_a_mimic_of_a_mimic():
    robot = arm(joint('two', 'a', 'b', -9, 9, 99, mimic('one', -2.0, 0.1)),
                joint('three', 'b', 'c', -0.2, 0.05, 0.9, mimic('two', 0.5, 0.3)))
    # q3 = 0.5 (0.1 - 2 q) + 0.3 = 0.35 - q
    assert robot.limits.lower == pytest.approx([0.3]) and robot.limits.upper == pytest.approx(
        [0.55])
    assert robot.limits.velocity == pytest.approx([0.9])


def test_acceleration_and_jerk_of_a_follower_limit_its_leader():
    # qdd2 = -2 qdd
    follower = joint('two', 'a', 'b', inside=mimic('one', -2.0)).replace(
        '<limit', '<limit acceleration="3" jerk="50"')
    leader = joint('one', 'base', 'a').replace('<limit', '<limit acceleration="2" jerk="20"')
    robot = kd.load_urdf(f'<robot name="led" version="1.2"><link name="base"/>{link("a")}'
                         f'{link("b")}{leader}{follower}</robot>')
    assert robot.limits.acceleration.tolist() == [1.5] and robot.limits.jerk.tolist() == [20.0]


def test_a_continuous_leader_is_bounded_by_its_follower():
    robot = arm(joint('two', 'a', 'b', -0.4, 0.6, inside=mimic('one', 0.5)),
                leader=joint('one', 'base', 'a', kind='continuous'))
    assert robot.limits.lower == pytest.approx([-0.8]) and robot.limits.upper == pytest.approx(
        [1.2])


@pytest.mark.parametrize(('limits', 'words'), [
    ({'lower': 0.0, 'upper': 0.5}, "'two' mimics 'one'.* 0 ... 0.5 leave 'one' no travel"),
    ({'lower': 0.0, 'upper': 0.0}, 'no travel'), ({'velocity': 0.0}, 'no speed')])
def test_a_follower_that_contradicts_its_leader_is_warned_of_and_does_not_count(limits, words):
    # a gripper: the second finger moves by -q, but its limits are those of the first one
    with pytest.warns(kd.KaneDynamicsWarning, match=words):
        robot = arm(joint('two', 'a', 'b', **{'lower': -9, 'upper': 9, **limits},
                          inside=mimic('one', -1.0)),
                    leader=joint('one', 'base', 'a', 0.0, 0.5))
    assert robot.limits.lower == [0.0] and robot.limits.upper == [0.5]
    assert robot.limits.velocity == [4.0]


# ---- damping, friction, rotors ------------------------------------------------------------------


def dynamics(damping, friction, armature):
    return f'<dynamics damping="{damping}" friction="{friction}" armature="{armature}"/>'


def test_a_follower_s_damping_counts_by_the_square_of_its_ratio_its_friction_by_the_ratio():
    robot = arm(joint('two', 'a', 'b', inside=mimic('one', 2.0) + dynamics(0.5, 0.4, 0.1)))
    friction = kd.Friction.of(robot)
    assert friction.viscous == pytest.approx([2.0]) and friction.coulomb == pytest.approx([0.8])
    assert robot.reflected.armature == pytest.approx([0.4])


def test_the_torque_of_a_leader_is_that_of_the_untied_arm_by_virtual_work():
    leader = joint('one', 'base', 'a', inside=dynamics(0.7, 1.1, 0.05))
    two = dynamics(0.5, 0.4, 0.1)
    three = dynamics(0.2, 0.6, 0.03)
    # q = G q_1 + o with three after two after one
    G, o = np.array([[1.0], [-2.0], [-3.0]]), np.array([0.0, 0.1, 0.15 + 0.3])
    tied = arm(joint('two', 'a', 'b', -9, 9, inside=mimic('one', -2.0, 0.1) + two),
               joint('three', 'b', 'c', -9, 9, inside=mimic('two', 1.5, 0.3) + three), leader)
    free = arm(joint('two', 'a', 'b', -9, 9, inside=two),
               joint('three', 'b', 'c', -9, 9, inside=three), leader)
    # a sharp sign: the smooth one is of the leader's speed here, of each joint's own there
    one, all_three = (kd.Dynamics(each, kd.Friction.of(each, smoothing_speed=1e-6))
                      for each in (tied, free))
    rng = np.random.default_rng(5)
    for q, qd, qdd in rng.normal(size=(20, 3, 1)):
        tau = all_three.inverse(G @ q + o, G @ qd, G @ qdd)
        np.testing.assert_allclose(one.inverse(q, qd, qdd), G.T @ tau, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(one.forward(q, qd, G.T @ tau), qdd, rtol=1e-8, atol=1e-8)


def test_damping_takes_out_of_a_led_arm_what_both_joints_lose():
    # energy: the loss is the integral of b qd^2 at both joints
    robot = arm(joint('two', 'a', 'b', -9, 9, 99, mimic('one', 2.0) + dynamics(0.5, 0.0, 0.0)),
                leader=joint('one', 'base', 'a', -9, 9, inside=dynamics(0.3, 0.0, 0.0)))
    dyn = kd.Dynamics(robot, kd.Friction.of(robot))
    solution = kd.simulate(dyn, [0.0], [1.5], duration=0.5, dt=1e-3, progress=False)
    qd = solution.qd[:, 0]
    lost = simpson(0.3 * qd**2 + 0.5 * (2.0 * qd)**2, x=solution.t)
    energy = solution.energy().total
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=1e-6)


# ---- who keeps them -----------------------------------------------------------------------------


def test_stops_hold_the_follower():
    robot = twice()
    solution = kd.simulate(kd.Dynamics(robot), [0.0], [0.0], [1.0], duration=2.0, dt=1e-3,
                           stops=True, progress=False)
    follower = follower_of(robot, solution.q[:, 0])
    assert follower.min() == pytest.approx(-0.25, abs=1e-9)
    assert solution.statistics.contacts > 0


def test_inverse_kinematics_stays_within_the_follower_s_limits():
    robot = twice()
    dyn = kd.Dynamics(robot)
    for q in (-0.07, 0.17):
        _, place = dyn.frame_pose('b', np.array([q]))
        assert inverse_kinematics(dyn, 'b', place) == pytest.approx([q], abs=1e-8)
    # the leader could go there, the follower could not
    _, place = dyn.frame_pose('b', np.array([0.3]))
    with pytest.raises(NotReachedError) as error:
        inverse_kinematics(dyn, 'b', place)
    assert follower_of(robot, error.value.nearest) == pytest.approx([-0.25])


def test_minimum_time_keeps_the_follower_s_speed():
    robot = twice(velocity=3.0)
    timed = minimum_time(kd.Dynamics(robot), JointLine([-0.07], [0.17]), effort=50.0)
    _, qd, _ = timed.sample_many(np.linspace(0.0, timed.duration, 2001))
    assert abs(2.0 * qd).max() == pytest.approx(3.0, rel=1e-3)


def test_analyze_judges_the_leader_by_its_follower(tmp_path):
    file = tmp_path / 'task.yaml'
    file.write_text(textwrap.dedent("""\
        task: {move: {one: 0.5}, posture: zero, duration: 1}
        """))
    for kind in ('revolute', 'continuous'):
        robot = arm(joint('two', 'a', 'b', -0.25, 0.25, inside=mimic('one', -2.0, 0.1)),
                    leader=joint('one', 'base', 'a', kind=kind))
        found = analyse(read_task(file, robot.to_urdf()), find_speed_factor=False)
        check, = (each for each in found.verdict.checks if each.kind == 'position')
        assert not check.passed and check.limit == pytest.approx(0.175)
        assert math.isclose(follower_of(robot, check.limit), -0.25)
