# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""When simulated periods pass: with the wall clock, with /clock, or with the commands."""

from __future__ import annotations

from collections import deque
import time

from kane_dynamics.exceptions import InputError
from kane_dynamics.nodes.conversions import NANOSECONDS

FIRST_STAMP = NANOSECONDS   # [ns] of simulated time at the start: a stamp of 0 means "not set"
MOST_AT_ONCE = 50           # periods that are caught up with in one cycle
FURTHEST = 10.0             # [s] that a stamp or a clock may lie ahead and be believed


class Pacer:
    """Know the stamp [ns] of every period k and how many periods are due."""

    def __init__(self, period, origin):
        self.period, self.origin = period, origin
        self.slipped = 0            # periods that were given up because time ran away

    def stamp(self, k):
        """Return when period k begins [ns]."""
        return self.origin + k * self.period

    def nearest(self, stamp):
        """Return the period whose beginning is nearest to a stamp [ns]."""
        return (stamp - self.origin + self.period // 2) // self.period


class WallPacer(Pacer):
    """Let periods pass with the wall clock, `factor` simulated seconds per second.

    origin None: stamps are the system's time, and stay so when periods are given up.
    """

    def __init__(self, period, factor, origin=None, clock=time.perf_counter):
        self._system = origin is None
        super().__init__(period, time.time_ns() if self._system else origin)
        self._wall, self._clock = period * 1e-9 / factor, clock
        self._begin = clock()

    def due(self, k, now=None):
        """Return how many periods are due when k are over."""
        # a cycle that is woken a little early still counts
        due = int((self._clock() - self._begin) / self._wall + 0.1) - k
        if due > MOST_AT_ONCE:
            self._shift((due - MOST_AT_ONCE) * self._wall)
            self.slipped += due - MOST_AT_ONCE
            due = MOST_AT_ONCE
        return due

    def resume(self, k, now=None):
        """Go on after a pause: period k is next."""
        self._shift(self._clock() - self._begin - k * self._wall)

    def _shift(self, seconds):
        self._begin += seconds
        if self._system:
            self.origin += round(seconds * 1e9)


class ClockPacer(Pacer):
    """Let periods pass with the ROS time of the node; the first tick is the beginning."""

    def __init__(self, period):
        super().__init__(period, None)
        self.jumps = 0

    def due(self, k, now):
        """Return how many periods are due at ROS time now [ns] when k are over."""
        if self.origin is None:
            self.origin = now - k * self.period
        due = (now - self.origin) // self.period - k
        if due < 0 or due * self.period > FURTHEST * NANOSECONDS:
            self.jumps += 1
            self.resume(k, now)
            return 0
        return due

    def resume(self, k, now):
        """Go on after a pause or a jump: period k is next."""
        self.origin = now - k * self.period


class CommandPacer(Pacer):
    """Let a period pass when its command is there: lock-step.

    A command without a stamp is for the next period. One with a stamp is for the period that
    begins then; while the first one waiting is for a later period, none can come for those
    before (a topic keeps its order), and they pass with what was commanded before.
    """

    def __init__(self, period):
        super().__init__(period, FIRST_STAMP)
        self._waiting = deque()
        self.old = 0                # commands for periods that were over
        self.begun = False          # whether there was a command since the start

    def put(self, tau, stamp, k):
        """Take torques for the period that begins at a stamp [ns]; 0: not set; k is next."""
        if stamp == 0:
            self._waiting.append((None, tau))
            return
        period = self.nearest(stamp)
        if (period - k) * self.period > FURTHEST * NANOSECONDS:
            ahead = (period - k) * self.period * 1e-9
            raise InputError(f'command refused: its stamp lies {ahead:g} s ahead of simulated '
                             'time; does its sender use_sim_time?')
        if period < k or (self._waiting and (self._waiting[-1][0] or k) > period):
            self.old += 1
            return
        self._waiting.append((period, tau))

    def next(self, k):
        """Return (go, tau): whether period k may pass, and its command (None: as before)."""
        waiting = self._waiting
        if not waiting:
            return False, None
        self.begun = True
        period, tau = waiting[0]
        if period is not None and period > k:
            return True, None
        waiting.popleft()
        return True, tau

    def clear(self):
        """Drop what waits; the next command begins anew."""
        self._waiting.clear()
        self.begun = False
