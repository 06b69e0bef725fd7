# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Python callables made of machine code: a kernel called without a layer of Python.

The dynamics of a six-axis arm take a tenth of a microsecond; ctypes or a Python function around
them take several times that. So the compiled module also holds two functions that the interpreter
calls directly (the METH_FASTCALL and METH_NOARGS conventions of the C API):

    call(q, qd, qdd[, out])    checks that it was given float64 arrays of the right shape; anything
                               else (lists, other types, wrong shapes, keywords) goes to a fallback
                               written in Python, which converts or raises
    step()                     computes from and into arrays that were checked when it was made

They are used where `cpython_abi.usable()` allows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import ctypes
import sys
from typing import Any, TYPE_CHECKING

import numpy as np

from kane_dynamics.codegen.cpython_abi import (
    C_CONTIGUOUS_ALIGNED, LAYOUT, NPY_DOUBLE, WRITEABLE)
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.codegen.llvm import LlvmKernel
    from kane_dynamics.codegen.program import Program

METH_NOARGS, METH_FASTCALL_KEYWORDS = 0x0004, 0x0080 | 0x0002
OUT_KEYWORD, CALL_METHOD = sys.intern('out'), sys.intern('__call__')


class _MethodDef(ctypes.Structure):
    _fields_ = [('name', ctypes.c_char_p), ('function', ctypes.c_void_p),
                ('flags', ctypes.c_int), ('documentation', ctypes.c_char_p)]


def text(program: Program) -> str:
    """Return the two entry functions of a program as LLVM text."""
    checks = [_array_check(dimensions) for dimensions in sorted({1, len(program.shape)})]
    return '\n'.join([_DECLARATIONS, *checks, _call_text(program), _bound_text(program)])


_DECLARATIONS = """
declare ptr @PyTuple_GetItem(ptr, i64)
declare i64 @PyTuple_Size(ptr)
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare ptr @PyObject_VectorcallMethod(ptr, ptr, i64, ptr)
declare void @Py_IncRef(ptr)
declare ptr @PyArray_New(ptr, i32, ptr, i32, ptr, ptr, i32, i32, ptr)
@_Py_NoneStruct = external global i8
"""


def _array_check(dimensions: int) -> str:
    """Return `ptr @data<n>(array, sizes..., flags)`: where the numbers are, or null if unfit."""
    sizes = ''.join(f', i64 %d{k}' for k in range(dimensions))
    lines = [f'define internal ptr @data{dimensions}(ptr %o{sizes}, i32 %wanted) alwaysinline {{']

    def field(name: str, kind: str) -> None:
        lines.append(f'  %{name}.p = getelementptr i8, ptr %o, i64 {LAYOUT[name]}')
        lines.append(f'  %{name} = load {kind}, ptr %{name}.p')

    def require(condition: str) -> None:
        step = len(lines)
        lines.append(f'  %c{step} = {condition}')
        lines.append(f'  br i1 %c{step}, label %ok{step}, label %unfit')
        lines.append(f'ok{step}:')

    field('type', 'i64')
    require(f'icmp eq i64 %type, {id(np.ndarray)}')
    field('descr', 'i64')
    require(f'icmp eq i64 %descr, {id(np.dtype(np.float64))}')
    field('nd', 'i32')
    require(f'icmp eq i32 %nd, {dimensions}')
    field('flags', 'i32')
    lines.append('  %masked = and i32 %flags, %wanted')
    require('icmp eq i32 %masked, %wanted')
    field('dimensions', 'ptr')
    for k in range(dimensions):
        lines.append(f'  %size{k}.p = getelementptr i64, ptr %dimensions, i64 {k}')
        lines.append(f'  %size{k} = load i64, ptr %size{k}.p')
        require(f'icmp eq i64 %size{k}, %d{k}')
    field('data', 'ptr')
    return '\n'.join(lines + ['  ret ptr %data', 'unfit:', '  ret ptr null', '}'])


