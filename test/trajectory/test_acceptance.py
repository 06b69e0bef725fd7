# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""joint_trajectory_controller's rules of acceptance, one claim each.

Their source: ros2_controllers, joint_trajectory_controller, documentation and code of August 2026.
"""

from array import array

import numpy as np
import pytest
from scipy.interpolate import BPoly, CubicSpline

from kane_dynamics.exceptions import InputError
from kane_dynamics.trajectory.goal.acceptance import accept_goal, ArmState
from kane_dynamics.trajectory.goal.goal import TrajectoryGoal
from kane_dynamics.trajectory.goal.refusal import (
    GoalRefusedError, INVALID_GOAL, INVALID_JOINTS, OLD_HEADER_TIMESTAMP, RefusalReason)
from kane_dynamics.trajectory.goal.rules import GoalRules
from kane_dynamics.trajectory.trajectory import hold

JOINTS = ('a', 'b', 'c')
NOW = 50.0
REST = ArmState(np.zeros(3))
CLOSE = {'rtol': 1e-9, 'atol': 1e-9}  # times are near 50 s: 1e-14 s of rounding, rates below 100


def goal(times=(1.0, 2.0), positions=((1.0, 2.0, 3.0), (2.0, 3.0, 4.0)), names=JOINTS, **more):
    return TrajectoryGoal(names, times, positions, **more)


def refused(given, reason, code, state=REST, current=None, **rules):
    """Check that a goal is refused for a reason; return the refusal."""
    with pytest.raises(GoalRefusedError) as refusal:
        accept_goal(given, JOINTS, NOW, state, current, GoalRules(**rules))
    assert refusal.value.reason is reason
    assert refusal.value.error_code == code
    return refusal.value


def hermite(t, *ends):
    """Return position, velocity, acceleration at t of SciPy's polynomial between two ends."""
    (t0, *left), (t1, *right) = ends
    poly = BPoly.from_derivatives([t0, t1], [np.array(left), np.array(right)])
    return [poly(t, nu=order) for order in range(3)]


# ---- joint names

def test_joints_are_mapped_by_name_in_any_order():
    given = goal(names=('c', 'a', 'b'), velocities=[[3.0, 1.0, 2.0], [0.0, 0.0, 0.0]])
    trajectory = accept_goal(given, JOINTS, NOW, REST)
    assert trajectory.joint_names == JOINTS
    np.testing.assert_allclose(trajectory.sample(NOW + 1.0)[0], [2.0, 3.0, 1.0], **CLOSE)
    np.testing.assert_allclose(trajectory.sample(NOW + 1.0)[1], [1.0, 2.0, 3.0], **CLOSE)
    np.testing.assert_allclose(trajectory.sample(NOW + 9.0)[0], [3.0, 4.0, 2.0], **CLOSE)


def test_an_unknown_joint_is_refused_by_name():
    refusal = refused(goal(names=('a', 'b', 'gripper')), RefusalReason.UNKNOWN_JOINT,
                      INVALID_JOINTS)
    assert refusal.joint == 'gripper'
    assert "'gripper'" in str(refusal) and "['a', 'b', 'c']" in str(refusal)


def test_a_missing_joint_is_refused_by_name():
    given = goal(names=('a', 'c'), positions=[[1.0, 2.0], [3.0, 4.0]])
    refusal = refused(given, RefusalReason.MISSING_JOINT, INVALID_JOINTS)
    assert refusal.joint == 'b' and 'allow_partial_joints_goal' in str(refusal)


def test_a_joint_named_twice_is_refused():
    refusal = refused(goal(names=('a', 'b', 'a')), RefusalReason.DUPLICATE_JOINT, INVALID_JOINTS)
    assert refusal.joint == 'a'


def test_empty_joint_names_are_refused_even_when_partial_goals_are_allowed():
    refused(goal(names=(), positions=None), RefusalReason.EMPTY_JOINT_NAMES, INVALID_JOINTS,
            allow_partial_joints_goal=True)


def test_a_joint_left_out_of_a_partial_goal_holds_where_it_is():
    given = goal(names=('c', 'a'), positions=[[1.0, 2.0], [3.0, 4.0]],
                 velocities=[[1.0, 1.0], [0.0, 0.0]])
    state = ArmState(np.array([0.1, 0.2, 0.3]))
    trajectory = accept_goal(given, JOINTS, NOW, state,
                             rules=GoalRules(allow_partial_joints_goal=True))
    q, qd, qdd, _ = trajectory.sample_many(NOW + np.linspace(0.0, 3.0, 50))
    np.testing.assert_allclose(q[:, 1], 0.2, rtol=1e-12)
    assert not qd[:, 1].any() and not qdd[:, 1].any()
    np.testing.assert_allclose(q[-1], [4.0, 0.2, 3.0], **CLOSE)


