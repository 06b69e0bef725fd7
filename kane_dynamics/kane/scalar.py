# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Recording scalars: arithmetic on them builds a graph instead of a number.

Kane's equations run unchanged on floats and on these. The graph is what Kane and Levinson 1983 and
Nie 1988 wrote by hand as Z-variables: every distinct product or sum is in it once, constants
are folded, and terms that are zero are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AnyScalar: TypeAlias = Any              # a float, a recording `Scalar` or a `Dual`
Scalars: TypeAlias = Sequence[AnyScalar]
ScalarArray: TypeAlias = NDArray[Any]   # of any scalar type: float64, or objects

# op -> number of operands that are scalars themselves
ARITY = {'const': 0, 'input': 0, 'neg': 1, 'inv': 1, 'sqrt': 1, 'sin': 1, 'cos': 1,
         'add': 2, 'sub': 2, 'mul': 2}


class Graph:
    """Scalars in which equal expressions are one object (hash-consing)."""

    def __init__(self) -> None:
        self._scalars: dict[tuple[Any, ...], Scalar] = {}
        self.zero = self.constant(0.0)

    def constant(self, value: float) -> Scalar:
        """Return the scalar of a fixed number."""
        return self._scalar('const', float(value) + 0.0)  # -0.0 + 0.0 = 0.0: one zero only

    def input(self, group: str, index: int) -> Scalar:
        """Return the scalar that is read from entry `index` of the input array `group`."""
        return self._scalar('input', group, index)

    def inputs(self, group: str, size: int) -> list[Scalar]:
        """Return the `size` scalars of an input array."""
        return [self.input(group, index) for index in range(size)]

    def _scalar(self, op: str, *args: Any) -> Scalar:
        key = (op, *(arg.serial if isinstance(arg, Scalar) else arg for arg in args))
        scalar = self._scalars.get(key)
        if scalar is None:
            scalar = self._scalars[key] = Scalar(self, len(self._scalars), op, args)
        return scalar


def _lifted(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Let the second operand be a number too; leave arrays and dual numbers to themselves."""
    @functools.wraps(operation)
    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, Scalar):
            if isinstance(other, np.ndarray) or hasattr(other, 'slope'):
                return NotImplemented
            other = self.graph.constant(other)
        return operation(self, other)
    return method


class Scalar:
    """A node of a graph; `serial` grows with creation, so operands come before results."""

    __slots__ = ('graph', 'serial', 'op', 'args')

    def __init__(self, graph: Graph, serial: int, op: str, args: tuple[Any, ...]) -> None:
        self.graph, self.serial, self.op, self.args = graph, serial, op, args

    @property
    def is_constant(self) -> bool:
        """Return whether the value is known while recording."""
        return self.op == 'const'

    @property
    def value(self) -> float:
        """Return the number of a constant."""
        return self.args[0]

    def __repr__(self) -> str:
        return f'{self.op}{self.args}'

    @_lifted
    def __add__(a, b: Scalar) -> Scalar:
        if a.is_constant and b.is_constant:
            return a.graph.constant(a.value + b.value)
        if a.is_constant and a.value == 0.0:
            return b
        if b.is_constant and b.value == 0.0:
            return a
        if b.op == 'neg':
            return a - b.args[0]
        if a.op == 'neg':
            return b - a.args[0]
        (p, x), (q, y) = a._factored(), b._factored()
        if x is y and not (p == q == 1.0):                 # p x + q x = (p + q) x
            return a.graph.constant(p + q) * x
        first, second = (a, b) if a.serial <= b.serial else (b, a)
        return a.graph._scalar('add', first, second)

    __radd__ = __add__

    def __neg__(self) -> Scalar:
        if self.is_constant:
            return self.graph.constant(-self.value)
        if self.op == 'neg':
            return self.args[0]
        if self.op == 'sub':
            return self.graph._scalar('sub', self.args[1], self.args[0])
        return self.graph._scalar('neg', self)

    @_lifted
    def __sub__(a, b: Scalar) -> Scalar:
        if a.is_constant and b.is_constant:
            return a.graph.constant(a.value - b.value)
        if b.is_constant and b.value == 0.0:
            return a
        if a.is_constant and a.value == 0.0:
            return -b
        if a is b:
            return a.graph.zero
        if b.op == 'neg':
            return a + b.args[0]
        if a.op == 'neg':
            return -(a.args[0] + b)
        (p, x), (q, y) = a._factored(), b._factored()
        if x is y:                                         # p x - q x = (p - q) x
            return a.graph.constant(p - q) * x
        return a.graph._scalar('sub', a, b)

    @_lifted
    def __rsub__(a, b: Scalar) -> Scalar:
        return b - a

    @_lifted
    def __mul__(a, b: Scalar) -> Scalar:
        if b.is_constant:
            a, b = b, a                                   # a constant stands first
        graph = a.graph
        if a.is_constant:
            if b.is_constant:
                return graph.constant(a.value * b.value)
            if a.value == 0.0:
                return graph.zero
            if a.value == 1.0:
                return b
            if a.value < 0.0:                             # signs move outward, to meet a sum
                return -(graph.constant(-a.value) * b)
        if a.op == 'neg':
            return -(a.args[0] * b)
        if b.op == 'neg':
            return -(a * b.args[0])
        if a.is_constant and b.op == 'mul' and b.args[0].is_constant:
            return graph.constant(a.value * b.args[0].value) * b.args[1]
        if not a.is_constant and a.serial > b.serial:
            a, b = b, a
        return graph._scalar('mul', a, b)

    __rmul__ = __mul__

    @_lifted
    def __truediv__(a, b: Scalar) -> Scalar:
        return a * b.reciprocal()

    @_lifted
    def __rtruediv__(a, b: Scalar) -> Scalar:
        return b * a.reciprocal()

    def _factored(self) -> tuple[float, Scalar]:
        """Return (p, x) with self = p x and p a number."""
        if self.op == 'mul' and self.args[0].is_constant:
            return self.args[0].value, self.args[1]
        return 1.0, self

    def reciprocal(self) -> Scalar:
        """Return 1 / self, shared by every division through the same scalar."""
        if self.is_constant:
            return self.graph.constant(1.0 / self.value)
        return self.graph._scalar('inv', self)

    def sqrt(self) -> Scalar:
        """Return the square root."""
        return self._function('sqrt', math.sqrt)

    def sin(self) -> Scalar:
        """Return the sine."""
        return self._function('sin', math.sin)

    def cos(self) -> Scalar:
        """Return the cosine."""
        return self._function('cos', math.cos)

    def _function(self, op: str, of_number: Callable[[float], float]) -> Scalar:
        if self.is_constant:
            return self.graph.constant(of_number(self.value))
        return self.graph._scalar(op, self)


def sin(x: AnyScalar) -> AnyScalar:
    """Return the sine of a float or of a recording scalar."""
    return x.sin() if hasattr(x, 'sin') else math.sin(x)


def cos(x: AnyScalar) -> AnyScalar:
    """Return the cosine of a float or of a recording scalar."""
    return x.cos() if hasattr(x, 'cos') else math.cos(x)


def sqrt(x: AnyScalar) -> AnyScalar:
    """Return the square root of a float, an array of floats or a recording scalar."""
    if hasattr(x, 'sqrt'):
        return x.sqrt()
    return np.sqrt(x) if isinstance(x, np.ndarray) else math.sqrt(x)
