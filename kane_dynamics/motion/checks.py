# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The checks of acceptance, one refusal each, that name the joint, the point and the time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kane_dynamics.motion.angles import position_error
from kane_dynamics.motion.extrema import find_extrema, hull_bounds
from kane_dynamics.motion.goal import FIELDS, Points, read_points
from kane_dynamics.motion.interpolation import carried
from kane_dynamics.motion.refusal import GoalRefusedError, Reason

END_VELOCITY = float(np.finfo(np.float32).eps)  # joint_trajectory_controller's zero [rad/s or m/s]
RESOLUTION = 0.5e-9  # [s] messages count nanoseconds: nearer times are the same time
LIMIT_SLACK = 1e-6  # [rad, m, rad/s or m/s]: rounding of limits written with few digits


def checked(goal, joint_names, now, rules):
    """Return the goal's points with its joints in the arm's order, or refuse the goal."""
    _check_names(goal.joint_names, joint_names, rules)
    if len(goal.times) == 0:
        raise GoalRefusedError(Reason.EMPTY_POINTS, 'it has no points; send at least one')
    points = _timed(_in_order(read_points(goal), joint_names), rules)
    _check_times(points.times)
    _check_fields(points, rules)
    _check_end_velocity(points, rules)
    start = goal.stamp or now
    if not np.isfinite(start):
        raise GoalRefusedError(Reason.NOT_FINITE, f'its stamp is {start}')
    end = start + points.times[-1]
    if end < now:
        raise GoalRefusedError(
            Reason.IN_THE_PAST, f'it starts at {start:.6f} s and ends at {end:.6f} s, '
            f'{now - end:.6f} s ago; stamp it later, or 0 to start now',
            point=len(points.times) - 1, time=end)
    return points


def _check_names(names, joint_names, rules):
    names, known = list(names), list(joint_names)
    if not names:
        raise GoalRefusedError(
            Reason.EMPTY_JOINT_NAMES, f'it names no joints; the arm has {known}')
    for i, name in enumerate(names):
        if name not in known:
            raise GoalRefusedError(
                Reason.UNKNOWN_JOINT, f"joint '{name}' is not one of {known}", joint=name)
        if name in names[:i]:
            raise GoalRefusedError(
                Reason.DUPLICATE_JOINT, f"joint '{name}' is named more than once", joint=name)
    missing = [name for name in known if name not in names]
    if missing and not rules.allow_partial_joints_goal:
        raise GoalRefusedError(
            Reason.MISSING_JOINT, f'joints {missing} are missing; it has {names}. Send all '
            'joints, or set allow_partial_joints_goal', joint=missing[0])


def _in_order(points, joint_names):
    order = sorted(range(len(points.joint_names)),
                   key=lambda i: list(joint_names).index(points.joint_names[i]))
    names = tuple(points.joint_names[i] for i in order)
    return Points(names, points.times, *(getattr(points, f)[:, order] for f in FIELDS))


def _timed(points, rules):
    # positions_upsampling.policy_frequency: chunks of positions that arrive without times
    rates = carried(points.velocities) | carried(points.accelerations)
    if rules.policy_frequency > 0.0 and not points.times.any() and not rates.any():
        steps = np.arange(1, len(points.times) + 1)
        return replace(points, times=steps / rules.policy_frequency)
    return points


def _check_times(times):
    if times[0] < 0.0:
        raise GoalRefusedError(
            Reason.TIMES_NOT_INCREASING, f'time_from_start of point 0 is {times[0]} s, before the '
            'start', point=0, time=times[0])
    late = np.diff(times) < RESOLUTION
    if late.any():
        point = int(np.argmax(late)) + 1
        raise GoalRefusedError(
            Reason.TIMES_NOT_INCREASING, f'time_from_start of point {point} is {times[point]} s, '
            f'not after the {times[point - 1]} s of point {point - 1}', point=point,
            time=times[point])


