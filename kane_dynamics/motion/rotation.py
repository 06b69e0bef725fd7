# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations of many samples at once: matrices, rotation vectors, and what people write."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.model.rotations import from_quaternion, from_rpy


def as_rotation(value, what='orientation'):
    """Return R (3, 3) of a matrix, a quaternion (x, y, z, w) or roll-pitch-yaw angles [rad]."""
    try:
        value = np.array(value, dtype=float)
    except (TypeError, ValueError):
        value = np.empty(0)
    if value.shape not in ((3, 3), (4,), (3,)) or not np.isfinite(value).all():
        raise InputError(f'{what} must be a rotation matrix (3, 3), a quaternion (x, y, z, w) or '
                         f'roll, pitch, yaw [rad]; got {value.tolist()}')
    if value.shape == (3, 3):
        if abs(value @ value.T - np.eye(3)).max() > 1e-6 or np.linalg.det(value) < 0.0:
            raise InputError(f'{what}: the matrix {value.tolist()} is no rotation')
        return value
    if value.shape == (3,):
        return from_rpy(value)
    try:
        return from_quaternion(value)
    except KaneDynamicsError as error:
        raise InputError(f'{what}: {error}') from None


def unit(value, what):
    """Return a vector (3,) as a unit vector, or raise."""
    try:
        value = np.array(value, dtype=float)
    except (TypeError, ValueError):
        value = np.empty(0)
    length = np.linalg.norm(value)
    if value.shape != (3,) or not np.isfinite(length) or length < 1e-9:
        raise InputError(f'{what} must be three numbers, not all zero; got {value.tolist()}')
    return value / length


def turned(axis, angle):
    """Return rotations (M, 3, 3) by angles (M,) [rad] about one unit axis (3,): Rodrigues."""
    K = np.cross(np.eye(3), axis)
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + s * K + (1.0 - c) * (K @ K)


def rotation_vectors(R):
    """Return axis times angle (M, 3) [rad] of rotations (M, 3, 3), angles up to pi.

    By way of the quaternion's largest component (Shepperd 1978), which keeps all digits at any
    angle; the trace or the skew part alone lose them beside pi.
    """
    trace = R[:, 0, 0] + R[:, 1, 1] + R[:, 2, 2]
    if (trace > 0.0).all():                             # no angle beyond 120 deg: the usual case
        return _vectors(np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0],
                                  R[:, 1, 0] - R[:, 0, 1], 1.0 + trace], axis=1))
    squares = np.column_stack([R[:, 0, 0], R[:, 1, 1], R[:, 2, 2], trace])
    largest = np.argmax(squares, axis=1)
    quaternions = np.empty((len(R), 4))
    for k in range(4):
        m = largest == k
        if k == 3:
            quaternions[m] = np.column_stack([
                R[m, 2, 1] - R[m, 1, 2], R[m, 0, 2] - R[m, 2, 0], R[m, 1, 0] - R[m, 0, 1],
                1.0 + trace[m]])
        else:
            i, j, l = k, (k + 1) % 3, (k + 2) % 3  # noqa: E741  indices of the three axes
            part = np.empty((np.count_nonzero(m), 4))
            part[:, i] = 1.0 + R[m, i, i] - R[m, j, j] - R[m, l, l]
            part[:, j] = R[m, i, j] + R[m, j, i]
            part[:, l] = R[m, i, l] + R[m, l, i]
            part[:, 3] = R[m, l, j] - R[m, j, l]
            quaternions[m] = part
    return _vectors(quaternions)


def _vectors(quaternions):
    """Return the rotation vectors (M, 3) of quaternions (M, 4) of any length and sign."""
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    quaternions *= np.where(quaternions[:, 3:] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(quaternions[:, :3], axis=1)
    angle = 2.0 * np.arctan2(sine, quaternions[:, 3])
    # angle / sine tends to 2 where both vanish
    ratio = np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 2.0)
    return quaternions[:, :3] * ratio[:, None]


def cross(a, b):
    """Return the cross products of rows (M, 3); np.cross is slow on few of them."""
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=1)


def skews(a):
    """Return the matrices (M, 3, 3) of the cross product with rows a (M, 3)."""
    S = np.zeros((len(a), 3, 3))
    S[:, 2, 1], S[:, 0, 2], S[:, 1, 0] = a.T
    S[:, 1, 2], S[:, 2, 0], S[:, 0, 1] = -a.T
    return S


def between(first, last):
    """Return the unit axis (3,) and the angle [rad] that turn the rotation first into last."""
    vector = rotation_vectors((last @ first.T)[None])[0]
    angle = float(np.linalg.norm(vector))
    return (vector / angle if angle > 1e-12 else np.array([0.0, 0.0, 1.0])), angle


def carrying(first, last):
    """Return the smallest rotation (3, 3) that carries a unit vector into another."""
    axis = np.cross(first, last)
    sine = np.linalg.norm(axis)
    if sine < 1e-12:
        if first @ last > 0.0:
            return np.eye(3)
        axis = np.cross(first, np.eye(3)[np.argmin(abs(first))])   # any axis normal to both
        sine = np.linalg.norm(axis)
    angle = np.arctan2(np.linalg.norm(np.cross(first, last)), first @ last)
    return turned(axis / sine, np.array([angle]))[0]
