# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a task asks of the joints: equations for q(x) along a path, of order zero, one and two.

With X the place, the orientation and the joints that a task prescribes, and A what accelerates
them at qdd = 0 (Vukobratovic and Potkonjak 1982, 3.1.6; x stands for time, a law comes later),
  X' = J q',   X'' = J q'' + A(q, q').
Each block of rows below is one of their adjustment blocks (3.4): place, direction (B1),
orientation (C1, C2), joints (A1, C3). All arrays are of M samples at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.dynamics.arrays import vector
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.direction import Direction
from kane_dynamics.motion.rotation import cross, rotation_vectors, skews


class Rows(NamedTuple):
    """Equations of M samples: J (M, m, n), errors (M, m), and, where asked for, X' and X'' - A."""

    J: np.ndarray
    error: np.ndarray
    first: np.ndarray | None = None
    second: np.ndarray | None = None


class TaskEquations:
    """The equations of a task for one arm.

    frame: the link that carries the point (3,) [m], told in the link's axes; path: where the point
    goes; orientation: an `Orientation`, a `Direction` or None, of orientation_frame; joints:
    {name: (first, last)} of joints that go from one value to another by themselves [rad or m].
    """

    def __init__(self, dynamics, frame, path, orientation=None, point=(0.0, 0.0, 0.0),
                 orientation_frame=None, joints=None):
        robot = dynamics.robot
        if robot.floating_base:
            raise InputError(f'{robot.name!r} has a floating base; tasks are for arms whose base '
                             'stands still or moves as prescribed')
        # where a flexible arm would be if it did not bend: the joints' motion is planned with that
        self.dynamics = dynamics if not robot.n_modes else Dynamics(
            robot.rigid(), backend=dynamics.backend)
        self.robot = robot = self.dynamics.robot
        self.frame, self.path, self.orientation = frame, path, orientation
        self.orientation_frame = frame if orientation_frame is None else orientation_frame
        for each in (self.frame, self.orientation_frame):
            robot.link(each)                                # raises with the names there are
        self.point = vector(point, 'point')
        self.joints = {robot.joint_index(name): _ends(name, ends)
                       for name, ends in (joints or {}).items()}
        self.count = 3 + getattr(orientation, 'equations', 0) + len(self.joints)
        self._scale()

    def _scale(self):
        # rows in metres and columns of sliding joints are measured by the arm's length, so that
        # singular values are pure numbers
        chain = _chain(self.robot, self.frame) | _chain(self.robot, self.orientation_frame)
        length = sum(float(np.linalg.norm(joint.position)) for joint in self.robot.joints
                     if joint.name in chain) + float(np.linalg.norm(self.point))
        self.length = max(length, 1e-3)
        slides = np.array([joint.kind == 'prismatic' for joint in self.robot.independent_joints])
        self.columns = np.where(slides, self.length, 1.0)
        self.rows = np.ones(self.count)
        self.rows[:3] = self.length
        self.rows[self.count - len(self.joints):] = self.columns[list(self.joints)]
        moving = {joint.name if joint.mimic is None else joint.mimic.joint
                  for joint in self.robot.moving_joints if joint.name in chain}
        self.moving = [name for name in self.robot.joint_names if name in moving]

    def scaled(self, J):
        """Return J (M, m, n) without units."""
        return J * self.columns / self.rows[:, None]

    def evaluate(self, x, q, order=0, q1=None, rate=(1.0, 0.0)):
        """Return Rows at shares x (M,) and postures q (M, n).

        order 1 adds X'; order 2 adds X'' - A, which needs q1 (M, n) = q'. rate: x', x'' by time,
        where rates by time and not by the share are wanted.
        """
        R, p, J6, A6 = self._frame(self.frame, q, q1, order)
        r = R @ self.point
        wanted = _timed(self.path.evaluate(x), rate)
        J = [J6[:, :3] - skews(r) @ J6[:, 3:] if self.point.any() else J6[:, :3]]
        error, first, second = [wanted[0] - p - r], [wanted[1]], [wanted[2]]
        if order == 2:
            w = (J6[:, 3:] @ q1[:, :, None])[:, :, 0]
            second[0] = wanted[2] - A6[:, :3] - cross(A6[:, 3:], r) - cross(w, cross(w, r))
        blocks = []
        if self.orientation is not None:
            if self.orientation_frame != self.frame:
                R, p, J6, A6 = self._frame(self.orientation_frame, q, q1, order)
            block = self._direction if isinstance(self.orientation, Direction) else self._turning
            wanted = _timed(self.orientation.evaluate(x), rate)
            blocks.append(block(wanted, R, J6[:, 3:], A6[:, 3:] if order == 2 else None, q1))
        if self.joints:
            blocks.append(self._prescribed(x, q, rate))
        for block in blocks:
            for rows, more in zip((J, error, first, second), block):
                rows.append(more)
        return Rows(np.concatenate(J, axis=1), np.concatenate(error, axis=1),
                    np.concatenate(first, axis=1) if order else None,
                    np.concatenate(second, axis=1) if order == 2 else None)

    def place(self, q):
        """Return where the task's point is (M, 3) [m]."""
        R, p = self.dynamics.frame_pose_many(self.frame, q)
        return p + R @ self.point

    def _frame(self, frame, q, q1, order):
        R, p = self.dynamics.frame_pose_many(frame, q)
        J = self.dynamics.frame_jacobian_many(frame, q)
        A = None
        if order == 2:
            A = self.dynamics.frame_acceleration_many(frame, q, q1, np.zeros_like(q1))
        return R, p, J, A

    def _turning(self, wanted, R, J, A, q1):
        # w = W: J q'' = W' - A
        wanted, W, W1 = wanted
        error = rotation_vectors(wanted @ R.transpose(0, 2, 1))
        return J, error, W, W1 if A is None else W1 - A

    def _direction(self, wanted, R, J, A, q1):
        # The frame holds h; h = u asks for h' = w x h = u', h'' = alpha x h + w x (w x h) = u''.
        # Crossed with h and seen along two directions normal to u (fixed rows, as in 3.4.40, fail
        # where h is level):  B w = B (u x u'),  B alpha = B (u x u'' - (w . h) h x w).
        u, u1, u2 = wanted
        h = R @ self.orientation.axis
        B = _normals(u)
        axis = cross(h, u)
        sine = np.linalg.norm(axis, axis=1)
        angle = np.arctan2(sine, np.sum(h * u, axis=1))
        error = axis * np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0),
                                1.0)[:, None]
        second = cross(u, u2)
        if A is not None:
            w = (J @ q1[:, :, None])[:, :, 0]
            second = second - np.sum(w * h, axis=1)[:, None] * cross(h, w) - A
        seen = ((B @ rows[:, :, None])[:, :, 0] for rows in (error, cross(u, u1), second))
        return B @ J, *seen

    def _prescribed(self, x, q, rate):
        k = list(self.joints)
        ends = np.array([self.joints[each] for each in k])
        along = np.tile(ends[:, 1] - ends[:, 0], (len(x), 1))
        wanted = _timed((ends[:, 0] + np.asarray(x)[:, None] * along, along, 0.0 * along), rate)
        J = np.tile(np.eye(q.shape[1])[k], (len(x), 1, 1))
        return J, wanted[0] - q[:, k], wanted[1], wanted[2]


def _timed(values, rate):
    """Return a quantity and its rates by time from those by the share x."""
    value, first, second = values
    return value, first * rate[0], second * rate[0] ** 2 + first * rate[1]


def _normals(u):
    """Return two unit rows (M, 2, 3) normal to u, right-handed with it."""
    helper = np.eye(3)[np.argmin(abs(u), axis=1)]
    first = cross(u, helper)
    first /= np.linalg.norm(first, axis=1)[:, None]
    return np.stack([first, cross(u, first)], axis=1)


def _chain(robot, frame):
    """Return the names of the joints between the base and a link."""
    names, joint = set(), robot.parent_joint(frame)
    while joint is not None:
        names.add(joint.name)
        joint = robot.parent_joint(joint.parent)
    return names


def _ends(name, ends):
    try:
        ends = np.array(ends, dtype=float)
    except (TypeError, ValueError):
        ends = np.empty(0)
    if ends.shape != (2,) or not np.isfinite(ends).all():
        raise InputError(f'joint {name!r} must be given its first and last value; got '
                         f'{ends.tolist()}')
    return ends
