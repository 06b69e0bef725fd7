# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Whose fault it is when states are late: their sender's, or this process's, which stood still."""

from __future__ import annotations

SHORTEST = 20_000_000   # [ns] between two signs of life that counts as standing still
GRACE = 50_000_000      # [ns] that messages get to come in after that


class Patience:
    """Excuse states that are not fresh for a moment after the process itself stood still.

    What was sent meanwhile waits in the sockets of the middleware. Acting on the last state that
    was taken would be wrong, and giving up the mode would be hasty. Only a process that had fresh
    states before is excused, so that the moment does not last.

    period: [s] between two signs of life.
    """

    def __init__(self, period):
        self._longest = max(round(3e9 * period), SHORTEST)
        self._last = self._until = None     # [ns]
        self._was_fresh = False

    def look(self, now):
        """Give a sign of life at `now` [ns]."""
        if self._last is not None and now - self._last > self._longest and self._was_fresh:
            self._until = now + GRACE
        self._last = now

    def excuses(self, now, fresh):
        """Give a sign of life; return whether states that are not fresh may be on their way."""
        self.look(now)
        self._was_fresh = fresh
        return not fresh and self._until is not None and now < self._until
