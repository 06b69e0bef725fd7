# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A trajectory as it arrives: names, times and fields, not yet believed."""

from __future__ import annotations

import array
from dataclasses import dataclass

import numpy as np

from kane_dynamics.motion.refusal import GoalRefusedError, Reason

LARGEST = 1e12  # beyond this no robot moves; polynomials of smaller numbers do not overflow
FIELDS = ('positions', 'velocities', 'accelerations', 'efforts')


@dataclass(frozen=True, eq=False)
class Goal:
    """What a trajectory_msgs/JointTrajectory says, in plain Python.

    times: time_from_start of the N points [s]. Each field is an (N, m) array, or N sequences that
    hold m numbers or none (a point that does not carry the field), or None. stamp: header.stamp
    [s] on the clock that `accept` is given `now` from; 0 or None mean "start now".
    """

    joint_names: tuple
    times: tuple
    positions: object = None
    velocities: object = None
    accelerations: object = None
    efforts: object = None
    stamp: float | None = None


@dataclass(frozen=True, eq=False)
class Points:
    """Checked points of m joints: times (N,), fields (N, m) with NaN rows where not carried."""

    joint_names: tuple
    times: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    accelerations: np.ndarray
    efforts: np.ndarray

    def taken(self, rows):
        """Return some of the points: rows is an index or mask over N."""
        fields = (getattr(self, name)[rows] for name in FIELDS)
        return Points(self.joint_names, self.times[rows], *fields)


def read_points(goal):
    """Return the goal's points as arrays; refuse wrong lengths and numbers that are not finite."""
    names = tuple(goal.joint_names)
    times = np.asarray(goal.times, dtype=float)
    bad = ~np.isfinite(times)
    if bad.any():
        point = int(np.argmax(bad))
        raise GoalRefusedError(
            Reason.NOT_FINITE, f'time_from_start of point {point} is {times[point]}', point=point)
    fields = (_read_field(f, getattr(goal, f), names, times) for f in FIELDS)
    return Points(names, times, *fields)


def _read_field(name, rows, names, times):
    count, m = len(times), len(names)
    if rows is None or len(rows) == 0:
        return np.full((count, m), np.nan)
    if len(rows) != count:
        raise GoalRefusedError(
            Reason.FIELD_LENGTH, f'{name} has {len(rows)} rows for {count} points')
    lengths = np.fromiter(map(len, rows), dtype=int, count=count)
    wrong = (lengths != m) & (lengths != 0)
    if wrong.any():
        point = int(np.argmax(wrong))
        raise GoalRefusedError(
            Reason.FIELD_LENGTH, f'{name} of point {point} has {lengths[point]} entries; expected '
            f'{m}, one for each of {list(names)}, or none', point=point, time=times[point])
    values = np.full((count, m), np.nan)
    given = lengths == m
    if given.all():
        values[:] = _stacked(rows, m)
    elif given.any():
        values[given] = _stacked([rows[i] for i in np.flatnonzero(given)], m)
    bad = ~(np.abs(values) < LARGEST) & given[:, None]
    if bad.any():
        point, j = map(int, np.argwhere(bad)[0])
        raise GoalRefusedError(
            Reason.NOT_FINITE, f"{name} of joint '{names[j]}' at point {point} is "
            f'{values[point, j]}; expected finite numbers below {LARGEST:g}',
            joint=names[j], point=point, time=times[point])
    return values


def _stacked(rows, m):
    # messages carry array.array('d'); joining their bytes is 20 times faster than np.array(rows)
    if set(map(type, rows)) == {array.array} and {row.typecode for row in rows} == {'d'}:
        return np.frombuffer(b''.join(rows)).reshape(-1, m)
    return np.asarray(rows, dtype=float)
