# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Pacing of the simulated periods: by the wall clock, by /clock, or by the commands."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import time

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.cdr import NANOSECONDS
from kane_dynamics.numerics.array_types import FloatArray

FIRST_STAMP = NANOSECONDS   # [ns] of simulated time at the start: a stamp of 0 means "not set"
MOST_AT_ONCE = 50           # largest number of late periods in one cycle
FURTHEST = 10.0             # [s]: largest plausible lead of a stamp or a clock


class Pacer:
    """The stamp [ns] of every period k: origin + k period."""

    started = True          # whether the origin is known

    def __init__(self, period: int, origin: int) -> None:
        self.period, self.origin = period, origin
        self.slipped = 0            # periods given up because the machine was too slow

    def stamp(self, k: int) -> int:
        """Return the start of period k [ns]."""
        return self.origin + k * self.period

    def nearest(self, stamp: int) -> int:
        """Return the period whose start is nearest to a stamp [ns]."""
        return (stamp - self.origin + self.period // 2) // self.period

    def due(self, k: int, now: int) -> int:
        """Return the number of periods due at ROS time now [ns] after k periods."""
        return 0

    def resume(self, k: int, now: int) -> None:
        """Continue with period k at ROS time now [ns], after a pause."""


class WallPacer(Pacer):
    """A pacer by the wall clock: `factor` simulated seconds per second.

    origin None: stamps are the system's time, also after periods were given up.
    """

    def __init__(self, period: int, factor: float, origin: int | None = None,
                 clock: Callable[[], float] = time.perf_counter) -> None:
        self._system = origin is None
        super().__init__(period, time.time_ns() if origin is None else origin)
        self._wall, self._clock = period * 1e-9 / factor, clock
        self._begin = clock()

    def due(self, k: int, now: int) -> int:
        """Return the number of periods due after k periods, by the wall clock."""
        # + 0.1: a cycle may wake a little early
        due = int((self._clock() - self._begin) / self._wall + 0.1) - k
        if due > MOST_AT_ONCE:
            self._shift((due - MOST_AT_ONCE) * self._wall)
            self.slipped += due - MOST_AT_ONCE
            due = MOST_AT_ONCE
        return due

    def resume(self, k: int, now: int) -> None:
        """Continue with period k after a pause."""
        self._shift(self._clock() - self._begin - k * self._wall)

    def _shift(self, seconds: float) -> None:
        self._begin += seconds
        if self._system:
            self.origin += round(seconds * 1e9)


class ClockPacer(Pacer):
    """A pacer by the ROS time of the node; period 0 starts at the first tick."""

    def __init__(self, period: int) -> None:
        super().__init__(period, 0)
        self.started = False
        self.jumps = 0

    def due(self, k: int, now: int) -> int:
        """Return the number of periods due at ROS time now [ns] after k periods."""
        if not self.started:
            self.resume(k, now)
        due = (now - self.origin) // self.period - k
        if due < 0 or due * self.period > FURTHEST * NANOSECONDS:
            self.jumps += 1
            self.resume(k, now)
            return 0
        return due

    def resume(self, k: int, now: int) -> None:
        """Continue with period k at ROS time now [ns], after a pause or a jump."""
        self.origin, self.started = now - k * self.period, True


class CommandPacer(Pacer):
    """A pacer by the commands (lock-step): a period passes when its command has arrived.

    A command without a stamp is for the next period, one with a stamp for the period that starts
    then. If the first waiting command is for a later period, none can arrive for the periods
    before it, because a topic keeps its order: these pass with the previous command.
    """

    def __init__(self, period: int) -> None:
        super().__init__(period, FIRST_STAMP)
        # pairs of a period, None for the next one, and its torques
        self._waiting: deque[tuple[int | None, FloatArray]] = deque()
        self.old = 0                # commands for past periods
        self.begun = False          # whether a command has arrived since the start

    def put(self, tau: FloatArray, stamp: int, k: int) -> None:
        """Add torques for the period that starts at a stamp [ns], 0 for the next, k periods in."""
        if stamp == 0:
            self._waiting.append((None, tau))
            return
        period = self.nearest(stamp)
        if (period - k) * self.period > FURTHEST * NANOSECONDS:
            ahead = (period - k) * self.period * 1e-9
            raise InputError(f'command refused: its stamp is {ahead:g} s ahead of simulated '
                             'time; does its sender use_sim_time?')
        if period < k or (self._waiting and (self._waiting[-1][0] or k) > period):
            self.old += 1
            return
        self._waiting.append((period, tau))

    def next(self, k: int) -> tuple[bool, FloatArray | None]:
        """Return (go, tau): whether period k may pass, and its command (None: the previous)."""
        waiting = self._waiting
        if not waiting:
            return False, None
        self.begun = True
        period, tau = waiting[0]
        if period is not None and period > k:
            return True, None
        waiting.popleft()
        return True, tau

    def clear(self) -> None:
        """Discard the waiting commands; the next command starts the lock-step again."""
        self._waiting.clear()
        self.begun = False
