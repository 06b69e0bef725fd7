# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Supervision of lock-step simulation: its start, and recovery from a lost message."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import TYPE_CHECKING

from rclpy.clock import Clock, ClockType

from kane_dynamics.nodes.simulator.pacers import CommandPacer

if TYPE_CHECKING:
    from kane_dynamics.nodes.simulator.node import Simulator

CHECK_PERIOD = 0.05     # [s] of wall time
DISCOVERY = 0.3         # [s] after which nodes that found each other exchange messages
PATIENCE = 3.0          # [s] of wall time without a command before the state is repeated


class LockStepWatch:
    """Supervisor of a Simulator in lock-step.

    It publishes the first state when there are subscribers and publishers of commands. If the
    first command is lost during discovery, one period passes with the arm braked, because a
    controller does not answer a state with an old stamp again. Later, the last state is repeated
    and `waiting_for` names the missing command.

    count_listeners, count_commanders: functions that return the numbers of subscribers to the
    states and of publishers of commands.
    """

    def __init__(self, node: Simulator, pacer: CommandPacer, count_listeners: Callable[[], int],
                 count_commanders: Callable[[], int]) -> None:
        self._node, self._pacer = node, pacer
        self._count_listeners, self._count_commanders = count_listeners, count_commanders
        self._published = False     # the initial state
        self.step_passed()
        self._timer = node.create_timer(CHECK_PERIOD, self._check,
                                        clock=Clock(clock_type=ClockType.STEADY_TIME))

    def step_passed(self) -> None:
        """Note that a period has passed."""
        self._last, self.waiting_for = time.monotonic(), ''

    def stop(self) -> None:
        """Stop the supervision."""
        self._node.destroy_timer(self._timer)

    def _check(self) -> None:
        node = self._node
        with node.lock:
            if not node.active or node.paused:
                return
            if not self._published and not self._pacer.begun:
                self._begin()
            elif time.monotonic() - self._last >= PATIENCE:
                self._recover()

    def _begin(self) -> None:
        if not (self._count_commanders() and self._count_listeners()):
            self.step_passed()
        elif time.monotonic() - self._last > DISCOVERY:
            self._published = True
            self.step_passed()
            self._node.publish_state()

    def _recover(self) -> None:
        node = self._node
        if not self._pacer.begun:
            node.simulation.advance()
        else:
            self.step_passed()
            self.waiting_for = f'the command at {self._pacer.stamp(node.k) * 1e-9:.6f} s'
            node.get_logger().warning(f'waiting for {self.waiting_for}')
        node.publish_state()
