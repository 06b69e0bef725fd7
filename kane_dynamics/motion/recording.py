# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded motion in blocks: what an arm's joints measured, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Samples:
    """A block of N measurements of n joints at strictly increasing times.

    t (N,) [s] since the start of the recording; position, velocity, effort (N, n) in SI units,
    the last two None where the recording does not have them. `begins`: the block does not follow
    from the one before (the first one, or time went back).
    """

    t: np.ndarray
    position: np.ndarray
    velocity: np.ndarray | None = None
    effort: np.ndarray | None = None
    begins: bool = False

    def __len__(self):
        return len(self.t)


@dataclass(frozen=True, eq=False)
class Motion:
    """A block of N states of n joints: t (N,) [s], q, qd, qdd and the measured effort (N, n)."""

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    effort: np.ndarray | None = None

    def __len__(self):
        return len(self.t)

    def between(self, start, end):
        """Return the part with start <= t < end [s]."""
        first, last = np.searchsorted(self.t, [start, end])
        return Motion(*(None if rows is None else rows[first:last] for rows in (
            self.t, self.q, self.qd, self.qdd, self.effort)))
