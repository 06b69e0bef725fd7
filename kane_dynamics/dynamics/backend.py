# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What programs are run by: machine code where llvmlite is there, Python everywhere."""

from __future__ import annotations

import warnings

from kane_dynamics.codegen.python import PythonKernel
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning, MissingDependencyError

BACKENDS = ('auto', 'llvm', 'python')


def chosen_backend(backend):
    """Return the backend that is meant and there, or refuse it."""
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
        if not isinstance(error, ModuleNotFoundError):     # it is there, but of no use
            warnings.warn(f'slow Python code is used instead of machine code: {error}',
                          KaneDynamicsWarning, stacklevel=3)
        return 'python'
    return 'llvm'


def kernel_class(backend):
    """Return the class that evaluates programs."""
    if backend == 'python':
        return PythonKernel
    from kane_dynamics.codegen.llvm import LlvmKernel      # here, because llvmlite may be absent
    return LlvmKernel
