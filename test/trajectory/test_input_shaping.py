# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Motions that leave no vibration: input shaping of joint motions, inversion of tip motions."""

import functools

from flexible_arms import changed, free_motion, integrate, led_motion, single_link
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.analysis.vibration.modal_shaper import modal_shaper
from kane_dynamics.analysis.vibration.tip_inversion import invert_tip
from kane_dynamics.trajectory.input_shaping import shaped, Shaper, shaper
from kane_dynamics.trajectory.trajectory import Trajectory


def rest_to_rest(names, start, end, T):
    """Return the quintic from rest to rest as a trajectory of two points."""
    zero = np.zeros((2, len(names)))
    return Trajectory(names, [0.0, T], [start, end], zero, zero)


# ---- impulses -------------------------------------------------------------------------------


@pytest.mark.parametrize('kind', ['zv', 'zvd'])
@pytest.mark.parametrize('damping', [0.0, 0.01, 0.2])
def test_shaper_leaves_nothing_at_its_frequency(kind, damping):
    assert shaper(kind, 3.0, damping).residual(3.0, damping) < 1e-14


def test_shapers_are_those_of_the_books():
    zv, zvd, ei = (shaper(kind, 2.0) for kind in ('zv', 'zvd', 'ei'))
    np.testing.assert_allclose(zv.amplitudes, [0.5, 0.5])
    np.testing.assert_allclose(zv.times, [0.0, 0.25])
    np.testing.assert_allclose(zvd.amplitudes, [0.25, 0.5, 0.25])
    np.testing.assert_allclose(zvd.times, [0.0, 0.25, 0.5])
    np.testing.assert_allclose(ei.amplitudes, [1.05 / 4, 0.95 / 2, 1.05 / 4])
    K = np.exp(-0.1 * np.pi / np.sqrt(0.99))
    np.testing.assert_allclose(shaper('zv', 2.0, 0.1).amplitudes, [1 / (1 + K), K / (1 + K)])


def test_residual_is_what_an_oscillator_keeps():
    # impulses on a damped oscillator, amplitudes of the free motion afterwards
    zeta, f = 0.05, 1.7
    impulses = shaper('zvd', 2.0, 0.03)
    w = 2 * np.pi * f
    wd = w * np.sqrt(1 - zeta**2)
    t = impulses.duration

    def swing(amplitudes, times):
        terms = [a * np.exp((-zeta * w + 1j * wd) * (t - s)) for a, s in zip(amplitudes, times)]
        return abs(sum(terms))
    # of one impulse at the last time, the reference of the residual
    left = swing(impulses.amplitudes, impulses.times) / swing([1.0], [t])
    assert impulses.residual(f, zeta) == pytest.approx(left, rel=1e-12)


def test_insensitivity_grows_from_zv_to_zvd_to_ei():
    # the range of frequencies with less than 5 % left (Singhose 1997: 0.065, 0.287, 0.399)
    ranges = []
    ratios = np.linspace(0.6, 1.4, 2001)
    for kind in ('zv', 'zvd', 'ei'):
        left = np.array([shaper(kind, 1.0).residual(r) for r in ratios])
        ranges.append((left <= 0.05 + 1e-9).sum() * (ratios[1] - ratios[0]))
    np.testing.assert_allclose(ranges, (0.065, 0.287, 0.399), atol=0.002)


def test_damped_ei_leaves_its_insensitivity():
    for damping in (0.0, 0.02, 0.1):
        assert shaper('ei', 1.0, damping).residual(1.0, damping) == pytest.approx(0.05, rel=0.35)
        left = [shaper('ei', 1.0, damping).residual(r, damping) for r in (0.85, 1.15)]
        assert max(left) < 0.06


def test_two_frequencies_are_quiet_at_once():
    both = shaper('zv', [1.0, 2.7], [0.01, 0.02])
    assert both.residual(1.0, 0.01) < 1e-14 and both.residual(2.7, 0.02) < 1e-14
    assert both.duration == pytest.approx(0.5 / np.sqrt(1 - 1e-4) + 0.5 / 2.7 / np.sqrt(1 - 4e-4))


