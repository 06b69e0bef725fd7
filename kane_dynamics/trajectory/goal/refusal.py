# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Reasons for refusing a trajectory goal, with the error codes of FollowJointTrajectory."""

from __future__ import annotations

from enum import Enum

from kane_dynamics.exceptions import InputError

INVALID_GOAL = -1          # control_msgs/action/FollowJointTrajectory, Result.error_code
INVALID_JOINTS = -2
OLD_HEADER_TIMESTAMP = -3


class RefusalReason(Enum):
    """The rule that a refused goal breaks."""

    EMPTY_JOINT_NAMES = 'empty joint names'
    DUPLICATE_JOINT = 'duplicate joint'
    UNKNOWN_JOINT = 'unknown joint'
    MISSING_JOINT = 'missing joint'
    EMPTY_POINTS = 'empty points'
    TOO_MANY_POINTS = 'too many points'
    FIELD_LENGTH = 'field length'
    NOT_FINITE = 'not finite'
    TIMES_NOT_INCREASING = 'times not increasing'
    NO_POSITIONS = 'no positions'
    NO_VELOCITIES = 'accelerations without velocities'
    EFFORT_NOT_ALLOWED = 'effort not allowed'
    NONZERO_END_VELOCITY = 'non-zero end velocity'
    IN_THE_PAST = 'in the past'
    NO_STATE = 'no state'
    DISCONTINUITY = 'discontinuity'
    POSITION_LIMIT = 'position limit'
    VELOCITY_LIMIT = 'velocity limit'

    @property
    def error_code(self) -> int:
        """Return the error code of the FollowJointTrajectory result."""
        if self in (RefusalReason.EMPTY_JOINT_NAMES, RefusalReason.DUPLICATE_JOINT,
                    RefusalReason.UNKNOWN_JOINT, RefusalReason.MISSING_JOINT):
            return INVALID_JOINTS
        return OLD_HEADER_TIMESTAMP if self is RefusalReason.IN_THE_PAST else INVALID_GOAL


class GoalRefusedError(InputError):
    """A goal that breaks a rule; has the `reason`, and the joint, point and time if known."""

    def __init__(self, reason: RefusalReason, message: str, joint: str | None = None,
                 point: int | None = None, time: float | None = None) -> None:
        """Take the reason, the message, a joint's name, a point's index and a time [s]."""
        super().__init__(f'trajectory refused ({reason.value}): {message}')
        self.reason = reason
        self.error_code = reason.error_code
        self.joint = joint
        self.point = point
        self.time = time
