# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Programs as LLVM text for many samples: a loop that runs several of them in one vector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kane_dynamics.codegen.llvm_lines import Lines, number
from kane_dynamics.codegen.llvm_sincos import definitions, NEAR, near_definition
from kane_dynamics.codegen.llvm_text import statements

if TYPE_CHECKING:
    from kane_dynamics.codegen.program import Program

BLOCK = 8       # samples per block of a batch, a vector or two: humanoids stay in the cache
# Metadata of the loops over samples: no sample reads what another one writes. The analysis of LLVM
# takes a time that grows with the square of the outputs: minutes for a humanoid's M.
PARALLEL = ', !llvm.access.group !0'
LOOP, LOOP_OF_PACK, LOOP_OF_UNPACK = '!1', '!2', '!3'
METADATA = """!0 = distinct !{}
!1 = distinct !{!1, !4}
!2 = distinct !{!2, !4, !5}
!3 = distinct !{!3, !4, !5}
!4 = !{!"llvm.loop.parallel_accesses", !0}
!5 = !{!"llvm.loop.vectorize.enable", i1 false}
"""


def batch_functions(program: Program, sample: int) -> str:
    """Return `void @batch(i64 N, ptr inputs..., ptr out, ptr workspace)`.

    Rows of (N, size) arrays are laid into columns of a workspace at constant offsets, so that the
    compiler sees one loop without aliasing and runs several samples in one vector. A row with an
    angle beyond NEAR is left to `sample`, the address of the function of one sample.
    """
    columns: dict[str, int] = {}
    offset = 0
    for each in program.inputs:
        if not each.shared:
            columns[each.name] = offset
            offset += each.size
    shared = [each.name for each in program.inputs if each.shared]
    block = _block_function(program, columns, offset, shared)
    pack, unpack = Lines(), Lines()
    for each in program.inputs:
        if not each.shared:
            _copy_row(pack, each.size, f'%{each.name}', columns[each.name], to_workspace=True)
    _copy_row(unpack, len(program.outputs), '%out', offset, to_workspace=False)
    alone = _alone(program, sample)
    arguments = ', '.join(f'ptr %{each.name}' for each in program.inputs)
    call = ', '.join(['ptr %workspace'] + [f'ptr %{name}' for name in shared])
    batch = f"""define void @batch(i64 %n, {arguments}, ptr %out, ptr %workspace) {{
entry:
  br label %blocks
blocks:
  %start = phi i64 [0, %entry], [%next, %done]
  %more = icmp slt i64 %start, %n
  br i1 %more, label %size, label %exit
size:
  %left = sub i64 %n, %start
  %short = icmp slt i64 %left, {BLOCK}
  %count = select i1 %short, i64 %left, i64 {BLOCK}
  br label %pack
pack:
  %s = phi i64 [0, %size], [%sn, %pack]
  %row = add i64 %start, %s
{_joined(pack)}
  %sn = add nsw nuw i64 %s, 1
  %again = icmp slt i64 %sn, %count
  br i1 %again, label %pack, label %compute, !llvm.loop {LOOP_OF_PACK}
compute:
  call void @block({call})
  br label %unpack
unpack:
  %s.u = phi i64 [0, %compute], [%sn.u, %written]
  %row.u = add i64 %start, %s.u
  %at = add i64 %s.u, {(offset + len(program.outputs)) * BLOCK}
  %squares.p = getelementptr inbounds double, ptr %workspace, i64 %at
  %squares = load double, ptr %squares.p
  %near = fcmp ole double %squares, {number(NEAR**2)}
  br i1 %near, label %copy, label %alone
copy:
{_joined(unpack).replace('%row,', '%row.u,').replace('%s,', '%s.u,').replace('%v', '%u')}
  br label %written
alone:
{alone}
  br label %written
written:
  %sn.u = add nsw nuw i64 %s.u, 1
  %again.u = icmp slt i64 %sn.u, %count
  br i1 %again.u, label %unpack, label %done, !llvm.loop {LOOP_OF_UNPACK}
done:
  %next = add i64 %start, {BLOCK}
  br label %blocks
exit:
  ret void
}}"""
    return '\n'.join([block, batch, METADATA])


