# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Backends that run programs: machine code where llvmlite is installed, Python everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args, Literal, Protocol, TypeAlias
import warnings

from kane_dynamics.codegen.program import Program
from kane_dynamics.codegen.python import PythonKernel
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning, MissingDependencyError
from kane_dynamics.numerics.array_types import FloatArray

Backend: TypeAlias = Literal['auto', 'llvm', 'python']
BACKENDS: tuple[Backend, ...] = get_args(Backend)
LARGE_PROGRAM = 30_000      # operations that LLVM compiles for several seconds; 100_000: a minute


class Kernel(Protocol):
    """A program that can be evaluated; input arrays are flat, contiguous float64."""

    program: Program

    def __init__(self, program: Program) -> None:
        """Make the program ready to run."""

    def fill(self, arrays: Sequence[FloatArray], out: FloatArray) -> None:
        """Compute one sample: input arrays (size,) to the flat array `out`."""

    def fill_many(self, arrays: Sequence[FloatArray], out: FloatArray, threads: int = 1) -> None:
        """Compute samples: (N, size) arrays, (size,) for a shared one, to `out` (N, outputs)."""

    def iterate(self, state: FloatArray, driven: FloatArray, shared: Sequence[FloatArray],
                steps: int) -> FloatArray:
        """Return states (steps + 1, size): the program applied to its own result repeatedly.

        `driven` is its second input, one row or a row per step; `shared` are the arrays after it.
        """

    def entry(self, fallback: Callable[..., Any], documentation: str,
              shared: Sequence[FloatArray] = ()) -> Callable[..., Any] | None:
        """Return a faster Python callable, or None; other arguments go to `fallback`."""

    def bound(self, arrays: Sequence[FloatArray]) -> Callable[[], None]:
        """Return step(): computes from and into these arrays, which the caller has checked."""


def chosen_backend(backend: str) -> Literal['llvm', 'python']:
    """Return the backend to use, or raise where it is unknown or not installed."""
    if backend not in BACKENDS:
        raise InputError(f'backend {backend!r} is unknown; there are {list(BACKENDS)}')
    if backend == 'python':
        return backend
    try:
        kernel_class('llvm')
    except ImportError as error:
        if backend == 'llvm':
            raise MissingDependencyError('backend "llvm" needs llvmlite: pip install llvmlite '
                                         f'({error})') from None
        if not isinstance(error, ModuleNotFoundError):     # installed, but unusable
            warnings.warn(f'slow Python code is used instead of machine code: {error}',
                          KaneDynamicsWarning, stacklevel=3)
        return 'python'
    return 'llvm'


def warn_of_compile_time(program: Program, robot: str, backend: str, stacklevel: int = 2) -> None:
    """Issue a KaneDynamicsWarning if machine code of a program takes long to compile."""
    count = program.operation_count
    operations = count.mul + count.add + count.div
    if backend == 'llvm' and operations > LARGE_PROGRAM:
        warnings.warn(f'{program.name} of {robot!r} has {operations} operations: compiling it, '
                      'once per process, takes several seconds to minutes; Dynamics(robot, '
                      "backend='python') starts at once and computes more slowly",
                      KaneDynamicsWarning, stacklevel=stacklevel + 1)


def kernel_class(backend: str) -> type[Kernel]:
    """Return the class that evaluates programs."""
    if backend == 'python':
        return PythonKernel
    from kane_dynamics.codegen.llvm import LlvmKernel
    return LlvmKernel
