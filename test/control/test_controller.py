# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The controller of the feedforward node without ROS: its phases, ramps, limits and models."""

import math
from pathlib import Path
import time

import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.control.controller import Controller, RUNNING
from kane_dynamics.control.phase import Fault, Known, Phase
from kane_dynamics.control.torque_model import split_joints, TorqueModel
from kane_dynamics.control.torque_output import TorqueOutput
from kane_dynamics.exceptions import InputError
from kane_dynamics.trajectory.goal.acceptance import ArmState
from kane_dynamics.trajectory.goal.goal import TrajectoryGoal
from kane_dynamics.trajectory.goal.tolerances import Tolerances
from kane_dynamics.trajectory.trajectory import Trajectory

URDF = Path(__file__).resolve().parents[2] / 'urdf' / 'two_link.urdf'
ROBOT = kd.load_urdf(str(URDF))
DYNAMICS = kd.Dynamics(ROBOT, parametric=True)
HOME = np.array([0.3, 0.4])
DT = 0.01


def gravity(q, tip=0.0):
    """Return the closed form for two rods and a point mass [kg] at the tip."""
    g, first, second = 9.81, math.cos(q[0]), math.cos(q[0] + q[1])
    elbow = (1.2 * 0.2 + tip * 0.4) * g * second
    return np.array([(2.0 * 0.25 + 1.2 * 0.5 + tip * 0.5) * g * first + elbow, elbow])


def model(tip=0.0):
    dynamics = DYNAMICS.with_payload(tip, (0.0, 0.0, 0.0), link='tool0') if tip else DYNAMICS
    return TorqueModel(dynamics, ROBOT.joint_names, {})


class Rig:
    """A controller and its time."""

    def __init__(self, **settings):
        self.controller = Controller(ROBOT.joint_names, model(), **settings)
        self.controller.ramp_time = 0.1
        self.controller.law.set_feedback('pd', 50.0, 5.0)
        self.t = 0.0

    def step(self, q=HOME, qd=(0.0, 0.0), fresh=True):
        self.t += DT
        self.controller.law.measured[:] = q, qd
        return self.controller.cycle(self.t, Known.of(fresh, fresh))

    def run(self, seconds, q=HOME, fresh=True):
        for _ in range(round(seconds / DT)):
            self.step(q, fresh=fresh)
        return self.controller.tau.copy()


def test_whatever_happens_torque_never_steps_and_is_always_finite():
    # Orders, faults, modes and lost states at random; targets stay below 40 N m.
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rig = Rig(limit=40.0)
        controller = rig.controller
        controller.fault_hold_time = controller.zero_ramp_time = 0.2
        controller.restart(enabled=True)
        last, fresh, q = np.zeros(2), True, HOME
        for _ in range(600):
            event = rng.integers(60)
            if event == 0:
                controller.disable()
            elif event in (1, 2):
                try:
                    controller.enable(Known.of(fresh, fresh))
                except InputError:
                    assert not fresh
            elif event == 3:
                try:
                    controller.set_mode(
                        rng.choice(['feedforward', 'computed_torque', 'gravity', 'hold']),
                        Known.of(fresh, fresh))
                except InputError:
                    assert not fresh
            elif event == 4:
                controller.fail(Fault.CLOCK_JUMP, 'test')
            elif event in (5, 6, 7):
                fresh = not fresh
            gives = rig.step(q, fresh=fresh)
            tau = controller.tau
            assert np.isfinite(tau).all()
            if gives:
                # a ramp takes ten cycles, from within +-40 to within +-40
                assert np.abs(tau - last).max() <= 80.0 * DT / 0.1 + 1e-9
                last = tau.copy()
        controller.enable(Known.VELOCITY)
        assert np.allclose(rig.run(1.0), gravity(HOME), atol=1e-9)


def cancelled(rig):
    rig.controller.hold_position()


def left_behind(rig):
    rig.controller.watch.set_defaults(Tolerances.of(ROBOT.joint_names, trajectory=0.05))


def timed_out(rig):
    rig.run(1.0)
    rig.controller.watch.set_defaults(Tolerances.of(ROBOT.joint_names), cmd_timeout=1e-3)


