# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How far the arm may be from its trajectory, on the way and at the goal."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kane_dynamics.exceptions import InputError

ERASE = -1.0  # control_msgs/JointTolerance: 0 keeps the default, -1 lifts the restriction
KINDS = ('position', 'velocity', 'acceleration')


def resolved(default, asked):
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

    goal_time [s]: how long after its end a goal may still be reached; 0 waits for ever.
    """

    joint_names: tuple
    path: np.ndarray
    goal: np.ndarray
    goal_time: float = 0.0

    @classmethod
    def of(cls, joint_names, trajectory=0.0, goal=0.0, goal_time=0.0, stopped_velocity=0.01):
        """Return tolerances from the controller's constraints: positions, scalar or (n,).

        stopped_velocity is stopped_velocity_tolerance [rad/s or m/s], for every joint at the goal.
        """
        path, at_goal = np.zeros((3, len(joint_names))), np.zeros((3, len(joint_names)))
        path[0], at_goal[0], at_goal[1] = trajectory, goal, stopped_velocity
        return cls(tuple(joint_names), path, at_goal, float(goal_time))

    def asked(self, path=(), goal=(), goal_time=0.0):
        """Return the tolerances with those of an action goal put in.

        path and goal: (joint name, position, velocity, acceleration) each. An unknown joint or an
        illegal value raises InputError; the controller then goes on with its defaults.
        """
        changed = {}
        for field, rows in (('path', path), ('goal', goal)):
            values = getattr(self, field).copy()
            for name, *numbers in rows:
                if name not in self.joint_names:
                    raise InputError(f"{field} tolerance for unknown joint '{name}'; known: "
                                     f'{list(self.joint_names)}')
                j = self.joint_names.index(name)
                values[:, j] = [resolved(old, new) for old, new in zip(values[:, j], numbers)]
            changed[field] = values
        return replace(self, goal_time=resolved(self.goal_time, goal_time), **changed)

    def path_violation(self, position, velocity=None, acceleration=None):
        """Return (joint, kind, error, tolerance) of the worst path error (n,), or None."""
        return self._violation(self.path, (position, velocity, acceleration))

    def goal_violation(self, position=None, velocity=None, acceleration=None):
        """Return (joint, kind, error, tolerance) of the worst error at the goal (n,), or None."""
        return self._violation(self.goal, (position, velocity, acceleration))

    def _violation(self, limits, errors):
        worst, found = 1.0, None
        for kind, limit, error in zip(KINDS, limits, errors):
            if error is None:
                continue
            error = np.abs(np.asarray(error, dtype=float))
            # NaN compares as a violation: an error that is not known is not within a tolerance
            ratio = np.where(limit > 0.0, error / np.where(limit > 0.0, limit, 1.0), 0.0)
            ratio = np.nan_to_num(ratio, nan=np.inf)
            j = int(np.argmax(ratio))
            if ratio[j] > worst:
                worst, found = ratio[j], (self.joint_names[j], kind, error[j], limit[j])
        return found
