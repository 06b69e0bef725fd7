# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Dual numbers: a value and its slope along one direction, carried through all arithmetic.

Kane's equations run on them as on any scalar. They hold floats or recording scalars, so that
truncated equations can be recorded as well.
"""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import Any

import numpy as np

from kane_dynamics.kane import scalar
from kane_dynamics.kane.scalar import AnyScalar


def _lifted(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Let the second operand be a number or a recording scalar; leave arrays to numpy."""
    @functools.wraps(operation)
    def method(self: Any, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return operation(self, other if isinstance(other, Dual) else Dual(other, 0.0))
    return method


class Dual:
    """A number value + slope e with e e = 0."""

    __slots__ = ('value', 'slope')

    def __init__(self, value: AnyScalar, slope: AnyScalar) -> None:
        self.value, self.slope = value, slope

    def __repr__(self) -> str:
        return f'Dual({self.value}, {self.slope})'

    @_lifted
    def __add__(a, b: Dual) -> Dual:
        return Dual(a.value + b.value, a.slope + b.slope)

    __radd__ = __add__

    @_lifted
    def __sub__(a, b: Dual) -> Dual:
        return Dual(a.value - b.value, a.slope - b.slope)

    @_lifted
    def __rsub__(a, b: Dual) -> Dual:
        return b - a

    @_lifted
    def __mul__(a, b: Dual) -> Dual:
        return Dual(a.value * b.value, a.value * b.slope + a.slope * b.value)

    __rmul__ = __mul__

    @_lifted
    def __truediv__(a, b: Dual) -> Dual:
        inverse = 1.0 / b.value
        ratio = a.value * inverse
        return Dual(ratio, (a.slope - ratio * b.slope) * inverse)

    @_lifted
    def __rtruediv__(a, b: Dual) -> Dual:
        return b / a

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def sin(self) -> Dual:
        """Return the sine."""
        return Dual(scalar.sin(self.value), scalar.cos(self.value) * self.slope)

    def cos(self) -> Dual:
        """Return the cosine."""
        return Dual(scalar.cos(self.value), -(scalar.sin(self.value) * self.slope))

    def sqrt(self) -> Dual:
        """Return the square root."""
        root = scalar.sqrt(self.value)
        return Dual(root, self.slope / (root + root))
