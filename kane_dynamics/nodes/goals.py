# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectory goals: accepted by the rules, followed, and sent on with their effort."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.acceptance import accept, State
from kane_dynamics.motion.densification import fill_effort_of_time
from kane_dynamics.motion.goal import Goal
from kane_dynamics.motion.segments import BLOCK
from kane_dynamics.motion.trajectory import Trajectory
from kane_dynamics.nodes.trajectory_cdr import encode


class Goals:
    """Take goals for a Controller.

    Args:
        controller: whose reference they become.
        settings: the Settings of its arm.
        values: parameter names to checked values; read at every goal.
        log: called with (level, text).
    """

    def __init__(self, controller, settings, values, log):
        self.accepted = self.refused = 0
        self.last_refusal = ''
        self._controller, self._settings, self._values, self._log = (
            controller, settings, values, log)

    def take(self, goal, now, measured, tolerances=None):
        """Return the Trajectory that a Goal asks for, already followed, or raise the refusal.

        now [s]; measured: the State of the arm, or None where there is no fresh one. tolerances:
        the goal's own Tolerances, or None.
        """
        try:
            trajectory = self._take(goal, now, measured, tolerances)
        except InputError as error:
            self.refused += 1
            self.last_refusal = str(error)
            raise
        self.accepted += 1
        return trajectory

    def _take(self, goal, now, measured, tolerances):
        controller, values = self._controller, self._values
        controller.require_following()
        with controller.lock:
            running = controller.trajectory if controller.following else None
            reference = controller.trajectory if controller.reference_known else None
        if running is not None and running.end <= now:
            running = None
        desired = values['interpolate_from_desired_state'] or (
            measured is None and not controller.needs_state)
        if desired and reference is not None:
            measured = State(*reference.sample(now)[:3])
        if measured is not None and reference is not None and controller.law.adds_effort:
            # what the last goal still adds does not step away: it leads in as positions do
            measured = replace(measured, effort=reference.sample(now)[3])
        # The arm of an open-loop mode may have no joint_states at all.
        rules = self._settings.rules(
            values, check_jump=measured is not None or controller.needs_state)
        trajectory = accept(goal, controller.joint_names, now, measured, running, rules)
        self._check_effort(trajectory)
        controller.follow(trajectory, tolerances)
        return trajectory

    def _check_effort(self, trajectory):
        controller, segments = self._controller, trajectory.segments
        if not np.isfinite(controller.output.limit).any():
            return
        times = _between(trajectory.times)
        text = self._beyond_limits(times, controller.target_model.evaluate_many(
            *segments.evaluate_many(times)) + segments.effort_at_many(times))
        if text and self._values['effort_limit_reaction'] == 'refuse':
            raise InputError(f'trajectory refused (effort limit): {text}')
        if text:
            self._log('warning', f'{text}: the torque will be cut')

    def _beyond_limits(self, times, tau):
        """Return which joint needs most beyond its limit, '' where none does; tau (M, n)."""
        controller, tau = self._controller, np.abs(tau)
        limit = controller.output.limit
        beyond = (tau > limit).any(axis=0)
        if not beyond.any():
            return ''
        j = int(np.argmax(np.where(beyond, tau.max(axis=0) / limit, 0.0)))
        k = int(np.argmax(tau[:, j]))
        return (f'joint {controller.joint_names[j]!r} needs {tau[k, j]:.4g} at '
                f'{times[k]:.3f} s; its effort limit is {limit[j]:.4g}')

    def with_effort(self, trajectory, goal, now, epoch=0):
        """Return the serialized JointTrajectory with the effort of an accepted trajectory.

        It begins where the new motion does (at `now`, or where it joins the old one) and keeps
        the stamp that was sent; joints are in the order of `joints`. epoch [ns] of the times.
        """
        values, order = self._values, self._settings.command_order
        order = slice(None) if order is None else order
        filled = self._filled(trajectory)
        begin = max(now, goal.stamp or now) if goal.stamp else now
        first = np.searchsorted(filled.times, min(begin, trajectory.end) - trajectory.start - 1e-9)
        times = filled.times[first:]
        efforts = filled.efforts[first:]
        if self._controller.target_model.elastic is not None:   # when accepted, they did not swing
            text = self._beyond_limits(times, efforts)
            if text:
                self._log('warning', f'with links that swing, {text}: the torque will be cut')
        if values['trajectory_effort'] == 'add':
            efforts = efforts + trajectory.segments.effort_at_many(times)
        fields = [None if rows is None else rows[first:, order] for rows in (
            filled.positions, filled.velocities, filled.accelerations)]
        stamp = 0 if goal.stamp is None else epoch + round(trajectory.start * 1e9)
        if times[0] < 0.0:  # the lead-in begins before the stamp
            stamp = epoch + round((trajectory.start + times[0]) * 1e9)
            times = times - times[0]
        return encode(self._settings.command_joints, times, [*fields, efforts[:, order]], stamp)

    def rehearse(self):
        """Fill the effort of a motion that nobody sees: the first goal then finds all compiled."""
        n = len(self._controller.joint_names)
        times = np.linspace(0.0, 1.0, BLOCK)
        still = Trajectory(self._controller.joint_names, times, np.zeros((BLOCK, n)))
        goal = Goal(still.joint_names, still.times, still.positions)
        self.with_effort(still, goal, now=0.0)

    def _filled(self, trajectory):
        values, interval = self._values, self._values['effort_min_interval']
        effort = self._controller.target_model.along(trajectory, interval)
        if trajectory.interpolation != 'none':
            try:
                return fill_effort_of_time(trajectory, effort, values['effort_tolerance'],
                                           interval, values['effort_max_points'])
            except InputError as error:
                self._log('warning', f'effort is filled at the points of the goal only: {error}')
        return replace(trajectory, efforts=effort(trajectory.times))


def _between(times):
    """Return times (N,) and moments between them: a fast rest to rest peaks between its points."""
    parts = 16 if len(times) < 1000 else 2
    inner = times[:-1, None] + np.diff(times)[:, None] * (np.arange(parts) / parts)
    return np.append(inner.ravel(), times[-1])
