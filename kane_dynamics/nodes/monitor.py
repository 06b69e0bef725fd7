# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The monitor node: joint states with effort in, external torques, contact and energy out."""

from __future__ import annotations

import sys
import time

from geometry_msgs.msg import WrenchStamped
import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64MultiArray
from std_srvs.srv import Trigger

import kane_dynamics as kd
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.arm_monitor import ArmMonitor, FIGURES
from kane_dynamics.motion.contact_detector import ContactDetector
from kane_dynamics.nodes import qos
from kane_dynamics.nodes.calibrated_arm import load_arm
from kane_dynamics.nodes.conversions import (
    CommandsWriter, joint_order, JointStateWriter, NANOSECONDS, nanoseconds, set_stamp)
from kane_dynamics.nodes.managed_node import ManagedNode
from kane_dynamics.nodes.monitor_parameters import SCHEMA
from kane_dynamics.nodes.monitor_reports import MonitorReports
from kane_dynamics.nodes.process import freeze_garbage, run
from kane_dynamics.nodes.state_buffer import NEVER, StateBuffer
from kane_dynamics.nodes.torque_model import split_joints

ANY_TIME = 1 << 62      # [ns]: only differences of stamps count, so that a replay is the original
SET_BACK = NANOSECONDS  # stamps that go back further are those of a clock that was set back


class Monitor(ManagedNode):
    """Translate between ROS and an ArmMonitor; each complete joint state is one step."""

    def __init__(self, name='monitor', **kwargs):
        self.monitor = None         # between configure and cleanup
        self.active = False
        super().__init__(name, SCHEMA, **kwargs)
        override = {'qos_overriding_options': qos.overridable()}
        self._out = {topic: self.create_lifecycle_publisher(kind, f'~/{topic}', qos.RELIABLE,
                                                            **override)
                     for topic, kind in (('residual', JointState), ('external_torque', JointState),
                                         ('wrench', WrenchStamped), ('contact', Bool),
                                         ('energy', Float64MultiArray))}
        self.create_subscription(JointState, 'joint_states', self._on_joint_state, qos.STATE_IN,
                                 **override)
        self.create_service(Trigger, '~/reset', self._on_reset)
        MonitorReports(self)

    # -- lifecycle -----------------------------------------------------------------------------

    def configure(self, source):
        """Load the arm with its calibration and payload; prepare the observer."""
        values = self.parameters
        _, robot, calibration = load_arm(source, values['calibration_file'])
        if robot.floating_base or robot.n_modes:
            raise InputError(f'{robot.name!r} floats or bends; the monitor is for rigid arms on a '
                             'fixed base')
        self.robot, friction = self._recorded_arm(robot, calibration)
        values.check_lengths(self.robot.n_joints)
        dynamics = kd.Dynamics(self.robot, friction).prepare('momentum_balance', 'energy')
        self.joints = values['joints'] or self.robot.joint_names
        order = joint_order(self.robot.joint_names, self.joints, 'joints')
        detector = ContactDetector(
            np.array(values.per_joint('contact.threshold', len(self.joints)))[order],
            *(values[f'contact.{name}'] for name in ('uncertainty', 'release', 'release_time',
                                                     'baseline_time')),
            np.array(values.per_joint('contact.limit', len(self.joints), np.inf))[order],
            values['contact.settling_time'])
        self.monitor = ArmMonitor(dynamics, detector, values['gain'], values['frame'],
                                  values['max_gap'])
        self._order = joint_order(self.joints, self.robot.joint_names, 'joints')
        self.buffer = StateBuffer(self.robot.joint_names)
        self._residual, self._external = (JointStateWriter(self.joints) for _ in range(2))
        self._energy = CommandsWriter(FIGURES)
        self._wrench, self._contact = WrenchStamped(), Bool()
        self._wrench.header.frame_id = values['frame']
        self.diagnostics.hardware_id = robot.name
        self.get_logger().info(
            f'{robot.name!r}: joints {list(self.joints)} in this order; '
            f'{"calibrated" if values["calibration_file"] else "as the URDF tells it"}; '
            f'wrench at {values["frame"] or "no frame"}')

    def _recorded_arm(self, robot, calibration):
        """Return the arm as it is: loaded, joints locked; and its Friction."""
        values = self.parameters
        gravity = (0.0, 0.0, 0.0) if values['effort_without_gravity'] else (
            robot.base_rotation @ np.array(values['gravity']))
        _, locked = split_joints(robot, values['joints'], values['locked_joints'],
                                 values['locked_positions'])
        robot = kd.lock_joints(robot, locked).with_gravity(gravity)
        friction = kd.Friction.of(robot, smoothing_speed=0.01) if calibration is None else (
            calibration.friction(robot))
        if values['payload.mass'] > 0.0:
            robot = robot.with_payload(values['payload.mass'], values['payload.com'],
                                       link=values['payload.link'] or None)
        return robot, friction if friction.acts else None

    def activate(self):
        """Begin with the next state."""
        self.monitor.reset()
        self.buffer.forget()
        self._last, self.last_step = NEVER, time.monotonic()
        freeze_garbage()
        self.active = True

    def deactivate(self):
        """Stop listening."""
        self.active = False

    def cleanup(self):
        """Forget the arm."""
        self.monitor = None
        self.parameters.n_joints = None

    # -- messages ------------------------------------------------------------------------------

    def _on_joint_state(self, message):
        if not self.active:
            return
        buffer = self.buffer
        told = nanoseconds(message.header.stamp)
        if told and self._last - told > SET_BACK:
            buffer.forget()         # the clock, or a bag, began anew
        try:
            buffer.update(message, self.get_clock().now().nanoseconds, ANY_TIME)
        except InputError as error:
            self.get_logger().error(str(error), throttle_duration_sec=1.0)
            return
        stamp = min(buffer.oldest.values())
        if stamp == NEVER or stamp == self._last:
            return          # not every joint was told of again
        self._last, self.last_step = stamp, time.monotonic()
        if self.monitor.step(stamp, buffer.position, buffer.velocity, buffer.effort):
            self._publish(stamp)

    def _publish(self, stamp):
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
        self._energy.data[:] = monitor.figures
        self._out['energy'].publish(self._energy.message)
        if self.parameters['frame']:
            wrench, values = self._wrench.wrench, monitor.wrench.tolist()
            wrench.force.x, wrench.force.y, wrench.force.z = values[:3]
            wrench.torque.x, wrench.torque.y, wrench.torque.z = values[3:]
            set_stamp(self._wrench.header.stamp, stamp)
            self._out['wrench'].publish(self._wrench)

    def _on_reset(self, request, response):
        response.success = self.active
        response.message = 'observation begins anew' if self.active else (
            f'the node is {self.state}; activate it first')
        if self.active:
            self.monitor.reset()
            self.buffer.forget()
            self._last = NEVER
        return response


def main(arguments=None):
    """Run the node until a signal; return the exit code."""
    return run(Monitor, arguments)


if __name__ == '__main__':
    sys.exit(main())
