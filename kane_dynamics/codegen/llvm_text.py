# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Programs as LLVM text: one function for a sample, one that runs over blocks of samples.

Multiplications and additions may fuse (`contract`), which is faster and no less accurate; nothing
else of IEEE arithmetic is given up, so a NaN that comes in comes out.
"""

from __future__ import annotations

import struct

BLOCK = 8       # samples per block of a batch, a vector or two: humanoids stay in the cache

# sin and cos on [-pi/4, pi/4]: the polynomials of fdlibm (Sun Microsystems 1993)
SIN = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
       2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)
COS = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
       -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)
TWO_OVER_PI = 0.6366197723675814
# pi/2 in three parts (Cody and Waite 1980)
HALF_PI = (1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624871116645580e-21)

# Said of the loops over samples: no sample reads what another one writes. Finding that out by
# itself takes LLVM a time that grows with the square of the outputs: minutes for a humanoid's M.
PARALLEL = ', !llvm.access.group !0'
LOOP, LOOP_OF_PACK, LOOP_OF_UNPACK = '!1', '!2', '!3'
METADATA = """!0 = distinct !{}
!1 = distinct !{!1, !4}
!2 = distinct !{!2, !4, !5}
!3 = distinct !{!3, !4, !5}
!4 = !{!"llvm.loop.parallel_accesses", !0}
!5 = !{!"llvm.loop.vectorize.enable", i1 false}
"""

BINARY = {'add': 'fadd', 'sub': 'fsub', 'mul': 'fmul'}


def number(value):
    """Return a float as an exact LLVM literal."""
    return f'0x{struct.unpack("<Q", struct.pack("<d", value))[0]:016X}'


class Lines:
    """Collect statements and hand out fresh names."""

    def __init__(self):
        self.lines, self._count = [], 0

    def put(self, text):
        """Add a line."""
        self.lines.append('  ' + text)

    def let(self, text):
        """Add an assignment to a fresh name and return the name."""
        self._count += 1
        name = f'%v{self._count}'
        self.put(f'{name} = {text}')
        return name

    def arithmetic(self, op, a, b):
        """Add a double-precision operation."""
        return self.let(f'{op} contract double {a}, {b}')

    def floor(self, a):
        """Add a rounding toward minus infinity."""
        return self.let(f'call double @llvm.floor.f64(double {a})')


def sincos_definition():
    """Return a branch-free sine and cosine that loops over samples can be vectorized with.

    Within 1 unit in the last place up to |x| = 1e8; NaN and infinity give NaN.
    """
    code = Lines()

    def mul(a, b):
        return code.arithmetic('fmul', a, b)

    def add(a, b):
        return code.arithmetic('fadd', a, b)

    def sub(a, b):
        return code.arithmetic('fsub', a, b)

    def polynomial(z, z2, coefficients):
        # three pairs side by side instead of one long chain (Estrin 1960): a sum waits less
        a, b, c = (add(number(low), mul(z, number(high)))
                   for low, high in zip(coefficients[::2], coefficients[1::2]))
        return add(a, mul(z2, add(b, mul(z2, c))))

    # k = nearest whole number of quarter turns, r = what is left
    k = code.floor(add(mul('%x', number(TWO_OVER_PI)), number(0.5)))
    r = '%x'
    for part in HALF_PI:
        r = sub(r, mul(k, number(part)))
    z = mul(r, r)
    z2 = mul(z, z)
    s = add(r, mul(mul(r, z), polynomial(z, z2, SIN)))
    c = add(sub(number(1.0), mul(number(0.5), z)), mul(z2, polynomial(z, z2, COS)))
    # odd k swaps sine and cosine, k mod 4 in {2, 3} flips the sign
    half = code.floor(mul(k, number(0.5)))
    odd = code.let(f'fcmp ogt double {sub(k, mul(number(2.0), half))}, {number(0.5)}')
    half_is_odd = sub(half, mul(number(2.0), code.floor(mul(half, number(0.5)))))
    sign = sub(number(1.0), mul(number(2.0), half_is_odd))
    minus_s = code.let(f'fneg double {s}')
    sine = mul(sign, code.let(f'select i1 {odd}, double {c}, double {s}'))
    cosine = mul(sign, code.let(f'select i1 {odd}, double {minus_s}, double {c}'))
    pair = code.let(f'insertvalue {{double, double}} undef, double {sine}, 0')
    pair = code.let(f'insertvalue {{double, double}} {pair}, double {cosine}, 1')
    code.put(f'ret {{double, double}} {pair}')
    return '\n'.join(['declare double @llvm.floor.f64(double)',
                      'declare double @llvm.sqrt.f64(double)',
                      'define internal {double, double} @sincos(double %x) alwaysinline {',
                      *code.lines, '}'])


def statements(code, program, load, store):
    """Write the statements of a program.

    `load(input, index)` gives the name of an input value. `store(output, name)` is called for
    every output as soon as it is there: results that wait for the end all want a register at once,
    and LLVM takes minutes to place a few thousand of them.
    """
    names, pairs, wanted = {}, {}, {}
    for k, output in enumerate(program.outputs):
        wanted.setdefault(output.serial, []).append(k)
    for scalar in program.statements:
        if scalar.op == 'const':
            name = number(scalar.value)
        elif scalar.op == 'input':
            name = load(*scalar.args)
        else:
            operands = [names[operand.serial] for operand in scalar.args]
            if scalar.op in BINARY:
                name = code.arithmetic(BINARY[scalar.op], *operands)
            elif scalar.op == 'neg':
                name = code.let(f'fneg double {operands[0]}')
            elif scalar.op == 'inv':
                name = code.let(f'fdiv double {number(1.0)}, {operands[0]}')
            elif scalar.op == 'sqrt':
                name = code.let(f'call double @llvm.sqrt.f64(double {operands[0]})')
            else:
                if operands[0] not in pairs:
                    pairs[operands[0]] = code.let(
                        f'call {{double, double}} @sincos(double {operands[0]})')
                part = 0 if scalar.op == 'sin' else 1
                name = code.let(f'extractvalue {{double, double}} {pairs[operands[0]]}, {part}')
        names[scalar.serial] = name
        for k in wanted.get(scalar.serial, ()):
            store(k, name)


def sample_function(program):
    """Return `void @sample(ptr inputs..., ptr out)`.

    Everything is read before anything is written: `out` may be one of the inputs.
    """
    code = Lines()
    arguments = [f'ptr %{each.name}' for each in program.inputs] + ['ptr %out']

    def load(group, index):
        place = code.let(f'getelementptr inbounds double, ptr %{group}, i64 {index}')
        return code.let(f'load double, ptr {place}')

    def store(index, value):
        place = code.let(f'getelementptr inbounds double, ptr %out, i64 {index}')
        code.put(f'store double {value}, ptr {place}')

    # all loads come first, in one go
    inputs = {scalar.args: load(*scalar.args) for scalar in program.statements
              if scalar.op == 'input'}
    statements(code, program, lambda *key: inputs[key], store)
    code.put('ret void')
    return '\n'.join([f'define void @sample({", ".join(arguments)}) {{', *code.lines, '}'])


def iterate_function(program):
    """Return `void @iterate(i64 steps, i64 stride, ptr states, ptr driven, ptr shared...)`.

    Row k + 1 of `states` is the program of row k and of row k of `driven` (or of its only row).
    """
    shared = [f'ptr %{each.name}' for each in program.inputs[2:]]
    size = len(program.outputs)
    return f"""define void @iterate({', '.join(['i64 %steps', 'i64 %stride', 'ptr %states',
                                            'ptr %driven', *shared])}) {{
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
  call void @sample({', '.join(['ptr %now', 'ptr %row', *shared, 'ptr %then'])})
  %next = add nsw nuw i64 %k, 1
  br label %head
exit:
  ret void
}}"""


def batch_functions(program):
    """Return `void @batch(i64 N, ptr inputs..., ptr out, ptr workspace)`.

    Rows of (N, size) arrays are laid into columns of a workspace at constant offsets, so that the
    compiler sees one loop without aliasing and runs several samples in one vector.
    """
    columns, offset = {}, 0
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
  %s.u = phi i64 [0, %compute], [%sn.u, %unpack]
  %row.u = add i64 %start, %s.u
{_joined(unpack).replace('%row,', '%row.u,').replace('%s,', '%s.u,').replace('%v', '%u')}
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


def workspace_size(program):
    """Return how many doubles the workspace of `@batch` holds."""
    columns = sum(each.size for each in program.inputs if not each.shared)
    return (columns + len(program.outputs)) * BLOCK


def _joined(code):
    return '\n'.join(code.lines)


def _copy_row(code, size, array, column, to_workspace):
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


def _block_function(program, columns, first_output, shared):
    """Return `void @block(ptr workspace, ptr shared...)`: one loop over the samples of a block."""
    code, head = Lines(), []
    shared_values = {}
    for scalar in program.statements:
        if scalar.op == 'input' and scalar.args[0] in shared:
            group, index = scalar.args
            name = f'%{group}.{index}'
            head.append(f'  {name}.p = getelementptr inbounds double, ptr %{group}, i64 {index}')
            head.append(f'  {name} = load double, ptr {name}.p')
            shared_values[scalar.args] = name

    def place(column):
        at = code.let(f'add nsw nuw i64 %i, {column * BLOCK}')
        return code.let(f'getelementptr inbounds double, ptr %workspace, i64 {at}')

    def load(group, index):
        if group in shared:
            return shared_values[group, index]
        return code.let(f'load double, ptr {place(columns[group] + index)}{PARALLEL}')

    def store(k, value):
        code.put(f'store double {value}, ptr {place(first_output + k)}{PARALLEL}')

    statements(code, program, load, store)
    arguments = ', '.join(['ptr %workspace'] + [f'ptr %{name}' for name in shared])
    return '\n'.join([
        # eight doubles a vector where the processor has them: a third faster on long programs
        f'define internal void @block({arguments}) "prefer-vector-width"="512" {{',
        'entry:', *head, '  br label %loop', 'loop:',
        '  %i = phi i64 [0, %entry], [%next, %loop]', *code.lines,
        '  %next = add nsw nuw i64 %i, 1',
        f'  %again = icmp ult i64 %next, {BLOCK}',
        f'  br i1 %again, label %loop, label %exit, !llvm.loop {LOOP}',
        'exit:', '  ret void', '}'])
