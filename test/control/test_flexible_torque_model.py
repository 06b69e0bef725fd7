# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The torque model of the feedforward node for arms that bend, in its controller, without ROS."""

import sys
import tracemalloc

from flexible_arms import changed, integrate, led_motion, quasi_static, quintic
import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.control.controller import Controller
from kane_dynamics.control.flexible_torque_model import FlexibleTorqueModel
from kane_dynamics.control.phase import Fault, Known
from kane_dynamics.control.torque_model import Transition
from kane_dynamics.trajectory.trajectory import Trajectory

ROBOT = changed('flexible_3r')
DYNAMICS = kd.Dynamics(ROBOT, parametric=True)
JOINTS, MODES = ROBOT.joint_names, len(ROBOT.mode_names)
START, MOVE = np.array([0.2, 0.3, -0.5]), np.array([0.5, -0.4, 0.6])
DT, STILL = 0.002, np.zeros(3)


def model(mass=0.0, **options):
    dynamics = DYNAMICS.with_payload(mass, (0.0, 0.0, 0.0), link='tool0') if mass else DYNAMICS
    return FlexibleTorqueModel(dynamics, JOINTS, {}, period=DT, **options)


class Rig:
    """A controller with its time, and the arm at the commanded position."""

    def __init__(self, **options):
        self.model = model(**options)
        self.controller = Controller(JOINTS, self.model)
        self.controller.ramp_time = 0.0
        self.controller.restart(enabled=True)
        self.t = 0.0

    def step(self, q=START, dt=DT):
        self.t += dt
        self.controller.law.measured[:] = q, STILL
        assert self.controller.cycle(self.t, Known.VELOCITY)
        return self.controller.tau.copy()

    def follow(self, start=START, duration=0.4):
        self.controller.follow(Trajectory(
            JOINTS, [0.0, duration], [start, start + MOVE], np.zeros((2, 3)), np.zeros((2, 3)),
            start=self.t))


def held(q, dynamics=DYNAMICS):
    return dynamics.gravity(kd.static_sag(dynamics, q))[:3]


def test_a_new_start_begins_at_the_sag_of_its_own_pose():
    rig = Rig()
    assert np.allclose(rig.step(), held(START), atol=1e-9)
    rig.follow()
    for _ in range(100):
        rig.step()
    assert abs(rig.model.elastic.ed).max() > 0.01
    rig.controller.restart(enabled=True)
    assert np.allclose(rig.step(START - 0.4), held(START - 0.4), atol=1e-9)
    assert abs(rig.model.elastic.ed).max() < 1e-9


def test_a_disabled_arm_is_held_as_it_sags_and_goes_on_from_there():
    rig = Rig()
    rig.step()
    rig.follow()
    for _ in range(100):
        rig.step()
    rig.controller.disable()
    for _ in range(5):
        rig.step()
    assert np.allclose(rig.step(), held(START), atol=1e-9)
    rig.controller.enable(Known.VELOCITY)
    for _ in range(50):
        assert np.allclose(rig.step(), held(START), atol=1e-6)


def test_a_stall_is_no_jump_and_the_next_cycle_integrates_again():
    rig = Rig()
    rig.step()
    rig.follow(duration=1.0)
    for _ in range(100):
        rig.step()
    longest = rig.model.longest_cycle
    rig.step(dt=0.9 * longest)
    assert not rig.model.skipped and rig.model.elastic.ed.any()
    rig.step(dt=1.1 * longest)
    assert rig.model.skipped and not rig.model.elastic.ed.any()
    rig.step()
    assert not rig.model.skipped and rig.model.elastic.ed.any()


def test_links_that_are_not_finite_any_more_begin_anew():
    rig = Rig()
    rig.step()
    last = rig.step()
    rig.model.elastic.ed[0] = np.nan
    assert np.array_equal(rig.step(), last)      # a torque that is not finite is not given
    assert rig.controller.fault is Fault.TORQUE_NOT_FINITE
    for _ in range(3):
        assert np.allclose(rig.step(), held(START), atol=1e-9)
    rig.controller.enable(Known.VELOCITY)
    assert np.allclose(rig.step(), held(START), atol=1e-9)


