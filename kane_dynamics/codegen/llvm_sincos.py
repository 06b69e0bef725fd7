# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Sine and cosine as LLVM text: polynomials for angles up to NEAR, the C library beyond."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kane_dynamics.codegen.llvm_lines import kind_of, Lines, suffix

# sin and cos on [-pi/4, pi/4]: the polynomials of fdlibm (Sun Microsystems 1993)
SIN = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
       2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)
COS = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
       -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)
TWO_OVER_PI = 0.6366197723675814
# pi/2 in three parts of 33 bits (Cody and Waite 1980): k times a part is exact for k < 2^20
HALF_PI = (1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624871116645580e-21)
NEAR = 1e6      # [rad] up to here k < 2^20; angles beyond it are left to the C library

ANGULAR = ('sin', 'cos')
VECTOR = 4      # angles at once: what most processors have; wider vectors take longer to part


def near_definition(width: int) -> str:
    """Return @near, the sine and cosine of one number or of a vector, up to NEAR.

    It is within 1 unit in the last place there, with and without fused products; NaN gives NaN.
    It has no branch, so loops over samples can be vectorized with it.
    """
    code = Lines(width)
    number, kind = code.number, code.kind
    truth = kind.replace('double', 'i1')

    def mul(a: str, b: str) -> str:
        return code.arithmetic('fmul', a, b)

    def add(a: str, b: str) -> str:
        return code.arithmetic('fadd', a, b)

    def sub(a: str, b: str) -> str:
        return code.arithmetic('fsub', a, b)

    def polynomial(z: str, z2: str, coefficients: Sequence[float]) -> str:
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
    head = f'define internal {{{kind}, {kind}}} @near{width}({kind} %x) alwaysinline {{'
    return '\n'.join([f'declare {kind} @llvm.floor.{suffix(width)}({kind})',
                      head, *code.lines, '}'])


def far_definition(width: int) -> str:
    """Return @far, which replaces the sine and cosine of numbers beyond NEAR by the C library's.

    Infinity gives NaN. It is out of the way, not inlined: no arm turns so far.
    """
    code = Lines(width)
    kind, name = code.kind, suffix(width)
    pair, truth = f'{{{kind}, {kind}}}', kind.replace('double', 'i1')
    result = '%near'
    for k, function in enumerate(ANGULAR):
        value = code.let(f'call {kind} @llvm.{function}.{name}({kind} %x)')
        kept = code.let(f'extractvalue {pair} %near, {k}')
        value = code.let(f'select {truth} %is_far, {kind} {value}, {kind} {kept}')
        result = code.let(f'insertvalue {pair} {result}, {kind} {value}, {k}')
    code.put(f'ret {pair} {result}')
    arguments = f'{kind} %x, {truth} %is_far, {pair} %near'
    return '\n'.join([*(f'declare {kind} @llvm.{each}.{name}({kind})' for each in ANGULAR),
                      f'define internal {pair} @far{width}({arguments}) noinline cold {{',
                      *code.lines, '}'])


def sincos_definition(width: int) -> str:
    """Return @sincos, the sine and cosine of any number; the branch to @far costs nothing."""
    code = Lines(width)
    kind, name = code.kind, suffix(width)
    pair, truth = f'{{{kind}, {kind}}}', kind.replace('double', 'i1')
    near = code.let(f'call {pair} @near{width}({kind} %x)')
    size = code.let(f'call {kind} @llvm.fabs.{name}({kind} %x)')
    is_far = one_is_far = code.let(f'fcmp ogt {kind} {size}, {code.number(NEAR)}')
    functions = [f'declare {kind} @llvm.fabs.{name}({kind})']
    if width > 1:
        functions.append(f'declare i1 @llvm.vector.reduce.or.v{width}i1({truth})')
        one_is_far = code.let(f'call i1 @llvm.vector.reduce.or.v{width}i1({truth} {is_far})')
    code.put(f'br i1 {one_is_far}, label %beyond, label %done')
    code.lines.append('beyond:')
    far = code.let(f'call {pair} @far{width}({kind} %x, {truth} {is_far}, {pair} {near})')
    code.put('br label %done')
    code.lines.append('done:')
    result = code.let(f'phi {pair} [{near}, %entry], [{far}, %beyond]')
    code.put(f'ret {pair} {result}')
    return '\n'.join([near_definition(width), far_definition(width), *functions,
                      f'define internal {pair} @sincos{width}({kind} %x) alwaysinline {{',
                      'entry:', *code.lines, '}'])


def sincos(code: Lines, angles: list[str], function: str) -> list[list[str]]:
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
        both = code.let(f'call {{{kind}, {kind}}} @{function}{width}({kind} {packed})')
        values = [code.let(f'extractvalue {{{kind}, {kind}}} {both}, {part}') for part in (0, 1)]
        if width == 1:
            pairs.append(values)
        else:
            pairs += [[code.let(f'extractelement {kind} {each}, i32 {k}') for each in values]
                      for k in range(len(some))]
    return pairs


def definitions(code: Lines,
                of_width: Callable[[int], str] = sincos_definition) -> str:
    """Return the functions that statements call."""
    return '\n'.join(['declare double @llvm.sqrt.f64(double)',
                      *map(of_width, sorted(code.sincos_widths))])
