# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The torque of each mode, from a reference and a measured state, in arrays made once."""

from __future__ import annotations

import numpy as np

from kane_dynamics.dynamics.loop_kernel import bind_formula
from kane_dynamics.motion.angles import shortest_angular_distance

CLOSED_LOOP = ('computed_torque', 'gravity', 'hold')   # modes that need joint_states
FOLLOWING = ('feedforward', 'computed_torque')         # modes that follow trajectories


class ControlLaw:
    """Fill tau (n,) with the torque of a mode.

    measured (2, n): q, qd; reference (3, n): r_q, r_qd, r_qdd; error (2, n): e, ed, reference -
    measured; lead (3, n): l_q, l_qd, l_qdd, the reference a little later, or the reference itself;
    effort (n,): what the trajectory itself adds. The caller writes them.

    feedforward       tau = scale id(l_q, l_qd, l_qdd) + effort
    computed_torque   pd:                tau = scale id(l_q, l_qd, l_qdd) + p e + d ed + effort
                      inverse_dynamics:  tau = id(q, qd, l_qdd + p e + d ed) + effort
    gravity           tau = g(q)
    hold              as computed_torque, the reference being a fixed position
    with id the inverse dynamics, rotors and friction (at l_qd) included.

    leads: whether `lead` is an array of its own.
    """

    def __init__(self, joint_names, model, continuous=(), leads=False):
        n = len(joint_names)
        self.measured, self.error, self.gains = np.zeros((3, 2, n))
        self.q, self.qd = self.measured
        self.e, self.ed = self.error
        self.p, self.d = self.gains
        self.reference = np.zeros((3, n))
        self.r_q, self.r_qd, self.r_qdd = self.reference
        self.lead = np.zeros((3, n)) if leads else self.reference
        self.tau, self.effort, self._wanted, self._zeros = np.zeros((4, n))
        self._subtract = bind_formula(_differences, [self.reference[:2], self.measured],
                                      self.error)
        self._add_feedback = bind_formula(
            _with_feedback, [self.tau, self.gains, self.error], self.tau)
        self._want = bind_formula(
            _with_feedback, [self.lead[2], self.gains, self.error], self._wanted)
        self._turning = np.flatnonzero([name in continuous for name in joint_names])
        self.adds_effort = False
        self.set_feedback('pd', 0.0, 0.0)
        self.connect(model)

    def set_feedback(self, kind, p, d, scale=1.0):
        """Set the feedback, 'pd' or 'inverse_dynamics', its gains (n,) and the scale."""
        self.feedback, self.scale = kind, scale
        self.p[:], self.d[:] = p, d
        self.uses_velocity = kind == 'inverse_dynamics' or bool(self.d.any())

    def connect(self, model):
        """Compute with another TorqueModel or Transition from now on."""
        tau, (l_q, l_qd, l_qdd) = self.tau, self.lead
        self._of_reference = model.bound(l_q, l_qd, l_qdd, l_qd, tau)
        self._of_measured = model.bound(self.q, self.qd, self._wanted, l_qd, tau)
        self._of_rest = model.bound(self.q, self.qd, self._wanted, self._zeros, tau)
        self._gravity_measured = model.bound_gravity(self.q, tau)
        self._gravity_reference = model.bound_gravity(self.r_q, tau)

    def errors(self):
        """Fill e and ed; continuous joints go the short way round."""
        self._subtract()
        turning = self._turning
        if len(turning):
            self.e[turning] = shortest_angular_distance(self.q[turning], self.r_q[turning])

    def compute(self, mode):
        """Fill tau for a mode; `errors` were filled where the mode has feedback."""
        if mode == 'gravity':
            self._gravity_measured()
            return
        if mode == 'feedforward':
            self._feed_forward()
        elif self.feedback == 'pd':
            self._feed_forward()
            self._add_feedback()
        else:
            self._want()
            self._of_measured()
        if self.adds_effort:
            np.add(self.tau, self.effort, out=self.tau)

    def _feed_forward(self):
        self._of_reference()
        if self.scale != 1.0:
            np.multiply(self.tau, self.scale, out=self.tau)

    def compute_hold(self, measured, damped):
        """Fill tau with gravity at the measured pose (else the reference's), damped if asked."""
        if not damped:
            (self._gravity_measured if measured else self._gravity_reference)()
            return
        np.multiply(self.d, self.qd, out=self._wanted)
        np.negative(self._wanted, out=self._wanted)
        if self.feedback == 'pd':
            self._gravity_measured()
            np.add(self.tau, self._wanted, out=self.tau)
        else:
            self._of_rest()     # the gains are those of accelerations


def _differences(a, b):
    """Return a - b, entry by entry."""
    return [x - y for x, y in zip(a, b)]


def _with_feedback(values, gains, error):
    """Return values + p e + d ed."""
    n = len(values)
    return [values[j] + gains[j] * error[j] + gains[n + j] * error[n + j] for j in range(n)]
