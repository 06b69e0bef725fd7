# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectory goals: acceptance, following, and publication with effort."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple, TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import clean
from kane_dynamics.nodes.messages.trajectory_cdr import encode
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.trajectory.effort_fill import fill_effort_of_time
from kane_dynamics.trajectory.goal.acceptance import accept_goal, ArmState
from kane_dynamics.trajectory.goal.goal import TrajectoryGoal
from kane_dynamics.trajectory.piecewise import BLOCK
from kane_dynamics.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from kane_dynamics.control.controller import Controller
    from kane_dynamics.nodes.feedforward.arm_setup import FeedforwardSetup
    from kane_dynamics.trajectory.goal.tolerances import JointTolerance, Tolerances


class AskedTolerances(NamedTuple):
    """Tolerances that a goal of FollowJointTrajectory asks for, as for `Tolerances.asked`."""

    path: Iterable[JointTolerance]
    goal: Iterable[JointTolerance]
    goal_time: float        # [s]


class AcceptedGoal(NamedTuple):
    """A trajectory that is followed, and its Tolerances."""

    trajectory: Trajectory
    tolerances: Tolerances


class Goals:
    """The goals of a Controller.

    Args:
        controller: follows the accepted trajectories.
        setup: the FeedforwardSetup of its arm; replace `setup` to change the settings.
        log: called with (level, text).
    """

    def __init__(self, controller: Controller, setup: FeedforwardSetup,
                 log: Callable[[str, str], object]) -> None:
        self.setup = setup
        self.accepted = self.refused = 0
        self.last_refusal = ''
        self._controller, self._log = controller, log

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a refusal in the block; lack of memory is one, too."""
        try:
            yield
            return
        except MemoryError as error:
            refusal = InputError(f'trajectory refused: not enough memory for it ({error})')
        except InputError as error:
            refusal = error
        self.refused += 1
        self.last_refusal = clean(refusal)
        raise refusal from None

    def take(self, goal: TrajectoryGoal, now: float, measured: ArmState | None,
             asked: AskedTolerances | None = None) -> AcceptedGoal:
        """Accept a TrajectoryGoal and follow it, or raise the refusal.

        now [s]; measured: the ArmState, None if it is stale. asked: the tolerances of the goal,
        None for the defaults.
        """
        controller, setup = self._controller, self.setup
        controller.require_following()
        with controller.lock:
            running = controller.trajectory if controller.following else None
            reference = controller.trajectory if controller.reference_known else None
        if running is not None and running.end <= now:
            running = None
        desired = setup.settings.interpolate_from_desired_state or (
            measured is None and not controller.needs_state)
        if desired and reference is not None:
            measured = ArmState(*reference.sample(now)[:3])
        if measured is not None and reference is not None and controller.law.adds_effort:
            # the effort of the last goal is part of the start state: no step in torque
            measured = replace(measured, effort=reference.sample(now)[3])
        # In an open-loop mode there may be no joint_states at all.
        rules = setup.rules(check_jump=measured is not None or controller.needs_state)
        trajectory = accept_goal(goal, controller.joint_names, now, measured, running, rules)
        self._check_effort(trajectory)
        tolerances = setup.tolerances()
        if asked is not None:
            try:
                tolerances = tolerances.asked(*asked)
            except InputError as error:     # as joint_trajectory_controller does
                self._log('warning', f'{clean(error)}; the default tolerances apply')
        controller.follow(trajectory, None if asked is None else tolerances)
        self.accepted += 1
        return AcceptedGoal(trajectory, tolerances)

    def _check_effort(self, trajectory: Trajectory) -> None:
        controller, segments = self._controller, trajectory.segments
        if not np.isfinite(controller.output.limit).any():
            return
        times = _between(trajectory.times)
        text = self._beyond_limits(times, controller.target_model.evaluate_many(
            *segments.evaluate_many(times)) + segments.effort_at_many(times))
        if text and self.setup.settings.effort_limit_reaction == 'refuse':
            raise InputError(f'trajectory refused (effort limit): {text}')
        if text:
            self._log('warning', f'{text}: the torque will be limited')

    def _beyond_limits(self, times: FloatArray, tau: FloatArray) -> str:
        """Describe the joint that exceeds its effort limit most, '' if none does; tau (M, n)."""
        controller, tau = self._controller, np.abs(tau)
        limit = controller.output.limit
        beyond = (tau > limit).any(axis=0)
        if not beyond.any():
            return ''
        j = int(np.argmax(np.where(beyond, tau.max(axis=0) / limit, 0.0)))
        k = int(np.argmax(tau[:, j]))
        return (f'joint {controller.joint_names[j]!r} needs {tau[k, j]:.4g} at '
                f'{times[k]:.3f} s; its effort limit is {limit[j]:.4g}')

    def with_effort(self, trajectory: Trajectory, goal: TrajectoryGoal, now: float,
                    epoch: int = 0) -> bytes:
        """Return the serialized JointTrajectory of an accepted trajectory with its effort.

        It starts with the new motion (at `now`, or where it joins the old one) and keeps the stamp
        of the goal; joints are in the order of the parameter `joints`. epoch [ns] of the times.
        """
        setup, command_order = self.setup, self.setup.command_order
        order = slice(None) if command_order is None else command_order
        filled = self._filled(trajectory)
        assert filled.efforts is not None
        begin = max(now, goal.stamp or now) if goal.stamp else now
        first = np.searchsorted(filled.times, min(begin, trajectory.end) - trajectory.start - 1e-9)
        times = filled.times[first:]
        efforts = filled.efforts[first:]
        if self._controller.target_model.elastic is not None:   # acceptance is quasi-static
            text = self._beyond_limits(times, efforts)
            if text:
                self._log('warning', f'with link vibration, {text}: the torque will be limited')
        if setup.settings.trajectory_effort == 'add':
            efforts = efforts + trajectory.segments.effort_at_many(times)
        fields = [None if rows is None else rows[first:, order] for rows in (
            filled.positions, filled.velocities, filled.accelerations)]
        stamp = 0 if goal.stamp is None else epoch + round(trajectory.start * 1e9)
        if times[0] < 0.0:  # the lead-in begins before the stamp
            stamp = epoch + round((trajectory.start + times[0]) * 1e9)
            times = times - times[0]
        return encode(setup.command_joints, times, [*fields, efforts[:, order]], stamp)

    def rehearse(self) -> None:
        """Compute the effort of a dummy motion, so that the first goal finds compiled code."""
        n = len(self._controller.joint_names)
        times = np.linspace(0.0, 1.0, BLOCK)
        still = Trajectory(self._controller.joint_names, times, np.zeros((BLOCK, n)))
        goal = TrajectoryGoal(still.joint_names, still.times, still.positions)
        self.with_effort(still, goal, now=0.0)

    def _filled(self, trajectory: Trajectory) -> Trajectory:
        settings = self.setup.settings
        interval = settings.effort_min_interval
        effort = self._controller.target_model.along(trajectory, interval)
        if trajectory.interpolation != 'none':
            try:
                return fill_effort_of_time(trajectory, effort, settings.effort_tolerance,
                                           interval, settings.effort_max_points)
            except InputError as error:
                self._log('warning', f'effort only at the points of the goal: {error}')
        return replace(trajectory, efforts=effort(trajectory.times))


def _between(times: FloatArray) -> FloatArray:
    """Return times (N,) and instants between them, where a fast motion has its peak torque."""
    parts = 16 if len(times) < 1000 else 2
    inner = times[:-1, None] + np.diff(times)[:, None] * (np.arange(parts) / parts)
    return np.append(inner.ravel(), times[-1])
