# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Minimum-time motion on a given path within torque, speed and acceleration limits.

Along q(x) the equations of motion are linear in x'' and x'^2 (Bobrow, Dubowsky and Gibson 1985)
  tau = a x'' + b x'^2 + c,   a = M q',  b = M q'' + h(q, q') - g,  c = g,
so that limits of torque, joint speed and acceleration are linear too. What friction leaves of the
torques is not; it is linearized about the motion found before, until two motions agree. Intervals
of the grid in which a limit is passed between their ends are halved.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.numerics.array_types import ArrayLike, BoolArray, FloatArray
from kane_dynamics.numerics.polynomials import Derivatives
from kane_dynamics.task.friction_limits import Bounds, bounds_left
from kane_dynamics.task.joint_path import JointPath
from kane_dynamics.task.task import Task
from kane_dynamics.task.topp_ra import BlockedError, fastest

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot
    from kane_dynamics.task.cartesian_task import CartesianTask

T = TypeVar('T', bound=np.generic)

MOST_PASSES = 30            # through friction
NEAR = 0.01                 # change of the duration below which the next motion is a near one
SETTLED = 1e-3              # and below which passes that oscillate agree
MOST_REFINEMENTS = 12       # of the grid
SLACK = 5e-4                # fraction of a limit that it may be passed by between grid points


class TimedPath(Task):
    """A joint path run as fast as limits allow.

    x (N + 1,): grid of fractions; speed (N + 1,): x' [1/s] there; times (N + 1,) [s]; x'' is
    constant between. effort (2, n): the torque limits, least and largest [N m or N].
    """

    def __init__(self, dynamics: Dynamics, path: JointPath, x: FloatArray, u: FloatArray,
                 alpha: FloatArray, effort: FloatArray) -> None:
        self.robot, self._dynamics, self.path = dynamics.robot, dynamics, path
        self.x, self.speed, self._alpha, self.effort = x, np.sqrt(u), alpha, effort
        steps = 2.0 * np.diff(x) / (self.speed[:-1] + self.speed[1:])
        self.times = np.concatenate([[0.0], np.cumsum(steps)])
        self.duration = float(self.times[-1])
        self._frame = self.robot.tip()

    def fraction(self, ts: ArrayLike) -> Derivatives:
        """Return x, x', x'' (M,) at times ts (M,) [s]."""
        t = np.clip(np.asarray(ts, dtype=np.float64), 0.0, self.duration)
        k = np.clip(np.searchsorted(self.times, t, side='right') - 1, 0, len(self._alpha) - 1)
        since, speed, alpha = t - self.times[k], self.speed[k], self._alpha[k]
        x = np.minimum(self.x[k] + since * (speed + 0.5 * alpha * since), 1.0)
        over = t >= self.duration                           # at rest, as after every profile
        return (np.where(over, 1.0, x), np.where(over, 0.0, np.maximum(speed + alpha * since, 0)),
                np.where(over, 0.0, alpha))

    def sample_many(self, ts: ArrayLike) -> Derivatives:
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s] since the start."""
        x, xd, xdd = self.fraction(ts)
        q, q1, q2 = self.path.evaluate(x)
        return q, q1 * xd[:, None], q1 * xdd[:, None] + q2 * (xd * xd)[:, None]

    def torques(self, ts: ArrayLike) -> FloatArray:
        """Return tau (M, n) [N m or N] at times ts (M,) [s]."""
        return self._dynamics.inverse_many(*self.sample_many(ts))

    def point_positions(self, q: FloatArray) -> FloatArray:
        """Return the origin of the arm's last link, (M, 3) [m]."""
        return self._dynamics.frame_pose_many(self._frame, q)[1]


