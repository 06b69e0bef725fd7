# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A goal that comes while a trajectory runs: what is kept, what is dropped, how they join."""

import numpy as np
import pytest

from kane_dynamics.exceptions import InputError
from kane_dynamics.trajectory.angles import position_error, shortest_angular_distance, whole_turns
from kane_dynamics.trajectory.goal.acceptance import accept_goal, ArmState
from kane_dynamics.trajectory.goal.goal import TrajectoryGoal
from kane_dynamics.trajectory.goal.refusal import GoalRefusedError, RefusalReason
from kane_dynamics.trajectory.goal.rules import GoalRules
from kane_dynamics.trajectory.moves import Move
from kane_dynamics.trajectory.profiles import triangular
from kane_dynamics.trajectory.splice import in_sequence, spliced
from kane_dynamics.trajectory.trajectory import brake, hold, Trajectory

JOINTS = ('a', 'b')
CLOSE = {'rtol': 1e-9, 'atol': 1e-9}


def running(**more):
    """Return a trajectory from 10 s to 14 s, quintic, moving at every time inside."""
    times = np.array([0.0, 1.0, 2.0, 4.0])
    q = np.column_stack([times ** 2, -times])
    v = np.column_stack([2.0 * times, -np.ones(4)])
    a = np.column_stack([np.full(4, 2.0), np.zeros(4)])
    v[-1] = a[-1] = 0.0
    return Trajectory(JOINTS, times, q, v, a, start=10.0, **more)


def goal(times=(1.0, 2.0), positions=((5.0, 5.0), (6.0, 4.0)), names=JOINTS, **more):
    if 'velocities' not in more:
        velocities = np.full((len(times), len(names)), 0.5)
        velocities[-1] = 0.0
        more = {'velocities': velocities, **more}
    return TrajectoryGoal(names, times, positions, **more)


def assert_same_motion(one, other, ts):
    for left, right in zip(one.sample_many(ts), other.sample_many(ts)):
        np.testing.assert_allclose(left, right, **CLOSE)


def assert_continuous(trajectory, t, rate=100.0):
    """Check position and velocity on both sides of t; rate bounds their change per second."""
    dt = 1e-7
    before, after = trajectory.sample(t - dt), trajectory.sample(t + dt)
    for left, right in zip(before[:2], after[:2]):
        np.testing.assert_allclose(left, right, atol=2.0 * dt * rate)


@pytest.mark.parametrize('stamp', [None, 11.7, 12.0, 13.5])
def test_the_current_trajectory_is_kept_until_the_new_start_and_joined_there(stamp):
    current, now = running(), 11.3
    at = stamp or now
    replaced = accept_goal(goal(stamp=stamp), JOINTS, now, current=current)
    # also a little before now: a loop may sample with a time taken before the goal came
    assert_same_motion(replaced, current, np.linspace(now - 0.01, at - 1e-6, 30))
    assert_continuous(replaced, at)
    np.testing.assert_allclose(replaced.sample(at + 1.0)[0], [5.0, 5.0], **CLOSE)
    np.testing.assert_allclose(replaced.sample(at + 9.0)[0], [6.0, 4.0], **CLOSE)
    assert replaced.start == at and replaced.end == at + 2.0


def test_old_points_after_the_new_start_are_dropped():
    replaced = accept_goal(goal(stamp=11.5), JOINTS, 11.3, current=running())
    absolute = replaced.start + replaced.times
    np.testing.assert_allclose(absolute, [11.0, 11.5, 12.5, 13.5])


def test_the_join_is_what_the_new_points_carry_from_the_state_of_the_current_trajectory():
    current = running()
    carried = {'velocities': [[0.5, 0.5], [0.0, 0.0]], 'accelerations': [[1.0, 1.0], [0.0, 0.0]]}
    replaced = accept_goal(goal(**carried), JOINTS, 11.3, current=current)
    # quintic on both ends: the acceleration has no step either
    np.testing.assert_allclose(replaced.sample(11.3)[2], current.sample(11.3)[2], **CLOSE)
    state = ArmState(*current.sample(11.3)[:3])
    assert_same_motion(replaced, accept_goal(goal(**carried), JOINTS, 11.3, state),
                       np.linspace(11.3, 14.0, 40))


