# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions served by a thread without an executor.

An rclpy executor needs a few hundred microseconds per message: a new wait set of all entities of
the node, a task, a callback. A loop that polls its inputs every cycle, or a thread that waits for
a single subscription, needs a quarter of that.
"""

from __future__ import annotations

from collections.abc import Iterator
import threading
import traceback
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.subscription import Subscription

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import clean, TRACE
from kane_dynamics.nodes.common.clocked_loop import request_fifo

LONGEST_WAIT = 50_000_000   # [ns]; the thread then checks whether to stop
MOST = 100                  # messages that are served in a row


class Polled(CallbackGroup):
    """A callback group whose subscriptions are served by `take_waiting`, not the executor.

    The executor does not serve their events either: Fast DDS would wake it for every message.
    `polled = False` returns the group to the executor.
    """

    polled = True

    def can_execute(self, entity: Any) -> bool:
        """Return whether the executor may wait for an entity."""
        return not self.polled

    def beginning_execution(self, entity: Any) -> bool:
        """Return whether the executor may serve an entity now."""
        return not self.polled

    def ending_execution(self, entity: Any) -> None:
        """Do nothing: the entities do not exclude each other."""


class Listener:
    """A thread that passes the messages of a subscription in a Polled group to its callback.

    priority: 1 .. 99 requests SCHED_FIFO at this priority; 0 keeps the default scheduling.
    """

    def __init__(self, node: Node, subscription: Subscription, priority: int = 0) -> None:
        self._node, self._subscription, self._priority = node, subscription, priority
        self._running = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Take the subscription from the executor."""
        self._subscription.callback_group.polled = self._running = True
        self._thread = threading.Thread(target=self._run, name='listener', daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Return the subscription to the executor, after the last callback has ended."""
        self._running = False
        if self._thread is not None:
            self._thread.join()
        self._subscription.callback_group.polled = False
        if self._node.executor is not None:
            self._node.executor.wake()      # to wait for this subscription too

    def _run(self) -> None:
        subscription = self._subscription
        if self._priority:
            request_fifo(self._priority, self._node.get_logger())
        handle, callback = subscription.handle, subscription.callback
        with handle:
            wait_set = _rclpy.WaitSet(1, 0, 0, 0, 0, 0, self._node.context.handle)
            while self._running and self._node.context.ok():
                wait_set.clear_entities()
                wait_set.add_subscription(handle)
                wait_set.wait(LONGEST_WAIT)
                try:
                    for message in take_waiting(subscription):
                        callback(message)
                except InputError as error:
                    self._node.get_logger().error(clean(error), throttle_duration_sec=1.0)
                except Exception:
                    trace = clean(traceback.format_exc(), TRACE, lines=True)
                    self._node.get_logger().error(f'a callback failed: {trace}',
                                                  throttle_duration_sec=1.0)


def take_waiting(subscription: Subscription) -> Iterator[Any]:
    """Yield the waiting messages of a subscription, oldest first, at most MOST.

    Without a limit, messages that arrive as fast as they are served would hold the caller for
    ever. A message that cannot be taken raises InputError; a new call goes on with the next.
    """
    handle = subscription.handle
    with handle:
        for _ in range(MOST):
            try:
                taken = handle.take_message(subscription.msg_type, subscription.raw)
            except Exception as error:
                raise not_taken(subscription, error) from None
            if taken is None:
                return
            yield taken[0]


def not_taken(entity: Any, error: Exception) -> InputError:
    """Return the error of a message that the middleware could not hand over."""
    name = getattr(entity, 'topic_name', None) or getattr(entity, 'srv_name', 'an event')
    return InputError(f'{name}: a message could not be taken: {type(error).__name__}: {error}')
