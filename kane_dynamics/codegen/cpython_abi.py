# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Layout of NumPy's arrays and the C API of CPython, as compiled code assumes them.

Compiled entries read the array struct (`PyArrayObject_fields` of NumPy's ABI) at the offsets in
LAYOUT and make arrays through NumPy's C-API table. `usable` tries both on real arrays at import;
where a single value differs, or where there is no GIL, no entry is used.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

import numpy as np

# byte offsets in an ndarray object, 64-bit builds: numpy/ndarraytypes.h, PyArrayObject_fields
LAYOUT = {'type': 8, 'data': 16, 'nd': 24, 'dimensions': 32, 'descr': 56, 'flags': 64}
C_CONTIGUOUS_ALIGNED, WRITEABLE = 0x101, 0x400
NEW_ARRAY_SLOT = 93             # PyArray_New in NumPy's C-API table, the same in 1.x and 2.x
NPY_DOUBLE = 12


@functools.cache
def usable() -> bool:
    """Return whether this interpreter and NumPy are laid out as compiled code assumes."""
    if ctypes.sizeof(ctypes.c_void_p) != 8 or sys.implementation.name != 'cpython':
        return False
    if not getattr(sys, '_is_gil_enabled', lambda: True)():
        return False
    for array in (np.arange(3.0), np.zeros((2, 5)), np.zeros((4, 3))[:, ::2], np.zeros(3, 'f4')):
        dimensions = _field(array, 'dimensions', ctypes.c_void_p)
        shape = (ctypes.c_ssize_t * array.ndim).from_address(dimensions)
        plain = array.flags.c_contiguous and array.flags.aligned
        flags = _field(array, 'flags', ctypes.c_int)
        if not (_field(array, 'type', ctypes.c_void_p) == id(np.ndarray)
                and _field(array, 'data', ctypes.c_void_p) == array.ctypes.data
                and _field(array, 'nd', ctypes.c_int) == array.ndim
                and tuple(shape) == array.shape
                and _field(array, 'descr', ctypes.c_void_p) == id(array.dtype)
                and (flags & C_CONTIGUOUS_ALIGNED == C_CONTIGUOUS_ALIGNED) == plain
                and bool(flags & WRITEABLE) == array.flags.writeable):
            return False
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    if _field(frozen, 'flags', ctypes.c_int) & WRITEABLE:
        return False
    return _makes_arrays()


def _field(array: np.ndarray[Any, Any], name: str, kind: Any) -> Any:
    return kind.from_address(id(array) + LAYOUT[name]).value


def _makes_arrays() -> bool:
    address = _new_array_address()
    if address is None:
        return False
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p,
                             ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int,
                             ctypes.c_int, ctypes.c_void_p)(address)
    shape = (ctypes.c_ssize_t * 2)(3, 4)
    array = make(np.ndarray, 2, ctypes.addressof(shape), NPY_DOUBLE, None, None, 0, 0, None)
    return (type(array) is np.ndarray and array.shape == (3, 4)
            and array.dtype == np.float64 and array.flags.c_contiguous)


def _new_array_address() -> int | None:
    core = getattr(np, '_core', None) or np.core
    try:
        capsule = core._multiarray_umath._ARRAY_API
        table = _pointer_in(capsule)
    except (AttributeError, ValueError):
        return None
    return ctypes.c_void_p.from_address(table + NEW_ARRAY_SLOT * 8).value


def _pointer_in(capsule: Any) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, None)


def symbols() -> dict[str, int | None]:
    """Return name -> address of what the compiled functions call."""
    names = ('PyTuple_GetItem', 'PyTuple_Size', 'PyCapsule_GetPointer',
             'PyObject_VectorcallMethod', 'Py_IncRef', '_Py_NoneStruct')
    found = {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
             for name in names}
    if usable():
        found['PyArray_New'] = _new_array_address()
    return found
