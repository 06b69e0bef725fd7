# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Moves from one posture to another: all joints start and stop together, by one law."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.profiles import Law, LAWS, s_curve, trapezoidal
from kane_dynamics.motion.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Move:
    """The straight line in joint space q0 + (q1 - q0) s((t - start) / duration); (n,) arrays."""

    law: Law
    q0: np.ndarray
    q1: np.ndarray
    duration: float  # [s]
    start: float = 0.0

    def __post_init__(self):
        """Check the ends and the time."""
        q0, q1 = _postures(self.q0, self.q1)
        if not 0.0 < self.duration < math.inf:
            raise InputError(f'the duration of a move must be positive [s]; got {self.duration}')
        object.__setattr__(self, 'q0', q0)
        object.__setattr__(self, 'q1', q1)

    @property
    def end(self):
        """Return the time when the move is over [s]."""
        return self.start + self.duration

    @property
    def peak_velocity(self):
        """Return the largest speed of each joint (n,), in closed form."""
        return np.abs(self.q1 - self.q0) * self.law.peak_velocity / self.duration

    @property
    def peak_acceleration(self):
        """Return the largest acceleration of each joint (n,), in closed form."""
        return np.abs(self.q1 - self.q0) * self.law.peak_acceleration / self.duration ** 2

    @property
    def peak_jerk(self):
        """Return the largest jerk of each joint (n,), in closed form; inf where it has steps."""
        moved = np.abs(self.q1 - self.q0)
        peak = self.law.peak_jerk / self.duration ** 3
        return np.where(moved > 0.0, np.where(moved > 0.0, moved, 1.0) * peak, 0.0)

    def sample_many(self, ts):
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s]."""
        s = self.law.evaluate((np.asarray(ts, dtype=float) - self.start) / self.duration)
        turn = self.q1 - self.q0
        rates = (s[k, ..., None] * turn / self.duration ** k for k in (1, 2))
        return self.q0 + s[0, ..., None] * turn, *rates

    def sample(self, t):
        """Return q, qd, qdd, each (n,), at time t [s]."""
        return tuple(values[0] for values in self.sample_many([t]))

    def trajectory(self, joint_names, count=64):
        """Return the move as a trajectory: exact; the cycloidal law as `count` quintics."""
        x = self.law.pieces(count)
        s = self.law.evaluate(x)
        turn = self.q1 - self.q0
        smooth = self.law.name in ('quintic', 'cycloidal')
        accelerations = s[2][:, None] * turn / self.duration ** 2 if smooth else None
        return Trajectory(joint_names, x * self.duration, self.q0 + s[0][:, None] * turn,
                          s[1][:, None] * turn / self.duration, accelerations, start=self.start)


def _postures(q0, q1):
    q0, q1 = (np.atleast_1d(np.array(q, dtype=float)) for q in (q0, q1))
    if q0.ndim != 1 or q0.shape != q1.shape or not np.isfinite(q1 - q0).all():
        raise InputError(f'a move needs two finite postures of one shape; got {q0} and {q1}')
    return q0, q1


def plan_move(q0, q1, velocity=math.inf, acceleration=math.inf, jerk=math.inf, law='trapezoidal',
              duration=None, start=0.0):
    """Return the fastest move from q0 to q1 (n,) within limits, or a slower one of given duration.

    velocity, acceleration, jerk: limits of the joints, scalar or (n,). law: a name of LAWS, or a
    Law. By name 'trapezoidal' and 's_curve' are shaped to the limits, which makes them the fastest
    there are on the straight line ('s_curve': with bounded jerk); other laws are only stretched in
    time.
    """
    q0, q1 = _postures(q0, q1)
    limits = []
    for name, limit in (('velocity', velocity), ('acceleration', acceleration), ('jerk', jerk)):
        limit = np.asarray(limit, dtype=float)
        if limit.shape not in ((), q0.shape) or not (limit > 0.0).all():
            raise InputError(
                f'the limits of {name} must be positive, one or {len(q0)}; got {limit}')
        limits.append(np.broadcast_to(limit, q0.shape))
    turn = np.abs(q1 - q0)
    if isinstance(law, str) and law not in LAWS:
        raise InputError(f"law '{law}' is not known; there are {', '.join(LAWS)}")
    if law in ('trapezoidal', 's_curve') and turn.any():
        law, fastest = _fastest(law, *(_along(limit, turn) for limit in limits))
    else:
        law = LAWS[law]() if isinstance(law, str) else law
        fastest = law.duration(turn, *limits)
    if duration is None:
        if fastest == 0.0 and turn.any():
            raise InputError('a move without limits takes no time; give limits or a duration')
        duration = fastest or 1e-3  # nothing moves: a moment of rest
    elif duration < fastest * (1.0 - 1e-12):
        raise InputError(f'a move of {duration} s exceeds the limits; the shortest is {fastest} s')
    return Move(law, q0, q1, duration, start)


def _along(limit, turn):
    # the limit of the path coordinate s from 0 to 1: the joint that reaches its own first
    moving = turn > 0.0
    return float(np.min(limit[moving] / turn[moving]))


def _fastest(name, v, a, j):
    # The fastest rest-to-rest motion over a unit length: Biagiotti and Melchiorri 2008, 3.2 and
    # 3.4, with tj the time of one jerk phase and up that of speeding up.
    needed, limit = ('acceleration', a) if name == 'trapezoidal' else ('jerk', j)
    if math.isinf(limit):
        raise InputError(f'the fastest {name} move needs a limit of {needed}')
    if name == 'trapezoidal':
        if math.isfinite(j):
            raise InputError('a trapezoidal move has steps in acceleration and keeps no limit of '
                             'jerk; use s_curve')
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
