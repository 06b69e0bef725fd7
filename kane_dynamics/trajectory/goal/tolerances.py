# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Tolerances of the tracking error, along the path and at the goal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import show
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

ERASE = -1.0  # control_msgs/JointTolerance: 0 keeps the default, -1 lifts the restriction
KINDS = ('position', 'velocity', 'acceleration')
JointTolerance: TypeAlias = tuple[str, float, float, float]   # joint and a tolerance per kind


class Violation(NamedTuple):
    """The joint with the worst error, its kind of error, the error and its tolerance."""

    joint: str
    kind: str
    error: float
    tolerance: float


def resolved(default: float, asked: float) -> float:
    """Return the tolerance in force: 0 keeps the default, -1 lifts it (gives 0, unlimited)."""
    if asked > 0.0:
        return float(asked)
    if abs(asked - ERASE) < np.finfo(np.float32).eps:
        return 0.0
    if asked == 0.0:
        return float(default)
    raise InputError(f'a tolerance is positive, 0 (keep the default) or -1 (lift it); got {asked}')


@dataclass(frozen=True, eq=False)
class Tolerances:
    """Tolerances of n joints: path and goal (3, n) for position, velocity, acceleration; 0: none.

    goal_time [s]: time after the end of the trajectory within which the goal must be reached; 0
    waits for ever.
    """

    joint_names: tuple[str, ...]
    path: FloatArray
    goal: FloatArray
    goal_time: float = 0.0

    @classmethod
    def of(cls, joint_names: Sequence[str], trajectory: ArrayLike = 0.0, goal: ArrayLike = 0.0,
           goal_time: float = 0.0, stopped_velocity: ArrayLike = 0.01) -> Tolerances:
        """Return tolerances from the controller's constraints: positions, scalar or (n,).

        stopped_velocity is stopped_velocity_tolerance [rad/s or m/s], for every joint at the goal.
        """
        path, at_goal = np.zeros((3, len(joint_names))), np.zeros((3, len(joint_names)))
        path[0], at_goal[0], at_goal[1] = trajectory, goal, stopped_velocity
        return cls(tuple(joint_names), path, at_goal, float(goal_time))

    def asked(self, path: Iterable[JointTolerance] = (), goal: Iterable[JointTolerance] = (),
              goal_time: float = 0.0) -> Tolerances:
        """Return the tolerances, overridden by those of an action goal.

        path and goal: (joint name, position, velocity, acceleration) each. An unknown joint or an
        illegal value raises InputError; the controller then continues with its defaults.
        """
        return replace(self, goal_time=resolved(self.goal_time, goal_time),
                       path=self._changed('path', path), goal=self._changed('goal', goal))

    def _changed(self, field: Literal['path', 'goal'],
                 rows: Iterable[JointTolerance]) -> FloatArray:
        values: FloatArray = getattr(self, field).copy()
        for name, *numbers in rows:
            if name not in self.joint_names:
                raise InputError(f'{field} tolerance for unknown joint {show(name)}; known: '
                                 f'{list(self.joint_names)}')
            j = self.joint_names.index(name)
            values[:, j] = [resolved(old, new) for old, new in zip(values[:, j], numbers)]
        return values

    def path_violation(self, position: ArrayLike | None, velocity: ArrayLike | None = None,
                       acceleration: ArrayLike | None = None) -> Violation | None:
        """Return the worst of the path errors (n,) beyond their tolerance, or None."""
        return self._violation(self.path, (position, velocity, acceleration))

    def goal_violation(self, position: ArrayLike | None = None, velocity: ArrayLike | None = None,
                       acceleration: ArrayLike | None = None) -> Violation | None:
        """Return the worst of the errors (n,) at the goal beyond their tolerance, or None."""
        return self._violation(self.goal, (position, velocity, acceleration))

    def _violation(self, limits: FloatArray,
                   errors: tuple[ArrayLike | None, ...]) -> Violation | None:
        worst, found = 1.0, None
        for kind, limit, given in zip(KINDS, limits, errors):
            if given is None:
                continue
            error = np.abs(np.asarray(given, dtype=float))
            # NaN compares as a violation: an unknown error is not within a tolerance
            ratio = np.where(limit > 0.0, error / np.where(limit > 0.0, limit, 1.0), 0.0)
            ratio = np.nan_to_num(ratio, nan=np.inf)
            j = int(np.argmax(ratio))
            if ratio[j] > worst:
                worst = ratio[j]
                found = Violation(self.joint_names[j], kind, error[j], limit[j])
        return found
