# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion of an arm and its actuators together.

A drive gives the torque T (but for its inertia a) on its own side of the gear, of which the share
e passes to the joint: tau = e (T - a qdd). With M qdd + h = tau

    (M + e a) qdd = e T - h

is the complete model of Vukobratovic and Potkonjak (1982, 3.8.8-11) without a matrix of its own;
their D^ (3.8.11) lacks a factor F in print. e depends on which way power flows, so on the sign of
tau qd: the sign is assumed, and corrected where the result contradicts it.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.state_equation import StateEquation

MOST_FLIPS = 8      # corrections of who drives whom, in one evaluation


class ActuatedEquation(StateEquation):
    """Give the rate of y = [q, qd, accounts, states of the drives].

    law: fills the inputs of the drives (n_drives,). `tau` is what reaches the joints, so that its
    work is that on the arm; rotors and pistons are on the other side.
    """

    def __init__(self, dynamics, drives, law, states):
        super().__init__(dynamics, law)
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
        self._rows = drives.places + self.joints.start     # of the driven joints among speeds
        self._places = drives.places + self.nq - dynamics.robot.n_joints - dynamics.robot.n_modes
        self._bias, self._M = np.zeros(self.nv), np.zeros((self.nv, self.nv))
        self._step_bias = dynamics.bind('bias', self.q, self.qd, self._bias)
        self._step_mass = dynamics.bind('mass_matrix', self.q, self._M)

    def state(self, q0, qd0):
        """Return y for a state of the arm, the accounts empty."""
        return np.concatenate([super().state(q0, qd0), self._states])

    def read(self, t, y):
        """Copy the state from y, take the inputs from the law and the torques that they make."""
        self.take(y)
        self._x[:] = y[len(y) - self.n_inner:]
        self.law.fill(t, self.q, self.qd, self.inputs)
        self._solve()

    def accelerate(self):
        """Return the power lost to friction [W]; qdd and tau are there already."""
        return self._smooth_loss()

    def _solve(self):
        """Fill qdd and tau."""
        rows = self._rows
        q, qd = self.q[self._places], self.qd[rows]
        effort = np.array([
            drive.effort(q[k], qd[k], self._x[part], self.inputs[k])
            for k, (drive, part) in enumerate(zip(self._parts, self.drives.slices))])
        inertia = np.array([drive.inertia(q[k]) for k, drive in enumerate(self._parts)])
        self._step_bias()
        self._step_mass()
        passed = effort
        for _ in range(MOST_FLIPS):
            share = np.array([drive.transmission(passed[k], qd[k])
                              for k, drive in enumerate(self._parts)], dtype=float)
            right, M = -self._bias, self._M.copy()
            right[rows] += share * effort
            M[rows, rows] += share * inertia
            self.qdd[:] = np.linalg.solve(M, right)
            before, passed = passed, effort - inertia * self.qdd[rows]
            if (np.sign(before) * np.sign(passed) * np.abs(qd) >= 0.0).all():
                break
        self.tau[:] = 0.0
        self.tau[rows] = share * passed

    def rate(self, t, y, out):
        """Fill out with y' at time t [s]."""
        super().rate(t, y, out[:len(y) - self.n_inner])
        inner = out[len(y) - self.n_inner:]
        for k, (drive, part) in enumerate(zip(self._parts, self.drives.slices)):
            drive.rate(self.q[self._places[k]], self.qd[self._rows[k]], self._x[part],
                       self.inputs[k], inner[part])
