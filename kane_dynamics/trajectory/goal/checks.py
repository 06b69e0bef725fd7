# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of trajectory goals; each refusal names the joint, the point and the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kane_dynamics.io.text import show, show_names
from kane_dynamics.numerics.array_types import ArrayLike, BoolArray, FloatArray
from kane_dynamics.trajectory.angles import position_error
from kane_dynamics.trajectory.extrema import find_extrema, hull_bounds, Order
from kane_dynamics.trajectory.goal.goal import FIELDS, GoalPoints, read_points, TrajectoryGoal
from kane_dynamics.trajectory.goal.refusal import GoalRefusedError, RefusalReason
from kane_dynamics.trajectory.goal.rules import GoalRules
from kane_dynamics.trajectory.interpolation import carried
from kane_dynamics.trajectory.trajectory import END_VELOCITY, LIMIT_SLACK, Trajectory

RESOLUTION = 0.5e-9  # [s] messages count nanoseconds: nearer times are the same time


@dataclass(frozen=True, eq=False)
class Anchor:
    """The state of m joints from which a motion leads in: (m,) arrays; effort may be unknown."""

    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    effort: FloatArray | None = None


def checked(goal: TrajectoryGoal, joint_names: Sequence[str], now: float,
            rules: GoalRules) -> GoalPoints:
    """Return the goal's points with its joints in the arm's order, or refuse the goal."""
    _check_names(goal.joint_names, joint_names, rules)
    if len(goal.times) == 0:
        raise GoalRefusedError(RefusalReason.EMPTY_POINTS, 'it has no points; send at least one')
    points = _timed(_in_order(read_points(goal), joint_names), rules)
    _check_times(points.times)
    _check_fields(points, rules)
    _check_end_velocity(points, rules)
    start = goal.stamp or now
    if not np.isfinite(start):
        raise GoalRefusedError(RefusalReason.NOT_FINITE, f'its stamp is {start}')
    end = start + points.times[-1]
    if end < now:
        raise GoalRefusedError(
            RefusalReason.IN_THE_PAST, f'it starts at {start:.6f} s and ends at {end:.6f} s, '
            f'{now - end:.6f} s ago; stamp it later, or 0 to start now',
            point=len(points.times) - 1, time=end)
    return points


def _check_names(named: Sequence[str], joint_names: Sequence[str], rules: GoalRules) -> None:
    names, known = list(named), list(joint_names)
    if not names:
        raise GoalRefusedError(
            RefusalReason.EMPTY_JOINT_NAMES, f'it names no joints; the arm has {known}')
    for i, name in enumerate(names):
        if name not in known:
            raise GoalRefusedError(
                RefusalReason.UNKNOWN_JOINT,
                f'joint {show(name)} is not one of {known}', joint=name)
        if name in names[:i]:
            raise GoalRefusedError(
                RefusalReason.DUPLICATE_JOINT,
                f'joint {show(name)} is named more than once', joint=name)
    missing = [name for name in known if name not in names]
    if missing and not rules.allow_partial_joints_goal:
        raise GoalRefusedError(
            RefusalReason.MISSING_JOINT,
            f'joints {missing} are missing; it has {show_names(names)}. '
            'Send all joints, or set allow_partial_joints_goal', joint=missing[0])


def _in_order(points: GoalPoints, joint_names: Sequence[str]) -> GoalPoints:
    order = sorted(range(len(points.joint_names)),
                   key=lambda i: list(joint_names).index(points.joint_names[i]))
    names = tuple(points.joint_names[i] for i in order)
    return GoalPoints(names, points.times, *(getattr(points, f)[:, order] for f in FIELDS))


def _timed(points: GoalPoints, rules: GoalRules) -> GoalPoints:
    # positions_upsampling.policy_frequency: chunks of positions that arrive without times
    rates = carried(points.velocities) | carried(points.accelerations)
    if rules.policy_frequency > 0.0 and not points.times.any() and not rates.any():
        steps = np.arange(1, len(points.times) + 1)
        return replace(points, times=steps / rules.policy_frequency)
    return points


def _check_times(times: FloatArray) -> None:
    if times[0] < 0.0:
        raise GoalRefusedError(
            RefusalReason.TIMES_NOT_INCREASING,
            f'time_from_start of point 0 is {times[0]} s, before the '
            'start', point=0, time=times[0])
    late = np.diff(times) < RESOLUTION
    if late.any():
        point = int(np.argmax(late)) + 1
        raise GoalRefusedError(
            RefusalReason.TIMES_NOT_INCREASING,
            f'time_from_start of point {point} is {times[point]} s, '
            f'not after the {times[point - 1]} s of point {point - 1}', point=point,
            time=times[point])