@pytest.mark.parametrize('order', [cancelled, left_behind, timed_out])
def test_giving_up_a_trajectory_far_from_the_arm_is_a_ramp(order):
    rig = Rig()
    rig.controller.mode = 'computed_torque'
    rig.controller.restart(enabled=True)
    rig.run(0.2)
    rig.controller.follow(Trajectory(ROBOT.joint_names, [0.0, 1.0], [HOME + 0.4] * 2,
                                     start=rig.t))
    before = rig.run(0.01)              # p 50: 20 N m off
    order(rig)
    steps = np.diff([before, *(rig.run(0.01) for _ in range(12))], axis=0)
    total = gravity(HOME) - before
    assert np.abs(total).min() > 15.0
    assert np.allclose(steps[:10], 0.1 * total, atol=1e-9)      # ramp_time is ten cycles
    assert np.allclose(steps[10:], 0.0, atol=1e-9)


def test_feedback_acts_from_the_first_moment_of_a_ramp():
    rig = Rig()
    rig.controller.ramp_time = 10.0
    rig.controller.mode = 'computed_torque'
    rig.controller.restart(enabled=True)
    rig.step()
    rig.step()
    rig.step(HOME + 0.1)                # p 50: 5 N m against it, not a thousandth of that
    expected = gravity(HOME) * 2 * DT / 10.0 - 5.0
    assert np.allclose(rig.controller.tau, expected, atol=1e-9)


def test_a_limit_below_the_present_torque_is_reached_by_a_ramp():
    output = TorqueOutput(('a', 'b'), [50.0, 50.0], [np.inf, np.inf])
    output.give(np.array([20.0, -4.0]), DT)
    output.start_ramp(10 * DT)
    output.set_limits([5.0, 5.0], [np.inf, np.inf])
    given = []
    for k in range(12):
        output.give(np.array([20.0 + 0.1 * k, -4.0]), DT)
        given.append(output.tau.copy())
    assert np.allclose(np.diff(given, axis=0)[:9, 0], -1.5, atol=1e-12)     # 15 in ten cycles
    assert np.array_equal(given[-1], [5.0, -4.0])


def test_nothing_is_given_before_it_is_enabled_and_ready():
    rig = Rig()
    assert not rig.step() and rig.controller.phase is Phase.IDLE
    rig.controller.enable(Known.VELOCITY)
    assert not rig.step(fresh=False) and rig.controller.phase is Phase.WAITING
    assert rig.step() and rig.controller.phase is Phase.RUNNING
    assert np.array_equal(rig.controller.tau, [0.0, 0.0])       # the ramp begins here
    rig.step()
    assert np.allclose(rig.controller.tau, 0.1 * gravity(HOME), atol=1e-9)


def test_an_open_loop_mode_works_without_any_state():
    rig = Rig()
    rig.controller.restart(enabled=True)
    rig.step(fresh=False)
    rig.controller.follow(Trajectory(ROBOT.joint_names, [0.0, 1.0], [HOME, HOME + 0.5]))
    rig.run(2.0, fresh=False)
    assert np.allclose(rig.controller.tau, gravity(HOME + 0.5), atol=1e-9)
    rig.controller.disable()        # the reference is all that is known: it is held, for good
    rig.run(5.0, fresh=False)
    assert np.allclose(rig.controller.tau, gravity(HOME + 0.5), atol=1e-9)


def test_a_mode_with_feedback_is_taken_up_only_with_all_that_it_needs():
    rig = Rig()
    controller = rig.controller
    controller.mode = 'computed_torque'             # d is 5: velocities are needed
    controller.restart(enabled=True)
    rig.run(0.2)
    controller.disable()
    for known, words in ((Known.NOTHING, 'fresh joint_states'), (Known.POSITION, 'velocities')):
        with pytest.raises(InputError, match=words):
            controller.enable(known)
        assert controller.phase is Phase.DISABLED
    controller.set_mode('gravity', Known.NOTHING)   # of a hold, it is only what comes next
    controller.enable(Known.POSITION)
    assert controller.phase is RUNNING
    with pytest.raises(InputError, match='velocities'):
        controller.set_mode('hold', Known.POSITION)
    assert controller.mode == 'gravity'


def test_a_trajectory_is_not_followed_late():
    # not one that was sent before the arm is known, nor one during whose reading a fault came
    pytest.importorskip('rclpy', reason='rclpy is not installed: Goals translates messages')
    from kane_dynamics.nodes.feedforward.arm_setup import FeedforwardSetup
    from kane_dynamics.nodes.feedforward.goals import Goals
    from kane_dynamics.nodes.feedforward.settings import FeedforwardSettings
    rig = Rig(limit=1.0)
    controller = rig.controller
    controller.mode = 'computed_torque'
    controller.restart(enabled=True)
    goals = Goals(controller, FeedforwardSetup(ROBOT, FeedforwardSettings()),
                  log=lambda level, text: controller.fail(Fault.CLOCK_JUMP, 'meanwhile'))
    goal = TrajectoryGoal(ROBOT.joint_names, [1.0], [HOME + 0.3])
    with pytest.raises(InputError, match='no fresh joint_states yet'), goals.counted():
        goals.take(goal, rig.t, ArmState(HOME))
    rig.run(0.2)
    with pytest.raises(InputError, match='meanwhile'), goals.counted():
        goals.take(goal, rig.t, ArmState(HOME))             # its warning of the limit is the fault
    assert goals.refused == 2 and controller.trajectory is None
    with pytest.raises(InputError, match='not enough memory'), goals.counted():
        raise MemoryError
    assert goals.refused == 3 and 'not enough memory' in goals.last_refusal
    controller.enable(Known.VELOCITY)
    rig.run(2.0)
    assert np.array_equal(controller.law.r_q, HOME)


