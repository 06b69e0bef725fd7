# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The last step before the wire: torque within its limits, without jumps, within its rate."""

from __future__ import annotations

import array
import math

import numpy as np

from kane_dynamics.dynamics.loop_kernel import bind_formula
from kane_dynamics.kane.scalar import sqrt

EDGE = 1e-12    # of the square of a limit: nearer to it each torque is compared by itself


class TorqueOutput:
    """Cut, ramp and limit the rate of the torques of n joints; count what was limited.

    A ramp goes from the torque that was given last to whatever is wanted:
      tau = wanted + (1 - s) (tau - wanted at the start of the ramp),  s = 0 .. 1
    so that no change of mind, mode or health ever makes a step, and what is wanted acts at once:
    feedback is never lost on the way. A limit below the torque at the start is reached likewise.

    wanted: (n,) array that will be given time and again, for which a quick look is prepared.
    """

    def __init__(self, joint_names, limit, rate, wanted=None):
        self.joint_names = tuple(joint_names)
        n = len(self.joint_names)
        self.tau, self._apart, self._excess = np.zeros((3, n))
        self._work = np.zeros((3, n))
        self.saturated = np.zeros(n, dtype=np.int64)     # cycles in which a joint was cut
        self.rate_limited = np.zeros(n, dtype=np.int64)
        self.not_finite = 0
        self._left = self._duration = 0.0
        self._begins = False                # a ramp, with the next torque
        self._per_limit = np.zeros(n)       # 1 / limit
        self._margin = array.array('d', [0.0])
        self._wanted = wanted
        if wanted is not None:
            self._measure = bind_formula(_margin, [wanted, self._per_limit],
                                         np.frombuffer(self._margin))
            self._source, self._given = memoryview(wanted), memoryview(self.tau)
        self.set_limits(limit, rate)

    def set_limits(self, limit, rate):
        """Set the largest torques and their largest rates of change, each (n,); inf: none."""
        self.limit = np.array(limit, dtype=float)
        self.rate = np.array(rate, dtype=float)
        self._limits = np.minimum(self.limit, np.finfo(float).max).tolist()
        self._has_rate = bool(np.isfinite(self.rate).any())
        with np.errstate(divide='ignore'):      # no torque at all: never within the margin
            self._per_limit[:] = 1.0 / self.limit

    @property
    def ramping(self):
        """Return whether a ramp is under way."""
        return self._left > 0.0

    def start_ramp(self, duration):
        """Begin a ramp of a duration [s] from the present torque."""
        self._left = self._duration = duration
        self._begins = True

    def restart(self):
        """Begin at no torque, as when the node was activated."""
        self.tau[:] = 0.0
        self._left = 0.0

    def reached(self, wanted):
        """Return whether the torque given last is `wanted` (n,), as far as the limits allow."""
        return bool(np.allclose(self.tau, np.clip(wanted, -self.limit, self.limit)))

    def give(self, wanted, dt):
        """Set tau (n,) to what is given dt [s] later; return whether `wanted` (n,) was finite.

        A torque that is not finite is not given: the last one stays.
        """
        if self._left > 0.0 or self._has_rate:
            if not math.isfinite(wanted.dot(wanted)):
                self.not_finite += 1
                return False
            self.tau[:] = self._slowed(self._cut(wanted), dt)
            return True
        if wanted is self._wanted:
            self._measure()
            if self._margin[0] > EDGE:
                self._given[:] = self._source
                return True
        # plain floats: for a few joints faster than arrays, and NaN is within no limits
        for value, limit in zip(wanted.tolist(), self._limits):
            if not -limit <= value <= limit:
                return self._give_cut(wanted)
        self.tau[:] = wanted
        return True

    def _give_cut(self, wanted):
        """Give what the limits leave of it, where it is finite."""
        if not np.isfinite(wanted).all():
            self.not_finite += 1
            return False
        self.tau[:] = self._cut(wanted)
        return True

    def _cut(self, wanted):
        """Return what the limits leave of it."""
        cut = np.clip(wanted, -self.limit, self.limit)
        self.saturated += cut != wanted
        return cut

    def _slowed(self, wanted, dt):
        """Return the torque on its ramp and within its rate."""
        slowed, change, bound = self._work
        slowed[:] = wanted
        if self._left > 0.0:
            if self._begins:
                np.subtract(self.tau, wanted, out=self._apart)
                np.maximum(np.abs(self.tau) - self.limit, 0.0, out=self._excess)
                self._begins = False
            self._left = max(self._left - dt, 0.0)
            share = self._left / self._duration
            bound[:] = self.limit + share * self._excess
            np.clip(wanted + share * self._apart, -bound, bound, out=slowed)
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


def _margin(tau, per_limit):
    """Return the least of 1 - (tau / limit)^2 of the joints: not above zero where one is NaN."""
    margins = [1.0 - (torque * per) * (torque * per) for torque, per in zip(tau, per_limit)]
    least = margins[0]
    for margin in margins[1:]:
        apart = least - margin
        least = 0.5 * (least + margin - sqrt(apart * apart))
    return [least]