def test_a_partial_goal_without_a_known_state_is_refused():
    given = goal(names=('a',), times=(0.0, 1.0), positions=[[0.0], [1.0]])
    refusal = refused(given, RefusalReason.NO_STATE, INVALID_GOAL, state=None,
                      allow_partial_joints_goal=True)
    assert refusal.joint == 'b'


# ---- points and fields

def test_no_points_are_refused():
    refused(goal(times=(), positions=()), RefusalReason.EMPTY_POINTS, INVALID_GOAL)


@pytest.mark.parametrize('field', ['positions', 'velocities', 'accelerations', 'efforts'])
def test_a_field_of_the_wrong_length_is_refused_with_its_point(field):
    rows = [[0.0, 0.0, 0.0], [0.0, 0.0]]
    more = {'velocities': np.zeros((2, 3))} if field == 'accelerations' else {}
    refusal = refused(goal(**{**more, field: rows}), RefusalReason.FIELD_LENGTH, INVALID_GOAL)
    assert refusal.point == 1 and refusal.time == 2.0
    assert field in str(refusal) and '2 entries' in str(refusal)


def test_a_field_may_be_empty_in_some_points():
    rows = [array('d', [1.0, 0.0, 0.0]), array('d')]
    trajectory = accept_goal(goal(velocities=rows), JOINTS, NOW, REST)
    assert trajectory.segments.orders.tolist() == [0, 3, 1, 0]


def test_rows_of_arrays_lists_and_one_matrix_are_the_same_goal():
    rows = [[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]]
    forms = (rows, np.array(rows), tuple(map(tuple, rows)), [array('d', row) for row in rows],
             [np.array(row) for row in rows], [array('f', row) for row in rows])
    expected = accept_goal(goal(positions=rows), JOINTS, NOW, REST).positions
    for form in forms:
        np.testing.assert_array_equal(
            accept_goal(goal(positions=form), JOINTS, NOW, REST).positions, expected)


def test_a_field_with_rows_missing_is_refused():
    refused(goal(velocities=[[0.0, 0.0, 0.0]]), RefusalReason.FIELD_LENGTH, INVALID_GOAL)


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize('field', ['positions', 'velocities', 'accelerations', 'efforts'])
def test_a_number_that_is_not_finite_is_refused_with_joint_point_and_time(field, bad):
    more = {'velocities': np.zeros((2, 3))} if field == 'accelerations' else {}
    rows = np.zeros((2, 3))
    rows[1, 1] = bad
    refusal = refused(goal(**{**more, field: rows}), RefusalReason.NOT_FINITE, INVALID_GOAL)
    assert (refusal.joint, refusal.point, refusal.time) == ('b', 1, 2.0)
    assert field in str(refusal)


def test_a_time_or_stamp_that_is_not_finite_is_refused():
    assert refused(goal(times=(1.0, np.nan)), RefusalReason.NOT_FINITE, INVALID_GOAL).point == 1
    refused(goal(stamp=np.nan), RefusalReason.NOT_FINITE, INVALID_GOAL)


def test_numbers_so_large_that_motions_would_overflow_are_refused():
    given = goal(positions=[[1e308, 0.0, 0.0], [-1e308, 0.0, 0.0]])
    assert refused(given, RefusalReason.NOT_FINITE, INVALID_GOAL).joint == 'a'


def test_points_without_positions_are_refused():
    given = goal(positions=[[1.0, 1.0, 1.0], []], velocities=np.zeros((2, 3)))
    refusal = refused(given, RefusalReason.NO_POSITIONS, INVALID_GOAL)
    assert refusal.point == 1 and 'allow_integration' in str(refusal)


def test_accelerations_without_velocities_are_refused():
    refusal = refused(goal(accelerations=np.zeros((2, 3))), RefusalReason.NO_VELOCITIES,
                      INVALID_GOAL)
    assert refusal.point == 0


def test_effort_is_refused_where_it_is_not_allowed():
    given = goal(efforts=[[], [1.0, 1.0, 1.0]])
    assert refused(given, RefusalReason.EFFORT_NOT_ALLOWED, INVALID_GOAL,
                   allow_effort=False).point == 1
    assert accept_goal(given, JOINTS, NOW, REST).has_effort


# ---- times

