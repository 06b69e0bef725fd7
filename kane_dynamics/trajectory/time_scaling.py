# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Uniform time scaling: the same path at another speed, q(alpha t) with a constant alpha.

Rates grow with alpha, accelerations with alpha^2. So do all torques of a rigid arm but gravity's
(M qdd + C qd qd is quadratic in the rates; Hollerbach 1984; Padilla 1989, 4.2.1):
  tau(t) = gravity(alpha t) + alpha^2 dynamic(alpha t).
Viscous friction grows with alpha only, Coulomb friction not at all: keep them out of `dynamic`.
"""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike
from kane_dynamics.trajectory.extrema import find_extrema, Order
from kane_dynamics.trajectory.trajectory import Trajectory


def scale_time(trajectory: Trajectory, alpha: float) -> Trajectory:
    """Return the trajectory run alpha times as fast from the same start; effort is kept."""
    if not 0.0 < alpha < math.inf:
        raise InputError(f'alpha must be positive; got {alpha}')
    segments = trajectory.segments.scaled(alpha)
    velocities, accelerations = trajectory.velocities, trajectory.accelerations
    return replace(
        trajectory, times=segments.knots, segments=segments,
        velocities=None if velocities is None else velocities * alpha,
        accelerations=None if accelerations is None else accelerations * alpha ** 2)


def largest_alpha(gravity: ArrayLike, dynamic: ArrayLike, limit: ArrayLike) -> float:
    """Return the largest alpha with |gravity + alpha^2 dynamic| <= limit at every sample.

    gravity, dynamic (M, n): gravity torques and the remaining inverse dynamics along the path at
    alpha = 1; limit: scalar or (n,). Returns 0.0 where gravity alone exceeds the limit, inf where
    nothing moves.
    """
    gravity, dynamic = np.asarray(gravity, dtype=float), np.asarray(dynamic, dtype=float)
    limit = np.asarray(limit, dtype=float)
    room = limit - np.sign(dynamic) * gravity
    if (np.abs(gravity) > limit).any():
        return 0.0
    square = np.min(room[dynamic != 0.0] / np.abs(dynamic[dynamic != 0.0]), initial=math.inf)
    return math.sqrt(square)


def largest_alpha_kinematic(trajectory: Trajectory, velocity: ArrayLike = math.inf,
                            acceleration: ArrayLike = math.inf) -> float:
    """Return the largest alpha within limits of velocity and acceleration, scalar or (n,)."""
    alphas = [math.inf]
    limits: tuple[tuple[Order, ArrayLike], ...] = ((1, velocity), (2, acceleration))
    for derivative, value in limits:
        peak = find_extrema(trajectory, derivative).magnitude
        limit = np.broadcast_to(np.asarray(value, dtype=float), peak.shape)
        moving = peak > 0.0
        alphas.extend((limit[moving] / peak[moving]) ** (1.0 / derivative))
    return float(min(alphas))
