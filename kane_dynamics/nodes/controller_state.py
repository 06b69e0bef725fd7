# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a Feedforward node tells of its trajectory: ~/controller_state."""

from __future__ import annotations

import array

from rclpy.clock import Clock, ClockType

from kane_dynamics.nodes import qos
from kane_dynamics.nodes.conversions import set_stamp

FIELDS = ('positions', 'velocities', 'accelerations')


class ControllerState:
    """Publish control_msgs/JointTrajectoryControllerState."""

    def __init__(self, node, state_type):
        self._node, self._type = node, state_type
        self._publisher = node.create_lifecycle_publisher(
            state_type, '~/controller_state', qos.RELIABLE,
            qos_overriding_options=qos.overridable())
        rate = node.parameters['state_publish_rate']
        if rate > 0.0:
            node.create_timer(1.0 / rate, self._publish,
                              clock=Clock(clock_type=ClockType.STEADY_TIME))

    def fill(self, message, desired, actual, error):
        """Write stamp, points and their time_from_start, as of the last cycle.

        What is not measured stays empty, as joint_trajectory_controller leaves it.
        """
        node, controller = self._node, self._node.controller
        with controller.lock:
            controller.compare()
            law, known = controller.law, controller.known
            time, trajectory = controller.time, controller.trajectory
            for point, rows in ((desired, law.reference), (actual, law.measured[:known]),
                                (error, law.error[:known])):
                for field, row in zip(FIELDS, rows):
                    setattr(point, field, array.array('d', row.tobytes()))
        if trajectory is not None:
            for point in (desired, actual):
                set_stamp(point.time_from_start, round((time - trajectory.start) * 1e9))
        set_stamp(message.header.stamp, node.epoch + round(time * 1e9))

    def _publish(self):
        node = self._node
        if node.loop is None or not node.controller.phase.gives_torque:
            return
        state = self._type(joint_names=list(node.controller.joint_names))
        self.fill(state, state.reference, state.feedback, state.error)
        state.output.effort = array.array('d', node.controller.tau.tobytes())
        if hasattr(state, 'speed_scaling_factor'):      # not in Humble's control_msgs
            state.speed_scaling_factor = 1.0
        self._publisher.publish(state)
