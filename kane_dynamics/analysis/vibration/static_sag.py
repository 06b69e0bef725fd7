# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Static sag of an arm: the deflections under its own weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.analysis.vibration.deflection import DeflectionWatch
from kane_dynamics.analysis.vibration.differences import by_differences, steps_of
from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics
    from kane_dynamics.model.robot import Robot

ROUND_OFF = 1e-13    # fraction of the largest elastic force
MOST = 50            # Newton steps


def static_sag(dyn: Dynamics, q: ArrayLike) -> FloatArray:
    """Return q (nq,) at rest: the joints as given, the links bent by gravity.

    Newton's method on the elastic rows of the torques at rest, which must vanish. q: all
    coordinates (nq,), the elastic ones being a first guess, or the joints' only (nq - n_modes,).
    """
    n, start = dyn.robot.n_modes, _all_coordinates(dyn.robot, q)
    if n == 0:
        return start

    def force(eta: FloatArray) -> FloatArray:
        return dyn.gravity(np.concatenate([start[:-n], eta]))[-n:]

    eta, step, steps = start[-n:], np.full(n, np.inf), steps_of(dyn.robot)[-n:]
    for _ in range(MOST):
        stiffness = by_differences(force, eta, steps)
        residual = force(eta)
        before, step = step, np.linalg.solve(stiffness, residual)
        eta = eta - step
        # at rest, or at round-off, where the steps no longer shrink
        if (abs(residual).max() <= ROUND_OFF * abs(stiffness * eta).max() or not eta.any()
                or (abs(step).max() <= 1e-9 * abs(eta).max()
                    and abs(step).max() >= 0.5 * abs(before).max())):
            break
    else:
        raise KaneDynamicsError(f'{dyn.robot.name!r} has no equilibrium {_too_soft(start, n)}')
    if np.linalg.eigvalsh((stiffness + stiffness.T) / 2)[0] <= 0.0:
        raise KaneDynamicsError(f'{dyn.robot.name!r} does not stay at rest {_too_soft(start, n)}')
    sagged = np.concatenate([start[:-n], eta])
    DeflectionWatch(dyn.robot).check(sagged)
    return sagged


def _too_soft(q: FloatArray, n: int) -> str:
    return (f'at joints {q[:-n].tolist()}: its links are too soft for their load; check the '
            'stiffness and the masses')


def _all_coordinates(robot: Robot, q: ArrayLike) -> FloatArray:
    """Return all coordinates (nq,) as a new array, with zeros for missing elastic ones."""
    q = np.array(q, dtype=np.float64)
    if q.shape == (robot.nq,):
        return q
    if q.shape == (robot.nq - robot.n_modes,):
        return np.concatenate([q, np.zeros(robot.n_modes)])
    raise InputError(f'q has shape {q.shape}, expected ({robot.nq},), or '
                     f'({robot.nq - robot.n_modes},) for {list(robot.joint_names)} only')


def posed(dyn: Dynamics, q: ArrayLike | None = None) -> FloatArray:
    """Return q (nq,): as given if complete; with static sag if of the joints; neutral if None."""
    robot = dyn.robot
    if q is None:
        q = robot.neutral()[:robot.nq - robot.n_modes]
    coordinates = _all_coordinates(robot, q)
    return coordinates if np.shape(q) == (robot.nq,) else static_sag(dyn, coordinates)
