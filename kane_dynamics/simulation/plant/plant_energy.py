# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Energy balance of a Plant: work, losses, and what neither explains."""

from __future__ import annotations

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.dynamics.stepper import Stepper
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.equations.state import ACCOUNTS


class PlantEnergy:
    """Sum up the work and the losses of a Plant, step by step, without computing its energy."""

    def __init__(self, dynamics: Dynamics, friction: Friction | None) -> None:
        robot = dynamics.robot
        self._dynamics, self._speeds, self._positions = dynamics, robot.joints_v, robot.joints_q
        self._viscous: FloatArray | None = None
        if friction is not None and friction.viscous.any():
            self._viscous = friction.viscous
        self._first = self._speeds.start                # speeds of a floating base come first
        self._modal: FloatArray = robot.tree.damping[robot.modes_v]
        self._sums = np.zeros(ACCOUNTS)                 # work, friction loss, impact loss [J]

    def restart(self, q: FloatArray, qd: FloatArray) -> None:
        """Start with zero sums at a state."""
        self._sums[:] = 0.0
        self._start: float = self._dynamics.energy(q, qd).total

    @property
    def work(self) -> float:
        """Return the work of the drives and of wrenches [J]."""
        return float(self._sums[0])

    @property
    def friction_loss(self) -> float:
        """Return the energy lost to friction [J]."""
        return float(self._sums[1])

    @property
    def impact_loss(self) -> float:
        """Return the energy lost at stops and brakes [J]."""
        return float(self._sums[2])

    def state(self, q: FloatArray, qd: FloatArray) -> FloatArray:
        """Return y for a March, the sums behind the state."""
        return np.concatenate([q, qd, self._sums])

    def set_sums(self, sums: FloatArray) -> None:
        """Set the sums to those of a March."""
        self._sums[:] = sums

    def add_step(self, q: FloatArray, qd: FloatArray, after: Stepper, load: FloatArray,
                 dry: FloatArray | None, h: float) -> None:
        """Add a step h [s] from q, qd to `after` under held forces load (nv,), less `dry`.

        The work of a held force is force times displacement. Viscous loss is the integral of
        c v^2; v0, v1 and the mean v_m = displacement / h determine a parabola for v, with
            int v^2 dt / h = v_m^2 + (v1 - v0)^2 / 12 + ((v0 + v1) / 2 - v_m)^2 / 5.
        """
        moved = after.q[self._positions] - q[self._positions]
        work = load[self._speeds] @ moved
        lost = 0.0
        if dry is not None:
            lost = float(dry @ moved)
            work += lost                                   # load has dry friction subtracted
        if self._viscous is not None:
            v0, v1, mean = qd[self._speeds], after.qd[self._speeds], moved / h
            lost += h * float(self._viscous @ (mean * mean + (v1 - v0)**2 / 12.0
                                               + (0.5 * (v0 + v1) - mean)**2 / 5.0))
        if self._first:
            first = slice(0, self._first)
            work += 0.5 * h * (load[first] @ (qd[first] + after.qd[first]))
        if len(self._modal):
            last = slice(self._speeds.stop, None)
            mean = 0.5 * (qd[last] + after.qd[last])
            work += h * (load[last] @ mean)
            lost += h * float(self._modal @ (mean * mean))
        self._sums[0] += work
        self._sums[1] += lost

    def drift(self, q: FloatArray, qd: FloatArray) -> float:
        """Return the energy [J] at a state that the sums do not explain."""
        work, friction, impact = self._sums
        return float(self._dynamics.energy(q, qd).total - self._start - work + friction + impact)
