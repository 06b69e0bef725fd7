# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Points added until straight lines are near enough: densify and fill_effort."""

import numpy as np
import pytest

from kane_dynamics.exceptions import InputError
from kane_dynamics.trajectory.effort_fill import densify, fill_effort
from kane_dynamics.trajectory.moves import Move
from kane_dynamics.trajectory.profiles import cycloidal, triangular
from kane_dynamics.trajectory.trajectory import hold, Trajectory

NAMES = ('a', 'b')


def lines(times, values, ts):
    """Return the straight lines between points at ts (M,), column by column."""
    return np.column_stack([np.interp(ts, times, column) for column in values.T])


def torque(q, qd, qdd):
    """Return torques of a planar double pendulum-like arm: coupled, nonlinear, fast to compute."""
    c, s = np.cos(q[:, 1]), np.sin(q[:, 1])
    first = (3.0 + 2.0 * c) * qdd[:, 0] + (1.0 + c) * qdd[:, 1] - s * qd[:, 1] * (
        2.0 * qd[:, 0] + qd[:, 1]) + 9.81 * np.cos(q[:, 0])
    second = (1.0 + c) * qdd[:, 0] + qdd[:, 1] + s * qd[:, 0] ** 2 + 4.9 * np.cos(q.sum(axis=1))
    return np.column_stack([first, second])


def wavy(t):
    return np.column_stack([np.sin(7.0 * t), np.exp(-t) * np.cos(20.0 * t), t ** 3])


@pytest.mark.parametrize('tolerance', [1e-1, 1e-2, 1e-3])
def test_lines_between_the_points_miss_by_less_than_the_tolerance_everywhere(tolerance):
    times, values = densify(wavy, np.linspace(0.0, 3.0, 4), tolerance)
    ts = np.linspace(0.0, 3.0, 200001)
    assert np.abs(lines(times, values, ts) - wavy(ts)).max() < tolerance
    np.testing.assert_allclose(values, wavy(times), rtol=1e-14)


def test_the_number_of_points_grows_with_one_over_the_square_root_of_the_tolerance():
    counts = [len(densify(wavy, [0.0, 3.0], tolerance, 1e-9)[0]) for tolerance in (1e-2, 1e-4)]
    assert 8.0 < counts[1] / counts[0] < 12.5  # 10 by the theory of chords


def test_points_given_stay_and_points_in_straight_stretches_are_not_added():
    given = np.array([0.0, 0.3, 1.0, 2.5])
    times, values = densify(lambda t: np.outer(t, [1.0, -2.0]), given, 1e-9)
    np.testing.assert_array_equal(times, given)
    times, _ = densify(wavy, given, 1e-2)
    assert np.isin(given, times).all() and (np.diff(times) > 0.0).all()


def test_a_function_that_is_odd_about_the_middle_is_not_taken_for_a_line():
    # its middle lies on the chord: a test of the middle alone would add nothing
    times, values = densify(lambda t: np.sin(2.0 * np.pi * t)[:, None], [0.0, 1.0], 1e-2)
    ts = np.linspace(0.0, 1.0, 10001)
    assert len(times) > 10
    assert np.abs(lines(times, values, ts)[:, 0] - np.sin(2.0 * np.pi * ts)).max() < 1e-2


@pytest.mark.parametrize('middle', [0.25, 0.5, 0.75])
def test_a_bump_at_any_quarter_of_an_interval_is_seen(middle):
    def bump(t):
        return np.exp(-((t - middle) / 0.03) ** 2)[:, None]

    times, values = densify(bump, [0.0, 1.0], 1e-2)
    ts = np.linspace(0.0, 1.0, 10001)
    assert np.abs(lines(times, values, ts) - bump(ts)).max() < 1e-2


def test_each_column_has_its_own_tolerance():
    loose, _ = densify(wavy, [0.0, 3.0], [1e-1, 1e3, 1e3])
    strict, _ = densify(wavy, [0.0, 3.0], [1e-1, 1e-3, 1e3])
    assert len(strict) > 3 * len(loose)


def test_a_step_becomes_a_ramp_no_longer_than_the_shortest_interval():
    def step(t):
        return (t >= 0.7)[:, None] * 5.0

    times, values = densify(step, [0.0, 1.0], 1e-3, min_interval=1e-3)
    k = int(np.argmax(np.abs(np.diff(values[:, 0]))))
    assert times[k] < 0.7 <= times[k + 1] and times[k + 1] - times[k] <= 1e-3
    assert len(times) < 20


def test_intervals_no_longer_than_the_shortest_are_not_even_evaluated():
    asked = []

    def counted(t):
        asked.append(len(t))
        return wavy(t)

    given = np.arange(50) * 1e-3
    densify(counted, given, 1e-12, min_interval=2e-3)
    assert sum(asked) == 50


