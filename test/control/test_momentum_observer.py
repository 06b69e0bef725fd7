# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The residual of the momentum observer, the contact flag and the wrench at a frame."""

from dataclasses import replace

from example_robots import example_urdf
import numpy as np
import pinocchio
import pytest
from recorded_arms import sines

import kane_dynamics as kd
from kane_dynamics.control.monitor.frame_wrench import FrameWrench
from kane_dynamics.control.monitor.momentum_observer import MomentumObserver
from kane_dynamics.control.monitor.touch_detector import ContactDetector

RATE, N = 500.0, 6
UR5 = example_urdf('ur5_robot.urdf')


def ur5(friction=True):
    robot = kd.load_urdf(UR5)
    robot = replace(robot, joints=tuple(
        replace(joint, armature=0.3) if joint.kind in ('revolute', 'continuous') else joint
        for joint in robot.joints))
    return kd.Dynamics(robot, kd.Friction(np.full(N, 2.0), np.full(N, 3.0), smoothing_speed=0.01)
                       if friction else None)


def with_errors(dynamics, fraction, seed):
    """Return an arm whose masses, inertias, centres, rotors and friction are off by a fraction."""
    rng = np.random.default_rng(seed)

    def off(value):
        return value * (1.0 + fraction * rng.choice([-1.0, 1.0]))
    robot = dynamics.robot
    for link in robot.links:
        if link.inertial is not None and link.inertial.mass > 0.0:
            robot = robot.with_inertial(link.name, kd.Inertial(
                off(link.inertial.mass), off(link.inertial.com), off(link.inertial.inertia)))
    robot = replace(robot, joints=tuple(replace(joint, armature=off(joint.armature))
                                        for joint in robot.joints))
    friction = dynamics.friction
    return kd.Dynamics(robot, kd.Friction(
        [off(each) for each in friction.viscous], [off(each) for each in friction.coulomb],
        smoothing_speed=friction.smoothing_speed))


def follow(observer, t, q, qd, tau, detector=None):
    """Return residuals (N, n) and, with a detector, its verdicts (N,)."""
    residuals, verdicts = np.zeros_like(q), np.zeros(len(t), bool)
    for k in range(len(t)):
        dt = 1.0 / RATE
        residuals[k] = observer.step(dt, q[k], qd[k], tau[k])
        if detector is not None:
            verdicts[k] = detector.step(dt, residuals[k], tau[k])
    return residuals, verdicts


def test_the_balance_of_momentum_is_that_of_pinocchios_coriolis_matrix():
    dynamics = kd.Dynamics(kd.load_urdf(UR5))
    model = pinocchio.buildModelFromUrdf(str(UR5))
    data = model.createData()
    rng = np.random.default_rng(1)
    q, qd, out = np.zeros(N), np.zeros(N), np.zeros((2, N))
    step = dynamics.bind('momentum_balance', q, qd, out)
    for _ in range(20):
        q[:], qd[:] = rng.uniform(-3, 3, N), rng.uniform(-2, 2, N)
        step()
        C = pinocchio.computeCoriolisMatrix(model, data, q, qd)
        M = pinocchio.crba(model, data, q)
        np.testing.assert_allclose(out[0], M @ qd, atol=1e-10)
        # dp/dt = tau - g + C' qd, since dM/dt = C + C'
        np.testing.assert_allclose(
            out[1], pinocchio.computeGeneralizedGravity(model, data, q) - C.T @ qd, atol=1e-9)


def test_a_floating_base_has_no_such_balance():
    robot = kd.load_urdf(UR5, floating_base=True)
    with pytest.raises(kd.InputError, match='floating base'):
        kd.Dynamics(robot).bind('momentum_balance', np.zeros(13), np.zeros(12), np.zeros((2, 12)))


def test_without_external_torque_the_residual_is_nothing_but_the_time_step():
    dynamics = ur5()
    t, q, qd, qdd = sines(N, 10.0, RATE, 2, 1.0, 0.8)
    tau = dynamics.inverse_many(q, qd, qdd)
    residuals, _ = follow(MomentumObserver(dynamics, 50.0), t, q, qd, tau)
    # the trapezoidal rule over 2 ms, largest where friction turns within 0.01 rad/s
    assert np.abs(residuals).max() < 0.01 * np.abs(tau).max()
    assert np.sqrt((residuals**2).mean(0)).max() < 0.02


