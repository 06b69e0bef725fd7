# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics: damped Newton steps within the joint limits."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.task.direction import Direction
from kane_dynamics.task.equations import TaskEquations
from kane_dynamics.task.orientation import AxisRotation, Orientation
from kane_dynamics.task.path import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kane_dynamics.dynamics.dynamics import Dynamics
    from kane_dynamics.model.robot import Robot

MOST_STEPS = 200
LONGEST_STEP = 0.3      # [rad]: the linearization holds for short steps
CONVERGED = 1e-12       # scaled error that is as good as rounding allows
GOOD = 1e-9             # scaled error that is accepted where rounding stops the steps earlier


class Reached(NamedTuple):
    """The end of the Newton steps: q (n,), the scaled error, and whether that is the goal."""

    q: FloatArray
    error: float
    good: bool


class NotReachedError(KaneDynamicsError, ValueError):
    """A position that no configuration near the given one reaches; `nearest` (n,) is the best."""

    def __init__(self, text: str, nearest: FloatArray) -> None:
        super().__init__(text)
        self.nearest = nearest


def inverse_kinematics(dynamics: Dynamics, frame: str, position: ArrayLike,
                       orientation: ArrayLike | Orientation | Direction | None = None,
                       q0: ArrayLike | None = None, *, point: ArrayLike = (0.0, 0.0, 0.0),
                       limits: bool = True, tries: int = 40) -> FloatArray:
    """Return q (n,) that brings a point of a link to a position, or raise NotReachedError.

    Args:
        dynamics: of the arm.
        frame: link; point (3,) [m] in its axes.
        position: (3,) [m] in base axes.
        orientation: None; a rotation (matrix, quaternion, roll-pitch-yaw); or a `Pointing`.
        q0: (n,) initial configuration; the solution is near it. None tries the middle of the
            joints' ranges, then `tries` others, the same at each call.
        limits: keep to the joint limits of the URDF.
    """
    if orientation is not None and not isinstance(orientation, (Orientation, Direction)):
        orientation = AxisRotation(orientation)
    equations = TaskEquations(dynamics, frame, Line(position, position), orientation, point)
    robot = equations.robot
    bounds = joint_bounds(robot, limits)
    if q0 is not None:
        starts = [checked_configuration(robot, q0, 'q0', bounds)]
    else:
        low, high = np.maximum(bounds[0], -math.pi), np.minimum(bounds[1], math.pi)
        # an additive recurrence fills the ranges evenly (Roberts 2018)
        golden = 1.0
        for _ in range(30):
            golden = (1.0 + golden) ** (1.0 / (robot.n_joints + 1))
        steps = golden ** -np.arange(1.0, robot.n_joints + 1)
        starts = [low + (high - low) * ((0.5 + k * steps) % 1.0) for k in range(tries + 1)]
    found = []
    for start in starts:
        found.append(reach(equations, 0.0, start, bounds))
        if found[-1].good:
            return found[-1].q
    best = min(found, key=lambda reached: reached.error)
    raise NotReachedError(
        f'{frame!r} of {robot.name!r} cannot reach ({_numbers(equations.path.first)}) m'
        + ('' if orientation is None else ' in this orientation')
        + f': the nearest solution found is {describe(equations, 0.0, best.q, bounds)}'
        + ('; start from another q0' if q0 is not None else ''), best.q)


def reach(equations: TaskEquations, x: float, q: FloatArray, bounds: FloatArray) -> Reached:
    """Return q (n,) that solves the equations at fraction x, within bounds (2, n).

    Levenberg-Marquardt steps with a damping that vanishes with the error (Sugihara 2011); joints
    at their bounds are left out while they push outward.
    """
    q = np.clip(q, *bounds)
    J, e = _linear(equations, x, q)
    damping = 1.0
    for _ in range(MOST_STEPS):
        size = float(e @ e)
        if size <= CONVERGED ** 2:
            break
        step = _step(J, e, damping * size, equations.columns, q, bounds)
        tried = np.clip(q + step, *bounds)
        J_new, e_new = _linear(equations, x, tried)
        if e_new @ e_new < size:
            q, J, e, damping = tried, J_new, e_new, max(damping / 10.0, 1e-6)
        else:
            damping *= 10.0
            if damping > 1e12:
                break
    error = float(np.linalg.norm(e))
    return Reached(q, error, error <= GOOD)


def _linear(equations: TaskEquations, x: float,
            q: FloatArray) -> tuple[FloatArray, FloatArray]:
    rows = equations.evaluate(np.array([x]), q[None])
    return equations.scaled(rows.J)[0], rows.error[0] / equations.rows


def _step(J: FloatArray, e: FloatArray, damping: float, columns: FloatArray, q: FloatArray,
          bounds: FloatArray) -> FloatArray:
    free = np.ones(len(q), dtype=bool)
    for _ in range(len(q)):
        Jf = J[:, free]
        step = np.zeros(len(q))
        step[free] = Jf.T @ np.linalg.solve(
            Jf @ Jf.T + (damping + 1e-15) * np.eye(len(J)), e)
        step *= min(1.0, LONGEST_STEP / max(abs(step).max(), 1e-300))
        outward = free & (((q <= bounds[0]) & (step < 0.0)) | ((q >= bounds[1]) & (step > 0.0)))
        if not outward.any():
            break
        free &= ~outward
    return step * columns


def describe(equations: TaskEquations, x: float, q: FloatArray, bounds: FloatArray) -> str:
    """Return the distance of a configuration from the task at fraction x, in words."""
    error = equations.evaluate(np.array([x]), q[None]).error[0]
    words = [f'{np.linalg.norm(error[:3]):.4g} m']
    if equations.orientation is not None:
        rotation = error[3:3 + equations.orientation.equations]
        words.append(f'{math.degrees(np.linalg.norm(rotation)):.3g} deg')
    text = ' and '.join(words) + ' away'
    stopped = [f'{name} at its limit {value:.4g}'
               for name, value, low, high in zip(equations.robot.joint_names, q, *bounds)
               if value <= low or value >= high]
    return text + (f' ({", ".join(stopped)})' if stopped else '')


def checked_configuration(robot: Robot, q: Any, what: str, bounds: FloatArray) -> FloatArray:
    """Return a configuration (n,), or raise InputError for another shape or one out of bounds."""
    try:
        q = np.array(q, dtype=float)
    except (TypeError, ValueError):
        q = np.empty(0)
    names = list(robot.joint_names)
    if q.shape != (len(names),) or not np.isfinite(q).all():
        raise InputError(f'{what} must be {len(names)} finite numbers, for {names}; got '
                         f'{q.tolist()}')
    slack = 1e-6            # limits written with few digits
    for name, value, low, high in zip(names, q, *bounds):
        if not low - slack <= value <= high + slack:
            raise InputError(f'{what}: joint {name!r} is {value:g}, outside its limits '
                             f'[{low:g}, {high:g}]')
    return np.clip(q, *bounds)


def joint_bounds(robot: Robot, limits: bool) -> FloatArray:
    """Return the position limits (2, n) of the joints, or infinite ones without limits."""
    if limits:
        return np.array([robot.limits.lower, robot.limits.upper])
    return np.array([[-np.inf], [np.inf]]) * np.ones(robot.n_joints)


def _numbers(values: Sequence[float] | FloatArray) -> str:
    return ', '.join(f'{value:.4f}' for value in values)
