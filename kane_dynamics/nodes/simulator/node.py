# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Simulator node: efforts in, joint states out, by forward dynamics at a fixed rate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import threading
import time
import traceback
from typing import Any

from geometry_msgs.msg import WrenchStamped
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.io.text import clean, LINE, show_names, TRACE
from kane_dynamics.nodes.common import qos
from kane_dynamics.nodes.common.arm import Arm
from kane_dynamics.nodes.common.clocked_loop import Loop, make_loop, uses_sim_time
from kane_dynamics.nodes.common.description import Source
from kane_dynamics.nodes.common.managed_node import ManagedNode
from kane_dynamics.nodes.common.polled_subscription import MOST, Polled, take_waiting
from kane_dynamics.nodes.common.process import freeze_garbage, run
from kane_dynamics.nodes.messages.conversions import JointStateWriter, nanoseconds, set_stamp
from kane_dynamics.nodes.simulator.arm_setup import SimulatorSetup
from kane_dynamics.nodes.simulator.command_reader import CommandReader, wrench_on_link
from kane_dynamics.nodes.simulator.elastic import SimulatorElastic
from kane_dynamics.nodes.simulator.lock_step_watch import LockStepWatch
from kane_dynamics.nodes.simulator.pacers import (
    ClockPacer, CommandPacer, FIRST_STAMP, FURTHEST, Pacer, WallPacer)
from kane_dynamics.nodes.simulator.reports import SimulatorReports
from kane_dynamics.nodes.simulator.services import SimulatorServices
from kane_dynamics.nodes.simulator.settings import SCHEMA, SimulatorSettings
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.plant.robot_in_time import Simulation

DEEP = 10_000       # commands that may wait: a recording may come all at once


