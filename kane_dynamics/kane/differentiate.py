# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of recorded expressions: the chain rule walked over the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kane_dynamics.kane.scalar import AnyScalar, ARITY, Scalar


def reachable(outputs: Sequence[Scalar]) -> list[Scalar]:
    """Return every scalar that the outputs need, operands before results."""
    found: dict[int, Scalar] = {}
    stack = list(outputs)
    while stack:
        scalar = stack.pop()
        if scalar.serial in found:
            continue
        found[scalar.serial] = scalar
        stack.extend(scalar.args[:ARITY[scalar.op]])
    return [found[serial] for serial in sorted(found)]


def _partials(scalar: Scalar) -> tuple[tuple[Scalar, AnyScalar], ...]:
    """Return (operand, d scalar / d operand) for each operand."""
    op, args = scalar.op, scalar.args
    if op == 'add':
        return (args[0], 1.0), (args[1], 1.0)
    if op == 'sub':
        return (args[0], 1.0), (args[1], -1.0)
    if op == 'mul':
        return (args[0], args[1]), (args[1], args[0])
    if op == 'neg':
        return ((args[0], -1.0),)
    if op == 'inv':
        return ((args[0], -(scalar * scalar)),)
    if op == 'sqrt':
        return ((args[0], 0.5 * scalar.reciprocal()),)
    if op == 'sin':
        return ((args[0], args[0].cos()),)
    if op == 'cos':
        return ((args[0], -args[0].sin()),)
    return ()


def tangent(outputs: Sequence[Scalar], seeds: Mapping[Scalar, AnyScalar]) -> list[Scalar]:
    """Return d outputs along one direction (forward mode).

    `seeds` maps input scalars to their rate along that direction (a float or a scalar).
    """
    rates = dict(seeds)
    zero = outputs[0].graph.zero
    for scalar in reachable(outputs):
        if scalar in rates:
            continue
        rate = zero
        for operand, partial in _partials(scalar):
            known = rates.get(operand)
            if known is not None:
                rate = rate + known * partial
        if not (rate.is_constant and rate.value == 0.0):
            rates[scalar] = rate
    return [rates.get(output, zero) + 0.0 for output in outputs]


def jacobian(outputs: Sequence[Scalar], inputs: Sequence[Scalar]) -> list[list[Scalar]]:
    """Return rows d output_i / d input_j, a list per output (forward mode, one sweep an input)."""
    columns = [tangent(outputs, {scalar: outputs[0].graph.constant(1.0)}) for scalar in inputs]
    return [list(row) for row in zip(*columns)]


def gradient(output: Scalar, inputs: Sequence[Scalar]) -> list[Scalar]:
    """Return d output / d inputs (reverse mode, one sweep for all the inputs)."""
    zero = output.graph.zero
    weights = {output: output.graph.constant(1.0)}
    for scalar in reversed(reachable([output])):
        weight = weights.get(scalar)
        if weight is None:
            continue
        for operand, partial in _partials(scalar):
            weights[operand] = weights.get(operand, zero) + weight * partial
    return [weights.get(scalar, zero) for scalar in inputs]
