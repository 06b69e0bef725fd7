# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Coordinates q and their rates: sums for joints and modes, a rotation for a floating base."""

from __future__ import annotations

import math
from typing import TypeAlias

from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import FloatArray

QUATERNION = slice(3, 7)    # x y z w, behind the position of a floating base

Vector: TypeAlias = 'tuple[float, float, float]'
Quaternion: TypeAlias = 'tuple[float, float, float, float]'


class Coordinates:
    """Integrate q (nq,) from speeds qd (nv,): joints and modes add, a quaternion rotates."""

    def __init__(self, robot: Robot) -> None:
        self.nq, self.nv = robot.nq, robot.nv
        self.floating = robot.floating_base

    def rate(self, q: FloatArray, qd: FloatArray, out: FloatArray) -> None:
        """Fill out (nq,) with dq/dt: p' = R v and quaternion' = quaternion * w / 2."""
        if not self.floating:
            out[:] = qd
            return
        x, y, z, w = q[QUATERNION].tolist()
        vx, vy, vz, wx, wy, wz = qd[:6].tolist()
        out[:3] = rotated(x, y, z, w, vx, vy, vz)
        out[QUATERNION] = (0.5 * (w * wx - z * wy + y * wz), 0.5 * (z * wx + w * wy - x * wz),
                           0.5 * (-y * wx + x * wy + w * wz), -0.5 * (x * wx + y * wy + z * wz))
        out[7:] = qd[6:]

    def normalize(self, q: FloatArray) -> None:
        """Scale the quaternion in q to length one, in place."""
        if self.floating:
            x, y, z, w = q[QUATERNION].tolist()
            length = math.sqrt(x * x + y * y + z * z + w * w)
            q[QUATERNION] /= length

    def displace(self, q: FloatArray, qd: FloatArray, h: float, out: FloatArray) -> None:
        """Fill out (nq,) with q after a time h [s] at constant speeds.

        The base rotates by the exponential of w h; its velocity, which rotates with it, is taken
        at half the rotation: exact to second order and reversible in time.
        """
        if not self.floating:
            out[:] = q
            out += h * qd
            return
        x, y, z, w = q[QUATERNION].tolist()
        vx, vy, vz, wx, wy, wz = qd[:6].tolist()
        half = _product((x, y, z, w), _rotation(wx, wy, wz, 0.5 * h))
        step = rotated(*half, vx, vy, vz)
        for k in range(3):
            out[k] = q[k] + h * step[k]
        out[QUATERNION] = _product(half, _rotation(wx, wy, wz, 0.5 * h))
        out[7:] = q[7:]
        out[7:] += h * qd[6:]


def rotated(x: float, y: float, z: float, w: float, vx: float, vy: float, vz: float) -> Vector:
    """Return R v for a unit quaternion: v + 2 w (r x v) + 2 r x (r x v), r = (x, y, z)."""
    cx, cy, cz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
    return (vx + w * cx + y * cz - z * cy, vy + w * cy + z * cx - x * cz,
            vz + w * cz + x * cy - y * cx)


def _rotation(wx: float, wy: float, wz: float, h: float) -> Quaternion:
    """Return the quaternion of a rotation at the angular velocity w over the time h."""
    angle = 0.5 * h * math.sqrt(wx * wx + wy * wy + wz * wz)
    # sin(angle) / angle, by its series where the quotient would lose digits
    quotient = math.sin(angle) / angle if angle > 1e-4 else 1.0 - angle * angle / 6.0
    scale = 0.5 * h * quotient
    return wx * scale, wy * scale, wz * scale, math.cos(angle)


def _product(a: Quaternion, b: Quaternion) -> Quaternion:
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)
