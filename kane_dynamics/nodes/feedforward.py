# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The feedforward node: trajectories and joint states in, torques out at a fixed rate."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
import sys
import time

import numpy as np
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory

import kane_dynamics as kd
from kane_dynamics.exceptions import InputError, KaneDynamicsError, ModelError
from kane_dynamics.motion.acceptance import State
from kane_dynamics.nodes import follow_action, qos
from kane_dynamics.nodes.calibrated_arm import load_arm
from kane_dynamics.nodes.clock_watch import ClockWatch
from kane_dynamics.nodes.clocked_loop import make_loop, uses_sim_time
from kane_dynamics.nodes.controller import Controller
from kane_dynamics.nodes.conversions import nanoseconds, seconds_since
from kane_dynamics.nodes.cycle_messages import CycleMessages
from kane_dynamics.nodes.elastic_output import ElasticOutput
from kane_dynamics.nodes.feedforward_parameters import SCHEMA
from kane_dynamics.nodes.feedforward_reports import Reports
from kane_dynamics.nodes.goals import Goals
from kane_dynamics.nodes.loop_statistics import LoopStatistics
from kane_dynamics.nodes.managed_node import ManagedNode
from kane_dynamics.nodes.model_check import check_model
from kane_dynamics.nodes.patience import Patience
from kane_dynamics.nodes.phases import Fault
from kane_dynamics.nodes.polled import Listener, Polled
from kane_dynamics.nodes.process import freeze_garbage, run
from kane_dynamics.nodes.settings import model_key, Settings
from kane_dynamics.nodes.state_buffer import NEVER, StateBuffer
from kane_dynamics.nodes.trajectory_cdr import decode

LAST_RAMP = 0.02    # [s] between two torques on the way out, at the most: slow loops ramp too


