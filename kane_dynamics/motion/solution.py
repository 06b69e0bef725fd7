# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a simulation gives back: a motion at moments in time, and what it took."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kane_dynamics.dynamics.actuators import Drives
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.motion.balance import balance


class Energies(NamedTuple):
    """Energies of a motion [J], each (N,)."""

    kinetic: np.ndarray
    potential: np.ndarray
    strain: np.ndarray

    @property
    def total(self):
        """Return the sum (N,)."""
        return self.kinetic + self.potential + self.strain


class Statistics(NamedTuple):
    """What a simulation took: steps, steps taken back, evaluations of the equations, contacts."""

    steps: int
    rejected: int
    evaluations: int
    contacts: int


@dataclass(frozen=True, eq=False)
class Solution:
    """A motion at N moments; all arrays are read-only.

    t (N,) [s], q (N, nq), qd, tau (N, nv); work, friction_loss, impact_loss (N,) [J] since the
    start; events: `Event`s in order of time; ended_by: index of the terminal event, or None.
    With drives: tau is what passes their gears; inputs (N, n) [V or A], drive_states (N, n_states)
    in the order of `drives.state_names`. With constraints: forces (N, m) [N or N m], a column for
    each row of them in order; with these or a moving base the work is that of all together.
    """

    dynamics: Dynamics = field(repr=False)
    t: np.ndarray
    q: np.ndarray = field(repr=False)
    qd: np.ndarray = field(repr=False)
    tau: np.ndarray = field(repr=False)
    work: np.ndarray = field(repr=False)
    friction_loss: np.ndarray = field(repr=False)
    impact_loss: np.ndarray = field(repr=False)
    method: str = 'rk4'
    events: tuple = ()
    ended_by: int | None = None
    statistics: Statistics = Statistics(0, 0, 0, 0)
    drives: Drives | None = field(default=None, repr=False)
    inputs: np.ndarray | None = field(default=None, repr=False)
    drive_states: np.ndarray | None = field(default=None, repr=False)
    forces: np.ndarray | None = field(default=None, repr=False)
    qdd: np.ndarray | None = field(default=None, repr=False)    # where tau alone does not tell

    def __post_init__(self):
        for name in ('t', 'q', 'qd', 'tau', 'work', 'friction_loss', 'impact_loss'):
            getattr(self, name).flags.writeable = False
        if self.drives is not None:
            self.inputs.flags.writeable = self.drive_states.flags.writeable = False
        for array in (self.forces, self.qdd):
            if array is not None:
                array.flags.writeable = False

    def __len__(self):
        return len(self.t)

    def energy(self):
        """Return kinetic, potential and strain energy, each (N,) [J]."""
        rows = [self.dynamics.energy(q, qd) for q, qd in zip(self.q, self.qd)]
        return Energies(*(np.array(column) for column in zip(*rows)))

    def momentum(self):
        """Return (N, 6) linear and angular momentum about the base origin, base axes."""
        return np.array([self.dynamics.momentum(q, qd) for q, qd in zip(self.q, self.qd)])

    def accelerations(self):
        """Return qdd (N, nv) that the equations of motion give at these states and torques.

        Contact forces of stops and dry friction are not among the torques.
        """
        if self.qdd is not None:
            return self.qdd
        return self.dynamics.forward_many(self.q, self.qd, self.tau)

    def balance(self):
        """Return the balance of energy, work and momentum; print it to read it."""
        return balance(self)
