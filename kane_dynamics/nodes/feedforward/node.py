# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Feedforward node: trajectories and joint states in, torques out at a fixed rate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
import time
import traceback
from typing import Any, TYPE_CHECKING

import numpy as np
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory

from kane_dynamics.control.controller import Controller
from kane_dynamics.control.phase import Fault, Known, VELOCITY
from kane_dynamics.control.stall_grace import StallGrace
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.io.text import clean, TRACE
from kane_dynamics.nodes.common import qos
from kane_dynamics.nodes.common.arm import Arm
from kane_dynamics.nodes.common.clocked_loop import ClockWatch, Loop, make_loop, uses_sim_time
from kane_dynamics.nodes.common.description import Source
from kane_dynamics.nodes.common.loop_statistics import LoopStatistics
from kane_dynamics.nodes.common.managed_node import ManagedNode
from kane_dynamics.nodes.common.polled_subscription import Listener, Polled
from kane_dynamics.nodes.common.process import freeze_garbage, run
from kane_dynamics.nodes.common.state_buffer import NEVER, StateBuffer
from kane_dynamics.nodes.feedforward import follow_action
from kane_dynamics.nodes.feedforward.arm_setup import (
    FeedforwardSetup, same_gains, same_loop, same_model)
from kane_dynamics.nodes.feedforward.cycle_messages import CycleMessages
from kane_dynamics.nodes.feedforward.elastic_output import ElasticOutput
from kane_dynamics.nodes.feedforward.goals import AcceptedGoal, AskedTolerances, Goals
from kane_dynamics.nodes.feedforward.reports import FeedforwardReports
from kane_dynamics.nodes.feedforward.settings import FeedforwardSettings, SCHEMA
from kane_dynamics.nodes.messages.conversions import nanoseconds, seconds_since
from kane_dynamics.nodes.messages.trajectory_cdr import decode
from kane_dynamics.trajectory.goal.acceptance import ArmState

if TYPE_CHECKING:
    from kane_dynamics.trajectory.goal.goal import TrajectoryGoal
    from kane_dynamics.trajectory.trajectory import Trajectory

LAST_RAMP = 0.02    # [s]: longest period of the final ramp; slow loops ramp in finer steps