def test_a_locked_joint_stays_and_the_links_beyond_it_bend():
    lock = {JOINTS[1]: 0.4}
    active = (JOINTS[0], JOINTS[2])
    one = FlexibleTorqueModel(DYNAMICS, active, lock, period=DT)

    def motion(t):
        q, qd, qdd = quintic(t, 0.2, START, START + MOVE)
        q[1], qd[1], qdd[1] = 0.4, 0.0, 0.0
        return q, qd, qdd
    rate, torque = led_motion(DYNAMICS, motion)
    begin = np.append(kd.static_sag(DYNAMICS, motion(0.0)[0])[3:], np.zeros(MODES))
    run = integrate(rate, begin, 0.0, 0.2, rtol=1e-8, atol=1e-10)[0]
    q, qd, qdd, tau = np.zeros((4, 2))
    step = one.bound(q, qd, qdd, qd, tau)
    hold = one.bound_gravity(q, tau)
    q[:] = motion(0.0)[0][::2]
    hold()
    assert np.allclose(tau, held(motion(0.0)[0])[::2], atol=1e-9)
    for k in range(101):
        one.dt = DT if k else 0.0
        q[:], qd[:], qdd[:] = (each[::2] for each in motion(k * DT))
        step()
    # 1e-3 of the peak, as for the whole arm
    assert np.allclose(tau, torque(0.2, run.y[:, -1])[::2], atol=1e-3 * 40.0)
    many = one.evaluate_many(*(np.array([each[::2]]) for each in motion(0.1)))
    assert np.allclose(many, quasi_static(DYNAMICS, *motion(0.1))[1][::2], atol=1e-5)


def test_many_samples_are_quasi_static_wherever_they_are():
    rng = np.random.default_rng(5)
    samples = rng.uniform(-1.0, 1.0, (3, 40, 3))
    got = model().evaluate_many(*samples)
    for k in range(40):
        assert np.allclose(got[k], quasi_static(DYNAMICS, *samples[:, k])[1], atol=1e-3)


def test_a_payload_comes_without_a_step_and_without_a_swing():
    rig = Rig()
    rig.step()
    light, heavy = held(START), held(START, DYNAMICS.with_payload(0.5, STILL, link='tool0'))
    rig.controller.transition_time = 0.1
    rig.controller.set_model(model(0.5))
    assert isinstance(rig.controller.model, Transition)
    for k in range(1, 60):
        tau = rig.step()
        part = min(k * DT / 0.1, 1.0)
        assert np.allclose(tau, light + part * (heavy - light), atol=1e-6)
    assert not isinstance(rig.controller.model, Transition)


def test_a_payload_at_once_keeps_the_swing_and_changes_the_sag():
    rig = Rig()
    rig.step()
    rig.follow()
    for _ in range(220):
        rig.step()
    old = rig.model.elastic
    e, ed, pose = old.e.copy(), old.ed.copy(), old.q[:3].copy()
    rig.controller.transition_time = 0.0
    rig.controller.set_model(model(0.5))
    new = rig.controller.model.elastic
    loaded = DYNAMICS.with_payload(0.5, STILL, link='tool0')
    change = kd.static_sag(loaded, pose)[3:] - kd.static_sag(DYNAMICS, pose)[3:]
    assert np.allclose(new.ed, ed) and np.allclose(new.e - e, change, atol=1e-9)


def test_a_cycle_makes_no_arrays():
    rig = Rig()
    rig.step()
    rig.follow(duration=5.0)
    for _ in range(50):
        rig.controller.cycle(rig.t + DT, Known.VELOCITY)
    rises = []
    tracer = sys.gettrace()             # that of coverage: it allocates in every call
    sys.settrace(None)
    tracemalloc.start()
    try:
        for part in range(5):           # other threads of the test runner allocate now and then
            rig.controller.cycle(rig.t + (101 * part + 1) * DT, Known.VELOCITY)
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            for k in range(100):
                rig.controller.cycle(rig.t + (101 * part + k + 2) * DT, Known.VELOCITY)
            rises.append(tracemalloc.get_traced_memory()[1] - before)
    finally:
        tracemalloc.stop()
        sys.settrace(tracer)
    assert min(rises) < 1000    # bytes: floats and a counter; 13 numbers in an array are 216


@pytest.mark.parametrize(('period', 'dynamic', 'words'), [
    (0.002, True, 'integrated in steps of at most'), (0.002, False, 'quasi-static'),
    (0.1, True, 'quasi-static')])
def test_it_says_how_it_computes(period, dynamic, words):
    one = FlexibleTorqueModel(DYNAMICS, JOINTS, {}, period=period, dynamic=dynamic)
    assert words in one.describe()
    # omega_1 T = 41.8 * 0.1 > 1
    assert bool(one.fallback) == (period == 0.1)
    if one.fallback:
        assert 'a cycle of 100 ms is too long' in one.fallback
        assert '41.79 cycles per second' in one.fallback
    irregular = FlexibleTorqueModel(DYNAMICS, JOINTS, {}, period=period, dynamic=dynamic,
                                    regular=False)
    assert irregular.dynamic == dynamic