@pytest.mark.parametrize('times', [(1.0, 1.0), (2.0, 1.0), (1.0, 1.0 + 1e-10)])
def test_times_that_do_not_increase_strictly_are_refused_with_the_point(times):
    refusal = refused(goal(times=times), RefusalReason.TIMES_NOT_INCREASING, INVALID_GOAL)
    assert refusal.point == 1 and f'{times[1]} s' in str(refusal)


def test_a_negative_time_from_start_is_refused():
    refused(goal(times=(-1.0, 1.0)), RefusalReason.TIMES_NOT_INCREASING, INVALID_GOAL)


@pytest.mark.parametrize('stamp', [None, 0, 0.0])
def test_stamp_zero_starts_now(stamp):
    trajectory = accept_goal(goal(stamp=stamp), JOINTS, NOW, REST)
    assert trajectory.start == NOW and trajectory.end == NOW + 2.0


def test_a_stamp_is_the_absolute_start():
    trajectory = accept_goal(goal(stamp=NOW + 10.0), JOINTS, NOW, REST)
    assert trajectory.start == NOW + 10.0 and trajectory.end == NOW + 12.0
    np.testing.assert_allclose(trajectory.sample(NOW + 11.0)[0], [1.0, 2.0, 3.0], **CLOSE)


def test_a_trajectory_that_ends_in_the_past_is_refused():
    refusal = refused(goal(stamp=NOW - 2.5), RefusalReason.IN_THE_PAST, OLD_HEADER_TIMESTAMP)
    assert '0.500000 s ago' in str(refusal)


def test_a_trajectory_that_ends_just_now_is_not_in_the_past():
    trajectory = accept_goal(goal(stamp=NOW - 2.0), JOINTS, NOW, REST)
    np.testing.assert_allclose(trajectory.sample(NOW)[0], [2.0, 3.0, 4.0], **CLOSE)


def test_a_one_point_trajectory_stamped_a_little_before_its_arrival_is_accepted():
    # MoveIt Servo stamps "now" and sends one point (moveit2 #287): its time_from_start decides.
    given = goal(times=(0.1,), positions=[[1.0, 1.0, 1.0]], stamp=NOW - 0.02)
    trajectory = accept_goal(given, JOINTS, NOW, REST)
    np.testing.assert_allclose(trajectory.sample(NOW + 0.08)[0], 1.0, **CLOSE)


def test_points_in_the_past_are_discarded():
    given = goal(stamp=NOW - 1.5, velocities=[[9.0] * 3, [0.0] * 3])
    trajectory = accept_goal(given, JOINTS, NOW, REST)
    assert trajectory.times.tolist() == [1.5, 2.0]
    np.testing.assert_array_equal(trajectory.sample(NOW)[0], 0.0)
    expected = hermite(0.2, (0.0, 0.0, 0.0), (0.5, 2.0, 0.0))
    for value, wanted in zip(trajectory.sample(NOW + 0.2), expected):
        np.testing.assert_allclose(value[0], wanted, **CLOSE)


def test_untimed_positions_get_times_from_the_policy_frequency():
    given = goal(times=(0.0, 0.0))
    refused(given, RefusalReason.TIMES_NOT_INCREASING, INVALID_GOAL)
    trajectory = accept_goal(given, JOINTS, NOW, REST, rules=GoalRules(policy_frequency=10.0))
    np.testing.assert_allclose(trajectory.times, [0.0, 0.1, 0.2])
    refused(goal(times=(0.0, 0.0), velocities=np.zeros((2, 3))),
            RefusalReason.TIMES_NOT_INCREASING,
            INVALID_GOAL, policy_frequency=10.0)


def test_timed_positions_keep_their_times_under_a_policy_frequency():
    trajectory = accept_goal(goal(), JOINTS, NOW, REST, rules=GoalRules(policy_frequency=10.0))
    assert trajectory.times.tolist() == [0.0, 1.0, 2.0]


# ---- end

def test_a_last_point_that_moves_is_refused_with_its_joint():
    given = goal(velocities=[[0.0] * 3, [0.0, 0.1, 0.0]])
    refusal = refused(given, RefusalReason.NONZERO_END_VELOCITY, INVALID_GOAL)
    assert (refusal.joint, refusal.point) == ('b', 1) and '0.1' in str(refusal)


def test_a_last_point_that_moves_may_be_allowed_and_is_held_at_rest():
    given = goal(velocities=[[0.0] * 3, [0.0, 0.1, 0.0]])
    rules = GoalRules(allow_nonzero_velocity_at_trajectory_end=True)
    trajectory = accept_goal(given, JOINTS, NOW, REST, rules=rules)
    assert trajectory.sample(NOW + 2.0 - 1e-9)[1][1] == pytest.approx(0.1, abs=1e-6)
    assert not trajectory.sample(NOW + 2.0)[1].any()


