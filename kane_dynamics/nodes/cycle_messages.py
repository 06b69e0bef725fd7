# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the feedforward node says at every cycle: torques, and what bends."""

from __future__ import annotations

from geometry_msgs.msg import Vector3Stamped
import numpy as np
from rclpy.clock import Clock, ClockType
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from kane_dynamics.nodes import qos
from kane_dynamics.nodes.conversions import NANOSECONDS
from kane_dynamics.nodes.message_bytes import CommandsBytes, StateBytes

TOPICS = ((Float64MultiArray, '~/commands'), (JointState, '~/effort'),
          (JointState, '~/elastic_states'), (Vector3Stamped, '~/tip_deflection'))
LISTEN = 0.1    # [s] between two looks whether somebody listens


class CycleMessages:
    """The publishers of a node's cycles; options: of its publishers.

    Of what bends only what somebody listens to is told. To ask costs more than to tell, so that it
    is asked now and then, outside the cycles.
    """

    def __init__(self, node, options):
        self._node, self._timer, self._heard = node, None, ()
        self._publishers = [node.create_lifecycle_publisher(kind, topic, qos.RELIABLE, **options)
                            for kind, topic in TOPICS]

    def connect(self, controller, settings, elastic):
        """Tell of a Controller from now on; elastic: an ElasticOutput or None."""
        law, self._order, self._elastic = controller.law, settings.command_order, elastic
        self._told = self._sources = (law.r_q, law.r_qd, controller.tau)
        if self._order is not None:
            self._told = np.zeros((3, len(self._order)))
        self._ahead = round(controller.lead_time * NANOSECONDS)     # of links that bend
        joints = settings.command_joints
        self._commands = CommandsBytes(joints, self._told[2])
        self._effort = StateBytes(joints, *self._told)
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer, self._heard = None, ()
        if elastic is not None:
            self._timer = self._node.create_timer(
                LISTEN, self._ask, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def rivals(self):
        """Return the topic of the commands and how many others publish on it."""
        topic = self._publishers[0].topic_name
        return topic, self._node.count_publishers(topic) - 1

    def _ask(self):
        pairs = zip(self._publishers[2:], (self._elastic.state, self._elastic.tip))
        self._heard = [(publisher, tell) for publisher, tell in pairs
                       if publisher.get_subscription_count()]

    def at(self, stamp):
        """Return pairs of a publisher and its message for the moment `stamp` [ns], serialized."""
        if self._order is not None:
            for source, told in zip(self._sources, self._told):
                source.take(self._order, out=told)
        commands, effort = self._publishers[:2]
        messages = [(commands, self._commands.now()), (effort, self._effort.stamped(stamp))]
        if self._elastic is not None:
            self._elastic.look()
            messages += [(publisher, tell(stamp + self._ahead)) for publisher, tell in self._heard]
        return messages

    def publish(self, messages):
        """Publish what `at` returned."""
        for publisher, message in messages:
            publisher.publish(message)
