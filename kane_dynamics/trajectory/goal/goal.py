# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectory goals before validation: names, times and fields as received."""

from __future__ import annotations

import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from kane_dynamics.io.limits import TRAJECTORY_POINTS
from kane_dynamics.io.text import show, show_names
from kane_dynamics.numerics.array_types import BoolArray, FloatArray, IntArray
from kane_dynamics.trajectory.goal.refusal import GoalRefusedError, RefusalReason
from kane_dynamics.trajectory.interpolation import carried

LARGEST = 1e12  # beyond any robot; polynomials of smaller numbers do not overflow
Rows: TypeAlias = FloatArray | Sequence[Sequence[float]]
FIELDS = ('positions', 'velocities', 'accelerations', 'efforts')


@dataclass(frozen=True, eq=False)
class TrajectoryGoal:
    """The content of a trajectory_msgs/JointTrajectory in plain Python.

    times: time_from_start of the N points [s]. Each field is an (N, m) array, or N sequences of m
    numbers or none (a point that does not carry the field), or None. stamp: header.stamp [s] on
    the clock of `now` in `accept_goal`; 0 or None mean "start now".
    """

    joint_names: Sequence[str]
    times: Sequence[float] | FloatArray
    positions: Rows | None = None
    velocities: Rows | None = None
    accelerations: Rows | None = None
    efforts: Rows | None = None
    stamp: float | None = None


@dataclass(frozen=True, eq=False)
class GoalPoints:
    """Checked points of m joints: times (N,), fields (N, m) with NaN rows where not carried."""

    joint_names: tuple[str, ...]
    times: FloatArray
    positions: FloatArray
    velocities: FloatArray
    accelerations: FloatArray
    efforts: FloatArray

    @property
    def positions_only(self) -> bool:
        """Return whether all points carry positions, and none velocities or accelerations."""
        return bool(carried(self.positions).all() and not carried(self.velocities).any()
                    and not carried(self.accelerations).any())

    def taken(self, rows: BoolArray | IntArray) -> GoalPoints:
        """Return the points of an index array or mask over N."""
        fields = (getattr(self, name)[rows] for name in FIELDS)
        return GoalPoints(self.joint_names, self.times[rows], *fields)


def read_points(goal: TrajectoryGoal) -> GoalPoints:
    """Return the goal's points as arrays; refuse wrong lengths and numbers that are not finite."""
    names = tuple(goal.joint_names)
    if len(goal.times) > TRAJECTORY_POINTS.value:
        raise GoalRefusedError(RefusalReason.TOO_MANY_POINTS,
                               f'{len(goal.times)} points: {TRAJECTORY_POINTS.exceeded}')
    times = np.asarray(goal.times, dtype=float)
    bad = ~np.isfinite(times)
    if bad.any():
        point = int(np.argmax(bad))
        raise GoalRefusedError(
            RefusalReason.NOT_FINITE,
            f'time_from_start of point {point} is {times[point]}', point=point)
    fields = (_read_field(f, getattr(goal, f), names, times) for f in FIELDS)
    return GoalPoints(names, times, *fields)


def _read_field(name: str, rows: Rows | None, names: tuple[str, ...],
                times: FloatArray) -> FloatArray:
    count, m = len(times), len(names)
    if rows is None or len(rows) == 0:
        return np.full((count, m), np.nan)
    if len(rows) != count:
        raise GoalRefusedError(
            RefusalReason.FIELD_LENGTH, f'{name} has {len(rows)} rows for {count} points')
    lengths = np.fromiter(map(len, rows), dtype=int, count=count)
    wrong = (lengths != m) & (lengths != 0)
    if wrong.any():
        point = int(np.argmax(wrong))
        raise GoalRefusedError(
            RefusalReason.FIELD_LENGTH,
            f'{name} of point {point} has {lengths[point]} entries; expected '
            f'{m}, one for each of {show_names(names)}, or none', point=point, time=times[point])
    values = np.full((count, m), np.nan)
    given = lengths == m
    if given.all():
        values[:] = _stacked(rows, m)
    elif given.any():
        values[given] = _stacked([rows[i] for i in np.flatnonzero(given).tolist()], m)
    bad = ~(np.abs(values) < LARGEST) & given[:, None]
    if bad.any():
        point, j = map(int, np.argwhere(bad)[0])
        raise GoalRefusedError(
            RefusalReason.NOT_FINITE, f'{name} of joint {show(names[j])} at point {point} is '
            f'{values[point, j]}; expected finite numbers below {LARGEST:g}',
            joint=names[j], point=point, time=times[point])
    return values


def _stacked(rows: Any, m: int) -> FloatArray:
    # messages carry array.array('d'); joining their bytes is 20 times faster than np.array(rows)
    if set(map(type, rows)) == {array.array} and {row.typecode for row in rows} == {'d'}:
        return np.frombuffer(b''.join(rows)).reshape(-1, m)
    return np.asarray(rows, dtype=float)
