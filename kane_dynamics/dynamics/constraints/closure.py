# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Configurations, speeds and accelerations of closed mechanisms from those of some joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.dynamics.constraints.constrained_dynamics import ConstrainedDynamics
    from kane_dynamics.model.robot import Robot

LONGEST_STEP = 0.3          # [rad or m]
ASSEMBLED = 1e-12           # violation [m] that is accepted


def assemble(constrained: ConstrainedDynamics, q: ArrayLike, fixed: Sequence[str] = (),
             t: float = 0.0) -> FloatArray:
    """Return q (nq,) that keeps the constraints, near the given one; `fixed` joints stay.

    constrained: ConstrainedDynamics; fixed: joint names. Raises where the loop does not close.
    """
    dynamics = constrained.dynamics
    if dynamics.robot.floating_base:
        raise InputError('assemble is for mechanisms on a fixed base')
    q = np.array(q, dtype=float)
    rest, free = np.zeros(dynamics.robot.nv), _free(dynamics.robot, fixed)
    last = np.inf
    for _ in range(100):
        phi, G, _, _ = constrained.terms(q, rest, t)
        off = abs(phi).max()
        if off < 1e-15 or (off < ASSEMBLED and off >= 0.5 * last):
            return q
        step = np.linalg.lstsq(G[:, free], -phi, rcond=1e-9)[0]
        q[free] += step * min(1.0, LONGEST_STEP / max(abs(step).max(initial=0.0), 1e-300))
        last = off
    if off < ASSEMBLED:
        return q
    raise KaneDynamicsError(
        f'the mechanism does not close with {list(fixed) or "no joint"} fixed: row '
        f'{int(np.argmax(abs(phi)))} of the constraints stays off by {off:.3g}; start nearer, or '
        'fix other joints')


def complete_speeds(constrained: ConstrainedDynamics, q: FloatArray, given: Mapping[str, float],
                    t: float = 0.0) -> FloatArray:
    """Return qd (nv,) that keeps the constraints: G qd = -phi_t, {joint: speed} being given."""
    rest = np.zeros(constrained.dynamics.robot.nv)
    _, G, rate, _ = constrained.terms(q, rest, t)
    return _completed(constrained.dynamics.robot, G, -rate, given)


def complete_accelerations(constrained: ConstrainedDynamics, q: FloatArray, qd: FloatArray,
                           given: Mapping[str, float], t: float = 0.0) -> FloatArray:
    """Return qdd (nv,) that keeps the constraints: G qdd = -gamma, {joint: value} being given."""
    _, G, _, gamma = constrained.terms(q, qd, t)
    return _completed(constrained.dynamics.robot, G, -gamma, given)


def _completed(robot: Robot, G: FloatArray, right: FloatArray,
               given: Mapping[str, float]) -> FloatArray:
    free = _free(robot, given)
    values = np.zeros(robot.nv)
    for name, value in given.items():
        values[_speed_index(robot, name)] = value
    solution, _, rank, _ = np.linalg.lstsq(G[:, free], right - G @ values, rcond=1e-9)
    if rank < len(free):
        raise InputError(f'{len(given)} joints are given; {len(free) - rank} more are needed to '
                         f'determine {[robot.joint_names[k] for k in free]}')
    values[free] = solution
    off = abs(G @ values - right).max()
    if off > 1e-9 * (1.0 + abs(right).max() + abs(values).max()):
        raise InputError(f'the given joints {list(given)} contradict the constraints by {off:.3g};'
                         ' give fewer')
    return values


def _speed_index(robot: Robot, name: str) -> int:
    return int(robot.joints_v.start) + robot.joint_index(name)


def _free(robot: Robot, names: Iterable[str]) -> list[int]:
    fixed = {_speed_index(robot, name) for name in names}
    return [k for k in range(robot.nv) if k not in fixed]
