# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations as files write them: roll-pitch-yaw and quaternions, to and from matrices."""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.exceptions import ModelError


def cos_sin(angle):
    """
    Return cosine and sine of an angle [rad], exact zero where the angle is a quarter turn.

    cos(pi/2) is 6e-17 and sin(2 pi) -2.4e-16 only because pi is rounded; zero was meant.
    """
    c, s = math.cos(angle), math.sin(angle)
    return (0.0 if abs(c) < 4e-16 else c), (0.0 if abs(s) < 4e-16 else s)


def from_rpy(rpy):
    """Return R = Rz(yaw) Ry(pitch) Rx(roll), (3, 3), of URDF's fixed-axis angles [rad]."""
    (cr, sr), (cp, sp), (cy, sy) = (cos_sin(angle) for angle in rpy)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr]]) + 0.0  # + 0.0 turns -0.0 into 0.0


def to_rpy(R):
    """
    Return (roll, pitch, yaw) [rad] of a rotation, as exact beside pitch = pi/2 as elsewhere.

    Yaw is taken off first; roll then comes from the rest, so the two fit together even where
    each alone is arbitrary.
    """
    yaw = math.atan2(R[1, 0], R[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll + 0.0, pitch + 0.0, yaw + 0.0  # no -0.0


def from_quaternion(xyzw):
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
