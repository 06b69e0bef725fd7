# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations: roll-pitch-yaw, quaternions, matrices and rotation vectors, one or many at once."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsError, ModelError
from kane_dynamics.numerics import validation
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

ROUND_OFF = 4e-16   # sines and cosines below it are zero: pi itself is rounded


def cos_sin(angle: float) -> tuple[float, float]:
    """
    Return cosine and sine of an angle [rad], exact zero where the angle is a quarter turn.

    cos(pi/2) is 6e-17 and sin(2 pi) -2.4e-16 only because pi is rounded; zero was meant.
    """
    c, s = math.cos(angle), math.sin(angle)
    return (0.0 if abs(c) < ROUND_OFF else c), (0.0 if abs(s) < ROUND_OFF else s)


def from_rpy(rpy: Sequence[float] | FloatArray) -> FloatArray:
    """Return R = Rz(yaw) Ry(pitch) Rx(roll), (3, 3), of URDF's fixed-axis angles [rad]."""
    (cr, sr), (cp, sp), (cy, sy) = (cos_sin(angle) for angle in rpy)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr]]) + 0.0  # + 0.0 turns -0.0 into 0.0


def to_rpy(R: FloatArray) -> tuple[float, float, float]:
    """
    Return (roll, pitch, yaw) [rad] of a rotation, as exact near pitch = pi/2 as elsewhere.

    Yaw is taken off first; roll then comes from the rest, so the two fit together even where
    each alone is arbitrary.
    """
    yaw = math.atan2(R[1, 0], R[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll + 0.0, pitch + 0.0, yaw + 0.0  # no -0.0


def from_quaternion(xyzw: Sequence[float] | FloatArray) -> FloatArray:
    """Return R (3, 3) of a quaternion (x, y, z, w) of any length but zero."""
    x, y, z, w = xyzw
    n = x * x + y * y + z * z + w * w
    if not 1e-12 < n < 1e12:
        raise ModelError(f'quaternion: expected length one, got {math.sqrt(n):g}')
    s = 2.0 / n
    return np.array([
        [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
        [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
        [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)]])


def as_rotation(value: ArrayLike, what: str = 'orientation') -> FloatArray:
    """Return R (3, 3) of a matrix, a quaternion (x, y, z, w) or roll-pitch-yaw angles [rad]."""
    try:
        given = np.array(value, dtype=float)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape not in ((3, 3), (4,), (3,)) or not np.isfinite(given).all():
        raise InputError(f'{what} must be a rotation matrix (3, 3), a quaternion (x, y, z, w) or '
                         f'roll, pitch, yaw [rad]; got {given.tolist()}')
    if given.shape == (3, 3):
        if abs(given @ given.T - np.eye(3)).max() > 1e-6 or np.linalg.det(given) < 0.0:
            raise InputError(f'{what}: the matrix {given.tolist()} is not a rotation')
        return given
    if given.shape == (3,):
        return from_rpy(given)
    try:
        return from_quaternion(given)
    except KaneDynamicsError as error:
        raise InputError(f'{what}: {error}') from None


def unit(value: ArrayLike, what: str) -> FloatArray:
    """Return a vector (3,) as a unit vector, or raise an InputError."""
    return validation.unit(value, what, InputError)


def turned(axis: FloatArray, angle: FloatArray) -> FloatArray:
    """Return rotations (M, 3, 3) by angles (M,) [rad] about one unit axis (3,): Rodrigues."""
    K = np.cross(np.eye(3), axis)
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + s * K + (1.0 - c) * (K @ K)


def rotation_vectors(R: FloatArray) -> FloatArray:
    """Return axis times angle (M, 3) [rad] of rotations (M, 3, 3), angles up to pi.

    Computed from the quaternion's largest component (Shepperd 1978), which keeps all digits at
    any angle; the trace or the skew part alone lose them near pi.
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


def _vectors(quaternions: FloatArray) -> FloatArray:
    """Return the rotation vectors (M, 3) of quaternions (M, 4) of any length and sign."""
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    quaternions *= np.where(quaternions[:, 3:] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(quaternions[:, :3], axis=1)
    angle = 2.0 * np.arctan2(sine, quaternions[:, 3])
    # angle / sine tends to 2 where both vanish
    ratio = np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 2.0)
    return quaternions[:, :3] * ratio[:, None]


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the cross products of rows (M, 3); np.cross is slow on few of them."""
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=1)


def skew(a: FloatArray) -> FloatArray:
    """Return the matrix (3, 3) of the cross product with a vector; np.cross is slow on one."""
    x, y, z = a.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def skews(a: FloatArray) -> FloatArray:
    """Return the matrices (M, 3, 3) of the cross product with rows a (M, 3)."""
    S = np.zeros((len(a), 3, 3))
    S[:, 2, 1], S[:, 0, 2], S[:, 1, 0] = a.T
    S[:, 1, 2], S[:, 2, 0], S[:, 0, 1] = -a.T
    return S


def normals(u: FloatArray) -> FloatArray:
    """Return two unit rows (M, 2, 3) normal to unit rows u (M, 3), right-handed with them."""
    helper = np.eye(3)[np.argmin(abs(u), axis=1)]
    first = cross(u, helper)
    first /= np.linalg.norm(first, axis=1)[:, None]
    return np.stack([first, cross(u, first)], axis=1)


def normals_to(axis: FloatArray) -> FloatArray:
    """Return two unit rows (2, 3) normal to a unit axis (3,), right-handed with it."""
    found: FloatArray = normals(axis[None])[0]
    return found


def between(first: FloatArray, last: FloatArray) -> tuple[FloatArray, float]:
    """Return the unit axis (3,) and the angle [rad] that turn the rotation first into last."""
    vector = rotation_vectors((last @ first.T)[None])[0]
    angle = float(np.linalg.norm(vector))
    return (vector / angle if angle > 1e-12 else np.array([0.0, 0.0, 1.0])), angle


def carrying(first: FloatArray, last: FloatArray) -> FloatArray:
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
