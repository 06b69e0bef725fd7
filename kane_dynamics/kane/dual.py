# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Dual numbers: a value and its slope along one direction, carried through all arithmetic.

Kane's equations run on them as on any scalar. They hold floats or recording scalars, so that what
is truncated to first order can be recorded as well.
"""

from __future__ import annotations

import functools

import numpy as np

from kane_dynamics.kane import scalar


def _lifted(operation):
    """Let the second operand be a number or a recording scalar; leave arrays to numpy."""
    @functools.wraps(operation)
    def method(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        return operation(self, other if isinstance(other, Dual) else Dual(other, 0.0))
    return method


class Dual:
    """Be value + slope e with e e = 0."""

    __slots__ = ('value', 'slope')

    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __repr__(self):
        return f'Dual({self.value}, {self.slope})'

    @_lifted
    def __add__(a, b):
        return Dual(a.value + b.value, a.slope + b.slope)

    __radd__ = __add__

    @_lifted
    def __sub__(a, b):
        return Dual(a.value - b.value, a.slope - b.slope)

    @_lifted
    def __rsub__(a, b):
        return b - a

    @_lifted
    def __mul__(a, b):
        return Dual(a.value * b.value, a.value * b.slope + a.slope * b.value)

    __rmul__ = __mul__

    @_lifted
    def __truediv__(a, b):
        inverse = 1.0 / b.value
        ratio = a.value * inverse
        return Dual(ratio, (a.slope - ratio * b.slope) * inverse)

    @_lifted
    def __rtruediv__(a, b):
        return b / a

    def __neg__(self):
        return Dual(-self.value, -self.slope)

    def sin(self):
        """Return the sine."""
        return Dual(scalar.sin(self.value), scalar.cos(self.value) * self.slope)

    def cos(self):
        """Return the cosine."""
        return Dual(scalar.cos(self.value), -(scalar.sin(self.value) * self.slope))

    def sqrt(self):
        """Return the square root."""
        root = scalar.sqrt(self.value)
        return Dual(root, self.slope / (root + root))
