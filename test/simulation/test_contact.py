# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Hard stops and dry friction against closed forms, and the energy that they may never give."""

import numpy as np
import pytest
from scipy.special import ellipkinc
from simulated_arms import double_pendulum, pendulum, random_state, six_axis, slider

import kane_dynamics as kd
from kane_dynamics.simulation.rules.steppers import METHODS

G = 9.81
# how far a rule of this order errs in these tests, with dt = 2 ms
TOLERANCE = {'semi_implicit': 0.05, 'midpoint': 1e-4, 'generalized_alpha': 1e-4}


def tolerance(method):
    return TOLERANCE.get(method, 1e-6)


def dry(robot, viscous, coulomb, stiction=None, **kwargs):
    return kd.Dynamics(robot, kd.Friction(viscous, coulomb, stiction, **kwargs))


# -- stops --------------------------------------------------------------------------------------


@pytest.mark.parametrize('method', METHODS)
def test_ball_bounces_to_the_heights_of_newtons_rule(method):
    dyn, e, h = kd.Dynamics(slider()), 0.8, 1.0
    found = kd.simulate(dyn, [h], [0.0], duration=3.0, dt=2e-3, method=method,
                        stops=kd.Stops.of(dyn.robot, restitution=e))
    first = np.sqrt(2.0 * h / G)
    hits = first + 2.0 * first * np.cumsum([0.0, e, e**2, e**3, e**4])
    speeds = G * first * e**np.arange(1, 6)
    for t_hit, speed in zip(hits, speeds):
        k = np.searchsorted(found.t, t_hit) + 10
        passed = found.t[k] - t_hit
        assert found.q[k, 0] == pytest.approx(speed * passed - 0.5 * G * passed**2,
                                              abs=tolerance(method))
    assert (found.q >= 0.0).all()
    assert found.impact_loss[-1] == pytest.approx(2.0 * G * h - found.energy().total[-1],
                                                  abs=20 * tolerance(method))


@pytest.mark.parametrize('method', METHODS)
def test_inelastic_stop_keeps_the_joint_exactly_there(method):
    dyn = kd.Dynamics(slider())
    found = kd.simulate(dyn, [0.5], [0.0], duration=1.0, dt=2e-3, method=method, stops=True)
    resting = found.t > np.sqrt(2.0 * 0.5 / G) + 4e-3
    assert (found.q[resting] == 0.0).all() and (found.qd[resting] == 0.0).all()
    assert found.impact_loss[-1] == pytest.approx(2.0 * G * 0.5, abs=20 * tolerance(method))


@pytest.mark.parametrize('method', METHODS)
def test_joint_leaves_its_stop_when_the_torque_does_and_not_before(method):
    dyn = kd.Dynamics(slider())
    push = 2.0 * G / 0.5                                    # equals the weight at t = 0.5 s
    found = kd.simulate(dyn, [0.0], [0.0], lambda t, q, qd: [push * t], duration=1.0, dt=2e-3,
                        method=method, stops=True)
    assert (found.q[found.t <= 0.5] == 0.0).all()
    s = found.t[-1] - 0.5
    assert found.q[-1, 0] == pytest.approx(push / 2.0 * s**3 / 6.0, abs=tolerance(method))


def test_pendulum_meets_its_stop_when_the_elliptic_integral_says():
    robot = pendulum(lower=-0.3)
    omega, k = np.sqrt(2.0 * G * 0.5 / 0.6), np.sin(0.5)
    phase = np.arcsin(np.sin(0.15) / k)
    t_hit = (ellipkinc(np.pi / 2, k**2) + ellipkinc(phase, k**2)) / omega
    found = kd.simulate(kd.Dynamics(robot), [1.0], [0.0], duration=1.5, dt=1e-3,
                        stops=kd.Stops.of(robot, restitution=1.0))
    # with nothing lost it swings back as it came
    back = np.searchsorted(found.t, 2.0 * t_hit)
    assert found.t[back - 1] < 2.0 * t_hit < found.t[back]
    # where it came from: at rest at 1 rad after twice the time, to the curvature of 1 ms
    assert found.q[back, 0] == pytest.approx(1.0, abs=1e-5)
    assert found.balance().relative_drift < 1e-9


