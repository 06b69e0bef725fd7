# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The arm's URDF: from a parameter, a file or a latched topic, in this order."""

from __future__ import annotations

from rclpy.clock import Clock, ClockType
from std_msgs.msg import String

from kane_dynamics.nodes.parameters import Parameter, Schema
from kane_dynamics.nodes.qos import LATCHED

SCHEMA = Schema(
    Parameter('robot_description', 'str', '', 'URDF text of the arm; comes first where it is '
              'given', why_fixed='the model is compiled from it'),
    Parameter('robot_description_file', 'str', '', 'path of a URDF (or xacro) file, where '
              '`robot_description` is empty; without both the topic `robot_description` is '
              'awaited', why_fixed='the model is compiled from it'),
)


class Description:
    """Find the URDF of a node; warn each second while the topic is silent.

    Args:
        node: the node; it has the parameters of SCHEMA.
        parameters: its Parameters.
        on_text: called when a description that can be used has arrived on the topic.
    """

    def __init__(self, node, parameters, on_text):
        self.refused = 0      # descriptions that came while the model was in use
        self._node, self._parameters, self._on_text = node, parameters, on_text
        self._from_topic = ''
        self._in_use = None
        self._subscription = self._timer = None
        if not self.source:
            self._await_topic()

    @property
    def source(self):
        """Return the description as load_urdf takes it (text or path), '' while there is none."""
        return (self._parameters['robot_description'].strip()
                or self._parameters['robot_description_file'] or self._from_topic)

    def use(self):
        """Return the source and refuse others from now on, until `release`."""
        self._in_use = self.source
        return self._in_use

    def release(self):
        """Let another description come."""
        self._in_use = None

    def _await_topic(self):
        self._subscription = self._node.create_subscription(
            String, 'robot_description', self._received, LATCHED)
        self._timer = self._node.create_timer(
            1.0, self._warn, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _warn(self):
        if self.source:
            self._node.destroy_timer(self._timer)
            return
        self._node.get_logger().warning(
            f"waiting for robot_description on '{self._subscription.topic_name}' (or set the "
            'parameter robot_description or robot_description_file)')

    def _received(self, message):
        if self._in_use is None:
            self._from_topic = message.data.strip()
            if self.source:
                self._on_text()
        elif message.data.strip() != self._in_use:
            self.refused += 1
            self._node.get_logger().error(
                'a second robot_description is refused: the first one is in use. Deactivate and '
                'clean up the node to load another')
