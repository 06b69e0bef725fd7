# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Task equations: constraints on q(x) along a path, of order zero, one and two.

With X the position, the orientation and the joints that a task prescribes, and A their
acceleration at qdd = 0 (Vukobratovic and Potkonjak 1982, 3.1.6; with x in place of time),
  X' = J q',   X'' = J q'' + A(q, q').
Each block of rows below is one of their adjustment blocks (3.4): position, direction (B1),
orientation (C1, C2), joints (A1, C3). All arrays are of M samples at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.polynomials import Derivatives
from kane_dynamics.numerics.rotations import cross, normals, rotation_vectors, skews
from kane_dynamics.numerics.validation import vector
from kane_dynamics.task.direction import Direction
from kane_dynamics.task.orientation import Orientation
from kane_dynamics.task.path import Path

Block: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, FloatArray]  # J, error, X', X'' - A


class Rows(NamedTuple):
    """Equations of M samples: J (M, m, n); the error of X, X' and X'' - A, each (M, m)."""

    J: FloatArray
    error: FloatArray
    first: FloatArray
    second: FloatArray


class TaskEquations:
    """The equations of a task for one arm.

    frame: the link that carries the point (3,) [m], given in the link's axes; path: of the point;
    orientation: an `Orientation`, a `Direction` or None, of orientation_frame; joints:
    {name: (first, last)} of joints with a prescribed change of their own [rad or m].
    """

    def __init__(self, dynamics: Dynamics, frame: str, path: Path,
                 orientation: Orientation | Direction | None = None,
                 point: ArrayLike = (0.0, 0.0, 0.0), orientation_frame: str | None = None,
                 joints: Mapping[str, ArrayLike] | None = None) -> None:
        robot = dynamics.robot
        if robot.floating_base:
            raise InputError(f'{robot.name!r} has a floating base; tasks are for arms whose base '
                             'is fixed or moves as prescribed')
        # the motion of the joints is planned for the undeformed arm
        self.dynamics = dynamics if not robot.n_modes else Dynamics(
            robot.rigid(), backend=dynamics.backend)
        self.robot = robot = self.dynamics.robot
        self.frame, self.path, self.orientation = frame, path, orientation
        self.orientation_frame = frame if orientation_frame is None else orientation_frame
        for each in (self.frame, self.orientation_frame):
            robot.link(each)                                # raises with the known names
        self.point = vector(point, 'point')
        self.joints = {robot.joint_index(name): _ends(name, ends)
                       for name, ends in (joints or {}).items()}
        self.count = 3 + len(self.joints)
        if orientation is not None:
            self.count += orientation.equations
        self._scale()

    def _scale(self) -> None:
        # rows in metres and columns of prismatic joints are divided by the arm's length, so that
        # singular values are dimensionless
        chain = {joint.name for frame in (self.frame, self.orientation_frame)
                 for joint in self.robot.chain(frame)}
        length = sum(float(np.linalg.norm(joint.position)) for joint in self.robot.joints
                     if joint.name in chain) + float(np.linalg.norm(self.point))
        self.length = max(length, 1e-3)
        prismatic = [joint.kind == 'prismatic' for joint in self.robot.independent_joints]
        self.columns = np.where(prismatic, self.length, 1.0)
        self.rows = np.ones(self.count)
        self.rows[:3] = self.length
        self.rows[self.count - len(self.joints):] = self.columns[list(self.joints)]
        moving = {joint.name if joint.mimic is None else joint.mimic.joint
                  for joint in self.robot.moving_joints if joint.name in chain}
        self.moving = [name for name in self.robot.joint_names if name in moving]

    def scaled(self, J: FloatArray) -> FloatArray:
        """Return the dimensionless J (M, m, n)."""
        return J * self.columns / self.rows[:, None]

    def evaluate(self, x: FloatArray, q: FloatArray, q1: FloatArray | None = None,
                 rate: tuple[float, float] = (1.0, 0.0)) -> Rows:
        """Return Rows at fractions x (M,) and configurations q (M, n).

        q1 (M, n) = q', needed for A; without it `second` is X''. rate: dx/dt and d2x/dt2, for
        derivatives with respect to time instead of x.
        """
        R, p, J6, A6 = self._frame(self.frame, q, q1)
        r = R @ self.point
        wanted = _timed(self.path.evaluate(x), rate)
        J = [J6[:, :3] - skews(r) @ J6[:, 3:] if self.point.any() else J6[:, :3]]
        error, first, second = [wanted[0] - p - r], [wanted[1]], [wanted[2]]
        if q1 is not None and A6 is not None:
            w = (J6[:, 3:] @ q1[:, :, None])[:, :, 0]
            second[0] = wanted[2] - A6[:, :3] - cross(A6[:, 3:], r) - cross(w, cross(w, r))
        blocks = []
        if self.orientation is not None:
            if self.orientation_frame != self.frame:
                R, p, J6, A6 = self._frame(self.orientation_frame, q, q1)
            wanted = _timed(self.orientation.evaluate(x), rate)
            angular = None if A6 is None else A6[:, 3:]
            if isinstance(self.orientation, Direction):
                blocks.append(_direction(wanted, R @ self.orientation.axis, J6[:, 3:], angular,
                                         q1))
            else:
                blocks.append(_rotation(wanted, R, J6[:, 3:], angular))
        if self.joints:
            blocks.append(self._prescribed(x, q, rate))
        for block in blocks:
            for rows, more in zip((J, error, first, second), block):
                rows.append(more)
        return Rows(np.concatenate(J, axis=1), np.concatenate(error, axis=1),
                    np.concatenate(first, axis=1), np.concatenate(second, axis=1))

    def point_positions(self, q: FloatArray) -> FloatArray:
        """Return the position (M, 3) [m] of the task's point."""
        R, p = self.dynamics.frame_pose_many(self.frame, q)
        return p + R @ self.point

    def _frame(self, frame: str, q: FloatArray, q1: FloatArray | None) -> tuple[
            FloatArray, FloatArray, FloatArray, FloatArray | None]:
        R, p = self.dynamics.frame_pose_many(frame, q)
        J = self.dynamics.frame_jacobian_many(frame, q)
        A = None if q1 is None else self.dynamics.frame_acceleration_many(
            frame, q, q1, np.zeros_like(q1))
        return R, p, J, A

    def _prescribed(self, x: FloatArray, q: FloatArray, rate: tuple[float, float]) -> Block:
        k = list(self.joints)
        ends = np.array([self.joints[each] for each in k])
        along = np.tile(ends[:, 1] - ends[:, 0], (len(x), 1))
        wanted = _timed((ends[:, 0] + x[:, None] * along, along, 0.0 * along), rate)
        J = np.tile(np.eye(q.shape[1])[k], (len(x), 1, 1))
        return J, wanted[0] - q[:, k], wanted[1], wanted[2]


