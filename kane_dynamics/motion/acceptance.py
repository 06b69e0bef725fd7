# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""From a goal to a trajectory, or to a refusal, by joint_trajectory_controller's rules."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.angles import whole_turns
from kane_dynamics.motion.checks import check_jump, check_limits, checked
from kane_dynamics.motion.goal import FIELDS, Points
from kane_dynamics.motion.integration import integrate
from kane_dynamics.motion.interpolation import carried
from kane_dynamics.motion.refusal import GoalRefusedError, Reason
from kane_dynamics.motion.replacement import spliced
from kane_dynamics.motion.rules import Rules
from kane_dynamics.motion.spline import spline_velocities
from kane_dynamics.motion.trajectory import Trajectory

AT_ONCE = 1e-6  # [s] a point nearer than this to the start has no lead-in


@dataclass(frozen=True, eq=False)
class State:
    """Where the arm is, measured or desired: (n,) arrays in joint order; None counts as zero."""

    position: np.ndarray
    velocity: np.ndarray | None = None
    acceleration: np.ndarray | None = None
    effort: np.ndarray | None = None


def accept(goal, joint_names, now, state=None, current=None, rules=Rules()):
    """Return the trajectory that a goal asks for, over all joints, or raise GoalRefusedError.

    joint_names: the n joints in order. now [s], on the clock of goal.stamp. state: where a lead-in
    starts, measured or last desired (interpolate_from_desired_state). current: the trajectory that
    runs, over the same joints; it is kept until the new start and joined there, unless
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
    if replacing or (state is None and current is not None):
        q, qd, qdd, effort = current.sample(at)
        state = State(q, qd, qdd, effort if current.has_effort else None)
    anchor = _anchor(state, joint_names)
    if not replacing:
        points = _with_held_joints(points, joint_names, anchor)
    if (rules.positions_only == 'upsampling' and _positions_only(points)
            and len(points.times) > 1):     # one point is none of the controller's chunks
        points = replace(points, velocities=spline_velocities(points.times, points.positions))

    columns = [list(joint_names).index(name) for name in points.joint_names]
    anchor = anchor and _restricted(anchor, columns)
    wait = start + points.times - at
    ahead = wait > AT_ONCE
    due = np.flatnonzero(np.abs(wait) <= AT_ONCE)[-1:]
    if len(due):
        check_jump(points, int(due[0]), anchor, rules, columns)
        points = replace(points, times=np.where(ahead, points.times, at - start))
    # Points of the past are discarded. A point due at once is a step for an arm that stands; a
    # motion that is replaced goes on smoothly to the point after it.
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
    if not replacing:
        return trajectory
    return spliced(current, trajectory, at, now, dict(zip(points.joint_names, turns)))


def _anchor(state, joint_names):
    if state is None:
        return None
    fields = []
    for name in ('position', 'velocity', 'acceleration'):
        value = getattr(state, name)
        value = np.zeros(len(joint_names)) if value is None else np.asarray(value, dtype=float)
        if value.shape != (len(joint_names),) or not np.isfinite(value).all():
            raise GoalRefusedError(
                Reason.NO_STATE, f'the {name} of the state to lead in from is {value}; expected '
                f'{len(joint_names)} finite numbers')
        fields.append(value)
    return State(*fields, state.effort)


def _restricted(state, columns):
    effort = None if state.effort is None else state.effort[columns]
    return State(state.position[columns], state.velocity[columns], state.acceleration[columns],
                 effort)


def _positions_only(points):
    return (carried(points.positions).all() and not carried(points.velocities).any()
            and not carried(points.accelerations).any())


def _with_held_joints(points, joint_names, anchor):
    # Joints that a partial goal does not name hold where they are, at velocity zero.
    if len(points.joint_names) == len(joint_names):
        return points
    if anchor is None:
        missing = [name for name in joint_names if name not in points.joint_names]
        raise GoalRefusedError(
            Reason.NO_STATE, f'joints {missing} are to hold, but their position is not known; '
            'wait for joint states', joint=missing[0])
    columns = [list(joint_names).index(name) for name in points.joint_names]
    fields = []
    for name in FIELDS:
        rows = getattr(points, name)
        full = np.where(carried(rows)[:, None], np.zeros(len(joint_names)), np.nan)
        if name == 'positions':
            full = full + anchor.position
        full[:, columns] = rows
        fields.append(full)
    return Points(tuple(joint_names), points.times, *fields)


def _led_in(points, anchor, lead_time, start, rules):
    times, positions, velocities, accelerations, efforts = (
        points.times, *(getattr(points, name) for name in FIELDS))
    leads = times[0] > lead_time
    if anchor is None and (leads or not carried(positions)[0]):
        raise GoalRefusedError(
            Reason.NO_STATE, f'its first point is due in {times[0] - lead_time:.6g} s and the '
            'state to lead in from is not known; wait for joint states, or give the first point '
            'positions and time_from_start 0', point=0, time=times[0])
    positions_only = _positions_only(points)
    if leads:
        effort = np.nan if anchor.effort is None else anchor.effort
        times = np.concatenate([[lead_time], times])
        positions = np.vstack([anchor.position, positions])
        velocities = np.vstack([anchor.velocity, velocities])
        accelerations = np.vstack([anchor.acceleration, accelerations])
        efforts = np.vstack([np.broadcast_to(effort, anchor.position.shape), efforts])
    elif not carried(positions)[0]:
        positions = np.vstack([anchor.position, positions[1:]])
    positions, velocities = integrate(times, positions, velocities, accelerations)
    if rules.interpolation_method == 'none':
        made = Trajectory(points.joint_names, times, positions, velocities, accelerations, efforts,
                          start, 'none')
        return _held_at_first(made) if leads else made
    if positions_only and rules.positions_only == 'spline':
        velocities = spline_velocities(times, positions, anchor.velocity if leads else 0.0)
    made = Trajectory(points.joint_names, times, positions, velocities, accelerations, efforts,
                      start, 'fields')
    if leads and rules.lead_in == 'quintic':
        # the first point takes over the velocity and acceleration with which the motion goes on
        velocities, accelerations = velocities.copy(), accelerations.copy()
        onward = made.segments.coefficients[2]
        velocities[1], accelerations[1] = onward[1], 2.0 * onward[2]
        made = Trajectory(points.joint_names, times, positions, velocities, accelerations, efforts,
                          start, 'fields')
    return made


def _held_at_first(trajectory):
    # method 'none': the start state is shown until the first point, not the point to come
    segments = trajectory.segments
    coefficients = segments.coefficients.copy()
    coefficients[1] = 0.0
    coefficients[1, 0] = trajectory.positions[0]
    effort = segments.effort
    if effort is not None:
        effort = effort.copy()
        effort[1] = 0.0
        effort[1, 0] = np.nan_to_num(trajectory.efforts[0])
    shown = replace(segments, coefficients=coefficients, effort=effort)
    return replace(trajectory, segments=shown)
