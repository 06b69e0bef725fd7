# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""State equation of an arm some of whose joints move as prescribed: the mixed problem in time.

The other joints, the modes and a floating base follow the torques (Vukobratovic and Potkonjak
1982, 2.2). Positions and speeds of the prescribed joints are those of their trajectory at every
evaluation; their torques follow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.mixed_problem import free_speeds
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.equations.link_forces import LinkForce
from kane_dynamics.simulation.equations.state import FreeEquation, TorqueLaw
from kane_dynamics.trajectory.trajectory import Trajectory

CLOSE = 1e-6    # [rad, m, rad/s, m/s] of a first state from the trajectory


class PrescribedEquation(FreeEquation):
    """State equation with joints that follow a Trajectory exactly."""

    def __init__(self, dynamics: Dynamics, law: TorqueLaw, motion: Trajectory,
                 link_forces: Sequence[LinkForce] = ()) -> None:
        super().__init__(dynamics, law, link_forces)
        if not isinstance(motion, Trajectory):
            raise InputError(f'motion must be a Trajectory, got {type(motion).__name__}')
        robot = dynamics.robot
        self._motion = motion
        free = free_speeds(robot, motion.joint_names)
        index = [robot.joint_index(name) for name in motion.joint_names]
        self._given_q = np.array([robot.joints_q.start + k for k in index])
        self._given_v = np.array([robot.joints_v.start + k for k in index])
        self._free, self._given_qdd = free.astype(float), np.zeros(self.nv)
        self._applied, self._result = np.zeros(self.nv), np.zeros((2, self.nv))
        self._mixed = dynamics.bind('mixed', self.q, self.qd, self._given_qdd, self._applied,
                                    self._free, self._result)

    def start(self, q0: FloatArray, qd0: FloatArray, t: float = 0.0) -> FloatArray:
        """Return y for a first state, which must be on the trajectory."""
        q, qd, _, _ = self._motion.sample(t)
        for what, given, wanted in (('q0', q0[self._given_q], q), ('qd0', qd0[self._given_v], qd)):
            k = int(np.argmax(abs(given - wanted)))
            if abs(given - wanted)[k] > CLOSE:
                raise InputError(f'{what}: joint {self._motion.joint_names[k]!r} starts at '
                                 f'{given[k]:g}, its motion at {wanted[k]:g}')
        return super().start(q0, qd0, t)

    def read(self, t: float, y: FloatArray) -> None:
        """Copy the state from y and the trajectory, fill tau and solve the mixed problem."""
        self.take(y)
        q, qd, qdd, _ = self._motion.sample(t)
        self.q[self._given_q], self.qd[self._given_v] = q, qd
        self._given_qdd[self._given_v] = qdd
        self.law(t, self.q, self.qd, self.tau)
        self.push(t)
        self._applied[:] = self._free * self.loaded(self.tau)
        self._mixed()
        given = self._given_v
        whole = self._result[0]
        self.tau[given] = self.dynamics.unloaded(whole, self.qd, self.external)[given]
        self.qdd[:] = self._result[1]

    def accelerate(self) -> float:
        """Return the power lost to friction [W]; `read` has filled qdd and tau."""
        return self._smooth_loss()

    def finish(self, t: float, y: FloatArray) -> None:
        """Put the prescribed joints of y onto their trajectory."""
        super().finish(t, y)
        q, qd, _, _ = self._motion.sample(t)
        y[self._given_q], y[self.nq + self._given_v] = q, qd

    def outputs(self, t: float, y: FloatArray) -> dict[str, FloatArray]:
        """Return tau and qdd: the torques alone do not determine the accelerations."""
        return {**super().outputs(t, y), 'qdd': self.qdd}
