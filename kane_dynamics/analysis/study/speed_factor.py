# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Largest factor by which a motion can be sped up, or must be slowed down, within all limits.

The one-parameter search of Vukobratovic and Potkonjak (1982, 5.3): the duration of the task is
changed until a limit is met; here the whole motion keeps its shape, q(alpha t).
"""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import NamedTuple, TYPE_CHECKING

import numpy as np

from kane_dynamics.analysis.study.loads import Loads
from kane_dynamics.analysis.study.verdict import Check, COLLISION, Verdict

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics

SLOWEST, FASTEST = 1.0 / 64.0, 16.0
RESOLUTION = 0.002      # of alpha, relative
COARSE = 1001           # samples used by the search; its result is verified on all samples


class SpeedFactor(NamedTuple):
    """The largest alpha [-] within all limits; 0.0: none, not even at rest; None: not computed.

    binding: the Check that limits it, or None at the largest factor that was tried.
    """

    alpha: float | None
    binding: Check | None = None


def largest_speed_factor(dynamics: Dynamics, loads: Loads, judge: Callable[[Loads], Verdict],
                         now: Verdict) -> SpeedFactor:
    """Return the SpeedFactor of a motion with given Loads; `now` is the Verdict at alpha = 1."""
    fixed = [check for check in now.checks
             if check.kind in ('position', COLLISION) and not check.passed]
    if fixed:
        return SpeedFactor(0.0, fixed[0])
    coarse = _thinned(loads)

    def verdict(alpha: float, samples: Loads = coarse) -> Verdict:
        return judge(samples.at_speed(dynamics, alpha))
    low, high = (1.0, 2.0) if now.passed else (0.5, 1.0)
    while now.passed and high <= FASTEST and verdict(high).passed:
        low, high = high, 2.0 * high
    while not now.passed and not verdict(low).passed:
        low, high = 0.5 * low, low
        if low < SLOWEST:
            return SpeedFactor(0.0, verdict(SLOWEST).worst)
    if high > FASTEST:
        return SpeedFactor(FASTEST)
    while high / low > 1.0 + RESOLUTION:
        middle = math.sqrt(low * high)
        if verdict(middle).passed:
            low = middle
        else:
            high = middle
    # peaks between the samples of the search
    for _ in range(20):
        if low == 1.0 or verdict(low, loads).passed:
            break
        low *= 1.0 - RESOLUTION
    return SpeedFactor(low, verdict(high).worst)


def _thinned(loads: Loads) -> Loads:
    """Return every k-th sample, the ends and the instants of the largest rates included."""
    motion, count = loads.motion, len(loads.motion)
    if count <= COARSE:
        return loads
    return loads.rows(np.unique(np.concatenate([
        np.linspace(0, count - 1, COARSE).astype(int),
        *(np.abs(rows).argmax(axis=0) for rows in (motion.q, motion.qd, motion.qdd))])))
