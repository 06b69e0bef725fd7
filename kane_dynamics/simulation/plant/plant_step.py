# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""One step of a Plant: compiled while joints move freely, event by event at contacts."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.dynamics.stepper import Stepper
from kane_dynamics.numerics.array_types import BoolArray, FloatArray
from kane_dynamics.simulation.equations.contact import ContactEquation
from kane_dynamics.simulation.equations.state import TorqueLaw
from kane_dynamics.simulation.march import March
from kane_dynamics.simulation.plant.plant_energy import PlantEnergy
from kane_dynamics.simulation.rules.explicit import Rk4
from kane_dynamics.simulation.rules.implicit import ImplicitMidpoint
from kane_dynamics.simulation.rules.steppers import METHODS as STEPPERS, RuleClass
from kane_dynamics.simulation.stops import Stops

StepMethod: TypeAlias = Literal['rk4', 'midpoint', 'generalized_alpha']

# The rule at contacts, each of which would restart generalized_alpha
RULES: dict[StepMethod, tuple[str, RuleClass]] = {
    'rk4': ('rk4', Rk4), 'midpoint': ('midpoint', ImplicitMidpoint),
    'generalized_alpha': ('midpoint', ImplicitMidpoint)}
BALANCE = 1e-12         # relative to the forces of springs: residual of links in equilibrium
CONTACTS_AT_ONCE = 4    # in one step, before joints are blocked to its end: a bound on the work


