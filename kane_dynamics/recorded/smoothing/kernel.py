# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Zero-phase low-pass filter with a given bandwidth, and its exact derivatives.

The kernel is the sixth-order Gaussian kernel with the frequency response

    H(f) = exp(-x) (1 + x + x^2/2),   x = (2 pi f s)^2 / 2

which is 1 - x^3/6 + ... at low frequencies: polynomials up to the fifth degree pass unchanged.
Velocity and acceleration use the first and second derivative of the same kernel, so that position,
velocity and acceleration belong to one filtered motion without lag, and agree with a measured
torque that went through the same filter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

HALF_POWER = 1.887452018860729  # x where H^2 = 1/2
REACH = 6.0                # widths s; beyond, the kernel is below 2e-5 of its peak
LARGEST_BANDWIDTH = 0.25   # fraction of the sample rate; H is then 0.02 at half the rate


@dataclass(frozen=True)
class SmoothingKernel:
    """Filter samples `period` [s] apart with half power at `bandwidth` [Hz]."""

    bandwidth: float
    period: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.bandwidth) and self.bandwidth > 0.0):
            raise InputError(f'bandwidth must be positive [Hz], got {self.bandwidth}')
        if self.bandwidth * self.period > LARGEST_BANDWIDTH * 1.000001:
            raise InputError(
                f'a bandwidth of {self.bandwidth:g} Hz is too large for samples at '
                f'{1.0 / self.period:.4g} Hz; use {LARGEST_BANDWIDTH / self.period:.3g} Hz or '
                'less')

    @property
    def width(self) -> float:
        """Return s [s]."""
        return float(np.sqrt(2.0 * HALF_POWER) / (2.0 * np.pi * self.bandwidth))

    @property
    def reach(self) -> int:
        """Return the number of samples on each side that the kernel covers."""
        return int(np.ceil(REACH * self.width / self.period))

    def response(self, frequency: ArrayLike) -> FloatArray:
        """Return H at a frequency [Hz]."""
        x = 0.5 * (2.0 * np.pi * np.asarray(frequency) * self.width)**2
        return np.exp(-x) * (1.0 + x + 0.5 * x * x)

    @cached_property
    def kernels(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return three kernels of 2 reach + 1 numbers: value, first and second derivative.

        Each is a Gaussian times a polynomial, as the analytic kernel, with coefficients for which
        the sums over the samples are exact, not only the integrals: sum k_j t_j^p is d! for
        p = d and zero for every other p up to the fifth degree.
        """
        z = np.arange(-self.reach, self.reach + 1) * (self.period / self.width)
        gauss = np.exp(-0.5 * z * z)
        found = []
        for derivative, powers in ((0, (0, 2, 4)), (1, (1, 3, 5)), (2, (0, 2, 4, 6))):
            basis = np.array([gauss * z**p for p in powers])
            moments = np.array([[basis[i] @ z**p for i in range(len(powers))] for p in powers])
            target = [float(max(derivative, 1)) if p == derivative else 0.0 for p in powers]
            found.append(np.linalg.solve(moments, target) @ basis / self.width**derivative)
        value, first, second = found
        return value, first, second

    def apply(self, rows: FloatArray, derivative: int) -> FloatArray:
        """Return the filtered derivative (N - 2 reach, m) of samples (N, m)."""
        from scipy.signal import oaconvolve  # slow to import; only recordings need it
        kernel = self.kernels[derivative]
        # sum_j k_j x(t + t_j) is the convolution with the kernel reversed in time
        return oaconvolve(rows, kernel[::-1, None], mode='valid', axes=0)