def test_new_points_in_the_past_are_discarded():
    replaced = accept_goal(goal(stamp=10.0), JOINTS, 11.3, current=running())
    absolute = replaced.start + replaced.times
    np.testing.assert_allclose(absolute, [11.0, 11.3, 12.0])  # the new point of 11 s is gone
    assert_continuous(replaced, 11.3)
    np.testing.assert_allclose(replaced.sample(12.0)[0], [6.0, 4.0], **CLOSE)


def test_a_goal_that_is_all_past_is_refused_and_the_current_trajectory_goes_on():
    current = running()
    before = current.sample(11.4)[0]
    with pytest.raises(GoalRefusedError) as refusal:
        accept_goal(goal(stamp=9.0), JOINTS, 11.3, current=current)
    assert refusal.value.reason is RefusalReason.IN_THE_PAST and refusal.value.error_code == -3
    np.testing.assert_array_equal(current.sample(11.4)[0], before)


def test_a_hold_is_kept_until_the_new_start():
    at_rest = hold(JOINTS, [1.0, 2.0], start=0.0)
    replaced = accept_goal(goal(stamp=12.0), JOINTS, 11.0, current=at_rest)
    q, qd, qdd, _ = replaced.sample_many(np.linspace(11.0, 11.999, 20))
    np.testing.assert_array_equal(q, np.tile([1.0, 2.0], (20, 1)))
    assert not qd.any() and not qdd.any()
    assert_continuous(replaced, 12.0)


def test_a_trajectory_that_has_ended_is_joined_at_rest():
    replaced = accept_goal(goal(), JOINTS, 20.0, current=running())
    for value, expected in zip(replaced.sample(20.0), ([16.0, -4.0], [0.0] * 2)):
        np.testing.assert_allclose(value, expected, **CLOSE)
    assert len(replaced.times) == 4


def test_a_trajectory_that_has_not_begun_is_joined_where_it_waits():
    replaced = accept_goal(goal(), JOINTS, 5.0, current=running())
    np.testing.assert_allclose(replaced.sample(5.0)[0], [0.0, 0.0], **CLOSE)
    np.testing.assert_allclose(replaced.sample(6.0)[0], [5.0, 5.0], **CLOSE)


def test_a_point_due_at_the_join_is_passed_smoothly_when_others_follow():
    replaced = accept_goal(goal((0.0, 1.0)), JOINTS, 11.3, current=running())
    assert_continuous(replaced, 11.3)
    np.testing.assert_allclose(replaced.sample(12.3)[0], [6.0, 4.0], **CLOSE)


def test_a_lone_point_due_at_once_is_a_step_and_max_jump_guards_it():
    given = goal((0.0,), [[5.0, 5.0]])
    replaced = accept_goal(given, JOINTS, 11.3, current=running())
    np.testing.assert_array_equal(replaced.sample(11.3)[0], [5.0, 5.0])
    np.testing.assert_allclose(replaced.sample(11.3 - 1e-9)[0], [1.69, -1.3], atol=1e-6)
    with pytest.raises(GoalRefusedError) as refusal:
        accept_goal(given, JOINTS, 11.3, current=running(), rules=GoalRules(max_jump=0.5))
    assert refusal.value.reason is RefusalReason.DISCONTINUITY


def test_without_replacement_the_lead_in_starts_at_once_from_the_state():
    rules = GoalRules(allow_trajectory_replacement=False)
    state = ArmState(np.array([7.0, 7.0]), np.array([0.1, 0.2]))
    replaced = accept_goal(goal(stamp=12.0), JOINTS, 11.3, state, running(), rules)
    assert_same_motion(replaced, accept_goal(goal(stamp=12.0), JOINTS, 11.3, state),
                       np.linspace(11.3, 15.0, 30))


def test_without_replacement_and_state_the_lead_in_starts_from_the_desired_state():
    rules = GoalRules(allow_trajectory_replacement=False)
    replaced = accept_goal(goal(stamp=12.0), JOINTS, 11.3, None, running(), rules)
    for value, expected in zip(replaced.sample(11.3)[:2], running().sample(11.3)):
        np.testing.assert_allclose(value, expected, **CLOSE)
    assert len(replaced.times) == 3


