# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Combined criterion of Vukobratovic and Potkonjak (1982, 5.2): time and energy in one number.

Each efficiency is between 0 (worst acceptable) and 1 (best); a weighted power mean with exponent r
combines them. For small r both must be good (conjunction, `and`); for large r one is enough
(disjunction, `or`).
"""

from __future__ import annotations

from functools import cache
import math

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray

LARGEST = 60.0    # |r| beyond which the mean is the smaller or the larger value, to 1 %


def efficiency(value: float, worst: float, best: float) -> float:
    """Return 0 at `worst`, 1 at `best`, linear between, within 0 to 1 (figure 5.1)."""
    if worst == best:
        raise InputError(f'worst and best must differ, both are {worst}')
    return float(np.clip((worst - value) / (worst - best), 0.0, 1.0))


def combined(first: float, second: float, r: float, weight: float = 0.5) -> float:
    """Return the mean of two efficiencies from 0 to 1; weight: of the first (5.2.2-4).

    (w a^r + (1 - w) b^r)^(1/r); the smaller, the geometric mean and the larger for r = -inf, 0 and
    inf. The smaller (r < 0) or the larger value is factored out, so that no power overflows.
    """
    for name, value in (('first', first), ('second', second), ('weight', weight)):
        if not 0.0 <= value <= 1.0:
            raise InputError(f'{name} must be 0 to 1, got {value}')
    if weight in (0.0, 1.0):
        return first if weight == 1.0 else second
    low, high = min(first, second), max(first, second)
    if math.isinf(r):
        return high if r > 0.0 else low
    if low == 0.0 and r <= 0.0:
        return 0.0
    if r == 0.0:
        return first ** weight * second ** (1.0 - weight)
    scale = high if r > 0.0 else low
    if scale == 0.0:
        return 0.0
    mean = weight * (first / scale) ** r + (1.0 - weight) * (second / scale) ** r
    return scale * mean ** (1.0 / r)


def disjunction(r: float) -> float:
    """Return the degree d of disjunction, 0 to 1, of a power r; that of conjunction is 1 - d.

    d = 3 mean(G) - 1, the mean over all pairs of efficiencies with equal weights. G is homogeneous
    of degree one, so that an integral over one edge of the square remains:
    d = 2 int_0^1 G(1, s) ds - 1.
    """
    if math.isinf(r):
        return 1.0 if r > 0.0 else 0.0
    s, weights = _nodes()
    if r == 0.0:
        values = np.sqrt(s)
    elif r > 0.0:
        values = (0.5 + 0.5 * s**r)**(1.0 / r)
    else:
        values = s * (0.5 + 0.5 * s**-r)**(1.0 / r)
    return float(2.0 * np.dot(weights, values) - 1.0)


@cache
def _nodes() -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights (200,) of a quadrature over 0 to 1, dense near 0."""
    v, w = np.polynomial.legendre.leggauss(200)
    v = 0.5 * (v + 1.0)
    return v**6, 0.5 * w * 6.0 * v**5      # s = v^6 resolves the region near 0 for small r


def averaging_factor(d: float) -> float:
    """Return the power r whose degree of disjunction is d, 0 to 1: figure 5.4, inverted."""
    if not 0.0 <= d <= 1.0:
        raise InputError(f'the degree of disjunction is 0 to 1, got {d}')
    if d in (0.0, 1.0):
        return math.inf if d == 1.0 else -math.inf
    low, high = -LARGEST, LARGEST
    if not disjunction(low) < d < disjunction(high):
        raise InputError(f'd = {d} is nearer to 0 or 1 than powers of {LARGEST} reach')
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if disjunction(middle) < d else (low, middle)
    return 0.5 * (low + high)