@pytest.mark.parametrize('restitution', [0.0, 0.5, 1.0])
def test_stops_of_a_coupled_arm_never_give_energy(restitution):
    robot = six_axis()
    dyn = kd.Dynamics(robot)
    rng = np.random.default_rng(17)
    hits = 0
    for _ in range(3):
        q0, qd0 = random_state(robot, rng, speed=3.0)
        stops = kd.Stops(q0 - 0.1, q0 + 0.1, restitution)
        found = kd.simulate(dyn, q0, qd0, duration=0.2, dt=1e-3, stops=stops)
        hits += found.statistics.contacts
        # light wrist joints slam at 30 rad/s and more: 1e-4 is the integrator, not the impacts
        assert found.balance().relative_drift < 1e-4
        assert (np.diff(found.impact_loss) >= -1e-12).all()
        assert (found.q >= stops.lower).all() and (found.q <= stops.upper).all()
        if restitution == 1.0:
            assert found.impact_loss[-1] == pytest.approx(0.0, abs=1e-9)
    assert hits > 20


def test_two_joints_that_hit_at_once_lose_and_keep_as_newton_says():
    robot = double_pendulum()
    dyn = kd.Dynamics(robot)
    for restitution in (0.0, 0.4, 1.0):
        qd = np.array([-2.0, -3.0])
        stops = kd.Stops([0.0, 0.0], [1.0, 1.0], restitution)
        found = kd.simulate(dyn, [0.0, 0.0], qd, duration=1e-6, dt=1e-6, stops=stops)
        # both are pushed: each leaves with its own speed back, whatever M couples
        assert found.qd[0] == pytest.approx(-restitution * qd, abs=1e-12)
        M = dyn.mass_matrix(np.zeros(2))
        assert found.impact_loss[0] == pytest.approx(
            0.5 * (1.0 - restitution**2) * qd @ M @ qd, abs=1e-12)


def test_joint_driven_into_its_stop_by_another_ones_impact_is_held():
    # joint two rests at its stop; the first joint's impact would throw it through
    robot = double_pendulum()
    dyn = kd.Dynamics(robot)
    stops = kd.Stops([-1.0, 0.0], [0.0, 1.0], 0.0)
    start = np.array([0.0, 0.0]), np.array([3.0, 0.0])
    free = kd.simulate(dyn, *start, duration=1e-6, dt=1e-6, stops=kd.Stops(
        [-1.0, -1.0], [0.0, 1.0], 0.0))
    held = kd.simulate(dyn, *start, duration=1e-6, dt=1e-6, stops=stops)
    assert abs(free.qd[0, 1]) > 1.0                        # the coupling is strong ...
    assert (held.qd[0, 1] == 0.0) or held.qd[0, 1] > 0.0   # ... and never goes into the stop


@pytest.mark.parametrize(('arguments', 'words'), [
    (([0.0], [0.0]), 'lower below upper'), (([0.0, 1.0], [2.0]), 'lower below upper'),
    (([np.nan], [1.0]), 'lower below upper'), (([0.0], [1.0], 1.5), 'restitution must be 0 to 1'),
    (([0.0], [1.0], [0.1, 0.2]), 'restitution must be'), (([0.0], [1.0], 0.0, -1.0), 'rest_speed'),
])
def test_impossible_stops_are_refused(arguments, words):
    with pytest.raises(kd.InputError, match=words):
        kd.Stops(*arguments)


# -- dry friction -------------------------------------------------------------------------------


