# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator node: efforts in, joint states out, by forward dynamics at a fixed rate."""

from __future__ import annotations

import sys
import threading
import time
import traceback

from geometry_msgs.msg import WrenchStamped
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

import kane_dynamics as kd
from kane_dynamics.exceptions import InputError, ModelError
from kane_dynamics.nodes import qos
from kane_dynamics.nodes.calibrated_arm import load_arm
from kane_dynamics.nodes.clocked_loop import make_loop, uses_sim_time
from kane_dynamics.nodes.command_reader import CommandReader, wrench_on_link
from kane_dynamics.nodes.conversions import JointStateWriter, nanoseconds, set_stamp
from kane_dynamics.nodes.lock_step_watch import LockStepWatch
from kane_dynamics.nodes.managed_node import ManagedNode
from kane_dynamics.nodes.model_check import check_model
from kane_dynamics.nodes.pacers import ClockPacer, CommandPacer, FIRST_STAMP, WallPacer
from kane_dynamics.nodes.polled import Polled, take_all
from kane_dynamics.nodes.process import freeze_garbage, run
from kane_dynamics.nodes.simulator_elastic import SimulatorElastic
from kane_dynamics.nodes.simulator_parameters import SCHEMA
from kane_dynamics.nodes.simulator_reports import SimulatorReports
from kane_dynamics.nodes.simulator_services import SimulatorServices
from kane_dynamics.nodes.simulator_setup import SimulatorSetup

DEEP = 10_000       # commands that may wait: a recording may come all at once


