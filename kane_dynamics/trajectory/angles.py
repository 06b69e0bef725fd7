# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Angles of continuous joints: differences along the shorter direction of rotation."""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.numerics.array_types import ArrayLike, FloatArray


def shortest_angular_distance(start: ArrayLike, end: ArrayLike) -> FloatArray:
    """Return the rotation from start to end [rad], in [-pi, pi].

    Half a revolution has the sign of end - start, as in joint_trajectory_controller.
    """
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    distance = end - start
    wrapped = distance - 2.0 * math.pi * np.round(distance / (2.0 * math.pi))
    half = np.abs(np.abs(wrapped) - math.pi) < 1e-9
    return np.where(half, np.copysign(np.abs(wrapped), distance), wrapped)


def position_error(desired: ArrayLike, measured: ArrayLike,
                   continuous: ArrayLike | None = None) -> FloatArray:
    """Return desired - measured (n,); `continuous` (bool mask): by the shortest rotation."""
    error: FloatArray = np.subtract(desired, measured)
    if continuous is None:
        return error
    return np.where(continuous, shortest_angular_distance(measured, desired), error)


def whole_turns(start: ArrayLike, end: ArrayLike, continuous: ArrayLike) -> FloatArray:
    """Return the multiples of 2 pi (n,) that bring start nearest to end; 0 where not continuous.

    start + whole_turns is at most half a revolution from end.
    """
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    turns = np.round((end - shortest_angular_distance(start, end) - start) / (2.0 * math.pi))
    return np.where(continuous, 2.0 * math.pi * turns, 0.0)