def minimum_time(dynamics: Dynamics, path: JointPath | CartesianTask, *,
                 effort: ArrayLike | None = None, velocity: ArrayLike | None = None,
                 acceleration: ArrayLike | None = None, grid: int = 1000) -> TimedPath:
    """Return the TimedPath that runs a path from rest to rest in the shortest time.

    Args:
        dynamics: of the arm, rigid; its friction counts.
        path: joint path: JointLine, JointSpline, the joint_path of a CartesianTask or the task.
        effort: torque limits [N m or N]: one number, (n,), or (2, n) least and largest; None: the
            URDF's.
        velocity: limits of the joints' speeds [rad/s or m/s], one or (n,); None: the URDF's.
        acceleration: limits of the joints' accelerations [rad/s^2 or m/s^2], one or (n,); None:
            the URDF's.
        grid: number of intervals of the path, halved where needed. Limits hold at both ends of
            each, so that the time is too long by a fraction of about 1/grid, and to 0.1 % between.
    """
    robot = dynamics.robot
    if robot.n_modes or robot.floating_base:
        raise InputError(f'minimum_time is for rigid arms on a fixed base; {robot.name!r} has '
                         + ('a floating base' if robot.floating_base else
                            f'{robot.n_modes} modes: take Dynamics(robot.rigid())'))
    joint_path: object = getattr(path, 'joint_path', path)
    if not isinstance(joint_path, JointPath):
        raise InputError('minimum_time needs one path of all joints: JointLine, JointSpline or a '
                         f'CartesianTask; got {type(joint_path).__name__}')
    efforts = _efforts(robot, effort)
    speeds = _limit(robot, robot.limits.velocity if velocity is None else velocity, 'velocity')
    accelerations = _limit(robot, robot.limits.acceleration if acceleration is None
                           else acceleration, 'acceleration')
    if not np.isfinite(efforts).all(axis=0).any() and np.isinf(accelerations).all():
        raise InputError('minimum_time needs limits of torque or of acceleration')
    x = np.linspace(0.0, 1.0, _count(grid) + 1)
    q, q1, _ = joint_path.evaluate(x)
    if q.shape != (len(x), robot.n_joints):
        raise InputError(f'the path is of {q.shape[1]} joints, {robot.name!r} has '
                         f'{robot.n_joints}: {list(robot.joint_names)}')
    if abs(q1).max() < 1e-12:
        raise InputError('minimum_time: the path stays where it starts')
    if dynamics.friction is not None:
        x = _finer_ends(x)
    search = _Search(dynamics, joint_path, efforts, speeds, accelerations)
    about = None
    # intervals in which a limit is passed, or friction does not settle, are halved
    for left in reversed(range(MOST_REFINEMENTS)):
        timed, unsettled = search.fastest(x, about)
        beyond = search.beyond(timed)
        if beyond.max() <= SLACK and not (left and unsettled.any()):
            return timed
        split = 0.5 * (x[:-1] + x[1:])[unsettled | (beyond > SLACK)]
        finer = np.sort(np.concatenate([x, split]))
        x, about = finer, np.interp(finer, x, timed.speed**2)
    raise KaneDynamicsError(
        f'minimum_time: a limit is passed by {beyond.max():.2%} between grid points at '
        f'{timed.x[np.argmax(beyond)]:.1%} of the path, however fine the grid is there; is the '
        'path smooth?')