class Feedforward(ManagedNode[FeedforwardSettings]):
    """The ROS interface of a Controller."""

    # while configured
    setup: FeedforwardSetup
    buffer: StateBuffer
    controller: Controller
    goals: Goals
    elastic: ElasticOutput | None
    _dynamics: Dynamics
    # while active
    sim_time: bool
    loop: Loop
    _stall_grace: StallGrace | None

    def __init__(self, name: str = 'feedforward', **kwargs: Any) -> None:
        super().__init__(name, SCHEMA, **kwargs)
        override = {'qos_overriding_options': qos.overridable()}
        self.messages = CycleMessages(self, override)
        self._trajectory_publisher = self.create_lifecycle_publisher(
            JointTrajectory, '~/joint_trajectory_with_effort', qos.RELIABLE, **override)
        self.create_subscription(JointTrajectory, '~/joint_trajectory', self._on_trajectory,
                                 qos.RELIABLE, raw=True, **override)
        group = Polled()
        group.polled = False        # unless active on wall time
        self._states = self.create_subscription(
            JointState, 'joint_states', self._on_joint_state, qos.STATE_IN, callback_group=group,
            **override)
        self._listener: Listener | None = None
        self.epoch = 0              # [ns] of the times of trajectories, since `activate`
        self.create_service(SetBool, '~/enable', self._on_enable, qos_profile=qos.SERVICE)
        self._action = follow_action.make(self)
        self._filler = ThreadPoolExecutor(max_workers=1, thread_name_prefix='effort')
        FeedforwardReports(self)

    # -- lifecycle -----------------------------------------------------------------------------

    def configure(self, source: Source) -> None:
        """Load the arm, compile its dynamics and compare them with Pinocchio."""
        settings = self.settings
        arm = Arm.load(source, settings.calibration_file, settings.message_limits,
                       rigid=settings.elastic == 'rigid')
        self.setup = setup = FeedforwardSetup(arm.robot, settings, arm.calibration)
        self.robot, self.joints = arm.robot, setup.command_joints
        self.parameters.check_lengths(len(setup.active))
        self._dynamics = Dynamics(self.robot, parametric=True)
        self.check = arm.check(self._dynamics, settings.model_check, self.get_logger())
        model = setup.torque_model(self._dynamics)
        self.buffer = StateBuffer(setup.active, settings.message_limits)
        controller = Controller(setup.active, model, setup.continuous,
                                lead_time=settings.lead_time, read_state=self.buffer.read,
                                log=self.log)
        setup.apply(controller)
        controller.mode = settings.mode
        self.goals = Goals(controller, setup, self.log)
        self.goals.rehearse()
        setup.check_gains(model, self.log)
        setup.warn_without_feedback(self.log)
        self.elastic = None
        if self.robot.n_modes:
            self.elastic = ElasticOutput(controller, self._dynamics, settings.tip_link, self.log)
            self.elastic.introduce()
        self.messages.connect(controller, setup, self.elastic)
        self.controller, self.configured = controller, True
        self.diagnostics.hardware_id = self.robot.name
        self.get_logger().info(setup.describe())

    def activate(self) -> None:
        """Start the loop; with `trigger: joint_states` it is only a watchdog."""
        settings = self.settings
        self.sim_time = uses_sim_time(self)
        self.epoch = 0 if self.sim_time else time.time_ns()
        self._last_arrival, self._last_oldest = 0, NEVER
        self.buffer.forget()
        self.controller.restart(settings.enable_on_activate)
        freeze_garbage()
        self._on_arrival = settings.trigger == 'joint_states'
        self._arrivals = LoopStatistics(1.0 / settings.update_rate)
        self.loop = make_loop(
            self, settings.update_rate, self._watch if self._on_arrival else self._step,
            settings.realtime_priority, self._on_cycle_error, settings.clock_jump_threshold)
        self._clock_watch = ClockWatch(self, settings.clock_jump_threshold, self._jumped)
        self._stall_grace = None
        self.active = True
        self.loop.start()
        # on simulated time the executor serves /clock and states in one order: runs repeat
        if not self.sim_time:
            self._stall_grace = StallGrace(self.loop.period)
            self._listener = Listener(self, self._states, settings.realtime_priority)
            self._listener.start()

    def deactivate(self) -> None:
        """Stop the loop and ramp the torque to a gravity hold."""
        if self._listener is not None:
            self._listener.stop()
            self._listener = None
        self.loop.stop()
        self._clock_watch.end()
        period = min(self.loop.period, LAST_RAMP)
        for _ in self.controller.ramp_down(period):
            self.messages.publish(self.messages.at(self.now()))
            time.sleep(period)
        self.active = False

    def cleanup(self) -> None:
        """Release the arm."""
        self.configured = False
        self.parameters.n_joints = None

    def change_settings(self, settings: FeedforwardSettings) -> None:
        """Apply changes of run-time parameters."""
        old, setup, model = self.settings, self.setup.changed(settings), None
        if not same_model(old, settings):
            model = setup.torque_model(self._dynamics)      # first: may be refused
        if not same_loop(old, settings):
            # changes of the arm itself are never refused because of the gains
            setup.check_gains(model or self.controller.target_model, self.log,
                              refuse=not same_gains(old, settings))
        self.controller.set_mode(settings.mode, self.known() if self.active else Known.NOTHING)
        setup.apply(self.controller)
        if model is not None:
            self.controller.set_model(model)
        if (old.mode, old.gains.p) != (settings.mode, settings.gains.p):
            setup.warn_without_feedback(self.log)
        self.setup = self.goals.setup = setup

    @property
    def statistics(self) -> LoopStatistics:
        """Return the LoopStatistics of the control cycles."""
        return self._arrivals if self._on_arrival else self.loop.statistics

    # -- time and state ------------------------------------------------------------------------

    def now(self) -> int:
        """Return the node's time [ns]."""
        return self.get_clock().now().nanoseconds if self.sim_time else time.time_ns()

    def known(self, now: int | None = None) -> Known:
        """Return which measurements of all joints are fresh."""
        now = self.now() if now is None else now
        timeout = self.settings.state_timeout * 1e9
        oldest = self.buffer.oldest
        return Known.of(abs(now - oldest['position']) <= timeout,
                        abs(now - oldest['velocity']) <= timeout)

    def measured(self) -> ArmState | None:
        """Return the ArmState, None if it is stale."""
        known = self.known()
        if not known:
            return None
        state = np.zeros((2, len(self.buffer.joint_names)))
        self.buffer.read(state)
        return ArmState(state[0], state[1] if known is VELOCITY else None)

    def _jumped(self, ns: int) -> None:
        """Discard the states from before a clock jump of ns [ns], and hold."""
        self.buffer.forget()
        self._last_oldest = NEVER
        self.controller.fail(Fault.CLOCK_JUMP, f'by {ns * 1e-9:+.3f} s')

    # -- cycles --------------------------------------------------------------------------------

    def _step(self, now: int, stamp: int | None = None) -> float:
        """Compute and publish at `now` [ns] for the instant `stamp` [ns] of a state, if given."""
        began = time.perf_counter()
        controller = self.controller
        with controller.lock:
            self._clock_watch.look()
            stamp = now if stamp is None else stamp
            known = self.known(now)
            late = (controller.needs_state and self._stall_grace is not None
                    and self._stall_grace.excuses(time.monotonic_ns(), known is VELOCITY))
            if late or not controller.cycle(seconds_since(self.epoch, stamp), known):
                return time.perf_counter() - began
            messages = self.messages.at(stamp)
            took = time.perf_counter() - began
            self.messages.publish(messages)
        return took

    def _watch(self, now: int) -> float:
        """Run a cycle if joint_states are overdue."""
        if self._stall_grace is not None:
            self._stall_grace.note(time.monotonic_ns())
        # abs: a clock that was set back must not silence the watchdog
        if abs(now - self._last_arrival) > self.settings.state_timeout * 1e9:
            return self._step(now)
        return 0.0

    def _on_cycle_error(self, error: Exception) -> None:
        self.controller.fail(Fault.CYCLE_FAILED, f'{type(error).__name__}: {error}')

    # -- messages in ---------------------------------------------------------------------------

    def _on_joint_state(self, message: Any) -> None:
        if not self.active:
            return
        try:
            self._take_state(message)
        except InputError as error:
            self.get_logger().error(clean(error), throttle_duration_sec=1.0)
        except Exception as error:      # a failure must not go unnoticed
            self.buffer.failed += 1
            self.controller.fail(Fault.STATE_FAILED, f'{type(error).__name__}: {error}')
            trace = clean(traceback.format_exc(), TRACE, lines=True)
            self.get_logger().error(f'joint_states: {trace}', throttle_duration_sec=1.0)

    def _take_state(self, message: Any) -> None:
        """Merge a JointState; with `trigger: joint_states`, run a cycle."""
        now = self.now()
        horizon = int(self.settings.state_timeout * 1e9)
        updated = self.buffer.update(message, now, horizon)
        oldest = self.buffer.oldest['position']
        if updated and self._on_arrival and oldest > self._last_oldest:
            # every joint has a new state: one cycle, for its instant
            self._last_arrival, self._last_oldest = now, oldest
            began = time.perf_counter()
            try:
                took = self._step(now, nanoseconds(message.header.stamp) or None)
                self._arrivals.note(began, took)
            except Exception as error:
                self._on_cycle_error(error)

    def _on_trajectory(self, data: bytes) -> None:
        try:
            self.take_goal(lambda: decode(data, self.epoch,
                                          self.settings.message_limits.check_trajectory))
        except KaneDynamicsError as error:
            self.get_logger().error(clean(error), throttle_duration_sec=1.0)

    def take_goal(self, read: Callable[[], TrajectoryGoal],
                  asked: AskedTolerances | None = None) -> AcceptedGoal:
        """Follow the TrajectoryGoal that read() returns, and publish it with effort; or raise."""
        if not self.active:
            raise InputError(f'trajectory refused: the node is {self.state}')
        with self.goals.counted():
            goal = read()
            self.settings.message_limits.check_trajectory(goal.joint_names, len(goal.times))
            now = seconds_since(self.epoch, self.now())
            accepted = self.goals.take(goal, now, self.measured(), asked)
        if self.settings.publish_trajectory_with_effort:
            self._filler.submit(self._send_effort, accepted.trajectory, goal, now)
        return accepted

    def _send_effort(self, trajectory: Trajectory, goal: TrajectoryGoal, now: float) -> None:
        try:
            self._trajectory_publisher.publish(
                self.goals.with_effort(trajectory, goal, now, self.epoch))
        except Exception as error:
            self.get_logger().error(f'~/joint_trajectory_with_effort: {clean(error)}',
                                    throttle_duration_sec=1.0)

    def _on_enable(self, request: Any, response: Any) -> Any:
        try:
            if not self.active:
                raise InputError(f'the node is {self.state}; activate it first')
            response.message = (self.controller.enable(self.known()) if request.data
                                else self.controller.disable())
            response.success = True
        except InputError as error:
            response.success, response.message = False, clean(error)
        return response


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node until a signal; return the exit code."""
    return run(Feedforward, arguments)
