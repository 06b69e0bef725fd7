# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Stamps in increasing order: repeated and late ones are left out, a reset begins a new piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from kane_dynamics.numerics.array_types import FloatArray, IntArray
from kane_dynamics.recorded.bags.ledger import Ledger

RESET = 1_000_000_000    # [ns]: going back further is a reset of the clock
STRAY = 3                # messages in a row that may be late without a reset


class StampOrder:
    """Pass on rows whose stamps increase, from chunk to chunk.

    A repeated stamp is left out. So is an earlier one, as a message that was late; but when time
    goes back by a second, or stays back for more than three messages, the clock was reset and a
    new piece begins.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._last: int | None = None
        self._late = 0       # messages in a row that were earlier than the last one

    def pieces(self, position: Callable[[int], str], stamps: IntArray, numbers: FloatArray
               ) -> Iterator[tuple[bool, IntArray, FloatArray]]:
        """Yield (begins, stamps, numbers) of a chunk, cut where the clock was reset.

        position(k): the position of row k in the bag, for messages. begins: whether the rows do
        not follow those before.
        """
        if not len(stamps):
            return
        begins = self._last is None
        if (np.diff(stamps) > 0).all() and (self._last is None or stamps[0] > self._last):
            self._late = 0
            self._last = int(stamps[-1])
            yield begins, stamps, numbers
            return
        keep: list[int] = []
        resets: list[int] = []
        for k, stamp in enumerate(stamps.tolist()):
            if self._last is None or stamp > self._last:
                self._late = 0
            elif stamp == self._last:
                self._ledger.leave_out('with the stamp of the one before', 1, position(k))
                continue
            else:
                self._late += 1
                back = self._last - stamp
                if back < RESET and self._late <= STRAY:
                    self._ledger.leave_out('with a stamp earlier than the one before', 1,
                                           position(k), f'{back * 1e-9:.6f} s back')
                    continue
                self._ledger.note(f'time goes back by {back * 1e-9:.3f} s at {position(k)}: what '
                                  'follows is treated as another piece')
                self._late = 0
                resets.append(len(keep))
            keep.append(k)
            self._last = stamp
        bounds = sorted({0, *resets, len(keep)})
        for first, end in zip(bounds, bounds[1:]):
            rows = keep[first:end]
            yield begins and first == 0 or first in resets, stamps[rows], numbers[rows]