def test_an_end_velocity_below_the_resolution_of_float32_counts_as_rest():
    accept_goal(goal(velocities=[[0.0] * 3, [0.0, 1e-7, 0.0]]), JOINTS, NOW, REST)
    refused(goal(velocities=[[0.0] * 3, [0.0, -2e-7, 0.0]]), RefusalReason.NONZERO_END_VELOCITY,
            INVALID_GOAL)


# ---- lead-in

STATE = ArmState(np.array([0.3, -0.2, 0.1]), np.array([0.5, 0.4, -0.3]),
                 np.array([1.0, 2.0, -1.0]))


def check_lead_in(trajectory, ends, t=0.4):
    for j in range(3):
        expected = hermite(t, *((end[0], *(row[j] for row in end[1:])) for end in ends))
        for value, wanted in zip(trajectory.sample(NOW + t), expected):
            np.testing.assert_allclose(value[j], wanted, **CLOSE)


def test_the_lead_in_to_a_point_with_velocities_is_cubic_from_the_state():
    given = goal(velocities=[[1.0, 1.0, 1.0], [0.0] * 3])
    trajectory = accept_goal(given, JOINTS, NOW, STATE)
    check_lead_in(trajectory, ((0.0, STATE.position, STATE.velocity),
                               (1.0, [1.0, 2.0, 3.0], [1.0, 1.0, 1.0])))


def test_the_lead_in_to_a_point_with_accelerations_is_quintic_from_the_state():
    rows = {'velocities': [[1.0, 1.0, 1.0], [0.0] * 3], 'accelerations': [[2.0] * 3, [0.0] * 3]}
    trajectory = accept_goal(goal(**rows), JOINTS, NOW, STATE)
    check_lead_in(trajectory, ((0.0, STATE.position, STATE.velocity, STATE.acceleration),
                               (1.0, [1.0, 2.0, 3.0], [1.0] * 3, [2.0] * 3)))


def test_a_state_without_velocity_and_acceleration_counts_as_rest():
    rows = {'velocities': [[1.0, 1.0, 1.0], [0.0] * 3], 'accelerations': [[2.0] * 3, [0.0] * 3]}
    trajectory = accept_goal(goal(**rows), JOINTS, NOW, ArmState(STATE.position))
    check_lead_in(trajectory, ((0.0, STATE.position, [0.0] * 3, [0.0] * 3),
                               (1.0, [1.0, 2.0, 3.0], [1.0] * 3, [2.0] * 3)))


def test_the_lead_in_to_positions_alone_is_linear_by_the_controllers_rule():
    trajectory = accept_goal(goal(), JOINTS, NOW, STATE, rules=GoalRules(positions_only='linear'))
    q, qd, qdd, _ = trajectory.sample(NOW + 0.25)
    turn = np.array([1.0, 2.0, 3.0]) - STATE.position
    np.testing.assert_allclose(q, STATE.position + 0.25 * turn, **CLOSE)
    np.testing.assert_allclose(qd, turn, **CLOSE)
    assert not qdd.any()


def test_positions_alone_make_one_c2_spline_from_the_moving_state_to_rest():
    times, q = (0.5, 1.0, 1.7), [[1.0, 0.0, 2.0], [2.0, 1.0, 0.0], [1.5, 3.0, 1.0]]
    trajectory = accept_goal(goal(times, q), JOINTS, NOW, STATE)
    oracle = CubicSpline([0.0, *times], np.vstack([STATE.position, q]),
                         bc_type=((1, STATE.velocity), (1, np.zeros(3))))
    ts = np.linspace(0.01, 1.69, 60)
    for order, values in enumerate(trajectory.sample_many(NOW + ts)[:3]):
        np.testing.assert_allclose(values, oracle(ts, nu=order), **CLOSE)


def test_upsampling_is_a_spline_at_rest_at_the_first_point_with_a_cubic_lead_in():
    times, q = (0.5, 1.0, 1.7), np.array([[1.0, 0.0, 2.0], [2.0, 1.0, 0.0], [1.5, 3.0, 1.0]])
    rules = GoalRules(positions_only='upsampling')
    trajectory = accept_goal(goal(times, q), JOINTS, NOW, STATE, rules=rules)
    oracle = CubicSpline(times, q, bc_type='clamped')
    ts = np.linspace(0.51, 1.69, 40)
    for order, values in enumerate(trajectory.sample_many(NOW + ts)[:3]):
        np.testing.assert_allclose(values, oracle(ts, nu=order), **CLOSE)
    check_lead_in(trajectory, ((0.0, STATE.position, STATE.velocity), (0.5, q[0], [0.0] * 3)))


