# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Publishers that a node creates only for some arms, such as those of elastic states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rclpy.lifecycle import LifecycleNode

from kane_dynamics.nodes.common import qos


class OptionalPublishers:
    """Lifecycle publishers of a node that exist only while they are advertised.

    topics: pairs of a message type and a name. `publishers` has one for each, or is empty.
    """

    def __init__(self, node: LifecycleNode, topics: Sequence[tuple[type, str]]) -> None:
        self._node, self._topics = node, topics
        self.publishers: list[Any] = []

    def advertise(self, wanted: bool) -> None:
        """Create the publishers, or destroy them."""
        if wanted == bool(self.publishers):
            return
        for publisher in self.publishers:
            self._node.destroy_lifecycle_publisher(publisher)
        self.publishers = [] if not wanted else [
            self._node.create_lifecycle_publisher(
                kind, topic, qos.RELIABLE, qos_overriding_options=qos.overridable())
            for kind, topic in self._topics]
