# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Effort of trajectories: points added until linear interpolation is within a tolerance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.trajectory.interpolation import CUBIC, LINEAR
from kane_dynamics.trajectory.trajectory import Trajectory

FunctionOfTime: TypeAlias = Callable[[FloatArray], ArrayLike]   # times (M,) [s] -> (M, m)
_MARGIN = 0.9  # of the tolerance, at the three tested times, for the error between them


def densify(function: FunctionOfTime, times: ArrayLike, tolerance: ArrayLike,
            min_interval: float = 1e-3,
            max_points: int = 100_000) -> tuple[FloatArray, FloatArray]:
    """Return times (K,) and values (K, m) whose linear interpolation errs by < tolerance.

    function: times (M,) [s] -> values (M, m), evaluated in batches. times (N,): points to keep.
    tolerance: scalar or (m,). Intervals are halved until the function is within the tolerance at
    their quarters (the middle alone misses a function that is odd about it), or until they are
    shorter than min_interval [s]: a step of the function becomes a ramp of at most that.
    """
    times = np.asarray(times, dtype=float)
    tolerance = np.asarray(tolerance, dtype=float)
    if not (tolerance > 0.0).all():
        raise InputError(f'the tolerance must be positive; got {tolerance}')
    values = np.asarray(function(times), dtype=float)
    done_times, done_values = [times], [values]
    count = len(times)
    # Each interval: its left end and length, the values at its ends and in its middle.
    long = np.diff(times) > min_interval  # shorter ones are never halved
    left, h = times[:-1][long], np.diff(times)[long]
    at_left, at_right = values[:-1][long], values[1:][long]
    middle = _values(function, left + h / 2.0, values)
    while len(h):
        quarters = _values(function, np.concatenate([left + h / 4.0, left + 0.75 * h]), values)
        first, third = np.split(quarters, 2)
        error = np.maximum.reduce([np.abs(middle - (at_left + at_right) / 2.0),
                                   np.abs(first - (0.75 * at_left + 0.25 * at_right)),
                                   np.abs(third - (0.25 * at_left + 0.75 * at_right))])
        split = (error > _MARGIN * tolerance).any(axis=1)
        count += int(split.sum())
        if count > max_points:
            raise InputError(f'more than {max_points} points are needed for a tolerance of '
                             f'{tolerance}; allow a larger one')
        left, h, at_left, at_right, middle, first, third = (
            rows[split] for rows in (left, h, at_left, at_right, middle, first, third))
        done_times.append(left + h / 2.0)
        done_values.append(middle)
        halves = np.concatenate([h, h]) / 2.0 > min_interval
        left = np.concatenate([left, left + h / 2.0])[halves]
        at_left, at_right, middle = (
            np.concatenate(pair)[halves]
            for pair in ((at_left, middle), (middle, at_right), (first, third)))
        h = (np.concatenate([h, h]) / 2.0)[halves]
    times, values = np.concatenate(done_times), np.concatenate(done_values)
    order = np.argsort(times, kind='stable')
    return times[order], values[order]


def fill_effort(trajectory: Trajectory,
                torque: Callable[[FloatArray, FloatArray, FloatArray], FloatArray],
                tolerance: ArrayLike, min_interval: float = 1e-3,
                max_points: int = 100_000) -> Trajectory:
    """Return the same motion with effort at its points, and points added for the tolerance.

    torque: (Q, Qd, Qdd), each (M, n) -> (M, n) [N m or N], for instance `Dynamics.inverse_many`.
    The other arguments are those of `fill_effort_of_time`.
    """
    return fill_effort_of_time(
        trajectory, lambda times: torque(*trajectory.segments.evaluate_many(times)), tolerance,
        min_interval, max_points)


def fill_effort_of_time(trajectory: Trajectory, effort: FunctionOfTime, tolerance: ArrayLike,
                        min_interval: float = 1e-3, max_points: int = 100_000) -> Trajectory:
    """Return the same motion with effort at its points, and points added for the tolerance.

    effort: times (M,) [s] -> (M, n) [N m or N], for instance that of links with elastic state.
    joint_trajectory_controller interpolates effort linearly between points; it then errs by less
    than `tolerance` (scalar or (n,)), except within min_interval [s] of a step. Added points carry
    the fields that preserve their segment: positions, velocities on cubics, accelerations on
    quintics.
    """
    if trajectory.interpolation == 'none':
        raise InputError('effort needs interpolation between points; this trajectory has '
                         "interpolation 'none', use 'fields' or 'spline'")

    times, efforts = densify(effort, trajectory.times, tolerance, min_interval, max_points)
    segments = trajectory.segments.refined(times).with_effort(efforts)
    given = np.searchsorted(times, trajectory.times)
    new = np.delete(np.arange(len(times)), given)
    # a new point lies inside one segment, whose order determines the fields of both parts' ends
    orders = segments.orders[1:][new]
    q, qd, qdd = segments.evaluate_many(times[new])
    qd[orders == LINEAR] = np.nan
    qdd[(orders == LINEAR) | (orders == CUBIC)] = np.nan
    fields: dict[str, Any] = {}
    for name, added in (('positions', q), ('velocities', qd), ('accelerations', qdd)):
        rows = np.full((len(times), trajectory.n_joints), np.nan)
        rows[new] = added
        if getattr(trajectory, name) is not None:
            rows[given] = getattr(trajectory, name)
        fields[name] = rows
    return replace(trajectory, times=times, efforts=efforts, segments=segments, **fields)


def _values(function: FunctionOfTime, times: FloatArray, like: FloatArray) -> FloatArray:
    if not len(times):
        return like[:0]
    return np.asarray(function(times), dtype=float)