def test_too_many_points_are_refused():
    with pytest.raises(InputError, match='more than 100 points'):
        densify(wavy, [0.0, 3.0], 1e-9, min_interval=0.0, max_points=100)
    with pytest.raises(InputError, match='positive'):
        densify(wavy, [0.0, 3.0], 0.0)


def random_trajectory(fields, seed=3):
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.2, 0.5, 12))
    rows = [np.cumsum(rng.normal(size=(12, 2)), axis=0) * 0.3, rng.normal(size=(12, 2)) * 0.5,
            rng.normal(size=(12, 2))]
    return Trajectory(NAMES, times, *rows[:fields], start=7.0)


@pytest.mark.parametrize('fields', [1, 3])
def test_the_effort_of_a_filled_trajectory_is_the_torque_within_the_tolerance(fields):
    # C2 motions: positions alone (spline) and quintics; torque has no steps
    trajectory = random_trajectory(fields)
    filled = fill_effort(trajectory, torque, 0.02, min_interval=1e-6)
    # at both ends the acceleration has a step: the arm rests before and after
    ts = np.linspace(7.0 + trajectory.times[0] + 1e-9, trajectory.end - 1e-5, 50001)
    q, qd, qdd, effort = filled.sample_many(ts)
    assert np.abs(effort - torque(q, qd, qdd)).max() < 0.02
    assert len(filled.times) > len(trajectory.times)


@pytest.mark.parametrize('fields', [1, 2, 3])
def test_a_filled_trajectory_is_the_same_motion_and_so_is_what_its_points_say(fields):
    trajectory = random_trajectory(fields)
    filled = fill_effort(trajectory, torque, 0.1)
    # another controller builds its segments from the points alone, by the fields that they carry
    rebuilt = Trajectory(NAMES, filled.times, filled.positions, filled.velocities,
                         filled.accelerations, filled.efforts, 7.0, 'fields')
    ts = np.linspace(7.0, trajectory.end + 0.3, 5000)
    for one in (filled, rebuilt):
        for order, loose in ((0, 1e-10), (1, 1e-8), (2, 1e-5)):  # 1 ms segments: /h and /h^2
            np.testing.assert_allclose(one.sample_many(ts)[order],
                                       trajectory.sample_many(ts)[order], atol=loose)
    np.testing.assert_allclose(rebuilt.sample_many(ts)[3], filled.sample_many(ts)[3], atol=1e-9)


def test_mixed_points_carry_what_their_segments_need():
    times = [0.0, 1.0, 2.0, 3.0]
    q, v, a = (np.random.default_rng(5).normal(size=(4, 2)) for _ in range(3))
    v[3] = np.nan
    a[[2, 3]] = np.nan
    trajectory = Trajectory(NAMES, times, q, v, a)  # quintic, cubic, linear
    filled = fill_effort(trajectory, torque, 0.05)
    rebuilt = Trajectory(NAMES, filled.times, filled.positions, filled.velocities,
                         filled.accelerations, interpolation='fields')
    ts = np.linspace(0.0, 3.0, 999)
    same, expected = rebuilt.sample_many(ts)[0], trajectory.sample_many(ts)[0]
    np.testing.assert_allclose(same, expected, atol=1e-9)
    assert set(filled.segments.orders[1:-1]) == {1, 3, 5}
    assert len(filled.times) > 20


def test_a_triangular_move_keeps_its_steps_of_torque_within_the_shortest_interval():
    trajectory = Move(triangular(), [0.0, 0.0], [1.0, -0.5], 2.0).trajectory(NAMES)
    filled = fill_effort(trajectory, torque, 0.01, min_interval=1e-3)
    ts = np.linspace(0.0, 1.998, 20001)
    q, qd, qdd, effort = filled.sample_many(ts)
    miss = np.abs(effort - torque(q, qd, qdd)).max(axis=1)
    assert miss[np.abs(ts - 1.0) > 1e-3].max() < 0.01
    assert len(filled.times) < 200


def test_effort_at_rest_is_the_torque_that_holds_and_needs_no_points():
    filled = fill_effort(hold(NAMES, [0.3, 0.4]), torque, 0.01)
    assert len(filled.times) == 1
    rest = [np.array([[0.3, 0.4]]), np.zeros((1, 2)), np.zeros((1, 2))]
    np.testing.assert_allclose(filled.sample(99.0)[3], torque(*rest)[0])


def test_a_smooth_move_needs_few_points():
    trajectory = Move(cycloidal(), [0.0, 0.0], [1.0, 1.0], 2.0).trajectory(NAMES, 16)
    filled = fill_effort(trajectory, torque, 0.05)
    assert len(filled.times) < 100


def test_points_that_are_not_joined_cannot_be_filled():
    trajectory = Trajectory(NAMES, [0.0, 1.0], [[0.0, 0.0], [1.0, 1.0]], interpolation='none')
    with pytest.raises(InputError, match='none'):
        fill_effort(trajectory, torque, 0.1)
