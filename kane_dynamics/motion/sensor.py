# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot tells of its joints: the truth, late, noisy and in steps."""

from __future__ import annotations

from collections import deque

import numpy as np

from kane_dynamics.exceptions import InputError

CHANNELS = ('position', 'velocity', 'effort')


class Sensor:
    """Measure positions, velocities and efforts of n joints, period after period.

    The truth of `delay` periods ago, plus Gaussian noise of a standard deviation per channel and
    joint, rounded to a resolution. The same seed gives the same noise after every `restart`.

    Args:
        n: number of joints.
        noise: {channel: one number or (n,)} standard deviations, in the unit of the channel.
        resolution: {channel: one number or (n,)} step of the measured values; 0: none.
        delay: in periods.
        seed: of the noise.
    """

    def __init__(self, n, noise=None, resolution=None, delay=0, seed=0):
        self._noise = _figures('noise', n, noise)
        self._resolution = _figures('resolution', n, resolution)
        if delay < 0:
            raise InputError(f'sensor: delay must not be negative, got {delay}')
        self._delay, self._seed = int(delay), seed
        self._noisy = [k for k in range(3) if self._noise[k].any()]
        self._stepped = [k for k in range(3) if self._resolution[k].any()]
        self._values = np.zeros((3, n))
        self._ideal = not (self._noisy or self._stepped or self._delay)
        self.restart()

    def restart(self):
        """Forget the past and begin the noise anew."""
        self._past = deque(maxlen=self._delay + 1)
        self._rng = np.random.default_rng(self._seed)

    def measure(self, position, velocity, effort):
        """Return (3, n): what is told of this period's truth; good until the next call."""
        values = self._values
        values[0], values[1], values[2] = position, velocity, effort
        if self._ideal:
            return values
        if self._delay:
            self._past.append(values.copy())
            values[:] = self._past[0]
        for k in self._noisy:
            values[k] += self._noise[k] * self._rng.standard_normal(values.shape[1])
        for k in self._stepped:
            step = self._resolution[k]
            coarse = step > 0.0
            values[k, coarse] = np.round(values[k, coarse] / step[coarse]) * step[coarse]
        return values


def _figures(name, n, given):
    """Return (3, n) from {channel: figures}."""
    given = given or {}
    unknown = set(given) - set(CHANNELS)
    if unknown:
        raise InputError(f'sensor: {name} of {sorted(unknown)}; there are {list(CHANNELS)}')
    rows = []
    for channel in CHANNELS:
        row = np.array(given.get(channel, 0.0), dtype=float)
        if row.shape not in ((), (n,)) or not (np.isfinite(row) & (row >= 0.0)).all():
            raise InputError(f'sensor: {name} of {channel} must be one number or {n}, finite and '
                             f'not negative; got {row.tolist()}')
        rows.append(np.broadcast_to(row, (n,)))
    return np.array(rows)