def test_positions_alone_join_with_continuous_velocity():
    given = TrajectoryGoal(JOINTS, (0.3, 0.6, 0.9), [[2.0, -1.5], [2.5, -1.7], [3.0, -2.0]])
    for policy in ('spline', 'upsampling'):
        rules = GoalRules(positions_only=policy)
        replaced = accept_goal(given, JOINTS, 11.3, current=running(), rules=rules)
        assert_continuous(replaced, 11.3)
    # 'upsampling' stops at the first point, as the controller does; the spline passes it
    np.testing.assert_allclose(replaced.sample(11.6)[1], 0.0, atol=1e-12)
    assert accept_goal(given, JOINTS, 11.3, current=running()).sample(11.6)[1].all()


# ---- many goals, one after the other (ros2_controllers issue 2607: frozen after the second)

def test_deferred_goals_that_replace_each_other_keep_the_arm_moving():
    current, now, period, delay = hold(JOINTS, [0.0, 0.0], start=0.0), 100.0, 0.1, 0.05
    target, seen = np.array([0.0, 0.0]), []
    for step in range(60):
        stamp = now + delay if step else None
        target = target + np.array([0.02, -0.01])
        given = TrajectoryGoal(JOINTS, (0.5,), [target], velocities=[[0.0, 0.0]], stamp=stamp)
        replaced = accept_goal(given, JOINTS, now, current=current)
        ts = np.linspace(now - 1e-3, (stamp or now) - 1e-6, 20)
        assert_same_motion(replaced, current, ts)  # what was promised before is done
        assert_continuous(replaced, stamp or now)
        current = replaced
        seen.append(current.sample(now + period)[0])
        now += period
        assert len(current.times) <= 5, 'points of the past pile up'
    seen = np.array(seen)
    assert (np.diff(seen[1:, 0]) > 0.0).all() and (np.diff(seen[1:, 1]) < 0.0).all()
    np.testing.assert_allclose(current.sample(now + 10.0)[0], target, **CLOSE)


def test_a_deferred_goal_that_is_replaced_before_it_starts_never_moves_the_arm():
    current = hold(JOINTS, [1.0, 1.0], start=0.0)
    waiting = accept_goal(goal(stamp=20.0), JOINTS, 10.0, current=current)
    replaced = accept_goal(goal(stamp=15.0, positions=((2.0, 2.0), (3.0, 3.0))), JOINTS, 11.0,
                           current=waiting)
    np.testing.assert_array_equal(replaced.sample(14.999)[0], [1.0, 1.0])
    np.testing.assert_allclose(replaced.sample(30.0)[0], [3.0, 3.0], **CLOSE)


def test_a_later_deferred_goal_keeps_the_waiting_one_until_its_own_start():
    current = hold(JOINTS, [1.0, 1.0], start=0.0)
    waiting = accept_goal(goal(stamp=12.0), JOINTS, 10.0, current=current)
    replaced = accept_goal(goal(stamp=13.5), JOINTS, 11.0, current=waiting)
    assert_same_motion(replaced, waiting, np.linspace(11.0, 13.5, 60, endpoint=False))
    assert_continuous(replaced, 13.5)


# ---- partial goals

PARTIAL = GoalRules(allow_partial_joints_goal=True)


def test_joints_left_out_of_a_partial_goal_keep_to_the_current_trajectory():
    current = running(efforts=np.arange(8.0).reshape(4, 2))
    given = goal((0.5, 1.1), [[5.0], [6.0]], ('b',), stamp=12.2)
    replaced = accept_goal(given, JOINTS, 11.3, current=current, rules=PARTIAL)
    ts = np.linspace(11.3, 16.0, 200)
    for left, right in zip(replaced.sample_many(ts), current.sample_many(ts)):
        np.testing.assert_allclose(left[:, 0], right[:, 0], **CLOSE)
    alone = accept_goal(TrajectoryGoal(('b',), (0.5, 1.1), [[5.0], [6.0]], given.velocities,
                                       stamp=12.2), ('b',),
                        12.2, ArmState(current.sample(12.2)[0][1:], current.sample(12.2)[1][1:]))
    late = ts[ts >= 12.2]
    for left, right in zip(replaced.sample_many(late)[:3], alone.sample_many(late)):
        np.testing.assert_allclose(left[:, 1], right[:, 0], **CLOSE)
    assert_continuous(replaced, 12.2)