class Feedforward(ManagedNode):
    """Translate between ROS and a Controller."""

    def __init__(self, name='feedforward', **kwargs):
        self.controller = None      # between configure and cleanup
        self.loop = None            # between activate and deactivate
        super().__init__(name, SCHEMA, **kwargs)
        override = {'qos_overriding_options': qos.overridable()}
        self.messages = CycleMessages(self, override)
        self._trajectory_publisher = self.create_lifecycle_publisher(
            JointTrajectory, '~/joint_trajectory_with_effort', qos.RELIABLE, **override)
        self.create_subscription(JointTrajectory, '~/joint_trajectory', self._on_trajectory,
                                 qos.RELIABLE, raw=True, **override)
        group = Polled()
        group.polled = False        # while the node is not active, or on simulated time
        self._states = self.create_subscription(
            JointState, 'joint_states', self._on_joint_state, qos.STATE_IN, callback_group=group,
            **override)
        self._listener = None
        self.create_service(SetBool, '~/enable', self._on_enable)
        self._action = follow_action.make(self)
        self._filler = ThreadPoolExecutor(max_workers=1, thread_name_prefix='effort')
        Reports(self)

    # -- lifecycle -----------------------------------------------------------------------------

    def configure(self, source):
        """Load the arm, compile its dynamics, compare them with Pinocchio."""
        values = self.parameters
        described, self.robot, calibration = load_arm(source, values['calibration_file'],
                                                      values['elastic'] == 'rigid')
        self.settings = Settings(self.robot, values, calibration)
        values.check_lengths(len(self.settings.active))
        self._dynamics = kd.Dynamics(self.robot, parametric=True)
        self.check = None
        if values['model_check.samples']:
            # Pinocchio reads the URDF, so the arm is compared without its calibration
            compared = self._dynamics if calibration is None else kd.Dynamics(described)
            self.check = check_model(compared, source, values['model_check.samples'])
            self.get_logger().info(self.check.message)
            if self.check.done and not self.check.error <= values['model_check.tolerance']:
                raise ModelError(f'{self.check.message}; model_check.tolerance is '
                                 f'{values["model_check.tolerance"]:g}')
        model = self.settings.torque_model(values, self._dynamics)
        self.buffer = StateBuffer(self.settings.active)
        controller = Controller(self.settings.active, model, self.settings.continuous,
                                lead_time=values['lead_time'],
                                read_state=self.buffer.read, log=self.log)
        self.settings.apply(values, controller)
        controller.mode = values['mode']
        self.goals = Goals(controller, self.settings, values, self.log)
        self.goals.rehearse()
        self.elastic = None
        if self.robot.n_modes:
            self.elastic = ElasticOutput(controller, self._dynamics, values['tip_link'], self.log)
            self.elastic.introduce()
        self.messages.connect(controller, self.settings, self.elastic)
        self.controller = controller
        self.diagnostics.hardware_id = self.robot.name
        gravity = 'none is computed here' if values['robot_compensates_gravity'] else (
            f'computed here for gravity {list(values["gravity"])} m/s^2 in the axes of '
            f'{self.robot.root!r}')
        self.get_logger().info(
            f'{self.robot.name!r}: joints {list(self.settings.command_joints)} in this order; '
            f'robot_compensates_gravity is {values["robot_compensates_gravity"]}: gravity torque, '
            f'{gravity}')

    def activate(self):
        """Start the loop; with `trigger: joint_states` it only watches."""
        values = self.parameters
        self.sim_time = uses_sim_time(self)
        self.epoch = 0 if self.sim_time else time.time_ns()
        self._last_arrival, self._last_oldest = 0, NEVER
        self.buffer.forget()
        self.controller.restart(values['enable_on_activate'])
        freeze_garbage()
        self._on_arrival = values['trigger'] == 'joint_states'
        self._arrivals = LoopStatistics(1.0 / values['update_rate'])
        self.loop = make_loop(
            self, values['update_rate'], self._watch if self._on_arrival else self._step,
            values['realtime_priority'], self._on_cycle_error)
        self._clock_watch = ClockWatch(self, values['clock_jump_threshold'], self._jumped)
        self.loop.start()
        # on simulated time the executor keeps /clock and states in one order: runs repeat
        self._patience = None
        if not self.sim_time:
            self._patience = Patience(self.loop.period)
            self._listener = Listener(self, self._states, values['realtime_priority'])
            self._listener.start()

    def deactivate(self):
        """Stop the loop, bring the torque to a gravity hold and leave it there."""
        if self._listener is not None:
            self._listener.stop()
            self._listener = None
        self.loop.stop()
        self._clock_watch.end()
        period = min(self.loop.period, LAST_RAMP)
        for _ in self.controller.ramp_down(period):
            self.messages.publish(self.messages.at(self.now()))
            time.sleep(period)
        self.loop = None

    def cleanup(self):
        """Forget the arm."""
        self.controller = None
        self.parameters.n_joints = None

    def change_parameters(self, changes):
        """Apply what may change at run time."""
        values = {**self.parameters.values, **changes}
        model = None
        if model_key(values) != model_key(self.parameters.values):
            model = self.settings.torque_model(values, self._dynamics)  # first: may be refused
        if 'mode' in changes:
            fresh = (False, False) if self.loop is None else self.fresh()
            self.controller.set_mode(changes['mode'], *fresh)
        self.settings.apply(values, self.controller)
        if model is not None:
            self.controller.set_model(model)

    @property
    def statistics(self):
        """Return the LoopStatistics of the cycles that compute."""
        return self._arrivals if self._on_arrival else self.loop.statistics

    # -- time and state ------------------------------------------------------------------------

    def now(self):
        """Return the node's time [ns]."""
        return self.get_clock().now().nanoseconds if self.sim_time else time.time_ns()

    def seconds(self):
        """Return the node's time [s] since its epoch: the clock of trajectories."""
        return seconds_since(self.epoch, self.now())

    def fresh(self, now=None):
        """Return whether all positions, and all velocities, are fresh."""
        now = self.now() if now is None else now
        timeout = self.parameters['state_timeout'] * 1e9
        oldest = self.buffer.oldest
        return abs(now - oldest['position']) <= timeout, abs(now - oldest['velocity']) <= timeout

    def measured(self):
        """Return the State of the arm, None where it is not fresh."""
        position, velocity = self.fresh()
        if not position:
            return None
        state = np.zeros((2, len(self.buffer.joint_names)))
        self.buffer.read(state)
        return State(state[0], state[1] if velocity else None)

    def _jumped(self, ns):
        """Forget what was stamped before a jump of the clock, and hold."""
        self.buffer.forget()
        self._last_oldest = NEVER
        self.controller.fail(Fault.CLOCK_JUMP, f'by {ns * 1e-9:+.3f} s')

    # -- cycles --------------------------------------------------------------------------------

    def _step(self, now, stamp=None):
        """Compute and publish at `now` [ns], for the moment `stamp` where the state tells it."""
        began = time.perf_counter()
        controller = self.controller
        with controller.lock:
            self._clock_watch.look()
            stamp = now if stamp is None else stamp
            fresh = self.fresh(now)
            late = (controller.needs_state and self._patience is not None
                    and self._patience.excuses(time.monotonic_ns(), all(fresh)))
            if late or not controller.cycle(seconds_since(self.epoch, stamp), *fresh):
                return time.perf_counter() - began
            messages = self.messages.at(stamp)
            took = time.perf_counter() - began
            self.messages.publish(messages)
        return took

    def _watch(self, now):
        """Cycle in place of joint_states that do not come."""
        if self._patience is not None:
            self._patience.look(time.monotonic_ns())
        # either way: a clock that was set back must not silence the watchdog
        if abs(now - self._last_arrival) > self.parameters['state_timeout'] * 1e9:
            return self._step(now)
        return 0.0

    def _on_cycle_error(self, error):
        self.controller.fail(Fault.CYCLE_FAILED, f'{type(error).__name__}: {error}')

    # -- messages in ---------------------------------------------------------------------------

    def _on_joint_state(self, message):
        if self.loop is None:
            return
        now = self.now()
        horizon = int(self.parameters['state_timeout'] * 1e9)
        try:
            told = self.buffer.update(message, now, horizon)
        except InputError as error:
            self.get_logger().error(str(error), throttle_duration_sec=1.0)
            return
        oldest = self.buffer.oldest['position']
        if told and self._on_arrival and oldest > self._last_oldest:
            # every joint was told of again: one cycle, for the moment of the state
            self._last_arrival, self._last_oldest = now, oldest
            began = time.perf_counter()
            try:
                took = self._step(now, nanoseconds(message.header.stamp) or None)
                self._arrivals.note(began, took)
            except Exception as error:
                self._on_cycle_error(error)

    def _on_trajectory(self, data):
        try:
            self.take_goal(decode(data, self.epoch if self.loop else 0))
        except KaneDynamicsError as error:
            self.get_logger().error(str(error))

    def take_goal(self, goal, tolerances=None):
        """Follow a Goal and send it on with effort; return its Trajectory, or raise."""
        if self.loop is None:
            raise InputError(f'trajectory refused: the node is {self.state}')
        now = self.seconds()
        trajectory = self.goals.take(goal, now, self.measured(), tolerances)
        if self.parameters['publish_trajectory_with_effort']:
            self._filler.submit(self._send_effort, trajectory, goal, now)
        return trajectory

    def _send_effort(self, trajectory, goal, now):
        try:
            self._trajectory_publisher.publish(
                self.goals.with_effort(trajectory, goal, now, self.epoch))
        except Exception as error:
            self.get_logger().error(f'~/joint_trajectory_with_effort: {error}')

    def _on_enable(self, request, response):
        try:
            if self.loop is None:
                raise InputError(f'the node is {self.state}; activate it first')
            response.message = (self.controller.enable(*self.fresh()) if request.data
                                else self.controller.disable())
            response.success = True
        except InputError as error:
            response.success, response.message = False, str(error)
        return response


def main(arguments=None):
    """Run the node until a signal; return the exit code."""
    return run(Feedforward, arguments)


if __name__ == '__main__':
    sys.exit(main())