def _check_fields(points, rules):
    integrated = (rules.allow_integration_in_goal_trajectories
                  and rules.interpolation_method != 'none')
    position, velocity = carried(points.positions), carried(points.velocities)
    acceleration, effort = carried(points.accelerations), carried(points.efforts)
    if integrated:
        _check_rows(points, position | velocity | acceleration, Reason.NO_POSITIONS,
                    'carries neither positions nor velocities nor accelerations')
    else:
        _check_rows(points, position, Reason.NO_POSITIONS, 'carries no positions; send them, or '
                    'set allow_integration_in_goal_trajectories')
    # The controller accepts such points and then commands zero positions; nothing can honour them.
    _check_rows(points, ~(position & acceleration & ~velocity), Reason.NO_VELOCITIES,
                'carries accelerations without velocities; send both or neither')
    if not rules.allow_effort:
        _check_rows(points, ~effort, Reason.EFFORT_NOT_ALLOWED, 'carries effort, which is not '
                    'accepted here; leave it empty')


def _check_rows(points, good, reason, what):
    if not good.all():
        point = int(np.argmin(good))
        raise GoalRefusedError(reason, f'point {point} (time_from_start {points.times[point]} s) '
                               f'{what}', point=point, time=points.times[point])


def _check_end_velocity(points, rules):
    moving = np.abs(points.velocities[-1]) > END_VELOCITY  # False for NaN: not carried
    if moving.any() and not rules.allow_nonzero_velocity_at_trajectory_end:
        j = int(np.argmax(moving))
        point = len(points.times) - 1
        raise GoalRefusedError(
            Reason.NONZERO_END_VELOCITY, f"joint '{points.joint_names[j]}' ends at point {point} "
            f'with velocity {points.velocities[-1, j]}; end at rest, or set '
            'allow_nonzero_velocity_at_trajectory_end', joint=points.joint_names[j], point=point,
            time=points.times[-1])


def check_jump(points, point, anchor, rules, columns):
    """Refuse a point that is due at once and lies further than max_jump from the anchor."""
    if rules.max_jump is None or not carried(points.positions)[point]:
        return
    if anchor is None:
        raise GoalRefusedError(
            Reason.NO_STATE, f'point {point} is due at once and max_jump is set, but the state of '
            'the arm is not known; wait for joint states', point=point, time=points.times[point])
    limit = np.asarray(rules.max_jump, dtype=float)
    limit = np.full(len(columns), limit) if limit.ndim == 0 else limit[columns]
    continuous = [name in rules.continuous for name in points.joint_names]
    jump = np.abs(position_error(points.positions[point], anchor.position, continuous))
    if (jump > limit).any():
        j = int(np.argmax(jump - limit))
        raise GoalRefusedError(
            Reason.DISCONTINUITY, f"joint '{points.joint_names[j]}' would jump by {jump[j]:.6g} "
            f'at point {point}, more than max_jump {limit[j]:.6g}; start from the present '
            'position or give the first point a later time_from_start',
            joint=points.joint_names[j], point=point, time=points.times[point])


def check_limits(trajectory, anchor, rules, columns):
    """Refuse a motion that leaves position or velocity limits, also between its points.

    An arm that already stands outside a limit may come back: the limit widens to where it is.
    """
    lower, upper = _limit(rules.lower, columns, -np.inf), _limit(rules.upper, columns, np.inf)
    speed = _limit(rules.velocity, columns, np.inf)
    if anchor is not None:
        lower, upper = np.minimum(lower, anchor.position), np.maximum(upper, anchor.position)
        speed = np.maximum(speed, np.abs(anchor.velocity))
    for derivative, least, most, reason in ((0, lower, upper, Reason.POSITION_LIMIT),
                                            (1, -speed, speed, Reason.VELOCITY_LIMIT)):
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


def _limit(values, columns, default):
    return np.full(len(columns), default) if values is None else np.asarray(values, float)[columns]


def _check_excess(trajectory, excess, value, time, limit, reason):
    if (excess > LIMIT_SLACK).any():
        j = int(np.argmax(excess))
        name = trajectory.joint_names[j]
        since = time[j] - trajectory.start
        raise GoalRefusedError(
            reason, f"joint '{name}' reaches {value[j]:.6g} at {since:.6f} s from its start; the "
            f'{reason.value} is {limit[j]:.6g}', joint=name, time=since)
