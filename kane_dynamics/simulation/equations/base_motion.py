# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Prescribed motion of the base: an arm on a ship, a vehicle or another machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.task.orientation import AxisRotation
from kane_dynamics.trajectory.moves import Move
from kane_dynamics.trajectory.profiles import as_profile

if TYPE_CHECKING:
    from kane_dynamics.task.orientation import Orientation
    from kane_dynamics.task.path import Path

BaseFunction: TypeAlias = 'Callable[[float], tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]]'


class BaseMotion:
    """Motion of the frame N of a robot's model, with the root link fixed in it.

    N is the frame in which `Robot.with_base` places the root link: that of the ship or vehicle.
    function(t) returns R (3, 3), w, alpha and a (3,): rotation, angular velocity [rad/s], angular
    acceleration [rad/s^2] of N and acceleration of its origin [m/s^2], in the axes of an inertial
    frame, in which `Robot.gravity` is constant; R = 1 is N at rest as in the model. The origin of
    N is that of the root link only for base_position = 0; elsewhere, with r = R base_position, the
    root link has the acceleration a + alpha x r + w x (w x r).
    """

    def __init__(self, function: BaseFunction) -> None:
        if not callable(function):
            raise InputError('a BaseMotion is made of a function of time that returns R, w, alpha '
                             f'and a; got {type(function).__name__}')
        self._function = function

    @classmethod
    def along(cls, path: Path, duration: float, profile: str = 'quintic',
              orientation: Orientation | None = None) -> BaseMotion:
        """Return the motion along a path in a duration [s], with an orientation."""
        move = Move(as_profile(profile), np.zeros(1), np.ones(1), duration)
        turning = AxisRotation(np.eye(3)) if orientation is None else orientation

        def function(t: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            x, xd, xdd = (float(each[0, 0]) for each in move.sample_many(np.array([t])))
            _, p1, p2 = (each[0] for each in path.evaluate(np.array([x])))
            R, W, W1 = (each[0] for each in turning.evaluate(np.array([x])))
            return R, W * xd, W * xdd + W1 * xd * xd, p1 * xdd + p2 * xd * xd
        return cls(function)

    def in_base_axes(self, t: float, gravity: FloatArray) -> FloatArray:
        """Return (9,) angular velocity, angular acceleration and acceleration, in base axes.

        The equations of motion add `gravity` (3,) as if the base did not rotate; the difference
        is part of the acceleration: R^T (a - g) + g.
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
