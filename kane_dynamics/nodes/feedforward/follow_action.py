# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Action ~/follow_joint_trajectory, if control_msgs is installed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TYPE_CHECKING

import numpy as np
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.clock import Clock, ClockType
from rclpy.task import Future

from kane_dynamics.control.phase import Phase
from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.io.text import clean
from kane_dynamics.nodes.feedforward.controller_state import ControllerState
from kane_dynamics.nodes.feedforward.goals import AskedTolerances
from kane_dynamics.nodes.messages.conversions import goal_from_message, nanoseconds
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.nodes.feedforward.node import Feedforward
    from kane_dynamics.trajectory.goal.tolerances import Tolerances
    from kane_dynamics.trajectory.trajectory import Trajectory


def make(node: Feedforward) -> FollowAction | None:
    """Return the FollowAction of a Feedforward node; log and return None without control_msgs."""
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


class _ActiveGoal(NamedTuple):
    trajectory: Trajectory
    tolerances: Tolerances
    times: FloatArray       # of the points that were sent [s]


class FollowAction:
    """An action server that follows one goal at a time; a new goal aborts the old one."""

    def __init__(self, node: Feedforward, action_type: Any, state: ControllerState) -> None:
        self._node, self._type, self._state = node, action_type, state
        self._active: Any = None    # goal handle
        self._done: Any = None      # Future of its result
        self._goal: _ActiveGoal | None = None
        self._server = ActionServer(
            node, action_type, '~/follow_joint_trajectory', execute_callback=self._execute,
            goal_callback=self._on_goal, handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel)
        node.create_timer(  # on a steady clock: works while ROS time is stopped, too
            1.0 / node.settings.action_monitor_rate, self._monitor,
            clock=Clock(clock_type=ClockType.STEADY_TIME))

    # -- goals ---------------------------------------------------------------------------------

    def _on_goal(self, request: Any) -> GoalResponse:
        node = self._node
        try:
            goal = goal_from_message(request.trajectory, node.epoch)
            accepted = node.take_goal(lambda: goal, AskedTolerances(
                _rows(request.path_tolerance), _rows(request.goal_tolerance),
                nanoseconds(request.goal_time_tolerance) * 1e-9))
        except KaneDynamicsError as error:
            node.get_logger().error(clean(error), throttle_duration_sec=1.0)
            return GoalResponse.REJECT
        self._end('abort', 'INVALID_GOAL', 'replaced by a new goal')
        times = np.asarray(goal.times)
        frequency = node.settings.policy_frequency
        if frequency and not times.any():
            times = np.arange(1, len(times) + 1) / frequency
        self._goal = _ActiveGoal(*accepted, times)
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle: Any) -> None:
        self._active, self._done = handle, Future()
        handle.execute()

    def _on_cancel(self, handle: Any) -> CancelResponse:
        # the arm stops now; `_monitor` ends the goal
        node, goal = self._node, self._goal
        if (handle is self._active and goal is not None and node.configured
                and node.controller.trajectory is goal.trajectory):
            node.controller.hold_position()
        return CancelResponse.ACCEPT

    async def _execute(self, handle: Any) -> Any:
        # `_monitor` ends the goal; awaiting does not block the executor
        return await self._done

    def _end(self, how: str, code: str, text: str) -> None:
        """End the active goal; how: 'succeed', 'abort' or 'canceled'."""
        handle, self._active = self._active, None
        if handle is None:
            return
        getattr(handle, how)()
        result = self._type.Result()
        result.error_code, result.error_string = getattr(self._type.Result, code), text
        self._done.set_result(result)

    # -- progress ------------------------------------------------------------------------------

    def _monitor(self) -> None:
        handle, goal, node = self._active, self._goal, self._node
        if handle is None or goal is None or not handle.is_active:
            return
        if not node.active:
            self._end('abort', 'INVALID_GOAL', f'the node is {node.state}')
            return
        controller = node.controller
        if handle.is_cancel_requested:
            self._end('canceled', 'SUCCESSFUL', 'cancelled: holding position')
            return
        with controller.lock:
            followed, (given_up, code, text) = controller.trajectory, controller.last_given_up
        if followed is not goal.trajectory:
            if given_up is goal.trajectory:
                self._end('abort', code, text)
            else:
                self._end('abort', 'INVALID_GOAL', controller.fault_text
                          or 'replaced by another trajectory')
        elif controller.time is not None:
            self._publish_feedback(handle, goal, controller.time)
            self._end_if_reached(goal)

    def _publish_feedback(self, handle: Any, goal: _ActiveGoal, time: float) -> None:
        feedback = self._type.Feedback(joint_names=list(self._node.controller.joint_names))
        self._state.fill(feedback, feedback.desired, feedback.actual, feedback.error)
        if hasattr(feedback, 'index'):      # not in Jazzy's control_msgs
            feedback.index = int(np.searchsorted(goal.times, time - goal.trajectory.start,
                                                 side='right'))
        handle.publish_feedback(feedback)

    def _end_if_reached(self, goal: _ActiveGoal) -> None:
        """End a goal that is reached; the controller gives up a goal that is missed."""
        controller = self._node.controller
        with controller.lock:
            if (controller.phase is not Phase.RUNNING or not controller.following
                    or controller.time is None or controller.time < goal.trajectory.end):
                return
            controller.compare()
            if goal.tolerances.goal_violation(*controller.law.error[:controller.known]):
                return
            controller.finish()
        self._end('succeed', 'SUCCESSFUL', 'goal reached')


def _rows(tolerances: Iterable[Any]) -> list[tuple[str, float, float, float]]:
    return [(each.name, each.position, each.velocity, each.acceleration) for each in tolerances]
