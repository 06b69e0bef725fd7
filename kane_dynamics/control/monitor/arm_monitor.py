# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Arm monitor: contact, wrench, energy and power from joint states with effort."""

from __future__ import annotations

import numpy as np

from kane_dynamics.control.monitor.frame_wrench import FrameWrench
from kane_dynamics.control.monitor.momentum_observer import MomentumObserver
from kane_dynamics.control.monitor.touch_detector import ContactDetector
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray

QUANTITIES = ('kinetic_energy', 'potential_energy', 'motor_power', 'friction_power',
              'external_power')      # [J, J, W, W, W]


class ArmMonitor:
    """Monitor an arm by its stamped states; the same states give the same bits.

    Args:
        dynamics: the arm with its friction; rigid, on a fixed base.
        detector: a ContactDetector of its joints.
        gain: of the MomentumObserver [1/s].
        frame: the link whose wrench is estimated, '' for none.
        max_gap: [s]; after a longer silence, or a stamp that goes back, observation restarts; so
            it does after a state for which the residual is not finite (`absurd` counts these).

    After a step: residual, external (n,) [N m or N], contact, wrench (6,) in the frame's axes,
    quantities (5,) in the order of QUANTITIES.
    """

    def __init__(self, dynamics: Dynamics, detector: ContactDetector, gain: float = 50.0,
                 frame: str = '', max_gap: float = 0.1) -> None:
        if not max_gap > 0.0:
            raise InputError(f'max_gap must be positive [s], got {max_gap}')
        self._dynamics, self.detector, self._max_gap = dynamics, detector, max_gap
        self.observer = MomentumObserver(dynamics, gain)
        self._wrench = FrameWrench(dynamics, frame) if frame else None
        self.wrench, self.quantities = np.zeros(6), np.zeros(len(QUANTITIES))
        n = dynamics.robot.n_joints
        self.largest_residual, self.largest_excess = np.zeros(n), np.zeros(n)
        self.steps = self.repeated = self.resets = self.absurd = 0
        self._last: int | None = None        # [ns]

    @property
    def residual(self) -> FloatArray:
        """Return the observer's estimate of external torques (n,)."""
        return self.observer.residual

    @property
    def external(self) -> FloatArray:
        """Return the residual without its baseline, the model error (n,)."""
        return self.detector.external

    @property
    def contact(self) -> bool:
        """Return whether something touches the arm."""
        return self.detector.contact

    @property
    def condition(self) -> float:
        """Return the condition number of the frame's Jacobian, NaN without a frame."""
        return np.nan if self._wrench is None else self._wrench.condition

    def reset(self) -> None:
        """Forget the past."""
        self.observer.reset()
        self.detector.reset()
        self._last = None

    def step(self, stamp: int, q: FloatArray, qd: FloatArray, tau: FloatArray) -> bool:
        """Take a state (n,) with its stamp [ns]; return whether it was new and usable."""
        dt = 0.0
        if self._last is not None:
            if stamp == self._last:
                self.repeated += 1
                return False
            dt = (stamp - self._last) * 1e-9
            if not 0.0 < dt <= self._max_gap:
                self.resets += 1
                self.reset()
                dt = 0.0
        self._last = stamp
        residual = self.observer.step(dt, q, qd, tau)
        if not np.isfinite(residual).all():     # it would stay so
            self.absurd += 1
            self.reset()
            return False
        if dt > 0.0:
            self.detector.step(dt, residual, tau)
        if self.detector.settled:
            np.maximum(self.largest_residual, np.abs(residual), out=self.largest_residual)
            if not self.contact:
                np.maximum(self.largest_excess, np.abs(self.external), out=self.largest_excess)
        if self._wrench is not None:
            self.wrench[:] = self._wrench.of(q, self.external)
        energy = self._dynamics.energy(q, qd)
        self.quantities[:] = (energy.kinetic, energy.potential, tau @ qd,
                              self.observer.friction @ qd, residual @ qd)
        self.steps += 1
        return True
