# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the feedforward node says at every cycle: torques, and what bends."""

from __future__ import annotations

from geometry_msgs.msg import Vector3Stamped
import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from kane_dynamics.nodes import qos
from kane_dynamics.nodes.message_bytes import CommandsBytes, StateBytes

TOPICS = ((Float64MultiArray, '~/commands'), (JointState, '~/effort'),
          (JointState, '~/elastic_states'), (Vector3Stamped, '~/tip_deflection'))


class CycleMessages:
    """The publishers of a node's cycles; options: of its publishers."""

    def __init__(self, node, options):
        self._publishers = [node.create_lifecycle_publisher(kind, topic, qos.RELIABLE, **options)
                            for kind, topic in TOPICS]

    def connect(self, controller, settings, elastic):
        """Tell of a Controller from now on; elastic: an ElasticOutput or None."""
        law, self._order, self._elastic = controller.law, settings.command_order, elastic
        self._told = self._sources = (law.r_q, law.r_qd, controller.tau)
        if self._order is not None:
            self._told = np.zeros((3, len(self._order)))
        joints = settings.command_joints
        self._commands = CommandsBytes(joints, self._told[2])
        self._effort = StateBytes(joints, *self._told)

    def at(self, stamp):
        """Return the messages for the moment `stamp` [ns], serialized, in the order of TOPICS."""
        if self._order is not None:
            for source, told in zip(self._sources, self._told):
                source.take(self._order, out=told)
        elastic = () if self._elastic is None else self._elastic.messages(stamp)
        return self._commands.now(), self._effort.stamped(stamp), *elastic

    def publish(self, messages):
        """Publish what `at` returned."""
        for publisher, message in zip(self._publishers, messages):
            publisher.publish(message)
