# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The cases of joint_trajectory_controller's own tests, with values computed by hand.

Source: ros2_controllers of August 2026 (94e74de), joint_trajectory_controller/test; each test here
names the file and the test there. Where this package means to differ (doc/trajectories.md), the
comment says so.
"""

import math

import numpy as np
import pytest

from kane_dynamics.trajectory.angles import whole_turns
from kane_dynamics.trajectory.goal.acceptance import accept_goal, ArmState
from kane_dynamics.trajectory.goal.goal import TrajectoryGoal
from kane_dynamics.trajectory.goal.rules import GoalRules
from kane_dynamics.trajectory.goal.tolerances import Tolerances
from kane_dynamics.trajectory.spline import spline_velocities
from kane_dynamics.trajectory.trajectory import brake

NOW = 1000.0
EPS = 1e-8      # theirs; times near 1000 s round to 1e-13 s
AFTER = 1e-9    # [s] right of a knot, where the controller samples the knot itself
LINEAR = {'positions_only': 'linear'}
INTEGRATION = {'allow_integration_in_goal_trajectories': True,
               'allow_nonzero_velocity_at_trajectory_end': True}


def trajectory(times, positions=None, velocities=None, accelerations=None, state=(0.0,), **rules):
    """Return the motion of one joint from a state; a field of a point is a number or None."""
    def rows(values):
        return values and [[] if value is None else [value] for value in values]

    state = ArmState(*(np.array([value]) for value in state))
    return accept_goal(TrajectoryGoal(('joint',), times, rows(positions), rows(velocities),
                                      rows(accelerations)),
                       ('joint',), NOW, state, rules=GoalRules(**rules))


def check(motion, t, position, velocity=None, acceleration=None):
    """Compare a sample with numbers; None is not looked at."""
    for got, wanted in zip(motion.sample(NOW + t), (position, velocity, acceleration)):
        if wanted is not None:
            assert got[0] == pytest.approx(wanted, abs=EPS), t


# ---- test_trajectory.cpp


def test_sample_trajectory_positions():
    motion = trajectory((1.0, 2.0, 3.0), (1.0, 2.0, 3.0), **LINEAR)
    for t in (0.0, 0.5, 1.0, 1.5, 2.5):
        check(motion, t, t, 1.0, 0.0)
    for t in (3.0, 3.125, 30.0):
        check(motion, t, 3.0, 0.0, 0.0)


def test_interpolation_pos_vel():
    # x^3 - 2 x on [0, 2]; the end's acceleration is ignored, the start has none
    motion = trajectory((1.0, 3.0), (0.0, 4.0), (-2.0, 10.0), (None, 0.0),
                        allow_nonzero_velocity_at_trajectory_end=True)
    check(motion, 1.0, 0.0, -2.0, 0.0)
    root = math.sqrt(2.0)
    check(motion, 1.0 + root, 0.0, 3.0 * 2.0 - 2.0, 6.0 * root)
    curve = np.poly1d([1.0, 0.0, -2.0, 0.0])
    for x in (0.3, 1.1, 2.0 - AFTER):
        check(motion, 1.0 + x, *(curve.deriv(k)(x) for k in range(3)))


def test_interpolation_pos_vel_accel():
    # x (x - 1) (x - 2) (x - 3) (x - 4) on [0, 2]
    curve = np.poly1d(range(5), r=True)
    ends = [[curve.deriv(k)(x) for x in (0.0, 2.0)] for k in range(3)]
    np.testing.assert_allclose(ends, [[0.0, 0.0], [24.0, 4.0], [-100.0, 0.0]], atol=1e-12)
    motion = trajectory((1.0, 3.0), *ends, allow_nonzero_velocity_at_trajectory_end=True)
    check(motion, 1.0, 0.0, 24.0, -100.0)
    check(motion, 2.0, 0.0, -6.0, 10.0)
    for x in (0.4, 1.7):
        check(motion, 1.0 + x, *(curve.deriv(k)(x) for k in range(3)))


@pytest.mark.parametrize('state', [(0.0, 0.0), (0.0,)])
def test_sample_trajectory_velocity_with_interpolation(state):
    # and ..._strange_without_vel: a state without velocity counts as at rest
    motion = trajectory((1.0, 2.0, 3.0), None, (1.0, 2.0, 1.0), state=state, **INTEGRATION)
    # velocities are straight lines 0, 1, 2, 1: the position is their integral
    check(motion, 0.0, 0.0, 0.0, 1.0)
    check(motion, 0.5, 0.125, 0.5, 1.0)
    check(motion, 1.0, 0.5, 1.0, 1.0)
    check(motion, 1.5, 0.5 + 0.625, 1.5, 1.0)
    check(motion, 2.0, 2.0, 2.0, -1.0)
    check(motion, 2.5, 2.0 + 0.875, 1.5, -1.0)
    for t in (3.0, 3.125):      # theirs goes on saying 1 rad/s; ours is at rest where it is held
        check(motion, t, 3.5, 0.0, 0.0)


def test_sample_trajectory_acceleration_with_interpolation():
    motion = trajectory((1.0, 2.0, 3.0), None, None, (1.0, 2.0, 1.0), (0.0, 0.0), **INTEGRATION)
    check(motion, 0.0, 0.0, 0.0, 0.0)
    # Heun: v += (a0 + a1) / 2, q += (v0 + v1) / 2, steps of 1 s
    check(motion, 1.0, 0.25, 0.5, 1.0)
    check(motion, 2.0, 0.25 + 1.25, 2.0, 2.0)
    check(motion, 3.0 - AFTER, 1.5 + 2.75 - 3.5 * AFTER, 3.5, 1.0)
    check(motion, 3.0, 4.25, 0.0, 0.0)      # theirs goes on moving; ours is held at rest


def test_fill_point_before_with_same_degree_as_traj():
    motion = trajectory((1.0, 2.0), (1.0, 2.0), (0.0, 0.0), (0.0, 0.0))
    check(motion, 0.0, 0.0, 0.0, 0.0)
    check(motion, 0.25, 10 * 0.25**3 - 15 * 0.25**4 + 6 * 0.25**5)


def test_skip_interpolation():
    motion = trajectory((1.0, 2.0, 3.0), (1.0, 2.0, 3.0), interpolation_method='none')
    for t, shown in ((0.0, 0.0), (0.5, 0.0), (1.0, 2.0), (1.5, 2.0), (2.5, 3.0), (3.0, 3.0),
                     (3.125, 3.0)):
        check(motion, t, shown, 0.0, 0.0)


@pytest.mark.parametrize('continuous', [(False,) * 3, (True, False, False), (True,) * 3])
def test_wraparound_joint(continuous):
    # no_wraparound, wraparound_single_joint, wraparound_all_joints: 0 to 3/2 pi is 1/4 turn back
    turns = whole_turns(np.zeros(3), np.full(3, 1.5 * math.pi), continuous)
    np.testing.assert_allclose(turns, np.where(continuous, 2.0 * math.pi, 0.0), atol=1e-15)
    # wraparound_all_joints_no_offset
    assert not whole_turns(np.full(3, 1.5), np.full(3, 1.5), continuous).any()


def test_sample_velocity_only_skipped_last_segment_deduces_positions():
    motion = trajectory((1.0, 2.0, 2.001), (0.0, None, None), (1.0, 1.0, 1.0), **INTEGRATION)
    check(motion, 3.0, 1.001)


def test_fill_cubic_spline_velocities_makes_acceleration_continuous():
    i = np.arange(7)
    times = 0.1 * i
    q = np.column_stack([0.1 + 0.4 * np.sin(math.pi * times), 0.5 - 0.1 * i])
    v = spline_velocities(times, q)
    slope = np.diff(q, axis=0) / 0.1
    leave = (6.0 * slope - 4.0 * v[:-1] - 2.0 * v[1:]) / 0.1
    arrive = (-6.0 * slope + 2.0 * v[:-1] + 4.0 * v[1:]) / 0.1
    np.testing.assert_allclose(arrive[:-1], leave[1:], atol=1e-10)
    assert not v[[0, -1]].any()


def test_fill_cubic_spline_velocities_matches_expected_values():
    # three even points at rest at both ends: v1 = 3/4 (q2 - q0) / h
    v = spline_velocities(np.array([0.0, 0.1, 0.2]), np.array([[0.0], [0.1], [0.3]]))
    np.testing.assert_allclose(v[:, 0], [0.0, 0.75 * 0.3 / 0.1, 0.0], atol=1e-9)


def test_fill_cubic_spline_velocities_edge_cases():
    upsampled = {'positions_only': 'upsampling'}
    motion = trajectory((0.1, 0.2), (0.0, 0.5), state=(0.0, 0.0), **upsampled)
    check(motion, 0.15, 0.25, 1.5 * 0.5 / 0.1)      # rest to rest
    motion = trajectory((0.1,), (0.3,), state=(0.0, 0.0), **upsampled)
    check(motion, 0.05, 0.15, 3.0, 0.0)             # one point is not a chunk: linear


# ---- test_trajectory_controller_upsampling.cpp


def test_synthesizes_timing_from_policy_frequency():
    motion = trajectory((0.0, 0.0, 0.0), (0.1, 0.2, 0.3), policy_frequency=50.0)
    np.testing.assert_allclose(motion.times, [0.0, 0.02, 0.04, 0.06], atol=1e-12)


# ---- test_trajectory_controller.cpp


@pytest.mark.parametrize('speed', [1.0, -0.5])
def test_decelerate_to_hold_position(speed):
    # ..._positive_velocity, ..._negative_velocity: stop time |v|/d, stop distance v^2/(2 d)
    motion = brake(('joint',), [2.0], [speed], 4.0, NOW)
    assert motion.end - NOW == pytest.approx(abs(speed) / 4.0)
    check(motion, 10.0, 2.0 + math.copysign(speed**2 / 8.0, speed), 0.0, 0.0)
    check(motion, 0.1, 2.0 + speed * 0.1 - math.copysign(0.5 * 4.0 * 0.01, speed),
          speed - math.copysign(0.4, speed), -math.copysign(4.0, speed))


def test_a_joint_that_barely_moves_stops_at_once():
    # decelerate_to_hold_position counts less than float's epsilon as rest
    motion = brake(('a', 'b'), [1.0, 2.0], [1e-300, 1.0], 2.0)
    for values in motion.sample_many(np.linspace(0.0, 1.0, 50)):
        assert np.isfinite(values).all()
    assert (motion.positions[:, 0] == 1.0).all()


# ---- test_tolerances.cpp


JOINTS = ('joint1', 'joint2', 'joint3')
DEFAULTS = Tolerances.of(JOINTS, trajectory=0.1, goal=0.1, goal_time=0.1, stopped_velocity=0.02)


def test_get_segment_tolerances():
    path = [(name, 0.2, 0.3, 0.4) for name in JOINTS]
    goal = [(f'joint{k}', 1.0 + 0.1 * k, 2.0 + 0.1 * k, 3.0 + 0.1 * k) for k in (2, 3, 1)]
    asked = DEFAULTS.asked(path, goal, 2.0)
    assert asked.goal_time == 2.0
    np.testing.assert_array_equal(asked.path, [[0.2] * 3, [0.3] * 3, [0.4] * 3])
    np.testing.assert_allclose(asked.goal, np.add.outer([1.0, 2.0, 3.0], [0.1, 0.2, 0.3]))


def test_deactivate_tolerances():
    lifted = [(name, -1.0, -1.0, -1.0) for name in JOINTS]
    asked = DEFAULTS.asked(lifted, lifted, -1.0)
    assert asked.goal_time == 0.0 and not asked.path.any() and not asked.goal.any()