class _Search:
    """The motions along one path under one set of limits."""

    def __init__(self, dynamics: Dynamics, path: JointPath, effort: FloatArray,
                 speeds: FloatArray, accelerations: FloatArray) -> None:
        self._dynamics, self._path, self._effort = dynamics, path, effort
        self._speeds, self._accelerations = speeds, accelerations
        self._friction = dynamics.friction
        self._ideal = dynamics if self._friction is None else Dynamics(
            dynamics.robot, None, dynamics.backend, dynamics.parametric)

    def fastest(self, x: FloatArray,
                about: FloatArray | None = None) -> tuple[TimedPath, BoolArray]:
        """Return the TimedPath on a grid x (N + 1,), and where (N,) the passes do not agree.

        about (N + 1,): u of a motion near it.
        """
        q, q1, q2 = self._path.evaluate(x)
        rest = np.zeros_like(q)
        c = self._ideal.inverse_many(q, rest, rest)
        a = self._ideal.inverse_many(q, rest, q1) - c
        b = self._ideal.inverse_many(q, q1, q2) - c
        with np.errstate(divide='ignore'):
            top = np.min((self._speeds / abs(q1)) ** 2, axis=1)
        last, far = math.inf, about is None
        tried: list[TimedPath] = []
        for _ in range(MOST_PASSES):
            rows = _rows(a, b, c, self._bounds(q1, about, far), q1, q2, self._accelerations)
            try:
                u, alpha = fastest(x, *rows, top)
            except BlockedError as blocked:
                if about is None or about.max() < 1e-6:
                    raise _blocked(self._dynamics.robot, x, c, self._effort,
                                   blocked.index) from None
                about = about / 4.0     # friction may allow a slower motion: linear about that
                continue
            timed = TimedPath(self._dynamics, self._path, x, u, alpha, self._effort)
            if self._friction is None or abs(timed.duration - last) < 1e-6 * last:
                return timed, np.zeros(len(alpha), dtype=bool)
            far = math.isinf(last) or abs(timed.duration - last) > NEAR * last
            # the mean speed of both: passes that oscillate converge
            about = u if about is None else 0.25 * (np.sqrt(u) + np.sqrt(about))**2
            last = timed.duration
            tried.append(timed)
        if not tried:
            raise KaneDynamicsError('minimum_time: friction leaves no motion at any speed')
        # passes that oscillate: the fastest of those that keep the limits, if there is one
        latest = tried[-4:]
        found = min((timed for timed in latest if self.beyond(timed).max() <= SLACK),
                    key=lambda timed: timed.duration, default=latest[-1])
        apart = np.ptp([timed.duration for timed in latest]) > SETTLED * found.duration
        change = np.ptp([timed.speed for timed in latest], axis=0)
        return found, apart & _ends(change > NEAR * found.speed.max()).any(axis=1)

    def _bounds(self, q1: FloatArray, about: FloatArray | None, far: bool) -> Bounds:
        """Return the Bounds on the torque of the frictionless arm, about u (N + 1,)."""
        if self._friction is None or about is None:
            shape = (len(q1) - 1, 2, q1.shape[1])
            least, most = (np.broadcast_to(limit, shape) for limit in self._effort)
            return Bounds(least, most, np.zeros(shape), np.zeros(shape))
        return bounds_left(self._friction, self._effort, _ends(q1), _ends(about), far)

    def beyond(self, timed: TimedPath) -> FloatArray:
        """Return the fraction (N,) by which each interval passes a limit, at six points of it."""
        inside = np.array([0.0, 0.125, 0.375, 0.625, 0.875, 1.0])
        h = np.diff(timed.x)[:, None]
        x = timed.x[:-1, None] + inside * h
        u = np.maximum(timed.speed[:-1, None]**2 * (1.0 - inside)
                       + timed.speed[1:, None]**2 * inside, 0.0)
        alpha = np.diff(timed.speed**2)[:, None] / (2.0 * h) + np.zeros_like(x)
        q, q1, q2 = self._path.evaluate(x.reshape(-1))
        u, alpha = u.reshape(-1, 1), alpha.reshape(-1, 1)
        qd, qdd = q1 * np.sqrt(u), q1 * alpha + q2 * u
        tau = self._dynamics.inverse_many(q, qd, qdd)
        least, most = self._effort
        size = np.maximum(abs(least), abs(most))
        with np.errstate(invalid='ignore'):
            used = [(tau - most) / size, (least - tau) / size, abs(qd) / self._speeds - 1.0,
                    abs(qdd) / self._accelerations - 1.0]
        # limits that are infinite are not passed
        worst = np.max([np.where(np.isfinite(each), each, -1.0) for each in used], axis=(0, 2))
        return worst.reshape(x.shape).max(axis=1)