@pytest.mark.parametrize(('call', 'words'), [
    (lambda: shaper('zz', 1.0), "kind 'zz' is not known; choose one of .*'zvd'"),
    (lambda: shaper('zv', -1.0), 'positive'), (lambda: shaper('zv', []), 'positive'),
    (lambda: shaper('zv', 1.0, 1.0), 'below 1'),
    (lambda: shaper('ei', 1.0, insensitivity=2.0), 'between 0 and 1'),
    (lambda: Shaper([0.1], [1.0]), 'ascend from 0'), (lambda: Shaper([0.0, 1.0], [1.0, 1.0]), '1'),
    (lambda: shaped(Trajectory(['a'], [0, 1], [[0], [1]], interpolation='none'),
                    shaper('zv', 1.0)), 'jumps')])
def test_impossible_shapers_are_refused(call, words):
    with pytest.raises(kd.InputError, match=words):
        call()


# ---- trajectories ---------------------------------------------------------------------------


def motions():
    rng = np.random.default_rng(2)
    times, points = np.array([0.0, 0.4, 1.1, 1.5]), rng.normal(size=(4, 2))
    fields = rng.normal(size=(2, 4, 2))
    fields[:, [0, -1]] = 0.0                               # from rest to rest
    return {'spline': Trajectory('ab', times, points),
            'quintic': Trajectory('ab', times, points, *fields, start=3.0),
            'cubic': Trajectory('ab', times, points, fields[0], interpolation='fields'),
            'linear': Trajectory('ab', times, points, interpolation='fields')}


@pytest.mark.parametrize('name', motions())
def test_shaped_motion_is_the_sum_of_its_echoes(name):
    motion, impulses = motions()[name], shaper('zvd', 1.3, 0.05)
    result = shaped(motion, impulses)
    assert result.duration == pytest.approx(motion.duration + impulses.duration)
    ts = np.linspace(motion.start - 0.2, result.end + 0.2, 3001)
    expected = [0.0, 0.0, 0.0]
    for t, amplitude in zip(impulses.times, impulses.amplitudes):
        part = motion.sample_many(ts - t)
        expected = [have + amplitude * more for have, more in zip(expected, part)]
    smooth = np.min(abs(ts[:, None] - result.start - result.times), axis=1) > 1e-6
    for got, want in zip(result.sample_many(ts)[:3], expected):
        np.testing.assert_allclose(got[smooth], want[smooth], atol=1e-10)


@pytest.mark.parametrize('name', ['spline', 'cubic', 'linear', 'quintic'])
def test_points_of_a_shaped_motion_carry_it_to_other_programs(name):
    # a controller that joins the points by their fields makes the same motion
    result = shaped(motions()[name], shaper('zv', 1.3))
    again = Trajectory(result.joint_names, result.times, result.positions, result.velocities,
                       result.accelerations, start=result.start, interpolation='fields')
    ts = np.linspace(result.start, result.end, 777)
    np.testing.assert_allclose(again.sample_many(ts)[0], result.sample_many(ts)[0], atol=1e-12)


def test_knots_that_meet_are_one_point():
    # echoes a whole segment later: 0.1 + 0.2 is not 0.3
    motion = Trajectory(['a'], [0.0, 0.1, 0.2, 0.3], [[0.0], [0.3], [0.1], [1.0]])
    result = shaped(motion, Shaper([0.0, 0.1, 0.2], [0.25, 0.5, 0.25]))
    np.testing.assert_allclose(result.times, np.arange(6) * 0.1, atol=1e-9)


# ---- flexible arms --------------------------------------------------------------------------


