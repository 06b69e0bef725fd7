# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The torque that makes the joints of a flexible arm follow a motion, against an exact beam.

Reference torques: the single link (L = 1 m, 0.5 kg/m, hub 0.1 kg m^2, tip 0.25 kg) turned by 1 rad
in 1 s, then held, no damping; computed with a geometrically exact beam (ANCF, 8 elements, 0.5 ms).
"""

import functools

from flexible_arms import changed, integrate, led_motion, quintic, single_link
import numpy as np
import pytest

import kane_dynamics as kd

TIMES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5)
FF2_ANCF = (2.3094, 3.3991, 2.1440, 2.2274, -0.8197, -0.6561, -3.5164, -2.3400, -2.9665, 0.2000,
            -0.7241, 1.5904)
FF2_TIP = (-0.00582, -0.00877, -0.00506, -0.00606, 0.00259, 0.00109, 0.00939, 0.00542, 0.00790,
           -0.00063, 0.00229, -0.00503)
FF1_ANCF = (0.7336, 2.2206, 3.9936, 4.5254, 2.6387, -1.3162, -5.2779, -6.9459, -5.3427, -0.9849,
            5.1791, -4.7979)
FF1_TIP = (-0.00858, -0.05056, -0.10845, -0.13152, -0.08178, 0.03089, 0.14701, 0.19813, 0.15336,
           0.03094, -0.16292, 0.15091)


def turn(t):
    return quintic(t, 1.0, np.zeros(1), np.ones(1))


@functools.cache
def led(EI, modes, order=2, damping=0.0):
    """Return torque(t) and tip deflection(t) of the link whose hub follows `turn`."""
    robot = single_link(EI, f'<modes bend_y="{modes}" nodes="{2 * modes + 3}"/>', damping,
                        f'<model order="{order}"/>')
    dyn = kd.Dynamics(robot)
    rate, torque = led_motion(dyn, turn)
    runs = integrate(rate, np.zeros(2 * modes), 0.0, 1.0, 1.6, rtol=1e-10, atol=1e-12,
                     dense_output=True)

    def state(t):
        return runs[0 if t <= 1.0 else 1].sol(t)
    body = robot.flexible_links['link'].body
    return (lambda t: torque(t, state(t))[0],
            lambda t: body.tip_deflection(state(t)[:modes])[1], dyn, state)


def test_torque_of_a_stiff_link_is_that_of_the_exact_beam():
    # FF2: EI = 100 N m^2, deflection 1 %; to 1e-3 N m of 3.8 and the rounding of the reference
    torque, tip, _, _ = led(100.0, 3)
    np.testing.assert_allclose([torque(t) for t in TIMES], FF2_ANCF, rtol=0, atol=1.1e-3)
    prototype = (2.3094, 3.3993, 2.1440, 2.2276, -0.8202, -0.6562, -3.5159, -2.3401, -2.9659,
                 0.1990, -0.7243, 1.5903)           # another program of this model, four decimals
    np.testing.assert_allclose([torque(t) for t in TIMES], prototype, rtol=0, atol=1e-4)
    np.testing.assert_allclose([tip(t) for t in TIMES], FF2_TIP, rtol=0, atol=2e-5)
    late = [tip(t) for t in np.linspace(1.0, 1.6, 601)]
    assert max(map(abs, late)) == pytest.approx(0.005180, abs=1e-5)   # it still swings


def test_torque_of_a_soft_link_is_that_of_the_exact_beam():
    # FF1: EI = 10, the tip 20 % of the length away; order 3 with two modes: 0.3 % of the peak
    torque, tip, _, _ = led(10.0, 2, order=3)
    got = np.array([torque(t) for t in TIMES])
    assert abs(got - FF1_ANCF).max() < 0.003 * 6.9459
    np.testing.assert_allclose([tip(t) for t in TIMES], FF1_TIP, rtol=0, atol=5e-4)


def test_second_order_is_not_enough_at_twenty_per_cent():
    torque, _, _, _ = led(10.0, 3)
    got = [torque(t) for t in (0.2, 0.4, 0.6, 0.8, 1.0, 1.5)]
    expected = (2.2172, 4.4893, -1.2267, -6.8496, -1.3823, -4.6715)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-3)


def test_rigid_torque_is_wrong_by_a_factor_of_two_on_a_soft_link():
    rigid = kd.Dynamics(single_link().rigid())
    peak = max(abs(rigid.inverse(*turn(t))[0]) for t in np.linspace(0, 1, 1001))
    assert peak == pytest.approx(2.983, abs=1e-3)
    torque, _, _, _ = led(10.0, 2, order=3)
    assert max(abs(torque(t)) for t in np.linspace(0, 1, 501)) > 2.3 * peak


@pytest.mark.parametrize(('EI', 'modes', 'order'), [(100.0, 3, 2), (10.0, 2, 3)])
def test_arm_under_that_torque_follows_the_motion(EI, modes, order):
    # forward simulation, the torque as a function of time only: bar 1e-9 rad
    torque, _, dyn, state = led(EI, modes, order)
    n = dyn.robot.nv
    tau = np.zeros(n)

    # hybrid and forward are integrated together: the same state twice, not interpolated
    rate_led, torque_led = led_motion(dyn, turn)

    def rate(t, x):
        led_state, free = x[:2 * modes], x[2 * modes:]
        tau[0] = torque_led(t, led_state)[0]
        return np.concatenate([rate_led(t, led_state), free[n:],
                               dyn.forward(free[:n], free[n:], tau)])
    runs = integrate(rate, np.zeros(2 * modes + 2 * n), 0.0, 1.0, 1.5, rtol=1e-12, atol=1e-14)
    for run in runs:
        expected = [turn(t)[0][0] for t in run.t]
        np.testing.assert_allclose(run.y[2 * modes], expected, rtol=0, atol=1e-9)


@pytest.mark.slow
def test_spatial_arm_under_that_torque_follows_the_motion():
    # six joints, two flexible links, gravity, from static sag; 0.5 s
    robot = changed('flexible_six_axis')
    dyn = kd.Dynamics(robot)
    start, end = np.zeros(6), np.array([0.5, -0.4, 0.6, 0.8, -0.5, 1.0])
    rest = kd.static_sag(dyn, start)
    m, n = robot.n_modes, robot.nv
    rate_led, torque_led = led_motion(dyn, lambda t: quintic(t, 0.5, start, end))
    tau = np.zeros(n)

    def rate(t, x):
        led_state, free = x[:2 * m], x[2 * m:]
        tau[:6] = torque_led(t, led_state)
        return np.concatenate([rate_led(t, led_state), free[n:],
                               dyn.forward(free[:n], free[n:], tau)])
    x = np.concatenate([rest[6:], np.zeros(m), rest, np.zeros(n)])
    run = integrate(rate, x, 0.0, 0.5, rtol=1e-11, atol=1e-13)[0]
    np.testing.assert_allclose(run.y[2 * m:2 * m + 6, -1], end, rtol=0, atol=1e-9)


def test_sampled_feedforward_errs_as_the_notes_say():
    # implicit midpoint on the modal rows (joints prescribed), torque from the algebraic solve:
    # soft link, order 3, two modes: 0.0005 / 0.0019 of 6.94 N m at 1 / 2 ms
    torque, _, dyn, _ = led(10.0, 2, order=3)
    for dt, error in ((1e-3, 0.0005), (2e-3, 0.0019)):
        x, worst = np.zeros(4), 0.0
        rate_led, torque_led = led_motion(dyn, turn)
        for k in range(round(1.5 / dt)):
            middle = x
            for _ in range(30):       # fixed point on the midpoint: contracts, dt omega = 0.3
                middle = x + dt / 2 * rate_led((k + 0.5) * dt, middle)
            x = 2 * middle - x
            t = (k + 1) * dt
            worst = max(worst, abs(torque_led(t, x)[0] - torque(t)))
        assert worst == pytest.approx(error, rel=0.3)
