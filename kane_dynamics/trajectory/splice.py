# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Replacement and concatenation of trajectories, with their polynomials kept exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.trajectory.interpolation import HELD
from kane_dynamics.trajectory.piecewise import Segments
from kane_dynamics.trajectory.trajectory import Trajectory


def spliced(current: Trajectory, new: Trajectory, at: float, now: float | None = None,
            turns: Mapping[str, float] | None = None) -> Trajectory:
    """Return `current` until `at` [s], then `new`; joints missing in `new` follow `current`.

    The first point of `new` is at `at`. Segments of `current` that ended before `now` [s] are
    dropped, so that an endless stream of goals does not accumulate them. turns: joint name ->
    multiple of 2 pi that brings a continuous joint of `current` to the values of `new`.
    Polynomials are kept: the old motion does not change before `at`, nor does that of the missing
    joints after it.
    """
    unknown = [name for name in new.joint_names if name not in current.joint_names]
    if unknown:
        raise InputError(f'joints {unknown} are not in the current trajectory, which has '
                         f'{list(current.joint_names)}')
    if abs(new.start + new.times[0] - at) > 1e-9 * (1.0 + abs(at)):
        raise InputError(f'the new trajectory must begin at {at} s; its first point is at '
                         f'{new.start + new.times[0]} s')
    offsets = np.array([(turns or {}).get(name, 0.0) for name in current.joint_names])
    old = _turned(current.counted_from(new.start), offsets)
    after = new if new.joint_names == old.joint_names else _merged(old, new)
    count = int(np.searchsorted(old.times, after.times[0], side='left'))  # old points before `at`
    if count == 0:
        return after
    needed = (at if now is None else now) - new.start
    first = int(np.searchsorted(old.times, needed, side='right')) - 1
    kept = slice(min(max(first, 0), count - 1), count)
    return _chained(old, kept, after)


def in_sequence(trajectories: Sequence[Trajectory], dwell: float = 0.0) -> Trajectory:
    """Return the concatenation of trajectories, with a rest of `dwell` [s] between them.

    The first keeps its start; each of the others must begin where the one before ends.
    """
    whole, *others = trajectories
    for k, part in enumerate(others, start=1):
        gap = np.abs(part.positions[0] - whole.positions[-1])
        if part.joint_names != whole.joint_names or gap.max() > 1e-9:
            raise InputError(f'trajectory {k} moves {list(part.joint_names)} from '
                             f'{part.positions[0]}; the one before moves '
                             f'{list(whole.joint_names)} to {whole.positions[-1]}')
        at = whole.end + dwell
        part = part.starting_at(at - part.times[0])
        whole = spliced(whole, part, at, now=-np.inf).counted_from(whole.start)
    return whole


def _turned(trajectory: Trajectory, offsets: FloatArray) -> Trajectory:
    if not offsets.any():
        return trajectory
    segments = trajectory.segments
    coefficients = segments.coefficients.copy()
    coefficients[:, 0] += offsets
    return Trajectory(
        trajectory.joint_names, trajectory.times, trajectory.positions + offsets,
        trajectory.velocities, trajectory.accelerations, trajectory.efforts, trajectory.start,
        trajectory.interpolation,
        Segments(segments.knots, coefficients, segments.orders, segments.effort))


def _chained(old: Trajectory, kept: slice, after: Trajectory) -> Trajectory:
    # the points `kept` of old and the segments that begin at them, then all of `after`
    segments, following = old.segments, after.segments
    rest = np.zeros((1, 6, old.n_joints))
    rest[0, 0] = segments.coefficients[kept.start + 1, 0]
    between = slice(kept.start + 1, kept.stop + 1)
    effort = None
    if old.has_effort or after.has_effort:
        before, later = _effort(old), _effort(after)
        constant = before[kept.start + 1:kept.start + 2] * np.array([1.0, 0.0])[None, :, None]
        effort = np.concatenate([constant, before[between], later[1:]])
    joined = Segments(
        np.concatenate([old.times[kept], after.times]),
        np.concatenate([rest, segments.coefficients[between], following.coefficients[1:]]),
        np.concatenate([[HELD], segments.orders[between], following.orders[1:]]), effort)
    velocities, accelerations, efforts = (
        _rows(getattr(old, name), getattr(after, name), old, kept, after)
        for name in ('velocities', 'accelerations', 'efforts'))
    return Trajectory(old.joint_names, joined.knots,
                      np.concatenate([old.positions[kept], after.positions]), velocities,
                      accelerations, efforts, after.start, after.interpolation, joined)


def _rows(old_rows: FloatArray | None, new_rows: FloatArray | None, old: Trajectory,
          kept: slice, after: Trajectory) -> FloatArray | None:
    if old_rows is None and new_rows is None:
        return None
    old_rows = np.full(old.positions.shape, np.nan) if old_rows is None else old_rows
    new_rows = np.full(after.positions.shape, np.nan) if new_rows is None else new_rows
    return np.concatenate([old_rows[kept], new_rows])


def _effort(trajectory: Trajectory) -> FloatArray:
    if trajectory.segments.effort is not None:
        return trajectory.segments.effort
    return np.zeros((len(trajectory.times) + 1, 2, trajectory.n_joints))


def _merged(old: Trajectory, new: Trajectory) -> Trajectory:
    # all joints from the start of `new` on: those of `new` follow it, the others follow `old`
    later = old.times[old.times > new.times[0]]
    knots = np.union1d(new.times, later)
    follow, keep = new.segments.refined(knots), old.segments.refined(knots)
    columns = [old.joint_names.index(name) for name in new.joint_names]
    left_out = [j for j in range(old.n_joints) if j not in columns]
    parts: tuple[tuple[Segments, slice | list[int], list[int]], ...] = (
        (follow, slice(None), columns), (keep, left_out, left_out))
    orders = np.maximum(follow.orders, keep.orders)
    coefficients = np.zeros_like(keep.coefficients)
    for part, source, into in parts:
        values = part.coefficients[:, :, source].copy()
        values[(part.orders == HELD) & (orders != HELD), 1:] = 0.0  # held while others move
        coefficients[:, :, into] = values
    coefficients[0, 0] = coefficients[1, 0]  # before: rest at the first position
    coefficients[0, 1:] = 0.0
    orders[0] = HELD
    effort = None
    if old.has_effort or new.has_effort:
        effort = np.zeros((len(knots) + 1, 2, old.n_joints))
        if keep.effort is not None:
            effort[:, :, left_out] = keep.effort[:, :, left_out]
        if follow.effort is not None:
            effort[:, :, columns] = follow.effort
        effort[0, 0], effort[0, 1] = effort[1, 0], 0.0
    segments = Segments(knots, coefficients, orders, effort)
    q, qd, qdd = segments.evaluate_many(knots)
    efforts = None if effort is None else segments.effort_at_many(knots)
    return Trajectory(old.joint_names, knots, q, qd, qdd, efforts, new.start, 'fields', segments)
