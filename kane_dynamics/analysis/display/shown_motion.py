# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Motions to be shown: samples of a Trajectory, a task, a Motion, an array or a Solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import known
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.simulation.solution import Energies, Solution
from kane_dynamics.task.task import Task
from kane_dynamics.trajectory.motion import Motion
from kane_dynamics.trajectory.trajectory import Trajectory

SAMPLES = 1000      # of a trajectory or a task
FRAME_RATE = 60.0   # of an array of configurations without times [Hz]


@dataclass(frozen=True, eq=False)
class ShownMotion:
    """Samples of joints and, with a robot, of all its coordinates.

    joint_names (n); t (N,) [s]; position, and where known velocity, acceleration and effort
    (N, n); robot with q (N, nq), or None; energies of a simulation; facts: titles and texts below
    the curves; more: further charts, each a group, a title, a unit and {name: (N,)}.
    """

    title: str
    joint_names: Sequence[str]
    t: FloatArray
    position: FloatArray
    velocity: FloatArray | None = None
    acceleration: FloatArray | None = None
    effort: FloatArray | None = None
    robot: Robot | None = None
    q: FloatArray | None = None
    energies: Energies | None = None
    facts: tuple[tuple[str, str], ...] = ()
    more: tuple[tuple[str, str, str, dict[str, FloatArray]], ...] = ()


def shown_motion(motion: object, robot: Robot | None = None) -> ShownMotion:
    """Return the samples of a motion.

    motion: Solution, Trajectory, task, Motion, or configurations (N, nq) or (N, n_joints). robot:
    of a motion that does not have one; without it a Trajectory or Motion has curves only.
    """
    if isinstance(motion, Solution):
        return _of_solution(motion)
    if isinstance(motion, Trajectory):
        ts = np.linspace(motion.start + motion.times[0], motion.end, SAMPLES)
        q, qd, qdd, effort = motion.sample_many(ts)
        samples = Motion(ts, q, qd, qdd, effort if motion.has_effort else None)
        return _of_samples('trajectory', motion.joint_names, samples, robot)
    if isinstance(motion, Task):
        samples = motion.sample(motion.duration / (SAMPLES - 1))
        return _of_samples('task', motion.robot.joint_names, samples, robot or motion.robot)
    if isinstance(motion, Motion):
        names = (tuple(f'joint {k + 1}' for k in range(motion.q.shape[1])) if robot is None
                 else robot.joint_names)
        return _of_samples('motion', names, motion, robot)
    if robot is None:
        raise InputError(f'{type(motion).__name__} is no motion; expected a Solution, an '
                         'Analysis, a task, a Trajectory or a Motion, or in show a Robot')
    return _of_rows(robot, motion)


def _of_solution(solution: Solution) -> ShownMotion:
    robot = solution.dynamics.robot
    return ShownMotion(
        f'{robot.name}: simulation', robot.joint_names, solution.t,
        solution.q[:, robot.joints_q], solution.qd[:, robot.joints_v],
        effort=solution.tau[:, robot.joints_v], robot=robot, q=solution.q,
        energies=solution.energy())


def _of_samples(title: str, names: Sequence[str], samples: Motion,
                robot: Robot | None) -> ShownMotion:
    if robot is None:
        return ShownMotion(title, names, samples.t, samples.q, samples.qd, samples.qdd,
                           samples.effort)
    unknown = [name for name in names if name not in robot.joint_names]
    if unknown or samples.q.shape[1] != len(names):
        raise InputError(f'the motion is of the joints {known(names)}; {robot.name!r} has '
                         f'{known(robot.joint_names)}')
    q = np.tile(robot.neutral(), (len(samples.t), 1))
    q[:, [robot.joints_q.start + robot.joint_index(name) for name in names]] = samples.q
    return ShownMotion(f'{robot.name}: {title}', names, samples.t, samples.q, samples.qd,
                       samples.qdd, samples.effort, robot, q)


def _of_rows(robot: Robot, rows: object) -> ShownMotion:
    given: ArrayLike = rows     # type: ignore[assignment]
    q = configurations(robot, given)
    t = np.arange(len(q)) / FRAME_RATE
    return ShownMotion(f'{robot.name}: motion', robot.joint_names, t, q[:, robot.joints_q],
                       robot=robot, q=q)


def configurations(robot: Robot, rows: ArrayLike) -> FloatArray:
    """Return q (N, nq) of rows (N, nq), or of the joints alone (N, n_joints); also of one row."""
    try:
        given = np.atleast_2d(np.asarray(rows, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f'cannot show {type(rows).__name__} on {robot.name!r}; expected q '
                         f'({robot.nq},), rows of q, or a motion') from None
    if given.ndim != 2 or not len(given) or given.shape[1] not in (robot.nq, robot.n_joints):
        raise InputError(f'q has shape {np.shape(rows)}; expected ({robot.nq},) or '
                         f'(N, {robot.nq}), or of the {robot.n_joints} joints alone')
    if not np.isfinite(given).all():
        raise InputError('q: expected finite numbers')
    if given.shape[1] == robot.nq:
        return given
    q = np.tile(robot.neutral(), (len(given), 1))
    q[:, robot.joints_q] = given
    return q
