# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Progress of long work in one line of the error stream, which is erased at the end."""

from __future__ import annotations

from collections.abc import Callable
import sys
import threading
import time
from types import TracebackType
from typing import TextIO

WIDTH = 30
FIRST_AFTER = 1.0       # [s] that work may take before the line appears
EVERY = 0.1             # [s] between two updates
BEAT = 0.5              # [s] between two updates of the elapsed time, whatever the work does


class Progress:
    """A line with a bar, which shows how much of a known amount is done, and the elapsed time.

    total: the amount; None: unknown, only the elapsed time is shown. show: True draws always,
    False never, None if the stream is a terminal and the work takes longer than a second. beat:
    update the elapsed time also while the work reports nothing, from another thread.
    """

    def __init__(self, total: float | None, label: str, show: bool | None = None,
                 stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic,
                 beat: bool = True) -> None:
        self._total, self._label, self._clock = total, label, clock
        self._stream = sys.stderr if stream is None else stream
        terminal = getattr(self._stream, 'isatty', bool)()
        self._shown = terminal if show is None else bool(show)
        self._erased = terminal
        self._start = clock()
        self._next = self._start + (0.0 if show else FIRST_AFTER)
        self._drawn, self._done = False, 0.0
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True) if (
            beat and terminal and self._shown) else None

    def __enter__(self) -> Progress:
        if self._heart is not None:
            self._heart.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._ended.set()
        if self._heart is not None:
            self._heart.join()
        if self._drawn:
            self._stream.write('\r\x1b[K' if self._erased else '\n')    # erase to the line's end
            self._stream.flush()

    def reach(self, done: float, label: str | None = None) -> None:
        """Draw the line at `done` of the total, at most every tenth of a second.

        label: of the work from here on.
        """
        if not self._shown:
            return
        with self._lock:
            self._done, self._label = done, self._label if label is None else label
            now = self._clock()
            last = self._drawn and self._total is not None and done >= self._total
            if now >= self._next or last:
                self._draw(now)

    def _beat(self) -> None:
        while not self._ended.wait(BEAT):
            with self._lock:
                now = self._clock()
                if now >= self._next:
                    self._draw(now)

    def _draw(self, now: float) -> None:
        self._next = now + EVERY
        elapsed = now - self._start
        if self._total is None:
            text = f'{self._label} ... {elapsed:.0f} s'
        else:
            part = min(max(self._done / self._total, 0.0), 1.0) if self._total else 1.0
            filled = int(WIDTH * part)
            left = elapsed * (1.0 / part - 1.0) if part > 0.0 else float('inf')
            rest = f'{left:5.0f} s left' if left < 1e6 else ''
            text = (f'{self._label} [{"#" * filled}{"." * (WIDTH - filled)}] '
                    f'{100.0 * part:3.0f} % {rest:<13}')
        self._stream.write(f'\r{text}' + ('\x1b[K' if self._erased else ''))
        self._stream.flush()
        self._drawn = True
