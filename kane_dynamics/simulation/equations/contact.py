# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""State equation with hard stops and dry friction: joints that slide, stick and hit.

A joint at rest feels a force within bounds: friction up to breakaway in both directions, and at a
stop any push away from it. Which joints stay at rest is one complementarity problem over all of
them, since through M each joint's motion loads the others (Pfeiffer and Glocker 1996, ch. 5). A
joint that stays is a constraint: its speed is exactly zero and its position does not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import (
    Friction, friction_level, refuse_load_dependent)
from kane_dynamics.numerics.array_types import BoolArray, FloatArray, IntArray
from kane_dynamics.numerics.box_lcp import HIGH, INSIDE, solve_box_lcp
from kane_dynamics.simulation.equations.link_forces import LinkForce
from kane_dynamics.simulation.equations.state import FreeEquation, TorqueLaw

if TYPE_CHECKING:
    from kane_dynamics.simulation.stops import Stops

SLIP_MARGIN = 1e-9      # force beyond the bound [N m or N] at which a joint breaks loose


class ContactEquation(FreeEquation):
    """State equation for fixed contact modes; `settle` chooses them between steps.

    friction: viscous, Coulomb, Stribeck and offset of a `Friction`, with a true sign instead of
    its smooth one; stops: `Stops`. Friction that `dynamics` has itself stays as it is, smooth.
    """

    def __init__(self, dynamics: Dynamics, law: TorqueLaw, stops: Stops | None = None,
                 friction: Friction | None = None,
                 link_forces: Sequence[LinkForce] = ()) -> None:
        super().__init__(dynamics, law, link_forces)
        refuse_load_dependent(dynamics.friction, 'stops and dry friction',
                              'leave the stops out, or give a Friction without load')
        n = dynamics.robot.n_joints
        infinite = np.full(n, np.inf)
        self.stops, self.friction = stops, friction
        self.lower = -infinite if stops is None else stops.lower
        self.upper = infinite if stops is None else stops.upper
        self.breakaway: FloatArray = np.zeros(n)
        self._offset: FloatArray | float = 0.0
        if friction is not None:
            refuse_load_dependent(friction, 'dry friction',
                                  "give friction='smooth', or a Friction without load")
            if friction.offset is not None:
                self._offset = friction.offset
            self.breakaway = friction.coulomb if friction.stiction is None else friction.stiction
            self.damping[self.joints] = friction.viscous
        self.speeds = slice(self.nq + self.joints.start, self.nq + self.joints.stop)  # in y
        self.positions = dynamics.robot.joints_q
        self.sign = np.zeros(n)                     # of sliding; 0 where there is no friction
        self.held = np.zeros(n, dtype=bool)         # joints at rest that stay
        self.blocked = np.zeros(n, dtype=bool)      # joints held until the end of a step
        self.bounds = np.zeros((2, n))              # of the contact forces of joints at rest
        self.force = np.zeros(n)                    # of contact on joints; good for held ones
        # indices of the speeds that are not held, and their block of M; None: no joint is held
        self._free: IntArray | None = None
        self._free_block: tuple[IntArray, ...] = ()
        self._bias, self.mass = np.zeros(self.nv), np.zeros((self.nv, self.nv))
        from scipy.linalg.lapack import dgesv              # slow to load: only contact needs it
        self._solve = dgesv
        self._step_bias = dynamics.bind('bias', self.q, self.qd, self._bias)
        self._step_mass = dynamics.bind('mass_matrix', self.q, self.mass)

    def _load_array(self) -> FloatArray:
        return np.zeros(self.nv)

    def accelerate(self) -> float:
        """Fill qdd from q, qd, tau in the present modes; return the power lost to friction [W]."""
        loss = self._smooth_loss()
        self.load[:] = self.tau + self.external
        if self.friction is not None:
            speeds = self.qd[self.joints]
            resistance = self._sliding_friction(speeds)
            self.load[self.joints] -= resistance
            loss = float(resistance @ speeds)
        if self._free is None:
            self._forward()
            return loss
        # M qdd + h = load + force with qdd = 0 at held joints: rows of the free ones give qdd
        self._step_bias()
        self._step_mass()
        self.qdd[:] = 0.0
        self._bias -= self.load
        if len(self._free):
            # LAPACK itself: the overhead of numpy is several times the time of the solution
            self.qdd[self._free] = self._solve(self.mass[self._free_block],
                                               -self._bias[self._free])[2]
            self._bias += self.mass @ self.qdd
        self.force[:] = self._bias[self.joints]
        return loss

    def _sliding_friction(self, v: FloatArray) -> FloatArray:
        friction = self.friction
        assert friction is not None
        level = friction_level(v, friction.parameters)
        return friction.viscous * v + self.sign * level + self._offset

    def holding_force(self, held: BoolArray) -> FloatArray:
        """Return the forces (n_joints,) that keep the joints of a mask at rest, all others moving.

        For q, qd, tau of this object; valid where held. `mass` is M there.
        """
        np.sign(self.qd[self.joints], out=self.sign)
        self.sign[self.breakaway == 0.0] = 0.0
        if (held != self.held).any():
            self._set_held(held)
        self.accelerate()
        return self.force

    def start(self, q0: FloatArray, qd0: FloatArray, t: float = 0.0) -> FloatArray:
        """Return y for a first state, which must be within the stops."""
        if self.stops is not None:
            self.stops.require_inside(q0[self.positions], self.dynamics.robot.joint_names)
        return self.state(q0, qd0)

    # -- modes ----------------------------------------------------------------------------------

    def settle(self, t: float, y: FloatArray) -> bool:
        """Choose which joints stay, slide, bounce at the state y; return whether that is new."""
        before: tuple[bytes, bytes] | None = self.sign.tobytes(), self.held.tobytes()
        v, q = y[self.speeds], y[self.positions]
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

    def _hold(self, resting: BoolArray, t: float, y: FloatArray, low: BoolArray,
              high: BoolArray) -> None:
        """Divide the joints at rest into those that stay and those that start to move."""
        self._set_held(np.zeros_like(self.held))
        if not resting.any():
            return
        self.bounds[0] = np.where(high | self.blocked, -np.inf, -self.breakaway)
        self.bounds[1] = np.where(low | self.blocked, np.inf, self.breakaway)
        self.read(t, y)
        self.accelerate()
        k = np.flatnonzero(resting)
        rows = k + self.joints.start
        _, _, side = solve_box_lcp(self._inverse_mass()[np.ix_(rows, rows)], self.qdd[rows],
                                   *self.bounds[:, k])
        # at its highest force the joint still accelerates downward, and vice versa
        self.sign[k] = np.where(side == INSIDE, 0.0, np.where(side == HIGH, -1.0, 1.0))
        self.sign[self.breakaway == 0.0] = 0.0
        held = np.zeros_like(self.held)
        held[k[side == INSIDE]] = True
        self._set_held(held)

    def _set_held(self, held: BoolArray) -> None:
        self.held[:] = held
        self.still[self.joints] = held
        self._free = None
        if held.any():
            self._free = np.flatnonzero(~self.still)
            self._free_block = np.ix_(self._free, self._free)

    def _hit(self, y: FloatArray, low: BoolArray, high: BoolArray) -> None:
        """Jump the speeds in y at stops: v+ = -e v- where the stop pushes (Newton's rule).

        M (v+ - v-) = impulse; at each stop reached, impulse >= 0 and v+ + e v- >= 0, one of them
        zero (signs for a lower stop). Then the kinetic energy falls by
        sum impulse (1 - e) |v-| / 2 >= 0, however many joints hit at once.
        """
        assert self.stops is not None       # only a stop is hit
        self.take(y)
        inverse = self._inverse_mass()
        v = self.qd[self.joints]
        k = np.flatnonzero((low & (v <= 0.0)) | (high & (v >= 0.0)))
        rows = k + self.joints.start
        back = np.where(abs(v) > self.stops.rest_speed, self.stops.restitution, 0.0)
        bounds = np.where(low[k], 0.0, -np.inf), np.where(high[k], 0.0, np.inf)
        impulse, _, side = solve_box_lcp(inverse[np.ix_(rows, rows)], (v + back * v)[k], *bounds)
        speeds = self.qd + inverse[:, rows] @ impulse
        speeds[rows] = np.where(side == INSIDE, -(back * v)[k], speeds[rows])
        self._jump(y, speeds)

    def _inverse_mass(self) -> FloatArray:
        """Return M^-1 (nv, nv) at q, and fill `mass`."""
        self._step_mass()
        return np.asarray(np.linalg.inv(self.mass), dtype=float)

    def _jump(self, y: FloatArray, speeds: FloatArray) -> None:
        """Write new speeds (nv,) into y and add the kinetic energy lost to the impact loss."""
        y[self.n_state + 2] += 0.5 * (self.qd @ self.mass @ self.qd - speeds @ self.mass @ speeds)
        y[self.nq:self.n_state] = speeds
        y[self.nq:self.n_state] += 0.0                     # -0.0 becomes 0.0

    def block(self, y: FloatArray, joints: BoolArray) -> None:
        """Stop joints (a mask) and hold them by any force until `unblock`.

        For joints that would hit or reverse without end within one step. The speeds are
        projected along M^-1, which removes kinetic energy and never adds any.
        """
        self.blocked |= joints
        rows = np.flatnonzero(self.blocked) + self.joints.start
        self.take(y)
        inverse = self._inverse_mass()
        impulse = np.linalg.solve(inverse[np.ix_(rows, rows)], self.qd[rows])
        speeds = self.qd - inverse[:, rows] @ impulse
        speeds[rows] = 0.0
        self._jump(y, speeds)

    def unblock(self) -> None:
        """Release blocked joints."""
        self.blocked[:] = False

    # -- events ---------------------------------------------------------------------------------

    def guards(self, t: float, y: FloatArray) -> FloatArray:
        """Return (4, n_joints): gaps to the stops, speed in sliding direction, stick margin.

        Negative means that the joint passed a stop, reversed, or should break loose.
        """
        v, q = y[self.speeds], y[self.positions]
        margin = np.zeros(len(v))
        if self._free is not None:
            self.read(t, y)
            self.accelerate()
            held, force = self.held, self.force
            margin[held] = np.minimum(self.bounds[1] - force,
                                      force - self.bounds[0])[held] + SLIP_MARGIN
        return np.array([q - self.lower, self.upper - q, self.sign * v, margin])

    def snap(self, y: FloatArray, guards: FloatArray) -> None:
        """Move joints that just reached a stop or came to rest exactly there, in y."""
        low, high, reversed_, _ = guards < 0.0
        q = y[self.positions]
        q[:] = np.where(low, self.lower, np.where(high, self.upper, q))
        y[self.speeds][reversed_] = 0.0

    def finish(self, t: float, y: FloatArray) -> None:
        """Restore the unit quaternion and the zero speeds of held joints in y."""
        super().finish(t, y)
        y[self.speeds][self.held] = 0.0
