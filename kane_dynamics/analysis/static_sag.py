# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How far an arm sags at rest: the deflections that hold its own weight."""

from __future__ import annotations

import numpy as np

from kane_dynamics.analysis.deflection import DeflectionWatch
from kane_dynamics.analysis.differences import by_differences, steps_of
from kane_dynamics.exceptions import InputError, KaneDynamicsError

ROUND_OFF = 1e-13    # of the largest elastic force that stands against weight
MOST = 50            # Newton steps


def static_sag(dyn, q):
    """Return q (nq,) at rest: the joints as given, the links bent as far as gravity bends them.

    Newton's method on the elastic rows of the torques at rest, which must vanish. q: all
    coordinates (nq,), the elastic ones being a first guess, or the joints' only (nq - n_modes,).
    """
    q, n = _whole(dyn.robot, q), dyn.robot.n_modes
    if n == 0:
        return q

    def force(eta):
        return dyn.gravity(np.concatenate([q[:-n], eta]))[-n:]

    eta, step, steps = q[-n:], np.inf, steps_of(dyn.robot)[-n:]
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
        raise KaneDynamicsError(f'{dyn.robot.name!r} finds no rest {_too_soft(q, n)}')
    if np.linalg.eigvalsh((stiffness + stiffness.T) / 2)[0] <= 0.0:
        raise KaneDynamicsError(f'{dyn.robot.name!r} does not stay at rest {_too_soft(q, n)}')
    q = np.concatenate([q[:-n], eta])
    DeflectionWatch(dyn.robot).check(q)
    return q


def _too_soft(q, n):
    return (f'at joints {q[:-n].tolist()}: its links are too soft for their load; check the '
            'stiffness and the masses')


def _whole(robot, q):
    """Return all coordinates as a new array."""
    q = np.array(q, dtype=float)
    if q.shape == (robot.nq,):
        return q
    if q.shape == (robot.nq - robot.n_modes,):
        return np.concatenate([q, np.zeros(robot.n_modes)])
    raise InputError(f'q has shape {q.shape}, expected ({robot.nq},), or '
                     f'({robot.nq - robot.n_modes},) for {list(robot.joint_names)} only')


def posed(dyn, q=None):
    """Return q (nq,): as given when complete; with the joints only, sagging; neutral when None."""
    robot = dyn.robot
    if q is None:
        q = robot.neutral()[:robot.nq - robot.n_modes]
    whole = _whole(robot, q)
    return whole if np.shape(q) == (robot.nq,) else static_sag(dyn, whole)
