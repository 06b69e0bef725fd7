# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Periodic motion of all joints as a sum of harmonics, at rest at both ends of a period.

    q = centre + sum_k (a_k sin(k w t) - b_k cos(k w t)) / (k w)
    qd = sum_k  a_k cos(k w t) + b_k sin(k w t)

(Swevers, Ganseman, Tukel, de Schutter and Van Brussel 1997, equation 7). Rest at t = 0, and so
after every period: sum a_k = 0 and sum k b_k = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.polynomials import Derivatives
from kane_dynamics.trajectory.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class FourierMotion:
    """Harmonics of n joints: centre (n,) [rad or m], a, b (k, n) [rad/s or m/s], period [s]."""

    centre: FloatArray
    a: FloatArray
    b: FloatArray
    period: float

    @classmethod
    def resting(cls, centre: ArrayLike, free: ArrayLike, period: float) -> FourierMotion:
        """Return a motion at rest at t = 0 from any free coefficients (2, harmonics - 1, n)."""
        free = np.asarray(free, dtype=float)
        k = np.arange(1.0, free.shape[1] + 2.0)
        if len(k) < 2:
            raise InputError('a motion from rest needs two harmonics or more')
        a = np.concatenate([free[0], -free[0].sum(axis=0, keepdims=True)])
        b = np.concatenate([free[1], -(k[:-1, None] * free[1]).sum(axis=0, keepdims=True)
                            / k[-1]])
        return cls(np.array(centre, dtype=float), a, b, float(period))

    def sample_many(self, t: ArrayLike) -> Derivatives:
        """Return q, qd, qdd, each (N, n), at times t (N,) [s]."""
        w = 2.0 * np.pi / self.period * np.arange(1.0, len(self.a) + 1.0)
        angle = np.outer(np.asarray(t, dtype=float), w)
        s, c = np.sin(angle), np.cos(angle)
        return (self.centre + s @ (self.a / w[:, None]) - c @ (self.b / w[:, None]),
                c @ self.a + s @ self.b, c @ (self.b * w[:, None]) - s @ (self.a * w[:, None]))

    def extremes(
            self, samples: int = 720) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return lower, upper position, largest speed and acceleration, each (n,)."""
        q, qd, qdd = self.sample_many(np.arange(samples) * (self.period / samples))
        return q.min(axis=0), q.max(axis=0), np.abs(qd).max(axis=0), np.abs(qdd).max(axis=0)

    def fitted(self, lower: FloatArray, upper: FloatArray, velocity: FloatArray,
               acceleration: FloatArray) -> FourierMotion:
        """Return the motion centred between bounds (n,) and as large as all of them allow."""
        low, high, speed, rise = self.extremes()
        with np.errstate(divide='ignore'):
            scale = np.minimum.reduce([
                (upper - lower) / np.maximum(high - low, 1e-12),
                velocity / np.maximum(speed, 1e-12), acceleration / np.maximum(rise, 1e-12)])
        middle = 0.5 * (lower + upper) - scale * (0.5 * (low + high) - self.centre)
        return FourierMotion(middle, scale * self.a, scale * self.b, self.period)

    def trajectory(self, joint_names: Sequence[str], periods: int = 1, rate: float = 20.0,
                   lead_in: float = 0.0) -> Trajectory:
        """Return a Trajectory of `rate` points per second that begins after lead_in [s]."""
        count = int(round(periods * self.period * rate))
        t = np.arange(count + 1) * (periods * self.period / count)
        q, qd, qdd = self.sample_many(t)
        qd[[0, -1]] = qdd[[0, -1]] = 0.0     # round-off
        return Trajectory(joint_names, t + lead_in, q, qd, qdd, interpolation='fields')
