# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Acceptance of trajectory goals by joint_trajectory_controller's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, BoolArray, FloatArray
from kane_dynamics.trajectory.angles import whole_turns
from kane_dynamics.trajectory.goal.checks import Anchor, check_jump, check_limits, checked
from kane_dynamics.trajectory.goal.goal import FIELDS, GoalPoints, TrajectoryGoal
from kane_dynamics.trajectory.goal.refusal import GoalRefusedError, RefusalReason
from kane_dynamics.trajectory.goal.rules import GoalRules
from kane_dynamics.trajectory.interpolation import carried
from kane_dynamics.trajectory.splice import spliced
from kane_dynamics.trajectory.spline import spline_velocities
from kane_dynamics.trajectory.trajectory import Trajectory

AT_ONCE = 1e-6  # [s] a point nearer than this to the start has no lead-in


@dataclass(frozen=True, eq=False)
class ArmState:
    """The state of the arm, measured or desired: (n,) arrays in joint order; None is zero."""

    position: ArrayLike
    velocity: ArrayLike | None = None
    acceleration: ArrayLike | None = None
    effort: ArrayLike | None = None


def accept_goal(goal: TrajectoryGoal, joint_names: Sequence[str], now: float,
                state: ArmState | None = None, current: Trajectory | None = None,
                rules: GoalRules = GoalRules()) -> Trajectory:
    """Return the trajectory of a goal, over all joints, or raise GoalRefusedError.

    joint_names: the n joints in order. now [s], on the clock of goal.stamp. state: start of the
    lead-in, measured or last desired (interpolate_from_desired_state). current: the running
    trajectory, over the same joints; it is kept until the new start and joined there, unless
    allow_trajectory_replacement is off. Without it the lead-in starts now, also when the stamp is
    later.
    """
    points = checked(goal, joint_names, now, rules)
    start = goal.stamp or now
    if current is not None and current.joint_names != tuple(joint_names):
        raise InputError(f'the current trajectory moves {list(current.joint_names)}; expected the '
                         f'joints {list(joint_names)} in this order')
    replacing = current is not None and rules.allow_trajectory_replacement
    at = max(now, start) if replacing else now
    if current is not None and (replacing or state is None):
        q, qd, qdd, effort = current.sample(at)
        state = ArmState(q, qd, qdd, effort if current.has_effort else None)
    anchor = _anchor(state, joint_names)
    if not replacing:
        points = _with_held_joints(points, joint_names, anchor)
    if (rules.positions_only == 'upsampling' and points.positions_only
            and len(points.times) > 1):     # the controller does not upsample a single point
        points = replace(points, velocities=spline_velocities(points.times, points.positions))

    columns = [list(joint_names).index(name) for name in points.joint_names]
    anchor = None if anchor is None else _restricted(anchor, columns)
    wait = start + points.times - at
    ahead = wait > AT_ONCE
    due = np.flatnonzero(np.abs(wait) <= AT_ONCE)[-1:]
    if len(due):
        check_jump(points, int(due[0]), anchor, rules, columns)
        points = replace(points, times=np.where(ahead, points.times, at - start))
    # Points of the past are discarded. A point due at once is a step for an arm at rest; a motion
    # that is replaced continues smoothly to the point after it.
    if not (replacing and ahead.any()):
        ahead[due] = True
    points = points.taken(ahead)

    turns = np.zeros(len(columns))
    if anchor is not None and carried(points.positions)[0]:
        continuous = [name in rules.continuous for name in points.joint_names]
        turns = whole_turns(anchor.position, points.positions[0], continuous)
        anchor = replace(anchor, position=anchor.position + turns)
    trajectory = _led_in(points, anchor, at - start, start, rules)
    check_limits(trajectory, anchor, rules, columns)
    if current is None or not replacing:
        return trajectory
    return spliced(current, trajectory, at, now, dict(zip(points.joint_names, turns)))


def _anchor(state: ArmState | None, joint_names: Sequence[str]) -> Anchor | None:
    if state is None:
        return None
    fields = []
    for name in ('position', 'velocity', 'acceleration'):
        given = getattr(state, name)
        value = np.zeros(len(joint_names)) if given is None else np.asarray(given, dtype=float)
        if value.shape != (len(joint_names),) or not np.isfinite(value).all():
            raise GoalRefusedError(
                RefusalReason.NO_STATE, f'the {name} of the state to lead in from is {value}; '
                f'expected {len(joint_names)} finite numbers')
        fields.append(value)
    effort = None if state.effort is None else np.asarray(state.effort, dtype=float)
    position, velocity, acceleration = fields
    return Anchor(position, velocity, acceleration, effort)


def _restricted(anchor: Anchor, columns: Sequence[int]) -> Anchor:
    effort = None if anchor.effort is None else anchor.effort[columns]
    return Anchor(anchor.position[columns], anchor.velocity[columns],
                  anchor.acceleration[columns], effort)


