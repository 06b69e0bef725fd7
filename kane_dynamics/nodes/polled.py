# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions that a thread serves by itself, without an executor in between.

A message costs an rclpy executor a few hundred microseconds: a new wait set of all that the node
has, a task, a callback. A loop that looks at its inputs once a cycle, or a thread that waits for
one subscription alone, takes them for a quarter of that.
"""

from __future__ import annotations

import threading
import traceback

from rclpy.callback_groups import CallbackGroup
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy

from kane_dynamics.nodes.clocked_loop import request_fifo

LOOK = 50_000_000   # [ns] between two looks whether to end


class Polled(CallbackGroup):
    """A group whose subscriptions no executor serves while `polled`; `take_all` does.

    Nor does it serve their events: waiting for one, Fast DDS wakes for every message as well.
    """

    polled = True

    def can_execute(self, entity):
        """Return whether the executor may wait for it."""
        return not self.polled

    def beginning_execution(self, entity):
        """Return whether the executor may serve it now."""
        return not self.polled

    def ending_execution(self, entity):
        """Do nothing: members do not exclude each other."""


class Listener:
    """Hand the messages of a subscription in a Polled group to its callback, from a thread.

    priority: 1 .. 99 asks for SCHED_FIFO at this priority; 0 for ordinary scheduling.
    """

    def __init__(self, node, subscription, priority=0):
        self._node, self._subscription, self._priority = node, subscription, priority
        self._running = False
        self._thread = None

    def start(self):
        """Take the subscription from the executor."""
        self._subscription.callback_group.polled = self._running = True
        self._thread = threading.Thread(target=self._run, name='listener', daemon=True)
        self._thread.start()

    def stop(self):
        """Give it back; the callback does not run any more when this returns."""
        self._running = False
        self._thread.join()
        self._subscription.callback_group.polled = False
        if self._node.executor is not None:
            self._node.executor.wake()      # to wait for it too

    def _run(self):
        subscription = self._subscription
        if self._priority:
            request_fifo(self._priority, self._node.get_logger())
        handle, callback = subscription.handle, subscription.callback
        with handle:
            wait_set = _rclpy.WaitSet(1, 0, 0, 0, 0, 0, self._node.context.handle)
            while self._running and self._node.context.ok():
                wait_set.clear_entities()
                wait_set.add_subscription(handle)
                wait_set.wait(LOOK)
                try:
                    for message in take_all(subscription):
                        callback(message)
                except Exception:
                    self._node.get_logger().error(f'a callback failed: {traceback.format_exc()}')


def take_all(subscription):
    """Yield the messages that wait at a subscription, in order."""
    handle = subscription.handle
    with handle:
        while True:
            taken = handle.take_message(subscription.msg_type, subscription.raw)
            if taken is None:
                return
            yield taken[0]
