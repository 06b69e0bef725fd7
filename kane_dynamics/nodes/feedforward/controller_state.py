# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""State of the feedforward node's trajectory: ~/controller_state and ~/query_state."""

from __future__ import annotations

import array
from typing import Any, TYPE_CHECKING

from rclpy.clock import Clock, ClockType

from kane_dynamics.nodes.common import qos
from kane_dynamics.nodes.messages.conversions import nanoseconds, seconds_since, set_stamp

if TYPE_CHECKING:
    from kane_dynamics.nodes.feedforward.node import Feedforward

FIELDS = ('positions', 'velocities', 'accelerations')


class ControllerState:
    """Publisher of JointTrajectoryControllerState and service QueryTrajectoryState."""

    def __init__(self, node: Feedforward, state_type: Any, query_type: Any) -> None:
        self._node, self._type = node, state_type
        self._publisher = node.create_lifecycle_publisher(
            state_type, '~/controller_state', qos.RELIABLE,
            qos_overriding_options=qos.overridable())
        node.create_service(query_type, '~/query_state', self._on_query, qos_profile=qos.SERVICE)
        rate = node.settings.state_publish_rate
        if rate > 0.0:
            node.create_timer(1.0 / rate, self._publish,
                              clock=Clock(clock_type=ClockType.STEADY_TIME))

    def fill(self, message: Any, desired: Any, actual: Any, error: Any) -> None:
        """Write the stamp, the points and their time_from_start as of the last cycle.

        Fields that are not measured stay empty, as in joint_trajectory_controller.
        """
        node, controller = self._node, self._node.controller
        with controller.lock:
            controller.compare()
            law, known = controller.law, controller.known
            time, trajectory = controller.time, controller.trajectory
            if time is None:        # no cycle yet
                return
            for point, rows in ((desired, law.reference), (actual, law.measured[:known]),
                                (error, law.error[:known])):
                for field, row in zip(FIELDS, rows):
                    setattr(point, field, array.array('d', row.tobytes()))
        if trajectory is not None:
            for point in (desired, actual):
                set_stamp(point.time_from_start, round((time - trajectory.start) * 1e9))
        set_stamp(message.header.stamp, node.epoch + round(time * 1e9))

    def _publish(self) -> None:
        node = self._node
        if not (node.active and node.controller.phase.gives_torque):
            return
        state = self._type(joint_names=list(node.controller.joint_names))
        self.fill(state, state.reference, state.feedback, state.error)
        state.output.effort = array.array('d', node.controller.tau.tobytes())
        if hasattr(state, 'speed_scaling_factor'):      # not in Humble's control_msgs
            state.speed_scaling_factor = 1.0
        self._publisher.publish(state)

    def _on_query(self, request: Any, response: Any) -> Any:
        node = self._node
        trajectory = node.controller.trajectory if node.active else None
        if trajectory is None:
            response.message = ('there is no trajectory' if node.active
                                else f'the node is {node.state}')
            return response
        response.name = list(trajectory.joint_names)
        time = seconds_since(node.epoch, nanoseconds(request.time)) - trajectory.start
        if time < trajectory.times[0]:
            response.message = (f'{trajectory.times[0] - time:.6f} s before the start of the '
                                'trajectory, or of its stored part')
            return response
        position, velocity, acceleration, _ = trajectory.sample(time + trajectory.start)
        response.position, response.velocity, response.acceleration = (
            array.array('d', row) for row in (position, velocity, acceleration))
        response.success = bool(time < trajectory.times[-1])
        if not response.success:
            response.message = 'after the end of the trajectory, whose last point is held'
        return response
