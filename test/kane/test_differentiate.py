# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of recorded expressions are those of the functions."""

import cmath

import numpy as np
import pytest
from random_expressions import random_expression

from kane_dynamics.codegen.program import Input, record
from kane_dynamics.codegen.python import PythonKernel
from kane_dynamics.kane import scalar
from kane_dynamics.kane.differentiate import gradient, jacobian, tangent

STEP = 1e-40      # a complex step has no difference to cancel: it may be as small as one likes


def evaluated(function, numbers, size):
    """Return the numbers that a recorded function of scalars gives, (size,)."""
    program = record('f', [Input('x', len(numbers))], function, (size,))
    out = np.empty(size)
    PythonKernel(program).fill([np.array(numbers, dtype=float)], out)
    return out


def complex_step(function, numbers, monkeypatch):
    """Return d function / d x_k = Im f(x + i h e_k) / h (Squire and Trapp 1998)."""
    with monkeypatch.context() as patch:
        for name in ('sin', 'cos', 'sqrt'):
            patch.setattr(f'random_expressions.{name}', getattr(cmath, name))
        return [function([x + (1j * STEP if k == i else 0.0) for i, x in enumerate(numbers)])
                .imag / STEP for k in range(len(numbers))]


@pytest.mark.parametrize('seed', range(60))
def test_derivatives_of_a_random_expression_are_those_of_a_complex_step(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    numbers = rng.uniform(-1.0, 1.0, 4).tolist()
    function = random_expression(rng, numbers)
    expected = complex_step(function, numbers, monkeypatch)
    scale = 1.0 + np.abs(expected).max()
    forward = evaluated(lambda x: jacobian([function(x)], x)[0], numbers, 4)
    reverse = evaluated(lambda x: gradient(function(x), x), numbers, 4)
    # the same chain rule in another order: round-off of products of up to 40 factors below ten
    np.testing.assert_allclose(forward, expected, rtol=0, atol=1e-10 * scale)
    np.testing.assert_allclose(reverse, expected, rtol=0, atol=1e-10 * scale)
    np.testing.assert_allclose(forward, reverse, rtol=0, atol=1e-10 * scale)


@pytest.mark.parametrize('function, derivative, at', [
    (scalar.sin, np.cos, 0.7), (scalar.cos, lambda x: -np.sin(x), 0.7),
    (scalar.sqrt, lambda x: 0.5 / np.sqrt(x), 2.3), (lambda x: 1.0 / x, lambda x: -x**-2, 2.3),
    (lambda x: -x, lambda x: -1.0, 0.4), (lambda x: x * x * x, lambda x: 3 * x * x, 0.4),
    (lambda x: 2.0 - x, lambda x: -1.0, 0.4)])
def test_each_operation_has_its_derivative_from_the_book(function, derivative, at):
    for mode in (lambda x: jacobian([function(x[0])], x)[0],
                 lambda x: gradient(function(x[0]), x)):
        assert evaluated(mode, [at], 1)[0] == pytest.approx(derivative(at), rel=1e-15)


def test_a_tangent_is_the_derivative_along_its_direction():
    def function(x):
        return [x[0] * x[1], scalar.sin(x[2]) / x[0]]
    numbers, direction = [1.3, 0.4, -0.8], [0.2, -1.0, 0.5]
    along = evaluated(lambda x: tangent(function(x), dict(zip(x, direction))), numbers, 2)
    whole = evaluated(lambda x: sum(jacobian(function(x), x), []), numbers, 6).reshape(2, 3)
    np.testing.assert_allclose(along, whole @ direction, rtol=1e-14)


def test_what_does_not_depend_on_an_input_has_derivative_zero_and_costs_nothing():
    program = record('f', [Input('x', 2)], lambda x: jacobian([scalar.sin(x[0])], x)[0], (2,))
    assert program.outputs[1].is_constant and program.outputs[1].value == 0.0
    assert program.operation_count.mul == 0


def test_second_derivatives_are_symmetric_and_right():
    def hessian(x):
        function = scalar.sin(x[0] * x[1]) + x[1] * x[1] * x[0]
        return sum(jacobian(gradient(function, x), x), [])
    a, b = 0.6, -1.1
    sine, cosine = np.sin(a * b), np.cos(a * b)
    mixed = cosine - a * b * sine + 2 * b
    expected = [-b * b * sine, mixed, mixed, -a * a * sine + 2 * a]
    np.testing.assert_allclose(evaluated(hessian, [a, b], 4), expected, rtol=1e-14)
