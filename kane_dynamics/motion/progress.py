# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A progress bar for long work, on the error stream."""

from __future__ import annotations

import sys
import time

WIDTH = 30
FIRST_AFTER = 1.0       # [s] that work may take before a bar appears
EVERY = 0.1             # [s] between two pictures


class Progress:
    """Draw how much of a known amount is done.

    show: True draws always, False never, None where the stream is a terminal and the work takes
    longer than a second.
    """

    def __init__(self, total, label, show=None, stream=None, clock=time.monotonic):
        self._total, self._label, self._clock = total, label, clock
        self._stream = sys.stderr if stream is None else stream
        terminal = getattr(self._stream, 'isatty', bool)()
        self._shown = terminal if show is None else bool(show)
        self._start = clock()
        self._next = self._start + (0.0 if show else FIRST_AFTER)
        self._drawn = False

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self._drawn:
            self._stream.write('\n')
            self._stream.flush()

    def reach(self, done):
        """Draw the bar at `done` of the total, if it is time to."""
        if not self._shown:
            return
        now = self._clock()
        if now < self._next and not (self._drawn and done >= self._total):
            return
        self._next = now + EVERY
        part = min(max(done / self._total, 0.0), 1.0) if self._total else 1.0
        filled = int(WIDTH * part)
        left = (now - self._start) * (1.0 / part - 1.0) if part > 0.0 else float('inf')
        rest = f'{left:5.0f} s left' if left < 1e6 else ''
        self._stream.write(f'\r{self._label} [{"#" * filled}{"." * (WIDTH - filled)}] '
                           f'{100.0 * part:3.0f} % {rest:<13}')
        self._stream.flush()
        self._drawn = True
