# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion of an arm whose tip keeps to a surface or whose loops are closed.

After each step the state is put back onto the constraints, so that nothing drifts. SciPy's methods
keep a state of their own that this does not reach; for them the accelerations also pull violations
back (Baumgarte 1972).
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.dynamics.constrained import ConstrainedDynamics
from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.motion.base_motion import MovingBaseEquation

STABILIZATION = 20.0    # [1/s]
CLOSED = 1e-6           # violation [m, m/s] that a first state may have
PUT_BACK = 1e-13        # violation [m] at which Newton's method stops


class ConstrainedEquation(MovingBaseEquation):
    """Give the rate of y under constraints; `forces` (m,) are theirs at the state read last.

    stabilization [1/s]: of the pull, zero where steps are put back anyway.
    """

    def __init__(self, dynamics, law, constraints, base=None, stabilization=0.0):
        super().__init__(dynamics, law, base)
        self._gain = stabilization
        self.constrained = ConstrainedDynamics(dynamics, constraints)
        self.forces = np.zeros(self.constrained.rows)
        self._power = 0.0

    def require_kept(self, q0, qd0):
        """Raise where a first state breaks the constraints by more than rounding."""
        phi, G, rate, _ = self.constrained.terms(q0, qd0)
        for what, off, unit in (('q0', phi, 'm or rad'), ('qd0', G @ qd0 + rate, 'm/s or rad/s')):
            if abs(off).max() > CLOSED:
                raise InputError(
                    f'{what} breaks row {int(np.argmax(abs(off)))} of the constraints by '
                    f'{abs(off).max():.3g} {unit}; motion.assemble and motion.complete_speeds find'
                    ' a state that keeps them')

    def accelerate(self):
        """Fill qdd and the forces from q, qd, tau; return the power lost to friction [W]."""
        loss = super().accelerate()
        phi, G, rate, gamma = self.constrained.terms(self.q, self.qd, self.time)
        speed = G @ self.qd
        wanted = (-gamma - 2.0 * self._gain * (speed + rate) - self._gain ** 2 * phi
                  - G @ self.qdd)
        change, self.forces[:] = self.constrained.impulse(self.q, G, wanted)
        self.qdd += change
        self._power = -self.forces @ rate       # G qd = -phi_t: of moving surfaces only
        return loss

    def power(self):
        """Return the power [W] of moving surfaces and of the base on the arm."""
        return super().power() + self._power

    def finish(self, t, y):
        """Put y onto the constraints: the nearest place, then the nearest speeds, by M."""
        super().finish(t, y)
        q, qd = y[:self.nq], y[self.nq:self.n_state]
        put_back(self.constrained, self.coordinates, q, qd, t)
        _, G, rate, _ = self.constrained.terms(q, qd, t)
        qd -= self.constrained.impulse(q, G, G @ qd + rate)[0]


def put_back(constrained, coordinates, q, qd, t=0.0):
    """Move q (nq,), in place, to where the constraints hold; Newton steps measured by M."""
    step, last = np.empty_like(q), np.inf
    for _ in range(20):
        phi, G, _, _ = constrained.terms(q, qd, t)
        off = abs(phi).max()
        if off <= PUT_BACK or (off < 1e-11 and off >= 0.5 * last):
            return
        if not np.isfinite(off):
            break
        coordinates.displace(q, -constrained.impulse(q, G, phi)[0], 1.0, step)
        coordinates.normalize(step)
        q[:], last = step, off
    raise KaneDynamicsError(f'the constraints cannot be met at t = {t:g} s: off by {off:.3g}; '
                            'a shorter step, or a loop that is stretched beyond its links')
