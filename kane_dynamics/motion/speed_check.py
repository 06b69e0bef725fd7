# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Whether recorded velocities are the derivatives of the recorded positions."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError

SLOPE = 0.1       # how far the ratio of the two may be from 1
STILL = 1e-3      # [rad/s or m/s] root mean square: slower joints tell nothing


class SpeedCheck:
    """Gather speeds v (measured) and w (from positions), filtered alike; compare them at the end.

    slope = sum v w / sum w^2 is 1 for a joint whose driver tells the truth; 0 where it fills in
    zeros, 57.3 in degrees, -1 with a wrong sign, the gear ratio for a motor's speed.
    """

    def __init__(self, n):
        self.count = 0
        self._vw, self._ww = np.zeros(n), np.zeros(n)

    def add(self, v, w):
        """Take speeds (N, n) of both kinds."""
        self.count += len(v)
        self._vw += np.einsum('ij,ij->j', v, w)
        self._ww += np.einsum('ij,ij->j', w, w)

    def slopes(self):
        """Return the ratio per joint (n,), 1 where the joint hardly moves."""
        moving = self._ww > self.count * STILL**2
        return np.where(moving, self._vw / np.where(moving, self._ww, 1.0), 1.0)

    def verify(self, joint_names):
        """Raise for joints whose velocities contradict their positions."""
        slopes = self.slopes()
        wrong = np.flatnonzero(~(np.abs(slopes - 1.0) <= SLOPE))
        if len(wrong):
            which = ', '.join(f'{joint_names[j]!r} {slopes[j]:.3g} times' for j in wrong)
            raise InputError(
                f'recorded velocities contradict the positions: {which} the change of position; '
                "use speeds='position' (on the command line: --speeds position)")
