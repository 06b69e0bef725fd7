# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Random arithmetic that runs on floats, on recording scalars and on complex numbers."""

from kane_dynamics.kane.scalar import cos, sin, sqrt


def random_expression(rng, numbers, steps=40):
    """Return a function of a list, random operations that keep its values small at `numbers`."""
    chosen, values = [], list(numbers)
    while len(chosen) < steps:
        step = (rng.integers(8), *rng.integers(0, len(values), 2),
                rng.choice([-2.0, -1.0, 0.0, 0.5, 1.0, 3.25]))
        value = applied(step, values)
        if abs(value) < 10.0:
            chosen.append(step)
            values.append(value)

    def function(x):
        values = list(x)
        for step in chosen:
            values.append(applied(step, values))
        return sum(values[-5:], 0.0) + sqrt(1.0 + values[-1] * values[-1])
    return function


def applied(step, values):
    """Return one operation on earlier values, floats or scalars."""
    op, i, j, number = step
    a, b = values[i], values[j]
    return (a + b if op == 0 else a - b if op == 1 else a * b if op == 2 else -a if op == 3
            else a * number if op == 4 else number - a if op == 5
            else sin(a) if op == 6 else 1.0 / (2.0 + cos(b)))
