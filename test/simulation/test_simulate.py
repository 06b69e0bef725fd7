# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated motion against closed forms, MuJoCo, balances and the methods' own theory."""

from dataclasses import replace
import io
import threading

from example_robots import example_urdf
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk
from simulated_arms import (
    double_pendulum, MujocoArm, pendulum, random_state, six_axis, slider, tumbling_body)

import kane_dynamics as kd
from kane_dynamics.io.progress import Progress
from kane_dynamics.numerics.time_integration import KUTTA_MERSON, RK4
from kane_dynamics.simulation.equations.state import FreeEquation
from kane_dynamics.simulation.march import March
from kane_dynamics.simulation.rules.explicit import KuttaMerson
from kane_dynamics.simulation.rules.steppers import FIXED, FixedStepper, METHODS
from kane_dynamics.simulation.torque_law import no_torque
from kane_dynamics.trajectory.trajectory import Trajectory

VARIABLE = [name for name in METHODS if name not in FIXED]
# of the pendulum in simulated_arms: m g l / (I + m l^2)
OMEGA = np.sqrt(2.0 * 9.81 * 0.5 / (0.1 + 2.0 * 0.25))


@pytest.fixture(scope='module')
def arm():
    return kd.Dynamics(six_axis()).prepare('forward', 'inverse')


def swing(t, amplitude):
    """Return the angle of a pendulum released at rest: 2 asin(k sn(K - w t, k))."""
    m = np.sin(0.5 * amplitude)**2
    sn, _, _, _ = ellipj(ellipk(m) - OMEGA * t, m)
    return 2.0 * np.arcsin(np.sqrt(m) * sn)


def exact_arm(dyn, q0, qd0, duration, torque=None):
    """Return the end of a motion by DOP853 at its tightest."""
    end = kd.simulate(dyn, q0, qd0, torque, duration=duration, method='DOP853', rtol=1e-13,
                      atol=1e-14)
    return np.concatenate([end.q[-1], end.qd[-1]])


@pytest.mark.parametrize(('method', 'tolerance'), [
    # the error of a step rule of order p at dt = 1 ms, measured and rounded up
    ('rk4', 1e-10), ('semi_implicit', 1e-2), ('midpoint', 1e-5),
    ('kutta_merson', 1e-7), ('DOP853', 1e-7), ('Radau', 1e-6)])
def test_pendulum_follows_the_elliptic_function(method, tolerance):
    found = kd.simulate(kd.Dynamics(pendulum()), [2.0], [0.0], duration=5.0, dt=1e-3,
                        method=method)
    assert len(found) == 5001 and found.t[-1] == 5.0
    assert abs(found.q[:, 0] - swing(found.t, 2.0)).max() < tolerance


@pytest.mark.parametrize('method', METHODS)
def test_free_fall_is_a_parabola(method):
    dyn = kd.Dynamics(tumbling_body())
    q0, v0 = dyn.robot.neutral(), [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]
    found = kd.simulate(dyn, q0, v0, duration=1.0, dt=1e-2, method=method)
    t = found.t[:, None]
    path = t * v0[:3] + 0.5 * t**2 * np.array([0.0, 0.0, -9.81])
    # semi-implicit Euler is behind by g dt t / 2; the other rules integrate t^2 exactly
    assert abs(found.q[:, :3] - path).max() < (0.05 if method == 'semi_implicit' else 1e-12)


@pytest.mark.parametrize(('method', 'tolerance'), [
    ('rk4', 1e-9), ('midpoint', 1e-4), ('kutta_merson', 1e-7), ('DOP853', 1e-7), ('Radau', 1e-5)])
def test_symmetric_top_precesses_about_its_angular_momentum(method, tolerance):
    # R(t) = exp([L / I1]x t) R0 exp([(1 - I3/I1) w3 z]x t), torque-free, I1 = I2
    dyn = kd.Dynamics(tumbling_body(gravity=(0.0, 0.0, 0.0)))
    spin = np.array([1.0, -0.5, 4.0])
    found = kd.simulate(dyn, dyn.robot.neutral(), [0.3, 0.0, 0.0, *spin], duration=5.0, dt=2e-3,
                        method=method)
    momentum = np.array([0.2, 0.2, 0.1]) * spin
    for t, q in zip(found.t[::250], found.q[::250]):
        turned = (Rotation.from_rotvec(momentum / 0.2 * t)
                  * Rotation.from_rotvec([0.0, 0.0, (1.0 - 0.1 / 0.2) * spin[2] * t]))
        assert abs(Rotation.from_quat(q[3:7]).as_matrix() - turned.as_matrix()).max() < tolerance
    assert abs(np.linalg.norm(found.q[:, 3:7], axis=1) - 1.0).max() < 1e-14
    # the centre goes straight on although its velocity is expressed in rotating axes
    assert abs(found.q[-1, :3] - [1.5, 0.0, 0.0]).max() < tolerance


