# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""State equation of an arm and its actuators together.

A drive gives the torque T (but for its inertia a) on its own side of the gear, of which the
fraction e passes to the joint: tau = e (T - a qdd). With M qdd + h = tau

    (M + e a) qdd = e T - h

is the complete model of Vukobratovic and Potkonjak (1982, 3.8.8-11) without a matrix of its own;
their D^ (3.8.11) lacks a factor F in print. e depends on the direction of power, that is on the
sign of tau qd: the sign is assumed, and corrected where the result contradicts it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kane_dynamics.dynamics.drives.drives import Drives
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import refuse_load_dependent
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.simulation.equations.link_forces import LinkForce
from kane_dynamics.simulation.equations.state import FreeEquation, TorqueLaw

MOST_FLIPS = 8      # corrections of the direction of power in one evaluation


class ActuatedEquation(FreeEquation):
    """State equation of y = [q, qd, energies, states of the drives].

    law: fills the inputs of the drives (n_drives,). `tau` is the torque that reaches the joints,
    so that its work is that on the arm; rotors and pistons are on the other side.
    """

    def __init__(self, dynamics: Dynamics, drives: Drives, law: TorqueLaw,
                 states: ArrayLike | None, link_forces: Sequence[LinkForce] = ()) -> None:
        super().__init__(dynamics, law, link_forces)
        refuse_load_dependent(dynamics.friction, 'drives',
                              'give their gears an efficiency instead, and a Friction without '
                              'load')
        self.drives = drives
        self.n_inner = drives.n_states
        self.inputs = np.zeros(len(drives.drives))
        self._x = np.zeros(drives.n_states)
        self._states = np.zeros(drives.n_states) if states is None else np.array(states, float)
        if self._states.shape != (drives.n_states,) or not np.isfinite(self._states).all():
            raise InputError(f'drive_states must be {drives.n_states} finite numbers, '
                             f'{list(drives.state_names)}; got {self._states.tolist()}')
        if drives.robot.joint_names != dynamics.robot.joint_names:
            raise InputError(f'drives are for the joints {list(drives.robot.joint_names)}, the '
                             f'arm has {list(dynamics.robot.joint_names)}')
        self._parts = list(drives.drives.values())
        # of the driven joints: indices of their speeds and of their coordinates
        self._rows = drives.indices + dynamics.robot.joints_v.start
        self._indices = drives.indices + dynamics.robot.joints_q.start
        self._bias, self._M = np.zeros(self.nv), np.zeros((self.nv, self.nv))
        self._step_bias = dynamics.bind('bias', self.q, self.qd, self._bias)
        self._step_mass = dynamics.bind('mass_matrix', self.q, self._M)

    def state(self, q0: FloatArray, qd0: FloatArray) -> FloatArray:
        """Return y for a state of the arm, the energies zero."""
        return np.concatenate([super().state(q0, qd0), self._states])

    def read(self, t: float, y: FloatArray) -> None:
        """Copy the state from y, fill the inputs by the law and compute tau and qdd."""
        self.take(y)
        self._x[:] = y[len(y) - self.n_inner:]
        self.law(t, self.q, self.qd, self.inputs)
        self.push(t)
        self._solve()

    def accelerate(self) -> float:
        """Return the power lost to friction [W]; `read` has filled qdd and tau."""
        return self._smooth_loss()

    def _solve(self) -> None:
        """Fill qdd and tau."""
        rows = self._rows
        q, qd = self.q[self._indices], self.qd[rows]
        effort = np.array([
            drive.effort(q[k], qd[k], self._x[part], self.inputs[k])
            for k, (drive, part) in enumerate(zip(self._parts, self.drives.slices))])
        inertia = np.array([drive.inertia(q[k]) for k, drive in enumerate(self._parts)])
        self._step_bias()
        self._step_mass()
        passed = effort
        for _ in range(MOST_FLIPS):
            fraction = np.array([drive.transmission(passed[k], qd[k])
                                 for k, drive in enumerate(self._parts)], dtype=float)
            right, M = self.external - self._bias, self._M.copy()
            right[rows] += fraction * effort
            M[rows, rows] += fraction * inertia
            self.qdd[:] = np.linalg.solve(M, right)
            before, passed = passed, effort - inertia * self.qdd[rows]
            if (np.sign(before) * np.sign(passed) * np.abs(qd) >= 0.0).all():
                break
        self.tau[:] = 0.0
        self.tau[rows] = fraction * passed

    def rate(self, t: float, y: FloatArray, out: FloatArray) -> None:
        """Fill out with y' at time t [s]."""
        super().rate(t, y, out[:len(y) - self.n_inner])
        inner = out[len(y) - self.n_inner:]
        for k, (drive, part) in enumerate(zip(self._parts, self.drives.slices)):
            drive.rate(self.q[self._indices[k]], self.qd[self._rows[k]], self._x[part],
                       self.inputs[k], inner[part])

    def outputs(self, t: float, y: FloatArray) -> dict[str, FloatArray]:
        """Return tau and the inputs of the drives."""
        return {**super().outputs(t, y), 'inputs': self.inputs}
