# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What rotors and friction add to the torques of the links, compiled for loops and batches."""

from __future__ import annotations

import numpy as np

from kane_dynamics.dynamics.loop_kernel import apply_formula, bind_formula
from kane_dynamics.kane.scalar import sqrt


class Transmission:
    """Add to the torques t of n joints: tau = t' + friction(qd, t'),  t' = t + armature qdd.

    friction: a Friction of the n joints, or None. armature: (n,) [kg m^2 or kg], or None.
    """

    def __init__(self, n, friction=None, armature=None):
        rows = {name: np.zeros(n) for name in (
            'armature', 'viscous', 'coulomb', 'stiction', 'per_speed', 'load', 'offset', 'smooth')}
        rows['smooth'][:] = 1.0
        if armature is not None:
            rows['armature'][:] = armature
        if friction is not None:
            rows['smooth'][:] = friction.smoothing_speed**2
            for name in ('viscous', 'coulomb', 'load', 'offset'):
                if getattr(friction, name) is not None:
                    rows[name][:] = getattr(friction, name)
            if friction.stiction is not None:       # what it stands above coulomb
                rows['stiction'][:] = friction.stiction - friction.coulomb
                rows['per_speed'][:] = 1.0 / friction.stribeck_speed
        self.acts = any(row.any() for name, row in rows.items() if name != 'smooth')
        self._parameters = np.array(list(rows.values()))

    def bind(self, qd, qdd, tau):
        """Return step(): adds to tau (n,) for speeds and accelerations (n,) in these arrays."""
        return bind_formula(_transmitted, [tau, qd, qdd, self._parameters], tau)

    def add(self, qd, qdd, tau):
        """Add to tau (M, n) for speeds and accelerations (M, n) in rows, all contiguous."""
        apply_formula(_transmitted, [tau, qd, qdd], tau, shared=[self._parameters])


def _transmitted(tau, qd, qdd, parameters):
    """Return the torques of the joints; the formula of friction is that of `Friction.torque`."""
    n, out = len(tau), []
    for j in range(n):
        armature, viscous, coulomb, stiction, per_speed, load, offset, smooth = parameters[j::n]
        t, v = tau[j] + armature * qdd[j], qd[j]
        ratio = v * per_speed
        level = coulomb + stiction / (1.0 + ratio * ratio) + load * sqrt(t * t)
        out.append(t + viscous * v + level * (v / sqrt(v * v + smooth)) + offset)
    return out
