# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a trajectory is between, before and after its points; oracles are SciPy's polynomials."""

import numpy as np
import pytest
from scipy.interpolate import BPoly, CubicSpline, make_interp_spline

from kane_dynamics.exceptions import InputError
from kane_dynamics.trajectory.extrema import find_extrema
from kane_dynamics.trajectory.trajectory import hold, Trajectory

NAMES = ('shoulder', 'elbow', 'wrist')
# Rounding of six terms: values here are of order 1 to 100 and segments are 0.1 s and longer.
CLOSE = {'rtol': 1e-10, 'atol': 1e-10}


def points(count=9, seed=1):
    """Return times (N,), positions, velocities and accelerations (N, 3), irregular."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.1, 0.9, count))
    return times, *(rng.normal(size=(count, 3)) * scale for scale in (1.0, 0.7, 2.0))


def inner_times(times, count=400, seed=2):
    """Return times inside the trajectory, away from its knots."""
    ts = np.sort(np.random.default_rng(seed).uniform(times[0], times[-1], count))
    return ts[np.abs(ts[:, None] - times).min(axis=1) > 1e-6]


def assert_follows(trajectory, oracle, ts):
    for order, values in enumerate(trajectory.sample_many(ts)[:3]):
        np.testing.assert_allclose(values, oracle(ts, nu=order), **CLOSE)


def test_positions_and_velocities_give_scipys_cubic_hermite_segments():
    times, q, v, _ = points()
    trajectory = Trajectory(NAMES, times, q, v)
    oracle = BPoly.from_derivatives(times, np.stack([q, v], axis=1))
    assert_follows(trajectory, oracle, inner_times(times))


def test_positions_velocities_and_accelerations_give_scipys_quintic_segments():
    times, q, v, a = points()
    trajectory = Trajectory(NAMES, times, q, v, a)
    oracle = BPoly.from_derivatives(times, np.stack([q, v, a], axis=1))
    assert_follows(trajectory, oracle, inner_times(times))


def test_positions_alone_give_scipys_clamped_cubic_spline():
    times, q, _, _ = points()
    oracle = CubicSpline(times, q, bc_type='clamped')
    assert_follows(Trajectory(NAMES, times, q), oracle, inner_times(times))


def test_spline_has_no_step_in_acceleration_at_inner_points():
    times, q, _, _ = points()
    trajectory = Trajectory(NAMES, times, q)
    before = trajectory.sample_many(times[1:-1] - 1e-9)[2]
    after = trajectory.sample_many(times[1:-1])[2]
    # 1e-9 s of a jerk of the order of 1e3 rad/s^3
    np.testing.assert_allclose(before, after, atol=1e-5)


def test_quintic_spline_is_scipys_with_velocity_and_acceleration_zero_at_the_ends():
    times, q, _, _ = points()
    ends = [(1, np.zeros(3)), (2, np.zeros(3))]
    oracle = make_interp_spline(times, q, k=5, bc_type=(ends, ends))
    trajectory = Trajectory(NAMES, times, q, interpolation='quintic_spline')
    ts = inner_times(times)
    for order, values in enumerate(trajectory.sample_many(ts)[:3]):
        # SciPy solves for B-spline coefficients: two different systems agree to their conditioning
        np.testing.assert_allclose(values, oracle(ts, nu=order), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize('interpolation', ['spline', 'quintic_spline'])
@pytest.mark.parametrize('count', [1, 2, 3])
def test_splines_of_few_points_pass_through_them_at_rest(interpolation, count):
    times, q, _, _ = points(count)
    trajectory = Trajectory(NAMES, times, q, interpolation=interpolation)
    for t, expected in zip(times, q):
        np.testing.assert_allclose(trajectory.sample(t)[0], expected, **CLOSE)
    for t in (times[0], times[-1]):
        np.testing.assert_allclose(trajectory.sample(t)[1], 0.0, atol=1e-12)


def test_positions_alone_by_fields_are_linear_without_acceleration():
    times, q, _, _ = points()
    trajectory = Trajectory(NAMES, times, q, interpolation='fields')
    ts = inner_times(times)
    sampled, qd, qdd, _ = trajectory.sample_many(ts)
    for j in range(3):
        np.testing.assert_allclose(sampled[:, j], np.interp(ts, times, q[:, j]), **CLOSE)
    slope = np.diff(q, axis=0) / np.diff(times)[:, None]
    np.testing.assert_allclose(qd, slope[np.searchsorted(times, ts) - 1], **CLOSE)
    assert not qdd.any()


def test_a_segment_uses_only_what_both_of_its_ends_carry():
    times, q, v, a = points(4)
    v[3] = np.nan
    a[[2, 3]] = np.nan   # so: quintic, cubic, linear
    trajectory = Trajectory(NAMES, times, q, v, a)
    assert trajectory.segments.orders.tolist() == [0, 5, 3, 1, 0]
    middle = (times[:-1] + times[1:]) / 2
    quintic = BPoly.from_derivatives(times[:2], np.stack([q, v, a], axis=1)[:2])
    cubic = BPoly.from_derivatives(times[1:3], np.stack([q, v], axis=1)[1:3])
    sampled = trajectory.sample_many(middle)
    for order in range(3):
        np.testing.assert_allclose(sampled[order][0], quintic(middle[0], nu=order), **CLOSE)
        np.testing.assert_allclose(sampled[order][1], cubic(middle[1], nu=order), **CLOSE)
    np.testing.assert_allclose(sampled[0][2], (q[2] + q[3]) / 2, **CLOSE)


def test_velocity_and_acceleration_are_the_derivatives_of_position():
    times, q, v, a = points()
    for trajectory in (Trajectory(NAMES, times, q), Trajectory(NAMES, times, q, v, a)):
        ts = inner_times(times)
        ts = ts[np.abs(ts[:, None] - times).min(axis=1) > 1e-3]
        h = 1e-4
        before, here, after = (trajectory.sample_many(ts + dt) for dt in (-h, 0.0, h))
        # central differences: h^2 / 6 times a third derivative that quintics on 0.1 s bring to 1e4
        np.testing.assert_allclose((after[0] - before[0]) / (2 * h), here[1], atol=1e-3)
        np.testing.assert_allclose((after[1] - before[1]) / (2 * h), here[2], atol=1e-1)


def test_effort_is_linear_and_missing_effort_is_zero():
    times, q, v, _ = points(3)
    effort = np.array([[1.0, 2.0, 3.0], [np.nan] * 3, [4.0, 4.0, 4.0]])
    trajectory = Trajectory(NAMES, times, q, v, efforts=effort)
    quarter = times[:-1] + 0.25 * np.diff(times)
    np.testing.assert_allclose(trajectory.sample(quarter[0])[3], [0.75, 1.5, 2.25], **CLOSE)
    np.testing.assert_allclose(trajectory.sample(quarter[1])[3], [1.0, 1.0, 1.0], **CLOSE)
    assert not Trajectory(NAMES, times, q, v).sample(times[1])[3].any()


def test_without_interpolation_the_next_point_is_shown_as_it_stands():
    times, q, v, a = points(4)
    trajectory = Trajectory(NAMES, times, q, v, a, efforts=q, interpolation='none')
    for t in (times[1], times[1] + 0.05):
        for value, expected in zip(trajectory.sample(t), (q[2], v[2], a[2], q[2])):
            np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize('interpolation', ['spline', 'fields', 'none'])
def test_after_the_last_point_it_rests_there_whatever_velocity_that_point_carries(interpolation):
    times, q, v, a = points()
    trajectory = Trajectory(NAMES, times, q, v, a, efforts=2 * q, interpolation=interpolation)
    for t in (times[-1], times[-1] + 1e-9, times[-1] + 100.0):
        position, qd, qdd, effort = trajectory.sample(t)
        np.testing.assert_array_equal(position, q[-1])
        np.testing.assert_array_equal(effort, 2 * q[-1])
        assert not qd.any() and not qdd.any()


def test_before_the_first_point_it_rests_there():
    times, q, v, a = points()
    position, qd, qdd, _ = Trajectory(NAMES, times, q, v, a).sample(times[0] - 0.1)
    np.testing.assert_array_equal(position, q[0])
    assert not qd.any() and not qdd.any()


def test_sample_and_sample_many_agree():
    times, q, v, a = points()
    trajectory = Trajectory(NAMES, times, q, v, a, efforts=a, start=5.0)
    ts = np.linspace(4.9 + times[0], 5.3 + times[-1], 77)
    many = trajectory.sample_many(ts)
    for i, t in enumerate(ts):
        one = trajectory.sample(t)
        for k in range(4):
            # Horner's rule against sums of powers: rounding only
            np.testing.assert_allclose(one[k], many[k][i], rtol=1e-12, atol=1e-12)


def test_time_counts_from_start():
    times, q, v, _ = points()
    at_zero, later = Trajectory(NAMES, times, q, v), Trajectory(NAMES, times, q, v, start=100.0)
    for a, b in zip(at_zero.sample(times[2] + 0.03), later.sample(100.0 + times[2] + 0.03)):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)  # 1e-14 s of rounding in 100 s
    assert later.end == 100.0 + times[-1]
    assert later.duration == times[-1] - times[0]


def test_starting_at_moves_the_motion_and_counted_from_does_not():
    times, q, v, _ = points()
    trajectory = Trajectory(NAMES, times, q, v, start=3.0)
    t = 3.0 + times[2] + 0.01
    np.testing.assert_allclose(trajectory.starting_at(13.0).sample(t + 10.0)[0],
                               trajectory.sample(t)[0], **CLOSE)
    recounted = trajectory.counted_from(1.0)
    np.testing.assert_allclose(recounted.times, times + 2.0)
    np.testing.assert_allclose(recounted.sample(t)[0], trajectory.sample(t)[0], **CLOSE)


def test_a_refined_trajectory_is_the_same_function():
    times, q, v, a = points()
    trajectory = Trajectory(NAMES, times, q, v, a, efforts=a)
    knots = np.union1d(times, np.linspace(times[0], times[-1], 50))
    finer = trajectory.segments.refined(knots)
    ts = np.linspace(times[0] - 0.5, times[-1] + 0.5, 333)
    for one, other in zip(trajectory.segments.evaluate_many(ts), finer.evaluate_many(ts)):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(trajectory.segments.effort_at_many(ts), finer.effort_at_many(ts),
                               **CLOSE)


def test_hold_stays_where_it_is_for_ever():
    q, qd, qdd, effort = hold(NAMES, [1.0, 2.0, 3.0], start=4.0).sample(1e6)
    np.testing.assert_array_equal(q, [1.0, 2.0, 3.0])
    assert not qd.any() and not qdd.any() and not effort.any()


def test_a_trajectory_cannot_be_changed_from_outside():
    times, q, v, _ = points()
    trajectory = Trajectory(NAMES, times, q, v)
    before = trajectory.sample(times[1])[0]
    q[:] = 0.0
    np.testing.assert_array_equal(trajectory.sample(times[1])[0], before)
    with pytest.raises(ValueError):
        trajectory.positions[0] = 0.0


@pytest.mark.parametrize(('change', 'word'), [
    ({'times': [0.0, 1.0, 1.0]}, 'strictly increasing'),
    ({'times': [0.0, np.nan, 1.0]}, 'finite'),
    ({'times': []}, 'times'),
    ({'joint_names': ('a', 'a', 'b')}, 'each once'),
    ({'positions': np.zeros((3, 2))}, 'shape'),
    ({'positions': np.full((3, 3), np.nan)}, 'finite'),
    ({'velocities': [[np.nan, 0.0, 0.0]] * 3}, 'row of NaN'),
    ({'velocities': None}, 'no velocities'),
    ({'interpolation': 'magic'}, 'quintic_spline'),
    ({'start': np.inf}, 'start'),
    ({'positions': [[1.0], [1.0, 2.0], [3.0]]}, 'rows of equal length'),
])
def test_a_wrong_argument_is_refused_with_what_is_wrong(change, word):
    good = {'joint_names': NAMES, 'times': [0.0, 1.0, 2.0], 'positions': np.zeros((3, 3)),
            'velocities': np.zeros((3, 3)), 'accelerations': np.zeros((3, 3))}
    with pytest.raises(InputError, match=word):
        Trajectory(**{**good, **change})


@pytest.mark.parametrize('derivative', [0, 1, 2])
@pytest.mark.parametrize('fields', [1, 2, 3])
def test_extrema_are_those_of_a_dense_sampling_and_happen_when_they_say(derivative, fields):
    times, *rows = points()
    trajectory = Trajectory(NAMES, times, *rows[:fields], start=2.0)
    found = find_extrema(trajectory, derivative)
    sides = np.concatenate([times - 1e-12, times + 1e-12])  # both sides of a jump
    ts = 2.0 + np.union1d(np.linspace(times[0], times[-1], 40001), sides)
    dense = trajectory.sample_many(ts)[derivative]
    scale = np.abs(dense).max()
    # a smooth extremum lies within (dt^2 / 8) f'' of the nearest of the 40001 samples
    np.testing.assert_allclose(found.upper, dense.max(axis=0), atol=1e-5 * scale)
    np.testing.assert_allclose(found.lower, dense.min(axis=0), atol=1e-5 * scale)
    assert (found.upper >= dense.max(axis=0) - 1e-9 * scale).all()
    assert (found.lower <= dense.min(axis=0) + 1e-9 * scale).all()
    for j in range(3):
        around = found.upper_time[j] + np.array([-1e-9, 0.0, 1e-9])
        seen = trajectory.sample_many(around)[derivative][:, j].max()
        np.testing.assert_allclose(seen, found.upper[j], atol=1e-6 * scale)
    np.testing.assert_array_equal(
        found.magnitude, np.maximum(np.abs(found.lower), np.abs(found.upper)))