def test_six_axis_arm_keeps_its_energy_for_ten_seconds_by_rk4_at_1_khz(arm):
    rng = np.random.default_rng(7)
    q0, qd0 = random_state(arm.robot, rng)
    found = kd.simulate(arm, q0, qd0, duration=10.0, dt=1e-3)
    balance = found.balance()
    assert abs(found.qd).max() > 3.0                       # it moves: a double-digit joule count
    assert balance.relative_drift <= 1e-6                  # the bar
    assert balance.work == balance.friction_loss == balance.impact_loss == 0.0


@pytest.mark.parametrize(('method', 'order'), [('rk4', 4), ('semi_implicit', 1), ('midpoint', 2),
                                               ('generalized_alpha', 2)])
def test_fixed_step_methods_converge_with_their_order(arm, method, order):
    q0, qd0 = random_state(arm.robot, np.random.default_rng(3))
    exact = exact_arm(arm, q0, qd0, 0.4)
    errors = []
    for dt in (4e-3, 2e-3):
        end = kd.simulate(arm, q0, qd0, duration=0.4, dt=dt, method=method)
        errors.append(np.linalg.norm(np.concatenate([end.q[-1], end.qd[-1]]) - exact))
    # halving the step leaves a remainder of the next order: half a unit is beyond it
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


def test_merson_rule_converges_with_order_four_and_its_estimate_bounds_its_error(arm):
    q0, qd0 = random_state(arm.robot, np.random.default_rng(3))
    equation = FreeEquation(arm, no_torque)
    ends = []
    for dt in (4e-3, 2e-3):
        stepper = FixedStepper(KuttaMerson, equation, dt)
        march = March(equation, stepper, 0.0, equation.state(q0, qd0))
        march.advance(0.4)
        ends.append(march.y[:12].copy())
    exact = exact_arm(arm, q0, qd0, 0.4)
    errors = [np.linalg.norm(end - exact) for end in ends]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.35)
    rule, y, out = KuttaMerson(equation), equation.state(q0, qd0), np.zeros(15)
    rule.advance(0.0, y, 4e-3, out)
    true = np.linalg.norm(out[:12] - exact_arm(arm, q0, qd0, 4e-3))
    # Merson's estimate is one order too careful on nonlinear equations, never too bold
    assert true <= np.linalg.norm(rule.error(4e-3)[:12]) <= 1e4 * true


@pytest.mark.parametrize('method', VARIABLE)
@pytest.mark.parametrize('rtol', [1e-4, 1e-6, 1e-8])
def test_variable_step_methods_meet_the_tolerance_asked_for(arm, method, rtol):
    q0, qd0 = random_state(arm.robot, np.random.default_rng(11))
    exact = exact_arm(arm, q0, qd0, 1.0)
    end = kd.simulate(arm, q0, qd0, duration=1.0, method=method, rtol=rtol, atol=rtol)
    error = abs(np.concatenate([end.q[-1], end.qd[-1]]) - exact).max()
    # the tolerance is per step; over a second of this motion errors add up and grow about tenfold
    assert error <= 10.0 * rtol * max(1.0, abs(exact).max())
    if method == 'kutta_merson':
        assert end.statistics.steps + end.statistics.rejected == pytest.approx(
            end.statistics.evaluations / 5, abs=1)


@pytest.mark.parametrize('method', VARIABLE)
def test_variable_steps_without_dt_return_their_own_and_with_dt_the_same_motion(arm, method):
    q0, qd0 = random_state(arm.robot, np.random.default_rng(5))
    own = kd.simulate(arm, q0, qd0, duration=0.5, method=method)
    asked = kd.simulate(arm, q0, qd0, duration=0.5, dt=0.05, method=method)
    assert len(own) == own.statistics.steps + 1 and own.t[-1] == 0.5
    assert np.allclose(asked.t, np.arange(11) * 0.05, atol=1e-15)
    # samples lie within steps: by a shorter step or the solver's polynomial, both to tolerance
    for t, q in zip(asked.t[1:-1], asked.q[1:-1]):
        exact = exact_arm(arm, q0, qd0, t)[:6]
        assert abs(q - exact).max() < 1e-6
    assert np.array_equal(own.q[-1], asked.q[-1])


