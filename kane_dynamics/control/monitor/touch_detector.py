# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Contact detection: residual jumps too sudden to be model error.

Model error changes as slowly as the arm moves; a contact is sudden. The residual is therefore
compared with its own recent past (a first-order average), which is frozen during contact. A model
that is wrong by a fraction of the torque makes the residual change by that fraction when the
torque changes: the threshold is raised by it, with the change measured the same way. A limit on
the residual itself catches contacts that grow too slowly to be a jump.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray


class ContactDetector:
    """Detect contact from the residuals of n joints; `external` (n,) is their excess.

    A contact ends when the residual returns near its value before or near zero, or jumps back.

    Args:
        threshold: (n,) excess [N m or N] that starts a contact.
        uncertainty: model error as a fraction of a change of torque.
        release: fraction of the threshold below which a contact ends: hysteresis.
        release_time: [s] for which the excess must stay below it; also the shortest time between
            two changes of `contact`, which lets the observer's lag pass.
        baseline_time: [s], time constant of the average.
        limit: (n,) residual that always counts as contact; infinite for none.
        settling_time: [s] after a reset without detection.
    """

    def __init__(self, threshold: ArrayLike, uncertainty: float = 0.1, release: float = 0.5,
                 release_time: float = 0.1, baseline_time: float = 0.25,
                 limit: ArrayLike = np.inf, settling_time: float = 0.5) -> None:
        self.threshold: FloatArray = np.array(threshold, dtype=float)
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
        self.baseline, self.external = np.zeros(n), np.zeros(n)
        self._recent = np.zeros(n)       # the average that continues during contact
        self._torque = np.zeros(n)       # the average of the motor torques
        self._direction = 0.0            # of the residual when contact began
        self.contacts = 0                # begun so far
        self.reset()

    def reset(self) -> None:
        """Start over: no contact, no past."""
        self.contact = False
        self.joint = -1             # the one that exceeded its threshold most when contact began
        self._age = self._since = self._quiet = 0.0
        self._wait = self._settling_time     # [s] before the next change
        for values in (self.baseline, self.external, self._recent, self._torque):
            values[:] = 0.0

    @property
    def settled(self) -> bool:
        """Return whether contact is detected: the settling time is over."""
        return self._age >= self._settling_time

    def step(self, dt: float, residual: FloatArray, torque: FloatArray) -> bool:
        """Return whether there is contact, after residuals and motor torques (n,).

        dt: time since the last step [s].
        """
        self._age += dt
        self._since += dt
        np.subtract(residual, self.baseline, out=self.external)
        change = torque - self._torque
        raised = self.threshold + self.uncertainty * np.abs(change)
        ratios = np.maximum(np.abs(self.external) / raised, np.abs(residual) / self.limit)
        ready = self._since > self._wait
        if self.contact:
            left = np.minimum(np.abs(self.external), np.abs(residual)) / raised
            self._quiet = self._quiet + dt if left.max() < self._release else 0.0
            j = self.joint
            back = (self._recent[j] - residual[j]) * self._direction > raised[j]
            within = abs(residual[j]) < self.limit[j]
            if self._quiet > self._release_time or ready and back and within:
                self._change(False)
        elif ready and ratios.max() > 1.0:
            self.joint = int(ratios.argmax())
            self._direction = float(np.sign(self.external[self.joint]))
            self.contacts += 1
            self._change(True)
        # at first, and after a change, the average is that of all values since
        part = dt / min(self._baseline_time + dt, max(self._since - self._wait, dt))
        self._recent += part * (residual - self._recent)
        self._torque += dt / min(self._baseline_time + dt, max(self._age, dt)) * change
        if not self.contact:
            self.baseline[:] = self._recent
        return self.contact

    def _change(self, contact: bool) -> None:
        self.contact, self._quiet = contact, 0.0
        self._since, self._wait = 0.0, self._release_time