def workspace_size(program: Program) -> int:
    """Return how many doubles the workspace of `@batch` holds: inputs, outputs, sum of squares."""
    columns = sum(each.size for each in program.inputs if not each.shared)
    return (columns + len(program.outputs) + 1) * BLOCK


def _joined(code: Lines) -> str:
    return '\n'.join(code.lines)


def _copy_row(code: Lines, size: int, array: str, column: int, to_workspace: bool) -> None:
    """Copy one row of an (N, size) array to or from columns of the workspace."""
    first = code.let(f'mul i64 %row, {size}')
    for k in range(size):
        at = code.let(f'add i64 {first}, {k}')
        outside = code.let(f'getelementptr inbounds double, ptr {array}, i64 {at}')
        slot = code.let(f'add i64 %s, {(column + k) * BLOCK}')
        inside = code.let(f'getelementptr inbounds double, ptr %workspace, i64 {slot}')
        source, target = (outside, inside) if to_workspace else (inside, outside)
        value = code.let(f'load double, ptr {source}{PARALLEL}')
        code.put(f'store double {value}, ptr {target}{PARALLEL}')


def _alone(program: Program, sample: int) -> str:
    """Return the call that computes row %row.u by itself."""
    code = Lines()
    pointers: list[str] = []
    rows = [(each.name, 0 if each.shared else each.size) for each in program.inputs]
    for name, size in [*rows, ('out', len(program.outputs))]:
        code.put(f'%{name}.first = mul i64 %row.u, {size}')
        code.put(f'%{name}.row = getelementptr inbounds double, ptr %{name}, i64 %{name}.first')
        pointers.append(f'ptr %{name}.row')
    code.put(f'call void inttoptr (i64 {sample} to ptr)({", ".join(pointers)})')
    return _joined(code)


def _block_function(program: Program, columns: dict[str, int], first_output: int,
                    shared: list[str]) -> str:
    """Return `void @block(ptr workspace, ptr shared...)`: one loop over the samples of a block.

    Behind the outputs it leaves the sum of the squares of all angles, to find those beyond NEAR.
    """
    code = Lines()
    head: list[str] = []
    shared_values: dict[tuple[str, int], str] = {}
    for scalar in program.statements:
        if scalar.op == 'input' and scalar.args[0] in shared:
            group, index = scalar.args
            name = f'%{group}.{index}'
            head.append(f'  {name}.p = getelementptr inbounds double, ptr %{group}, i64 {index}')
            head.append(f'  {name} = load double, ptr {name}.p')
            shared_values[scalar.args] = name

    def address(column: int) -> str:
        at = code.let(f'add nsw nuw i64 %i, {column * BLOCK}')
        return code.let(f'getelementptr inbounds double, ptr %workspace, i64 {at}')

    def load(group: str, index: int) -> str:
        if group in shared:
            return shared_values[group, index]
        return code.let(f'load double, ptr {address(columns[group] + index)}{PARALLEL}')

    def store(k: int, value: str) -> None:
        code.put(f'store double {value}, ptr {address(first_output + k)}{PARALLEL}')

    squares = number(0.0)
    for angle in statements(code, program, load, store):
        squares = code.arithmetic('fadd', code.arithmetic('fmul', angle, angle), squares)
    store(len(program.outputs), squares)
    arguments = ', '.join(['ptr %workspace'] + [f'ptr %{name}' for name in shared])
    return '\n'.join([
        definitions(code, near_definition),
        # eight doubles a vector where the processor has them: a third faster on long programs
        f'define internal void @block({arguments}) "prefer-vector-width"="512" {{',
        'entry:', *head, '  br label %loop', 'loop:',
        '  %i = phi i64 [0, %entry], [%next, %loop]', *code.lines,
        '  %next = add nsw nuw i64 %i, 1',
        f'  %again = icmp ult i64 %next, {BLOCK}',
        f'  br i1 %again, label %loop, label %exit, !llvm.loop {LOOP}',
        'exit:', '  ret void', '}'])
