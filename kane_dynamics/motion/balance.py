# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Does a simulated motion keep what mechanics says it keeps: energy, work and momentum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Balance(NamedTuple):
    """Sums of a motion [J] and how far they miss; momentum for a base that floats, else None.

    drift = energy_end - energy_start - work + friction_loss + impact_loss at the end;
    largest_drift is its largest size on the way, relative_drift that over the energy at play: the
    largest kinetic energy or the range of the potential and strain, whichever is more.
    momentum_drift [kg m/s] is that of P - m g t, angular_momentum_drift [kg m^2/s] that of L about
    the mass centre: both are constant while nothing but gravity acts from outside.
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

    def __str__(self):
        lines = [('energy at the start', self.energy_start, 'J'),
                 ('work of the torques', self.work, 'J'),
                 ('lost to friction', -self.friction_loss, 'J'),
                 ('lost at stops', -self.impact_loss, 'J'),
                 ('energy at the end', self.energy_end, 'J'),
                 ('unexplained', self.drift, 'J'),
                 ('largest unexplained', self.largest_drift, 'J'),
                 ('  relative', self.relative_drift, '')]
        if self.momentum_drift is not None:
            lines += [('momentum drift', self.momentum_drift, 'kg m/s'),
                      ('  about the mass centre', self.angular_momentum_drift, 'kg m^2/s')]
        return '\n'.join(f'{name:<24}{value:>16.6g} {unit}'.rstrip()
                         for name, value, unit in lines)


def balance(solution):
    """Return the Balance of a Solution."""
    energy = solution.energy()
    total = energy.kinetic + energy.potential + energy.strain
    missing = (total - total[0] - solution.work + solution.friction_loss + solution.impact_loss)
    stored = energy.potential + energy.strain
    at_play = max(energy.kinetic.max(), np.ptp(stored), np.finfo(float).tiny)
    largest = float(abs(missing).max())
    linear, angular = _momentum_drift(solution)
    return Balance(float(total[0]), float(total[-1]), float(solution.work[-1]),
                   float(solution.friction_loss[-1]), float(solution.impact_loss[-1]),
                   float(missing[-1]), largest, float(largest / at_play), linear, angular)


def _momentum_drift(solution):
    """Return the largest drifts of the momenta, or (None, None) where something holds the base."""
    robot, dynamics = solution.dynamics.robot, solution.dynamics
    if not robot.floating_base or solution.tau[:, :6].any():
        return None, None
    momentum = solution.momentum()
    centre = np.array([dynamics.mass_centre(q) for q in solution.q])
    mass = _moving_mass(dynamics)
    linear = momentum[:, :3] - momentum[0, :3] - mass * np.outer(solution.t, robot.gravity)
    angular = momentum[:, 3:] - np.cross(centre, momentum[:, :3])
    return (float(np.linalg.norm(linear, axis=1).max()),
            float(np.linalg.norm(angular - angular[0], axis=1).max()))


def _moving_mass(dynamics):
    """Return the mass of all that moves [kg]: links fixed to the world do not."""
    return float(dynamics.inertial_parameters.reshape(-1, 10)[:, 0].sum())
