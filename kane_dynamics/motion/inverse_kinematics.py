# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Postures that put a frame where it is wanted, by damped Newton steps within joint limits."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.motion.direction import Direction
from kane_dynamics.motion.orientation import Orientation, Turn
from kane_dynamics.motion.path import Line
from kane_dynamics.motion.task_equations import TaskEquations

MOST_STEPS = 200
LONGEST_STEP = 0.3      # [rad]: the linear picture holds for short steps
CONVERGED = 1e-12       # scaled error that is as good as rounding allows
GOOD = 1e-9             # scaled error that is accepted where rounding stops the steps earlier


class Reached(NamedTuple):
    """Where damped Newton steps ended: q (n,), scaled error, and whether that is the goal."""

    q: np.ndarray
    error: float
    good: bool


class NotReachedError(KaneDynamicsError, ValueError):
    """Report a place that no posture near the given one reaches; `nearest` (n,) comes closest."""

    def __init__(self, text, nearest):
        super().__init__(text)
        self.nearest = nearest


def inverse_kinematics(dynamics, frame, place, orientation=None, posture=None, *,
                       point=(0.0, 0.0, 0.0), limits=True, tries=40):
    """Return q (n,) that puts a point of a link at a place, or raise with how near it comes.

    Args:
        dynamics: of the arm.
        frame: link; point (3,) [m] in its axes.
        place: (3,) [m] in base axes.
        orientation: None; a rotation (matrix, quaternion, roll-pitch-yaw); or a `Pointing`.
        posture: (n,) to start from; the answer is near it. None tries the middle of the joints'
            ranges, then `tries` others, the same at each call.
        limits: keep to the joint limits of the URDF.
    """
    if orientation is not None and not isinstance(orientation, (Orientation, Direction)):
        orientation = Turn(orientation)
    equations = TaskEquations(dynamics, frame, Line(place, place), orientation, point)
    robot = equations.robot
    bounds = _bounds(robot, limits)
    if posture is not None:
        starts = [checked_posture(robot, posture, 'posture', bounds)]
    else:
        low, high = np.maximum(bounds[0], -math.pi), np.minimum(bounds[1], math.pi)
        # the first points of an additive recurrence fill the ranges evenly (Roberts 2018)
        golden = 1.0
        for _ in range(30):
            golden = (1.0 + golden) ** (1.0 / (robot.n_joints + 1))
        steps = golden ** -np.arange(1.0, robot.n_joints + 1)
        starts = [low + (high - low) * ((0.5 + k * steps) % 1.0) for k in range(tries + 1)]
    best = None
    for start in starts:
        reached = reach(equations, 0.0, start, bounds)
        if reached.good:
            return reached.q
        if best is None or reached.error < best.error:
            best = reached
    raise NotReachedError(
        f'{frame!r} of {robot.name!r} cannot be put at ({_numbers(equations.path.first)}) m'
        + ('' if orientation is None else ' as it shall be turned')
        + f': the nearest that was found is {describe(equations, 0.0, best.q, bounds)}'
        + ('; start from another posture' if posture is not None else ''), best.q)


def reach(equations, x, q, bounds):
    """Return Reached: q moved to where the equations at share x hold, within bounds (2, n).

    Levenberg-Marquardt steps with a damping that vanishes with the error (Sugihara 2011), the
    joints at their bounds left out while they push outward.
    """
    x = np.array([x])
    q = np.clip(q, *bounds)
    J, e = _linear(equations, x, q)
    damping = 1.0
    for _ in range(MOST_STEPS):
        size = e @ e
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


def _linear(equations, x, q):
    rows = equations.evaluate(x, q[None])
    return equations.scaled(rows.J)[0], rows.error[0] / equations.rows


def _step(J, e, damping, columns, q, bounds):
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


def describe(equations, x, q, bounds):
    """Return how far a posture is from what is wanted at share x, in words."""
    error = equations.evaluate(np.array([x]), q[None]).error[0]
    words = [f'{np.linalg.norm(error[:3]):.4g} m']
    turn = error[3:3 + getattr(equations.orientation, 'equations', 0)]
    if len(turn):
        words.append(f'{math.degrees(np.linalg.norm(turn)):.3g} deg')
    text = ' and '.join(words) + ' away'
    stopped = [f'{name} at its limit {value:.4g}'
               for name, value, low, high in zip(equations.robot.joint_names, q, *bounds)
               if value <= low or value >= high]
    return text + (f' ({", ".join(stopped)})' if stopped else '')


def checked_posture(robot, posture, what, bounds):
    """Return a posture as an array (n,), or raise where it has another shape or leaves bounds."""
    try:
        posture = np.array(posture, dtype=float)
    except (TypeError, ValueError):
        posture = np.empty(0)
    names = list(robot.joint_names)
    if posture.shape != (len(names),) or not np.isfinite(posture).all():
        raise InputError(f'{what} must be {len(names)} finite numbers, for {names}; got '
                         f'{posture.tolist()}')
    slack = 1e-6            # limits written with few digits
    for name, value, low, high in zip(names, posture, *bounds):
        if not low - slack <= value <= high + slack:
            raise InputError(f'{what}: joint {name!r} is {value:g}, outside its limits '
                             f'[{low:g}, {high:g}]')
    return np.clip(posture, *bounds)


def _bounds(robot, limits):
    if limits:
        return np.array([robot.limits.lower, robot.limits.upper])
    return np.array([[-np.inf], [np.inf]]) * np.ones(robot.n_joints)


def _numbers(values):
    return ', '.join(f'{value:.4f}' for value in values)
