# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""One step of a driven arm: compiled where joints just move, with care where they touch."""

from __future__ import annotations

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.model.assembly import tree_of
from kane_dynamics.motion.contact import ContactEquation
from kane_dynamics.motion.implicit_rules import ImplicitMidpoint
from kane_dynamics.motion.integrators import Rk4
from kane_dynamics.motion.march import March
from kane_dynamics.motion.steppers import METHODS as STEPPERS

# What steps where joints touch: at each contact generalized_alpha would have to begin anew
RULES = {'rk4': ('rk4', Rk4), 'midpoint': ('midpoint', ImplicitMidpoint),
         'generalized_alpha': ('midpoint', ImplicitMidpoint)}
BALANCE = 1e-12         # of the forces of springs: what is left of them where they stand
CONTACTS_AT_ONCE = 4    # in one step, before joints are blocked to its end: a bound on the work


class PlantStep:
    """Take steps h [s] of the state in `stepper` (q, qd, qdd), and book them in an account.

    Three ways, the first that will do:
    - no joint rests where friction or a stop could hold it: a compiled step; Coulomb friction is
      then a held torque;
    - the joints at rest can all stay so: the same rule with them as constraints (compiled for
      arms that bend, whose links swing on); also where a Stribeck curve bends the friction;
    - a joint breaks loose, turns round or meets a stop: `March` finds the moment.

    dynamics: without friction; law: fills all generalized forces, as for `simulate`.
    """

    def __init__(self, dynamics, law, account, h, method, friction=None, stops=None):
        robot = self._robot = dynamics.robot
        self._dynamics, self._law, self.account, self.h = dynamics, law, account, h
        self.friction, self.stops = friction, stops
        first = robot.nv - robot.n_modes - robot.n_joints
        self._speeds = slice(first, first + robot.n_joints)
        self._places = slice(robot.nq - robot.n_modes - robot.n_joints, robot.nq - robot.n_modes)
        viscous = None
        if friction is not None and friction.viscous.any():
            # linear, so it belongs to the compiled steps; what has a sign does not
            viscous = Friction(friction.viscous, np.zeros(robot.n_joints))
        driven, self._holder = Dynamics(robot, viscous), None
        self._free = np.ones(robot.nv)                     # 0 for joints that are held
        if robot.n_modes and method != 'rk4':
            self._holder = driven.stepper(h, free=self._free)
        self.stepper = self._holder
        if self._holder is None or method != 'midpoint':
            self.stepper = driven.stepper(h, method)
        self.equation = ContactEquation(dynamics, law, stops, friction)
        name, rule = RULES[method]
        self._rule = rule(self.equation)
        start = self.equation.state(self.stepper.q, self.stepper.qd)
        self._march = March(self.equation, STEPPERS[name](equation=self.equation, step=h), 0.0,
                            start, contacts_at_once=CONTACTS_AT_ONCE)
        self._rule_out = start.copy()
        self._old_q, self._old_qd = np.zeros(robot.nq), np.zeros(robot.nv)
        self._old_qdd = np.zeros(robot.nv)
        self._sticky = self.equation.breakaway > 0.0
        self._none = np.zeros(robot.n_joints, dtype=bool)
        self._stiffness = np.zeros(robot.n_modes)
        for spring in tree_of(robot).springs:
            if spring.u_index >= self._speeds.stop:
                self._stiffness[spring.u_index - self._speeds.stop] += spring.stiffness
        # a Stribeck curve bends within a step: its level is no held torque
        self._curved = (friction is not None and friction.stiction is not None
                        and (friction.stiction != friction.coulomb).any())
        self._touches = friction is not None or stops is not None
        self.contacts = 0
        self._set_by_hand = True    # the accelerations in the stepper are not of this state
        self.at_rest = False    # nothing moved in the last step, nor will it under the same forces

    def forget(self):
        """Begin anew: the state was set by hand and time goes back to zero."""
        self._march.forget()
        self.contacts, self.at_rest = 0, False
        self._set_by_hand = True

    def __call__(self, t, braked):
        """Take the step that begins at time t [s]."""
        self.at_rest = (braked and not self.stepper.qd[self._speeds].any()
                        and self._links_stand())
        if self.at_rest:
            pass
        elif braked and self._holder is not None and not self.stepper.qd[self._speeds].any():
            self._law.fill(0.0, self.stepper.q, self.stepper.qd, self.stepper.tau)
            self._keep()
            self._swing(~self._none)
            self._book(None)
        elif braked or not self._glide():
            self._march_on(t, braked)
        self._set_by_hand |= braked or self.at_rest

    def _glide(self):
        """Take one step without an event; return False, the state untouched, if there is one."""
        stepper = self.stepper
        load, v, q = stepper.tau, stepper.qd[self._speeds], stepper.q[self._places]
        self._law.fill(0.0, stepper.q, stepper.qd, load)
        held = self._none if self._curved else None
        dry = None
        if self._touches:
            if not v.all():
                held = self._can_be_held(v, q, held)
            if self.friction is not None:
                dry = self._dry_friction(v)
                load[self._speeds] -= dry
        self._keep()
        if held is not None:
            if not self._can_hold(held):
                return False
            if held.all() and self._links_stand():
                self.at_rest = True
                return True
            return self._step_held(held, dry)
        if self._set_by_hand:
            stepper.refresh()
            self._set_by_hand = False
        if self._holder is stepper:
            self._free[:] = 1.0
        stepper.step()
        if self._touches and self._contact_changed(dry):
            self._restore()
            return False
        self._book(dry)
        return True

    def _book(self, dry):
        self.account.glided(self._old_q, self._old_qd, self.stepper, self.stepper.tau, dry, self.h)

    def _swing(self, held):
        """Let the links swing through a step, compiled, under stepper.tau; `held` joints stay."""
        stepper, holder = self.stepper, self._holder
        if holder is not stepper:
            holder.q[:], holder.qd[:], holder.qdd[:] = stepper.q, stepper.qd, stepper.qdd
            holder.tau[:] = stepper.tau
        self._free[:] = 1.0
        self._free[self._speeds][held] = 0.0
        holder.step()
        if holder is not stepper:
            stepper.q[:], stepper.qd[:], stepper.qdd[:] = holder.q, holder.qd, holder.qdd
        self._set_by_hand = True

    def _links_stand(self):
        """Return whether nothing but the joints could move: no base, and springs in balance.

        Links that move by less than rounding are brought to rest.
        """
        stepper, n = self.stepper, self._robot.n_modes
        if self._speeds.start:                             # a floating base
            return False
        if n == 0:
            return True
        eta, speeds = stepper.q[-n:], stepper.qd[-n:]
        forces = self._stiffness * abs(eta)
        if (abs(speeds) * self.h > BALANCE * abs(eta).max()).any():
            return False
        self._law.fill(0.0, stepper.q, stepper.qd, stepper.tau)
        left = stepper.tau - self._dynamics.bias(stepper.q, stepper.qd)
        if abs(left[-n:]).max() > BALANCE * forces.max():
            return False
        speeds[:] = 0.0
        return True

    def _can_be_held(self, v, q, no_one):
        """Return which joints rest where friction or a stop could hold them, or `no_one`."""
        held = self._sticky
        if self.stops is not None:
            held = held | (q <= self.stops.lower) | (q >= self.stops.upper)
        held = held & (v == 0.0)
        return held if held.any() else no_one

    def _contact_changed(self, dry):
        """Return whether a joint turned round or passed a stop in the step just taken."""
        stepper = self.stepper
        if dry is not None:
            before, after = self._old_qd[self._speeds], stepper.qd[self._speeds]
            if ((before * after < 0.0) & self._sticky).any():
                return True
        q = stepper.q[self._places]
        return self.stops is not None and bool(
            (q < self.stops.lower).any() or (q > self.stops.upper).any())

    def _can_hold(self, held):
        """Return whether forces within bounds keep all these joints at rest.

        If they do, that is what happens: the problem has one solution.
        """
        stepper, equation = self.stepper, self.equation
        equation.q[:], equation.qd[:] = stepper.q, stepper.qd
        self._law.fill(0.0, stepper.q, stepper.qd, equation.tau)
        force = equation.holding_force(held)
        q = stepper.q[self._places]
        low, high = -equation.breakaway, equation.breakaway
        if self.stops is not None:
            low = np.where(q >= self.stops.upper, -np.inf, low)
            high = np.where(q <= self.stops.lower, np.inf, high)
        return bool(((force >= low) & (force <= high) | ~held).all())

    def _step_held(self, held, dry):
        """Step with some joints held, by the equations with them as constraints."""
        stepper, equation = self.stepper, self.equation
        if self._holder is not None and not self._curved:
            self._swing(held)
            if self._contact_changed(dry):
                self._restore()
                return False
            self._book(dry)
            return True
        y = self.account.state(stepper.q, stepper.qd)
        after = self._rule_out
        self._rule.advance(0.0, y, self.h, after)
        n = equation.n_state
        stepper.q[:], stepper.qd[:] = after[:equation.nq], after[equation.nq:n]
        if self._contact_changed(dry):
            self._restore()
            return False
        self.account.marched(after[n:])
        stepper.qdd[:] = equation.qdd
        return True

    def _keep(self):
        stepper = self.stepper
        self._old_q[:], self._old_qd[:], self._old_qdd[:] = stepper.q, stepper.qd, stepper.qdd

    def _restore(self):
        stepper = self.stepper
        stepper.q[:], stepper.qd[:], stepper.qdd[:] = self._old_q, self._old_qd, self._old_qdd

    def _dry_friction(self, v):
        """Return Coulomb friction and offset for joints moving at v."""
        dry = np.sign(v) * self.friction.coulomb
        return dry if self.friction.offset is None else dry + self.friction.offset

    def _march_on(self, t, braked):
        """Take one step across rests, turns and stops, or with all joints braked."""
        stepper, equation, march = self.stepper, self.equation, self._march
        y = self.account.state(stepper.q, stepper.qd)
        if braked:
            equation.block(y, np.ones(self._robot.n_joints, dtype=bool))
        contacts = march.contacts
        march.stand(t, y)
        march.advance(t + self.h)
        equation.unblock()
        self.contacts += march.contacts - contacts
        n = equation.n_state
        stepper.q[:], stepper.qd[:] = march.y[:equation.nq], march.y[equation.nq:n]
        self.account.marched(march.y[n:])
        self._law.fill(t, stepper.q, stepper.qd, stepper.tau)
        stepper.refresh()