def test_there_is_no_lead_in_when_the_first_point_is_at_time_zero():
    trajectory = accept_goal(goal(times=(0.0, 1.0)), JOINTS, NOW, STATE)
    assert trajectory.times.tolist() == [0.0, 1.0]
    np.testing.assert_array_equal(trajectory.sample(NOW)[0], [1.0, 2.0, 3.0])


def test_a_first_point_at_time_zero_needs_no_state():
    trajectory = accept_goal(goal(times=(0.0, 1.0)), JOINTS, NOW)
    np.testing.assert_array_equal(trajectory.sample(NOW)[0], [1.0, 2.0, 3.0])


def test_a_lead_in_without_a_known_state_is_refused():
    refusal = refused(goal(), RefusalReason.NO_STATE, INVALID_GOAL, state=None)
    assert 'due in 1 s' in str(refusal)


@pytest.mark.parametrize('state', [ArmState(np.array([0.0, np.nan, 0.0])), ArmState(np.zeros(2)),
                                   ArmState(np.zeros(3), np.array([np.inf, 0.0, 0.0]))])
def test_a_lead_in_from_a_broken_state_is_refused(state):
    refused(goal(), RefusalReason.NO_STATE, INVALID_GOAL, state=state)


def test_a_stamp_in_the_future_leads_in_from_now():
    given = goal(stamp=NOW + 2.0, velocities=np.zeros((2, 3)))
    trajectory = accept_goal(given, JOINTS, NOW, STATE)
    check_lead_in(trajectory, ((0.0, STATE.position, STATE.velocity),
                               (3.0, [1.0, 2.0, 3.0], [0.0] * 3)))


def test_the_quintic_lead_in_has_no_step_in_acceleration_at_the_first_point():
    for rows in ({'velocities': [[1.0, 1.0, 1.0], [0.0] * 3]}, {}):
        trajectory = accept_goal(goal(**rows), JOINTS, NOW, STATE,
                                 rules=GoalRules(lead_in='quintic'))
        np.testing.assert_allclose(trajectory.sample(NOW)[2], STATE.acceleration, **CLOSE)
        left, right = (trajectory.sample(NOW + 1.0 + dt) for dt in (-1e-9, 1e-9))
        for before, after in zip(left[:3], right[:3]):
            np.testing.assert_allclose(before, after, atol=1e-6)  # 2e-9 s of a jerk below 500
        by_fields = accept_goal(goal(**rows), JOINTS, NOW, STATE)
        ts = NOW + np.linspace(1.001, 2.5, 20)
        np.testing.assert_allclose(trajectory.sample_many(ts)[0], by_fields.sample_many(ts)[0],
                                   **CLOSE)


def test_effort_leads_in_from_zero():
    given = goal(efforts=[[2.0, 4.0, 6.0], []])
    trajectory = accept_goal(given, JOINTS, NOW, REST)
    np.testing.assert_allclose(trajectory.sample(NOW + 0.5)[3], [1.0, 2.0, 3.0], **CLOSE)
    np.testing.assert_allclose(trajectory.sample(NOW + 1.5)[3], [1.0, 2.0, 3.0], **CLOSE)


# ---- interpolation none

def test_without_interpolation_the_state_is_shown_until_the_first_point_then_the_next_point():
    given = goal(velocities=[[1.0] * 3, [0.0] * 3], efforts=[[5.0] * 3, [6.0] * 3])
    trajectory = accept_goal(given, JOINTS, NOW, STATE,
                             rules=GoalRules(interpolation_method='none'))
    q, qd, qdd, effort = trajectory.sample(NOW + 0.99)
    np.testing.assert_array_equal(q, STATE.position)
    assert not qd.any() and not qdd.any() and not effort.any()
    q, qd, qdd, effort = trajectory.sample(NOW + 1.0)
    np.testing.assert_array_equal(q, [2.0, 3.0, 4.0])
    np.testing.assert_array_equal(effort, 6.0)


def test_without_interpolation_nothing_is_integrated():
    refused(goal(positions=None, velocities=np.zeros((2, 3))), RefusalReason.NO_POSITIONS,
            INVALID_GOAL,
            allow_integration_in_goal_trajectories=True, interpolation_method='none')


# ---- integration

INTEGRATION = GoalRules(allow_integration_in_goal_trajectories=True)


