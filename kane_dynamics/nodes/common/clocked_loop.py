# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Loops at a fixed rate on wall time or ROS time, with counts of missed cycles and clock jumps."""

from __future__ import annotations

from collections.abc import Callable
import os
import threading
import time
import traceback
from typing import Any, Protocol, TypeAlias

from rclpy.clock import ClockType, JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node

from kane_dynamics.exceptions import InputError
from kane_dynamics.nodes.common.loop_statistics import LoopStatistics

LONGEST_SLEEP = 0.1     # [s]; the loop then checks whether to stop

Step: TypeAlias = Callable[[int], float | None]
OnError: TypeAlias = Callable[[Exception], object]


class Loop(Protocol):
    """A loop that calls a function every `period` [s] between start and stop."""

    period: float
    statistics: LoopStatistics

    def start(self) -> None:
        """Start; the first cycle is one period from now."""

    def stop(self) -> None:
        """Stop after the current cycle."""


class WallLoop:
    """Call step(now) from a separate thread at t0 + k T, k = 1, 2, ... of the monotonic clock.

    now is the system time [ns], which is ROS time if use_sim_time is false. Deadlines are
    absolute, so the loop does not drift. A cycle that would start after the next deadline is
    skipped and counted as missed, and the loop continues at the next deadline in the future.

    Args:
        rate: cycles per second [Hz].
        step: the function. It may return its computing time [s] without the time to publish;
            otherwise its whole duration counts. The loop continues after an exception.
        logger: a ROS logger.
        priority: 1 .. 99 requests SCHED_FIFO at this priority; 0 keeps the default scheduling.
        on_error: called with an exception of step; by default it is logged.
    """

    def __init__(self, rate: float, step: Step, logger: Any, priority: int = 0,
                 on_error: OnError | None = None) -> None:
        if not rate > 0.0:
            raise InputError(f'rate must be positive [Hz], got {rate}')
        self.period = 1.0 / rate
        self.statistics = LoopStatistics(self.period)
        self._step, self._logger, self._priority = step, logger, priority
        self._on_error = on_error or (lambda error: logger.error(
            'cycle failed: ' + ''.join(traceback.format_exception(error))))
        self._running = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start; the first cycle is one period from now."""
        self._running = True
        self._thread = threading.Thread(target=self._run, name='clocked_loop', daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current cycle; wait for it unless called from the loop itself."""
        self._running = False
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._thread = None

    def _run(self) -> None:
        if self._priority:
            request_fifo(self._priority, self._logger)
        clock, note = time.perf_counter, self.statistics.note
        step, period = self._step, self.period
        t0 = clock()
        k = 0
        while self._running:
            k += 1
            remaining = t0 + k * period - clock()
            while remaining > LONGEST_SLEEP and self._running:     # slow loops stop soon too
                time.sleep(LONGEST_SLEEP)
                remaining = t0 + k * period - clock()
            if not self._running:
                return
            if remaining > 0.0:
                time.sleep(remaining)  # clock_nanosleep to an absolute time since Python 3.11
            began = clock()
            late = int((began - t0) / period) - k
            if late > 0:
                self.statistics.missed += late
                k += late
            took = None
            try:
                took = step(time.time_ns())
            except Exception as error:  # the node must continue to hold the arm
                self._on_error(error)
            note(began, clock() - began if took is None else took)


class RosTimerLoop:
    """Call step(now) every period of the node's clock from its executor: for use_sim_time.

    now [ns] is the node's time. rclpy skips ticks when time advances by more than a period or the
    executor is late; these are counted as missed. A clock jump (backward, or forward by more than
    `jump` [s] and ten periods) causes no missed cycles; the measured periods restart there.
    """

    def __init__(self, rate: float, step: Step, node: Node, on_error: OnError | None = None,
                 jump: float = 1.0) -> None:
        if not rate > 0.0:
            raise InputError(f'rate must be positive [Hz], got {rate}')
        self.period = 1.0 / rate
        self._jump = max(jump, 10.0 * self.period)
        self.statistics = LoopStatistics(self.period)
        self._step, self._node = step, node
        self._on_error = on_error or (lambda error: node.get_logger().error(
            'cycle failed: ' + ''.join(traceback.format_exception(error))))
        self._timer: Any = None
        self._last: int | None = None

    def start(self) -> None:
        """Start; the first tick is one period from now on the node's clock."""
        self._last = None
        self._timer = self._node.create_timer(self.period, self._tick,
                                              clock=self._node.get_clock())

    def stop(self) -> None:
        """Stop."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _tick(self) -> None:
        now = self._node.get_clock().now().nanoseconds
        passed = self.period if self._last is None else (now - self._last) * 1e-9
        if 0.0 <= passed <= self._jump:
            self.statistics.missed += max(round(passed / self.period) - 1, 0)
        else:
            self.statistics.restart()
        self._last = now
        took, began = None, time.perf_counter()
        try:
            took = self._step(now)
        except Exception as error:
            self._on_error(error)
        self.statistics.note(now * 1e-9,
                             time.perf_counter() - began if took is None else took)


def make_loop(node: Node, rate: float, step: Step, priority: int = 0,
              on_error: OnError | None = None, jump: float = 1.0) -> Loop:
    """Return a loop for the node's clock (use_sim_time), not yet started.

    jump [s]: a larger step of simulated time counts as a clock jump.
    """
    if uses_sim_time(node):
        return RosTimerLoop(rate, step, node, on_error, jump)
    return WallLoop(rate, step, node.get_logger(), priority, on_error)


def uses_sim_time(node: Node) -> bool:
    """Return whether the node's clock follows /clock."""
    clock = node.get_clock()
    return clock.clock_type == ClockType.ROS_TIME and clock.ros_time_is_active


def request_fifo(priority: int, logger: Any) -> bool:
    """Request SCHED_FIFO for the calling thread; return whether the system granted it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except (AttributeError, OSError, ValueError) as error:
        logger.warning(
            f'SCHED_FIFO {priority} is not permitted ({error}); the loop runs with the '
            'default scheduling. Permit it with `ulimit -r` or rtprio in '
            '/etc/security/limits.conf')
        return False
    logger.info(f'the loop runs under SCHED_FIFO, priority {priority}')
    return True


class ClockWatch:
    """Detect jumps of a node's clock by more than a threshold [s].

    The system clock should run with the monotonic clock: `look` compares them. Simulated time may
    run at any speed in steps below the threshold, but not backward; rclpy reports its jumps.

    Args:
        node: the node whose clock is watched.
        threshold: [s].
        on_jump: called with the jump [ns].
    """

    def __init__(self, node: Node, threshold: float, on_jump: Callable[[int], object]) -> None:
        self._threshold, self._on_jump = threshold * 1e9, on_jump
        self._offset: int | None = None
        self._handle: Any = None
        if uses_sim_time(node):
            self._handle = node.get_clock().create_jump_callback(
                JumpThreshold(min_forward=Duration(seconds=threshold),
                              min_backward=Duration(nanoseconds=-1), on_clock_change=False),
                post_callback=lambda jump: on_jump(jump.delta.nanoseconds))

    def look(self) -> None:
        """Compare the system time with the monotonic clock; to be called in every cycle."""
        if self._handle is not None:
            return
        offset = time.time_ns() - time.monotonic_ns()
        if self._offset is not None and abs(offset - self._offset) > self._threshold:
            self._on_jump(offset - self._offset)
        self._offset = offset

    def end(self) -> None:
        """Stop watching."""
        if self._handle is not None:
            self._handle.unregister()
