# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks: what an arm shall do, in space or in joints, as motions of the joints in time.

Every task has `duration` [s], `sample_many(ts)` -> q, qd, qdd (M, n) and
`sample(dt)` -> t (N,), q, qd, qdd (N, n).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.task_error import (
    at, Finding, POSITION_LIMIT, TaskError, VELOCITY_LIMIT)
from kane_dynamics.motion.trajectory import Trajectory

LIMIT_SLACK = 1e-6      # [rad, m, rad/s or m/s]: rounding of limits written with few digits


class Samples(NamedTuple):
    """A motion at N moments: t (N,) [s], q, qd, qdd (N, n)."""

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


class Task:
    """Be what all tasks share: sampling, and the check of the joints' limits.

    Subclasses have `robot`, `duration` and `sample_many`; `limits` says whether `sample` refuses a
    motion beyond the position limits of the URDF or leaves that to `findings`.
    """

    robot = None
    duration = 0.0
    limits = True

    def sample_many(self, ts):
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s] since the task began."""
        raise NotImplementedError

    def sample(self, dt):
        """Return t (N,), q, qd, qdd (N, n) every dt [s] and at the end, or raise TaskError."""
        samples = self._sampled(dt)
        if self.limits:
            found = [each for each in self._limit_findings(samples) if each.kind == POSITION_LIMIT]
            if found:
                raise TaskError(found[0])
        return samples

    def findings(self, dt):
        """Return a list of `Finding`: where the motion passes limits of position or velocity.

        Of each limit the worst place. Singular and unreachable places are no motion at all: they
        raise TaskError, which carries a Finding too.
        """
        return self._limit_findings(self._sampled(dt))

    def trajectory(self, dt=0.01):
        """Return the motion as a Trajectory: quintics between samples every dt [s]."""
        t, q, qd, qdd = self.sample(dt)
        return Trajectory(self.robot.joint_names, t, q, qd, qdd)

    def places(self, q):
        """Return what is told as the place in findings, (M, 3) [m]; the last link's origin."""
        raise NotImplementedError

    def _sampled(self, dt):
        if not (math.isfinite(dt) and 0.0 < dt <= self.duration):
            raise InputError(f'dt must be positive and at most the duration, {self.duration:g} s; '
                             f'got {dt}')
        t = np.arange(math.floor(self.duration / dt + 1e-9) + 1) * dt
        if self.duration - t[-1] > 1e-9 * self.duration:
            t = np.append(t, self.duration)
        t[-1] = self.duration
        return Samples(t, *self.sample_many(t))

    def _limit_findings(self, samples):
        limits, found = self.robot.limits, []
        for kind, values, low, high in ((POSITION_LIMIT, samples.q, limits.lower, limits.upper),
                                        (VELOCITY_LIMIT, samples.qd, -limits.velocity,
                                         limits.velocity)):
            for bound, excess in ((low, low - values), (high, values - high)):
                for j in np.flatnonzero(excess.max(axis=0) > LIMIT_SLACK):
                    k = int(np.argmax(excess[:, j]))
                    found.append(self._beyond(kind, samples, k, j, values[k, j], bound[j]))
        return sorted(found, key=lambda each: each.time)

    def _place(self, t, q):
        return self.places(q[None])[0]

    def _beyond(self, kind, samples, k, j, value, limit):
        name, place = self.robot.joint_names[j], self._place(samples.t[k], samples.q[k])
        text = (f'{kind}: joint {name!r} reaches {value:.4g}, its limit is {limit:.4g}, '
                f'{at(samples.t[k], place)}')
        return Finding(kind, float(samples.t[k]), place, name, float(value), float(limit), text)


class JointTask(Task):
    """A motion of the joints themselves: a Trajectory, a Move or a timed joint path.

    motion: has sample_many(ts), `duration` and may have `start` [s]; frame: the link whose origin
    is told as the place in findings, by default the end of the arm.
    """

    def __init__(self, dynamics, motion, frame=None, limits=True):
        self.robot, self.limits = dynamics.robot.rigid(), limits
        self._dynamics, self.motion = dynamics, motion
        self.frame = self.robot.tip() if frame is None else self.robot.link(frame).name
        self.duration = float(motion.duration)
        self._start = float(getattr(motion, 'start', 0.0))
        q = self.sample_many([0.0])[0]
        if q.shape[1] != self.robot.n_joints:
            raise InputError(f'the motion is of {q.shape[1]} joints; {self.robot.name!r} has '
                             f'{self.robot.n_joints}: {list(self.robot.joint_names)}')

    def sample_many(self, ts):
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s] since the task began."""
        ts = np.asarray(ts, dtype=float) + self._start
        return tuple(self.motion.sample_many(ts)[:3])

    def places(self, q):
        """Return the origin of the frame, (M, 3) [m]."""
        rest = np.zeros((len(q), self._dynamics.robot.n_modes))
        return self._dynamics.frame_pose_many(self.frame, np.hstack([q, rest]))[1]


class TaskSequence(Task):
    """Tasks one after the other; each must start where the last one ended, at rest."""

    def __init__(self, tasks):
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
                    f'task {k} ends with it at {q0[0, j]:.6g}; give it that posture')

    def sample_many(self, ts):
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s] since the first task began."""
        ts = np.asarray(ts, dtype=float)
        which = self._at(ts)
        out = np.empty((3, len(ts), self.robot.n_joints))
        for k, task in enumerate(self.tasks):
            here = which == k
            if here.any():
                out[:, here] = task.sample_many(ts[here] - self.starts[k])
        return tuple(out)

    def places(self, q):
        """Return the place by the first task's idea of it, (M, 3) [m]."""
        return self.tasks[0].places(q)

    def _place(self, t, q):
        return self.tasks[int(self._at(t))].places(q[None])[0]

    def _at(self, ts):
        """Return which task is on at times ts."""
        return np.clip(np.searchsorted(self.starts, ts, side='right') - 1, 0, len(self.tasks) - 1)
