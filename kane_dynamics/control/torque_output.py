# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torque output: limits, ramps without steps, and limits of the rate of change."""

from __future__ import annotations

import array
from collections.abc import Sequence
import math
from typing import Any

import numpy as np

from kane_dynamics.codegen.formula import bind_formula
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray, IntArray

WITHIN = 0.99   # of `_norm`, below 1 by more than rounding: no torque exceeds its limit


class TorqueOutput:
    """Limit, ramp and limit the rate of the torques of n joints; count where they were limited.

    A ramp leads from the last torque to the wanted one:
      tau = wanted + (1 - s) (tau - wanted at the start of the ramp),  s = 0 .. 1
    so that a change of mode, gains or fault state never causes a torque step, while the new
    torque, feedback included, takes effect immediately. A limit below the torque at the start is
    reached the same way.

    wanted: (n,) array that `give` will get in most cycles, for which a quick check is compiled.
    """

    def __init__(self, joint_names: Sequence[str], limit: ArrayLike, rate: ArrayLike,
                 wanted: FloatArray | None = None) -> None:
        self.joint_names = tuple(joint_names)
        n = len(self.joint_names)
        self.tau, self._difference, self._excess = np.zeros(n), np.zeros(n), np.zeros(n)
        self._work = np.zeros((3, n))
        self.saturated: IntArray = np.zeros(n, dtype=np.int64)      # cycles with a limited torque
        self.rate_limited: IntArray = np.zeros(n, dtype=np.int64)
        self.not_finite = 0
        self._left = self._duration = 0.0
        self._begins = False                # a ramp, with the next torque
        self._per_limit = np.zeros(n)       # 1 / limit
        self._norm = array.array('d', [0.0])
        self._wanted = wanted
        if wanted is not None:
            self._fill_norm = bind_formula(_norm, [wanted, self._per_limit],
                                           np.frombuffer(self._norm))
            self._source, self._given = wanted.data, self.tau.data
        self.set_limits(limit, rate)

    def set_limits(self, limit: ArrayLike, rate: ArrayLike) -> None:
        """Set the largest torques and their largest rates of change, each (n,); inf: none."""
        self.limit = np.array(limit, dtype=float)
        self.rate = np.array(rate, dtype=float)
        self._limits = np.minimum(self.limit, np.finfo(float).max).tolist()
        self._has_rate = bool(np.isfinite(self.rate).any())
        with np.errstate(divide='ignore'):      # a limit of zero: never within
            self._per_limit[:] = 1.0 / self.limit

    @property
    def ramping(self) -> bool:
        """Return whether a ramp is in progress."""
        return self._left > 0.0

    def start_ramp(self, duration: float) -> None:
        """Start a ramp of a duration [s] from the present torque."""
        self._left = self._duration = duration
        self._begins = True

    def restart(self) -> None:
        """Start at zero torque, as after activation."""
        self.tau[:] = 0.0
        self._left = 0.0

    def reached(self, wanted: FloatArray) -> bool:
        """Return whether the last torque is `wanted` (n,), as far as the limits allow."""
        return bool(np.allclose(self.tau, np.clip(wanted, -self.limit, self.limit)))

    def give(self, wanted: FloatArray, dt: float) -> bool:
        """Set tau (n,) to the output dt [s] after the last; return whether `wanted` is finite.

        A torque `wanted` (n,) that is not finite is ignored: the last one stays.
        """
        if self._left > 0.0 or self._has_rate:
            if not math.isfinite(wanted.dot(wanted)):
                self.not_finite += 1
                return False
            self.tau[:] = self._slowed(self._cut(wanted), dt)
            return True
        if wanted is self._wanted:
            self._fill_norm()
            if self._norm[0] < WITHIN:      # not where it is NaN
                self._given[:] = self._source
                return True
        # plain floats: for a few joints faster than arrays, and NaN is within no limits
        for value, limit in zip(wanted.tolist(), self._limits):
            if not -limit <= value <= limit:
                return self._give_cut(wanted)
        self.tau[:] = wanted
        return True

    def _give_cut(self, wanted: FloatArray) -> bool:
        """Set tau to the limited torque, where it is finite."""
        if not np.isfinite(wanted).all():
            self.not_finite += 1
            return False
        self.tau[:] = self._cut(wanted)
        return True

    def _cut(self, wanted: FloatArray) -> FloatArray:
        """Return the limited torque."""
        cut: FloatArray = np.clip(wanted, -self.limit, self.limit)
        self.saturated += cut != wanted
        return cut

    def _slowed(self, wanted: FloatArray, dt: float) -> FloatArray:
        """Return the torque on its ramp and within its rate."""
        slowed, change, bound = self._work
        slowed[:] = wanted
        if self._left > 0.0:
            if self._begins:
                np.subtract(self.tau, wanted, out=self._difference)
                np.maximum(np.abs(self.tau) - self.limit, 0.0, out=self._excess)
                self._begins = False
            self._left = max(self._left - dt, 0.0)
            left = self._left / self._duration
            bound[:] = self.limit + left * self._excess
            np.clip(wanted + left * self._difference, -bound, bound, out=slowed)
        if self._has_rate:
            np.multiply(self.rate, max(dt, 1e-9), out=bound)    # not inf * 0 in the first cycle
            np.subtract(slowed, self.tau, out=change)
            np.minimum(change, bound, out=slowed)
            np.negative(bound, out=bound)
            np.maximum(slowed, bound, out=slowed)
            limited = slowed != change
            np.add(slowed, self.tau, out=slowed)
            if limited.any():
                self.rate_limited += limited
        return slowed


def _norm(tau: list[Any], per_limit: list[Any]) -> list[Any]:
    """Return the sum of (tau / limit)^4, which is below 1 only where all torques are within."""
    squares = [(torque * per) * (torque * per) for torque, per in zip(tau, per_limit)]
    return [sum(square * square for square in squares)]
