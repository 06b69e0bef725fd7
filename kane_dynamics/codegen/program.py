# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded functions: named input arrays, output scalars and their operation counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
import math

from kane_dynamics.exceptions import ModelError
from kane_dynamics.kane.differentiate import reachable
from kane_dynamics.kane.scalar import AnyScalar, Graph, Scalar


@dataclass(frozen=True)
class Input:
    """An input array of a program; a shared one is the same for all samples of a batch."""

    name: str
    size: int
    shared: bool = False


@dataclass(frozen=True)
class OperationCount:
    """Operations of one evaluation; sign changes are not counted (they merge into sums)."""

    mul: int
    add: int
    div: int
    sqrt: int
    sincos: int

    def __str__(self) -> str:
        return (f'{self.mul} mult, {self.add} add, {self.div} div, '
                f'{self.sqrt} sqrt, {self.sincos} sincos')


@dataclass(frozen=True)
class Program:
    """Straight-line code, independent of any language."""

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[Scalar, ...]         # in the order of the flat output array
    shape: tuple[int, ...]              # of the output array
    statements: tuple[Scalar, ...]      # every one that the outputs need, operands first

    @property
    def operation_count(self) -> OperationCount:
        """Return the number of operations of one evaluation."""
        ops = [scalar.op for scalar in self.statements]
        angles = {scalar.args[0].serial for scalar in self.statements
                  if scalar.op in ('sin', 'cos')}
        return OperationCount(mul=ops.count('mul'), add=ops.count('add') + ops.count('sub'),
                              div=ops.count('inv'), sqrt=ops.count('sqrt'), sincos=len(angles))


def record(name: str, inputs: Iterable[Input], function: Callable[..., Iterable[AnyScalar]],
           shape: Sequence[int]) -> Program:
    """Return the program of `function`, called with one list of scalars per input.

    The function returns a flat list of scalars (or floats) that fills an array of `shape`.
    """
    inputs, graph = tuple(inputs), Graph()
    results = function(*(graph.inputs(each.name, each.size) for each in inputs))
    outputs = tuple(graph.zero + result for result in results)
    statements = tuple(reachable(outputs))
    if not all(math.isfinite(each.value) for each in statements if each.is_constant):
        raise ModelError(f'{name}: products of masses and lengths leave the range of numbers; '
                         'are they in SI units?')
    return Program(name, inputs, outputs, tuple(shape), statements)
