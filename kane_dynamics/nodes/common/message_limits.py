# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Limits of messages: sizes beyond which a node refuses a message, with the limit in the reason.

Anyone on the graph can publish. Without limits a single message could take the memory of a node,
or its time: compilation of an arm, and conversion of a trajectory, grow with their size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TYPE_CHECKING

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import show
from kane_dynamics.nodes.common.parameters import Parameter

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot


@dataclass(frozen=True)
class MessageLimits:
    """Limits of what every node receives."""

    description: Annotated[int, Parameter(
        'largest `robot_description`', unit='bytes', low=1, high=30_000_000)] = 10_000_000
    joints: Annotated[int, Parameter(
        'largest number of joints of the arm; the time to compile it grows with them', low=1,
        high=100_000)] = 100
    names: Annotated[int, Parameter(
        'largest number of joint names in a message', low=1, high=10_000)] = 1000
    name_length: Annotated[int, Parameter(
        'largest length of a joint name in a message', unit='characters', low=1,
        high=10_000)] = 200

    def check_description(self, text: str) -> None:
        """Refuse the text of a robot_description that is too large."""
        size = len(text.encode(errors='replace'))
        if size > self.description:
            raise InputError('robot_description: ' + _beyond(size, 'bytes', self.description,
                                                             'description'))

    def check_joints(self, robot: Robot) -> None:
        """Refuse an arm with too many joints."""
        if robot.n_joints > self.joints:
            raise InputError(f'{robot.name!r}: '
                             + _beyond(robot.n_joints, 'joints', self.joints, 'joints'))

    def check_names(self, names: Sequence[str], who: str) -> None:
        """Refuse a message with too many or too long joint names; who: its topic."""
        if len(names) > self.names:
            raise InputError(f'{who}: ' + _beyond(len(names), 'joint names', self.names, 'names'))
        longest = max(names, key=len, default='')
        if len(longest) > self.name_length:
            raise InputError(f'{who}: the joint name {show(longest)} has ' + _beyond(
                len(longest), 'characters', self.name_length, 'name_length'))


@dataclass(frozen=True)
class TrajectoryLimits(MessageLimits):
    """Limits of a node that receives trajectories."""

    points: Annotated[int, Parameter(
        'largest number of points of a trajectory', low=1, high=10_000_000)] = 100_000

    def check_trajectory(self, names: Sequence[str], points: int) -> None:
        """Refuse a trajectory with too many joint names or points."""
        self.check_names(names, 'trajectory refused')
        if points > self.points:
            raise InputError('trajectory refused: '
                             + _beyond(points, 'points', self.points, 'points'))


def _beyond(number: int, what: str, limit: int, parameter: str) -> str:
    return (f'{number} {what}, more than the limit of {limit}; raise the parameter '
            f'message_limits.{parameter}')
