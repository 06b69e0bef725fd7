# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Programs as Python text: runs everywhere, on floats and, column by column, on numpy blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math
import re
from typing import Any, TYPE_CHECKING

import numpy as np

from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.codegen.program import Program
    from kane_dynamics.kane.scalar import Scalar

BLOCK = 1024    # samples per numpy block: 8 kB a temporary, so that the working set stays in cache
SIGNS = {'add': '+', 'sub': '-', 'mul': '*'}


def identifiers(program: Program, input_text: Callable[[str, int], str]) -> dict[int, str]:
    """Return a name for every scalar of a program: generated names and numbers, nothing else."""
    names = {}
    for scalar in program.statements:
        if scalar.op == 'const':
            text = repr(scalar.value)
            names[scalar.serial] = f'({text})' if scalar.value < 0.0 else text
        elif scalar.op == 'input':
            names[scalar.serial] = input_text(*scalar.args)
        else:
            names[scalar.serial] = f'z{scalar.serial}'
    return names


def expression(scalar: Scalar, names: Mapping[int, str]) -> str:
    """Return the right-hand side of one statement; the same text is Python and C."""
    a = names[scalar.args[0].serial]
    if scalar.op in SIGNS:
        return f'{a} {SIGNS[scalar.op]} {names[scalar.args[1].serial]}'
    return {'neg': f'-{a}', 'inv': f'1.0 / {a}'}.get(scalar.op, f'{scalar.op}({a})')


def python_source(program: Program) -> str:
    """Return the text of a function of scalar arguments that returns a tuple."""
    arguments = [f'{each.name}{k}' for each in program.inputs for k in range(each.size)]
    names = identifiers(program, lambda group, k: f'{group}{k}')
    lines = [f'def {program.name}({", ".join(arguments)}):',
             f'    """Return {len(program.outputs)} values ({program.operation_count})."""']
    for scalar in program.statements:
        if scalar.op not in ('const', 'input'):
            lines.append(f'    {names[scalar.serial]} = {expression(scalar, names)}')
    results = [names[output.serial] for output in program.outputs]
    lines.append(f'    return ({"".join(f"{result}, " for result in results)})')
    return '\n'.join(lines) + '\n'


def plain_text(name: str) -> str:
    """Return a name that cannot end a comment: plain characters only."""
    return re.sub(r'[^A-Za-z0-9_.\- ]', '?', name)[:120]


class PythonKernel:
    """Evaluate a program without any compiler."""

    def __init__(self, program: Program) -> None:
        self.program = program
        # the text holds only generated names and number literals: nothing from a file is in it
        code = compile(python_source(program), f'<{program.name}>', 'exec')
        of_floats: dict[str, Any] = {'sin': math.sin, 'cos': math.cos, 'sqrt': math.sqrt}
        of_columns: dict[str, Any] = {'sin': np.sin, 'cos': np.cos, 'sqrt': np.sqrt}
        exec(code, of_floats)
        exec(code, of_columns)
        self._of_floats, self._of_columns = of_floats[program.name], of_columns[program.name]

    def fill(self, arrays: Sequence[FloatArray], out: FloatArray) -> None:
        """Compute one sample: flat float64 input arrays to the flat array `out`."""
        arguments = [value for array in arrays for value in array.tolist()]
        try:
            out[:] = self._of_floats(*arguments)
        except (OverflowError, ValueError, ZeroDivisionError):   # numpy has infinity and NaN there
            with np.errstate(all='ignore'):
                out[:] = self._of_columns(*(np.float64(value) for value in arguments))

    def entry(self, fallback: Callable[..., Any] | None, documentation: str,
              shared: Sequence[FloatArray] = ()) -> Callable[..., Any] | None:
        """Return None: nothing is faster than the fallback itself."""
        return None

    def bound(self, arrays: Sequence[FloatArray]) -> Callable[[], None]:
        """Return step(): computes from and into these arrays, which the caller has checked."""
        *inputs, out = arrays
        flat = out.reshape(-1)
        return lambda: self.fill(inputs, flat)

    def iterate(self, state: FloatArray, driven: FloatArray, shared: Sequence[FloatArray],
                steps: int) -> FloatArray:
        """Return states (steps + 1, size): the program applied to its own result repeatedly.

        `driven` is its second input, one row or a row per step; `shared` are the arrays after it.
        """
        states = np.empty((steps + 1, len(state)))
        states[0] = state
        for k in range(steps):
            row = driven if driven.ndim == 1 else driven[k]
            self.fill([states[k], row, *shared], states[k + 1])
        return states

    def fill_many(self, arrays: Sequence[FloatArray], out: FloatArray, threads: int = 1) -> None:
        """Compute samples: (N, size) arrays, (size,) for a shared one, to `out` (N, outputs)."""
        del threads                                        # numpy blocks run one after another
        for start in range(0, len(out), BLOCK):
            rows = slice(start, start + BLOCK)
            arguments: list[Any] = []
            for each, array in zip(self.program.inputs, arrays):
                arguments.extend(array if each.shared else np.ascontiguousarray(array[rows].T))
            with np.errstate(all='ignore'):
                for k, column in enumerate(self._of_columns(*arguments)):
                    out[rows, k] = column
