# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Paths run faster or slower, and tables of samples made into motions."""

import math

import numpy as np
import pytest

from kane_dynamics.exceptions import InputError
from kane_dynamics.trajectory.extrema import find_extrema
from kane_dynamics.trajectory.from_samples import trajectory_from_samples
from kane_dynamics.trajectory.time_scaling import (
    largest_alpha, largest_alpha_kinematic, scale_time)
from kane_dynamics.trajectory.trajectory import Trajectory

NAMES = ('a', 'b')


def trajectory(fields=3, **more):
    rng = np.random.default_rng(8)
    times = np.cumsum(rng.uniform(0.2, 0.6, 7))
    rows = [rng.normal(size=(7, 2)) for _ in range(fields)]
    return Trajectory(NAMES, times - times[0], *rows, start=4.0, **more)


@pytest.mark.parametrize('fields', [1, 2, 3])
@pytest.mark.parametrize('alpha', [0.2865, 1.0, 2.0])
def test_rates_scale_with_alpha_and_accelerations_with_its_square(fields, alpha):
    # Padilla 1989, 4.2.1: r = alpha t
    one = trajectory(fields, efforts=np.ones((7, 2)))
    other = scale_time(one, alpha)
    assert other.duration == pytest.approx(one.duration / alpha)
    t = np.linspace(0.0, one.duration, 300)
    slow, fast = one.sample_many(4.0 + t), other.sample_many(4.0 + t / alpha)
    for order in range(3):
        # the last sample is where rounding decides between the end and the rest after it
        np.testing.assert_allclose(fast[order][:-1], slow[order][:-1] * alpha ** order, atol=1e-9)
    np.testing.assert_allclose(fast[3], 1.0)


def test_the_points_of_a_scaled_trajectory_say_the_same_motion():
    fast = scale_time(trajectory(), 1.7)
    rebuilt = Trajectory(NAMES, fast.times, fast.positions, fast.velocities, fast.accelerations,
                         start=4.0)
    ts = np.linspace(4.0, fast.end - 1e-6, 200)
    for one, other in zip(fast.sample_many(ts), rebuilt.sample_many(ts)):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_torques_of_a_rigid_arm_are_gravity_plus_alpha_squared_times_the_rest():
    def torque(q, qd, qdd):  # one link and a coupled one: M(q) qdd + C(q, qd) qd + g(q)
        c, s = np.cos(q[:, 1]), np.sin(q[:, 1])
        return np.column_stack([
            (3.0 + 2.0 * c) * qdd[:, 0] + (1.0 + c) * qdd[:, 1]
            - s * qd[:, 1] * (2.0 * qd[:, 0] + qd[:, 1]) + 9.81 * np.cos(q[:, 0]),
            (1.0 + c) * qdd[:, 0] + qdd[:, 1] + s * qd[:, 0] ** 2])

    one, alpha = trajectory(), 1.31
    t = np.linspace(0.0, one.duration - 1e-6, 400)
    q, qd, qdd, _ = one.sample_many(4.0 + t)
    gravity = torque(q, 0.0 * qd, 0.0 * qdd)
    dynamic = torque(q, qd, qdd) - gravity
    fast = torque(*scale_time(one, alpha).sample_many(4.0 + t / alpha)[:3])
    np.testing.assert_allclose(fast, gravity + alpha ** 2 * dynamic, rtol=1e-8, atol=1e-8)

    limit = np.array([60.0, 25.0])
    best = largest_alpha(gravity, dynamic, limit)
    ratio = np.abs(gravity + best ** 2 * dynamic) / limit
    assert ratio.max() == pytest.approx(1.0)
    assert np.abs((gravity + (1.001 * best) ** 2 * dynamic) / limit).max() > 1.0


def test_no_alpha_helps_where_gravity_alone_is_too_much_and_rest_has_no_limit():
    assert largest_alpha([[5.0]], [[1.0]], 4.0) == 0.0
    assert largest_alpha([[3.0]], [[0.0]], 4.0) == math.inf
    assert largest_alpha([[3.0]], [[-1.0]], 4.0) == pytest.approx(math.sqrt(7.0))


