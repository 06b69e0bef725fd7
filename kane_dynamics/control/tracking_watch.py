# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Tracking tolerances of a trajectory, by joint_trajectory_controller's rules."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np

from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.trajectory.goal.tolerances import Tolerances

PATH, GOAL = 'PATH_TOLERANCE_VIOLATED', 'GOAL_TOLERANCE_VIOLATED'  # of FollowJointTrajectory


class Verdict(NamedTuple):
    """Reason to abandon a trajectory: the error code of FollowJointTrajectory, and a sentence."""

    code: str
    reason: str


class TrackingWatch:
    """Check, cycle by cycle, whether a trajectory must be abandoned.

    Before its last point is due, and in its first cycle in any case, the errors must be within the
    path tolerances; later than goal_time after the last point within those of the goal.
    cmd_timeout after the last point it ends in any case.
    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        self._defaults: Tolerances = Tolerances.of(joint_names, stopped_velocity=0.0)
        self._cmd_timeout = self._end = math.inf
        self._own: Tolerances | None = None
        self._first = False
        self._settle()

    def set_defaults(self, tolerances: Tolerances, cmd_timeout: float = 0.0) -> None:
        """Set the Tolerances of trajectories without their own, and cmd_timeout [s]; 0: none.

        A cmd_timeout that is not longer than their goal_time is ignored.
        """
        self._defaults = tolerances
        self._cmd_timeout = cmd_timeout if cmd_timeout > tolerances.goal_time else math.inf
        self._settle()

    def begin(self, end: float, tolerances: Tolerances | None = None) -> None:
        """Watch a trajectory whose last point is due at `end` [s]; its Tolerances, or None."""
        self._end, self._own, self._first = end, tolerances, True
        self._settle()

    def _settle(self) -> None:
        self._used = used = self._own or self._defaults
        self._path, self._goal = _limits(used.path), _limits(used.goal)
        self._deadline = self._end + (used.goal_time or math.inf)
        self.needs_errors = self._path is not None or self._deadline < math.inf

    def verdict(self, t: float, errors: FloatArray) -> Verdict | None:
        """Return the reason to abandon the trajectory at time t [s], or None.

        errors: (2, n) of position and velocity, (1, n) or (0, n) where less is known.
        """
        first, self._first = self._first, False
        if t > self._end + self._cmd_timeout:
            return Verdict(
                GOAL, f'its last point was due {t - self._end:.4g} s ago (cmd_timeout)')
        if first or t < self._end:
            if _beyond(errors, self._path):
                return _verdict(PATH, 'trajectory', self._used.path_violation(*errors))
        elif t > self._deadline and _beyond(errors, self._goal):
            return _verdict(GOAL, 'goal', self._used.goal_violation(*errors))
        return None


def _limits(tolerances: FloatArray) -> FloatArray | None:
    """Return limits of position and velocity (2, n), inf for none; None without any.

    tolerances: (3, n), 0 for none.
    """
    given = tolerances[:2]
    return np.where(given > 0.0, given, np.inf) if given.any() else None


def _beyond(errors: FloatArray, limits: FloatArray | None) -> bool:
    # for every cycle; `Tolerances` describes the violation but takes longer
    return limits is not None and bool((np.abs(errors) > limits[:len(errors)]).any())


def _verdict(code: str, where: str,
             violation: tuple[str, str, float, float] | None) -> Verdict | None:
    if violation is None:   # by rounding only
        return None
    joint, kind, error, tolerance = violation
    return Verdict(code, f'{kind} of joint {joint!r} is {error:.4g} from its {where}; the '
                         f'tolerance is {tolerance:.4g}')
