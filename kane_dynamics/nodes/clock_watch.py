# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Jumps of the clock that a node's trajectories and stamps go by."""

from __future__ import annotations

import time

from rclpy.clock import JumpThreshold
from rclpy.duration import Duration

from kane_dynamics.nodes.clocked_loop import uses_sim_time


class ClockWatch:
    """Tell when a node's clock jumps by more than a threshold [s].

    The system's clock should run with the steady one: `look` compares them. Simulated time may run
    as fast as it likes in steps below the threshold, but not back; rclpy tells of its jumps.

    Args:
        node: whose clock to watch.
        threshold: [s].
        on_jump: called with the jump [ns].
    """

    def __init__(self, node, threshold, on_jump):
        self._threshold, self._on_jump = threshold * 1e9, on_jump
        self._offset = self._handle = None
        if uses_sim_time(node):
            self._handle = node.get_clock().create_jump_callback(
                JumpThreshold(min_forward=Duration(seconds=threshold),
                              min_backward=Duration(nanoseconds=-1), on_clock_change=False),
                post_callback=lambda jump: on_jump(jump.delta.nanoseconds))

    def look(self):
        """Compare the system's time with the steady clock; at every cycle."""
        if self._handle is not None:
            return
        offset = time.time_ns() - time.monotonic_ns()
        if self._offset is not None and abs(offset - self._offset) > self._threshold:
            self._on_jump(offset - self._offset)
        self._offset = offset

    def end(self):
        """Stop watching."""
        if self._handle is not None:
            self._handle.unregister()
