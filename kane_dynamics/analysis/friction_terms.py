# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What each joint adds to the torque of the arm, linear in figures that can be fitted.

    tau_j = (arm) + rotor a + coulomb s + viscous v + offset
            + rise s / (1 + (v/v_s)^2) + load |t| s

with s = v / sqrt(v^2 + v_0^2), rise = stiction - coulomb and t the torque behind the gear; see
`Friction`, whose formula it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kane_dynamics.dynamics.calibration import JointCalibration

ALL = ('rotor', 'coulomb', 'viscous', 'offset', 'rise', 'load')


@dataclass(frozen=True, eq=False)
class FrictionTerms:
    """The terms that are fitted for each of n joints, and the speeds that shape them."""

    names: tuple                      # of ALL, in its order
    smoothing_speed: float            # v_0 [rad/s or m/s]
    stribeck_speeds: np.ndarray       # v_s (n,) [rad/s or m/s]

    def columns(self, qd, qdd, load=None):
        """Return X (N, n, terms): what a unit of each figure adds; load (N, n) [N m or N]."""
        sign = self.sign(qd)
        made = {'rotor': lambda: qdd, 'coulomb': lambda: sign, 'viscous': lambda: qd,
                'offset': lambda: np.ones_like(qd),
                'rise': lambda: sign / (1.0 + (qd / self.stribeck_speeds)**2),
                'load': lambda: np.abs(load) * sign}
        return np.stack([made[name]() for name in self.names], axis=2)

    def sign(self, qd):
        """Return the smooth sign of speeds."""
        return qd / np.sqrt(qd * qd + self.smoothing_speed**2)

    def same_speeds(self, other):
        """Return whether other terms have the same shape."""
        return (self.smoothing_speed == other.smoothing_speed
                and (self.stribeck_speeds == other.stribeck_speeds).all())

    def calibration(self, values, joint_index):
        """Return the JointCalibration that values (terms,) of a joint tell."""
        told = dict(zip(self.names, (float(value) for value in values)))
        rise = told.pop('rise', None)
        if 'rotor' in told:
            told['rotor_inertia'] = told.pop('rotor')
        if rise:
            told['stiction'] = told['coulomb'] + rise
            told['stribeck_speed'] = float(self.stribeck_speeds[joint_index])
        return JointCalibration(**told)