def _check_fields(points: GoalPoints, rules: GoalRules) -> None:
    integrated = (rules.allow_integration_in_goal_trajectories
                  and rules.interpolation_method != 'none')
    position, velocity = carried(points.positions), carried(points.velocities)
    acceleration, effort = carried(points.accelerations), carried(points.efforts)
    if integrated:
        _check_rows(points, position | velocity | acceleration, RefusalReason.NO_POSITIONS,
                    'carries neither positions nor velocities nor accelerations')
    else:
        _check_rows(points, position, RefusalReason.NO_POSITIONS,
                    'carries no positions; send them, or '
                    'set allow_integration_in_goal_trajectories')
    # The controller accepts such points and then commands zero positions; nothing can honour them.
    _check_rows(points, ~(position & acceleration & ~velocity), RefusalReason.NO_VELOCITIES,
                'carries accelerations without velocities; send both or neither')
    if not rules.allow_effort:
        _check_rows(points, ~effort, RefusalReason.EFFORT_NOT_ALLOWED,
                    'carries effort, which is not '
                    'accepted here; leave it empty')


def _check_rows(points: GoalPoints, good: BoolArray, reason: RefusalReason, what: str) -> None:
    if not good.all():
        point = int(np.argmin(good))
        raise GoalRefusedError(reason, f'point {point} (time_from_start {points.times[point]} s) '
                               f'{what}', point=point, time=points.times[point])


def _check_end_velocity(points: GoalPoints, rules: GoalRules) -> None:
    moving = np.abs(points.velocities[-1]) > END_VELOCITY  # False for NaN: not carried
    if moving.any() and not rules.allow_nonzero_velocity_at_trajectory_end:
        j = int(np.argmax(moving))
        point = len(points.times) - 1
        raise GoalRefusedError(
            RefusalReason.NONZERO_END_VELOCITY,
            f"joint '{points.joint_names[j]}' ends at point {point} "
            f'with velocity {points.velocities[-1, j]}; end at rest, or set '
            'allow_nonzero_velocity_at_trajectory_end', joint=points.joint_names[j], point=point,
            time=points.times[-1])


def check_jump(points: GoalPoints, point: int, anchor: Anchor | None, rules: GoalRules,
               columns: Sequence[int]) -> None:
    """Refuse a point that is due at once and further than max_jump from the anchor."""
    if rules.max_jump is None or not carried(points.positions)[point]:
        return
    if anchor is None:
        raise GoalRefusedError(
            RefusalReason.NO_STATE,
            f'point {point} is due at once and max_jump is set, but the state of '
            'the arm is not known; wait for joint states', point=point, time=points.times[point])
    limit = np.asarray(rules.max_jump, dtype=float)
    limit = np.full(len(columns), limit) if limit.ndim == 0 else limit[columns]
    continuous = [name in rules.continuous for name in points.joint_names]
    jump = np.abs(position_error(points.positions[point], anchor.position, continuous))
    if (jump > limit).any():
        j = int(np.argmax(jump - limit))
        raise GoalRefusedError(
            RefusalReason.DISCONTINUITY,
            f"joint '{points.joint_names[j]}' would jump by {jump[j]:.6g} "
            f'at point {point}, more than max_jump {limit[j]:.6g}; start from the present '
            'position or give the first point a later time_from_start',
            joint=points.joint_names[j], point=point, time=points.times[point])


def check_limits(trajectory: Trajectory, anchor: Anchor | None, rules: GoalRules,
                 columns: Sequence[int]) -> None:
    """Refuse a motion that leaves position or velocity limits, also between its points.

    An arm that is already outside a limit may return: the limit widens to its state.
    """
    lower, upper = _limit(rules.lower, columns, -np.inf), _limit(rules.upper, columns, np.inf)
    speed = _limit(rules.velocity, columns, np.inf)
    if anchor is not None:
        lower, upper = np.minimum(lower, anchor.position), np.maximum(upper, anchor.position)
        speed = np.maximum(speed, np.abs(anchor.velocity))
    limits: tuple[tuple[Order, FloatArray, FloatArray, RefusalReason], ...] = (
        (0, lower, upper, RefusalReason.POSITION_LIMIT),
        (1, -speed, speed, RefusalReason.VELOCITY_LIMIT))
    for derivative, least, most, reason in limits:
        if np.isinf(least).all() and np.isinf(most).all():
            continue
        below, above = hull_bounds(trajectory, derivative)
        if (below >= least - LIMIT_SLACK).all() and (above <= most + LIMIT_SLACK).all():
            continue
        found = find_extrema(trajectory, derivative)
        for excess, value, time, limit in (
                (least - found.lower, found.lower, found.lower_time, least),
                (found.upper - most, found.upper, found.upper_time, most)):
            _check_excess(trajectory, excess, value, time, limit, reason)


def _limit(values: ArrayLike | None, columns: Sequence[int], default: float) -> FloatArray:
    return np.full(len(columns), default) if values is None else np.asarray(values, float)[columns]


def _check_excess(trajectory: Trajectory, excess: FloatArray, value: FloatArray, time: FloatArray,
                  limit: FloatArray, reason: RefusalReason) -> None:
    if (excess > LIMIT_SLACK).any():
        j = int(np.argmax(excess))
        name = trajectory.joint_names[j]
        since = time[j] - trajectory.start
        raise GoalRefusedError(
            reason, f"joint '{name}' reaches {value[j]:.6g} at {since:.6f} s from its start; the "
            f'{reason.value} is {limit[j]:.6g}', joint=name, time=since)