@pytest.mark.parametrize('method', METHODS)
def test_sliding_block_stops_where_its_energy_is_spent_and_then_rests_exactly(method):
    dyn = dry(slider('1 0 0', -10.0, 10.0), [0.0], [5.0])
    found = kd.simulate(dyn, [0.0], [3.0], duration=2.0, dt=2e-3, method=method, friction='dry')
    t_stop, distance = 3.0 * 2.0 / 5.0, 0.5 * 2.0 * 3.0**2 / 5.0
    rest = found.t > t_stop + 4e-3
    assert (found.qd[rest] == 0.0).all() and np.unique(found.q[rest]).size == 1
    assert found.q[-1, 0] == pytest.approx(distance, abs=tolerance(method))
    assert found.friction_loss[-1] == pytest.approx(9.0, abs=20 * tolerance(method))


@pytest.mark.parametrize('method', METHODS)
def test_block_on_a_slope_rests_below_breakaway_and_slides_above(method):
    robot = slider('0.8 0 0.6', -50.0, 50.0)                # weight along the rail: 0.6 m g
    weight = 0.6 * 2.0 * G
    stuck = kd.simulate(dry(robot, [0.3], [5.0], [weight + 1e-6]), [0.0], [0.0], duration=0.5,
                        dt=2e-3, method=method, friction='dry')
    assert (stuck.q == 0.0).all() and (stuck.qd == 0.0).all()
    loose = kd.simulate(dry(robot, [0.0], [weight - 4.0]), [0.0], [0.0], duration=0.5, dt=2e-3,
                        method=method, friction='dry')
    assert loose.q[-1, 0] == pytest.approx(-0.5 * 2.0 * 0.5**2, abs=tolerance(method))


@pytest.mark.parametrize('method', ['rk4', 'DOP853', 'kutta_merson', 'midpoint', 'Radau'])
def test_breakaway_comes_when_the_push_reaches_stiction(method):
    dyn = dry(slider('1 0 0', -10.0, 10.0), [0.0], [2.0], [4.0], stribeck_speed=1e-6)
    found = kd.simulate(dyn, [0.0], [0.0], lambda t, q, qd: [8.0 * t], duration=1.0, dt=2e-3,
                        method=method, friction='dry', rtol=1e-9)
    assert (found.q[found.t <= 0.5] == 0.0).all() and (found.qd[found.t > 0.504] > 0.0).all()
    # with so sharp a Stribeck curve the level falls to Coulomb's at once: m a = 8 t - 2
    s = 0.5
    assert found.q[-1, 0] == pytest.approx(s**2 / 2.0 + 8.0 * s**3 / 6.0 / 2.0, abs=2e-3)


def test_methods_agree_on_stick_slip_of_a_coupled_arm_under_gravity():
    dyn = dry(double_pendulum(), [0.05, 0.02], [0.8, 0.6], [1.0, 0.8])

    def shake(t, q, qd):
        return [2.5 * np.sin(6.0 * t), 0.6 * np.sin(9.0 * t)]
    ends = {method: kd.simulate(dyn, [0.4, -0.7], [0.0, 0.0], shake, duration=1.0, dt=1e-3,
                                method=method, friction='dry', rtol=1e-10, atol=1e-12)
            for method in ('rk4', 'DOP853', 'Radau', 'kutta_merson')}
    reference = ends['DOP853']
    sticking = (reference.qd == 0.0).mean(axis=0)
    assert (sticking > 0.05).all() and (sticking < 0.95).all()     # both joints stick and slip
    for found in ends.values():
        assert abs(found.q - reference.q).max() < 1e-5
        assert found.balance().relative_drift < 1e-6


def test_arm_held_by_friction_alone_does_not_move_by_a_bit_in_ten_seconds():
    robot = six_axis()
    q0 = np.array([0.3, 0.6, -0.9, 0.4, 0.8, 0.1])
    hold = abs(kd.Dynamics(robot).gravity(q0))
    dyn = dry(robot, np.ones(6), 0.5 * hold, hold * (1.0 + 1e-9) + 1e-9)
    found = kd.simulate(dyn, q0, np.zeros(6), duration=10.0, dt=0.01, friction='dry')
    assert (found.q == q0).all() and (found.qd == 0.0).all()
    assert found.balance().largest_drift == 0.0


