# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Whether something touches the arm: jumps of a residual that model errors do not make.

What a model misses changes as slowly as the arm moves; a contact comes at once. So the residual is
compared with its own recent past (a first-order average), which stands still while there is
contact. A model that is off by a share of the torque makes the residual change by that share when
the torque changes: the threshold is raised by it, with the change measured in the same way. A
limit on the residual itself catches what grows too slowly to be a jump.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError


class ContactDetector:
    """Follow the residuals of n joints; `contact` is the verdict, `external` (n,) the excess.

    A contact ends when the residual is back near where it was before or near zero, or jumps back.

    Args:
        threshold: (n,) excess [N m or N] that begins a contact.
        uncertainty: share of a change of torque that the model may be off by.
        release: share of the threshold below which a contact ends: hysteresis.
        release_time: [s] that the excess must stay below it; and how long after a change of the
            verdict the next one is given at the earliest, so that the observer's lag has passed.
        baseline_time: [s], time constant of the average.
        limit: (n,) residual that is a contact however it came about; infinite for none.
        settling_time: [s] after a reset before a verdict is given.
    """

    def __init__(self, threshold, uncertainty=0.1, release=0.5, release_time=0.1,
                 baseline_time=0.25, limit=np.inf, settling_time=0.5):
        self.threshold = np.array(threshold, dtype=float)
        n = len(self.threshold)
        self.limit = np.broadcast_to(np.asarray(limit, dtype=float), (n,)).copy()
        if not (self.threshold > 0.0).all() or not (self.limit > 0.0).all():
            raise InputError(f'thresholds and limits must be positive, got {self.threshold} and '
                             f'{self.limit}')
        if (not 0.0 < release <= 1.0 or release_time < 0.0 or not baseline_time > 0.0
                or uncertainty < 0.0):
            raise InputError('release must be above 0 and at most 1, release_time and uncertainty '
                             f'not negative, baseline_time positive; got {release}, '
                             f'{release_time}, {uncertainty}, {baseline_time}')
        self._release, self._release_time = release, release_time
        self._baseline_time, self._settling_time = baseline_time, settling_time
        self.uncertainty = float(uncertainty)
        self.baseline, self.external = np.zeros((2, n))
        self._recent = np.zeros(n)       # the average that goes on during contact
        self._torque = np.zeros(n)       # the average of the motor torques
        self.contacts = 0                # begun so far
        self.reset()

    def reset(self):
        """Begin anew: no contact, no past."""
        self.contact = False
        self.joint = -1             # which one exceeded its threshold most when contact began
        self._age = self._since = self._quiet = 0.0
        self._wait = self._settling_time     # [s] before the next verdict
        for values in (self.baseline, self.external, self._recent, self._torque):
            values[:] = 0.0

    @property
    def settled(self):
        """Return whether verdicts are given."""
        return self._age >= self._settling_time

    def step(self, dt, residual, torque):
        """Take residuals and motor torques (n,), dt [s] after those before.

        Return whether there is contact.
        """
        self._age += dt
        self._since += dt
        np.subtract(residual, self.baseline, out=self.external)
        change = torque - self._torque
        raised = self.threshold + self.uncertainty * np.abs(change)
        shares = np.maximum(np.abs(self.external) / raised, np.abs(residual) / self.limit)
        ready = self._since > self._wait
        if self.contact:
            left = np.minimum(np.abs(self.external), np.abs(residual)) / raised
            self._quiet = self._quiet + dt if left.max() < self._release else 0.0
            j = self.joint
            back = (self._recent[j] - residual[j]) * self._direction > raised[j]
            within = abs(residual[j]) < self.limit[j]
            if self._quiet > self._release_time or ready and back and within:
                self._turn(False)
        elif ready and shares.max() > 1.0:
            self.joint = int(shares.argmax())
            self._direction = np.sign(self.external[self.joint])
            self.contacts += 1
            self._turn(True)
        # at first, and after a change of the verdict, the average is that of all that came since
        part = dt / min(self._baseline_time + dt, max(self._since - self._wait, dt))
        self._recent += part * (residual - self._recent)
        self._torque += dt / min(self._baseline_time + dt, max(self._age, dt)) * change
        if not self.contact:
            self.baseline[:] = self._recent
        return self.contact

    def _turn(self, contact):
        self.contact, self._quiet = contact, 0.0
        self._since, self._wait = 0.0, self._release_time
