# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a Feedforward node tells of its trajectory: ~/controller_state and ~/query_state."""

from __future__ import annotations

import array

from rclpy.clock import Clock, ClockType

from kane_dynamics.nodes import qos
from kane_dynamics.nodes.conversions import nanoseconds, seconds_since, set_stamp

FIELDS = ('positions', 'velocities', 'accelerations')


class ControllerState:
    """Publish control_msgs/JointTrajectoryControllerState and answer QueryTrajectoryState."""

    def __init__(self, node, state_type, query_type):
        self._node, self._type = node, state_type
        self._publisher = node.create_lifecycle_publisher(
            state_type, '~/controller_state', qos.RELIABLE,
            qos_overriding_options=qos.overridable())
        node.create_service(query_type, '~/query_state', self._on_query)
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

    def _on_query(self, request, response):
        node = self._node
        trajectory = None if node.loop is None else node.controller.trajectory
        if trajectory is None:
            response.message = ('there is no trajectory' if node.loop is not None
                                else f'the node is {node.state}')
            return response
        response.name = list(trajectory.joint_names)
        time = seconds_since(node.epoch, nanoseconds(request.time)) - trajectory.start
        if time < trajectory.times[0]:
            response.message = (f'{trajectory.times[0] - time:.6f} s before the trajectory, or '
                                'what is kept of it, begins')
            return response
        position, velocity, acceleration, _ = trajectory.sample(time + trajectory.start)
        response.position, response.velocity, response.acceleration = (
            array.array('d', row) for row in (position, velocity, acceleration))
        response.success = bool(time < trajectory.times[-1])
        if not response.success:
            response.message = 'the trajectory has ended by then; its last point is held'
        return response
