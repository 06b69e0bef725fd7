# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The torque of each mode, from a reference and a measured state, in arrays made once."""

from __future__ import annotations

import numpy as np

from kane_dynamics.motion.angles import position_error

CLOSED_LOOP = ('computed_torque', 'gravity', 'hold')   # modes that need joint_states
FOLLOWING = ('feedforward', 'computed_torque')         # modes that follow trajectories


class ControlLaw:
    """Fill tau (n,) with the torque of a mode.

    q, qd: the measured state; r_q, r_qd, r_qdd: the reference; e, ed: reference - measured;
    effort: what the trajectory itself adds. All (n,), written by the caller or by `errors`.

    feedforward       tau = id(r_q, r_qd, r_qdd) + effort
    computed_torque   pd:                tau = id(r_q, r_qd, r_qdd) + p e + d ed + effort
                      inverse_dynamics:  tau = id(q, qd, r_qdd + p e + d ed) + effort
    gravity           tau = g(q)
    hold              as computed_torque, the reference being a fixed position
    with id the inverse dynamics, rotors and friction (at r_qd) included.
    """

    def __init__(self, joint_names, continuous):
        n = len(joint_names)
        self.continuous = np.array([name in continuous for name in joint_names])
        self._turns = bool(self.continuous.any())
        (self.q, self.qd, self.r_q, self.r_qd, self.r_qdd, self.tau, self.effort, self._feedback,
         self._work) = np.zeros((9, n))
        self.error = np.zeros((2, n))
        self.e, self.ed = self.error
        self.p, self.d, self._zeros = np.zeros(n), np.zeros(n), np.zeros(n)
        self.adds_effort = False
        self.feedback = 'pd'

    def errors(self):
        """Fill e and ed; continuous joints go the short way round."""
        if self._turns:
            self.e[:] = position_error(self.r_q, self.q, self.continuous)
        else:
            np.subtract(self.r_q, self.q, out=self.e)
        np.subtract(self.r_qd, self.qd, out=self.ed)

    def compute(self, mode, model):
        """Fill tau for a mode, with a TorqueModel or a Transition."""
        tau = self.tau
        if mode == 'gravity':
            model.gravity(self.q, tau)
            return
        if mode == 'feedforward':
            model.evaluate(self.r_q, self.r_qd, self.r_qdd, self.r_qd, tau)
        else:
            feedback, work = self._feedback, self._work
            np.multiply(self.p, self.e, out=feedback)
            np.multiply(self.d, self.ed, out=work)
            feedback += work
            if self.feedback == 'pd':
                model.evaluate(self.r_q, self.r_qd, self.r_qdd, self.r_qd, tau)
                tau += feedback
            else:
                feedback += self.r_qdd
                model.evaluate(self.q, self.qd, feedback, self.r_qd, tau)
        if self.adds_effort:
            tau += self.effort

    def compute_hold(self, q, qd, model):
        """Fill tau with gravity at q, damped where the velocity qd is known (else None)."""
        if qd is None:
            model.gravity(q, self.tau)
            return
        np.multiply(self.d, qd, out=self._work)
        np.negative(self._work, out=self._work)
        if self.feedback == 'pd':
            model.gravity(q, self.tau)
            self.tau += self._work
        else:
            # the gains are those of accelerations; no friction, as the reference is at rest
            model.evaluate(q, qd, self._work, self._zeros, self.tau)
