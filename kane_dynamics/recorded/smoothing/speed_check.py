# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Consistency check of recorded velocities against recorded positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray

SLOPE = 0.1       # largest deviation of the ratio of the two from 1
STILL = 1e-3      # [rad/s or m/s] root mean square: slower joints are not checked


class SpeedCheck:
    """Accumulate speeds v (measured) and w (from positions), both filtered, and compare them.

    slope = sum v w / sum w^2 is 1 for a correct driver; 0 where it fills in zeros, 57.3 for
    degrees, -1 for a wrong sign, the gear ratio for the speed of a motor.
    """

    def __init__(self, n: int) -> None:
        self.count = 0
        self._vw, self._ww = np.zeros(n), np.zeros(n)

    def add(self, v: FloatArray, w: FloatArray) -> None:
        """Add speeds (N, n) of both kinds."""
        self.count += len(v)
        self._vw += np.einsum('ij,ij->j', v, w)
        self._ww += np.einsum('ij,ij->j', w, w)

    def slopes(self) -> FloatArray:
        """Return the ratio per joint (n,), 1 where the joint hardly moves."""
        moving = self._ww > self.count * STILL**2
        return np.where(moving, self._vw / np.where(moving, self._ww, 1.0), 1.0)

    def verify(self, joint_names: Sequence[str]) -> None:
        """Raise for joints whose velocities contradict their positions."""
        slopes = self.slopes()
        wrong = np.flatnonzero(~(np.abs(slopes - 1.0) <= SLOPE)).tolist()
        if wrong:
            which = ', '.join(f'{joint_names[j]!r} {slopes[j]:.3g} times' for j in wrong)
            raise InputError(
                f'recorded velocities contradict the positions: {which} the change of position; '
                "use speeds='position' (on the command line: --speeds position)")
