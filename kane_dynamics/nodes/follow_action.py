# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The action ~/follow_joint_trajectory and ~/controller_state, where control_msgs is installed."""

from __future__ import annotations

import array

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.clock import Clock, ClockType
from rclpy.task import Future

from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.nodes import qos
from kane_dynamics.nodes.conversions import goal_from_message, nanoseconds, set_stamp


def make(node):
    """Return the FollowAction of a Feedforward node; None without control_msgs, with one line."""
    try:
        from control_msgs.action import FollowJointTrajectory
        from control_msgs.msg import JointTrajectoryControllerState
    except ImportError as error:
        node.get_logger().info(
            f'no action ~/follow_joint_trajectory and no ~/controller_state: {error}')
        return None
    return FollowAction(node, FollowJointTrajectory, JointTrajectoryControllerState)


class FollowAction:
    """Follow the goals of an action: one at a time, a new one aborts the old."""

    def __init__(self, node, action_type, state_type):
        self._node, self._type, self._state_type = node, action_type, state_type
        self._active = None      # the goal handle that is followed
        self._trajectory = self._tolerances = self._done = None
        self._violations = 0
        self._server = ActionServer(
            node, action_type, '~/follow_joint_trajectory', execute_callback=self._execute,
            goal_callback=self._on_goal, handle_accepted_callback=self._on_accepted,
            cancel_callback=lambda handle: CancelResponse.ACCEPT)
        self._states = node.create_lifecycle_publisher(
            state_type, '~/controller_state', qos.RELIABLE,
            qos_overriding_options=qos.overridable())
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # answers also while ROS time stands
        node.create_timer(1.0 / node.parameters['action_monitor_rate'], self._monitor,
                          clock=steady)
        rate = node.parameters['state_publish_rate']
        if rate > 0.0:
            node.create_timer(1.0 / rate, self._publish_state, clock=steady)

    # -- goals ---------------------------------------------------------------------------------

    def _on_goal(self, request):
        node = self._node
        try:
            if node.loop is None:
                raise InputError(f'goal refused: the node is {node.state}')
            defaults = node.settings.tolerances(node.parameters)
            try:
                tolerances = defaults.asked(
                    _rows(request.path_tolerance), _rows(request.goal_tolerance),
                    nanoseconds(request.goal_time_tolerance) * 1e-9)
            except InputError as error:  # as the controller: the defaults count then
                node.get_logger().warning(f'{error}; the default tolerances count')
                tolerances = defaults
            trajectory = node.take_goal(goal_from_message(request.trajectory, node.epoch))
        except KaneDynamicsError as error:
            node.get_logger().error(str(error))
            return GoalResponse.REJECT
        self._end('abort', 'INVALID_GOAL', 'a new goal came')
        self._trajectory, self._tolerances = trajectory, tolerances
        node.controller.set_path_tolerance(tolerances.path[:2])
        self._violations = node.controller.path_violations
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle):
        self._active, self._done = handle, Future()
        handle.execute()

    async def _execute(self, handle):
        # the monitor ends the goal; awaiting leaves the executor free
        return await self._done

    def _end(self, how, code, text):
        """End the active goal: succeed, abort or canceled."""
        handle, self._active = self._active, None
        if handle is None:
            return
        getattr(handle, how)()
        if self._node.controller is not None:
            self._node.settings.apply(self._node.parameters, self._node.controller)
        result = self._type.Result()
        result.error_code, result.error_string = getattr(self._type.Result, code), text
        self._done.set_result(result)

    # -- the way there -------------------------------------------------------------------------

    def _monitor(self):
        handle, node = self._active, self._node
        if handle is None or not handle.is_active:
            return
        if node.loop is None:
            self._end('abort', 'INVALID_GOAL', f'the node is {node.state}')
            return
        controller = node.controller
        if handle.is_cancel_requested:
            controller.hold_position()
            self._end('canceled', 'SUCCESSFUL', 'cancelled: holding position')
            return
        if controller.trajectory is not self._trajectory:
            if controller.path_violations > self._violations:
                self._end('abort', 'PATH_TOLERANCE_VIOLATED', controller.path_violation)
            else:
                self._end('abort', 'INVALID_GOAL', controller.fault_text
                          or 'another trajectory took its place')
            return
        feedback = self._type.Feedback(joint_names=list(controller.joint_names))
        self._fill(feedback, feedback.desired, feedback.actual, feedback.error)
        handle.publish_feedback(feedback)
        self._judge()

    def _judge(self):
        node, controller = self._node, self._node.controller
        now, end = node.seconds(), self._trajectory.end
        if now < end:
            return
        violation = None
        if node.measured() is not None:
            violation = self._tolerances.goal_violation(controller.law.e, controller.law.ed)
        if violation is None:
            self._end('succeed', 'SUCCESSFUL', 'goal reached')
        elif self._tolerances.goal_time and now > end + self._tolerances.goal_time:
            joint, kind, error, tolerance = violation
            self._end('abort', 'GOAL_TOLERANCE_VIOLATED',
                      f'{kind} of joint {joint!r} is {error:.4g} from its goal; the tolerance is '
                      f'{tolerance:.4g}')

    # -- state ---------------------------------------------------------------------------------

    def _fill(self, message, desired, actual, error):
        node, controller = self._node, self._node.controller
        with controller.lock:
            law = controller.law
            for point, rows in ((desired, (law.r_q, law.r_qd, law.r_qdd)),
                                (actual, (law.q, law.qd)), (error, (law.e, law.ed))):
                for field, row in zip(('positions', 'velocities', 'accelerations'), rows):
                    setattr(point, field, array.array('d', row.tobytes()))
        set_stamp(message.header.stamp, node.now())

    def _publish_state(self):
        node = self._node
        if node.loop is None or not node.controller.phase.gives_torque:
            return
        state = self._state_type(joint_names=list(node.controller.joint_names))
        self._fill(state, state.reference, state.feedback, state.error)
        state.output.effort = array.array('d', node.controller.tau.tobytes())
        self._states.publish(state)


def _rows(tolerances):
    return [(each.name, each.position, each.velocity, each.acceleration) for each in tolerances]
