# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Links that follow led joints cycle by cycle, against a tight integrator of `hybrid`.

The oracle integrates the elastic rows by DOP853 with joints on the exact motion; the state that is
tested knows the joints at the ends of its cycles only.
"""

import functools

from flexible_arms import (
    beam_robot, changed, integrate, led_motion, odd_arm, quasi_static, quintic, single_link)
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.dynamics.elastic_state import CYCLE_ANGLE, STEP_ANGLE, step_of
from kane_dynamics.exceptions import InputError, KaneDynamicsError

DURATION, END = 0.4, 0.6


def ends(robot, seed=3):
    rng = np.random.default_rng(seed)
    start = rng.uniform(-0.6, 0.6, robot.n_joints)
    return start, start + rng.choice([-1.0, 1.0], robot.n_joints) * rng.uniform(
        0.3, 0.6, robot.n_joints)


@functools.cache
def case(name):
    """Return the Dynamics of an arm, the motion of its joints, and the exact state and torque."""
    dyn = odd_arm(name) if name not in ARMS else kd.Dynamics(ARMS[name](), parametric=True)
    start, end = ends(dyn.robot)
    n = dyn.robot.n_joints

    def motion(t):
        return quintic(t, DURATION, start, end)
    rate, torque = led_motion(dyn, motion)
    begin = np.concatenate([kd.static_sag(dyn, start)[n:], np.zeros(dyn.robot.n_modes)])
    runs = integrate(rate, begin, 0.0, DURATION, END, rtol=1e-8, atol=1e-10, dense_output=True)

    def exact(t):
        x = runs[0 if t <= DURATION else 1].sol(t)
        return x, torque(t, x)
    return dyn, motion, exact


ARMS = {
    'three joints': lambda: changed('flexible_3r'),
    'soft link of third order': lambda: single_link(10.0, '<modes bend_y="2"/>', 0.01,
                                                    '<model order="3"/>'),
    'segments': lambda: changed('flexible_single_link', ('<modes [^>]*/>',
                                                         '<segments count="4"/>')),
}
ODD = ('a flexible joint on a flexible link', 'a flexible joint before a flexible link',
       'segments before modes', 'a mimic joint', 'sliders, one flexible link fixed to another')


def led(name, rate):
    """Return errors of torque and deflection over their peaks at a rate [Hz]."""
    dyn, motion, exact = case(name)
    n, m = dyn.robot.n_joints, dyn.robot.n_modes
    state = dyn.elastic_state(step_of(dyn.locked_frequencies(), 1.0 / rate))
    state.motion[:] = motion(0.0)
    state.settle()
    got, wanted = [], []
    for k in range(1, round(END * rate) + 1):
        state.motion[:] = motion(k / rate)
        state.advance(1.0 / rate)
        x, tau = exact(k / rate)
        got.append(np.concatenate([state.tau, state.e]))
        wanted.append(np.concatenate([tau, x[:m]]))
    got, wanted = np.array(got), np.array(wanted)
    errors = abs(got - wanted).max(axis=0)
    peaks = abs(wanted).max(axis=0)
    return errors[:n].max() / peaks[:n].max(), errors[n:].max() / peaks[n:].max()


@pytest.mark.parametrize('name', [*ARMS, *ODD])
def test_torque_and_deflection_are_those_of_a_tight_integrator(name):
    # 500 Hz: a mode's period is right to 0.02 %, joints go straight in 2 ms; and the cycles know
    # nothing of the motion between their ends
    torque, deflection = led(name, 500)
    assert torque < 1e-3
    assert deflection < 2e-3


def test_error_falls_with_the_square_of_the_cycle():
    coarse, fine = (led('three joints', rate)[0] for rate in (250, 1000))
    assert fine < coarse / 8


def test_it_begins_at_the_sag_and_stays_there():
    dyn, motion, _ = case('three joints')
    state = dyn.elastic_state(1e-3)
    assert not state.known
    state.motion[0] = motion(0.0)[0]
    state.settle()
    sag = kd.static_sag(dyn, motion(0.0)[0])
    np.testing.assert_allclose(state.q, sag, rtol=0, atol=1e-13)
    for _ in range(500):
        state.advance(2e-3)
    np.testing.assert_allclose(state.q, sag, rtol=0, atol=1e-12)
    np.testing.assert_allclose(state.tau, dyn.gravity(sag)[:3], rtol=0, atol=1e-10)


def test_a_joint_position_a_turn_further_on_does_not_kick_the_links():
    dyn, motion, _ = case('three joints')
    state = dyn.elastic_state(1e-4)
    state.motion[0] = motion(0.0)[0]
    state.settle()
    sag = state.e.copy()
    for turn in (2 * np.pi, 0.0, -2 * np.pi):
        state.motion[0] = motion(0.0)[0] + turn
        state.advance(2e-3)
        np.testing.assert_allclose(state.e, sag, rtol=0, atol=1e-12)


@pytest.mark.parametrize('name', ['three joints', 'segments', ODD[0]])
def test_rest_solves_the_elastic_rows_without_inertia_of_their_own(name):
    dyn, motion, _ = case(name)
    state = dyn.elastic_state(1e-3)
    joints = motion(0.13)
    found, tau = quasi_static(dyn, *joints)
    state.motion[:] = joints
    for _ in range(20):
        state.rest()
    np.testing.assert_allclose(state.e, found, rtol=0, atol=1e-9 * abs(found).max())
    np.testing.assert_allclose(state.tau, tau, rtol=1e-8, atol=1e-9)
    assert not state.ed.any()


def test_a_mode_far_above_the_step_does_no_harm():
    # stretch of some kHz at steps of 2 ms, all kicked: the first mode dies away as damping 0.01
    # has it, the others are gone
    robot = changed('flexible_single_link', ('<modes [^>]*/>', '<modes bend_y="2" stretch="2"/>'),
                    ('EI_z="100"', 'EI_z="100" EA="1e8"'))
    dyn = kd.Dynamics(robot, backend='python')
    frequencies = dyn.locked_frequencies()
    assert frequencies[-1] > 2 * np.pi * 2000
    state = dyn.elastic_state(2e-3)
    state.settle()
    state.e[:] = [0.01, 0.0, 1e-6, 1e-6]
    places = []
    for _ in range(3000):
        state.advance(2e-3)
        places.append(state.e.copy())
    first, *others = abs(np.array(places)).T
    assert first.max() < 0.01
    decay = np.exp(-0.01 * frequencies[0] * 5.9)
    assert first[-130:].max() == pytest.approx(0.01 * decay, rel=0.1)
    assert max(each[-130:].max() for each in others) < 1e-5


def test_along_is_the_same_in_one_go():
    dyn, motion, exact = case('three joints')
    state = dyn.elastic_state(1e-3)
    times = np.linspace(0.0, END, 6001)

    def rows(part):
        return [np.array(each) for each in zip(*map(motion, part))]
    q, tau = state.along(rows, times)
    assert q.shape == (6001, 13) and tau.shape == (6001, 3)
    for k in (0, 1, 2000, 4095, 4096, 4097, 6000):
        x, wanted = exact(times[k])
        np.testing.assert_allclose(q[k, 3:], x[:10], rtol=0, atol=2e-5 * abs(q[:, 3:]).max())
        np.testing.assert_allclose(tau[k], wanted, rtol=0, atol=2e-5 * abs(tau).max())
    rest = state.rest_along(np.concatenate(rows(times[::100]), axis=1))
    state.motion[:] = motion(times[3000])
    for _ in range(9):
        state.rest()
    # three steps, each of which gains two digits and more
    np.testing.assert_allclose(rest[0][30], state.q, rtol=0, atol=1e-6 * abs(state.e).max())
    np.testing.assert_allclose(rest[1][30], state.tau, rtol=0, atol=1e-6 * abs(state.tau).max())


def test_another_load_is_taken_over_without_a_swing():
    dyn, motion, _ = case('three joints')
    loaded = dyn.with_payload(1.0, (0.0, 0.0, 0.0), link=dyn.robot.leaves()[-1])
    old, new = dyn.elastic_state(1e-3), loaded.elastic_state(1e-3)
    new.take_over(old)
    assert not new.known
    old.motion[0] = motion(0.0)[0]
    old.settle()
    new.take_over(old)
    new.motion[:] = old.motion
    begin = new.e.copy()
    assert abs(begin - old.e).max() > 1e-4
    for _ in range(200):
        new.advance(2e-3)
        assert abs(new.e - begin).max() < 1e-10
    # and a swing goes on
    old.ed[0] = 0.1
    new.take_over(old)
    assert new.ed[0] == 0.1 and abs(new.e - begin).max() < 1e-10


def test_links_that_cannot_carry_their_load_are_refused():
    # a column under 1.5 times its buckling load (7.84 EI / L^2 of its own weight), a little askew
    beam = {'length': 1.0, 'mass_per_length': 1.0, 'EI_z': 1.0}
    robot = beam_robot(beam, '<modes bend_y="2"/>', gravity=(-1.5 * 7.84, 0.1, 0.0))
    state = kd.Dynamics(robot, backend='python').elastic_state(1e-3)
    with pytest.raises(KaneDynamicsError, match='no equilibrium .* too soft'):
        state.settle()
    assert not state.known


def test_the_step_follows_what_the_cycle_can_follow():
    frequencies = np.array([50.0, 400.0, 3000.0])
    assert step_of(frequencies, 1e-3) == pytest.approx(STEP_ANGLE / 400.0)
    assert step_of(frequencies, 1e-2) == pytest.approx(STEP_ANGLE / 50.0)
    assert step_of(frequencies, 1.01 * CYCLE_ANGLE / 50.0) == np.inf


def test_frequencies_are_those_of_the_modal_analysis():
    dyn, _, _ = case('three joints')
    still = kd.Dynamics(dyn.robot.with_gravity((0.0, 0.0, 0.0)))
    np.testing.assert_allclose(dyn.locked_frequencies() / (2 * np.pi),
                               kd.natural_frequencies(still, np.zeros(3)), rtol=1e-7)


def test_a_frame_is_moved_by_bending_and_by_nothing_else():
    dyn, motion, _ = case('three joints')
    tip = dyn.robot.leaves()[-1]
    q = kd.static_sag(dyn, motion(0.2)[0])
    straight = np.append(q[:3], np.zeros(10))
    moved = dyn.frame_pose(tip, q)[1] - dyn.frame_pose(tip, straight)[1]
    np.testing.assert_allclose(dyn.frame_deflection(tip, q), moved, rtol=0, atol=1e-15)
    assert np.linalg.norm(moved) > 1e-3
    np.testing.assert_allclose(dyn.frame_deflection(tip, straight), 0.0, atol=1e-15)


@pytest.mark.parametrize(('arm', 'words'), [
    (lambda: changed('two_link'), 'no elastic coordinates'),
    (lambda: odd_arm('a floating base').robot, 'a floating base')])
def test_what_has_no_elastic_state_is_refused(arm, words):
    with pytest.raises(InputError, match=words):
        kd.Dynamics(arm(), backend='python').elastic_state(1e-3)
