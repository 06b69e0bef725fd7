# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Monitor node: joint states with effort in, external torques, contact and energy out."""

from __future__ import annotations

from collections.abc import Sequence
import time
import traceback
from typing import Any, TYPE_CHECKING

from geometry_msgs.msg import WrenchStamped
import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64MultiArray
from std_srvs.srv import Trigger

import kane_dynamics as kd
from kane_dynamics.control.monitor.arm_monitor import ArmMonitor, QUANTITIES
from kane_dynamics.control.monitor.touch_detector import ContactDetector
from kane_dynamics.control.torque_model import split_joints
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.cdr import NANOSECONDS
from kane_dynamics.io.text import clean, LINE, show_names, TRACE
from kane_dynamics.nodes.common import qos
from kane_dynamics.nodes.common.arm import Arm, JointLists
from kane_dynamics.nodes.common.description import Source
from kane_dynamics.nodes.common.managed_node import ManagedNode
from kane_dynamics.nodes.common.process import freeze_garbage, run
from kane_dynamics.nodes.common.state_buffer import NEVER, StateBuffer
from kane_dynamics.nodes.messages.conversions import (
    CommandsWriter, JointStateWriter, nanoseconds, set_stamp)
from kane_dynamics.nodes.monitor.reports import MonitorReports
from kane_dynamics.nodes.monitor.settings import MonitorSettings, SCHEMA

if TYPE_CHECKING:
    from kane_dynamics.dynamics.calibration import Calibration
    from kane_dynamics.model.robot import Robot

ANY_TIME = 1 << 62      # [ns]: only differences of stamps matter, so a replay gives the same
SET_BACK = NANOSECONDS  # stamps that go back further are those of a clock that was set back


