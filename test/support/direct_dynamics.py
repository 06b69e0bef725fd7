# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics without generated code: the equations run on floats, recorded programs node by node.

Recording, emitting and compiling take 5 to 100 ms per function of one arm; an evaluation on floats
takes 0.1 to 0.5 ms. For one state of one arm that is the cheaper way.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from types import SimpleNamespace
from typing import Callable

import numpy as np

from kane_dynamics import Dynamics
from kane_dynamics.codegen.program import Input
from kane_dynamics.dynamics.compiled_functions import CompiledFunctions
from kane_dynamics.dynamics.programs.registry import program
from kane_dynamics.dynamics.recorded_arm import RecordedArm

UNARY = {'neg': lambda a: -a, 'inv': lambda a: 1.0 / a, 'sqrt': math.sqrt, 'sin': math.sin,
         'cos': math.cos}
BINARY = {'add': lambda a, b: a + b, 'sub': lambda a, b: a - b, 'mul': lambda a, b: a * b}


@dataclass(frozen=True)
class DirectProgram:
    """A function of an arm that is not recorded: called with lists of floats."""

    inputs: tuple
    function: Callable
    shape: tuple
    operation_count: SimpleNamespace


class DirectArm(RecordedArm):
    """Kane's equations of a robot on floats; forward dynamics by the first or the last method."""

    def __init__(self, robot, friction=None, last_method=False):
        self._rank = -1 if last_method else 1
        super().__init__(robot, friction)

    def record(self, name, groups, function, shape):
        """Return the function itself."""
        sizes = {'q': self.nq, 'ud_joints': self.first_mode, 'base': 9}
        self._rank += 1 if self._rank > 0 else -1
        return DirectProgram(
            tuple(Input(group, sizes.get(group, self.nv)) for group in groups),
            lambda *values: function(self._model, *values), tuple(shape),
            SimpleNamespace(mul=self._rank, add=0))


class DirectKernel:
    """Evaluate a DirectProgram."""

    def __init__(self, program):
        self.program = program

    def fill(self, arrays, out):
        """Compute one sample."""
        out[:] = [float(x) for x in self.program.function(*(array.tolist() for array in arrays))]

    def fill_many(self, arrays, out, threads=1):
        """Compute samples in rows."""
        for rows in zip(*arrays, out):
            self.fill(rows[:-1], rows[-1])

    def entry(self, fallback, documentation, shared=()):
        """Return None: there is no faster entry."""
        return None


class DirectDynamics(Dynamics):
    """Dynamics on floats, for all functions but derivatives and steps."""

    def __init__(self, robot, friction=None, last_method=False):
        self.friction = friction
        CompiledFunctions.__init__(self, robot, DirectArm(robot, friction, last_method), 'python',
                                   False)

    def _kernel(self, name, frame=None):
        key = (name, frame)
        if key not in self._kernels:
            self._kernels[key] = DirectKernel(program(self._arm, name, frame))
        return self._kernels[key]


def interpreted(program, *arrays):
    """Return what a recorded program computes, node by node and without any emitted text."""
    inputs = {each.name: array.tolist() for each, array in zip(program.inputs, arrays)}
    values = {}
    for scalar in program.statements:
        op, args = scalar.op, scalar.args
        if op == 'const':
            value = args[0]
        elif op == 'input':
            value = inputs[args[0]][args[1]]
        elif op in UNARY:
            value = UNARY[op](values[args[0].serial])
        else:
            value = BINARY[op](values[args[0].serial], values[args[1].serial])
        values[scalar.serial] = value
    return np.array([values[output.serial] for output in program.outputs]).reshape(program.shape)