def _call_text(program: Program) -> str:
    """Return `@call(self, args, n, keywords)`; self = (capsule of shared arrays, fallback)."""
    given = [each for each in program.inputs if not each.shared]
    n, shape = len(given), program.shape
    out_dims = ', '.join(f'i64 {size}' for size in shape)
    checks, pointers = [], {}
    for k, each in enumerate(given):
        checks.append(f"""  %a{k}.p = getelementptr ptr, ptr %args, i64 {k}
  %a{k} = load ptr, ptr %a{k}.p
  %d{k} = call ptr @data1(ptr %a{k}, i64 {each.size}, i32 {C_CONTIGUOUS_ALIGNED})
  %bad{k} = icmp eq ptr %d{k}, null
  br i1 %bad{k}, label %slow, label %good{k}
good{k}:""")
        pointers[each.name] = f'ptr %d{k}'
    shared = [each for each in program.inputs if each.shared]
    if shared:
        checks.append('  %capsule = call ptr @PyTuple_GetItem(ptr %self, i64 0)')
        checks.append('  %table = call ptr @PyCapsule_GetPointer(ptr %capsule, ptr null)')
    for k, each in enumerate(shared):
        checks.append(f'  %s{k}.p = getelementptr ptr, ptr %table, i64 {k}')
        checks.append(f'  %s{k} = load ptr, ptr %s{k}.p')
        pointers[each.name] = f'ptr %s{k}'
    arguments = ', '.join(pointers[each.name] for each in program.inputs)
    return f"""
@shape = private constant [{len(shape)} x i64] [{out_dims}]
define ptr @call(ptr %self, ptr %args, i64 %n, ptr %keywords) {{
entry:
  %plain = icmp eq ptr %keywords, null
  br i1 %plain, label %positional, label %keyword
keyword:
  %count = call i64 @PyTuple_Size(ptr %keywords)
  %name = call ptr @PyTuple_GetItem(ptr %keywords, i64 0)
  %single = icmp eq i64 %count, 1
  %all = icmp eq i64 %n, {n}
  %name.i = ptrtoint ptr %name to i64
  %is.out = icmp eq i64 %name.i, {id(OUT_KEYWORD)}
  %ok.1 = and i1 %single, %all
  %ok = and i1 %ok.1, %is.out
  br i1 %ok, label %inputs, label %slow
positional:
  %fewer = icmp ult i64 %n, {n}
  %more = icmp ugt i64 %n, {n + 1}
  %wrong = or i1 %fewer, %more
  %with.out = icmp eq i64 %n, {n + 1}
  br i1 %wrong, label %slow, label %inputs
inputs:
  %gives.out = phi i1 [ true, %keyword ], [ %with.out, %positional ]
{chr(10).join(checks)}
  br i1 %gives.out, label %given, label %allocate
given:
  %o.p = getelementptr ptr, ptr %args, i64 {n}
  %o = load ptr, ptr %o.p
  %o.d = call ptr @data{len(shape)}(ptr %o, {out_dims}, i32 {C_CONTIGUOUS_ALIGNED | WRITEABLE})
  %o.bad = icmp eq ptr %o.d, null
  br i1 %o.bad, label %slow, label %into
into:
  call void @Py_IncRef(ptr %o)
  br label %compute
allocate:
  %type = inttoptr i64 {id(np.ndarray)} to ptr
  %new = call ptr @PyArray_New(ptr %type, i32 {len(shape)}, ptr @shape, i32 {NPY_DOUBLE}, \
ptr null, ptr null, i32 0, i32 0, ptr null)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %fail, label %made
made:
  %new.d.p = getelementptr i8, ptr %new, i64 {LAYOUT['data']}
  %new.d = load ptr, ptr %new.d.p
  br label %compute
compute:
  %result = phi ptr [ %o, %into ], [ %new, %made ]
  %target = phi ptr [ %o.d, %into ], [ %new.d, %made ]
  call void @sample({arguments}, ptr %target)
  ret ptr %result
slow:
  %fallback = call ptr @PyTuple_GetItem(ptr %self, i64 1)
  %named = icmp ne ptr %keywords, null
  br i1 %named, label %count.names, label %repeat
count.names:
  %names = call i64 @PyTuple_Size(ptr %keywords)
  br label %repeat
repeat:  ; fallback.__call__(...) with the same arguments: Python 3.10 has no PyObject_Vectorcall
  %more.n = phi i64 [ 0, %slow ], [ %names, %count.names ]
  %all.n = add i64 %n, %more.n
  %method.n = add i64 %n, 1
  %room = add i64 %all.n, 1
  %copy = alloca ptr, i64 %room
  store ptr %fallback, ptr %copy
  br label %copying
copying:
  %k = phi i64 [ 0, %repeat ], [ %k.next, %copied ]
  %done = icmp eq i64 %k, %all.n
  br i1 %done, label %ask, label %copied
copied:
  %k.next = add i64 %k, 1
  %from = getelementptr ptr, ptr %args, i64 %k
  %each = load ptr, ptr %from
  %to = getelementptr ptr, ptr %copy, i64 %k.next
  store ptr %each, ptr %to
  br label %copying
ask:
  %call.name = inttoptr i64 {id(CALL_METHOD)} to ptr
  %answer = call ptr @PyObject_VectorcallMethod(ptr %call.name, ptr %copy, i64 %method.n, \
ptr %keywords)
  ret ptr %answer
fail:
  ret ptr null
}}"""


