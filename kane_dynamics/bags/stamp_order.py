# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Stamps that increase: what repeats or goes back is left out, or begins anew."""

from __future__ import annotations

import numpy as np

RESET = 1_000_000_000    # [ns]: going back further is a new start of the clock
STRAY = 3                # messages in a row that may be late without being a new start


class StampOrder:
    """Pass on rows whose stamps increase, from chunk to chunk.

    A repeated stamp is left out. So is an earlier one, as a message that was late; but when time
    goes back by a second, or stays back for more than three messages, the clock was set back and
    a new piece begins there.
    """

    def __init__(self, ledger):
        self._ledger = ledger
        self._last = None
        self._back = []      # rows that were earlier than the last one, not yet judged

    def pieces(self, place, stamps, numbers):
        """Yield (begins, (stamps, numbers)) of a chunk; place(k) tells where row k stands."""
        if not len(stamps):
            return
        begins = self._last is None
        if (np.diff(stamps) > 0).all() and (begins or stamps[0] > self._last):
            self._back.clear()
            self._last = stamps[-1]
            yield begins, (stamps, numbers)
            return
        keep, resets = [], []
        for k, stamp in enumerate(stamps):
            if self._last is None or stamp > self._last:
                self._back.clear()
            elif stamp == self._last:
                self._ledger.leave_out('with the stamp of the one before', 1, place(k))
                continue
            else:
                self._back.append(k)
                if self._last - stamp < RESET and len(self._back) <= STRAY:
                    self._ledger.leave_out('with a stamp earlier than the one before', 1,
                                           place(k), f'{(self._last - stamp) * 1e-9:.6f} s back')
                    continue
                self._ledger.note(f'time goes back by {(self._last - stamp) * 1e-9:.3f} s at '
                                  f'{place(k)}: what follows is treated as another piece')
                self._back.clear()
                resets.append(len(keep))
            keep.append(k)
            self._last = stamp
        bounds = sorted({0, *resets, len(keep)})
        for first, end in zip(bounds, bounds[1:]):
            rows = keep[first:end]
            yield begins and first == 0 or first in resets, (stamps[rows], numbers[rows])
