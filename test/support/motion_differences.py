# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Finite differences along motions of an arm, floating bases included."""

import numpy as np

STEP = 1e-3     # [s]: fourth order leaves about 1e-12 of the fifth derivative, round-off 1e-13


def rate_of_q(robot, q, u):
    """Return dq/dt (nq,) of generalized speeds u (nv,)."""
    if not robot.floating_base:
        return u
    x, y, z, s = q[3:7]
    wx, wy, wz = u[3:6]
    R = rotation(q[3:7])
    # q' = q (w, 0) / 2, w in the axes of the base
    turn = 0.5 * np.array([s * wx + y * wz - z * wy, s * wy + z * wx - x * wz,
                           s * wz + x * wy - y * wx, -x * wx - y * wy - z * wz])
    return np.concatenate([R @ u[:3], turn, u[6:]])


def rotation(quaternion):
    """Return R of a quaternion x y z w."""
    v, s = np.array(quaternion[:3]), quaternion[3]
    skew = np.cross(np.eye(3), v)
    return np.eye(3) + 2.0 * (s * skew + skew @ skew) / (v @ v + s * s)


def moved(robot, q, u, ud, t):
    """Return q at time t of the motion with speeds u + ud t: one step of Runge and Kutta."""
    if not robot.floating_base:
        return q + t * u + 0.5 * t * t * ud
    a = rate_of_q(robot, q, u)
    b = rate_of_q(robot, q + 0.5 * t * a, u + 0.5 * t * ud)
    c = rate_of_q(robot, q + 0.5 * t * b, u + 0.5 * t * ud)
    d = rate_of_q(robot, q + t * c, u + t * ud)
    q = q + t / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    q[3:7] /= np.linalg.norm(q[3:7])
    return q


def derivative(function, h=STEP):
    """Return df/dt at zero by central differences of fourth order."""
    return (8.0 * (function(h) - function(-h)) - (function(2 * h) - function(-2 * h))) / (12 * h)


def along_speeds(robot, q, function, h=STEP):
    """Return (nv, ...) derivatives of function(q) by unit displacements along each speed."""
    rest = np.zeros(robot.nv)
    return np.array([derivative(lambda t: function(moved(robot, q, unit, rest, t)), h)
                     for unit in np.eye(robot.nv)])