class Simulator(ManagedNode[SimulatorSettings]):
    """The ROS interface of a Simulation, which the pacer advances period by period."""

    # while configured
    setup: SimulatorSetup
    reader: CommandReader
    simulation: Simulation
    # while active
    pacer: Pacer

    def __init__(self, name: str = 'simulator', **kwargs: Any) -> None:
        self.loop: Loop | None = None       # while active, except in lock-step
        self.paused = False
        self.failed = ''            # the error that stopped the simulation
        super().__init__(name, SCHEMA, **kwargs)
        override = {'qos_overriding_options': qos.overridable()}
        self._states = self.create_lifecycle_publisher(JointState, 'joint_states', qos.RELIABLE,
                                                       **override)
        self._clock_publisher: Any = None
        self._commands: list[Any] = []      # subscriptions, while active
        self.create_subscription(WrenchStamped, '~/wrench', self._on_wrench, qos.RELIABLE,
                                 **override)
        self.lock = threading.RLock()
        self.watch: LockStepWatch | None = None     # in lock-step
        self.elastic = SimulatorElastic(self)
        SimulatorReports(self)
        SimulatorServices(self)

    # -- lifecycle -----------------------------------------------------------------------------

    def configure(self, source: Source) -> None:
        """Load the arm, compare it with Pinocchio and compile its simulation."""
        settings = self.settings
        arm = Arm.load(source, settings.calibration_file, settings.message_limits)
        self.parameters.check_lengths(arm.robot.n_joints)
        self.setup = SimulatorSetup(arm.robot, settings, arm.calibration)
        self.robot, self.joints = arm.robot, self.setup.joints
        plant = self.setup.plant()
        self.check = arm.check(plant.dynamics, settings.model_check, self.get_logger())
        self.reader = CommandReader(self.setup.joints, self.setup.arm_order,
                                    settings.message_limits)
        self._writer = JointStateWriter(self.setup.joints)
        self._time = ClockMessage()
        self.elastic.configure(plant, settings)
        self.simulation, self.configured = self.setup.simulation(plant), True
        self.diagnostics.hardware_id = self.robot.name
        self.get_logger().info(
            f'{self.robot.name!r}: joints {show_names(self.setup.joints, LINE)} in this order; '
            f'{"no " * (plant.friction is None)}friction, {"no " * (plant.stops is None)}stops; '
            f'{plant.method}, {plant.substeps} steps per period of '
            f'{self.setup.period * 1e-6:g} ms; without commands: {settings.without_commands}')

    def activate(self) -> None:
        """Reset to the initial state and start the time."""
        settings, setup = self.settings, self.setup
        makes_time = settings.publish_clock or settings.lock_step
        if makes_time and uses_sim_time(self):
            raise InputError('with publish_clock or lock_step this node publishes the time that '
                             'others follow; it must not use_sim_time itself')
        self._publishes_clock = makes_time
        if makes_time and not self._clock_publisher:
            self._clock_publisher = self.create_publisher(ClockMessage, '/clock', qos.RELIABLE)
        with self.lock:
            self.simulation.reset()
            self.elastic.restart()
            self.paused, self.failed = settings.start_paused, ''
            self._first = self.simulation.period    # period of the first stamp
            freeze_garbage()
            if settings.lock_step:
                self.pacer = pacer = CommandPacer(setup.period)
                self.simulation.hold()
                self.watch = LockStepWatch(self, pacer, self._states.get_subscription_count,
                                           self._count_commanders)
            elif uses_sim_time(self):
                self.pacer = ClockPacer(setup.period)
            else:
                self.pacer = WallPacer(setup.period, settings.real_time_factor,
                                       FIRST_STAMP if makes_time else None)
                self.publish_state()
            self.active = True
        self._subscribe()
        self.elastic.start()
        if not settings.lock_step:
            self.loop = make_loop(self, settings.update_rate * settings.real_time_factor,
                                  self._cycle, settings.realtime_priority, self.fail, FURTHEST)
            self.loop.start()

    def _subscribe(self) -> None:
        """Subscribe to commands: served by the executor, or polled by a loop with a thread."""
        group = Polled() if isinstance(self.pacer, WallPacer) else None
        # where the newest command acts, older ones need not wait
        depth = MOST if group and self.settings.command_time == 'arrival' else DEEP
        self._commands = [
            self.create_subscription(kind, topic, take, QoSProfile(depth=depth),
                                     callback_group=group,
                                     qos_overriding_options=qos.overridable())
            for kind, topic, take in ((Float64MultiArray, '~/commands', self._on_commands),
                                      (JointState, '~/effort', self._on_effort))]

    def finish(self) -> None:
        """Stop the loop before the executor ends, which may wait for it."""
        if self.loop is not None:
            self.loop.stop()

    def deactivate(self) -> None:
        """Stop the time."""
        self.finish()
        self.elastic.stop()
        for subscription in self._commands:
            self.destroy_subscription(subscription)
        self._commands = []
        if self.watch is not None:
            self.watch.stop()
        self.loop = self.watch = None
        self.active = False

    def cleanup(self) -> None:
        """Release the arm."""
        self.configured = False
        self.parameters.n_joints = None

    def change_settings(self, settings: SimulatorSettings) -> None:
        """Apply changes of run-time parameters."""
        with self.lock:
            self.setup = self.setup.changed(settings)
            self.setup.apply(self.simulation)

    # -- time ----------------------------------------------------------------------------------

    @property
    def k(self) -> int:
        """Return the number of periods since activation."""
        return self.simulation.period - self._first

    def _cycle(self, now: int) -> float:
        """Simulate the periods that are due at `now` [ns]; publish the newest state."""
        began = time.perf_counter()
        with self.lock:
            self.poll()
            if self.paused:
                return 0.0
            due = self.pacer.due(self.k, now)
            # on the system's time only the newest state is published
            every = self.settings.publish_clock or not isinstance(self.pacer, WallPacer)
            for left in range(due, 0, -1):
                self.simulation.advance()
                if every and left > 1:
                    self.publish_state()
            took = time.perf_counter() - began
            if due:
                self.publish_state()
        if due > 1:
            time.sleep(1e-4)    # a loop that is behind would starve the services of the lock
        return took

    def run_lock_step(self) -> None:
        """Simulate the periods whose commands have arrived."""
        pacer, watch, simulation = self.pacer, self.watch, self.simulation
        if not isinstance(pacer, CommandPacer) or watch is None:
            return
        while not self.paused:
            go, tau = pacer.next(self.k)
            if not go:
                return
            if tau is not None:
                simulation.command(tau)
            simulation.advance()
            watch.step_passed()
            self.publish_state()

    def _count_commanders(self) -> int:
        return sum(self.count_publishers(each.topic_name) for each in self._commands)

    def fail(self, error: Exception) -> None:
        """Stop after an error of the simulation, and log it."""
        with self.lock:
            self.paused, self.failed = True, f'{type(error).__name__}: {error}'
        known = isinstance(error, KaneDynamicsError)    # the arm diverged
        text = clean(error) if known else clean(''.join(traceback.format_exception(error)), TRACE,
                                                lines=True)
        self.get_logger().error(f'the simulation is stopped, call ~/reset: {text}')

    def publish_state(self) -> None:
        """Publish the measured state, and the time if this node defines it."""
        if not self.pacer.started:      # no /clock yet
            return
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

    def poll(self) -> None:
        """Process the waiting commands, unless the executor does."""
        if isinstance(self.pacer, WallPacer):
            for subscription in self._commands:
                try:
                    for message in take_waiting(subscription):
                        subscription.callback(message)
                except InputError as error:
                    self._refuse(error)

    def _on_commands(self, message: Any) -> None:
        self._take(self.reader.from_array, message, 0)

    def _on_effort(self, message: Any) -> None:
        self._take(self.reader.from_joint_state, message, nanoseconds(message.header.stamp))

    def _take(self, read: Callable[[Any], FloatArray], message: Any, stamp: int) -> None:
        if not self.active:
            return
        try:
            tau = read(message)
            with self.lock:
                self._apply_command(tau, stamp)
        except InputError as error:
            self._refuse(error)
        except Exception as error:
            self.fail(error)

    def _refuse(self, error: InputError) -> None:
        self.reader.refused += 1
        self.get_logger().error(clean(error), throttle_duration_sec=1.0)

    def _apply_command(self, tau: FloatArray, stamp: int) -> None:
        if isinstance(self.pacer, CommandPacer):
            self.pacer.put(tau, stamp, self.k)
            self.run_lock_step()
            return
        period = None
        if stamp and self.settings.command_time == 'stamp' and self.pacer.started:
            period = self.pacer.nearest(stamp) + self._first
        self.simulation.command(tau, period)

    def _on_wrench(self, message: Any) -> None:
        try:
            with self.lock:
                if self.active:
                    self.simulation.push(*wrench_on_link(message), self.setup.wrench_periods)
        except InputError as error:
            self.get_logger().error(f'~/wrench: {clean(error)}', throttle_duration_sec=1.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node until a signal; return the exit code."""
    return run(Simulator, arguments)
