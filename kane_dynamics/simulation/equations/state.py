# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""State equations y' = f(t, y): their protocol, and the equation of a free arm.

y = [q, qd, work, friction loss, impact loss, states of actuators]. The energies are integrated
with the motion, so that their error is the integrator's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.numerics.array_types import BoolArray, FloatArray
from kane_dynamics.simulation.equations.coordinates import Coordinates
from kane_dynamics.simulation.equations.link_forces import LinkForce, LinkForces

ACCOUNTS = 3    # energies behind q and qd in y: work, friction loss, impact loss [J]


class TorqueLaw(Protocol):
    """Function that fills tau for a time t [s] and a state q (nq,), qd (nv,)."""

    def __call__(self, t: float, q: FloatArray, qd: FloatArray, tau: FloatArray) -> None:
        """Fill tau."""


class StateEquation(Protocol):
    """Equations of motion as integration rules, steppers, `March` and `simulate` use them.

    q, qd, tau, qdd hold the state that was read last; `still` marks speeds that contact keeps at
    zero; `damping` (nv,) is viscous friction that `dynamics` lacks.
    """

    dynamics: Dynamics
    coordinates: Coordinates
    nq: int
    nv: int
    n_state: int        # nq + nv
    n_inner: int        # states of actuators
    q: FloatArray
    qd: FloatArray
    tau: FloatArray
    qdd: FloatArray
    still: BoolArray
    damping: FloatArray
    evaluations: int

    def state(self, q0: FloatArray, qd0: FloatArray) -> FloatArray:
        """Return y for a state of the arm, the energies zero."""

    def start(self, q0: FloatArray, qd0: FloatArray, t: float = 0.0) -> FloatArray:
        """Return y for a first state at time t; raise InputError where the arm cannot be there."""

    def rate(self, t: float, y: FloatArray, out: FloatArray) -> None:
        """Fill out with y' at time t [s]."""

    def outputs(self, t: float, y: FloatArray) -> dict[str, FloatArray]:
        """Return arrays at a state, by the names that `Solution` has for them."""

    def finish(self, t: float, y: FloatArray) -> None:
        """Restore the invariants of y in place after a step to time t."""

    def settle(self, t: float, y: FloatArray) -> bool:
        """Choose the contact modes for the state y; return whether the equations changed."""

    def guards(self, t: float, y: FloatArray) -> FloatArray | None:
        """Return values that are negative where y violates its contact modes, or None."""

    def snap(self, y: FloatArray, guards: FloatArray) -> None:
        """Move joints whose guards are negative exactly onto their limit, in y."""

    def block(self, y: FloatArray, joints: BoolArray) -> None:
        """Stop joints (a mask) and hold them until `unblock`."""

    def unblock(self) -> None:
        """Release blocked joints."""


class FreeEquation:
    """State equation of an arm without contact; the base of the others.

    It computes on arrays of its own: one object serves one thread.
    """

    n_inner = 0

    def __init__(self, dynamics: Dynamics, law: TorqueLaw,
                 link_forces: Sequence[LinkForce] = ()) -> None:
        robot = dynamics.robot
        self.dynamics, self.law = dynamics, law
        self.coordinates = Coordinates(robot)
        self.nq, self.nv = robot.nq, robot.nv
        self.n_state = robot.nq + robot.nv
        self.joints = robot.joints_v
        self.q, self.qd = np.zeros(self.nq), np.zeros(self.nv)
        self.tau, self.qdd = np.zeros(self.nv), np.zeros(self.nv)
        self.external = np.zeros(self.nv)       # generalized forces of those on links
        self._link_forces = LinkForces(dynamics, link_forces, self.q) if link_forces else None
        self.load = self._load_array()
        self.still = np.zeros(self.nv, dtype=bool)
        self.damping = np.zeros(self.nv)
        self._modal: FloatArray = robot.tree.damping    # of modes and elastic joints
        self._lossless = dynamics.friction is None and not self._modal.any()
        self._forward = dynamics.bind('forward', self.q, self.qd, self.load, self.qdd)
        self.evaluations = 0

    def _load_array(self) -> FloatArray:
        """Return the array of the generalized forces that the equations of motion take."""
        return self.tau if self._link_forces is None else np.zeros(self.nv)

    def state(self, q0: FloatArray, qd0: FloatArray) -> FloatArray:
        """Return y for a state of the arm, the energies zero."""
        return np.concatenate([q0, qd0, np.zeros(ACCOUNTS)])

    def start(self, q0: FloatArray, qd0: FloatArray, t: float = 0.0) -> FloatArray:
        """Return y for a first state at time t; raise InputError where the arm cannot be there."""
        return self.state(q0, qd0)

    def take(self, y: FloatArray) -> None:
        """Copy q and qd from y into this object's arrays."""
        self.q[:] = y[:self.nq]
        self.qd[:] = y[self.nq:self.n_state]
        self.coordinates.normalize(self.q)

    def read(self, t: float, y: FloatArray) -> None:
        """Copy q and qd from y and fill tau by the torque law."""
        self.take(y)
        self.law(t, self.q, self.qd, self.tau)
        self.push(t)

    def push(self, t: float) -> None:
        """Fill `external` with the generalized forces of those on links."""
        if self._link_forces is not None:
            self._link_forces.fill(t, self.external)

    def loaded(self, tau: FloatArray) -> FloatArray:
        """Return the torques (nv,) that move the arm as tau and the forces on links do."""
        if self._link_forces is None:
            return tau
        return self.dynamics.unloaded(tau, self.qd, -self.external)

    def rate(self, t: float, y: FloatArray, out: FloatArray) -> None:
        """Fill out with y' at time t [s]."""
        self.evaluations += 1
        self.read(t, y)
        loss = self.accelerate()
        self.coordinates.rate(self.q, self.qd, out[:self.nq])
        out[self.nq:self.n_state] = self.qdd
        out[self.n_state:] = ((self.tau + self.external) @ self.qd, loss, 0.0)

    def accelerate(self) -> float:
        """Fill qdd from q, qd, tau; return the power lost to friction [W]."""
        if self._link_forces is not None:
            self.load[:] = self.loaded(self.tau)
        self._forward()
        return self._smooth_loss()

    def _smooth_loss(self) -> float:
        """Return the power [W] lost to the friction and damping of `dynamics`."""
        if self._lossless:
            return 0.0
        loss = float(self._modal @ (self.qd * self.qd))
        if self.dynamics.friction is not None:
            speeds = self.qd[self.joints]
            tau = self.loaded(self.tau)[self.joints]
            loss += float(self.dynamics.friction.torque_under(tau, speeds) @ speeds)
        return loss

    def outputs(self, t: float, y: FloatArray) -> dict[str, FloatArray]:
        """Return arrays at a state, by the names that `Solution` has for them."""
        self.read(t, y)
        return {'tau': self.tau}

    def finish(self, t: float, y: FloatArray) -> None:
        """Restore the unit quaternion in y after a step to time t."""
        self.coordinates.normalize(y[:self.nq])

    # -- contact, which a free arm does not have -----------------------------------------------

    def settle(self, t: float, y: FloatArray) -> bool:
        """Return False: there are no contact modes to choose."""
        return False

    def guards(self, t: float, y: FloatArray) -> FloatArray | None:
        """Return None: nothing to watch."""
        return None

    def snap(self, y: FloatArray, guards: FloatArray) -> None:
        """Do nothing."""

    def block(self, y: FloatArray, joints: BoolArray) -> None:
        """Do nothing."""

    def unblock(self) -> None:
        """Do nothing."""