class Monitor(ManagedNode[MonitorSettings]):
    """The ROS interface of an ArmMonitor; each complete joint state is one step."""

    # while configured
    monitor: ArmMonitor
    buffer: StateBuffer
    # while active
    last_step: float        # [s], monotonic clock

    def __init__(self, name: str = 'monitor', **kwargs: Any) -> None:
        super().__init__(name, SCHEMA, **kwargs)
        override = {'qos_overriding_options': qos.overridable()}
        self._out = {topic: self.create_lifecycle_publisher(kind, f'~/{topic}', qos.RELIABLE,
                                                            **override)
                     for topic, kind in (('residual', JointState), ('external_torque', JointState),
                                         ('wrench', WrenchStamped), ('contact', Bool),
                                         ('energy', Float64MultiArray))}
        self.create_subscription(JointState, 'joint_states', self._on_joint_state, qos.STATE_IN,
                                 **override)
        self.create_service(Trigger, '~/reset', self._on_reset, qos_profile=qos.SERVICE)
        MonitorReports(self)

    # -- lifecycle -----------------------------------------------------------------------------

    def configure(self, source: Source) -> None:
        """Load the arm with its calibration and payload; prepare the observer."""
        settings = self.settings
        arm = Arm.load(source, settings.calibration_file, settings.message_limits)
        robot = arm.robot
        if robot.floating_base or robot.n_modes:
            raise InputError(f'{robot.name!r} is flexible or has a floating base; the monitor '
                             'needs a rigid arm on a fixed base')
        self.robot, friction = self._recorded_arm(robot, arm.calibration)
        self.parameters.check_lengths(self.robot.n_joints)
        dynamics = kd.Dynamics(self.robot, friction).prepare('momentum_balance', 'energy')
        lists, contact = JointLists(settings.joints, self.robot.joint_names), settings.contact
        self.joints, self._order = lists.names, lists.command_order
        detector = ContactDetector(
            lists.array(contact.threshold), limit=lists.array(contact.limit, np.inf),
            uncertainty=contact.uncertainty, release=contact.release,
            release_time=contact.release_time, baseline_time=contact.baseline_time,
            settling_time=contact.settling_time)
        self.monitor = ArmMonitor(dynamics, detector, settings.gain, settings.frame,
                                  settings.max_gap)
        self.buffer = StateBuffer(self.robot.joint_names, settings.message_limits)
        self._residual, self._external = (JointStateWriter(self.joints) for _ in range(2))
        self._energy = CommandsWriter(QUANTITIES)
        self._wrench, self._contact = WrenchStamped(), Bool()
        self._wrench.header.frame_id = settings.frame
        self.diagnostics.hardware_id = robot.name
        self.get_logger().info(
            f'{robot.name!r}: joints {show_names(self.joints, LINE)} in this order; '
            f'{"calibrated" if settings.calibration_file else "model of the URDF"}; '
            f'wrench at {settings.frame or "no frame"}')
        self.configured = True

    def _recorded_arm(self, robot: Robot,
                      calibration: Calibration | None) -> tuple[Robot, kd.Friction | None]:
        """Return the arm with its payload and locked joints, and its Friction."""
        settings, payload = self.settings, self.settings.payload
        gravity = (0.0, 0.0, 0.0) if settings.effort_without_gravity else (
            robot.base_rotation @ np.array(settings.gravity))
        _, locked = split_joints(robot, settings.joints, settings.locked_joints,
                                 settings.locked_positions)
        robot = kd.lock_joints(robot, locked).with_gravity(gravity)
        friction = kd.Friction.of(robot, smoothing_speed=0.01) if calibration is None else (
            calibration.friction(robot))
        if payload.mass > 0.0:
            robot = robot.with_payload(payload.mass, payload.com, link=payload.link or None)
        return robot, friction if friction.acts else None

    def activate(self) -> None:
        """Start with the next joint state."""
        self.monitor.reset()
        self.buffer.forget()
        self._last, self.last_step = NEVER, time.monotonic()
        freeze_garbage()
        self.active = True

    def deactivate(self) -> None:
        """Ignore joint states from now on."""
        self.active = False

    def cleanup(self) -> None:
        """Release the arm."""
        self.configured = False
        self.parameters.n_joints = None

    # -- messages ------------------------------------------------------------------------------

    def _on_joint_state(self, message: Any) -> None:
        if not self.active:
            return
        try:
            self._take_state(message)
        except InputError as error:
            self.get_logger().error(clean(error), throttle_duration_sec=1.0)
        except Exception:       # a failure must not go unnoticed
            self.buffer.failed += 1
            trace = clean(traceback.format_exc(), TRACE, lines=True)
            self.get_logger().error(f'joint_states: {trace}', throttle_duration_sec=1.0)

    def _take_state(self, message: Any) -> None:
        buffer = self.buffer
        sent = nanoseconds(message.header.stamp)
        if sent and self._last - sent > SET_BACK:
            buffer.forget()         # the clock was set back, or a bag restarted
        buffer.update(message, self.get_clock().now().nanoseconds, ANY_TIME)
        stamp = min(buffer.oldest.values())
        if stamp == NEVER or stamp == self._last:
            return          # not every joint has a new state
        self._last, self.last_step = stamp, time.monotonic()
        if self.monitor.step(stamp, buffer.position, buffer.velocity, buffer.effort):
            self._publish(stamp)

    def _publish(self, stamp: int) -> None:
        monitor, order = self.monitor, self._order
        monitor.residual.take(order, out=self._residual.effort)
        monitor.external.take(order, out=self._external.effort)
        for writer in (self._residual, self._external):
            self.buffer.position.take(order, out=writer.position)
            self.buffer.velocity.take(order, out=writer.velocity)
        self._out['residual'].publish(self._residual.stamped(stamp))
        self._out['external_torque'].publish(self._external.stamped(stamp))
        self._contact.data = bool(monitor.contact)
        self._out['contact'].publish(self._contact)
        self._energy.data[:] = monitor.quantities
        self._out['energy'].publish(self._energy.message)
        if self.settings.frame:
            wrench, values = self._wrench.wrench, monitor.wrench.tolist()
            wrench.force.x, wrench.force.y, wrench.force.z = values[:3]
            wrench.torque.x, wrench.torque.y, wrench.torque.z = values[3:]
            set_stamp(self._wrench.header.stamp, stamp)
            self._out['wrench'].publish(self._wrench)

    def _on_reset(self, request: Any, response: Any) -> Any:
        response.success = self.active
        response.message = 'the observer is reset' if self.active else (
            f'the node is {self.state}; activate it first')
        if self.active:
            self.monitor.reset()
            self.buffer.forget()
            self._last = NEVER
        return response


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node until a signal; return the exit code."""
    return run(Monitor, arguments)
