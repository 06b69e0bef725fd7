# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A look now and then at a lock-step: to begin it, and to help where it does not go on."""

from __future__ import annotations

import time

from rclpy.clock import Clock, ClockType

LOOK = 0.05         # [s] of wall time between two looks
ACQUAINTANCE = 0.3  # [s] after which nodes that know each other exchange messages both ways
PATIENCE = 3.0      # [s] of wall time without a command before the state is told again


class LockStepWatch:
    """Begin a Simulator's lock-step when someone can answer, and help where it does not go on.

    Should the first command be lost while nodes are still finding each other, the braked arm
    stands while a period passes: a state with an old stamp gets no second answer. Later the
    last state is told again, and `waiting_for` says what is missing.

    count_listeners, count_commanders: functions that return how many there are.
    """

    def __init__(self, node, count_listeners, count_commanders):
        self._node = node
        self._count_listeners, self._count_commanders = count_listeners, count_commanders
        self._told = False          # whether the state at the start went out
        self.step_passed()
        self._timer = node.create_timer(LOOK, self._look,
                                        clock=Clock(clock_type=ClockType.STEADY_TIME))

    def step_passed(self):
        """Note that time goes on."""
        self._last, self.waiting_for = time.monotonic(), ''

    def stop(self):
        """End it."""
        self._node.destroy_timer(self._timer)

    def _look(self):
        node = self._node
        with node.lock:
            if node.pacer is None or node.paused:
                return
            if not self._told and not node.pacer.begun:
                self._begin()
            elif time.monotonic() - self._last >= PATIENCE:
                self._help()

    def _begin(self):
        if not (self._count_commanders() and self._count_listeners()):
            self.step_passed()
        elif time.monotonic() - self._last > ACQUAINTANCE:
            self._told = True
            self.step_passed()
            self._node.publish_state()

    def _help(self):
        node = self._node
        if not node.pacer.begun:
            node.simulation.advance()
        else:
            self.step_passed()
            self.waiting_for = f'the command at {node.pacer.stamp(node.k) * 1e-9:.6f} s'
            node.get_logger().warning(f'waiting for {self.waiting_for}')
        node.publish_state()