def test_the_largest_alpha_within_rates_reaches_one_of_them():
    one = trajectory()
    velocity, acceleration = np.array([1.0, 2.0]), 9.0
    fast = scale_time(one, largest_alpha_kinematic(one, velocity, acceleration))
    reached = max((find_extrema(fast, 1).magnitude / velocity).max(),
                  (find_extrema(fast, 2).magnitude / acceleration).max())
    assert reached == pytest.approx(1.0)


@pytest.mark.parametrize('alpha', [0.0, -1.0, np.nan, np.inf])
def test_an_alpha_that_is_not_positive_is_refused(alpha):
    with pytest.raises(InputError, match='alpha'):
        scale_time(trajectory(), alpha)


# ---- sampled motions

def chirp(t):
    """Return position, velocity and acceleration (N, 2) of a known motion."""
    w = np.array([2.0, 3.0])
    x = np.outer(t, w)
    return np.sin(x), w * np.cos(x), -w ** 2 * np.sin(x)


def test_a_table_of_positions_has_the_accelerations_of_the_motion_it_was_taken_from():
    t = np.linspace(0.0, 6.0, 301)
    motion = trajectory_from_samples(NAMES, t, chirp(t)[0])
    inside = np.linspace(1.0, 5.0, 777)
    # quintic spline, 20 ms: errors of h^6 in position, h^4 in acceleration, away from the ends
    # (which are put at rest)
    for order, (found, expected) in enumerate(zip(motion.sample_many(inside), chirp(inside))):
        np.testing.assert_allclose(found, expected, atol=(1e-7, 1e-6, 1e-4)[order])


def test_smoothing_keeps_the_noise_of_the_positions_out_of_the_accelerations():
    rng = np.random.default_rng(11)
    t = np.linspace(0.0, 6.0, 601)
    noise = 1e-4
    noisy = chirp(t)[0] + rng.normal(size=(601, 2)) * noise
    inside = np.linspace(1.0, 5.0, 555)
    exact = chirp(inside)
    rough = trajectory_from_samples(NAMES, t, noisy).sample_many(inside)[2]
    smooth = trajectory_from_samples(NAMES, t, noisy, noise=noise).sample_many(inside)
    assert np.abs(rough - exact[2]).std() > 1.0       # 1e-4 rad over (10 ms)^2
    assert np.abs(smooth[2] - exact[2]).std() < 0.1   # of an amplitude of 9 rad/s^2
    assert np.abs(smooth[0] - exact[0]).max() < noise


def test_a_table_with_velocities_and_accelerations_is_joined_by_them():
    t = np.linspace(0.0, 2.0, 41)
    motion = trajectory_from_samples(NAMES, t, *chirp(t), efforts=chirp(t)[0], start=9.0)
    inside = np.linspace(0.01, 1.99, 333)
    found = motion.sample_many(9.0 + inside)
    for order, expected in enumerate(chirp(inside)):
        # quintics of 50 ms: h^6/46080 of 3^6 in position, h^4 of it in acceleration
        np.testing.assert_allclose(found[order], expected, atol=(1e-9, 1e-7, 1e-5)[order])
    np.testing.assert_allclose(found[3], chirp(inside)[0], atol=0.05 ** 2 / 8 * 9.1)


@pytest.mark.parametrize(('arguments', 'word'), [
    ({'noise': 0.0}, 'positive'), ({'noise': [1.0, np.nan]}, 'positive'),
    ({'noise': 1.0, 'velocities': np.zeros((8, 2))}, 'positions only'),
    ({'noise': 1.0, 'times': np.arange(3.0), 'positions': np.zeros((3, 2))}, '6 samples'),
    ({'times': np.zeros(8)}, 'strictly increasing')])
def test_a_table_that_cannot_be_used_is_refused_with_the_reason(arguments, word):
    good = {'joint_names': NAMES, 'times': np.arange(8.0), 'positions': np.zeros((8, 2))}
    with pytest.raises(InputError, match=word):
        trajectory_from_samples(**{**good, **arguments})