@pytest.mark.parametrize(('method', 'tolerance'), [('DOP853', 1e-8), ('rk4', 1e-8)])
def test_inverse_dynamics_and_simulation_undo_each_other(arm, method, tolerance):
    names = arm.robot.joint_names
    goal = Trajectory(names, [0.0, 1.0], [np.zeros(6), [0.8, -0.6, 0.5, 1.0, -0.7, 0.4]],
                      np.zeros((2, 6)), np.zeros((2, 6)))

    def torque(t, q, qd):
        return arm.inverse(*goal.sample(min(t, 1.0 - 1e-15))[:3])
    found = kd.simulate(arm, np.zeros(6), np.zeros(6), torque, duration=1.0, dt=1e-3,
                        method=method, rtol=1e-12, atol=1e-12)
    wanted = goal.sample_many(found.t)[0]
    assert abs(found.q - wanted).max() <= tolerance
    # and back: the accelerations of the motion need the torques that made it
    again = arm.inverse_many(found.q, found.qd, found.accelerations())
    assert abs(again - found.tau).max() <= 1e-9
    assert found.balance().relative_drift < 1e-8
    assert abs(found.balance().work) > 1.0


def test_rk4_agrees_with_mujoco(arm):
    q0, qd0 = random_state(arm.robot, np.random.default_rng(2))
    tau = np.array([5.0, -20.0, 8.0, 1.0, -0.5, 0.2])
    mujoco = MujocoArm(arm.robot, 1e-3)
    mujoco.set(q0, qd0)
    found = kd.simulate(arm, q0, qd0, tau, duration=0.5, dt=1e-3)
    q, qd = mujoco.step(tau, 500)
    # the same rule on the same equations: rounding, amplified over 500 steps
    assert abs(found.q[-1] - q).max() < 1e-9
    assert abs(found.qd[-1] - qd).max() < 1e-8


@pytest.mark.parametrize('method', METHODS)
def test_work_of_torques_and_loss_to_friction_explain_the_energy(method):
    robot = six_axis()
    dyn = kd.Dynamics(robot, kd.Friction.of(robot, smoothing_speed=0.5))
    push = np.array([9.0, 9.0, 6.0, 2.0, 1.0, 0.3])
    found = kd.simulate(dyn, np.full(6, 0.2), np.zeros(6),
                        lambda t, q, qd: dyn.gravity(q) + push * np.cos(3.0 * t), duration=0.5,
                        dt=1e-3, method=method, rtol=1e-7)
    balance = found.balance()
    assert balance.friction_loss > 0.1 and abs(balance.work) > 0.5
    # what fixed steps of 1 ms err by: the light sixth axis settles in 2 ms
    bound = {'semi_implicit': 0.2, 'midpoint': 1e-3, 'rk4': 1e-4}.get(method, 1e-5)
    assert balance.relative_drift < bound


def test_floating_arm_keeps_its_momenta():
    robot = kd.load_urdf(example_urdf('ur5_robot.urdf'), floating_base=True)
    dyn = kd.Dynamics(robot)
    q0, qd0 = robot.neutral(), np.concatenate([[0.1, 0.2, 0.3, 1.0, -1.0, 0.5], np.ones(6)])

    def torque(t, q, qd):
        return np.concatenate([np.zeros(6), 3.0 * np.sin(5.0 * t + np.arange(6.0)) - 0.5 * qd[6:]])
    found = kd.simulate(dyn, q0, qd0, torque, duration=1.0, dt=1e-3)
    balance = found.balance()
    # inner torques change neither P - m g t nor L about the mass centre; rk4 errs by its order
    assert balance.momentum_drift < 1e-6 * robot.total_mass * 9.81
    assert balance.angular_momentum_drift < 1e-5
    assert balance.relative_drift < 1e-6
    assert 'momentum drift' in str(balance)
    assert kd.simulate(dyn, q0, qd0, np.ones(12), duration=0.01,
                       dt=1e-3).balance().momentum_drift is None


