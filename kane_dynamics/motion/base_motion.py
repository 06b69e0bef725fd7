# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A base that moves as prescribed: an arm on a ship, a vehicle or another machine.

Coordinates, poses and energies stay those relative to the base. It enters Kane's equations as the
angular velocity, angular acceleration and acceleration that the first body starts from
(Vukobratovic and Potkonjak 1982, 2.3.48), with gravity turned into the axes of the base.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.moves import Move
from kane_dynamics.motion.orientation import Turn
from kane_dynamics.motion.profiles import LAWS
from kane_dynamics.motion.state_equation import StateEquation


class BaseMotion:
    """A motion of the base, by a function of time.

    function(t) returns R (3, 3), w, alpha and a (3,): rotation, angular velocity [rad/s], angular
    acceleration [rad/s^2] and acceleration of the origin [m/s^2], in the axes of the world, in
    which gravity is constant; R is one where the base stands as the robot has it.
    """

    def __init__(self, function):
        if not callable(function):
            raise InputError('a BaseMotion is made of a function of time that returns R, w, alpha '
                             f'and a; got {type(function).__name__}')
        self._function = function

    @classmethod
    def along(cls, path, duration, law='quintic', orientation=None):
        """Return the motion along a `Path`, turned by an `Orientation`, by a law in a time [s]."""
        if law not in LAWS:
            raise InputError(f"law '{law}' is not known; there are {', '.join(LAWS)}")
        move = Move(LAWS[law](), [0.0], [1.0], duration)
        orientation = Turn(np.eye(3)) if orientation is None else orientation

        def function(t):
            x, xd, xdd = (float(each[0, 0]) for each in move.sample_many(np.array([t])))
            _, p1, p2 = (each[0] for each in path.evaluate(np.array([x])))
            R, W, W1 = (each[0] for each in orientation.evaluate(np.array([x])))
            return R, W * xd, W * xdd + W1 * xd * xd, p1 * xdd + p2 * xd * xd
        return cls(function)

    def nine(self, t, gravity):
        """Return (9,) angular velocity, angular acceleration and acceleration, in base axes.

        The equations add `gravity` (3,) as if the base did not turn; what it turns is taken into
        the acceleration: R^T (a - g) + g.
        """
        try:
            R, w, alpha, a = (np.asarray(each, dtype=float) for each in self._function(t))
        except (TypeError, ValueError) as error:
            raise InputError(f'the base motion must return R, w, alpha and a; at t = {t:g} s: '
                             f'{error}') from None
        if R.shape != (3, 3) or {each.shape for each in (w, alpha, a)} != {(3,)}:
            raise InputError('the base motion must return R (3, 3) and w, alpha, a, each (3,); '
                             f'got {[each.shape for each in (R, w, alpha, a)]} at t = {t:g} s')
        return np.concatenate([R.T @ w, R.T @ alpha, R.T @ (a - gravity) + gravity])


class MovingBaseEquation(StateEquation):
    """Give the rate of y with the base moving; its work on the arm counts as work of torques.

    In the moving frame the base acts by inertia forces: what the biases with and without it
    differ by.
    """

    def __init__(self, dynamics, law, base=None):
        super().__init__(dynamics, law)
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
        self._steps = (
            dynamics.bind('inverse_moving_base', self.q, self.qd, self._rest, self._base,
                          self._moving),
            dynamics.bind('bias', self.q, self.qd, self._standing))

    def read(self, t, y):
        """Copy q and qd from y, take the torque from the law and the base's motion."""
        super().read(t, y)
        self.time = t
        if self._base_motion is not None:
            self._base[:] = self._base_motion.nine(t, self.dynamics.robot.gravity)

    def rate(self, t, y, out):
        """Fill out with y' at time t [s]."""
        super().rate(t, y, out)
        out[self.n_state] += self.power()

    def power(self):
        """Return the power [W] of the base's motion on the arm, at the state read last."""
        if self._base_motion is None:
            return 0.0
        for step in self._steps:
            step()
        return (self._standing - self._moving) @ self.qd