def test_weak_joint_slips_and_the_strong_ones_stay():
    # which joints stay depends on how the slipping one loads them: all six are one problem
    robot = six_axis()
    q0 = np.array([0.3, 0.6, -0.9, 0.4, 0.8, 0.1])
    ideal = kd.Dynamics(robot)
    hold = abs(ideal.gravity(q0))
    breakaway = 3.0 * hold + 20.0
    breakaway[1] = 0.5 * hold[1]
    found = kd.simulate(dry(robot, np.zeros(6), breakaway), q0, np.zeros(6), duration=0.05,
                        dt=1e-3, friction='dry')
    moved = found.q[-1] != q0
    assert moved.tolist() == [False, True, False, False, False, False]
    # the shoulder falls as a rigid body with all else locked: M_11 a = breakaway - weight
    M, g = ideal.mass_matrix(q0), ideal.gravity(q0)
    a = -np.sign(g[1]) * (hold[1] - breakaway[1]) / M[1, 1]
    assert found.qd[1, 1] == pytest.approx(a * 1e-3, rel=1e-3)


def test_dry_friction_is_what_smooth_friction_tends_to():
    robot = double_pendulum()
    q0, qd0 = [0.5, -0.4], [1.0, -2.0]
    true = kd.simulate(dry(robot, [0.1, 0.1], [0.3, 0.2]), q0, qd0, duration=1.0, dt=1e-3,
                       friction='dry')
    errors = []
    for speed in (1e-2, 1e-3):
        smooth = kd.Dynamics(robot, kd.Friction([0.1, 0.1], [0.3, 0.2], smoothing_speed=speed))
        found = kd.simulate(smooth, q0, qd0, duration=1.0, method='Radau', dt=1e-3)
        errors.append(abs(found.q - true.q).max())
    assert errors[1] < 0.3 * errors[0] < 1e-2


def test_stops_and_dry_friction_work_together():
    robot = slider('0 0 1', 0.0, 100.0)
    dyn = dry(robot, [0.0], [4.0])
    found = kd.simulate(dyn, [1.0], [0.0], duration=2.0, dt=1e-3, friction='dry',
                        stops=kd.Stops.of(robot, restitution=0.6))
    fall, rise = G - 2.0, G + 2.0                          # friction acts downward going up
    t_hit = np.sqrt(2.0 / fall)
    speed = 0.6 * fall * t_hit
    top = found.q[(found.t > t_hit) & (found.t < t_hit + 2 * speed / rise), 0].max()
    assert top == pytest.approx(speed**2 / (2.0 * rise), abs=1e-5)
    assert found.q[-1, 0] == 0.0 and found.qd[-1, 0] == 0.0
    assert found.balance().relative_drift < 1e-8


@pytest.mark.parametrize('seed', range(4))
def test_energy_is_explained_when_everything_sticks_slips_and_hits(seed):
    robot = double_pendulum()
    rng = np.random.default_rng(seed)
    q0, qd0 = rng.uniform(-0.5, 0.5, 2), rng.uniform(-4.0, 4.0, 2)
    dyn = dry(robot, [0.02, 0.02], rng.uniform(0.1, 1.0, 2))
    found = kd.simulate(dyn, q0, qd0, lambda t, q, qd: [3.0 * np.sin(5.0 * t), 0.0], duration=1.5,
                        dt=1e-3, friction='dry', stops=kd.Stops(q0 - 0.3, q0 + 0.3, 0.5))
    assert found.balance().relative_drift < 1e-6
    assert found.statistics.contacts > 5
    assert (np.diff(found.friction_loss) >= -1e-12).all()