def test_stiff_damping_is_stepped_far_above_its_rate_by_implicit_methods_only():
    robot = slider('1 0 0', -100.0, 100.0)
    dyn = kd.Dynamics(robot, kd.Friction(viscous=[2e4], coulomb=[0.0]))    # rate 1e4 1/s
    for method, tolerance in (('midpoint', 1e-6), ('Radau', 1e-6)):
        found = kd.simulate(dyn, [0.0], [0.0], [40.0], duration=1.0, dt=1e-2, method=method)
        assert found.q[-1, 0] == pytest.approx(40.0 / 2e4 * (1.0 - 1e-4), abs=tolerance)
    with pytest.raises(kd.KaneDynamicsError, match='the state is not finite at'):
        kd.simulate(dyn, [0.0], [0.0], [40.0], duration=10.0, dt=1e-2)


def test_a_setup_gives_bit_for_bit_the_motion_of_its_keywords(arm):
    q0, qd0 = random_state(arm.robot, np.random.default_rng(4))
    setup = kd.Setup(q0, qd0, np.arange(6.0), duration=0.05, dt=1e-3, stops=True)
    by_setup = kd.simulate(arm, setup)
    by_keywords = kd.simulate(arm, q0, qd0, np.arange(6.0), duration=0.05, dt=1e-3, stops=True)
    assert np.array_equal(by_setup.q, by_keywords.q)
    assert by_setup.statistics == by_keywords.statistics
    by_keywords = kd.simulate(arm, q0, qd0, np.arange(6.0), duration=0.05, dt=1e-3)
    assert np.array_equal(kd.simulate(arm, replace(setup, stops=None)).q, by_keywords.q)
    assert not np.array_equal(by_setup.q, by_keywords.q)       # a stop was hit
    with pytest.raises(kd.InputError, match=r'takes no other options .* dataclasses.replace'):
        kd.simulate(arm, setup, dt=1e-4)


# -- torque in its forms, events, results -------------------------------------------------------


def test_constant_sampled_and_function_torques_are_the_same_torque(arm):
    q0, qd0 = random_state(arm.robot, np.random.default_rng(9))
    tau = np.arange(6.0)
    forms = [tau, np.tile(tau, (101, 1)), lambda t, q, qd: tau, list(tau)]
    ends = [kd.simulate(arm, q0, qd0, form, duration=0.1, dt=1e-3) for form in forms]
    for end in ends[1:]:
        assert np.array_equal(end.q, ends[0].q) and np.array_equal(end.tau, ends[0].tau)
    assert np.array_equal(ends[0].tau, np.tile(tau, (101, 1)))


def test_sampled_torques_are_linear_between_rows():
    dyn = kd.Dynamics(slider('1 0 0'))
    t = np.arange(11) * 0.1
    found = kd.simulate(dyn, [0.0], [0.0], 6.0 * t[:, None], duration=1.0, dt=0.1)
    assert found.q[:, 0] == pytest.approx(6.0 * t**3 / 6.0 / 2.0, abs=1e-12)   # F t^3 / (6 m)


def test_torque_functions_may_keep_what_they_get(arm):
    kept = []

    def torque(t, q, qd):
        kept.append((t, q, qd))
        q[:] = 7.0
        return np.zeros(6)
    found = kd.simulate(arm, np.zeros(6), np.ones(6), torque, duration=0.01, dt=1e-3)
    assert np.isfinite(found.q).all() and abs(found.q).max() < 1.0
    assert len({id(q) for _, q, _ in kept}) == len(kept)


def test_events_are_found_where_they_happen():
    dyn = kd.Dynamics(pendulum())

    def bottom(t, q, qd):
        return q[0]

    def falling(t, q, qd):
        return q[0]
    falling.direction = -1

    def turn(t, q, qd):
        return qd[0]
    turn.direction = -1
    period = 4.0 * ellipk(np.sin(0.5)**2) / OMEGA
    for method in METHODS:
        found = kd.simulate(dyn, [1.0], [0.0], duration=3.0, dt=0.01, method=method, rtol=1e-9,
                            events=[bottom, falling, turn])
        times = {k: [event.t for event in found.events if event.index == k] for k in range(3)}
        tolerance = {'semi_implicit': 0.02, 'midpoint': 1e-3,
                     'generalized_alpha': 1e-3}.get(method, 1e-7)
        assert times[0] == pytest.approx(np.arange(0.25, 3.0 / period, 0.5) * period,
                                         abs=tolerance)
        assert times[1] == times[0][::2]
        assert times[2] == pytest.approx(np.arange(1, int(3.0 / period) + 1) * period,
                                         abs=tolerance)
        assert found.ended_by is None