def _finer_ends(x: FloatArray) -> FloatArray:
    """Return the grid with the first and the last interval cut into four, the shortest outside.

    There friction comes and goes; an interval that begins or ends at rest takes long.
    """
    parts = np.array([1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0])
    return np.concatenate([x[:1], x[0] + parts * (x[1] - x[0]), x[1:-1],
                           x[-1] - parts[::-1] * (x[-1] - x[-2]), x[-1:]])


def _ends(values: NDArray[T]) -> NDArray[T]:
    """Return values (N + 1, ...) at grid points as (N, 2, ...) at both ends of each interval."""
    return np.stack([values[:-1], values[1:]], axis=1)


def _rows(a: FloatArray, b: FloatArray, c: FloatArray, bounds: Bounds, q1: FloatArray,
          q2: FloatArray, accelerations: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return A, B, C (N, 2, m) of the limits A x'' + B x'^2 <= C at both ends of intervals."""
    a, b, c, q1, q2 = (_ends(each) for each in (a, b, c, q1, q2))
    A = [a, -a]
    B = [b - bounds.most_slope, bounds.least_slope - b]
    C = [bounds.most - c, c - bounds.least]
    bounded = np.isfinite(accelerations)
    if bounded.any():
        A += [q1[..., bounded], -q1[..., bounded]]
        B += [q2[..., bounded], -q2[..., bounded]]
        C += [np.broadcast_to(accelerations[bounded], A[-1].shape)] * 2
    limits = np.concatenate(C, axis=-1)
    kept = np.isfinite(limits).all(axis=(0, 1))
    return (np.concatenate(A, axis=-1)[..., kept], np.concatenate(B, axis=-1)[..., kept],
            limits[..., kept])


def _blocked(robot: Robot, x: FloatArray, c: FloatArray, effort: FloatArray,
             index: int) -> KaneDynamicsError:
    """Return the error for a grid point where the limits allow no motion."""
    least, most = effort
    excess = np.maximum(c - most, least - c)[index]
    j = int(np.argmax(excess))
    text = f'minimum_time: the arm is blocked at {x[index]:.1%} of the path'
    if excess[j] > 0.0:
        text += (f': joint {robot.joint_names[j]!r} needs {c[index, j]:.4g} to hold the arm there,'
                 f' its limits are {least[j]:.4g} and {most[j]:.4g}')
    else:
        text += ': what gravity and friction leave of the torques does not keep the arm on it'
    return KaneDynamicsError(text)


def _efforts(robot: Robot, effort: ArrayLike | None) -> FloatArray:
    if effort is None:
        effort = robot.limits.effort
    effort = np.asarray(effort, dtype=float)
    n = robot.n_joints
    if effort.shape in ((), (n,)):
        effort = np.stack([np.broadcast_to(-effort, (n,)), np.broadcast_to(effort, (n,))])
    if effort.shape != (2, n) or np.isnan(effort).any() or not (effort[0] < effort[1]).all():
        raise InputError(f'effort must be positive, one number or {n}, or (2, {n}) with the least '
                         f'below the largest; got {effort.tolist()}')
    return effort


def _limit(robot: Robot, value: ArrayLike, what: str) -> FloatArray:
    value = np.asarray(value, dtype=float)
    if value.shape not in ((), (robot.n_joints,)) or not (value > 0.0).all():
        raise InputError(f'{what} must be positive, one number or {robot.n_joints}; got '
                         f'{value.tolist()}')
    return np.broadcast_to(value, (robot.n_joints,))


def _count(grid: int) -> int:
    if not 2 <= grid <= 1_000_000 or grid != int(grid):
        raise InputError(f'grid must be a whole number of intervals, 2 or more; got {grid}')
    return int(grid)
