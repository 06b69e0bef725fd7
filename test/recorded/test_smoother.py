# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Velocity and acceleration of recordings: exact on polynomials, at the stated bandwidth."""

import numpy as np
import pytest

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.lagrange import interpolate
from kane_dynamics.recorded.smoothing import smoother as smoothing
from kane_dynamics.recorded.smoothing.kernel import SmoothingKernel
from kane_dynamics.recorded.smoothing.smoother import Smoother
from kane_dynamics.trajectory.motion import Samples


def joined(motions):
    motions = list(motions)
    return tuple(np.concatenate([getattr(each, name) for each in motions])
                 for name in ('t', 'q', 'qd', 'qdd', 'effort'))


def blocks(t, position, velocity=None, size=1000, effort=None):
    effort = position if effort is None else effort
    for k in range(0, len(t), size):
        part = slice(k, k + size)
        yield Samples(t[part], position[part], None if velocity is None else velocity[part],
                      effort[part], begins=k == 0)


def wave(t):
    """Return position, velocity and acceleration of two joints, all below 2 Hz."""
    w = np.array([2 * np.pi * 0.7, 2 * np.pi * 1.9])
    phase = t[:, None] * w + np.array([0.3, 1.1])
    return np.sin(phase), w * np.cos(phase), -w * w * np.sin(phase)


@pytest.mark.parametrize('derivative', [0, 1, 2])
def test_kernels_leave_polynomials_of_the_fifth_degree_alone(derivative):
    kernel = SmoothingKernel(7.0, 0.004)
    t = np.arange(-300, 301) * 0.004
    poly = np.polynomial.Polynomial([0.3, -1.0, 2.0, 0.7, -1.5, 0.9])
    found = kernel.apply(poly(t)[:, None], derivative)[:, 0]
    expected = poly.deriv(derivative)(t)[kernel.reach:-kernel.reach]
    # round-off of samples of size 10 through a second derivative of width 0.04 s
    np.testing.assert_allclose(found, expected, atol=1e-10 * 25**derivative)


@pytest.mark.parametrize(('bandwidth', 'rate'), [(5.0, 30.0), (10.0, 125.0), (10.0, 500.0)])
def test_half_the_power_passes_at_the_stated_bandwidth_and_none_lags(bandwidth, rate):
    kernel = SmoothingKernel(bandwidth, 1.0 / rate)
    t = np.arange(int(4 * rate)) / rate
    for fraction in (0.25, 0.5, 1.0, 1.5):
        w = 2 * np.pi * bandwidth * fraction
        signal = np.exp(1j * w * t)
        inner = signal[kernel.reach:-kernel.reach]
        gains = []
        for derivative in range(3):
            real, imag = (kernel.apply(part[:, None], derivative)[:, 0]
                          for part in (signal.real, signal.imag))
            gains.append(((real + 1j * imag) / inner / (1j * w)**derivative).mean())
        # the closed form is that of the continuous kernel; sampling at 6 times the bandwidth and
        # cutting at 6 widths cost 2e-4 of it
        np.testing.assert_allclose(gains, kernel.response(bandwidth * fraction), atol=1e-3)
        if fraction == 1.0:
            np.testing.assert_allclose(np.abs(gains)**2, 0.5, atol=2e-3)


def test_motion_on_an_even_grid_is_the_true_one():
    t = np.arange(4000) * 0.002
    q, qd, qdd = wave(t)
    smoother = Smoother(('a', 'b'), bandwidth=12.0)
    at, *found, effort = joined(smoother.motions(blocks(t, q)))
    expected = wave(at)
    # 1 - H at 1.9 of 12 Hz is 1.5e-5
    for mine, true, scale in zip(found, expected, (1.0, 12.0, 143.0)):
        np.testing.assert_allclose(mine, true, atol=5e-5 * scale)
    np.testing.assert_array_equal(effort, q[np.searchsorted(t, at)])