class Simulator(ManagedNode):
    """Translate between ROS and a Simulation; pass its periods when the pacer says so."""

    def __init__(self, name='simulator', **kwargs):
        self.simulation = None      # between configure and cleanup
        self.pacer = self.loop = None       # between activate and deactivate; no loop in lock-step
        self.paused = False
        self.failed = ''            # why the arm stands still, where it does for a fault
        super().__init__(name, SCHEMA, **kwargs)
        override = {'qos_overriding_options': qos.overridable()}
        self._states = self.create_lifecycle_publisher(JointState, 'joint_states', qos.RELIABLE,
                                                       **override)
        self._clock_publisher = None
        self._commands = []         # subscriptions, while active
        self.create_subscription(WrenchStamped, '~/wrench', self._on_wrench, qos.RELIABLE,
                                 **override)
        self.lock = threading.RLock()
        self.watch = None           # of a lock-step
        self.elastic = SimulatorElastic(self)
        SimulatorReports(self)
        SimulatorServices(self)

    # -- lifecycle -----------------------------------------------------------------------------

    def configure(self, source):
        """Load the arm, compare it with Pinocchio and compile its simulation."""
        values = self.parameters
        described, robot, calibration = load_arm(source, values['calibration_file'])
        values.check_lengths(robot.n_joints)
        self.setup = SimulatorSetup(robot, values.values, calibration)
        plant = self.setup.plant()
        self.check = None
        if values['model_check.samples']:
            # Pinocchio reads the URDF, so the arm is compared without its calibration
            self.check = check_model(kd.Dynamics(described) if calibration else plant.dynamics,
                                     source, values['model_check.samples'])
            self.get_logger().info(self.check.message)
            if self.check.done and not self.check.error <= values['model_check.tolerance']:
                raise ModelError(f'{self.check.message}; model_check.tolerance is '
                                 f'{values["model_check.tolerance"]:g}')
        self.reader = CommandReader(self.setup.joints, self.setup.arm_order)
        self._writer = JointStateWriter(self.setup.joints)
        self._time = ClockMessage()
        self.elastic.configure(plant, values)
        self.simulation = self.setup.simulation(plant)
        self.diagnostics.hardware_id = robot.name
        self.get_logger().info(
            f'{robot.name!r}: joints {list(self.setup.joints)} in this order; '
            f'{"no " * (plant.friction is None)}friction, {"no " * (plant.stops is None)}stops; '
            f'{plant.method}, {plant.substeps} steps per period of '
            f'{self.setup.period * 1e-6:g} ms; without commands: {values["without_commands"]}')

    def activate(self):
        """Go back to the start and let time pass."""
        values, setup = self.parameters, self.setup
        makes_time = values['publish_clock'] or values['lock_step']
        if makes_time and uses_sim_time(self):
            raise InputError('publish_clock and lock_step make the time that other nodes follow; '
                             'this node must not use_sim_time itself')
        self._publishes_clock = makes_time
        if makes_time and not self._clock_publisher:
            self._clock_publisher = self.create_publisher(ClockMessage, '/clock', qos.RELIABLE)
        with self.lock:
            self.simulation.reset()
            self.elastic.restart()
            self.paused, self.failed = values['start_paused'], ''
            self._first = self.simulation.period    # stamps count from here
            freeze_garbage()
            if values['lock_step']:
                self.pacer = CommandPacer(setup.period)
                self.simulation.hold()
                self.watch = LockStepWatch(self, self._states.get_subscription_count,
                                           self._count_commanders)
            elif uses_sim_time(self):
                self.pacer = ClockPacer(setup.period)
            else:
                self.pacer = WallPacer(setup.period, values['real_time_factor'],
                                       FIRST_STAMP if makes_time else None)
                self.publish_state()
        self._subscribe()
        self.elastic.start()
        if not values['lock_step']:
            self.loop = make_loop(self, values['update_rate'] * values['real_time_factor'],
                                  self._cycle, values['realtime_priority'], self.fail)
            self.loop.start()

    def _subscribe(self):
        """Listen to commands: in the executor, or from the loop where it has its own thread."""
        group = Polled() if isinstance(self.pacer, WallPacer) else None
        self._commands = [
            self.create_subscription(kind, topic, take, QoSProfile(depth=DEEP),
                                     callback_group=group,
                                     qos_overriding_options=qos.overridable())
            for kind, topic, take in ((Float64MultiArray, '~/commands', self._on_commands),
                                      (JointState, '~/effort', self._on_effort))]

    def finish(self):
        """Stop the time before the executor ends: it may be waiting for the loop."""
        if self.loop is not None:
            self.loop.stop()

    def deactivate(self):
        """Stop the time."""
        self.finish()
        self.elastic.stop()
        for subscription in self._commands:
            self.destroy_subscription(subscription)
        self._commands = []
        if self.watch is not None:
            self.watch.stop()
        self.loop = self.pacer = self.watch = None

    def cleanup(self):
        """Forget the arm."""
        self.simulation = None
        self.parameters.n_joints = None

    def change_parameters(self, changes):
        """Apply what may change at run time."""
        with self.lock:
            self.setup.apply(self.simulation, changes)

    # -- time ----------------------------------------------------------------------------------

    @property
    def k(self):
        """Return the number of periods since activation."""
        return self.simulation.period - self._first

    def _cycle(self, now):
        """Let the periods pass that are due at `now` [ns]; the newest state goes out."""
        began = time.perf_counter()
        with self.lock:
            self.poll()
            if self.paused:
                return 0.0
            due = self.pacer.due(self.k, now)
            told = self.parameters['publish_clock'] or not isinstance(self.pacer, WallPacer)
            for left in range(due, 0, -1):
                self.simulation.advance()
                # made or given time is told period by period; on the system's, only the newest
                if told and left > 1:
                    self.publish_state()
            took = time.perf_counter() - began
            if due:
                self.publish_state()
        if due > 1:
            time.sleep(1e-4)    # behind time this loop would not let services have the lock
        return took

    def run_lock_step(self):
        """Pass the periods whose commands are there."""
        pacer, simulation = self.pacer, self.simulation
        while not self.paused:
            go, tau = pacer.next(self.k)
            if not go:
                return
            if tau is not None:
                simulation.command(tau)
            simulation.advance()
            self.watch.step_passed()
            self.publish_state()

    def _count_commanders(self):
        return sum(self.count_publishers(each.topic_name) for each in self._commands)

    def fail(self, error):
        """Stand still after a fault of the simulation, and say why."""
        with self.lock:
            self.paused, self.failed = True, f'{type(error).__name__}: {error}'
        self.get_logger().error('the simulation stands still, call ~/reset: '
                                + ''.join(traceback.format_exception(error)))

    def publish_state(self):
        """Publish what the sensors tell, and the time where this node makes it."""
        writer = self._writer
        for values, out in zip(self.simulation.measured,
                               (writer.position, writer.velocity, writer.effort)):
            values.take(self.setup.command_order, out=out)
        stamp = self.pacer.stamp(self.k)
        if self._publishes_clock:
            set_stamp(self._time.clock, stamp)
            self._clock_publisher.publish(self._time)
        self.elastic.publish(stamp)
        self._states.publish(writer.stamped(stamp))

    # -- messages in ---------------------------------------------------------------------------

    def poll(self):
        """Take the commands that wait, where the executor does not."""
        if isinstance(self.pacer, WallPacer):
            for subscription in self._commands:
                for message in take_all(subscription):
                    subscription.callback(message)

    def _on_commands(self, message):
        self._take(self.reader.from_array, message, 0)

    def _on_effort(self, message):
        self._take(self.reader.from_joint_state, message, nanoseconds(message.header.stamp))

    def _take(self, read, message, stamp):
        if self.pacer is None:
            return
        try:
            tau = read(message)
            with self.lock:
                self._apply_command(tau, stamp)
        except InputError as error:
            self.reader.refused += 1
            self.get_logger().error(str(error), throttle_duration_sec=1.0)
        except Exception as error:
            self.fail(error)

    def _apply_command(self, tau, stamp):
        if isinstance(self.pacer, CommandPacer):
            self.pacer.put(tau, stamp, self.k)
            self.run_lock_step()
            return
        period = None
        if stamp and self.parameters['command_time'] == 'stamp' and self.pacer.origin is not None:
            period = self.pacer.nearest(stamp) + self._first
        self.simulation.command(tau, period)

    def _on_wrench(self, message):
        try:
            with self.lock:
                if self.pacer is not None:
                    self.simulation.push(*wrench_on_link(message), self.setup.wrench_periods)
        except InputError as error:
            self.get_logger().error(f'~/wrench: {error}', throttle_duration_sec=1.0)


def main(arguments=None):
    """Run the node until a signal; return the exit code."""
    return run(Simulator, arguments)


if __name__ == '__main__':
    sys.exit(main())
