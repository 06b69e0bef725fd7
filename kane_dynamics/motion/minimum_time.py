# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The shortest time on a given path within torque, speed and acceleration limits.

Along q(x) the equations of motion are linear in x'' and x'^2 (Bobrow, Dubowsky and Gibson 1985)
  tau = a x'' + b x'^2 + c,   a = M q',  b = M q'' + h(q, q') - g,  c = g,
so that limits of torque, joint speed and acceleration are linear too. Friction, which is not, is
linearized about the motion found before and the motion found again until both agree.
"""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.motion.reachability import BlockedError, fastest
from kane_dynamics.motion.task import Task

MOST_PASSES = 30            # through friction
CREEP = 0.02                # [rad/s or m/s] speed at which friction of a joint at rest is taken


class TimedPath(Task):
    """A joint path run as fast as limits allow: a task like others.

    x (N + 1,): grid of shares; speed (N + 1,): x' [1/s] there; times (N + 1,) [s]; x'' is constant
    between. effort (2, n): the torque limits, least and largest [N m or N].
    """

    def __init__(self, dynamics, path, x, u, alpha, effort):
        self.robot, self._dynamics, self.path = dynamics.robot, dynamics, path
        self.x, self.speed, self._alpha, self.effort = x, np.sqrt(u), alpha, effort
        steps = 2.0 * np.diff(x) / (self.speed[:-1] + self.speed[1:])
        self.times = np.concatenate([[0.0], np.cumsum(steps)])
        self.duration = float(self.times[-1])
        self._frame = self.robot.tip()

    def share(self, ts):
        """Return x, x', x'' (M,) at times ts (M,) [s]."""
        ts = np.clip(np.asarray(ts, dtype=float), 0.0, self.duration)
        k = np.clip(np.searchsorted(self.times, ts, side='right') - 1, 0, len(self._alpha) - 1)
        since, speed, alpha = ts - self.times[k], self.speed[k], self._alpha[k]
        x = np.minimum(self.x[k] + since * (speed + 0.5 * alpha * since), 1.0)
        over = ts >= self.duration                          # at rest, as behind every law's end
        return (np.where(over, 1.0, x), np.where(over, 0.0, np.maximum(speed + alpha * since, 0)),
                np.where(over, 0.0, alpha))

    def sample_many(self, ts):
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s] since the start."""
        x, xd, xdd = self.share(ts)
        q, q1, q2 = self.path.evaluate(x)
        return q, q1 * xd[:, None], q1 * xdd[:, None] + q2 * (xd * xd)[:, None]

    def torques(self, ts):
        """Return tau (M, n) [N m or N] at times ts (M,) [s]."""
        return self._dynamics.inverse_many(*self.sample_many(ts))

    def places(self, q):
        """Return the origin of the arm's last link, (M, 3) [m]."""
        return self._dynamics.frame_pose_many(self._frame, q)[1]