@pytest.mark.parametrize('measured', [False, True])
def test_blocks_of_any_size_give_the_same_motion(monkeypatch, measured):
    rng = np.random.default_rng(3)
    t = np.cumsum(rng.uniform(0.0015, 0.0025, 9000))
    q, qd, _ = wave(t)
    results = []
    for size, block in ((9000, 10**6), (500, 1000), (37, 1000)):
        monkeypatch.setattr(smoothing, 'BLOCK', block)
        smoother = Smoother(('a', 'b'), bandwidth=8.0)
        first = float(np.median(np.diff(t[:37])))
        smoother.period, smoother.kernel = first, SmoothingKernel(8.0, first)
        smoother.speeds = 'measured' if measured else 'position'
        smoother._check = smoothing.SpeedCheck(2) if measured else None
        results.append(joined(smoother.motions(blocks(t, q, qd if measured else None, size))))
    for other in results[1:]:
        for mine, theirs in zip(results[0], other):
            assert mine.shape == theirs.shape
            # round-off of the convolution by FFT, times the second derivative's gain
            np.testing.assert_allclose(mine, theirs, atol=1e-9)


@pytest.mark.parametrize('measured', [False, True])
def test_jittered_stamps_give_the_true_motion(measured):
    rng = np.random.default_rng(4)
    t = np.cumsum(rng.uniform(0.006, 0.010, 3000))
    q, qd, _ = wave(t)
    smoother = Smoother(('a', 'b'), bandwidth=12.0)
    at, *found, _ = joined(smoother.motions(blocks(t, q, qd if measured else None)))
    # quintic interpolation of 1.9 Hz at 125 Hz: below 1e-6; the filter: 1.5e-5
    for mine, true, scale in zip(found, wave(at), (1.0, 12.0, 143.0)):
        np.testing.assert_allclose(mine, true, atol=5e-5 * scale)


@pytest.mark.parametrize('measured', [False, True])
def test_sampled_errors_have_the_size_of_the_true_ones(measured):
    rng = np.random.default_rng(8)
    t = np.arange(20_000) * 0.004
    q, qd, _ = wave(t)
    q = q + 1e-3 * rng.standard_normal(q.shape)
    qd = qd + 5e-3 * rng.standard_normal(q.shape)
    smoother = Smoother(('a', 'b'), bandwidth=15.0)
    motions = list(smoother.motions(blocks(t, q, qd if measured else None)))
    found = np.concatenate([motion.errors for motion in motions], axis=1).std(axis=1)
    at, *mine, _ = joined(motions)
    # 20,000 samples, correlated over some ten of them: 2 %
    for errors, values, true in zip(found, mine, wave(at)):
        np.testing.assert_allclose(errors, (values - true).std(axis=0), rtol=0.1)
    bare = Smoother(('a', 'b'), bandwidth=15.0, errors=False)
    assert all(motion.errors is None for motion in bare.motions(blocks(t, q)))


def test_ends_and_gaps_are_left_out_and_counted():
    t = np.arange(3000) * 0.002
    t[1000:] += 0.5                      # a gap
    t[2000:] += 1.0                      # and a longer one
    q, *_ = wave(t)
    smoother = Smoother(('a', 'b'), bandwidth=10.0)
    at, found, *_ = joined(smoother.motions(blocks(t, q, size=700)))
    reach = smoother.kernel.reach
    assert (smoother.gaps, smoother.pieces, smoother.short_pieces) == (2, 3, 0)
    assert smoother.longest_gap == pytest.approx(1.002)
    assert smoother.samples == 3000 and smoother.at_ends == 6 * reach == 3000 - len(at)
    np.testing.assert_allclose(found, wave(at)[0], atol=1e-4)
    assert not ((at > t[999]) & (at < t[1000])).any()


def test_a_few_lost_messages_are_bridged():
    t = np.delete(np.arange(2000) * 0.002, [700, 701, 702, 900])
    q, *_ = wave(t)
    smoother = Smoother(('a', 'b'), bandwidth=10.0)
    at, found, speed, *_ = joined(smoother.motions(blocks(t, q)))
    assert smoother.gaps == 0 and smoother.pieces == 1
    np.testing.assert_allclose(found, wave(at)[0], atol=1e-4)
    np.testing.assert_allclose(speed, wave(at)[1], atol=1e-3)


