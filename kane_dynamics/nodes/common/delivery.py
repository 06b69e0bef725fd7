# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Delivery of the last messages of a process.

Reliable publishers keep a message until every subscriber has acknowledged it, but not beyond their
own end: a subscriber on a busy computer loses what it has not received when the process exits.
"""

from __future__ import annotations

import time

from rclpy.duration import Duration
from rclpy.node import Node

LONGEST_DELIVERY = 5.0      # [s]: `ros2 launch` kills a process 10 s after SIGINT


def wait_for_delivery(node: Node, timeout: float = LONGEST_DELIVERY) -> list[str]:
    """Wait until subscribers have acknowledged the messages of all publishers of a node.

    Returns the topics with unacknowledged messages after `timeout` [s]. Best-effort publishers and
    middlewares without acknowledgement (rmw_zenoh) do not wait.
    """
    until = time.monotonic() + timeout
    late = []
    for publisher in list(node.publishers):
        remaining = max(until - time.monotonic(), 0.0)
        try:
            if not publisher.wait_for_all_acked(Duration(seconds=remaining)):
                late.append(publisher.topic_name)
        except RuntimeError:    # RCLError: not supported by the middleware
            continue
    return late
