# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Angles of continuous joints: the short way round."""

from __future__ import annotations

import math

import numpy as np


def shortest_angular_distance(start, end):
    """Return the turn from start to end [rad], in [-pi, pi]; half a turn goes towards end."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    turn = end - start
    wrapped = turn - 2.0 * math.pi * np.round(turn / (2.0 * math.pi))
    # Half a turn is as short either way: joint_trajectory_controller takes the sign of the turn.
    half = np.abs(np.abs(wrapped) - math.pi) < 1e-9
    return np.where(half, np.copysign(np.abs(wrapped), turn), wrapped)


def position_error(desired, measured, continuous=None):
    """Return desired - measured (n,); continuous joints (bool mask) go the short way round."""
    error = np.subtract(desired, measured)
    if continuous is None:
        return error
    return np.where(continuous, shortest_angular_distance(measured, desired), error)


def whole_turns(start, end, continuous):
    """Return the multiples of 2 pi (n,) that bring start nearest to end; 0 where not continuous.

    start + whole_turns is at most half a turn from end.
    """
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    turns = np.round((end - shortest_angular_distance(start, end) - start) / (2.0 * math.pi))
    return np.where(continuous, 2.0 * math.pi * turns, 0.0)
