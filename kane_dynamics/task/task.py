# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks: motions of the joints in time, planned in space or in joint space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
import math
from typing import Any, Protocol, TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.shown import Shown
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray, IntArray
from kane_dynamics.numerics.polynomials import Derivatives
from kane_dynamics.task.finding import (
    at, Finding, FindingKind, POSITION_LIMIT, TaskError, VELOCITY_LIMIT)
from kane_dynamics.trajectory.motion import Motion
from kane_dynamics.trajectory.trajectory import LIMIT_SLACK, Trajectory

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics
    from kane_dynamics.model.robot import Robot


class Task(Shown, ABC):
    """Base class of tasks: sampling, and the check of the joint limits.

    Subclasses have `robot`, `duration` [s], `sample_many` and `point_positions`. limits: whether
    `sample` refuses a motion beyond the position limits of the URDF or leaves it to `findings`.
    """

    robot: Robot
    duration: float
    limits: bool = True

    @abstractmethod
    def sample_many(self, ts: ArrayLike) -> Derivatives:
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s] since the task began."""

    @abstractmethod
    def point_positions(self, q: FloatArray) -> FloatArray:
        """Return the position (M, 3) [m] of the task's point at configurations q (M, n)."""

    def sample(self, dt: float) -> Motion:
        """Return the motion every dt [s] and at the end, or raise TaskError."""
        motion = self._sampled(dt)
        if self.limits:
            for finding in self._limit_findings(motion):
                if finding.kind == POSITION_LIMIT:
                    raise TaskError(finding)
        return motion

    def findings(self, dt: float) -> list[Finding]:
        """Return where the motion passes limits of position or velocity: the worst of each limit.

        Singular and unreachable points have no motion; they raise TaskError, which carries a
        Finding too.
        """
        return self._limit_findings(self._sampled(dt))

    def trajectory(self, dt: float = 0.01) -> Trajectory:
        """Return the motion as a Trajectory: quintics between samples every dt [s]."""
        motion = self.sample(dt)
        return Trajectory(self.robot.joint_names, motion.t, motion.q, motion.qd, motion.qdd)

    def _sampled(self, dt: float) -> Motion:
        if not (math.isfinite(dt) and 0.0 < dt <= self.duration):
            raise InputError(f'dt must be positive and at most the duration, {self.duration:g} s; '
                             f'got {dt}')
        t = np.arange(math.floor(self.duration / dt + 1e-9) + 1, dtype=np.float64) * dt
        if self.duration - t[-1] > 1e-9 * self.duration:
            t = np.append(t, self.duration)
        t[-1] = self.duration
        return Motion(t, *self.sample_many(t))

    def _limit_findings(self, motion: Motion) -> list[Finding]:
        limits, found = self.robot.limits, []
        checks: tuple[tuple[FindingKind, FloatArray, FloatArray, FloatArray], ...] = (
            (POSITION_LIMIT, motion.q, limits.lower, limits.upper),
            (VELOCITY_LIMIT, motion.qd, -limits.velocity, limits.velocity))
        for kind, values, low, high in checks:
            for bound, excess in ((low, low - values), (high, values - high)):
                for j in np.flatnonzero(excess.max(axis=0) > LIMIT_SLACK).tolist():
                    k = int(np.argmax(excess[:, j]))
                    found.append(self._beyond(kind, motion, k, j, values[k, j], bound[j]))
        return sorted(found, key=lambda finding: finding.time)

    def _point_position(self, t: float, q: FloatArray) -> FloatArray:
        return self.point_positions(q[None])[0]

    def _beyond(self, kind: FindingKind, motion: Motion, k: int, j: int, value: float,
                limit: float) -> Finding:
        name, time = self.robot.joint_names[j], float(motion.t[k])
        position = self._point_position(time, motion.q[k])
        text = (f'{kind}: joint {name!r} reaches {value:.4g}, its limit is {limit:.4g}, '
                f'{at(time, position)}')
        return Finding(kind, time, position, name, float(value), float(limit), text)


