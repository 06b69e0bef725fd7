# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The action ~/follow_joint_trajectory, where control_msgs is installed."""

from __future__ import annotations

import numpy as np
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.clock import Clock, ClockType
from rclpy.task import Future

from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.nodes.controller_state import ControllerState
from kane_dynamics.nodes.conversions import goal_from_message, nanoseconds
from kane_dynamics.nodes.phases import Phase


def make(node):
    """Return the FollowAction of a Feedforward node; None without control_msgs, with one line."""
    try:
        from control_msgs.action import FollowJointTrajectory
        from control_msgs.msg import JointTrajectoryControllerState
        from control_msgs.srv import QueryTrajectoryState
    except ImportError as error:
        node.get_logger().info(
            'no action ~/follow_joint_trajectory and no ~/controller_state, ~/query_state: '
            f'{error}')
        return None
    state = ControllerState(node, JointTrajectoryControllerState, QueryTrajectoryState)
    return FollowAction(node, FollowJointTrajectory, state)


class FollowAction:
    """Follow the goals of an action: one at a time, a new one aborts the old."""

    def __init__(self, node, action_type, state):
        self._node, self._type, self._state = node, action_type, state
        self._active = None      # the goal handle that is followed
        self._trajectory = self._times = self._tolerances = self._done = None
        self._server = ActionServer(
            node, action_type, '~/follow_joint_trajectory', execute_callback=self._execute,
            goal_callback=self._on_goal, handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel)
        node.create_timer(  # answers also while ROS time stands
            1.0 / node.parameters['action_monitor_rate'], self._monitor,
            clock=Clock(clock_type=ClockType.STEADY_TIME))

    # -- goals ---------------------------------------------------------------------------------

    def _on_goal(self, request):
        node = self._node
        try:
            if node.loop is None:
                raise InputError(f'goal refused: the node is {node.state}')
            tolerances = node.settings.tolerances(node.parameters)
            try:
                tolerances = tolerances.asked(
                    _rows(request.path_tolerance), _rows(request.goal_tolerance),
                    nanoseconds(request.goal_time_tolerance) * 1e-9)
            except InputError as error:  # as the controller
                node.get_logger().warning(f'{error}; the default tolerances count')
            goal = goal_from_message(request.trajectory, node.epoch)
            trajectory = node.take_goal(goal, tolerances)
        except KaneDynamicsError as error:
            node.get_logger().error(str(error))
            return GoalResponse.REJECT
        self._end('abort', 'INVALID_GOAL', 'a new goal came')
        self._trajectory, self._tolerances = trajectory, tolerances
        self._times = goal.times
        frequency = node.parameters['policy_frequency']
        if frequency and not goal.times.any():
            self._times = np.arange(1, len(goal.times) + 1) / frequency
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle):
        self._active, self._done = handle, Future()
        handle.execute()

    def _on_cancel(self, handle):
        # the arm stops now; the monitor ends the goal
        controller = self._node.controller
        if handle is self._active and controller and controller.trajectory is self._trajectory:
            controller.hold_position()
        return CancelResponse.ACCEPT

    async def _execute(self, handle):
        # the monitor ends the goal; awaiting leaves the executor free
        return await self._done

    def _end(self, how, code, text):
        """End the active goal: succeed, abort or canceled."""
        handle, self._active = self._active, None
        if handle is None:
            return
        getattr(handle, how)()
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
            self._end('canceled', 'SUCCESSFUL', 'cancelled: holding position')
            return
        with controller.lock:
            followed, (given_up, code, text) = controller.trajectory, controller.last_given_up
        if followed is not self._trajectory:
            if given_up is self._trajectory:
                self._end('abort', code, text)
            else:
                self._end('abort', 'INVALID_GOAL', controller.fault_text
                          or 'another trajectory took its place')
        elif controller.time is not None:
            self._feed_back(handle)
            self._judge()

    def _feed_back(self, handle):
        feedback = self._type.Feedback(joint_names=list(self._node.controller.joint_names))
        self._state.fill(feedback, feedback.desired, feedback.actual, feedback.error)
        if hasattr(feedback, 'index'):      # not in Jazzy's control_msgs
            since = self._node.controller.time - self._trajectory.start
            feedback.index = int(np.searchsorted(self._times, since, side='right'))
        handle.publish_feedback(feedback)

    def _judge(self):
        """End a goal that is reached; one that is missed is given up by the controller."""
        controller = self._node.controller
        with controller.lock:
            if (controller.phase is not Phase.RUNNING or not controller.following
                    or controller.time < self._trajectory.end):
                return
            controller.compare()
            if self._tolerances.goal_violation(*controller.law.error[:controller.known]):
                return
            controller.finish()
        self._end('succeed', 'SUCCESSFUL', 'goal reached')


def _rows(tolerances):
    return [(each.name, each.position, each.velocity, each.acceleration) for each in tolerances]
