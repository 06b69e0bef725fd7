# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Velocity profiles and moves: published definitions, closed forms, differences, brute force."""

import math

import numpy as np
import pytest

from kane_dynamics.exceptions import InputError
from kane_dynamics.trajectory.moves import Move, plan_move
from kane_dynamics.trajectory.profiles import (
    cubic, cycloidal, PROFILES, quasi_triangular, quintic, s_curve, trapezoidal, triangular)

EVERY = [pytest.param(make(), id=name) for name, make in PROFILES.items()]
# where s'' is continuous, and so s' everywhere smooth enough for differences
SMOOTH = [pytest.param(make(), id=name) for name, make in PROFILES.items()
          if name not in ('triangular', 'trapezoidal', 'cubic')]


@pytest.mark.parametrize('profile', EVERY)
def test_a_profile_goes_from_zero_to_one_at_rest_and_rests_outside(profile):
    s = profile.evaluate(np.array([-1.0, 0.0, 1.0, 2.0]))
    np.testing.assert_allclose(s[0], [0.0, 0.0, 1.0, 1.0], atol=1e-14)
    np.testing.assert_allclose(s[1], 0.0, atol=1e-14)
    assert not s[:, 0].any() and not s[1:, 2:].any()


@pytest.mark.parametrize('profile', EVERY)
def test_each_derivative_is_the_difference_of_the_one_below(profile):
    x = np.linspace(0.0, 1.0, 4001)[1:-1]
    cuts = profile.pieces(1)
    x = x[np.abs(x[:, None] - cuts).min(axis=1) > 2e-4]
    h = 1e-5
    before, here, after = (profile.evaluate(x + dx) for dx in (-h, 0.0, h))
    for order in (1, 2, 3):
        slope = (after[order - 1] - before[order - 1]) / (2.0 * h)
        # h^2/6 of the fifth derivative at most (2 pi)^4 and 720, plus 1e-16/h of rounding
        np.testing.assert_allclose(slope, here[order], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize('profile', EVERY)
def test_the_closed_form_peaks_are_those_of_a_dense_sampling(profile):
    x = np.union1d(np.linspace(0.0, 1.0, 100001), profile.pieces() - 1e-12)
    s = np.abs(profile.evaluate(x[x < 1.0]))
    peaks = (profile.peak_velocity, profile.peak_acceleration)
    np.testing.assert_allclose(s[1:3].max(axis=1), peaks, rtol=1e-8)
    if math.isfinite(profile.peak_jerk):
        np.testing.assert_allclose(s[3].max(), profile.peak_jerk, rtol=1e-8)


@pytest.mark.parametrize('profile', SMOOTH)
def test_profiles_with_bounded_jerk_have_no_step_in_acceleration(profile):
    x = np.linspace(-0.1, 1.1, 100001)
    steps = np.abs(np.diff(profile.evaluate(x)[2]))
    assert steps.max() <= profile.peak_jerk * (x[1] - x[0]) * (1.0 + 1e-6)


@pytest.mark.parametrize('profile', EVERY)
def test_a_profile_is_symmetric_about_its_middle(profile):
    x = np.linspace(0.001, 0.999, 500)
    forth, back = profile.evaluate(x), profile.evaluate(1.0 - x)
    np.testing.assert_allclose(forth[0], 1.0 - back[0], atol=1e-13)
    np.testing.assert_allclose(forth[1], back[1], atol=1e-12)


def test_the_triangular_profile_has_twice_the_mean_velocity_and_constant_acceleration():
    # Vukobratovic and Potkonjak 1982: v_max = 2 L/T, |a| = 4 L/T^2
    move = Move(triangular(), [0.0], [0.7], 1.3)
    assert move.peak_velocity[0] == pytest.approx(2.0 * 0.7 / 1.3)
    q, qd, qdd = move.sample_many(np.array([0.2, 0.65, 1.0]))
    np.testing.assert_allclose(np.abs(qdd), 4.0 * 0.7 / 1.3 ** 2)
    assert q[1, 0] == pytest.approx(0.35) and qd[1, 0] == pytest.approx(move.peak_velocity[0])


def test_the_parabolic_velocity_costs_12_where_the_triangular_costs_16():
    # Vukobratovic and Potkonjak 1982, 3.13: integral of a^2, in L^2/T^3
    x = (np.arange(200000) + 0.5) / 200000
    costs = [np.mean(profile.evaluate(x)[2] ** 2) for profile in (cubic(), triangular())]
    np.testing.assert_allclose(costs, [12.0, 16.0], rtol=1e-9)
    np.testing.assert_allclose(cubic().evaluate(x)[1], 6.0 * x * (1.0 - x), rtol=1e-12)


def test_the_quasi_triangular_profile_becomes_triangular_without_jerk_phases():
    x = np.linspace(0.0, 0.999, 200)
    np.testing.assert_allclose(quasi_triangular(0.0).evaluate(x), triangular().evaluate(x))
    assert quasi_triangular(0.1).peak_acceleration == pytest.approx(4.0 / 0.9)
    assert quasi_triangular(0.1).peak_velocity == 2.0


def test_the_trapezoidal_profile_cruises_at_the_velocity_of_its_area():
    profile = trapezoidal(0.2)
    np.testing.assert_allclose(profile.evaluate(np.linspace(0.2, 0.8, 20))[1], 1.25)
    assert profile.peak_acceleration == pytest.approx(1.25 / 0.2)


def test_nies_motion_of_the_intelledex_605_is_the_cycloidal_move():
    # Nie 1988, T = 2 s: q1 = pi phi/(3 T), q2 = pi/2 - pi phi/(6 T), phi = t - T/2pi sin(2pi t/T)
    end = np.array([np.pi / 3, np.pi / 2 - np.pi / 6, *[np.pi / 3] * 4])
    move = Move(cycloidal(), [0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0], end, 2.0)
    q, qd, qdd = move.sample(0.5)
    # spot values as recomputed in nine digits
    np.testing.assert_allclose(q[:2], [0.095132721, 1.523229966], atol=5e-10)
    np.testing.assert_allclose([qd[0], qdd[0]], [0.523598776, 1.644934067], atol=5e-10)
    np.testing.assert_allclose([qd[1], qdd[1]], [-0.523598776 / 2, -1.644934067 / 2], atol=5e-10)
    q, qd, qdd = move.sample(1.0)
    np.testing.assert_allclose(q[:2], [np.pi / 6, 5.0 * np.pi / 12], rtol=1e-14)
    np.testing.assert_allclose([qd[0], qdd[0]], [np.pi / 3, 0.0], atol=1e-14)


def test_angeles_stanford_arm_motion_is_the_cycloidal_move():
    # Angeles, Ma and Rojas 1989, 7.1: theta = theta(0) + A (t - sin(B t)/B), B = 2 pi/10, 10 s
    a = np.array([np.pi / 30, -np.pi / 60, 0.01, np.pi / 30, np.pi / 30, np.pi / 30])
    start = np.array([0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0])
    move = Move(cycloidal(), start, start + 10.0 * a, 10.0)
    t, b = np.linspace(0.0, 9.99, 57), 2.0 * np.pi / 10.0
    q, qd, qdd = move.sample_many(t)
    np.testing.assert_allclose(q, start + np.outer(t - np.sin(b * t) / b, a), atol=1e-14)
    np.testing.assert_allclose(qd, np.outer(1.0 - np.cos(b * t), a), atol=1e-14)
    np.testing.assert_allclose(qdd, np.outer(b * np.sin(b * t), a), atol=1e-14)


def test_padillas_slew_has_the_peak_rate_of_his_quintic():
    # Padilla 1989, T1: theta 0 -> pi in 8 s; peak rate 0.73631 rad/s as recomputed
    move = Move(quintic(), [0.0, 0.0873], [np.pi, 0.0], 8.0)
    assert move.peak_velocity[0] == pytest.approx(0.73631, abs=5e-6)


@pytest.mark.parametrize('profile', EVERY)
def test_a_move_as_a_trajectory_is_the_same_motion(profile):
    move = Move(profile, [0.1, -1.0], [0.9, 2.0], 1.7, start=3.0)
    trajectory = move.trajectory(('a', 'b'))
    ts = np.linspace(2.9, 4.8, 1000)
    ts = ts[np.abs(ts[:, None] - 3.0 - 1.7 * profile.pieces(1)).min(axis=1) > 1e-6]
    # quintics between 64 points of a cycloid: (2 pi)^5/64^6/46080 in s, 1e-6 in s''
    loose = 1e-5 if profile.name == 'cycloidal' else 1e-10
    for order, (one, other) in enumerate(zip(move.sample_many(ts), trajectory.sample_many(ts))):
        tolerance = loose if order == 2 else max(loose / 100.0, 1e-11)
        np.testing.assert_allclose(one, other, atol=tolerance)


def test_the_error_of_a_cycloid_in_quintics_is_the_one_stated():
    profile, count = cycloidal(), 16
    move = Move(profile, [0.0], [1.0], 1.0)
    x = np.linspace(0.0, 0.9999, 5000)
    error = np.abs(move.trajectory(('a',), count).sample_many(x)[0][:, 0] - profile.evaluate(x)[0])
    stated = (2.0 * math.pi) ** 5 / (46080 * count ** 6)
    assert 0.8 * stated < error.max() <= stated * 1.001


LIMITS = [(2.0, 3.0, 20.0), (0.3, 3.0, 20.0), (2.0, 0.4, 20.0), (2.0, 50.0, 5.0), (0.5, 50.0, 5.0)]


@pytest.mark.parametrize('limits', LIMITS)
@pytest.mark.parametrize('name', list(PROFILES))
def test_a_planned_move_keeps_every_limit_and_reaches_one(name, limits):
    velocity, acceleration, jerk = limits
    jerks = {} if name in ('triangular', 'trapezoidal') else {'jerk': jerk}
    move = plan_move([0.0, 1.0, 2.0], [1.0, 0.7, 2.0], velocity, acceleration, profile=name,
                     **jerks)
    ratios = [move.peak_velocity / velocity, move.peak_acceleration / acceleration]
    if jerks:
        ratios.append(move.peak_jerk / jerk)
    assert np.max(ratios) <= 1.0 + 1e-12
    assert np.max(ratios) == pytest.approx(1.0)
    np.testing.assert_allclose(move.sample(move.end)[0], [1.0, 0.7, 2.0], atol=1e-14)


def fastest_by_search(velocity, acceleration, jerk):
    """Return the shortest time over unit length, by scanning all shapes of seven phases."""
    ramp, fraction = np.meshgrid(np.linspace(0.01, 0.5, 800), np.linspace(0.01, 0.5, 800))
    v = 1.0 / (1.0 - ramp)
    a = v / (ramp * (1.0 - fraction))
    j = a / (ramp * fraction)
    times = np.maximum.reduce([v / velocity, (a / acceleration) ** 0.5, (j / jerk) ** (1 / 3)])
    return times.min()


@pytest.mark.parametrize('limits', LIMITS)
def test_no_other_shape_of_seven_phases_is_faster(limits):
    planned = plan_move([0.0], [1.0], *limits, profile='s_curve').duration
    found = fastest_by_search(*limits)
    # the grid misses the best shape by half a cell: 0.3 % of the time
    assert found >= planned * (1.0 - 1e-12)
    assert found == pytest.approx(planned, rel=5e-3)


@pytest.mark.parametrize('limits', LIMITS)
def test_the_fastest_trapezoid_is_the_textbooks(limits):
    velocity, acceleration, _ = limits
    move = plan_move([0.0], [1.0], velocity, acceleration)
    if velocity ** 2 / acceleration >= 1.0:  # bang-bang: half the distance at full acceleration
        expected = 2.0 * math.sqrt(1.0 / acceleration)
    else:
        expected = 1.0 / velocity + velocity / acceleration
    assert move.duration == pytest.approx(expected, rel=1e-12)


def test_joints_of_a_planned_move_start_and_stop_together_within_their_own_limits():
    velocity, acceleration = np.array([1.0, 0.2, 5.0]), np.array([2.0, 1.0, 0.1])
    move = plan_move(np.zeros(3), [1.0, -1.0, 0.3], velocity, acceleration)
    assert (move.peak_velocity <= velocity * (1 + 1e-12)).all()
    assert (move.peak_acceleration <= acceleration * (1 + 1e-12)).all()
    q = move.sample_many(np.linspace(0.0, move.end, 50))[0]
    np.testing.assert_allclose(q[:, 1], -q[:, 0], atol=1e-14)
    np.testing.assert_allclose(q[:, 2], 0.3 * q[:, 0], atol=1e-14)


def test_a_longer_duration_is_kept_and_a_shorter_one_refused_with_the_shortest():
    assert plan_move([0.0], [1.0], 1.0, 1.0, duration=5.0).duration == 5.0
    with pytest.raises(InputError, match='the shortest is 2'):
        plan_move([0.0], [1.0], 1.0, 1.0, duration=1.9)


def test_a_move_to_where_it_stands_is_a_moment_of_rest():
    move = plan_move([1.0, 2.0], [1.0, 2.0], 1.0, 1.0)
    q, qd, qdd = move.sample(move.start + move.duration / 2)
    np.testing.assert_array_equal(q, [1.0, 2.0])
    assert not qd.any() and not qdd.any() and not move.peak_jerk.any()


@pytest.mark.parametrize(('arguments', 'word'), [
    ({'profile': 'magic'}, 'quasi_triangular'), ({'velocity': 0.0}, 'positive'),
    ({'acceleration': math.inf}, 'acceleration'), ({'profile': 's_curve'}, 'jerk'),
    ({'profile': 'triangular', 'jerk': 1.0}, 'steps in acceleration'),
    ({'profile': 'trapezoidal', 'jerk': 1.0}, 'steps in acceleration'),
    ({'velocity': [1.0, 2.0]}, 'one or 1'),
    ({'profile': 'quintic', 'velocity': math.inf, 'acceleration': math.inf}, 'takes no time'),
    ({'q1': [1.0, 2.0]}, 'shape')])
def test_a_move_that_cannot_be_planned_is_refused_with_the_reason(arguments, word):
    good = {'q0': [0.0], 'q1': [1.0], 'velocity': 1.0, 'acceleration': 1.0}
    with pytest.raises(InputError, match=word):
        plan_move(**{**good, **arguments})


@pytest.mark.parametrize('make', [lambda: s_curve(0.6), lambda: s_curve(0.2, 0.6),
                                  lambda: trapezoidal(0.0), lambda: quasi_triangular(-0.1)])
def test_impossible_shapes_are_refused(make):
    with pytest.raises(InputError, match='ramp must be'):
        make()


@pytest.mark.parametrize(('q0', 'q1', 'duration'), [
    ([0.0], [1.0], 0.0), ([0.0], [1.0], np.nan), ([0.0], [np.nan], 1.0), ([0.0], [1.0, 2.0], 1.0)])
def test_impossible_moves_are_refused(q0, q1, duration):
    with pytest.raises(InputError):
        Move(cubic(), q0, q1, duration)
