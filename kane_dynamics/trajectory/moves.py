# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Moves between two configurations: all joints start and stop together, by one profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.polynomials import Derivatives
from kane_dynamics.trajectory.profiles import as_profile, Profile, s_curve, trapezoidal
from kane_dynamics.trajectory.trajectory import Trajectory

REST = 1e-3     # [s] duration of a move that goes nowhere


@dataclass(frozen=True, eq=False)
class Move:
    """The straight line in joint space q0 + (q1 - q0) s((t - start) / duration); (n,) arrays."""

    profile: Profile
    q0: FloatArray
    q1: FloatArray
    duration: float  # [s]
    start: float = 0.0

    if TYPE_CHECKING:       # the constructor takes lists too
        def __init__(self, profile: Profile, q0: ArrayLike, q1: ArrayLike, duration: float,
                     start: float = 0.0) -> None: ...

    def __post_init__(self) -> None:
        """Check the ends and the time."""
        q0, q1 = _configurations(self.q0, self.q1)
        if not 0.0 < self.duration < math.inf:
            raise InputError(f'the duration of a move must be positive [s]; got {self.duration}')
        object.__setattr__(self, 'q0', q0)
        object.__setattr__(self, 'q1', q1)

    @property
    def end(self) -> float:
        """Return the time when the move is over [s]."""
        return self.start + self.duration

    @property
    def peak_velocity(self) -> FloatArray:
        """Return the largest speed of each joint (n,), in closed form."""
        return np.abs(self.q1 - self.q0) * self.profile.peak_velocity / self.duration

    @property
    def peak_acceleration(self) -> FloatArray:
        """Return the largest acceleration of each joint (n,), in closed form."""
        return np.abs(self.q1 - self.q0) * self.profile.peak_acceleration / self.duration ** 2

    @property
    def peak_jerk(self) -> FloatArray:
        """Return the largest jerk of each joint (n,), in closed form; inf where it has steps."""
        moved = np.abs(self.q1 - self.q0)
        peak = self.profile.peak_jerk / self.duration ** 3
        return np.where(moved > 0.0, np.where(moved > 0.0, moved, 1.0) * peak, 0.0)

    def sample_many(self, ts: ArrayLike) -> Derivatives:
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s]."""
        s = self.profile.evaluate((np.asarray(ts, dtype=float) - self.start) / self.duration)
        change = self.q1 - self.q0
        return (self.q0 + s[0, ..., None] * change, s[1, ..., None] * change / self.duration,
                s[2, ..., None] * change / self.duration ** 2)

    def sample(self, t: float) -> Derivatives:
        """Return q, qd, qdd, each (n,), at time t [s]."""
        q, qd, qdd = self.sample_many([t])
        return q[0], qd[0], qdd[0]

    def trajectory(self, joint_names: Sequence[str], count: int = 64) -> Trajectory:
        """Return the move as a trajectory: exact, but a cycloidal one as `count` quintics."""
        x = self.profile.pieces(count)
        s = self.profile.evaluate(x)
        change = self.q1 - self.q0
        smooth = self.profile.name in ('quintic', 'cycloidal')
        accelerations = s[2][:, None] * change / self.duration ** 2 if smooth else None
        return Trajectory(joint_names, x * self.duration, self.q0 + s[0][:, None] * change,
                          s[1][:, None] * change / self.duration, accelerations, start=self.start)


def _configurations(q0: ArrayLike, q1: ArrayLike) -> tuple[FloatArray, FloatArray]:
    q0, q1 = (np.atleast_1d(np.array(q, dtype=float)) for q in (q0, q1))
    if q0.ndim != 1 or q0.shape != q1.shape or not np.isfinite(q1 - q0).all():
        raise InputError(f'a move needs two finite configurations of one shape; got {q0} and {q1}')
    return q0, q1


def plan_move(q0: ArrayLike, q1: ArrayLike, velocity: ArrayLike = math.inf,
              acceleration: ArrayLike = math.inf, jerk: ArrayLike = math.inf,
              profile: str | Profile = 'trapezoidal', duration: float | None = None,
              start: float = 0.0) -> Move:
    """Return the fastest move from q0 to q1 (n,) within limits, or a slower one of given duration.

    velocity, acceleration, jerk: limits of the joints, scalar or (n,). profile: a name of
    PROFILES, or a Profile. By name 'trapezoidal' and 's_curve' are shaped to the limits, which
    makes them the fastest on the straight line ('s_curve': with bounded jerk); other profiles are
    only stretched in time.
    """
    q0, q1 = _configurations(q0, q1)
    limits = []
    for name, value in (('velocity', velocity), ('acceleration', acceleration), ('jerk', jerk)):
        limit = np.asarray(value, dtype=float)
        if limit.shape not in ((), q0.shape) or not (limit > 0.0).all():
            raise InputError(
                f'the limits of {name} must be positive, one or {len(q0)}; got {limit}')
        limits.append(np.broadcast_to(limit, q0.shape))
    distance = np.abs(q1 - q0)
    if profile in ('trapezoidal', 's_curve') and distance.any():
        shaped, fastest = _fastest(str(profile), *(_along(limit, distance) for limit in limits))
    else:
        shaped = as_profile(profile)
        fastest = shaped.duration(distance, *limits)
    if duration is None:
        if fastest == 0.0 and distance.any():
            raise InputError('a move without limits takes no time; give limits or a duration')
        duration = fastest or REST
    elif duration < fastest * (1.0 - 1e-12):
        raise InputError(f'a move of {duration} s exceeds the limits; the shortest is {fastest} s')
    return Move(shaped, q0, q1, duration, start)


def _along(limit: FloatArray, distance: FloatArray) -> float:
    # the limit of the path coordinate s from 0 to 1: that of the joint that reaches its own first
    moving = distance > 0.0
    return float(np.min(limit[moving] / distance[moving]))


def _fastest(name: str, v: float, a: float, j: float) -> tuple[Profile, float]:
    # The fastest rest-to-rest motion over a unit length: Biagiotti and Melchiorri 2008, 3.2 and
    # 3.4, with tj the time of one jerk phase and up that of speeding up.
    needed, limit = ('acceleration', a) if name == 'trapezoidal' else ('jerk', j)
    if math.isinf(limit):
        raise InputError(f'the fastest {name} move needs a limit of {needed}')
    if name == 'trapezoidal':
        if math.isfinite(j):
            raise InputError('a trapezoidal move has steps in acceleration, so that no limit of '
                             'jerk can hold; use s_curve')
        up = min(v / a, math.sqrt(1.0 / a))
        total = 2.0 * up if v * v >= a else up + 1.0 / v
        return trapezoidal(min(up / total, 0.5)), total
    tj = min(a / j, math.sqrt(v / j))
    up = 2.0 * tj if tj < a / j else tj + v / a
    total = up + 1.0 / v
    if math.isinf(v) or 1.0 / v < up:  # no time to reach v
        tj = min(a / j, (0.5 / j) ** (1.0 / 3.0))
        up = 2.0 * tj if tj < a / j else tj / 2.0 + math.sqrt(tj * tj / 4.0 + 1.0 / a)
        total = 2.0 * up
    return s_curve(min(up / total, 0.5), min(tj / up, 0.5)), total