def test_positions_are_integrated_from_velocities_by_heuns_rule():
    times, v = (0.5, 1.0, 2.0), np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]])
    trajectory = accept_goal(goal(times, None, velocities=v), JOINTS, NOW, STATE,
                             rules=INTEGRATION)
    expected = [STATE.position]
    for h, left, right in zip((0.5, 0.5, 1.0), np.vstack([STATE.velocity, v]), v):
        expected.append(expected[-1] + 0.5 * h * (left + right))
    np.testing.assert_allclose(trajectory.positions, expected, **CLOSE)
    assert trajectory.segments.orders.tolist() == [0, 3, 3, 3, 0]


def test_velocities_are_integrated_from_accelerations_by_heuns_rule():
    times, a = (0.5, 1.0, 2.0), np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 2.0], [-4.0, -5.0, -6.0]])
    trajectory = accept_goal(goal(times, None, accelerations=a), JOINTS, NOW, STATE,
                             rules=INTEGRATION)
    q, v, before = [STATE.position], [STATE.velocity], STATE.acceleration
    for h, after in zip((0.5, 0.5, 1.0), a):
        v.append(v[-1] + 0.5 * h * (before + after))
        q.append(q[-1] + 0.5 * h * (v[-2] + v[-1]))
        before = after
    np.testing.assert_allclose(trajectory.velocities, v, **CLOSE)
    np.testing.assert_allclose(trajectory.positions, q, **CLOSE)
    assert trajectory.segments.orders.tolist() == [0, 5, 5, 5, 0]


def test_integration_starts_again_from_a_point_that_has_positions():
    given = goal((1.0, 2.0, 3.0), [[], [5.0, 5.0, 5.0], []],
                 velocities=[[1.0] * 3, [], [0.0] * 3])
    trajectory = accept_goal(given, JOINTS, NOW, REST, rules=INTEGRATION)
    # 0 + (0 + 1)/2; given; 5 + (0 + 0)/2, since a velocity that is not given counts as zero
    np.testing.assert_allclose(trajectory.positions[:, 0], [0.0, 0.5, 5.0, 5.0], **CLOSE)


def test_a_first_point_at_time_zero_without_positions_starts_from_the_state():
    given = goal((0.0, 1.0), None, velocities=[[1.0] * 3, [0.0] * 3])
    trajectory = accept_goal(given, JOINTS, NOW, STATE, rules=INTEGRATION)
    np.testing.assert_allclose(trajectory.positions, [STATE.position, STATE.position + 0.5],
                               **CLOSE)
    refused(given, RefusalReason.NO_STATE, INVALID_GOAL, state=None,
            allow_integration_in_goal_trajectories=True)


def test_points_that_carry_nothing_are_refused_under_integration_too():
    given = goal(positions=[[1.0] * 3, []])
    assert refused(given, RefusalReason.NO_POSITIONS, INVALID_GOAL,
                   allow_integration_in_goal_trajectories=True).point == 1


# ---- continuous joints

def test_a_continuous_joint_leads_in_by_the_shortest_rotation():
    given = goal((1.0,), [[-3.0, -3.0, 0.0]], velocities=[[0.0] * 3])
    state = ArmState(np.array([3.0, 3.0, 0.0]))
    trajectory = accept_goal(given, JOINTS, NOW, state, rules=GoalRules(continuous=('a',)))
    q, qd, _, _ = trajectory.sample(NOW + 0.5)
    # from 3 - 2 pi = -3.283 up to -3; the other joint goes down from 3
    np.testing.assert_allclose(q[0], (3.0 - 2.0 * np.pi - 3.0) / 2.0, **CLOSE)
    np.testing.assert_allclose(q[1], 0.0, atol=1e-12)
    assert qd[0] > 0.0 > qd[1]
    np.testing.assert_allclose(trajectory.sample(NOW + 1.0)[0], [-3.0, -3.0, 0.0], **CLOSE)


# ---- limits and jumps (this package's own, off by default)

LIMITS = {'lower': -np.array([2.0, 9.0, 9.0]), 'upper': np.array([2.0, 9.0, 9.0])}


def test_a_point_outside_the_position_limits_is_refused_with_joint_and_time():
    given = goal(positions=[[2.5, 0.0, 0.0], [0.0, 0.0, 0.0]], velocities=np.zeros((2, 3)))
    refusal = refused(given, RefusalReason.POSITION_LIMIT, INVALID_GOAL, **LIMITS)
    assert refusal.joint == 'a' and refusal.time == pytest.approx(1.0)
    assert '2.5' in str(refusal)


