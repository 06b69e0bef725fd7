# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a task for an arm, with time and place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.exceptions import KaneDynamicsError

UNREACHABLE, SINGULAR = 'unreachable', 'singular'
POSITION_LIMIT, VELOCITY_LIMIT = 'position limit', 'velocity limit'


class Finding(NamedTuple):
    """A place of a motion that an engineer should know of.

    kind: 'unreachable', 'singular', 'position limit' or 'velocity limit'; time [s] since the task
    began (its clock); place (3,) [m] of the task's point; joint: its name, or None; value and
    limit: what came and what is allowed, in the unit of the kind (m, none, rad or m, their rates).
    """

    kind: str
    time: float
    place: np.ndarray
    joint: str | None
    value: float
    limit: float
    text: str

    def __str__(self):
        return self.text


class TaskError(KaneDynamicsError, ValueError):
    """Report a task that an arm cannot do; `finding` has time, place and figures."""

    def __init__(self, finding):
        super().__init__(finding.text)
        self.finding = finding

    def __reduce__(self):
        return TaskError, (self.finding,)


def at(time, place):
    """Return 'at t = ... s, place (...) m' for messages."""
    where = ', '.join(f'{value:.4f}' for value in place)
    return f'at t = {time:.4f} s, place ({where}) m'