@functools.cache
def swings(EI, shaping):
    """Return peak and residual tip deflection of the single link turned by 1 rad, and how long."""
    robot = single_link(EI)
    dyn = kd.Dynamics(robot)
    motion = rest_to_rest(['hub'], [0.0], [1.0], 1.0)
    if shaping:
        motion = shaped(motion, modal_shaper(dyn, [1.0], shaping))
    rate, _ = led_motion(dyn, lambda t: motion.sample(t)[:3])
    knots = [*motion.times, motion.end + 1.2]
    runs = integrate(rate, np.zeros(6), *knots, dense_output=True)
    body = robot.flexible_links['link'].body

    def deflections(run, a, b):
        return [abs(body.tip_deflection(run.sol(t)[:3])[1]) for t in np.linspace(a, b, 800)]
    moving = max(max(deflections(run, run.t[0], run.t[-1])) for run in runs[:-1])
    return moving, max(deflections(runs[-1], runs[-1].t[0], runs[-1].t[-1])), motion.duration


def test_zero_vibration_shaper_stills_the_stiff_link():
    # linear reference: residual 0.005180 -> below 1e-6 m, peak 0.01022 -> 0.00738, 1.1102 s
    peak, residual, _ = swings(100.0, None)
    assert (peak, residual) == (pytest.approx(0.01022, abs=2e-5), pytest.approx(0.00518, abs=1e-5))
    peak, residual, duration = swings(100.0, 'zv')
    assert duration == pytest.approx(1.1102, abs=1e-4)
    assert peak == pytest.approx(0.00738, abs=2e-5) and residual < 2e-6


def test_zero_vibration_shaper_stills_the_soft_link_but_for_what_is_not_linear():
    # linear reference: 0.164889 -> 0.000572 m, 1.3484 s, peak 0.0670
    peak, residual, duration = swings(10.0, 'zv')
    assert duration == pytest.approx(1.3484, abs=1e-4)
    assert peak == pytest.approx(0.0670, abs=5e-4)
    assert residual < 1.5e-3 < 0.01 * swings(10.0, None)[1]


@pytest.mark.slow
@pytest.mark.parametrize('kind', ['zv', 'zvd', 'ei'])
def test_spatial_arm_comes_to_rest_quietly(kind):
    # the column turns by 1 rad in 0.4 s, arm stretched out: the links swing sideways
    dyn = kd.Dynamics(changed('flexible_3r', ('ratio="0.01"', 'ratio="0"')))
    pose = np.array([0.0, 0.3, -0.4])
    start = kd.static_sag(dyn, pose)
    end = pose + [1.0, 0.0, 0.0]
    left = {}
    for shaping in (None, kind):
        motion = rest_to_rest(dyn.robot.joint_names, pose, end, 0.4)
        if shaping:
            motion = shaped(motion, modal_shaper(dyn, [pose, end], shaping, count=2))
        rate, _ = led_motion(dyn, lambda t, motion=motion: motion.sample(t)[:3])
        x = np.concatenate([start[3:], np.zeros(10)])
        run = integrate(rate, x, *motion.times, motion.end + 0.3, rtol=1e-7, atol=1e-9)[-1]
        left[shaping] = abs(run.y[:10] - start[3:, None]).max()
    # EI leaves its 5 %, twice; the others what higher modes and curvature leave
    assert left[kind] < (0.12 if kind == 'ei' else 0.05) * left[None]


def test_more_modes_than_there_are_cannot_be_shaped():
    dyn = kd.Dynamics(single_link(), backend='python')
    with pytest.raises(kd.InputError, match='count must be 1 ... 3'):
        modal_shaper(dyn, [0.0], count=4)


# ---- stable inversion -----------------------------------------------------------------------


def tip_path(t):
    s = np.clip(t, 0.0, 1.0)
    return (10 * s**3 - 15 * s**4 + 6 * s**5, 30 * s**2 - 60 * s**3 + 30 * s**4,
            60 * s - 180 * s**2 + 120 * s**3)


@functools.cache
def tip_system(EI, modes):
    robot = single_link(EI, f'<modes bend_y="{modes}" nodes="11"/>')
    A, B, C, D = kd.linearize(kd.Dynamics(robot, backend='python'), outputs=['tip'])
    return A, B, C[1:2], D[1:2]


