# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Recording scalars: what is written down is what floats compute, once and without zeros."""

import math

import numpy as np
import pytest
from random_expressions import random_expression

from kane_dynamics.codegen.program import Input, record
from kane_dynamics.codegen.python import PythonKernel
from kane_dynamics.kane.scalar import cos, Graph, sin, sqrt


@pytest.fixture
def xyz():
    """Return three input scalars of one graph."""
    return Graph().inputs('x', 3)


def evaluated(function, numbers):
    """Return what the recorded function gives for numbers, run as generated Python."""
    program = record('f', [Input('x', len(numbers))], lambda x: [function(x)], (1,))
    out = np.empty(1)
    PythonKernel(program).fill([np.array(numbers, dtype=float)], out)
    return out[0]


@pytest.mark.parametrize('seed', range(200))
def test_a_random_expression_has_the_value_that_floats_give(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.uniform(-1.5, 1.5, 4).tolist()
    function = random_expression(rng, numbers)
    # signs move and constants merge, so sums round otherwise; no operation enlarges that by
    # more than ten times and few stand behind one another
    assert evaluated(function, numbers) == pytest.approx(function(numbers), rel=0.0, abs=1e-12)


def test_equal_expressions_are_one_object(xyz):
    x, y, z = xyz
    assert x * y is y * x
    assert x + y is y + x
    assert (x + y) * z is z * (y + x)
    assert sin(x * y) is sin(y * x)
    assert x - y is not y - x


def test_zero_and_one_leave_no_trace(xyz):
    x, y, _ = xyz
    assert 0.0 + x is x and x + 0.0 is x and x - 0.0 is x and 1.0 * x is x and x * 1.0 is x
    assert (0.0 * x).is_constant and (0.0 * x).value == 0.0
    assert (x - x).value == 0.0
    assert 0.0 * sin(x) + y is y


def test_minus_zero_is_zero(xyz):
    zero = xyz[0].graph.constant(-0.0)
    assert zero is xyz[0].graph.zero and math.copysign(1.0, zero.value) == 1.0


def test_constants_are_computed_while_recording(xyz):
    x, *_ = xyz
    constant = x.graph.constant
    assert (constant(2.0) * constant(3.0) + 1.0).value == 7.0
    assert sin(constant(0.5)).value == math.sin(0.5)
    assert cos(constant(0.5)).value == math.cos(0.5)
    assert sqrt(constant(2.0)).value == math.sqrt(2.0)
    assert (1.0 / constant(4.0)).value == 0.25
    assert 2.0 * (3.0 * x) is 6.0 * x


def test_signs_move_outward_until_they_meet_a_sum(xyz):
    x, y, z = xyz
    assert x + (-y) is x - y
    assert x - (-y) is x + y
    assert (-x) * y is -(x * y)
    assert (-x) * (-y) is x * y
    assert -(x - y) is y - x
    assert -(-x) is x
    assert -2.0 * x is -(2.0 * x)
    assert z + (-3.0) * x is z - 3.0 * x


def test_a_division_is_shared_by_all_that_divide(xyz):
    x, y, z = xyz
    program = record('f', [Input('x', 3)],
                     lambda x: [x[0] / x[2], x[1] / x[2], 1.0 / x[2]], (3,))
    assert program.operation_count.div == 1
    assert x / z is x * z.reciprocal() and y / z is y * z.reciprocal()


def test_what_no_output_needs_is_not_in_the_program():
    def function(x):
        sin(x[0]) * x[1]                                   # recorded, then never used
        return [x[0] + x[1]]
    program = record('f', [Input('x', 2)], function, (1,))
    assert [scalar.op for scalar in program.statements] == ['input', 'input', 'add']


def test_operations_are_counted_as_written():
    program = record('f', [Input('x', 2)], lambda x: [
        sin(x[0]) * cos(x[0]) + x[1] / x[0], sqrt(x[1]) - x[0] * x[1] - 2.0], (2,))
    count = program.operation_count
    assert (count.mul, count.add, count.div, count.sqrt, count.sincos) == (3, 3, 1, 1, 1)
    assert str(count) == '3 mult, 3 add, 1 div, 1 sqrt, 1 sincos'


def test_numpy_arrays_of_scalars_multiply_as_arrays_of_floats_do():
    A, x = np.arange(9.0).reshape(3, 3) - 4.0, [0.3, -1.2, 0.7]
    expected = A @ np.array(x)
    for k in range(3):
        assert evaluated(lambda s, k=k: (A @ np.array(s))[k], x) == pytest.approx(
            expected[k], rel=1e-15)
    assert evaluated(lambda s: np.array(s) @ np.array(s), x) == pytest.approx(
        np.dot(x, x), rel=1e-15)


def test_an_array_times_a_scalar_is_an_array_either_way(xyz):
    x, *_ = xyz
    left, right = np.array([1.0, 2.0]) * x, x * np.array([1.0, 2.0])
    assert left.shape == right.shape == (2,)
    assert left[0] is x is right[0] and left[1] is right[1]
