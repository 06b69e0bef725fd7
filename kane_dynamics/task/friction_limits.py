# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torque limits that friction leaves to the arm itself, along a path.

A motor torque tau = t + friction(v, t) grows with the torque t of the frictionless arm, so that
limits of tau are limits of t which depend on the joint's speed v alone. On a path v = q' sqrt(u):
the limits are functions of u = x'^2, linear about a motion that is known. Where a joint comes to
rest or turns round, friction passes through all values up to breakaway within a few smoothing
speeds: there t must bear all of them, with the acceleration that is constant over the interval.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.dynamics.friction import Friction, load_under
from kane_dynamics.numerics.array_types import FloatArray

CREEP = 5.0         # smoothing speeds: slower joints are at rest or turn round
STILL = 1e-9        # of the largest q': a joint that does not move
CHANGE = 0.02       # of u, for the tangent


class Bounds(NamedTuple):
    """Limits of t at both ends of N intervals: least + least_slope u <= t <= most + ..."""

    least: FloatArray          # (N, 2, n) [N m or N]
    most: FloatArray
    least_slope: FloatArray    # by u = x'^2
    most_slope: FloatArray


def torque_left(friction: Friction, effort: FloatArray,
                speed: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return least and largest t (..., n) that motor torques effort (2, n) leave at v (..., n)."""
    with np.errstate(invalid='ignore'):                    # of limits that are infinite
        left = [load_under(limit, speed, friction.parameters) for limit in effort]
    least, most = (np.where(np.isfinite(limit), t, limit) for limit, t in zip(effort, left))
    return least, most


def bounds_left(friction: Friction, effort: FloatArray, q1: FloatArray, u: FloatArray,
                chord: bool) -> Bounds:
    """Return the Bounds about a motion: q' (N, 2, n) and u (N, 2) at both ends of N intervals.

    chord: linear by the chord from rest to u, which leads to the right motion from far away; else
    by the tangent at u, which leads there fast from nearby.
    """
    u, creep = u[..., None], CREEP * friction.smoothing_speed
    speed = q1 * np.sqrt(u)
    low, high = speed.min(axis=1, keepdims=True), speed.max(axis=1, keepdims=True)
    scale = np.sqrt(1.0 - CHANGE)
    if chord:
        scale = np.minimum(creep / np.maximum(abs(speed), 1e-300), 1.0)
    with np.errstate(invalid='ignore'):                    # of limits that are infinite
        ends = torque_left(friction, effort, speed)
        slower = torque_left(friction, effort, scale * speed)
        slopes = [_slope(end - other, (1.0 - scale**2) * u) for end, other in zip(ends, slower)]
        values = [end - slope * u for end, slope in zip(ends, slopes)]
        # a joint that comes to rest or turns round in the interval: all that friction can be
        # there, and from that on linear to what it is at the end
        near = (low < creep) & (high > -creep)
        at_rest = _about_rest(friction, effort, q1)
        ends = np.maximum(ends[0], at_rest[0]), np.minimum(ends[1], at_rest[1])
        slopes = [np.where(near, _slope(end - rest, u), slope)
                  for end, rest, slope in zip(ends, at_rest, slopes)]
        values = [np.where(near, rest, value) for rest, value in zip(at_rest, values)]
    return Bounds(*values, *slopes)


def _slope(rise: FloatArray, run: FloatArray) -> FloatArray:
    """Return rise / run (N, 2, n), zero where the run is."""
    run = np.broadcast_to(run, rise.shape)
    return np.divide(rise, run, out=np.zeros_like(rise), where=run > 0.0)


def _about_rest(friction: Friction, effort: FloatArray,
                q1: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the limits of t (N, 1, n) that hold at rest and at all creeping speeds along q'."""
    marks = friction.smoothing_speed * np.array([0, 1, 2, 5, 10, 20])
    still = STILL * abs(q1).max()
    moves = [(side * q1 > still).any(axis=1, keepdims=True) for side in (1.0, -1.0)]
    speeds = np.concatenate([marks[:, None, None, None] * side * along
                             for side, along in zip((1.0, -1.0), moves)])
    least, most = torque_left(friction, effort, speeds)
    return least.max(axis=0), most.min(axis=0)
