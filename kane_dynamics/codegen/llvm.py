# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Programs as machine code, through llvmlite: milliseconds to compile, no compiler needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
import ctypes
import functools
import threading
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from kane_dynamics.codegen import cpython_abi, cpython_entry, llvm_batch, llvm_text
from kane_dynamics.codegen.program import Program
from kane_dynamics.numerics.array_types import FloatArray

OLDEST = (0, 45)                # the first one that reads opaque pointers
if tuple(int(part) for part in llvmlite.__version__.split('.')[:2]) < OLDEST:
    raise ImportError(f'llvmlite {llvmlite.__version__} is too old, {OLDEST[0]}.{OLDEST[1]} or '
                      'newer is needed: pip install --upgrade llvmlite')

_LOCK = threading.Lock()        # llvmlite compiles one module at a time


@functools.cache
def _target() -> tuple[Any, dict[str, Any]]:
    """Return this processor as a target, and the options of its code."""
    try:
        llvm.initialize()       # a no-op that newer llvmlite has removed
    except RuntimeError:
        pass
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name, address in cpython_abi.symbols().items():
        llvm.add_symbol(name, address)
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple(), {
        'cpu': llvm.get_host_cpu_name(), 'features': features, 'opt': 2}


def compiled(text: str) -> Any:
    """Return an engine that holds the functions of LLVM text; keep it as long as they are used."""
    with _LOCK:
        target, options = _target()
        machine = target.create_target_machine(**options)  # its engine frees it: one for each
        module = llvm.parse_assembly(text)
        module.verify()
        tuning = llvm.create_pipeline_tuning_options(speed_level=2)
        tuning.loop_vectorization = True
        tuning.slp_vectorization = False        # costs time and gains nothing on such code
        builder = llvm.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        return engine


class LlvmKernel:
    """Evaluate a program by machine code; the batch form is compiled when it is first used."""

    def __init__(self, program: Program) -> None:
        self.program = program
        text = [llvm_text.sample_function(program)]
        if cpython_abi.usable():
            text.append(cpython_entry.text(program))
        self._engine = compiled('\n'.join(text))
        pointers = [ctypes.c_void_p] * (len(program.inputs) + 1)
        self._sample = ctypes.CFUNCTYPE(None, *pointers)(self.address('sample'))

    def address(self, name: str) -> int:
        """Return where a compiled function starts."""
        return self._engine.get_function_address(name)

    def fill(self, arrays: Sequence[FloatArray], out: FloatArray) -> None:
        """Compute one sample: contiguous float64 input arrays to the array `out`."""
        self._sample(*(array.ctypes.data for array in arrays), out.ctypes.data)

    def _step(self, pointers: list[int], owned: Sequence[FloatArray]) -> None:
        self._sample(*pointers)

    def fill_many(self, arrays: Sequence[FloatArray], out: FloatArray, threads: int = 1) -> None:
        """Compute samples: (N, size) arrays, (size,) for a shared one, to `out` (N, outputs)."""
        rows, threads = len(out), max(1, min(threads, len(out)))
        parts = [slice(k * rows // threads, (k + 1) * rows // threads) for k in range(threads)]
        if threads > 1:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(lambda part: self._fill_part(arrays, out, part), parts))
        elif rows:
            self._fill_part(arrays, out, parts[0])

    def _fill_part(self, arrays: Sequence[FloatArray], out: FloatArray, rows: slice) -> None:
        """Compute some of the rows, without the interpreter's lock."""
        pointers = [array.ctypes.data if each.shared else array[rows].ctypes.data
                    for each, array in zip(self.program.inputs, arrays)]
        workspace = np.zeros(llvm_batch.workspace_size(self.program))
        self._batch(rows.stop - rows.start, *pointers, out[rows].ctypes.data,
                    workspace.ctypes.data)

    def iterate(self, state: FloatArray, driven: FloatArray, shared: Sequence[FloatArray],
                steps: int) -> FloatArray:
        """Return states (steps + 1, size): the program applied to its own result repeatedly.

        `driven` is its second input, one row or a row per step; `shared` are the arrays after it.
        """
        states = np.empty((steps + 1, len(state)))
        states[0] = state
        stride = 0 if driven.ndim == 1 else driven.shape[1]
        self._iterate(steps, stride, states.ctypes.data, driven.ctypes.data,
                      *(array.ctypes.data for array in shared))
        return states

    @functools.cached_property
    def _iterate_engine(self) -> Any:
        return compiled(llvm_text.iterate_function(self.program, self.address('sample')))

    @functools.cached_property
    def _iterate(self) -> Any:
        pointers = [ctypes.c_void_p] * len(self.program.inputs)
        return ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, *pointers)(
            self._iterate_engine.get_function_address('iterate'))

    @functools.cached_property
    def _batch_engine(self) -> Any:
        return compiled(llvm_batch.batch_functions(self.program, self.address('sample')))

    @functools.cached_property
    def _batch(self) -> Any:
        pointers = [ctypes.c_void_p] * (len(self.program.inputs) + 2)
        return ctypes.CFUNCTYPE(None, ctypes.c_int64, *pointers)(
            self._batch_engine.get_function_address('batch'))

    def entry(self, fallback: Callable[..., Any] | None, documentation: str,
              shared: Sequence[FloatArray] = ()) -> Callable[..., Any] | None:
        """Return a Python callable of machine code, or None where that cannot be trusted.

        Calls with other arguments than float64 arrays of the right shape go to `fallback`.
        """
        if not cpython_abi.usable():
            return None
        return cpython_entry.call(self, fallback, documentation, shared)

    def bound(self, arrays: Sequence[FloatArray]) -> Callable[[], None]:
        """Return step(): computes from and into these arrays, which the caller has checked."""
        if not cpython_abi.usable():
            # the partial owns the arrays as well, so that the pointers stay valid
            return functools.partial(self._step, [array.ctypes.data for array in arrays], arrays)
        return cpython_entry.bound(self, arrays)
