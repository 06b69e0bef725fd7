# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Invariants of the torques of a feedforward node, checked at every message."""

from collections import deque

import numpy as np

from kane_dynamics.control.controller import LONGEST_STEP
from kane_dynamics.nodes.messages.conversions import nanoseconds

ROUNDING = 1e-9         # of a torque


class CommandWatch:
    """Watch ~/commands and ~/effort: finite, within limits, no step beyond the torque rate.

    Between two torques at t1 and t2 the step is at most rate * min(t2 - t1, 0.1 s), and none where
    the clock went back. A reader that misses messages (`lossy`) can only check rate * (t2 - t1).

    limit, rate: (n,).
    """

    def __init__(self, limit, rate):
        self.limit, self.rate = np.array(limit, dtype=float), np.array(rate, dtype=float)
        self.lossy = False
        self.problems = []
        self.messages = 0
        self.largest = 0.0      # of a step, as a fraction of what is allowed
        self._last = {}         # topic -> (stamp [ns] or None, torque)
        self.recent = deque(maxlen=2000)    # torques, until someone clears it
        self.tau = np.zeros(len(self.limit))
        self.stamp = 0          # [ns] of the last torque

    def on_commands(self, message):
        """Check a Float64MultiArray."""
        self._check('commands', None, np.array(message.data))

    def on_effort(self, message):
        """Check a stamped JointState."""
        self.tau, self.stamp = np.array(message.effort), nanoseconds(message.header.stamp)
        self.recent.append(self.tau)
        self._check('effort', self.stamp, self.tau)

    def restart(self):
        """Expect a new process, whose torque starts at zero."""
        self._last = {topic: (None, np.zeros(len(self.limit))) for topic in self._last}

    def _check(self, topic, stamp, tau):
        self.messages += 1
        if not np.isfinite(tau).all():
            self.problems.append(f'{topic}: {tau} is not finite')
        elif (np.abs(tau) > self.limit + ROUNDING).any():
            self.problems.append(f'{topic}: {tau} is beyond the limit {self.limit}')
        elif topic in self._last:
            self._check_step(topic, stamp, tau, *self._last[topic])
        self._last[topic] = stamp, tau

    def _check_step(self, topic, stamp, tau, before, last):
        passed = LONGEST_STEP if stamp is None or before is None else (stamp - before) * 1e-9
        if self.lossy:
            if stamp is None:
                return      # without a stamp, the number of lost messages is unknown
        else:
            passed = min(max(passed, 0.0), LONGEST_STEP)
        allowed = self.rate * max(passed, 1e-9) + ROUNDING
        self.largest = max(self.largest, float(np.max(np.abs(tau - last) / allowed)))
        if (np.abs(tau - last) > allowed).any():
            self.problems.append(f'{topic}: a step from {last} to {tau} in {passed:.6f} s; the '
                                 f'rate is {self.rate}')