@pytest.mark.parametrize('gain', [20.0, 100.0])
def test_a_step_of_torque_comes_through_a_first_order_lag(gain):
    dynamics = ur5()
    t, q, qd, qdd = sines(N, 4.0, RATE, 3, 1.0, 0.8)
    external = np.zeros_like(q)
    external[t >= 2.0, 1] = 5.0
    external[t >= 2.0, 4] = -1.0
    tau = dynamics.inverse_many(q, qd, qdd) - external
    residuals, _ = follow(MomentumObserver(dynamics, gain), t, q, qd, tau)
    lag = 1.0 - np.exp(-gain * np.maximum(t - 2.0, 0.0))
    # a sample of delay at most, and the residual of the test above
    for j, size in ((1, 5.0), (4, -1.0)):
        np.testing.assert_allclose(residuals[:, j], size * lag,
                                   atol=abs(size) * gain / RATE + 0.1)


def test_the_observer_is_stable_at_any_step_and_after_a_reset():
    dynamics = ur5(friction=False)
    observer = MomentumObserver(dynamics, gain=200.0)
    q, zero = np.full(N, 0.4), np.zeros(N)
    tau = dynamics.gravity(q) - np.eye(N)[1] * 7.0
    for _ in range(100):
        observer.step(0.5, q, zero, tau)        # K dt = 100
    np.testing.assert_allclose(observer.residual, np.eye(N)[1] * 7.0, atol=1e-6)
    observer.reset()
    assert not observer.residual.any()
    observer.step(0.002, q, zero, tau)
    assert not observer.residual.any()


def test_friction_under_load_counts():
    robot = kd.load_urdf(UR5)
    dynamics = kd.Dynamics(robot, kd.Friction(
        np.full(N, 1.0), np.full(N, 2.0), smoothing_speed=0.05, load=np.full(N, 0.1),
        offset=np.full(N, 0.3)))
    t, q, qd, qdd = sines(N, 5.0, RATE, 4, 1.0, 0.8)
    residuals, _ = follow(MomentumObserver(dynamics), t, q, qd,
                          dynamics.inverse_many(q, qd, qdd))
    assert np.abs(residuals).max() < 0.2


def contact_scene(seconds, seed, touch=None):
    """Return a monitored motion of an arm 5 % off its model, touched by 5 N m on joint 2."""
    model = ur5()
    arm = with_errors(model, 0.05, seed)
    rng = np.random.default_rng(seed)
    t, q, qd, qdd = sines(N, seconds, RATE, seed, 0.7, 0.5)      # up to 2 rad/s
    tau = arm.inverse_many(q, qd, qdd)
    if touch is not None:
        tau[t >= touch, 1] -= 5.0
    tau += 0.05 * rng.standard_normal(tau.shape)
    observer = MomentumObserver(model, gain=150.0)
    detector = ContactDetector(np.full(N, 2.0))
    noisy = qd + 5e-4 * rng.standard_normal(qd.shape)
    return t, *follow(observer, t, q, noisy, tau, detector), detector


@pytest.mark.parametrize('seed', [1, 2, 3])
def test_a_touch_of_5_newton_metres_is_noticed_within_20_ms(seed):
    touch = 6.0 + 0.37 * seed
    t, _, verdicts, detector = contact_scene(8.0, seed, touch)
    first = t[np.flatnonzero(verdicts)[0]]
    assert touch <= first <= touch + 0.020 and detector.joint == 1 and detector.contacts == 1
    assert verdicts[t >= first].all()             # and stays while it lasts


@pytest.mark.slow
def test_no_false_alarm_in_ten_minutes_with_5_percent_of_model_error():
    _, residuals, verdicts, detector = contact_scene(600.0, 9)
    assert not verdicts.any() and detector.contacts == 0
    assert np.abs(residuals).max() > 2.5     # a fixed threshold alone would have cried wolf


def test_no_false_alarm_in_half_a_minute_with_5_percent_of_model_error():
    _, _, verdicts, _ = contact_scene(30.0, 8)
    assert not verdicts.any()


# -- the flag -------------------------------------------------------------------------------------