def test_overshoot_between_points_is_refused_at_its_time():
    given = goal((1.0, 2.0), [[1.9, 0.0, 0.0], [1.9, 0.0, 0.0]],
                 velocities=[[4.0, 0.0, 0.0], [0.0] * 3])
    refusal = refused(given, RefusalReason.POSITION_LIMIT, INVALID_GOAL, **LIMITS)
    # q = 1.9 + 4 x (1 - x)^2 is largest at x = 1/3
    assert refusal.time == pytest.approx(1.0 + 1.0 / 3.0, abs=1e-6)


def test_an_arm_outside_its_limits_may_come_back_but_not_go_further():
    state = ArmState(np.array([2.5, 0.0, 0.0]))
    still = {'velocities': np.zeros((1, 3))}
    accept_goal(goal((1.0,), [[1.0, 0.0, 0.0]], **still), JOINTS, NOW, state,
                rules=GoalRules(**LIMITS))
    refused(goal((1.0,), [[2.7, 0.0, 0.0]], **still), RefusalReason.POSITION_LIMIT, INVALID_GOAL,
            state=state, **LIMITS)


def test_a_lead_in_faster_than_the_velocity_limit_is_refused():
    given = goal((0.1,), [[0.0, 1.0, 0.0]], velocities=np.zeros((1, 3)))
    refusal = refused(given, RefusalReason.VELOCITY_LIMIT, INVALID_GOAL, velocity=np.full(3, 10.0))
    # the cubic from rest to rest peaks at 3/2 L/T = 15 rad/s in the middle
    assert refusal.joint == 'b' and refusal.time == pytest.approx(0.05)
    accept_goal(given, JOINTS, NOW, REST, rules=GoalRules(velocity=np.full(3, 15.1)))


def test_an_arm_faster_than_its_limit_may_slow_down():
    given = goal((1.0,), [[1.0, 0.0, 0.0]], velocities=np.zeros((1, 3)))
    state = ArmState(np.zeros(3), np.array([2.0, 0.0, 0.0]))  # then 2 x - x^2
    accept_goal(given, JOINTS, NOW, state, rules=GoalRules(velocity=np.full(3, 1.9)))
    refused(goal((1.0,), [[3.0, 0.0, 0.0]], velocities=np.zeros((1, 3))),
            RefusalReason.VELOCITY_LIMIT,
            INVALID_GOAL, state=state, velocity=np.full(3, 1.9))


@pytest.mark.parametrize('limit', [0.5, np.array([9.0, 9.0, 0.5])])
def test_a_jump_from_the_state_to_a_point_due_at_once_is_refused(limit):
    given = goal((0.0, 1.0), [[0.0, 0.0, 0.6], [1.0, 1.0, 1.0]])
    refusal = refused(given, RefusalReason.DISCONTINUITY, INVALID_GOAL, max_jump=limit)
    assert (refusal.joint, refusal.point) == ('c', 0) and '0.6' in str(refusal)
    accept_goal(given, JOINTS, NOW, REST, rules=GoalRules(max_jump=0.61))
    refused(given, RefusalReason.NO_STATE, INVALID_GOAL, state=None, max_jump=limit)


def test_more_points_than_the_limit_are_refused_with_the_variable_that_raises_it(monkeypatch):
    monkeypatch.setenv('KANE_MAX_TRAJECTORY_POINTS', '1')
    refusal = refused(goal(), RefusalReason.TOO_MANY_POINTS, INVALID_GOAL)
    assert '2 points' in str(refusal) and 'KANE_MAX_TRAJECTORY_POINTS' in str(refusal)


def test_a_point_a_nanosecond_ahead_is_still_a_jump():
    given = goal((1e-9, 1.0), [[0.0, 0.0, 0.6], [1.0, 1.0, 1.0]])
    refused(given, RefusalReason.DISCONTINUITY, INVALID_GOAL, max_jump=0.5)


def test_the_jump_of_a_continuous_joint_is_the_shortest_rotation():
    given = goal((0.0, 1.0), [[2.0 * np.pi + 0.1, 0.0, 0.0], [7.0, 0.0, 0.0]])
    accept_goal(given, JOINTS, NOW, REST, rules=GoalRules(max_jump=0.2, continuous=('a',)))
    refused(given, RefusalReason.DISCONTINUITY, INVALID_GOAL, max_jump=0.2)


# ---- whatever comes

