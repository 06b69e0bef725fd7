# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Findings of a task: limits, singularities and unreachable points, with time and position."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.numerics.array_types import FloatArray

FindingKind: TypeAlias = Literal['unreachable', 'singular', 'position limit', 'velocity limit']
UNREACHABLE: Final = 'unreachable'
SINGULAR: Final = 'singular'
POSITION_LIMIT: Final = 'position limit'
VELOCITY_LIMIT: Final = 'velocity limit'


class Finding(NamedTuple):
    """A time of a motion at which it passes a limit or fails.

    kind: 'unreachable', 'singular', 'position limit' or 'velocity limit'; time [s] since the task
    began; position (3,) [m] of the task's point; joint: its name, or None; value and limit: the
    actual and the allowed value, in the unit of the kind (m, none, rad or m, rad/s or m/s).
    """

    kind: FindingKind
    time: float
    position: FloatArray
    joint: str | None
    value: float
    limit: float
    text: str

    def __str__(self) -> str:
        return self.text


class TaskError(KaneDynamicsError, ValueError):
    """A task that an arm cannot do; `finding` has the time, the position and the values."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.text)
        self.finding = finding

    def __reduce__(self) -> tuple[type[TaskError], tuple[Finding]]:
        return TaskError, (self.finding,)


def at(time: float, position: FloatArray) -> str:
    """Return 'at t = ... s, position (...) m' for messages."""
    numbers = ', '.join(f'{value:.4f}' for value in position)
    return f'at t = {time:.4f} s, position ({numbers}) m'
