# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion as y' = f(t, y), with the energy that goes in and out beside them."""

from __future__ import annotations

import numpy as np

from kane_dynamics.model.assembly import tree_of
from kane_dynamics.motion.coordinates import Coordinates

ACCOUNTS = 3    # behind q and qd in y: work of the torques, friction loss, impact loss [J]


class StateEquation:
    """Give the rate of y = [q, qd, work, friction loss, impact loss].

    The accounts are integrated with the motion, so that their error is the integrator's own. One
    object serves one thread: it computes on arrays of its own.
    """

    n_inner = 0     # states of actuators, behind the accounts in y

    def __init__(self, dynamics, law):
        robot = dynamics.robot
        self.dynamics, self.law = dynamics, law
        self.coordinates = Coordinates(robot)
        self.nq, self.nv = robot.nq, robot.nv
        self.n_state = robot.nq + robot.nv
        self.first_joint = self.nv - robot.n_joints - robot.n_modes
        self.joints = slice(self.first_joint, self.first_joint + robot.n_joints)
        self.q, self.qd = np.zeros(self.nq), np.zeros(self.nv)
        self.tau, self.qdd = np.zeros(self.nv), np.zeros(self.nv)
        self.load = self._load_array()
        self.still = np.zeros(self.nv, dtype=bool)      # speeds that contact keeps at zero
        self.damping = np.zeros(self.nv)                # viscous terms that `dynamics` lacks
        self._modal = np.zeros(self.nv)                 # damping of modes and elastic joints
        for spring in tree_of(robot).springs:
            self._modal[spring.u_index] += spring.damping
        self._lossless = dynamics.friction is None and not self._modal.any()
        self._forward = dynamics.bind('forward', self.q, self.qd, self.load, self.qdd)
        self.evaluations = 0

    def _load_array(self):
        return self.tau

    def state(self, q0, qd0):
        """Return y for a state, the accounts empty."""
        return np.concatenate([q0, qd0, np.zeros(ACCOUNTS)])

    def take(self, y):
        """Copy q and qd from y into this object's arrays."""
        self.q[:] = y[:self.nq]
        self.qd[:] = y[self.nq:self.n_state]
        self.coordinates.normalize(self.q)

    def read(self, t, y):
        """Copy q and qd from y and take the torque from the law, into this object's arrays."""
        self.take(y)
        self.law.fill(t, self.q, self.qd, self.tau)

    def rate(self, t, y, out):
        """Fill out with y' at time t [s]."""
        self.evaluations += 1
        self.read(t, y)
        loss = self.accelerate()
        self.coordinates.rate(self.q, self.qd, out[:self.nq])
        out[self.nq:self.n_state] = self.qdd
        out[self.n_state:] = (self.tau @ self.qd, loss, 0.0)

    def accelerate(self):
        """Fill qdd from q, qd, tau; return the power lost to friction [W]."""
        self._forward()
        return self._smooth_loss()

    def _smooth_loss(self):
        """Return the power [W] that the friction and the damping within `dynamics` take."""
        if self._lossless:
            return 0.0
        loss = self._modal @ (self.qd * self.qd)
        if self.dynamics.friction is not None:
            speeds = self.qd[self.joints]
            tau = self.tau[self.joints]
            loss += self.dynamics.friction.torque_under(tau, speeds) @ speeds
        return loss

    def finish(self, t, y):
        """Restore in place what a step to time t may have moved: the unit quaternion."""
        self.coordinates.normalize(y[:self.nq])

    # -- what an arm without stops and dry friction never does ----------------------------------

    def settle(self, t, y):
        """Choose the contact modes for the state y; return whether the equations changed."""
        return False

    def guards(self, t, y):
        """Return values that are negative where y left what the modes allow, or None."""
        return None