class PlantStep:
    """Take steps h [s] of the state in `stepper` (q, qd, qdd), and add up their energies.

    The first of three kinds of step that applies:
    - no joint rests where friction or a stop could hold it: a compiled step; Coulomb friction is
      then a held torque;
    - the joints at rest can all stay at rest: the same rule with them as constraints (compiled for
      flexible arms, whose links continue to vibrate); also where friction has a Stribeck curve;
    - a joint breaks loose, reverses or meets a stop: `March` finds the instant.

    dynamics: without friction; law: fills all generalized forces, as for `simulate`.
    """

    def __init__(self, dynamics: Dynamics, law: TorqueLaw, account: PlantEnergy, h: float,
                 method: StepMethod, friction: Friction | None = None,
                 stops: Stops | None = None) -> None:
        robot = self._robot = dynamics.robot
        self._dynamics, self._law, self.account, self.h = dynamics, law, account, h
        self.friction, self.stops = friction, stops
        self._speeds, self._positions = robot.joints_v, robot.joints_q
        viscous = None
        if friction is not None and friction.viscous.any():
            # linear, so it belongs to the compiled steps; dry friction does not
            viscous = Friction(friction.viscous, np.zeros(robot.n_joints))
        driven = Dynamics(robot, viscous)
        self._free = np.ones(robot.nv)                     # 0 for joints that are held
        # the stepper that can hold joints; None where there is none
        self._holder: Stepper | None = None
        if robot.n_modes and method != 'rk4':
            self._holder = driven.stepper(h, free=self._free)
        self.stepper: Stepper = (
            self._holder if self._holder is not None and method == 'midpoint'
            else driven.stepper(h, method))
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
        self._stiffness: FloatArray = robot.tree.stiffness[robot.modes_v]
        # a Stribeck curve varies within a step: its level is no held torque
        self._curved = (friction is not None and friction.stiction is not None
                        and bool((friction.stiction != friction.coulomb).any()))
        self._touches = friction is not None or stops is not None
        self.contacts = 0
        self._set_by_hand = True    # the accelerations in the stepper are not of this state
        self.at_rest = False    # nothing moved in the last step, nor will it under the same forces

    def forget_contacts(self) -> None:
        """Start over: the state was set by hand and time returns to zero."""
        self._march.forget_contacts()
        self.contacts, self.at_rest = 0, False
        self._set_by_hand = True

    def __call__(self, t: float, braked: bool) -> None:
        """Take the step that begins at time t [s]."""
        stopped = braked and not self.stepper.qd[self._speeds].any()
        self.at_rest = stopped and self._links_at_rest()
        if self.at_rest:
            pass
        elif stopped and self._holder is not None:
            self._law(0.0, self.stepper.q, self.stepper.qd, self.stepper.tau)
            self._keep()
            self._vibrate(self._holder, ~self._none)
            self._add_energy(None)
        elif braked or not self._glide():
            self._march_on(t, braked)
        self._set_by_hand |= braked or self.at_rest

    def _glide(self) -> bool:
        """Take one step without an event; return False, the state untouched, if there is one."""
        stepper = self.stepper
        load, v, q = stepper.tau, stepper.qd[self._speeds], stepper.q[self._positions]
        self._law(0.0, stepper.q, stepper.qd, load)
        held = self._none if self._curved else None
        dry: FloatArray | None = None
        if self._touches:
            if not v.all():
                held = self._resting(v, q, held)
            if self.friction is not None:
                dry = self._dry_friction(v, self.friction)
                load[self._speeds] -= dry
        self._keep()
        if held is not None:
            if not self._can_hold(held):
                return False
            if held.all() and self._links_at_rest():
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
        self._add_energy(dry)
        return True

    def _add_energy(self, dry: FloatArray | None) -> None:
        self.account.add_step(self._old_q, self._old_qd, self.stepper, self.stepper.tau, dry,
                              self.h)

    def _vibrate(self, holder: Stepper, held: BoolArray) -> None:
        """Take a compiled step of the links under stepper.tau, the `held` joints at rest."""
        stepper = self.stepper
        if holder is not stepper:
            holder.q[:], holder.qd[:], holder.qdd[:] = stepper.q, stepper.qd, stepper.qdd
            holder.tau[:] = stepper.tau
        self._free[:] = 1.0
        self._free[self._speeds][held] = 0.0
        holder.step()
        if holder is not stepper:
            stepper.q[:], stepper.qd[:], stepper.qdd[:] = holder.q, holder.qd, holder.qdd
        self._set_by_hand = True

    def _links_at_rest(self) -> bool:
        """Return whether only the joints could move: a fixed base, and springs in equilibrium.

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
        self._law(0.0, stepper.q, stepper.qd, stepper.tau)
        left = stepper.tau - self._dynamics.bias(stepper.q, stepper.qd)
        if abs(left[-n:]).max() > BALANCE * forces.max():
            return False
        speeds[:] = 0.0
        return True

    def _resting(self, v: FloatArray, q: FloatArray, default: BoolArray | None
                 ) -> BoolArray | None:
        """Return the joints at rest that friction or a stop could hold; `default` for none."""
        held = self._sticky
        if self.stops is not None:
            held = held | (q <= self.stops.lower) | (q >= self.stops.upper)
        held = held & (v == 0.0)
        return held if held.any() else default

    def _contact_changed(self, dry: FloatArray | None) -> bool:
        """Return whether a joint reversed or passed a stop in the step just taken."""
        stepper = self.stepper
        if dry is not None:
            before, after = self._old_qd[self._speeds], stepper.qd[self._speeds]
            if ((before * after < 0.0) & self._sticky).any():
                return True
        q = stepper.q[self._positions]
        return self.stops is not None and bool(
            (q < self.stops.lower).any() or (q > self.stops.upper).any())

    def _can_hold(self, held: BoolArray) -> bool:
        """Return whether forces within bounds keep all these joints at rest.

        If they can, they do: the problem has one solution.
        """
        stepper, equation = self.stepper, self.equation
        equation.q[:], equation.qd[:] = stepper.q, stepper.qd
        self._law(0.0, stepper.q, stepper.qd, equation.tau)
        force = equation.holding_force(held)
        q = stepper.q[self._positions]
        low, high = -equation.breakaway, equation.breakaway
        if self.stops is not None:
            low = np.where(q >= self.stops.upper, -np.inf, low)
            high = np.where(q <= self.stops.lower, np.inf, high)
        return bool(((force >= low) & (force <= high) | ~held).all())

    def _step_held(self, held: BoolArray, dry: FloatArray | None) -> bool:
        """Take a step with some joints held as constraints; return False if a contact changed."""
        stepper, equation = self.stepper, self.equation
        if self._holder is not None and not self._curved:
            self._vibrate(self._holder, held)
            if self._contact_changed(dry):
                self._restore()
                return False
            self._add_energy(dry)
            return True
        y = self.account.state(stepper.q, stepper.qd)
        after = self._rule_out
        self._rule.advance(0.0, y, self.h, after)
        n = equation.n_state
        stepper.q[:], stepper.qd[:] = after[:equation.nq], after[equation.nq:n]
        if self._contact_changed(dry):
            self._restore()
            return False
        self.account.set_sums(after[n:])
        stepper.qdd[:] = equation.qdd
        return True

    def _keep(self) -> None:
        stepper = self.stepper
        self._old_q[:], self._old_qd[:], self._old_qdd[:] = stepper.q, stepper.qd, stepper.qdd

    def _restore(self) -> None:
        stepper = self.stepper
        stepper.q[:], stepper.qd[:], stepper.qdd[:] = self._old_q, self._old_qd, self._old_qdd

    def _dry_friction(self, v: FloatArray, friction: Friction) -> FloatArray:
        """Return Coulomb friction and offset for joints moving at v."""
        dry: FloatArray = np.sign(v) * friction.coulomb
        return dry if friction.offset is None else dry + friction.offset

    def _march_on(self, t: float, braked: bool) -> None:
        """Take one step across rests, turns and stops, or with all joints braked."""
        stepper, equation, march = self.stepper, self.equation, self._march
        y = self.account.state(stepper.q, stepper.qd)
        if braked:
            equation.block(y, np.ones(self._robot.n_joints, dtype=bool))
        contacts = march.contacts
        march.start_from(t, y)
        march.advance(t + self.h)
        equation.unblock()
        self.contacts += march.contacts - contacts
        n = equation.n_state
        stepper.q[:], stepper.qd[:] = march.y[:equation.nq], march.y[equation.nq:n]
        self.account.set_sums(march.y[n:])
        self._law(t, stepper.q, stepper.qd, stepper.tau)
        stepper.refresh()