def flags(detector, residuals, dt=0.002):
    return np.array([detector.step(dt, np.array([value]), np.zeros(1)) for value in residuals])


def test_the_flag_has_hysteresis():
    detector = ContactDetector([2.0], release=0.5, release_time=0.1, settling_time=0.0,
                               baseline_time=1e6)
    flags(detector, np.zeros(100_000))           # the average of all that came is nothing
    levels = np.repeat([0.0, 1.9, 2.1, 1.5, 1.1, 0.9, 1.5, 3.5], 100)
    found = flags(detector, levels)
    # begins at 2, stays above 1, ends 0.1 s after falling below it; then it starts from there
    begun, ended, again = np.flatnonzero(np.diff(found.astype(int))) + 1
    assert begun == 200 and ended == pytest.approx(500 + 50, abs=2) and again == 700
    assert detector.contacts == 2


def test_a_contact_ends_with_a_jump_back_though_the_model_error_has_moved_on():
    detector = ContactDetector([2.0])
    drift = np.linspace(0.0, 4.0, 4000)          # 0.5 N m/s over 8 s
    residual = drift + np.where(np.arange(4000) // 1000 % 2, 5.0, 0.0)
    found = flags(detector, residual)
    begun = np.flatnonzero(np.diff(found.astype(int)) == 1) + 1
    ended = np.flatnonzero(np.diff(found.astype(int)) == -1) + 1
    assert list(begun) == [1000, 3000] and list(ended) == [2000]


def test_what_grows_slowly_is_taken_for_a_model_error_up_to_the_limit():
    slow = np.linspace(0.0, 8.0, 20_000)         # 0.2 N m/s
    assert not flags(ContactDetector([2.0]), slow).any()
    limited = flags(ContactDetector([2.0], limit=5.0), slow)
    assert limited.any() and slow[np.argmax(limited)] == pytest.approx(5.0, abs=0.01)


def test_no_verdict_before_it_has_settled_and_after_a_reset():
    detector = ContactDetector([2.0], settling_time=0.5)
    assert not flags(detector, np.full(249, 50.0)).any()
    flags(detector, np.zeros(2000))
    assert not detector.contact and flags(detector, np.full(10, 50.0)).any()
    detector.reset()
    assert not detector.contact and not flags(detector, np.full(100, 50.0)).any()


@pytest.mark.parametrize('change', [{'threshold': [0.0]}, {'release': 0.0}, {'release': 1.5},
                                    {'release_time': -1.0}, {'baseline_time': 0.0},
                                    {'limit': -1.0}, {'uncertainty': -0.1}])
def test_impossible_settings_are_refused(change):
    with pytest.raises(kd.InputError, match='must be'):
        ContactDetector(**{'threshold': [1.0], **change})


# -- the wrench -----------------------------------------------------------------------------------


def test_the_wrench_at_a_frame_is_found_from_the_torques_it_makes():
    dynamics = kd.Dynamics(kd.load_urdf(UR5))
    rng = np.random.default_rng(5)
    estimator = FrameWrench(dynamics, 'tool0', damping=1e-6)
    q = np.array([0.3, -1.2, 1.1, -0.7, 1.3, 0.2])
    for _ in range(5):
        wrench = rng.normal(size=6) * [20, 20, 20, 3, 3, 3]
        R, _ = dynamics.frame_pose('tool0', q)
        J = dynamics.frame_jacobian('tool0', q)
        external = J.T @ np.concatenate([R @ wrench[:3], R @ wrench[3:]])
        np.testing.assert_allclose(estimator.of(q, external), wrench, rtol=1e-4, atol=1e-4)
    assert estimator.condition < 100.0


def test_the_wrench_stays_finite_at_a_singular_pose_which_is_told():
    dynamics = kd.Dynamics(kd.load_urdf(UR5))
    estimator = FrameWrench(dynamics, 'tool0')
    found = estimator.of(np.zeros(N), np.full(N, 5.0))
    assert np.isfinite(found).all() and np.abs(found).max() < 5.0 / 0.02**2
    assert estimator.condition > 1e3


def test_an_unknown_frame_is_refused_with_those_there_are():
    with pytest.raises(kd.InputError, match="no link 'flange'.*tool0"):
        FrameWrench(kd.Dynamics(kd.load_urdf(UR5)), 'flange')
