# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""State equation of an arm whose base moves as prescribed.

Coordinates, poses and energies stay those relative to the base. Its motion enters Kane's equations
as the angular velocity, angular acceleration and acceleration that the first body starts from
(Vukobratovic and Potkonjak 1982, 2.3.48), with gravity rotated into the axes of the base.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.equations.base_motion import BaseMotion
from kane_dynamics.simulation.equations.link_forces import LinkForce
from kane_dynamics.simulation.equations.state import FreeEquation, TorqueLaw


class MovingBaseEquation(FreeEquation):
    """State equation with a moving base, whose work on the arm counts as work of the torques.

    In the moving frame the base acts by inertia forces: the difference of the biases with and
    without its motion.
    """

    def __init__(self, dynamics: Dynamics, law: TorqueLaw, base: BaseMotion | None = None,
                 link_forces: Sequence[LinkForce] = ()) -> None:
        super().__init__(dynamics, law, link_forces)
        self.time, self._base_motion = 0.0, base
        if base is None:
            return
        robot = dynamics.robot
        if robot.floating_base:
            raise InputError(f'base: the base of {robot.name!r} floats, its motion is in q')
        if not isinstance(base, BaseMotion):
            raise InputError(f'base must be a BaseMotion, got {type(base).__name__}')
        self._base, self._rest = np.zeros(9), np.zeros(self.nv)
        self._moving, self._standing = np.zeros(self.nv), np.zeros(self.nv)
        self._forward = dynamics.bind('forward_moving_base', self.q, self.qd, self.load,
                                      self._base, self.qdd)
        # their difference is free of friction, unless friction depends on the load
        friction = dynamics.friction
        ideal = (dynamics if friction is None or not friction.depends_on_load
                 else Dynamics(dynamics.robot, backend=dynamics.backend))
        self._biases = (
            ideal.bind('inverse_moving_base', self.q, self.qd, self._rest, self._base,
                       self._moving),
            ideal.bind('bias', self.q, self.qd, self._standing))

    def read(self, t: float, y: FloatArray) -> None:
        """Copy q and qd from y, fill tau by the torque law and take the motion of the base."""
        super().read(t, y)
        self.time = t
        if self._base_motion is not None:
            self._base[:] = self._base_motion.in_base_axes(t, self.dynamics.robot.gravity)

    def rate(self, t: float, y: FloatArray, out: FloatArray) -> None:
        """Fill out with y' at time t [s]."""
        super().rate(t, y, out)
        out[self.n_state] += self.power()

    def power(self) -> float:
        """Return the power [W] of the base on the arm, at the state read last."""
        if self._base_motion is None:
            return 0.0
        for fill in self._biases:
            fill()
        return float((self._standing - self._moving) @ self.qd)

    def outputs(self, t: float, y: FloatArray) -> dict[str, FloatArray]:
        """Return tau and qdd: the torques alone do not determine the accelerations."""
        found = super().outputs(t, y)
        self.accelerate()
        return {**found, 'qdd': self.qdd}