@pytest.mark.parametrize('method', METHODS)
def test_terminal_event_ends_the_motion_there(method):
    def bottom(t, q, qd):
        return q[0]
    bottom.terminal = True
    found = kd.simulate(kd.Dynamics(pendulum()), [1.0], [0.0], duration=3.0, dt=0.01,
                        method=method, events=[bottom])
    assert found.ended_by == 0 and len(found.events) == 1
    assert found.t[-1] == found.events[0].t < 1.0
    assert abs(found.q[-1, 0]) < 1e-10
    assert (np.diff(found.t) > 0.0).all()


def test_solution_cannot_be_changed_and_the_same_call_gives_the_same_bits(arm):
    q0, qd0 = random_state(arm.robot, np.random.default_rng(4))
    for method in METHODS:
        one, two = (kd.simulate(arm, q0, qd0, duration=0.05, dt=1e-3, method=method)
                    for _ in range(2))
        for name in ('t', 'q', 'qd', 'tau', 'work'):
            assert np.array_equal(getattr(one, name), getattr(two, name))
            with pytest.raises(ValueError, match='read-only'):
                getattr(one, name)[0] = 1.0
        with pytest.raises(AttributeError):
            one.q = None


def test_duration_that_is_no_multiple_of_dt_ends_with_a_shorter_step():
    found = kd.simulate(kd.Dynamics(pendulum()), [1.0], [0.0], duration=0.0257, dt=0.01)
    assert found.t == pytest.approx([0.0, 0.01, 0.02, 0.0257])
    assert found.q[-1, 0] == pytest.approx(swing(0.0257, 1.0), abs=1e-9)


def test_python_backend_gives_the_same_motion():
    robot = double_pendulum()
    ends = [kd.simulate(kd.Dynamics(robot, backend=backend), [1.0, 0.5], [0.0, 0.0],
                        duration=0.2, dt=1e-3).q[-1] for backend in ('auto', 'python')]
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)    # libm and LLVM round sin differently


# -- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(('change', 'words'), [
    ({'method': 'euler'}, "'euler' is unknown; there are .*'rk4'.*'Radau'"),
    ({'dt': None}, "'rk4' steps by dt .*'kutta_merson'"),
    ({'dt': 0.0}, 'dt must be a positive number'), ({'dt': 2.0}, 'longer than the duration'),
    ({'dt': 1e-12}, 'dt is in seconds'), ({'duration': -1.0}, 'duration must be a positive'),
    ({'duration': 'long'}, 'duration must be a positive'), ({'rtol': 0.0}, 'rtol must be'),
    ({'q0': [0.0]}, r'q0 has shape \(1,\), expected \(2,\)'),
    ({'qd0': [0.0, np.nan]}, 'qd0 must be finite'), ({'qd0': 'rest'}, 'qd0 must be 2 numbers'),
    ({'torque': [1.0]}, r'torque has shape \(1,\); expected \(2,\) for a constant, or \(11, 2\)'),
    ({'torque': [1.0, np.inf]}, 'torque must be finite'),
    ({'torque': 'none'}, 'torque must be None, a function'),
    ({'torque': lambda t, q, qd: 1.0}, r'must return shape \(2,\), got \(\) at t = 0 s'),
    ({'torque': lambda t, q, qd: None}, 'must return'),
    ({'torque': lambda t, q, qd: [0.0, np.nan]}, 'the state is not finite at t = 0.01 s'),
    ({'torque': np.zeros((5, 2)), 'dt': None, 'method': 'DOP853'}, 'sampled torques need dt'),
    ({'stops': 3.0}, 'stops must be True or Stops'),
    ({'friction': 'dry'}, 'needs a Dynamics with friction'),
    ({'friction': 'wet'}, "'wet' is unknown"), ({'events': ['bump']}, 'an event is a function'),
    ({'events': [lambda t, q, qd: 'x']}, r'events\[0\].* must return a number'),
    ({'stops': True, 'q0': [3.5, 0.0]}, "joint 'one' starts at 3.5, beyond its stops"),
    ({'stops': kd.Stops([0.0], [1.0])}, 'stops are for 1 joints'),
])
def test_a_mistake_is_named(change, words):
    call = {'q0': [0.1, 0.2], 'qd0': [0.0, 0.0], 'duration': 0.1, 'dt': 0.01, **change}
    with pytest.raises(kd.KaneDynamicsError, match=words):
        kd.simulate(kd.Dynamics(double_pendulum(), backend='python'), **call)