def minimum_time(dynamics, path, *, effort=None, velocity=None, acceleration=math.inf, grid=1000):
    """Return the TimedPath that runs a path from rest to rest in the shortest time.

    Args:
        dynamics: of the arm, rigid; its friction counts.
        path: joint path: JointLine, JointSpline, the joint_path of a CartesianTask or the task.
        effort: torque limits [N m or N]: one number, (n,), or (2, n) least and largest; None: the
            URDF's.
        velocity: limits of the joints' speeds [rad/s or m/s], one or (n,); None: the URDF's.
        acceleration: limits of the joints' accelerations [rad/s^2 or m/s^2], one or (n,).
        grid: number of intervals of the path. Limits are kept at both ends of each, so that the
            time is too long by a share of about 1/grid.
    """
    robot = dynamics.robot
    if robot.n_modes or robot.floating_base:
        raise InputError(f'minimum_time is for rigid arms on a fixed base; {robot.name!r} has '
                         + ('a floating base' if robot.floating_base else
                            f'{robot.n_modes} modes: take Dynamics(robot.rigid())'))
    path = getattr(path, 'joint_path', path)
    if not hasattr(path, 'evaluate'):
        raise InputError('minimum_time needs one path of all joints: JointLine, JointSpline or a '
                         f'CartesianTask; got {type(path).__name__}')
    effort = _efforts(robot, effort)
    speeds = _limit(robot, robot.limits.velocity if velocity is None else velocity, 'velocity')
    accelerations = _limit(robot, acceleration, 'acceleration')
    if not np.isfinite(effort).all(axis=0).any() and np.isinf(accelerations).all():
        raise InputError('minimum_time needs limits of torque or of acceleration')
    x = np.linspace(0.0, 1.0, _count(grid) + 1)
    q, q1, q2 = path.evaluate(x)
    if q.shape != (len(x), robot.n_joints):
        raise InputError(f'the path is of {q.shape[1]} joints, {robot.name!r} has '
                         f'{robot.n_joints}: {list(robot.joint_names)}')
    if abs(q1).max() < 1e-12:
        raise InputError('minimum_time: the path stays where it starts')
    ideal = dynamics if dynamics.friction is None else Dynamics(
        robot, None, dynamics.backend, dynamics.parametric)
    rest = np.zeros_like(q)
    c = ideal.inverse_many(q, rest, rest)
    a, b = ideal.inverse_many(q, rest, q1) - c, ideal.inverse_many(q, q1, q2) - c
    with np.errstate(divide='ignore'):
        top = np.min((speeds / abs(q1)) ** 2, axis=1)
    friction, slope, last, about = 0.0, 0.0, math.inf, None
    for _ in range(MOST_PASSES):
        rows = _rows(a, b + slope, c + friction, effort, q1, q2, accelerations)
        try:
            u, alpha = fastest(x, *rows, top)
        except BlockedError as blocked:
            if about is None or about.max() < 1e-6:
                raise _blocked(robot, x, c, effort, blocked.index) from None
            about /= 4.0            # friction may allow a slower motion: linear about that
        else:
            timed = TimedPath(dynamics, path, x, u, alpha, effort)
            if dynamics.friction is None or abs(timed.duration - last) < 1e-6 * last:
                return timed
            last, about = timed.duration, u.copy()
        friction, slope = _friction(dynamics, ideal, q, q1, q2, about, alpha)
    raise KaneDynamicsError(f'minimum_time: friction leaves no settled motion; the last pass took '
                            f'{last:g} s')


def _rows(a, b, c, effort, q1, q2, accelerations):
    """Return A, B, C (N + 1, m) of the limits A x'' + B x'^2 <= C."""
    least, most = effort
    A, B = [a, -a], [b, -b]
    C = [most - c, c - least]
    bounded = np.isfinite(accelerations)
    if bounded.any():
        A += [q1[:, bounded], -q1[:, bounded]]
        B += [q2[:, bounded], -q2[:, bounded]]
        C += [np.tile(accelerations[bounded], (len(a), 1))] * 2
    A, B, C = (np.concatenate(each, axis=1) for each in (A, B, C))
    kept = np.isfinite(C).all(axis=0)
    return A[:, kept], B[:, kept], C[:, kept]


def _friction(dynamics, ideal, q, q1, q2, u, alpha):
    """Return friction (N + 1, n) = friction + slope u, linear about the motion found last."""
    alpha = np.append(alpha, alpha[-1])[:, None]
    # at rest friction is that of the motion about to begin, not the zero of its smooth sign
    creep = (CREEP / np.maximum(abs(q1).max(axis=1), 1e-300)) ** 2
    moving = u > creep

    def torque(u):
        speed, qdd = np.sqrt(u)[:, None] * q1, q1 * alpha + q2 * u[:, None]
        return dynamics.inverse_many(q, speed, qdd) - ideal.inverse_many(q, speed, qdd)
    u = np.where(moving, u, creep)
    value = torque(u)
    slope = np.where(moving[:, None], (torque(1.1 * u) - value) / (0.1 * u)[:, None], 0.0)
    return value - slope * u[:, None], slope


def _blocked(robot, x, c, effort, index):
    """Return the error for a place where the limits leave no way on."""
    least, most = effort
    excess = np.maximum(c - most, least - c)[index]
    j = int(np.argmax(excess))
    text = f'minimum_time: no way on at {x[index]:.1%} of the path'
    if excess[j] > 0.0:
        text += (f': joint {robot.joint_names[j]!r} needs {c[index, j]:.4g} to hold the arm there,'
                 f' its limits are {least[j]:.4g} and {most[j]:.4g}')
    else:
        text += ': what gravity and friction leave of the torques does not keep the arm on it'
    return KaneDynamicsError(text)


def _efforts(robot, effort):
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


def _limit(robot, value, what):
    value = np.asarray(value, dtype=float)
    if value.shape not in ((), (robot.n_joints,)) or not (value > 0.0).all():
        raise InputError(f'{what} must be positive, one number or {robot.n_joints}; got '
                         f'{value.tolist()}')
    return np.broadcast_to(value, (robot.n_joints,))


def _count(grid):
    if not 2 <= grid <= 1_000_000 or grid != int(grid):
        raise InputError(f'grid must be a whole number of intervals, 2 or more; got {grid}')
    return int(grid)