@pytest.mark.parametrize(('EI', 'modes', 'values', 'largest', 'begins'), [
    # torque at -0.1, -0.05, 0.1, 0.25, 0.5, 0.75 s by Fourier transform over -4 ... 5 s
    (10.0, 2, (0.0213, 0.2661, 1.7856, 2.6104, 0.0, -2.6104), 2.6480, -0.095),
    (10.0, 3, (0.0215, 0.2622, 1.7860, 2.6104, 0.0, -2.6104), 2.6480, -0.095),
    (100.0, 2, (0.0, 0.0004, 2.1847, 2.8767, 0.0, -2.8767), 2.9489, -0.022)])
def test_torque_of_a_tip_motion_is_that_of_the_spectrum(EI, modes, values, largest, begins):
    found = invert_tip(tip_system(EI, modes), tip_path, 1.0)
    got = np.interp((-0.1, -0.05, 0.1, 0.25, 0.5, 0.75), found.t, found.torque)
    np.testing.assert_allclose(got, values, rtol=0, atol=1e-4)
    assert found.torque.max() == pytest.approx(largest, abs=1e-4)
    first = found.t[np.argmax(abs(found.torque) > 0.01 * largest)]
    assert first == pytest.approx(begins, abs=1.5e-3)
    assert found.before == -found.t[0] and found.after == pytest.approx(found.t[-1] - 1.0)


def test_tip_follows_its_path_under_that_torque_and_rests_afterwards():
    # forward simulation of the linear arm; the torque linear between samples of 0.1 ms
    A, B, C, _ = tip_system(10.0, 2)
    h = 1e-4
    found = invert_tip((A, B, C, None), tip_path, 1.0, h)
    x, worst = found.states[0], 0.0
    # x' = A x + B u over a step, u linear: RK4 is exact enough at 0.1 ms
    for k in range(len(found.t) - 1):
        u0, u1 = found.torque[k], found.torque[k + 1]

        def rate(x, u):
            return A @ x + B[:, 0] * u
        k1 = rate(x, u0)
        k2 = rate(x + h / 2 * k1, (u0 + u1) / 2)
        k3 = rate(x + h / 2 * k2, (u0 + u1) / 2)
        k4 = rate(x + h * k3, u1)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        worst = max(worst, abs(C[0] @ x - tip_path(found.t[k + 1])[0]))
    assert worst < 2e-6
    # at the end nothing swings: residual vibration
    assert abs(x[1:3]).max() < 2e-6 and abs(x[4:]).max() < 1e-4


def test_full_arm_under_the_linear_torque_comes_nearly_to_rest():
    # nonlinear, EI = 100: the tip ends where it should, 500 times as quiet as with a joint motion
    dyn = kd.Dynamics(single_link(100.0, '<modes bend_y="2" nodes="11"/>'))
    found = invert_tip(tip_system(100.0, 2), tip_path, 1.0, 5e-4)

    def torque(t, q, qd):
        return np.array([np.interp(t, found.t, found.torque), 0.0, 0.0])
    run = integrate(free_motion(dyn, torque), np.zeros(6), found.t[0], found.t[-1], rtol=1e-8,
                    atol=1e-10)[0]
    late = run.y[:, run.t > 1.1]
    body = dyn.robot.flexible_links['link'].body
    swing = max(abs(body.tip_deflection(eta)[1]) for eta in late[1:3].T)
    assert swing < 0.05 * swings(100.0, None)[1]
    assert late[0, -1] == pytest.approx(1.0, abs=2e-3)


def test_output_at_the_joint_cannot_be_inverted_without_damping():
    # collocated: its zeros, the locked frequencies, lie on the imaginary axis
    robot = single_link(10.0, '<modes bend_y="2"/>')
    system = kd.linearize(kd.Dynamics(robot, backend='python'))
    with pytest.raises(kd.InputError, match='imaginary axis'):
        invert_tip(system, tip_path, 1.0)


def test_several_outputs_are_refused():
    robot = single_link(10.0, '<modes bend_y="1"/>')
    system = kd.linearize(kd.Dynamics(robot, backend='python'), outputs=['tip'])
    with pytest.raises(kd.InputError, match='one input and one output'):
        invert_tip(system, tip_path, 1.0)
