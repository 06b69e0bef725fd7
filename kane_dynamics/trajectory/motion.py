# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Blocks of samples: raw measurements of joints, and motion with velocity and acceleration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kane_dynamics.io.shown import ShownOnRobot
from kane_dynamics.numerics.array_types import FloatArray


@dataclass(frozen=True, eq=False)
class Samples:
    """A block of N measurements of n joints at strictly increasing times.

    t (N,) [s] since the start of the recording; position, velocity, effort (N, n) in SI units,
    the last two None where the recording does not have them. `begins`: the block does not follow
    from the one before (the first one, or time went back).
    """

    t: FloatArray
    position: FloatArray
    velocity: FloatArray | None = None
    effort: FloatArray | None = None
    begins: bool = False

    def __len__(self) -> int:
        return len(self.t)


@dataclass(frozen=True, eq=False)
class Motion(ShownOnRobot):
    """A block of N samples of a motion of n joints: t (N,) [s], q, qd, qdd (N, n) in SI units.

    effort (N, n): the measured effort [N m or N], or None. errors (3, N, n): a random sample of
    the errors of q, qd and qdd, if known.
    """

    t: FloatArray
    q: FloatArray
    qd: FloatArray
    qdd: FloatArray
    effort: FloatArray | None = None
    errors: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        span = f', {self.t[0]:.4g} ... {self.t[-1]:.4g} s' if len(self) else ''
        return f'Motion({self.q.shape[1]} joints, {len(self)} samples{span})'

    def between(self, start: float, end: float) -> Motion:
        """Return the part with start <= t < end [s]."""
        first, last = np.searchsorted(self.t, [start, end])
        part = slice(first, last)
        return Motion(self.t[part], self.q[part], self.qd[part], self.qdd[part],
                      None if self.effort is None else self.effort[part],
                      None if self.errors is None else self.errors[:, part])