class JointMotion(Protocol):
    """A motion of the joints: a Trajectory, a Move or a TimedPath; it may have a `start` [s]."""

    @property
    def duration(self) -> float:
        """Return the duration [s]."""

    def sample_many(self, ts: FloatArray) -> tuple[FloatArray, ...]:
        """Return q, qd, qdd and perhaps more, each (M, n), at times ts (M,) [s]."""


class JointTask(Task):
    """A motion planned in joint space: a Trajectory, a Move or a timed joint path.

    frame: the link whose origin is the position in findings, by default the end of the arm.
    """

    def __init__(self, dynamics: Dynamics, motion: JointMotion, frame: str | None = None,
                 limits: bool = True) -> None:
        self.robot, self.limits = dynamics.robot.rigid(), limits
        self._dynamics, self.motion = dynamics, motion
        self.frame = self.robot.tip() if frame is None else self.robot.link(frame).name
        self.duration = float(motion.duration)
        self._start = float(getattr(motion, 'start', 0.0))
        q = self.sample_many([0.0])[0]
        if q.shape[1] != self.robot.n_joints:
            raise InputError(f'the motion is of {q.shape[1]} joints; {self.robot.name!r} has '
                             f'{self.robot.n_joints}: {list(self.robot.joint_names)}')

    def sample_many(self, ts: ArrayLike) -> Derivatives:
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s] since the task began."""
        q, qd, qdd, *_ = self.motion.sample_many(np.asarray(ts, dtype=float) + self._start)
        return q, qd, qdd

    def point_positions(self, q: FloatArray) -> FloatArray:
        """Return the origin of the frame, (M, 3) [m]."""
        rest = np.zeros((len(q), self._dynamics.robot.n_modes))
        return self._dynamics.frame_pose_many(self.frame, np.hstack([q, rest]))[1]


class TaskSequence(Task):
    """Tasks one after the other; each must start where the last one ended, at rest."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self.tasks = list(tasks)
        if not self.tasks:
            raise InputError('a sequence needs one task or more')
        self.robot = self.tasks[0].robot
        self.limits = all(task.limits for task in self.tasks)
        self.starts = np.concatenate([[0.0], np.cumsum([task.duration for task in self.tasks])])
        self.duration = float(self.starts[-1])
        for k, (before, after) in enumerate(zip(self.tasks[:-1], self.tasks[1:])):
            q0, q1 = before.sample_many([before.duration])[0], after.sample_many([0.0])[0]
            gap = abs(q1 - q0)[0]
            if gap.max() > 1e-6:
                j = int(np.argmax(gap))
                raise InputError(
                    f'task {k + 1} starts with {self.robot.joint_names[j]!r} at {q1[0, j]:.6g}, '
                    f'task {k} ends with it at {q0[0, j]:.6g}; start it from that configuration')

    def sample_many(self, ts: ArrayLike) -> Derivatives:
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s] since the first task began."""
        ts = np.asarray(ts, dtype=float)
        active = self._active(ts)
        out = np.empty((3, len(ts), self.robot.n_joints))
        for k, task in enumerate(self.tasks):
            here = active == k
            if here.any():
                out[:, here] = task.sample_many(ts[here] - self.starts[k])
        return out[0], out[1], out[2]

    def point_positions(self, q: FloatArray) -> FloatArray:
        """Return the position (M, 3) [m] of the first task's point."""
        return self.tasks[0].point_positions(q)

    def _point_position(self, t: float, q: FloatArray) -> FloatArray:
        return self.tasks[int(self._active(t))].point_positions(q[None])[0]

    def _active(self, ts: Any) -> IntArray:
        """Return the index of the active task at times ts."""
        return np.clip(np.searchsorted(self.starts, ts, side='right') - 1, 0, len(self.tasks) - 1)