def test_a_mode_with_feedback_that_is_enabled_with_a_state_runs_at_once():
    rig = Rig()
    rig.controller.mode = 'computed_torque'
    rig.step()
    assert rig.controller.enable(Known.VELOCITY) == RUNNING.value
    rig.controller.follow(Trajectory(ROBOT.joint_names, [0.0], [HOME]))


def test_a_closed_loop_mode_is_not_taken_up_without_a_state():
    rig = Rig()
    rig.controller.restart(enabled=True)
    rig.controller.follow(Trajectory(ROBOT.joint_names, [0.0], [HOME]))
    rig.run(0.2, fresh=False)
    with pytest.raises(InputError, match="'gravity' needs fresh joint_states"):
        rig.controller.set_mode('gravity', Known.NOTHING)


def test_with_a_lead_time_the_torque_is_of_a_later_reference_and_the_error_of_now():
    rig = Rig(lead_time=0.03)
    controller = rig.controller
    controller.ramp_time, controller.mode = 0.0, 'computed_torque'
    motion = Trajectory(ROBOT.joint_names, [0.0, 1.0, 2.0], [HOME, HOME + 0.5, HOME],
                        efforts=[[0.0, 0.0], [3.0, 6.0], [0.0, 0.0]])
    controller.restart(enabled=True)
    rig.step()
    controller.follow(motion)
    rig.run(0.4, q=HOME + 0.1)
    q, qd, qdd = motion.sample(rig.t)[:3]
    expected = (model().evaluate_many(*(row[None] for row in motion.sample(rig.t + 0.03)[:3]))[0]
                + 50.0 * (q - HOME - 0.1) + 5.0 * qd + (rig.t + 0.03) * np.array([3.0, 6.0]))
    assert controller.tau == pytest.approx(expected, rel=1e-12)
    assert controller.law.r_q == pytest.approx(q, abs=1e-15)
    moved = model().evaluate_many(q[None], qd[None], qdd[None])[0]
    assert abs(expected - moved).max() > 0.1    # what is tested can be seen


def test_a_second_change_of_model_waits_for_the_first_and_the_last_one_counts():
    rig = Rig()
    controller = rig.controller
    controller.transition_time = 0.2
    controller.restart(enabled=True)
    rig.run(0.3)
    for tip in (1.0, 2.0, 3.0):
        controller.set_model(model(tip))
    half = rig.run(0.1)
    assert np.allclose(half, 0.5 * (gravity(HOME) + gravity(HOME, 1.0)), atol=1e-9)
    rig.run(0.2)
    half = controller.tau.copy()
    assert np.allclose(half, 0.5 * (gravity(HOME, 1.0) + gravity(HOME, 3.0)), atol=1e-9)
    assert np.allclose(rig.run(0.2), gravity(HOME, 3.0), atol=1e-9)


def test_ramping_down_keeps_to_the_rate_and_ends_at_gravity():
    rig = Rig(rate=60.0)
    rig.controller.restart(enabled=True)
    rig.run(1.0)
    rig.controller.follow(Trajectory(ROBOT.joint_names, [0.0], [HOME + 1.0]))
    rig.run(0.1)
    given = [rig.controller.tau.copy()]
    for _ in rig.controller.ramp_down(DT):
        given.append(rig.controller.tau.copy())
    assert np.allclose(given[-1], gravity(HOME), atol=1e-6)
    assert np.abs(np.diff(given, axis=0)).max() <= 60.0 * DT + 1e-12


