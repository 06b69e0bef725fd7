# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The torque that makes the joints of a flexible arm follow a motion, against an exact beam.

Reference torques: the single link (L = 1 m, 0.5 kg/m, hub 0.1 kg m^2, tip 0.25 kg) turned by 1 rad
in 1 s, then held, no damping; computed with a geometrically exact beam (Exudyn's ANCF cable), once
with 8 elements and steps of 0.5 ms, once converged: 16 elements, 0.05 ms
(`benchmark/exact_beams.py`). The third mode of the stiff link rings at 731 rad/s, so the longer
steps err by 1.02e-3 N m, mostly in its phase; the soft link's by 1e-4.
"""

import functools

from flexible_arms import changed, integrate, led_motion, quintic, single_link
import numpy as np
import pytest
from scipy.linalg import eigh

import kane_dynamics as kd

TIMES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5)
FF2_ANCF = (2.3094, 3.3991, 2.1440, 2.2274, -0.8197, -0.6561, -3.5164, -2.3400, -2.9665, 0.2000,
            -0.7241, 1.5904)
FF2_EXACT = (2.30948, 3.39904, 2.14428, 2.22730, -0.81997, -0.65621, -3.51623, -2.33953, -2.96678,
             0.19999, -0.72311, 1.58961)
FF2_MODAL = (2.3095, 3.3991, 2.1442, 2.2273, -0.8200, -0.6562, -3.5162, -2.3396, -2.9667, 0.1999,
             -0.7232, 1.5897)            # linearised modal equations, three modes
FF2_TIP = (-0.00582, -0.00877, -0.00506, -0.00606, 0.00259, 0.00109, 0.00939, 0.00542, 0.00790,
           -0.00063, 0.00229, -0.00503)
FF1_ANCF = (0.7336, 2.2206, 3.9936, 4.5254, 2.6387, -1.3162, -5.2779, -6.9459, -5.3427, -0.9849,
            5.1791, -4.7979)
FF1_EXACT = (0.73359, 2.22058, 3.99358, 4.52536, 2.63869, -1.31619, -5.27783, -6.94581, -5.34275,
             -0.98498, 5.17908, -4.79789)
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


def linear_link(EI, modes=3):
    """Return torque(t) of the linearised single link, in modes of a Ritz basis of polynomials.

    With S = K_g - M, K_g from the tension w^2 (m (L^2 - x^2) / 2 + m_p L):
    M e'' + K e + w^2 S e = -b w',  tau = (J - e.S e) w' - 2 w e.S e' + b.e''
    """
    x, w = np.polynomial.legendre.leggauss(40)
    x, w, m, tip_mass = (x + 1) / 2, w / 2, 0.5, 0.25
    P = [np.polynomial.Polynomial([0, 0, 1]) * np.polynomial.Legendre.basis(
        k, domain=[0, 1]).convert(kind=np.polynomial.Polynomial) for k in range(12)]
    v, slope, bend = (np.array([p.deriv(d)(x) if d else p(x) for p in P]) for d in range(3))
    tip = np.array([p(1.0) for p in P])
    M = m * (v * w) @ v.T + tip_mass * np.outer(tip, tip)
    squares, V = eigh(EI * (bend * w) @ bend.T, M)
    V = V[:, :modes]
    K, b = np.diag(squares[:modes]), V.T @ (m * (v * w) @ x + tip_mass * tip)
    S = V.T @ (slope * (w * (m * (1 - x**2) / 2 + tip_mass)) @ slope.T) @ V - np.eye(modes)
    J = 0.1 + m / 3 + tip_mass

    def acceleration(t, y):
        _, qd, qdd = (value[0] for value in turn(t))
        return -(K @ y[:modes] + qd**2 * S @ y[:modes] + b * qdd)
    runs = integrate(lambda t, y: np.concatenate([y[modes:], acceleration(t, y)]),
                     np.zeros(2 * modes), 0.0, 1.0, 1.6, rtol=1e-10, atol=1e-13,
                     dense_output=True)

    def torque(t):
        y = runs[0 if t <= 1.0 else 1].sol(t)
        _, qd, qdd = (value[0] for value in turn(t))
        e, ed = y[:modes], y[modes:]
        return (J - e @ S @ e) * qdd - 2 * qd * e @ S @ ed + b @ acceleration(t, y)
    return torque


def test_torque_of_a_stiff_link_is_that_of_the_exact_beam():
    # FF2: EI = 100 N m^2, deflection 1 %. Bar 1e-3 N m of 3.8; third order comes within 6e-5.
    torque, tip, _, _ = led(100.0, 3, order=3)
    got = [torque(t) for t in TIMES]
    np.testing.assert_allclose(got, FF2_EXACT, rtol=0, atol=1e-3)
    np.testing.assert_allclose(got, FF2_EXACT, rtol=0, atol=1e-4)
    np.testing.assert_allclose([tip(t) for t in TIMES], FF2_TIP, rtol=0, atol=2e-5)
    late = [tip(t) for t in np.linspace(1.0, 1.6, 601)]
    assert max(map(abs, late)) == pytest.approx(0.005180, abs=1e-5)   # it still swings
    # two modes, without the one that the long steps of the other reference blur: the bar there too
    torque, _, _, _ = led(100.0, 2, order=3)
    np.testing.assert_allclose([torque(t) for t in TIMES], FF2_ANCF, rtol=0, atol=1e-3)
    np.testing.assert_allclose([torque(t) for t in TIMES], FF2_EXACT, rtol=0, atol=2e-4)


def test_second_order_torque_errs_by_the_square_of_the_deflection():
    # Another program of the same second-order model agrees to its four decimals; against the exact
    # beam half of the third-order forces is missing: 4 (deflection / length)^2 of the peak torque,
    # 1.2e-3 N m here, a little more than the bar.
    torque, tip, _, _ = led(100.0, 3)
    got = np.array([torque(t) for t in TIMES])
    prototype = (2.3094, 3.3993, 2.1440, 2.2276, -0.8202, -0.6562, -3.5159, -2.3401, -2.9659,
                 0.1990, -0.7243, 1.5903)
    np.testing.assert_allclose(got, prototype, rtol=0, atol=1e-4)
    assert abs(got - FF2_EXACT).max() == pytest.approx(1.206e-3, abs=2e-5)
    for EI in (100.0, 200.0):
        second, third = led(EI, 3), led(EI, 3, order=3)
        times = np.linspace(0.0, 1.6, 401)
        exact = np.array([third[0](t) for t in times])
        bent = max(abs(third[1](t)) for t in times)
        error = max(abs(second[0](t) - value) for t, value in zip(times, exact))
        assert 3.0 < error / (abs(exact).max() * bent**2) < 4.0


def test_linearised_link_has_the_same_torque_but_for_the_square_of_the_deflection():
    # A model that is linear in the deflection, written out above: its torque differs from that of
    # the full third-order model by 0.4 (deflection / length)^2 of the peak, 1.6e-4 N m at 1 %.
    linear = linear_link(100.0)
    np.testing.assert_allclose([linear(t) for t in TIMES], FF2_MODAL, rtol=0, atol=6e-5)
    for EI in (100.0, 200.0):
        linear = linear_link(EI)
        torque, tip, _, _ = led(EI, 3, order=3)
        times = np.linspace(0.0, 1.6, 401)
        exact = np.array([torque(t) for t in times])
        bent = max(abs(tip(t)) for t in times)
        error = max(abs(linear(t) - value) for t, value in zip(times, exact))
        assert 0.2 < error / (abs(exact).max() * bent**2) < 0.5


def test_torque_of_a_soft_link_is_that_of_the_exact_beam():
    # FF1: EI = 10, the tip 20 % of the length away; order 3 with two modes: 0.3 % of the peak
    torque, tip, _, _ = led(10.0, 2, order=3)
    got = np.array([torque(t) for t in TIMES])
    for exact in (FF1_ANCF, FF1_EXACT):
        assert abs(got - exact).max() < 0.003 * 6.9459
        assert abs(got - exact).max() < 0.0007 * 6.9459      # got
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


@pytest.mark.parametrize(('EI', 'modes', 'order'), [
    (100.0, 3, 2), (100.0, 2, 3), (10.0, 2, 3)])
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
