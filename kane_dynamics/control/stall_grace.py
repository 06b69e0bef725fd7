# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Stall grace: distinguishes a silent publisher from a stall of this process."""

from __future__ import annotations

SHORTEST_STALL = 20_000_000     # [ns] between two calls that counts as a stall
GRACE = 50_000_000              # [ns] for messages to arrive after a stall


class StallGrace:
    """Excuse states that are not fresh for a short time after this process itself stalled.

    Messages sent during the stall wait in the sockets of the middleware: acting on the last state
    received would be wrong, and leaving the mode premature. Only a process that had fresh states
    before the stall is excused, so that the grace ends.

    period: [s] between two calls.
    """

    def __init__(self, period: float) -> None:
        self._longest = max(round(3e9 * period), SHORTEST_STALL)
        self._last: int | None = None       # [ns]
        self._until: int | None = None      # [ns]
        self._was_fresh = False

    def note(self, now: int) -> None:
        """Note that the process runs at `now` [ns]."""
        if self._last is not None and now - self._last > self._longest and self._was_fresh:
            self._until = now + GRACE
        self._last = now

    def excuses(self, now: int, fresh: bool) -> bool:
        """Note that the process runs; return whether states that are not fresh are excused."""
        self.note(now)
        self._was_fresh = fresh
        return not fresh and self._until is not None and now < self._until