def test_ramping_down_goes_on_to_zero_where_the_pose_was_given_up():
    rig = Rig()
    controller = rig.controller
    controller.mode = 'gravity'
    controller.fault_hold_time, controller.zero_ramp_time = 0.1, 1.0
    controller.restart(enabled=True)
    rig.run(0.2)
    while controller.phase is not Phase.ZERO:
        rig.step(fresh=False)
    rig.run(0.5, fresh=False)
    assert controller.tau[0] > 0.4 * gravity(HOME)[0]           # halfway
    given = [controller.tau.copy() for _ in controller.ramp_down(DT)]
    assert 45 <= len(given) <= 55 and np.array_equal(given[-1], [0.0, 0.0])


def test_time_that_jumps_does_not_rush_a_ramp():
    rig = Rig()
    rig.controller.ramp_time = 1.0
    rig.controller.restart(enabled=True)
    rig.step()
    rig.t += 100.0
    rig.step()
    assert np.allclose(rig.controller.tau, 0.1 * gravity(HOME), atol=1e-9)   # LONGEST_STEP
    rig.t -= 200.0
    rig.step()
    assert np.allclose(rig.controller.tau, 0.1 * gravity(HOME), atol=1e-9)


def test_limits_are_counted_joint_by_joint():
    output = TorqueOutput(('a', 'b'), [1.0, np.inf], [np.inf, 10.0])
    output.give(np.array([3.0, 5.0]), DT)
    assert output.tau.tolist() == [1.0, 10.0 * DT]
    assert output.saturated.tolist() == [1, 0] and output.rate_limited.tolist() == [0, 1]
    assert not output.give(np.array([np.nan, 0.0]), DT)
    assert output.tau.tolist() == [1.0, 10.0 * DT] and output.not_finite == 1


def test_locked_joints_are_held_in_the_model():
    active, locked = split_joints(ROBOT, ('elbow',), ('shoulder',), (0.3,))
    arm = TorqueModel(DYNAMICS, active, locked)
    q, tau = np.array([0.4]), np.zeros(1)
    arm.bound_gravity(q, tau)()
    assert np.allclose(tau, gravity([0.3, 0.4])[1:], atol=1e-12)
    many = arm.evaluate_many(q[None], np.zeros((1, 1)), np.zeros((1, 1)))
    assert np.allclose(many, tau, atol=1e-12)


@pytest.fixture
def node():
    """Give a Feedforward node of this process that holds the arm at HOME."""
    rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')
    from kane_dynamics.nodes.feedforward.node import Feedforward
    context = rclpy.Context()
    rclpy.init(context=context)
    overrides = [rclpy.Parameter(name, value=value) for name, value in {
        'robot_description_file': str(URDF), 'autostart': False, 'update_rate': 200.0,
        'mode': 'computed_torque', 'state_timeout': 60.0, 'ramp_time': 0.0,
        'model_check.samples': 0}.items()]
    node = Feedforward(context=context, parameter_overrides=overrides)
    try:
        node.trigger_configure()
        node.trigger_activate()
        node._on_joint_state(state_at_home())
        wait_for(lambda: np.allclose(node.controller.tau, gravity(HOME), atol=1e-9))
        yield node
        cycles = node.loop.statistics.cycles
        wait_for(lambda: node.loop.statistics.cycles > cycles + 5)
        assert np.allclose(node.controller.tau, gravity(HOME), atol=1e-9)
    finally:
        node.trigger_deactivate()
        node.destroy_node()
        rclpy.shutdown(context=context)


def state_at_home():
    from sensor_msgs.msg import JointState
    return JointState(name=list(ROBOT.joint_names), position=HOME.tolist(), velocity=[0.0, 0.0])


def broken(*_):
    raise RuntimeError('broken part')


@pytest.mark.ros
def test_an_exception_in_a_cycle_holds_the_arm_and_the_loop_goes_on(node):
    node.controller.law.compute = broken
    wait_for(lambda: node.controller.phase is Phase.FAULT)
    assert 'broken part' in node.controller.fault_text


@pytest.mark.ros
def test_an_exception_while_a_state_is_taken_holds_the_arm_and_is_reported(node):
    from kane_dynamics.nodes.common.diagnostics import ERROR, Report
    take, node.buffer.update = node.buffer.update, broken
    node._on_joint_state(state_at_home())           # does not raise
    assert node.controller.phase is Phase.FAULT
    assert node.controller.fault is Fault.STATE_FAILED
    assert 'broken part' in node.controller.fault_text
    for part, words in (('Joint states', 'could not be processed'), ('Torque', 'broken part')):
        report = Report()
        node.diagnostics._parts[part](report)
        assert report.level == ERROR and any(words in each for each in report.messages)
    node.buffer.update = take
    node._on_joint_state(state_at_home())
    assert node.controller.enable(node.known()) == Phase.RUNNING.value


def wait_for(condition, seconds=30.0):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)