def random_goal(rng):
    """Return a goal that may be wrong anywhere, and often is valid."""
    names = list(rng.permutation(['a', 'b', 'c'])[:rng.choice([1, 2, 3, 3, 3, 3])])
    if rng.random() < 0.05:
        names.append(rng.choice(['a', 'x']))
    count = int(rng.integers(0, 6)) if rng.random() < 0.9 else 40
    steps, odds = [0.0, 1e-9, 1e-3, 0.1, 1.0], [0.03, 0.03, 0.04, 0.4, 0.5]
    times = np.cumsum(rng.choice(steps, count, p=odds))
    if rng.random() < 0.3 and count:
        times = times - times[0]
    fields = {}
    for field, likely in (('positions', 0.95), ('velocities', 0.5), ('accelerations', 0.3),
                          ('efforts', 0.2)):
        if rng.random() < likely:
            rows = rng.normal(size=(count, len(names))) * rng.choice([1.0, 1e-6, 1e6])
            if field == 'velocities' and count and rng.random() < 0.8:
                rows[-1] = 0.0
            if rng.random() < 0.05 and count:
                rows[rng.integers(count), 0] = rng.choice([np.nan, np.inf, 1e300])
            fields[field] = rows
            if rng.random() < 0.2:
                fields[field] = [row[:rng.choice([len(row), len(row), 0, 1])] for row in rows]
    stamp = rng.choice([None, 0.0, NOW - 1.0, NOW - 1e-7, NOW, NOW + 1e-7, NOW + 0.5])
    return TrajectoryGoal(tuple(names), times, stamp=stamp, **fields)


def random_rules(rng):
    def coin():
        return bool(rng.random() < 0.5)

    return GoalRules(
        coin(), coin(), coin(), coin(), bool(rng.random() < 0.9), rng.choice(['splines', 'none']),
        rng.choice(['spline', 'upsampling', 'linear']), rng.choice(['fields', 'quintic']),
        rng.choice([0.0, 50.0]), ('a',) if coin() else (), np.full(3, -1e3) if coin() else None,
        np.full(3, 1e3) if coin() else None, np.full(3, 1e5) if coin() else None,
        10.0 if coin() else None)


def test_whatever_comes_is_refused_with_a_reason_or_gives_a_finite_motion():
    rng = np.random.default_rng(2026)
    current, outcomes = hold(JOINTS, np.zeros(3)), {}
    for _ in range(3000):
        given, rules = random_goal(rng), random_rules(rng)
        state = ArmState(*rng.normal(size=(3, 3))) if rng.random() < 0.8 else None
        running = current if rng.random() < 0.7 else None
        try:
            made = accept_goal(given, JOINTS, NOW, state, running, rules)
        except GoalRefusedError as refusal:
            outcomes[refusal.reason] = outcomes.get(refusal.reason, 0) + 1
            assert str(refusal)
            continue
        outcomes[None] = outcomes.get(None, 0) + 1
        assert made.joint_names == JOINTS and (np.diff(made.times) > 0.0).all()
        ts = np.union1d(NOW + np.linspace(0.0, 3.0, 30), made.start + made.times)
        for values in made.sample_many(ts):
            assert np.isfinite(values).all()
        if running is not None and rules.allow_trajectory_replacement and made.start > NOW + 1e-3:
            before = np.linspace(NOW, made.start - 1e-6, 5)
            miss = made.sample_many(before)[0] - running.sample_many(before)[0]
            miss[:, 0] = np.sin(miss[:, 0] / 2.0)  # joint a may have gone round whole turns
            # rounding of positions up to 1e6 and of times near 50 s at speeds up to 1e6
            assert np.abs(miss).max() < 1e-3
        # motions that were accepted replace one another, as goals that follow each other do
        current = made if made.end < NOW + 60.0 else current
    assert outcomes[None] > 300 and len(outcomes) >= 15, outcomes


# ---- the call itself

@pytest.mark.parametrize(('change', 'word'), [
    ({'interpolation_method': 'cubic'}, 'splines'), ({'positions_only': 'x'}, 'upsampling'),
    ({'lead_in': 'x'}, 'quintic'), ({'policy_frequency': -1.0}, 'policy_frequency')])
def test_rules_that_mean_nothing_are_refused(change, word):
    with pytest.raises(InputError, match=word):
        GoalRules(**change)


def test_a_current_trajectory_of_other_joints_is_an_error():
    with pytest.raises(InputError, match='in this order'):
        accept_goal(goal(), JOINTS, NOW, current=hold(('b', 'a', 'c'), np.zeros(3)))


def test_every_reason_has_an_error_code_of_the_action():
    assert {reason.error_code for reason in RefusalReason} == {-1, -2, -3}
    assert (INVALID_GOAL, INVALID_JOINTS, OLD_HEADER_TIMESTAMP) == (-1, -2, -3)