def _rotation(wanted: Derivatives, R: FloatArray, J: FloatArray, A: FloatArray | None) -> Block:
    # w = W: J q'' = W' - A
    target, W, W1 = wanted
    error = rotation_vectors(target @ R.transpose(0, 2, 1))
    return J, error, W, W1 if A is None else W1 - A


def _direction(wanted: Derivatives, h: FloatArray, J: FloatArray, A: FloatArray | None,
               q1: FloatArray | None) -> Block:
    # The axis h of the frame shall be u: h' = w x h = u', h'' = alpha x h + w x (w x h) = u''.
    # Crossed with h and projected on two directions normal to u (fixed rows, as in 3.4.40, fail
    # where h is horizontal):  B w = B (u x u'),  B alpha = B (u x u'' - (w . h) h x w).
    u, u1, u2 = wanted
    B = normals(u)
    axis = cross(h, u)
    sine = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, np.sum(h * u, axis=1))
    error = axis * np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 1.0)[:, None]
    second = cross(u, u2)
    if A is not None and q1 is not None:
        w = (J @ q1[:, :, None])[:, :, 0]
        second = second - np.sum(w * h, axis=1)[:, None] * cross(h, w) - A
    error, first, second = ((B @ rows[:, :, None])[:, :, 0]
                            for rows in (error, cross(u, u1), second))
    return B @ J, error, first, second


def _timed(values: Derivatives, rate: tuple[float, float]) -> Derivatives:
    """Return a quantity and its derivatives by time from those by x."""
    value, first, second = values
    return value, first * rate[0], second * rate[0] ** 2 + first * rate[1]


def _ends(name: str, value: ArrayLike) -> FloatArray:
    try:
        ends = np.array(value, dtype=float)
    except (TypeError, ValueError):
        ends = np.empty(0)
    if ends.shape != (2,) or not np.isfinite(ends).all():
        raise InputError(f'joint {name!r} must be given its first and last value; got '
                         f'{ends.tolist()}')
    return ends
