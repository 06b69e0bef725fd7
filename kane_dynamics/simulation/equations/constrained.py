# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""State equation of an arm with a point on surfaces or with closed loops.

After each step the state is projected onto the constraints, so that nothing drifts. SciPy's
solvers keep a state of their own that the projection does not reach; for them the accelerations
also pull violations back (Baumgarte 1972).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from kane_dynamics.dynamics.constraints.constrained_dynamics import ConstrainedDynamics
from kane_dynamics.dynamics.constraints.constraints import Loop, PointOnSurfaces
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.equations.base_motion import BaseMotion
from kane_dynamics.simulation.equations.coordinates import Coordinates
from kane_dynamics.simulation.equations.link_forces import LinkForce
from kane_dynamics.simulation.equations.moving_base import MovingBaseEquation
from kane_dynamics.simulation.equations.state import TorqueLaw

STABILIZATION = 20.0    # [1/s]
CLOSED = 1e-6           # violation [m, m/s] that a first state may have
PROJECTED = 1e-13       # violation [m] at which Newton's method stops

Constraint: TypeAlias = PointOnSurfaces | Loop


class ConstrainedEquation(MovingBaseEquation):
    """State equation under constraints; `forces` (m,) are theirs at the state read last.

    stabilization [1/s]: gain of the pull, zero where steps are projected anyway.
    """

    def __init__(self, dynamics: Dynamics, law: TorqueLaw, constraints: Sequence[Constraint],
                 base: BaseMotion | None = None, stabilization: float = 0.0,
                 link_forces: Sequence[LinkForce] = ()) -> None:
        super().__init__(dynamics, law, base, link_forces)
        self._gain = stabilization
        self.constrained = ConstrainedDynamics(dynamics, constraints)
        self.forces = np.zeros(self.constrained.rows)
        self._power = 0.0

    def start(self, q0: FloatArray, qd0: FloatArray, t: float = 0.0) -> FloatArray:
        """Return y for a first state, which must keep the constraints to within CLOSED."""
        phi, G, rate, _ = self.constrained.terms(q0, qd0, t)
        for what, off, unit in (('q0', phi, 'm or rad'), ('qd0', G @ qd0 + rate, 'm/s or rad/s')):
            if abs(off).max() > CLOSED:
                raise InputError(
                    f'{what} breaks row {int(np.argmax(abs(off)))} of the constraints by '
                    f'{abs(off).max():.3g} {unit}; kane_dynamics.assemble and complete_speeds find'
                    ' a state that keeps them')
        y = self.state(q0, qd0)
        self.finish(t, y)
        return y

    def accelerate(self) -> float:
        """Fill qdd and the forces from q, qd, tau; return the power lost to friction [W]."""
        loss = super().accelerate()
        phi, G, rate, gamma = self.constrained.terms(self.q, self.qd, self.time)
        speed = G @ self.qd
        wanted = (-gamma - 2.0 * self._gain * (speed + rate) - self._gain ** 2 * phi
                  - G @ self.qdd)
        change, self.forces[:] = self.constrained.impulse(self.q, G, wanted)
        self.qdd += change
        self._power = float(-self.forces @ rate)    # G qd = -phi_t: of moving surfaces only
        return loss

    def power(self) -> float:
        """Return the power [W] of moving surfaces and of the base on the arm."""
        return super().power() + self._power

    def outputs(self, t: float, y: FloatArray) -> dict[str, FloatArray]:
        """Return tau, qdd and the forces of the constraints."""
        return {**super().outputs(t, y), 'forces': self.forces}

    def finish(self, t: float, y: FloatArray) -> None:
        """Project y onto the constraints: first q, then qd, to the nearest in the metric of M."""
        super().finish(t, y)
        q, qd = y[:self.nq], y[self.nq:self.n_state]
        project(self.constrained, self.coordinates, q, qd, t)
        _, G, rate, _ = self.constrained.terms(q, qd, t)
        qd -= self.constrained.impulse(q, G, G @ qd + rate)[0]


def project(constrained: ConstrainedDynamics, coordinates: Coordinates, q: FloatArray,
            qd: FloatArray, t: float = 0.0) -> None:
    """Move q (nq,), in place, onto the constraints, by Newton steps in the metric of M."""
    step, last = np.empty_like(q), np.inf
    for _ in range(20):
        phi, G, _, _ = constrained.terms(q, qd, t)
        off = abs(phi).max()
        if off <= PROJECTED or (off < 1e-11 and off >= 0.5 * last):
            return
        if not np.isfinite(off):
            break
        coordinates.displace(q, -constrained.impulse(q, G, phi)[0], 1.0, step)
        coordinates.normalize(step)
        q[:], last = step, off
    raise KaneDynamicsError(f'the constraints cannot be met at t = {t:g} s: off by {off:.3g}; '
                            'take a shorter step, or is a loop stretched beyond its links?')
