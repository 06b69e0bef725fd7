# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the arm keeps to the trajectory it follows, by joint_trajectory_controller's rules."""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.motion.tolerances import Tolerances

PATH, GOAL = 'PATH_TOLERANCE_VIOLATED', 'GOAL_TOLERANCE_VIOLATED'  # of FollowJointTrajectory


class TrackingWatch:
    """Say, cycle after cycle, whether a trajectory is to be given up.

    Before its last point is due, and in its first cycle whatever is due, the arm must keep to the
    path tolerances; later than goal_time after the last point to those of the goal. The moment
    cmd_timeout after the last point ends it in any case.
    """

    def __init__(self, joint_names):
        self._defaults = Tolerances.of(joint_names, stopped_velocity=0.0)
        self._cmd_timeout = self._end = math.inf
        self._own, self._first = None, False
        self._settle()

    def set_defaults(self, tolerances, cmd_timeout=0.0):
        """Set the Tolerances of trajectories that bring none, and cmd_timeout [s]; 0: none.

        A cmd_timeout that is not longer than their goal_time is ignored.
        """
        self._defaults = tolerances
        self._cmd_timeout = cmd_timeout if cmd_timeout > tolerances.goal_time else math.inf
        self._settle()

    def begin(self, end, tolerances=None):
        """Watch a trajectory whose last point is due at `end` [s]; its Tolerances, or None."""
        self._end, self._own, self._first = end, tolerances, True
        self._settle()

    def _settle(self):
        self._used = used = self._own or self._defaults
        self._path, self._goal = _limits(used.path), _limits(used.goal)
        self._deadline = self._end + (used.goal_time or math.inf)
        self.needs_errors = self._path is not None or self._deadline < math.inf

    def verdict(self, t, errors):
        """Return None, or the error code and the reason for which to give the trajectory up.

        t [s]; errors: (2, n) of position and velocity, (1, n) or (0, n) where less is known.
        """
        first, self._first = self._first, False
        if t > self._end + self._cmd_timeout:
            return GOAL, f'its last point was due {t - self._end:.4g} s ago (cmd_timeout)'
        if first or t < self._end:
            if _beyond(errors, self._path):
                return _told(PATH, 'trajectory', self._used.path_violation(*errors))
        elif t > self._deadline and _beyond(errors, self._goal):
            return _told(GOAL, 'goal', self._used.goal_violation(*errors))
        return None


def _limits(tolerances):
    """Return tolerances (3, n) of position and velocity (2, n), inf for none; None without any."""
    given = tolerances[:2]
    return np.where(given > 0.0, given, np.inf) if given.any() else None


def _beyond(errors, limits):
    # for every cycle; `Tolerances` says more and takes longer
    return limits is not None and (np.abs(errors) > limits[:len(errors)]).any()


def _told(code, where, violation):
    if violation is None:   # by rounding only
        return None
    joint, kind, error, tolerance = violation
    return code, (f'{kind} of joint {joint!r} is {error:.4g} from its {where}; the tolerance is '
                  f'{tolerance:.4g}')
