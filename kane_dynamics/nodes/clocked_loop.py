# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A function called at a fixed rate, on wall time or on ROS time; what is missed is counted."""

from __future__ import annotations

import os
import threading
import time
import traceback

from rclpy.clock import ClockType

from kane_dynamics.exceptions import InputError
from kane_dynamics.nodes.loop_statistics import LoopStatistics

LONGEST_SLEEP = 0.1     # [s] between two looks whether to end


class WallLoop:
    """Call step(now) from a thread of its own at t0 + k T, k = 1, 2, ... of the monotonic clock.

    now is the system's time [ns], which is ROS time where use_sim_time is false. Deadlines are
    absolute, so that nothing drifts. A cycle that would begin after the next deadline is missed:
    it is counted and left out, and the loop goes on with the deadline that is still ahead.

    Args:
        rate: cycles per second [Hz].
        step: what to call. It may return how long it computed [s], without what it published;
            else all of its time counts. An exception goes to on_error, and the loop goes on.
        logger: a ROS logger.
        priority: 1 .. 99 asks for SCHED_FIFO at this priority; 0 for ordinary scheduling.
        on_error: called with an exception of step; by default it is logged.
    """

    def __init__(self, rate, step, logger, priority=0, on_error=None):
        if not rate > 0.0:
            raise InputError(f'rate must be positive [Hz], got {rate}')
        self.period = 1.0 / rate
        self.statistics = LoopStatistics(self.period)
        self._step, self._logger, self._priority = step, logger, priority
        self._on_error = on_error or (lambda error: logger.error(
            'cycle failed: ' + ''.join(traceback.format_exception(error))))
        self._running = False
        self._thread = None

    def start(self):
        """Begin; the first cycle is one period from now."""
        self._running = True
        self._thread = threading.Thread(target=self._run, name='clocked_loop', daemon=True)
        self._thread.start()

    def stop(self):
        """End after the running cycle, or soon, and wait for it, unless the loop itself asks."""
        self._running = False
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._thread = None

    def _run(self):
        if self._priority:
            request_fifo(self._priority, self._logger)
        clock, note = time.perf_counter, self.statistics.note
        step, period = self._step, self.period
        t0 = clock()
        k = 0
        while self._running:
            k += 1
            remaining = t0 + k * period - clock()
            while remaining > LONGEST_SLEEP and self._running:     # a slow loop ends soon too
                time.sleep(LONGEST_SLEEP)
                remaining = t0 + k * period - clock()
            if not self._running:
                return
            if remaining > 0.0:
                time.sleep(remaining)  # absolute inside: clock_nanosleep, Python 3.11 on
            began = clock()
            late = int((began - t0) / period) - k
            if late > 0:
                self.statistics.missed += late
                k += late
            took = None
            try:
                took = step(time.time_ns())
            except Exception as error:  # a node must go on to hold the arm
                self._on_error(error)
            note(began, clock() - began if took is None else took)


class RosTimerLoop:
    """Call step(now) every period of the node's clock, from its executor: for use_sim_time.

    now [ns] is the node's time. rclpy skips ticks when time runs in larger steps than the period
    or the executor is late; here they are counted as missed. A jump back in time starts anew.
    """

    def __init__(self, rate, step, node, on_error=None):
        if not rate > 0.0:
            raise InputError(f'rate must be positive [Hz], got {rate}')
        self.period = 1.0 / rate
        self.statistics = LoopStatistics(self.period)
        self._step, self._node = step, node
        self._on_error = on_error or (lambda error: node.get_logger().error(
            'cycle failed: ' + ''.join(traceback.format_exception(error))))
        self._timer = None
        self._last = None

    def start(self):
        """Begin; the first tick is one period from now, on the node's clock."""
        self._last = None
        self._timer = self._node.create_timer(self.period, self._tick,
                                              clock=self._node.get_clock())

    def stop(self):
        """End."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _tick(self):
        now = self._node.get_clock().now().nanoseconds
        if self._last is not None and now > self._last:
            self.statistics.missed += max(round((now - self._last) * 1e-9 / self.period) - 1, 0)
        self._last = now
        took, began = None, time.perf_counter()
        try:
            took = self._step(now)
        except Exception as error:
            self._on_error(error)
        self.statistics.note(now * 1e-9,
                             time.perf_counter() - began if took is None else took)


def make_loop(node, rate, step, priority=0, on_error=None):
    """Return the loop that the node's use_sim_time asks for, not yet started."""
    if uses_sim_time(node):
        return RosTimerLoop(rate, step, node, on_error)
    return WallLoop(rate, step, node.get_logger(), priority, on_error)


def uses_sim_time(node):
    """Return whether the node's clock follows /clock."""
    clock = node.get_clock()
    return clock.clock_type == ClockType.ROS_TIME and clock.ros_time_is_active


def request_fifo(priority, logger):
    """Ask for SCHED_FIFO for the calling thread; return whether the system granted it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except (AttributeError, OSError, ValueError) as error:
        logger.warning(
            f'SCHED_FIFO {priority} is not permitted ({error}); the loop runs at ordinary '
            'priority. Allow it with `ulimit -r` or /etc/security/limits.conf: rtprio')
        return False
    logger.info(f'the loop runs under SCHED_FIFO, priority {priority}')
    return True
