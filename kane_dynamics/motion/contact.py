# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion with hard stops and dry friction: joints that slide, stick and hit.

A joint at rest feels a force within bounds: friction up to breakaway either way, and at a stop any
push away from it. Which joints stay is one complementarity problem over all of them, since through
M each joint's motion loads the others (Pfeiffer and Glocker 1996, ch. 5). A joint that stays
is a constraint: its speed is exactly zero and its position does not move by a bit.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.box_lcp import HIGH, INSIDE, solve_box_lcp
from kane_dynamics.motion.state_equation import StateEquation

SLIP_MARGIN = 1e-9      # force beyond the bound [N m or N] at which a stick is over


class ContactEquation(StateEquation):
    """Give the rate of y for fixed contact modes; `settle` chooses them between steps.

    friction: viscous, Coulomb, Stribeck and offset of a `Friction`, with a true sign instead of
    its smooth one; stops: `Stops`. Friction that `dynamics` has itself stays as it is, smooth.
    """

    def __init__(self, dynamics, law, stops=None, friction=None):
        super().__init__(dynamics, law)
        n = dynamics.robot.n_joints
        infinite = np.full(n, np.inf)
        self.stops, self.friction = stops, friction
        self.lower = -infinite if stops is None else stops.lower
        self.upper = infinite if stops is None else stops.upper
        self.breakaway = np.zeros(n)
        self._offset = 0.0
        if friction is not None:
            if friction.load is not None and friction.load.any():
                raise InputError('dry friction that grows with the load is not computed; give '
                                 "friction='smooth', or a Friction without load")
            if friction.offset is not None:
                self._offset = friction.offset
            self.breakaway = friction.coulomb if friction.stiction is None else friction.stiction
            self.damping[self.joints] = friction.viscous
        self.speeds = slice(self.nq + self.joints.start, self.nq + self.joints.stop)  # in y
        self.places = slice(self.nq - n - dynamics.robot.n_modes,
                            self.nq - dynamics.robot.n_modes)
        self.sign = np.zeros(n)                     # of sliding; 0 where there is no friction
        self.held = np.zeros(n, dtype=bool)         # joints at rest that stay
        self.blocked = np.zeros(n, dtype=bool)      # joints held until the end of a step
        self.bounds = np.zeros((2, n))              # of the contact forces of joints at rest
        self.force = np.zeros(n)                    # of contact on joints; good for held ones
        self._free = self._free_block = None        # places of the speeds that are not held
        self._bias, self.mass = np.zeros(self.nv), np.zeros((self.nv, self.nv))
        from scipy.linalg.lapack import dgesv              # here: only contact needs it
        self._solve = dgesv
        self._step_bias = dynamics.bind('bias', self.q, self.qd, self._bias)
        self._step_mass = dynamics.bind('mass_matrix', self.q, self.mass)

    def _load_array(self):
        return np.zeros(self.nv)

    def accelerate(self):
        """Fill qdd from q, qd, tau in the present modes; return the power lost to friction [W]."""
        loss = self._smooth_loss()
        self.load[:] = self.tau
        if self.friction is not None:
            speeds = self.qd[self.joints]
            resistance = self._sliding_friction(speeds)
            self.load[self.joints] -= resistance
            loss = resistance @ speeds
        if self._free is None:
            self._forward()
            return loss
        # M qdd + h = load + force with qdd = 0 at held joints: rows of the free ones give qdd
        self._step_bias()
        self._step_mass()
        self.qdd[:] = 0.0
        self._bias -= self.load
        if len(self._free):
            # LAPACK itself: numpy's way to it takes several times as long as the solution
            self.qdd[self._free] = self._solve(self.mass[self._free_block],
                                               -self._bias[self._free])[2]
            self._bias += self.mass @ self.qdd
        self.force[:] = self._bias[self.joints]
        return loss

    def _sliding_friction(self, v):
        friction = self.friction
        level = friction.coulomb
        if friction.stiction is not None:
            level = level + (friction.stiction - level) / (1.0 + (v / friction.stribeck_speed)**2)
        return friction.viscous * v + self.sign * level + self._offset

    def holding_force(self, held):
        """Return the forces (n_joints,) that keep the joints of a mask at rest, all others moving.

        For q, qd, tau of this object; good where held. `mass` is M there.
        """
        np.sign(self.qd[self.joints], out=self.sign)
        self.sign[self.breakaway == 0.0] = 0.0
        if (held != self.held).any():
            self._set_held(held)
        self.accelerate()
        return self.force

    # -- modes ----------------------------------------------------------------------------------

    def settle(self, t, y):
        """Choose which joints stay, slide, bounce at the state y; return whether that is new."""
        before = (self.sign.tobytes(), self.held.tobytes())
        v, q = y[self.speeds], y[self.places]
        low, high = q <= self.lower, q >= self.upper
        if ((low & (v < 0.0)) | (high & (v > 0.0))).any():
            self._hit(y, low, high)
            before = None                                  # the state jumped
        v = y[self.speeds]
        self.sign[:] = np.sign(v)
        self.sign[self.breakaway == 0.0] = 0.0
        self._hold((v == 0.0) & (self.breakaway > 0.0) | (v == 0.0) & (low | high) | self.blocked,
                   t, y, low, high)
        return before != (self.sign.tobytes(), self.held.tobytes())

    def _hold(self, resting, t, y, low, high):
        """Divide the joints at rest into those that stay and those that start to move."""
        self._set_held(np.zeros_like(self.held))
        if not resting.any():
            return
        self.bounds[0] = np.where(high | self.blocked, -np.inf, -self.breakaway)
        self.bounds[1] = np.where(low | self.blocked, np.inf, self.breakaway)
        self.read(t, y)
        self.accelerate()
        self._step_mass()
        k = np.flatnonzero(resting)
        rows = k + self.joints.start
        _, _, side = solve_box_lcp(np.linalg.inv(self.mass)[np.ix_(rows, rows)], self.qdd[rows],
                                   *self.bounds[:, k])
        # at its highest force the joint still accelerates downward, and the other way round
        self.sign[k] = np.where(side == INSIDE, 0.0, np.where(side == HIGH, -1.0, 1.0))
        self.sign[self.breakaway == 0.0] = 0.0
        held = np.zeros_like(self.held)
        held[k[side == INSIDE]] = True
        self._set_held(held)

    def _set_held(self, held):
        self.held[:] = held
        self.still[self.joints] = held
        self._free = self._free_block = None               # no joint is held
        if held.any():
            self._free = np.flatnonzero(~self.still)
            self._free_block = np.ix_(self._free, self._free)

    def _hit(self, y, low, high):
        """Jump the speeds in y at stops: v+ = -e v- where the stop pushes (Newton's rule).

        M (v+ - v-) = impulse; at each stop reached, impulse >= 0 and v+ + e v- >= 0, one of them
        zero (signs for a lower stop). Then the kinetic energy falls by
        sum impulse (1 - e) |v-| / 2 >= 0, however many joints hit at once.
        """
        self.take(y)
        self._step_mass()
        inverse = np.linalg.inv(self.mass)
        v = self.qd[self.joints]
        k = np.flatnonzero((low & (v <= 0.0)) | (high & (v >= 0.0)))
        rows = k + self.joints.start
        back = np.where(abs(v) > self.stops.rest_speed, self.stops.restitution, 0.0)
        bounds = np.where(low[k], 0.0, -np.inf), np.where(high[k], 0.0, np.inf)
        impulse, _, side = solve_box_lcp(inverse[np.ix_(rows, rows)], (v + back * v)[k], *bounds)
        speeds = self.qd + inverse[:, rows] @ impulse
        speeds[rows] = np.where(side == INSIDE, -(back * v)[k], speeds[rows])
        self._jump(y, speeds)

    def _jump(self, y, speeds):
        """Put new speeds (nv,) into y and book the kinetic energy that is lost."""
        y[self.n_state + 2] += 0.5 * (self.qd @ self.mass @ self.qd - speeds @ self.mass @ speeds)
        y[self.nq:self.n_state] = speeds
        y[self.nq:self.n_state] += 0.0                     # -0.0 becomes 0.0

    def block(self, y, joints):
        """Bring joints (a mask) to rest and hold them, whatever it takes, until `unblock`.

        For joints that would go on to hit or turn without end within one step. The speeds are
        projected along M^-1, which takes kinetic energy and never gives any.
        """
        self.blocked |= joints
        rows = np.flatnonzero(self.blocked) + self.joints.start
        self.take(y)
        self._step_mass()
        inverse = np.linalg.inv(self.mass)
        impulse = np.linalg.solve(inverse[np.ix_(rows, rows)], self.qd[rows])
        speeds = self.qd - inverse[:, rows] @ impulse
        speeds[rows] = 0.0
        self._jump(y, speeds)

    def unblock(self):
        """Let blocked joints go."""
        self.blocked[:] = False

    # -- events ---------------------------------------------------------------------------------

    def guards(self, t, y):
        """Return (4, n_joints): gaps to the stops, speed in sliding direction, stick margin.

        Negative means that the joint passed a stop, turned round, or should break loose.
        """
        v, q = y[self.speeds], y[self.places]
        margin = np.zeros(len(v))
        if self._free is not None:
            self.read(t, y)
            self.accelerate()
            held, force = self.held, self.force
            margin[held] = np.minimum(self.bounds[1] - force,
                                      force - self.bounds[0])[held] + SLIP_MARGIN
        return np.array([q - self.lower, self.upper - q, self.sign * v, margin])

    def snap(self, y, guards):
        """Put the joints that just reached a stop or came to rest exactly there, in y."""
        low, high, turned, _ = guards < 0.0
        y[self.places] = np.where(low, self.lower, np.where(high, self.upper, y[self.places]))
        y[self.speeds][turned] = 0.0

    def finish(self, t, y):
        """Restore in place what rounding may have moved after a step."""
        super().finish(t, y)
        y[self.speeds][self.held] = 0.0