def _with_held_joints(points: GoalPoints, joint_names: Sequence[str],
                      anchor: Anchor | None) -> GoalPoints:
    # Joints that a partial goal does not name hold their position, at velocity zero.
    if len(points.joint_names) == len(joint_names):
        return points
    if anchor is None:
        missing = [name for name in joint_names if name not in points.joint_names]
        raise GoalRefusedError(
            RefusalReason.NO_STATE, f'joints {missing} must hold, but their position is not '
            'known; wait for joint states', joint=missing[0])
    columns = [list(joint_names).index(name) for name in points.joint_names]
    fields = []
    for name in FIELDS:
        rows = getattr(points, name)
        full = np.where(carried(rows)[:, None], np.zeros(len(joint_names)), np.nan)
        if name == 'positions':
            full = full + anchor.position
        full[:, columns] = rows
        fields.append(full)
    return GoalPoints(tuple(joint_names), points.times, *fields)


def _led_in(points: GoalPoints, anchor: Anchor | None, lead_time: float, start: float,
            rules: GoalRules) -> Trajectory:
    times, positions, velocities, accelerations, efforts = (
        points.times, *(getattr(points, name) for name in FIELDS))
    leads = times[0] > lead_time
    if leads or not carried(positions)[0]:
        if anchor is None:
            raise GoalRefusedError(
                RefusalReason.NO_STATE, f'its first point is due in {times[0] - lead_time:.6g} s '
                'and the state to lead in from is not known; wait for joint states, or give the '
                'first point positions and time_from_start 0', point=0, time=times[0])
        if leads:
            effort = np.nan if anchor.effort is None else anchor.effort
            times = np.concatenate([[lead_time], times])
            positions = np.vstack([anchor.position, positions])
            velocities = np.vstack([anchor.velocity, velocities])
            accelerations = np.vstack([anchor.acceleration, accelerations])
            efforts = np.vstack([np.broadcast_to(effort, anchor.position.shape), efforts])
        else:
            positions = np.vstack([anchor.position, positions[1:]])
    positions, velocities = _integrated(times, positions, velocities, accelerations)
    if rules.interpolation_method == 'none':
        made = Trajectory(points.joint_names, times, positions, velocities, accelerations, efforts,
                          start, 'none')
        return _held_at_first(made) if leads else made
    if points.positions_only and rules.positions_only == 'spline':
        velocities = spline_velocities(times, positions, velocities[0] if leads else 0.0)
    made = Trajectory(points.joint_names, times, positions, velocities, accelerations, efforts,
                      start, 'fields')
    if leads and rules.lead_in == 'quintic':
        # the first point gets the velocity and acceleration of the motion after it
        velocities, accelerations = velocities.copy(), accelerations.copy()
        onward = made.segments.coefficients[2]
        velocities[1], accelerations[1] = onward[1], 2.0 * onward[2]
        made = Trajectory(points.joint_names, times, positions, velocities, accelerations, efforts,
                          start, 'fields')
    return made


def _integrated(times: FloatArray, positions: FloatArray, velocities: FloatArray,
                accelerations: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return positions and velocities (N, n), integrated by Heun's rule where a point lacks them.

    NaN rows are points that do not carry the field; point 0 must carry positions (it is the state
    that the motion starts from). The rule is joint_trajectory_controller's: only a point without
    positions is integrated; it needs velocities, which are integrated first where it lacks them
    too. Fields that the previous point lacks count as zero.
      v[k] = v[k-1] + (a[k-1] + a[k]) h / 2        q[k] = q[k-1] + (v[k-1] + v[k]) h / 2
    """
    no_position = ~carried(positions)
    if not no_position.any():
        return positions, velocities
    no_velocity = ~carried(velocities)
    starts = np.append(no_position[1:], False)  # the next point is integrated from this one
    rest = np.where((starts & ~no_position & no_velocity)[:, None], 0.0, velocities)
    velocities = _cumulated(times, rest, accelerations, no_position & no_velocity)
    return _cumulated(times, positions, velocities, no_position), velocities


def _cumulated(times: FloatArray, values: FloatArray, rates: FloatArray,
               lacking: BoolArray) -> FloatArray:
    # trapezoidal sums since the last point that carries the value itself
    rates = np.nan_to_num(rates)
    steps = 0.5 * (rates[:-1] + rates[1:]) * np.diff(times)[:, None]
    sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(steps, axis=0)])
    index = np.arange(len(times))
    source = np.maximum.accumulate(np.where(lacking, 0, index))
    integrated = values[source] + sums - sums[source]
    return np.where(lacking[:, None], integrated, values)


def _held_at_first(trajectory: Trajectory) -> Trajectory:
    # method 'none': the start state is held until the first point
    segments = trajectory.segments
    coefficients = segments.coefficients.copy()
    coefficients[1] = 0.0
    coefficients[1, 0] = trajectory.positions[0]
    effort = segments.effort
    if effort is not None and trajectory.efforts is not None:
        effort = effort.copy()
        effort[1] = 0.0
        effort[1, 0] = np.nan_to_num(trajectory.efforts[0])
    shown = replace(segments, coefficients=coefficients, effort=effort)
    return replace(trajectory, segments=shown)