def test_a_partial_goal_that_ends_before_the_current_trajectory_holds_its_joint():
    given = goal((0.5,), [[5.0]], ('b',))
    replaced = accept_goal(given, JOINTS, 11.3, current=running(), rules=PARTIAL)
    q, qd, _, _ = replaced.sample_many(np.linspace(11.81, 13.9, 30))
    np.testing.assert_allclose(q[:, 1], 5.0, **CLOSE)
    np.testing.assert_allclose(qd[:, 1], 0.0, atol=1e-12)
    assert (np.abs(qd[:, 0]) > 0.01).all()


def test_partial_goals_without_interpolation_show_the_next_point_of_each_joint():
    rules = GoalRules(allow_partial_joints_goal=True, interpolation_method='none')
    current = running(interpolation='none')
    given = goal((0.5, 1.5), [[5.0], [6.0]], ('b',))
    replaced = accept_goal(given, JOINTS, 11.3, current=current, rules=rules)
    np.testing.assert_allclose(replaced.sample(11.4)[0], [4.0, current.sample(11.3)[0][1]])
    np.testing.assert_allclose(replaced.sample(12.0)[0], [16.0, 6.0])


def test_a_partial_goal_that_moves_alongside_points_that_are_not_joined_holds_those():
    current = running(interpolation='none')
    replaced = accept_goal(goal((0.5, 1.5), [[5.0], [6.0]], ('b',)), JOINTS, 11.3, current=current,
                           rules=PARTIAL)
    q, qd, qdd, _ = replaced.sample_many(np.linspace(11.35, 11.95, 40))  # next: 4, moving
    np.testing.assert_array_equal(q[:, 0], 4.0)
    assert not qd[:, 0].any() and not qdd[:, 0].any() and qd[:, 1].any()


# ---- continuous joints, effort

def test_a_continuous_joint_joins_by_the_shortest_rotation():
    current = Trajectory(('a',), [0.0, 10.0], [[0.0], [20.0]], interpolation='fields')
    given = TrajectoryGoal(('a',), (1.0,), [[0.5]], velocities=[[0.0]])
    rules = GoalRules(continuous=('a',))
    replaced = accept_goal(given, ('a',), 3.0, current=current, rules=rules)
    # at 6 rad, 0.28 rad short of a whole turn: on to 0.5 rad, not back
    np.testing.assert_allclose(replaced.sample(3.0)[0], 6.0 - 2.0 * np.pi, **CLOSE)
    np.testing.assert_allclose(replaced.sample(2.9)[0], 5.8 - 2.0 * np.pi, **CLOSE)
    np.testing.assert_allclose(replaced.sample(4.0)[0], 0.5, **CLOSE)
    assert_continuous(replaced, 3.0)
    assert accept_goal(given, ('a',), 3.0, current=current).sample(3.0)[0] == pytest.approx(6.0)


def test_effort_goes_on_from_the_current_trajectory_and_to_zero_where_the_new_has_none():
    current = running(efforts=np.full((4, 2), 8.0))
    replaced = accept_goal(goal(), JOINTS, 11.3, current=current)
    np.testing.assert_allclose(replaced.sample(11.3)[3], 8.0, **CLOSE)
    np.testing.assert_allclose(replaced.sample(11.8)[3], 4.0, **CLOSE)
    np.testing.assert_allclose(replaced.sample(12.3)[3], 0.0, atol=1e-9)


def test_effort_before_the_first_point_kept_is_that_of_the_point():
    current = running(efforts=np.arange(8.0).reshape(4, 2))
    replaced = accept_goal(goal(stamp=13.0), JOINTS, 11.3, current=current)
    np.testing.assert_allclose(replaced.sample(10.5)[3], [2.0, 3.0], **CLOSE)


def test_without_interpolation_the_effort_of_the_current_trajectory_is_kept_until_the_next_point():
    current = running(efforts=np.full((4, 2), 8.0), interpolation='none')
    rules = GoalRules(interpolation_method='none')
    replaced = accept_goal(goal(efforts=np.ones((2, 2))), JOINTS, 11.3, current=current,
                           rules=rules)
    np.testing.assert_array_equal(replaced.sample(12.0)[3], 8.0)
    np.testing.assert_array_equal(replaced.sample(12.3)[3], 1.0)


def test_spliced_refuses_joints_it_does_not_know_and_a_gap():
    with pytest.raises(InputError, match="'x'"):
        spliced(running(), hold(('x',), [0.0], 11.0), 11.0)
    with pytest.raises(InputError, match='must begin at'):
        spliced(running(), hold(JOINTS, [0.0, 0.0], 12.0), 11.0)


