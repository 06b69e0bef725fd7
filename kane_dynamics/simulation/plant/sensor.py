# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated joint sensors: delay, Gaussian noise, quantization."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

CHANNELS = ('position', 'velocity', 'effort')


class Sensor:
    """Measure positions, velocities and efforts of n joints, period after period.

    The true values of `delay` periods ago, plus Gaussian noise of a standard deviation per channel
    and joint, rounded to a resolution. The same seed gives the same noise after every `restart`.

    Args:
        n: number of joints.
        noise: {channel: one number or (n,)} standard deviations, in the unit of the channel.
        resolution: {channel: one number or (n,)} step of the measured values; 0: none.
        delay: in periods.
        seed: of the noise.
    """

    def __init__(self, n: int, noise: Mapping[str, ArrayLike] | None = None,
                 resolution: Mapping[str, ArrayLike] | None = None, delay: int = 0,
                 seed: int = 0) -> None:
        self._noise = _per_channel('noise', n, noise)
        self._resolution = _per_channel('resolution', n, resolution)
        if delay < 0:
            raise InputError(f'sensor: delay must not be negative, got {delay}')
        self._delay, self._seed = int(delay), seed
        self._noisy = [k for k in range(3) if self._noise[k].any()]
        self._stepped = [k for k in range(3) if self._resolution[k].any()]
        self._values = np.zeros((3, n))
        self._ideal = not (self._noisy or self._stepped or self._delay)
        self.restart()

    def restart(self) -> None:
        """Forget the past values and restart the noise from its seed."""
        self._past: deque[FloatArray] = deque(maxlen=self._delay + 1)
        self._rng = np.random.default_rng(self._seed)

    def measure(self, position: FloatArray, velocity: FloatArray,
                effort: FloatArray) -> FloatArray:
        """Return the measured position, velocity and effort (3, n).

        The array is reused by the next call.
        """
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


def _per_channel(name: str, n: int, given: Mapping[str, ArrayLike] | None) -> FloatArray:
    """Return (3, n) from {channel: values}."""
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
