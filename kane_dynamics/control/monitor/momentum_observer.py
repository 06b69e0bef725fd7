# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Momentum observer: external torques from positions, velocities and motor torques.

The generalized momentum p = M(q) qd changes by dp/dt = tau - f - b + tau_ext, with f friction and
b = g - dT/dq. An observer that follows p with the gain K,

    r = K (p - p_0 - integral of (tau - f - b + r) dt),

has dr/dt = K (tau_ext - r): r is the external torque behind a first-order lag of 1/K, and no
acceleration is needed (De Luca and Mattone 2003, equations 6 and 7).
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray


class MomentumObserver:
    """Observe the momentum of an arm; `residual` (n,) is the external torque [N m or N].

    Args:
        dynamics: the arm with its friction; rigid, on a fixed base.
        gain: K [1/s]; the estimate reaches 63 % after 1/K.
    """

    def __init__(self, dynamics: Dynamics, gain: float = 50.0) -> None:
        robot = dynamics.robot
        if robot.n_modes:
            raise InputError(f'{robot.name!r} has flexible links or joints; the observer is for '
                             'rigid arms')
        if not 0.0 < gain < np.inf:
            raise InputError(f'gain must be positive [1/s], got {gain}')
        n = robot.n_joints
        self.gain, self._friction = float(gain), dynamics.friction
        self.residual = np.zeros(n)
        self.friction = np.zeros(n)         # [N m or N] at the last step
        self._q, self._qd, self._balance = np.zeros(n), np.zeros(n), np.zeros((2, n))
        self._evaluate = dynamics.bind('momentum_balance', self._q, self._qd, self._balance)
        self._rate, self._sum = np.zeros(n), np.zeros(n)
        self._started = False

    def reset(self) -> None:
        """Start over at the next step, without an external torque."""
        self._started = False
        self.residual[:] = 0.0

    def step(self, dt: float, q: FloatArray, qd: FloatArray, tau: FloatArray) -> FloatArray:
        """Return the residual after a state and motor torques, each (n,), dt [s] after the last.

        The first step after a reset only stores them. The rule is implicit in r and takes the mean
        of the known torques over dt: stable for any dt.
        """
        self._q[:], self._qd[:] = q, qd
        self._evaluate()
        momentum, needed = self._balance
        if self._friction is not None:
            self.friction[:] = self._friction.torque_under(tau, qd)
        rate = tau - self.friction - needed
        if not self._started:
            self._sum[:] = momentum
            self._started = True
        else:
            # sum = p_0 + integral up to now, but for r in the last dt
            self._sum += (0.5 * dt) * (rate + self._rate)
            self.residual[:] = (self.gain / (1.0 + self.gain * dt)) * (momentum - self._sum)
            self._sum += dt * self.residual
        self._rate[:] = rate
        return self.residual