# ---- braking, sequences

def test_braking_is_constant_deceleration_of_each_joint_to_its_own_stop():
    q, v, d = np.array([1.0, 2.0]), np.array([2.0, -1.0]), np.array([4.0, 1.0])
    trajectory = brake(JOINTS, q, v, d, start=5.0)
    t = np.linspace(0.0, 1.2, 97)
    for j, stop in enumerate((0.5, 1.0)):
        x = np.minimum(t, stop)
        sampled = [values[:, j] for values in trajectory.sample_many(5.0 + t)]
        slowing = np.sign(v[j]) * d[j]
        np.testing.assert_allclose(sampled[0], q[j] + v[j] * x - 0.5 * slowing * x ** 2, **CLOSE)
        np.testing.assert_allclose(sampled[1], v[j] - slowing * x, **CLOSE)
        inside = t < stop - 1e-9
        np.testing.assert_allclose(sampled[2][inside], -slowing, **CLOSE)
    # the controller's stop distances: v^2 / (2 d)
    np.testing.assert_allclose(trajectory.sample(99.0)[0], [1.5, 1.5], **CLOSE)
    assert trajectory.end == 6.0


def test_braking_at_rest_is_a_hold_and_needs_a_deceleration():
    assert len(brake(JOINTS, [1.0, 2.0], [0.0, 0.0], 1.0).times) == 1
    with pytest.raises(InputError, match='positive'):
        brake(JOINTS, [1.0, 2.0], [1.0, 0.0], [1.0, 0.0])


def test_legs_in_sequence_are_each_leg_at_its_time_with_rests_between():
    corners = np.array([[0.0, 0.0], [1.0, 0.5], [0.3, -0.2], [0.0, 0.0]])
    legs = [Move(triangular(), a, b, 1.0).trajectory(JOINTS) for a, b in zip(corners, corners[1:])]
    whole = in_sequence([legs[0].starting_at(2.0), *legs[1:]], dwell=0.25)
    t = np.linspace(0.01, 0.99, 50)
    for k, leg in enumerate(legs):
        for one, other in zip(whole.sample_many(2.0 + 1.25 * k + t), leg.sample_many(t)):
            np.testing.assert_allclose(one, other, **CLOSE)
    q, qd, qdd, _ = whole.sample(3.1)
    np.testing.assert_allclose(q, corners[1], **CLOSE)
    assert not qd.any() and not qdd.any()
    assert whole.start == 2.0 and whole.end == pytest.approx(2.0 + 3.5)


def test_legs_that_do_not_meet_are_refused():
    one, other = hold(JOINTS, [0.0, 0.0]), hold(JOINTS, [0.0, 0.1])
    with pytest.raises(InputError, match='trajectory 1'):
        in_sequence([one, other])


# ---- angles

def test_the_shortest_angular_distance_is_that_of_the_complex_plane():
    rng = np.random.default_rng(3)
    start, end = rng.uniform(-20.0, 20.0, (2, 500))
    expected = np.angle(np.exp(1j * (end - start)))
    np.testing.assert_allclose(shortest_angular_distance(start, end), expected, atol=1e-12)


def test_half_a_turn_goes_towards_the_end():
    assert shortest_angular_distance(0.0, np.pi) == pytest.approx(np.pi)
    assert shortest_angular_distance(np.pi, 0.0) == pytest.approx(-np.pi)


def test_the_position_error_of_continuous_joints_is_the_shortest_rotation():
    error = position_error([3.0, 3.0], [-3.0, -3.0], [True, False])
    np.testing.assert_allclose(error, [6.0 - 2.0 * np.pi, 6.0])
    np.testing.assert_allclose(position_error([3.0], [-3.0]), [6.0])


def test_whole_turns_bring_an_angle_within_half_a_turn():
    rng = np.random.default_rng(4)
    start, end = rng.uniform(-50.0, 50.0, (2, 300))
    moved = start + whole_turns(start, end, np.full(300, True))
    assert (np.abs(end - moved) <= np.pi + 1e-9).all()
    np.testing.assert_allclose(np.exp(1j * moved), np.exp(1j * start), atol=1e-12)
    assert not whole_turns(start, end, np.full(300, False)).any()
