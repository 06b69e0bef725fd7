# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""All that joint states with effort tell of an arm at work: contact, wrench, energy, power."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.frame_wrench import FrameWrench
from kane_dynamics.motion.momentum_observer import MomentumObserver

FIGURES = ('kinetic_energy', 'potential_energy', 'motor_power', 'friction_power',
           'external_power')      # [J, J, W, W, W]


class ArmMonitor:
    """Follow an arm by its stamped states; the same states give the same bits.

    Args:
        dynamics: the arm with its friction; rigid, on a fixed base.
        detector: a ContactDetector of its joints.
        gain: of the MomentumObserver [1/s].
        frame: the link whose wrench is estimated, '' for none.
        max_gap: [s]; after a longer silence, or a stamp that goes back, observation begins anew;
            so it does after a state so far off that the residual is not finite (`absurd` counts).

    After a step: residual, external (n,) [N m or N], contact, wrench (6,) in the frame's axes,
    figures (5,) as FIGURES names them.
    """

    def __init__(self, dynamics, detector, gain=50.0, frame='', max_gap=0.1):
        if not max_gap > 0.0:
            raise InputError(f'max_gap must be positive [s], got {max_gap}')
        self._dynamics, self.detector, self._max_gap = dynamics, detector, max_gap
        self.observer = MomentumObserver(dynamics, gain)
        self._wrench = FrameWrench(dynamics, frame) if frame else None
        self.wrench, self.figures = np.zeros(6), np.zeros(len(FIGURES))
        n = dynamics.robot.n_joints
        self.largest_residual, self.largest_excess = np.zeros(n), np.zeros(n)
        self.steps = self.repeated = self.resets = self.absurd = 0
        self._last = None        # [ns]

    @property
    def residual(self):
        """Return the observer's estimate of external torques (n,)."""
        return self.observer.residual

    @property
    def external(self):
        """Return the residual without what is taken for model error (n,)."""
        return self.detector.external

    @property
    def contact(self):
        """Return whether something touches the arm."""
        return self.detector.contact

    @property
    def condition(self):
        """Return the condition number of the frame's Jacobian, NaN without a frame."""
        return np.nan if self._wrench is None else self._wrench.condition

    def reset(self):
        """Forget what came before."""
        self.observer.reset()
        self.detector.reset()
        self._last = None

    def step(self, stamp, q, qd, tau):
        """Take a state (n,) with its stamp [ns]; return whether it was a new one."""
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
        if not np.isfinite(residual).all():     # it would stay so, and see nothing any more
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
        self.figures[:] = (energy.kinetic, energy.potential, tau @ qd,
                           self.observer.friction @ qd, residual @ qd)
        self.steps += 1
        return True