def test_what_is_no_dynamics_and_what_is_no_quaternion_is_refused():
    with pytest.raises(kd.InputError, match='needs a Dynamics, got Robot'):
        kd.simulate(pendulum(), [0.0], [0.0], duration=1.0, dt=0.1)
    dyn = kd.Dynamics(tumbling_body(), backend='python')
    with pytest.raises(kd.InputError, match='length 1, got 0'):
        kd.simulate(dyn, np.zeros(7), np.zeros(6), duration=1.0, dt=0.1)


def test_kutta_merson_says_where_it_gave_up():
    def pole(t, q, qd):
        return [1.0 / abs(0.5 - t)**3 if t != 0.5 else np.inf]      # no motion gets past t = 0.5
    with pytest.raises(kd.KaneDynamicsError, match='kutta_merson: the step shrank.*Radau'):
        kd.simulate(kd.Dynamics(pendulum()), [0.6], [0.0], pole, duration=1.0,
                    method='kutta_merson')


# -- the progress bar ---------------------------------------------------------------------------


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


def test_progress_is_drawn_on_a_terminal_after_a_second_when_asked_and_never_else():
    times = iter(np.arange(0.0, 100.0, 0.6))
    stream = Terminal()
    with Progress(10.0, 'work', None, stream, lambda: next(times), beat=False) as bar:
        bar.reach(1.0)
        assert stream.getvalue() == ''                     # 0.6 s: too early
        bar.reach(5.0)
        assert '50 %' in stream.getvalue() and '1 s left' in stream.getvalue()
        bar.reach(10.0)
    assert stream.getvalue().endswith('\r\x1b[K') and '100 %' in stream.getvalue()   # erased
    for stream, show in ((io.StringIO(), None), (Terminal(), False)):
        with Progress(1.0, 'work', show, stream, lambda: next(times)) as bar:
            bar.reach(0.5)
        assert stream.getvalue() == ''


def test_progress_goes_on_while_the_work_reports_nothing():
    for total, words in ((10.0, 'work ['), (None, 'work ... 2 s')):
        stream, drawn = Terminal(), threading.Event()
        stream.flush = drawn.set
        with Progress(total, 'work', True, stream, lambda times=iter([0.0]): next(times, 2.0)):
            assert drawn.wait(60.0)
        assert words in stream.getvalue() and stream.getvalue().endswith('\r\x1b[K')


def test_simulate_draws_when_asked(capsys):
    kd.simulate(kd.Dynamics(pendulum(), backend='python'), [1.0], [0.0], duration=0.05, dt=0.01,
                progress=True)
    shown = capsys.readouterr()
    assert 'simulate pendulum [' in shown.err and '100 %' in shown.err and shown.out == ''
    kd.simulate(kd.Dynamics(pendulum(), backend='python'), [1.0], [0.0], duration=0.05, dt=0.01)
    assert capsys.readouterr().err == ''


def test_runge_kutta_rules_satisfy_the_order_conditions():
    for rule in (RK4, KUTTA_MERSON):
        c, b = np.array(rule.nodes), np.array(rule.weights)
        A = np.zeros((len(c), len(c)))
        for k, row in enumerate(rule.stages, start=1):
            A[k, :k] = row
        assert A.sum(axis=1) == pytest.approx(c, abs=1e-15)
        # the eight trees of order up to 4 (Hairer, Norsett and Wanner 1993, II.2)
        for value, wanted in ((b.sum(), 1), (b @ c, 1 / 2), (b @ c**2, 1 / 3), (b @ A @ c, 1 / 6),
                              (b @ c**3, 1 / 4), (b @ (c * (A @ c)), 1 / 8),
                              (b @ A @ c**2, 1 / 12), (b @ A @ A @ c, 1 / 24)):
            assert value == pytest.approx(wanted, abs=1e-15)
