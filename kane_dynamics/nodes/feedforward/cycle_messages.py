# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of the feedforward node in every cycle: torques, elastic states, tip deflection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TYPE_CHECKING

from geometry_msgs.msg import Vector3Stamped
import numpy as np
from rclpy.clock import Clock, ClockType
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from kane_dynamics.io.cdr import NANOSECONDS
from kane_dynamics.nodes.common import qos
from kane_dynamics.nodes.common.optional_publishers import OptionalPublishers
from kane_dynamics.nodes.messages.message_bytes import CommandsBytes, StateBytes

if TYPE_CHECKING:
    from kane_dynamics.control.controller import Controller
    from kane_dynamics.nodes.feedforward.arm_setup import FeedforwardSetup
    from kane_dynamics.nodes.feedforward.elastic_output import ElasticOutput
    from kane_dynamics.nodes.feedforward.node import Feedforward

TOPICS = ((Float64MultiArray, '~/commands'), (JointState, '~/effort'))
ELASTIC_TOPICS = ((JointState, '~/elastic_states'), (Vector3Stamped, '~/tip_deflection'))
COUNT_PERIOD = 0.1      # [s] between two counts of the subscribers


class CycleMessages:
    """The publishers of a node's cycles; options: those of create_lifecycle_publisher.

    Elastic topics are advertised for flexible arms and published only while they have subscribers.
    Counting subscribers costs more than publishing, so a slow timer does it outside the cycles.
    """

    def __init__(self, node: Feedforward, options: Mapping[str, Any]) -> None:
        self._node = node
        self._timer: Any = None
        self._subscribed: list[tuple[Any, Callable[[int], bytes]]] = []
        self._publishers = [node.create_lifecycle_publisher(kind, topic, qos.RELIABLE, **options)
                            for kind, topic in TOPICS]
        self._elastic_publishers = OptionalPublishers(node, ELASTIC_TOPICS)

    def connect(self, controller: Controller, setup: FeedforwardSetup,
                elastic: ElasticOutput | None) -> None:
        """Publish the torques of a Controller from now on, and those of an ElasticOutput."""
        law, self._order, self._elastic = controller.law, setup.command_order, elastic
        self._sources = (law.r_q, law.r_qd, controller.tau)
        self._rows = (self._sources if self._order is None     # in the order of `joints`
                      else tuple(np.zeros((3, len(self._order)))))
        self._lead = round(controller.lead_time * NANOSECONDS)      # of the elastic state
        joints, (position, velocity, effort) = setup.command_joints, self._rows
        self._commands = CommandsBytes(joints, effort)
        self._effort = StateBytes(joints, position, velocity, effort)
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer, self._subscribed = None, []
        self._elastic_publishers.advertise(elastic is not None)
        if elastic is not None:
            self._timer = self._node.create_timer(
                COUNT_PERIOD, self._count_subscribers,
                clock=Clock(clock_type=ClockType.STEADY_TIME))

    def rivals(self) -> tuple[str, int]:
        """Return the topic of the commands and the number of other publishers on it."""
        topic = self._publishers[0].topic_name
        return topic, self._node.count_publishers(topic) - 1

    def _count_subscribers(self) -> None:
        if self._elastic is None:
            return
        pairs = zip(self._elastic_publishers.publishers, (self._elastic.state, self._elastic.tip))
        self._subscribed = [(publisher, message) for publisher, message in pairs
                            if publisher.get_subscription_count()]

    def at(self, stamp: int) -> list[tuple[Any, bytes]]:
        """Return pairs of a publisher and its serialized message with a stamp [ns]."""
        if self._order is not None:
            for source, row in zip(self._sources, self._rows):
                source.take(self._order, out=row)
        commands, effort = self._publishers
        messages = [(commands, self._commands.now()), (effort, self._effort.stamped(stamp))]
        if self._elastic is not None:
            self._elastic.look()
            messages += [(publisher, message(stamp + self._lead))
                         for publisher, message in self._subscribed]
        return messages

    def publish(self, messages: Iterable[tuple[Any, bytes]]) -> None:
        """Publish the pairs that `at` returned."""
        for publisher, message in messages:
            publisher.publish(message)
