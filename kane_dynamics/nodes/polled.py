# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions that a loop asks by itself, without an executor in between.

A message costs an rclpy executor a few hundred microseconds: a new wait set, a task, a callback.
A loop that looks at its inputs once a cycle anyway takes them for a tenth of that.
"""

from __future__ import annotations

from rclpy.callback_groups import CallbackGroup


class Polled(CallbackGroup):
    """A group whose subscriptions no executor serves; `take_all` does."""

    def can_execute(self, entity):
        """Return False: the executor leaves them out of its wait set."""
        return False

    def beginning_execution(self, entity):
        """Return False, as for `can_execute`."""
        return False

    def ending_execution(self, entity):
        """Do nothing: nothing began."""


def take_all(subscription):
    """Yield the messages that wait at a subscription, in order."""
    handle = subscription.handle
    with handle:
        while True:
            taken = handle.take_message(subscription.msg_type, subscription.raw)
            if taken is None:
                return
            yield taken[0]
