# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How much faster, or slower, a motion could be run within all limits.

The one-parameter search of Vukobratovic and Potkonjak (1982, 5.3): the time of the task is changed
until a limit is met; here the whole motion keeps its shape, q(alpha t).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kane_dynamics.motion.recording import Motion

SLOWEST, FASTEST = 1.0 / 64.0, 16.0
RESOLUTION = 0.002      # of alpha, relative
COARSE = 1001           # samples that the search looks at; the result is tried on all of them


class Pace(NamedTuple):
    """The largest alpha [-] within all limits; 0.0: none, not even at rest; None: not sought.

    binding: the Check that stops it, or None at the fastest that was tried.
    """

    alpha: float | None
    binding: object = None


def faster(motion, alpha):
    """Return the Motion run alpha times as fast."""
    start = motion.t[0]
    return Motion(start + (motion.t - start) / alpha, motion.q, alpha * motion.qd,
                  alpha**2 * motion.qdd)


def largest_pace(motion, judge, now):
    """Return the Pace of a motion; judge(motion) gives a Verdict, `now` is that at alpha = 1."""
    fixed = [check for check in now.checks if check.kind == 'position' and not check.passed]
    if fixed:
        return Pace(0.0, fixed[0])
    coarse = _thinned(motion)

    def verdict(alpha, whole=False):
        return judge(faster(motion if whole else coarse, alpha))
    low, high = (1.0, 2.0) if now.passed else (0.5, 1.0)
    while now.passed and high <= FASTEST and verdict(high).passed:
        low, high = high, 2.0 * high
    while not now.passed and not verdict(low).passed:
        low, high = 0.5 * low, low
        if low < SLOWEST:
            return Pace(0.0, judge(faster(coarse, SLOWEST)).worst)
    if high > FASTEST:
        return Pace(FASTEST)
    while high / low > 1.0 + RESOLUTION:
        middle = math.sqrt(low * high)
        if verdict(middle).passed:
            low = middle
        else:
            high = middle
    # peaks between the samples of the search
    for _ in range(20):
        if low == 1.0 or verdict(low, whole=True).passed:
            break
        low *= 1.0 - RESOLUTION
    return Pace(low, verdict(high).worst)


def _thinned(motion):
    """Return every k-th sample, the ends and the moments of the largest rates with them."""
    count = len(motion.t)
    if count <= COARSE:
        return motion
    chosen = np.unique(np.concatenate([
        np.linspace(0, count - 1, COARSE).astype(int),
        *(np.abs(rows).argmax(axis=0) for rows in (motion.q, motion.qd, motion.qdd))]))
    return Motion(*(rows[chosen] for rows in (motion.t, motion.q, motion.qd, motion.qdd)))
