# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Solution of a simulation: the motion, and its balance of energy, work and momentum."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kane_dynamics.dynamics.drives.drives import Drives
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.io.shown import Saved
from kane_dynamics.model.deflection_range import RangeExit
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.march import Event


class Energies(NamedTuple):
    """Energies of a motion [J], each (N,)."""

    kinetic: FloatArray
    potential: FloatArray
    strain: FloatArray

    @property
    def total(self) -> FloatArray:
        """Return the sum (N,)."""
        return self.kinetic + self.potential + self.strain


class Statistics(NamedTuple):
    """Effort of a simulation: steps, rejected steps, evaluations of the equations, contacts."""

    steps: int
    rejected: int
    evaluations: int
    contacts: int


class Balance(NamedTuple):
    """Energies of a motion [J] and the drift of what mechanics conserves.

    drift = energy_end - energy_start - work + friction_loss + impact_loss at the end;
    largest_drift is its largest magnitude in between, relative_drift that over the largest kinetic
    energy or the range of the potential and strain energy, whichever is more. momentum_drift
    [kg m/s] is that of P - m g t, angular_momentum_drift [kg m^2/s] that of L about the mass
    centre: both are constant under gravity alone, and None unless the base floats freely.
    """

    energy_start: float
    energy_end: float
    work: float
    friction_loss: float
    impact_loss: float
    drift: float
    largest_drift: float
    relative_drift: float
    momentum_drift: float | None
    angular_momentum_drift: float | None

    def __str__(self) -> str:
        lines = [('energy at the start', self.energy_start, 'J'),
                 ('work of the torques', self.work, 'J'),
                 ('lost to friction', -self.friction_loss, 'J'),
                 ('lost at stops', -self.impact_loss, 'J'),
                 ('energy at the end', self.energy_end, 'J'),
                 ('unexplained', self.drift, 'J'),
                 ('largest unexplained', self.largest_drift, 'J'),
                 ('  relative', self.relative_drift, '')]
        if self.momentum_drift is not None and self.angular_momentum_drift is not None:
            lines += [('momentum drift', self.momentum_drift, 'kg m/s'),
                      ('  about the mass centre', self.angular_momentum_drift, 'kg m^2/s')]
        return '\n'.join(f'{name:<24}{value:>16.6g} {unit}'.rstrip()
                         for name, value, unit in lines)


@dataclass(frozen=True, eq=False)
class Solution(Saved):
    """Motion of an arm at N instants; all arrays are read-only.

    t (N,) [s], q (N, nq), qd, tau (N, nv); work, friction_loss, impact_loss (N,) [J] since the
    start; events: `Event`s in order of time; ended_by: index of the terminal event, or None.
    With drives: tau is the torque behind their gears; inputs (N, n) [V or A], drive_states
    (N, n_states) in the order of `drives.state_names`. With constraints: forces (N, m) [N or N m],
    a column for each of their rows in order; with these or a moving base qdd (N, nv), and the work
    is that of all together. out_of_range: the flexible links that bent beyond the range of their
    model, with link, time of the first such sample and deflections; from then on the motion of the
    arm is doubtful.
    """

    dynamics: Dynamics = field(repr=False)
    t: FloatArray
    q: FloatArray = field(repr=False)
    qd: FloatArray = field(repr=False)
    tau: FloatArray = field(repr=False)
    work: FloatArray = field(repr=False)
    friction_loss: FloatArray = field(repr=False)
    impact_loss: FloatArray = field(repr=False)
    method: str = 'rk4'
    events: tuple[Event, ...] = ()
    ended_by: int | None = None
    statistics: Statistics = Statistics(0, 0, 0, 0)
    drives: Drives | None = field(default=None, repr=False)
    inputs: FloatArray | None = field(default=None, repr=False)
    drive_states: FloatArray | None = field(default=None, repr=False)
    forces: FloatArray | None = field(default=None, repr=False)
    qdd: FloatArray | None = field(default=None, repr=False)
    out_of_range: tuple[RangeExit, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.t, self.q, self.qd, self.tau, self.work, self.friction_loss,
                      self.impact_loss, self.inputs, self.drive_states, self.forces, self.qdd):
            if array is not None:
                array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        events = f', {len(self.events)} events' if self.events else ''
        return (f'Solution({self.dynamics.robot.name!r}, {self.t[0]:.4g} ... {self.t[-1]:.4g} s, '
                f'{len(self)} samples, {self.method}{events})')

    def energy(self) -> Energies:
        """Return kinetic, potential and strain energy, each (N,) [J]."""
        rows = [self.dynamics.energy(q, qd) for q, qd in zip(self.q, self.qd)]
        return Energies(*(np.array(column) for column in zip(*rows)))

    def momentum(self) -> FloatArray:
        """Return (N, 6) linear and angular momentum about the base origin, base axes."""
        return np.array([self.dynamics.momentum(q, qd) for q, qd in zip(self.q, self.qd)])

    def accelerations(self) -> FloatArray:
        """Return qdd (N, nv) that the equations of motion give at these states and torques.

        Contact forces of stops and dry friction are not among the torques.
        """
        if self.qdd is not None:
            return self.qdd
        return self.dynamics.forward_many(self.q, self.qd, self.tau)

    def balance(self) -> Balance:
        """Return the balance of energy, work and momentum; its text is a table."""
        energy = self.energy()
        total = energy.total
        missing = total - total[0] - self.work + self.friction_loss + self.impact_loss
        stored = energy.potential + energy.strain
        scale = max(energy.kinetic.max(), np.ptp(stored), np.finfo(float).tiny)
        largest = float(abs(missing).max())
        linear, angular = self._momentum_drift()
        return Balance(float(total[0]), float(total[-1]), float(self.work[-1]),
                       float(self.friction_loss[-1]), float(self.impact_loss[-1]),
                       float(missing[-1]), largest, float(largest / scale), linear, angular)

    def _momentum_drift(self) -> tuple[float | None, float | None]:
        """Return the largest drifts of the momenta, or None where a force acts on the base."""
        robot, dynamics = self.dynamics.robot, self.dynamics
        if not robot.floating_base or self.tau[:, :6].any():
            return None, None
        momentum = self.momentum()
        centre = np.array([dynamics.mass_centre(q) for q in self.q])
        # links fixed to the world are not among the parameters
        mass = float(dynamics.inertial_parameters.reshape(-1, 10)[:, 0].sum())
        linear = (momentum[:, :3] - momentum[0, :3]
                  - mass * np.outer(self.t - self.t[0], robot.gravity))
        angular = momentum[:, 3:] - np.cross(centre, momentum[:, :3])
        return (float(np.linalg.norm(linear, axis=1).max()),
                float(np.linalg.norm(angular - angular[0], axis=1).max()))