def _bound_text(program: Program) -> str:
    """Return `@bound(self, nothing)`; self = (capsule of all pointers, ...)."""
    count = len(program.inputs) + 1
    loads = '\n'.join(f"""  %p{k}.p = getelementptr ptr, ptr %table, i64 {k}
  %p{k} = load ptr, ptr %p{k}.p""" for k in range(count))
    arguments = ', '.join(f'ptr %p{k}' for k in range(count))
    return f"""
define ptr @bound(ptr %self, ptr %nothing) {{
  %capsule = call ptr @PyTuple_GetItem(ptr %self, i64 0)
  %table = call ptr @PyCapsule_GetPointer(ptr %capsule, ptr null)
{loads}
  call void @sample({arguments})
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  ret ptr @_Py_NoneStruct
}}"""


def call(kernel: LlvmKernel, fallback: Callable[..., Any] | None, documentation: str,
         shared: Sequence[FloatArray] = ()) -> Callable[..., Any]:
    """Return the callable of a kernel; `shared` are the arrays of its shared inputs."""
    return _function(kernel, 'call', METH_FASTCALL_KEYWORDS, shared, fallback, documentation)


def bound(kernel: LlvmKernel, arrays: Sequence[FloatArray]) -> Callable[[], None]:
    """Return step() for fixed arrays: the program's inputs in order, then the output."""
    return _function(kernel, 'bound', METH_NOARGS, arrays, None,
                     'Compute from and into the bound arrays.')


class Kernel(tuple[Any, ...]):
    """Everything that a compiled function owns; the function's repr shows the name."""


def _function(kernel: LlvmKernel, name: str, flags: int, arrays: Sequence[FloatArray],
              fallback: Callable[..., Any] | None, documentation: str) -> Callable[..., Any]:
    table = (ctypes.c_void_p * max(1, len(arrays)))(*(array.ctypes.data for array in arrays))
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    definition = _MethodDef(kernel.program.name.encode(), kernel.address(name), flags,
                            documentation.encode())
    new_function = ctypes.pythonapi.PyCFunction_NewEx
    new_function.restype = ctypes.py_object
    new_function.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    # the function owns all that its code touches: pointers, arrays, the code, its definition
    owned = Kernel((new_capsule(ctypes.addressof(table), None, None), fallback, kernel, table,
                    tuple(arrays), definition))
    return new_function(ctypes.addressof(definition), owned, None)
