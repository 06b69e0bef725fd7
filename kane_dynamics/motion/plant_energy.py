# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The energy of a driven arm: what went in, what was lost, and what neither explains."""

from __future__ import annotations

import numpy as np

from kane_dynamics.model.assembly import tree_of
from kane_dynamics.motion.state_equation import ACCOUNTS


class PlantEnergy:
    """Book the work and the losses of a Plant, step by step, without asking for its energy."""

    def __init__(self, dynamics, friction, speeds, places):
        self._dynamics, self._speeds, self._places = dynamics, speeds, places
        self._viscous = None
        if friction is not None and friction.viscous.any():
            self._viscous = friction.viscous
        self._first = speeds.start                      # speeds of a floating base come first
        self._modal = np.zeros(dynamics.robot.n_modes)  # damping of modes and elastic joints
        for spring in tree_of(dynamics.robot).springs:
            if spring.u_index >= speeds.stop:
                self._modal[spring.u_index - speeds.stop] += spring.damping
        self._sums = np.zeros(ACCOUNTS)                 # work, friction loss, impact loss [J]

    def restart(self, q, qd):
        """Begin with empty accounts at a state."""
        self._sums[:] = 0.0
        self._start = self._dynamics.energy(q, qd).total

    @property
    def work(self):
        """Return the work of the drives and of wrenches [J]."""
        return float(self._sums[0])

    @property
    def friction_loss(self):
        """Return what friction took [J]."""
        return float(self._sums[1])

    @property
    def impact_loss(self):
        """Return what stops and brakes took [J]."""
        return float(self._sums[2])

    def state(self, q, qd):
        """Return y for a March, the accounts behind the state."""
        return np.concatenate([q, qd, self._sums])

    def marched(self, sums):
        """Take the accounts of a March."""
        self._sums[:] = sums

    def glided(self, q, qd, after, load, dry, h):
        """Book a step h [s] from q, qd to `after` under held forces load (nv,), less dry.

        A held force does force times way. Viscous loss is the integral of c v^2; with v0, v1 and
        the mean v_m = way / h a parabola for v is known, and
            int v^2 dt / h = v_m^2 + (v1 - v0)^2 / 12 + ((v0 + v1) / 2 - v_m)^2 / 5.
        """
        way = after.q[self._places] - q[self._places]
        work = load[self._speeds] @ way
        lost = 0.0
        if dry is not None:
            lost = dry @ way
            work += lost                                   # load is what was left after it
        if self._viscous is not None:
            v0, v1, mean = qd[self._speeds], after.qd[self._speeds], way / h
            lost += h * (self._viscous @ (mean * mean + (v1 - v0)**2 / 12.0
                                          + (0.5 * (v0 + v1) - mean)**2 / 5.0))
        if self._first:
            first = slice(0, self._first)
            work += 0.5 * h * (load[first] @ (qd[first] + after.qd[first]))
        if len(self._modal):
            last = slice(self._speeds.stop, None)
            mean = 0.5 * (qd[last] + after.qd[last])
            work += h * (load[last] @ mean)
            lost += h * (self._modal @ (mean * mean))
        self._sums[0] += work
        self._sums[1] += lost

    def drift(self, q, qd):
        """Return the energy [J] that the accounts do not explain."""
        work, friction, impact = self._sums
        return float(self._dynamics.energy(q, qd).total - self._start - work + friction + impact)
