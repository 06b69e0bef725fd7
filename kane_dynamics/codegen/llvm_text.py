# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Programs as LLVM text: a function for one sample, and one that iterates it.

Multiplications and additions may fuse (`contract`), which is faster and no less accurate; all else
is IEEE arithmetic, so NaN propagates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kane_dynamics.codegen.llvm_lines import Lines, number
from kane_dynamics.codegen.llvm_sincos import ANGULAR, definitions, sincos

if TYPE_CHECKING:
    from kane_dynamics.codegen.program import Program
    from kane_dynamics.kane.scalar import Scalar

BINARY = {'add': 'fadd', 'sub': 'fsub', 'mul': 'fmul'}


def statements(code: Lines, program: Program, load: Callable[[str, int], str],
               store: Callable[[int, str], None], together: bool = False) -> list[str]:
    """Write the statements of a program.

    `load(input, index)` gives the name of an input value. `store(output, name)` is called for
    every output as soon as it is computed: results that wait for the end all need a register at
    once, and LLVM takes minutes to allocate a few thousand of them. `together` computes the sines
    of angles that are known at the same time in one vector: faster, unless samples are in vectors
    already. These angles may be of any size; without `together` the sines are those of @near, and
    the caller checks the angles, whose names are returned.
    """
    names: dict[int, str] = {}
    pairs: dict[int, list[str]] = {}
    wanted: dict[int, list[int]] = {}
    order: Sequence[Scalar] = program.statements
    rounds: dict[int, list[int]] = {}
    function = 'sincos' if together else 'near'
    for k, output in enumerate(program.outputs):
        wanted.setdefault(output.serial, []).append(k)
    if together:
        order, rounds = in_rounds(program.statements)
    for scalar in order:
        if scalar.op == 'const':
            name = number(scalar.value)
        elif scalar.op == 'input':
            name = load(*scalar.args)
        elif scalar.op in ANGULAR:
            angle = scalar.args[0].serial
            if angle not in pairs:
                angles = rounds.get(angle, [angle])
                pairs.update(zip(angles, sincos(
                    code, [names[each] for each in angles], function)))
            name = pairs[angle][ANGULAR.index(scalar.op)]
        else:
            operands = [names[operand.serial] for operand in scalar.args]
            if scalar.op in BINARY:
                name = code.arithmetic(BINARY[scalar.op], *operands)
            elif scalar.op == 'neg':
                name = code.let(f'fneg double {operands[0]}')
            elif scalar.op == 'inv':
                name = code.let(f'fdiv double {number(1.0)}, {operands[0]}')
            else:
                name = code.let(f'call double @llvm.sqrt.f64(double {operands[0]})')
        names[scalar.serial] = name
        for k in wanted.get(scalar.serial, ()):
            store(k, name)
    return [names[angle] for angle in pairs]


def in_rounds(scalars: Sequence[Scalar]) -> tuple[Sequence[Scalar], dict[int, list[int]]]:
    """Return scalars by how many sines deep they are, and {angle: the angles of its round}."""
    depth: dict[int, int] = {}
    rounds: dict[int, list[int]] = {}
    for scalar in scalars:
        if scalar.op in ('const', 'input'):
            depth[scalar.serial] = 0
            continue
        depth[scalar.serial] = max(depth[operand.serial] for operand in scalar.args)
        if scalar.op in ANGULAR:
            depth[scalar.serial] += 1
            angles = rounds.setdefault(depth[scalar.serial], [])
            if scalar.args[0].serial not in angles:
                angles.append(scalar.args[0].serial)
    return (sorted(scalars, key=lambda scalar: depth[scalar.serial]),
            {angle: angles for angles in rounds.values() for angle in angles})


def sample_function(program: Program) -> str:
    """Return `void @sample(ptr inputs..., ptr out)`.

    Everything is read before anything is written: `out` may be one of the inputs.
    """
    code = Lines()
    arguments = [f'ptr %{each.name}' for each in program.inputs] + ['ptr %out']

    def load(group: str, index: int) -> str:
        address = code.let(f'getelementptr inbounds double, ptr %{group}, i64 {index}')
        return code.let(f'load double, ptr {address}')

    def store(index: int, value: str) -> None:
        address = code.let(f'getelementptr inbounds double, ptr %out, i64 {index}')
        code.put(f'store double {value}, ptr {address}')

    # all loads come first, in one go
    inputs = {scalar.args: load(*scalar.args) for scalar in program.statements
              if scalar.op == 'input'}
    statements(code, program, lambda *key: inputs[key], store, together=True)
    code.put('ret void')
    return '\n'.join([definitions(code), f'define void @sample({", ".join(arguments)}) {{',
                      *code.lines, '}'])


def iterate_function(program: Program, sample: int) -> str:
    """Return `void @iterate(i64 steps, i64 stride, ptr states, ptr driven, ptr shared...)`.

    Row k + 1 of `states` is the program of row k and of row k of `driven` (or of its only row).
    sample: where the compiled function of one sample is; compiling it again would take seconds.
    """
    shared = [f'ptr %{each.name}' for each in program.inputs[2:]]
    rows = ', '.join(['ptr %now', 'ptr %row', *shared, 'ptr %then'])
    size = len(program.outputs)
    takes = ', '.join(['i64 %steps', 'i64 %stride', 'ptr %states', 'ptr %driven', *shared])
    return f"""define void @iterate({takes}) {{
entry:
  br label %head
head:
  %k = phi i64 [0, %entry], [%next, %body]
  %more = icmp slt i64 %k, %steps
  br i1 %more, label %body, label %exit
body:
  %at = mul i64 %k, {size}
  %now = getelementptr inbounds double, ptr %states, i64 %at
  %then = getelementptr inbounds double, ptr %now, i64 {size}
  %row.at = mul i64 %k, %stride
  %row = getelementptr inbounds double, ptr %driven, i64 %row.at
  call void inttoptr (i64 {sample} to ptr)({rows})
  %next = add nsw nuw i64 %k, 1
  br label %head
exit:
  ret void
}}"""
