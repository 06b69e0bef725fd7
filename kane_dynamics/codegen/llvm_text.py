# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Programs as LLVM text: a function for one sample, and one that goes on from its own result.

Multiplications and additions may fuse (`contract`), which is faster and no less accurate; nothing
else of IEEE arithmetic is given up, so a NaN that comes in comes out.
"""

from __future__ import annotations

import struct

# sin and cos on [-pi/4, pi/4]: the polynomials of fdlibm (Sun Microsystems 1993)
SIN = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
       2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)
COS = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
       -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)
TWO_OVER_PI = 0.6366197723675814
# pi/2 in three parts (Cody and Waite 1980)
HALF_PI = (1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624871116645580e-21)

ANGULAR = ('sin', 'cos')
VECTOR = 4      # angles at once: what most processors have; wider vectors take longer to part
BINARY = {'add': 'fadd', 'sub': 'fsub', 'mul': 'fmul'}


def number(value):
    """Return a float as an exact LLVM literal."""
    return f'0x{struct.unpack("<Q", struct.pack("<d", value))[0]:016X}'


def kind_of(width):
    """Return the LLVM type of one number or of a vector of them."""
    return 'double' if width == 1 else f'<{width} x double>'


def suffix(width):
    """Return that type as the names of LLVM's functions have it."""
    return 'f64' if width == 1 else f'v{width}f64'


class Lines:
    """Collect statements and hand out fresh names; numbers are doubles, or vectors of `width`."""

    def __init__(self, width=1):
        self.lines, self._count = [], 0
        self.width, self.kind = width, kind_of(width)
        self.sincos_widths = set()      # of the sines and cosines that were asked for

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
        return self.let(f'{op} contract {self.kind} {a}, {b}')

    def floor(self, a):
        """Add a rounding toward minus infinity."""
        return self.let(f'call {self.kind} @llvm.floor.{suffix(self.width)}({self.kind} {a})')

    def number(self, value):
        """Return a literal, the same in each entry of a vector."""
        each = number(value)
        return each if self.width == 1 else f'<{", ".join([f"double {each}"] * self.width)}>'


def sincos_definition(width):
    """Return a branch-free sine and cosine of one number or of a vector.

    Loops over samples can be vectorized with it. It is within 1 unit in the last place up to
    |x| = 1e8; NaN and infinity give NaN.
    """
    code = Lines(width)
    number, kind = code.number, code.kind
    truth = kind.replace('double', 'i1')

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
    odd = code.let(f'fcmp ogt {kind} {sub(k, mul(number(2.0), half))}, {number(0.5)}')
    half_is_odd = sub(half, mul(number(2.0), code.floor(mul(half, number(0.5)))))
    sign = sub(number(1.0), mul(number(2.0), half_is_odd))
    minus_s = code.let(f'fneg {kind} {s}')
    sine, cosine = (
        mul(sign, code.let(f'select {truth} {odd}, {kind} {one}, {kind} {other}'))
        for one, other in ((c, s), (minus_s, c)))
    pair = code.let(f'insertvalue {{{kind}, {kind}}} undef, {kind} {sine}, 0')
    pair = code.let(f'insertvalue {{{kind}, {kind}}} {pair}, {kind} {cosine}, 1')
    code.put(f'ret {{{kind}, {kind}}} {pair}')
    head = f'define internal {{{kind}, {kind}}} @sincos{width}({kind} %x) alwaysinline {{'
    return '\n'.join([f'declare {kind} @llvm.floor.{suffix(width)}({kind})',
                      head, *code.lines, '}'])


def statements(code, program, load, store, together=False):
    """Write the statements of a program.

    `load(input, index)` gives the name of an input value. `store(output, name)` is called for
    every output as soon as it is there: results that wait for the end all want a register at once,
    and LLVM takes minutes to place a few thousand of them. `together` computes the sines of angles
    that are known at the same time in one vector: faster, unless samples are in vectors already.
    """
    names, pairs, wanted = {}, {}, {}
    for k, output in enumerate(program.outputs):
        wanted.setdefault(output.serial, []).append(k)
    order, rounds = in_rounds(program.statements) if together else (program.statements, {})
    for scalar in order:
        if scalar.op == 'const':
            name = number(scalar.value)
        elif scalar.op == 'input':
            name = load(*scalar.args)
        elif scalar.op in ANGULAR:
            angle = scalar.args[0].serial
            if angle not in pairs:
                angles = rounds.get(angle, [angle])
                pairs.update(zip(angles, sincos(code, [names[each] for each in angles])))
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


def in_rounds(scalars):
    """Return scalars by how many sines deep they are, and {angle: the angles of its round}."""
    depth, rounds = {}, {}
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


def sincos(code, angles):
    """Write sine and cosine of angles, four in a vector; return their names in pairs."""
    pairs = []
    for first in range(0, len(angles), VECTOR):
        some = angles[first:first + VECTOR]
        width = 1 if len(some) == 1 else VECTOR
        kind, packed = kind_of(width), some[0]
        if width > 1:
            packed = 'zeroinitializer'
            for k, angle in enumerate(some):
                packed = code.let(f'insertelement {kind} {packed}, double {angle}, i32 {k}')
        code.sincos_widths.add(width)
        both = code.let(f'call {{{kind}, {kind}}} @sincos{width}({kind} {packed})')
        values = [code.let(f'extractvalue {{{kind}, {kind}}} {both}, {part}') for part in (0, 1)]
        if width == 1:
            pairs.append(values)
        else:
            pairs += [[code.let(f'extractelement {kind} {each}, i32 {k}') for each in values]
                      for k in range(len(some))]
    return pairs


def definitions(code):
    """Return the functions that statements call."""
    return '\n'.join(['declare double @llvm.sqrt.f64(double)',
                      *map(sincos_definition, sorted(code.sincos_widths))])


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
    statements(code, program, lambda *key: inputs[key], store, together=True)
    code.put('ret void')
    return '\n'.join([definitions(code), f'define void @sample({", ".join(arguments)}) {{',
                      *code.lines, '}'])


def iterate_function(program, sample):
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