def test_a_piece_too_short_to_filter_gives_nothing_and_is_counted():
    t = np.arange(30) * 0.002
    smoother = Smoother(('a', 'b'), bandwidth=10.0)
    assert list(smoother.motions(blocks(t, wave(t)[0]))) == []
    assert (smoother.pieces, smoother.short_pieces, smoother.at_ends) == (1, 1, 30)


def test_a_continuous_joint_is_unwrapped_and_another_is_not():
    t = np.arange(4000) * 0.002
    q = np.stack([3.0 * t, 0.5 * t], axis=1)
    wrapped = np.stack([(q[:, 0] + np.pi) % (2 * np.pi) - np.pi, q[:, 1]], axis=1)
    smoother = Smoother(('a', 'b'), continuous=[0])
    at, found, speed, _, _ = joined(smoother.motions(blocks(t, wrapped, size=300)))
    assert smoother.turns > 0
    np.testing.assert_allclose(speed, np.tile([3.0, 0.5], (len(at), 1)), atol=1e-6)
    np.testing.assert_allclose(np.diff(found[:, 0]), 3.0 * np.diff(at), atol=1e-9)


@pytest.mark.parametrize(('factor', 'words'), [
    (0.0, "'b' 0 times"), (57.29578, "'b' 57.3 times"), (-1.0, "'b' -1 times")])
def test_velocities_that_contradict_the_positions_are_refused_by_name(factor, words):
    t = np.arange(4000) * 0.002
    q, qd, _ = wave(t)
    smoother = Smoother(('a', 'b'))
    with pytest.raises(InputError, match='contradict') as caught:
        list(smoother.motions(blocks(t, q, qd * [1.0, factor])))
    assert words in str(caught.value) and "'a'" not in str(caught.value)


def test_velocities_of_a_joint_at_rest_are_not_held_against_it():
    t = np.arange(4000) * 0.002
    q, qd, _ = wave(t)
    rng = np.random.default_rng(1)
    q[:, 1] = 0.2
    qd[:, 1] = 1e-4 * rng.standard_normal(len(t))
    assert list(Smoother(('a', 'b')).motions(blocks(t, q, qd)))


def test_a_bandwidth_beyond_the_sample_rate_is_refused_with_the_largest_one():
    t = np.arange(400) / 30.0
    with pytest.raises(InputError, match='use 7.5 Hz or less'):
        list(Smoother(('a', 'b'), bandwidth=12.0).motions(blocks(t, wave(t)[0])))


def test_default_bandwidth_is_ten_hertz_or_a_sixth_of_the_rate():
    for rate, expected in ((500.0, 10.0), (30.0, 5.0)):
        t = np.arange(400) / rate
        smoother = Smoother(('a', 'b'))
        list(smoother.motions(blocks(t, wave(t)[0])))
        assert smoother.bandwidth == pytest.approx(expected)


def test_messages_in_bursts_do_not_mislead_the_grid():
    t = np.sort(np.concatenate([np.arange(2000) * 0.008, np.arange(2000) * 0.008 + 1e-4,
                                np.arange(2000) * 0.008 + 2e-4]))
    smoother = Smoother(('a', 'b'), bandwidth=10.0)
    at, found, *_ = joined(smoother.motions(blocks(t, wave(t)[0])))
    assert smoother.period == pytest.approx(0.008 / 3, rel=0.01) and smoother.pieces == 1
    np.testing.assert_allclose(found, wave(at)[0], atol=1e-3)


def test_interpolation_is_exact_for_quintics_at_uneven_times():
    rng = np.random.default_rng(2)
    t = np.cumsum(rng.uniform(0.1, 0.3, 40))
    poly = np.polynomial.Polynomial(rng.standard_normal(6))
    at = np.linspace(t[0], t[-1], 77)
    np.testing.assert_allclose(interpolate(t, poly(t)[:, None], at)[:, 0], poly(at), rtol=1e-8)
