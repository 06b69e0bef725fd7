# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays as compiled code wants them, or an error that says what is wrong."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError


def vector(value, what, kind='numbers'):
    """Return three finite numbers as an array (3,), or raise."""
    try:
        value = np.array(value, dtype=float)
    except (TypeError, ValueError):
        value = np.empty(0)
    if value.shape != (3,) or not np.isfinite(value).all():
        raise InputError(f'{what} must be three finite {kind}; got {value.tolist()}')
    return value


def require_plain(array, shape, who, writeable):
    """Refuse what compiled code cannot use as it is."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float64:
        got = getattr(array, 'dtype', type(array).__name__)
        raise InputError(f'{who} must be a float64 numpy array, got {got}')
    if array.shape != shape:
        raise InputError(f'{who} has shape {array.shape}, expected {shape}')
    if not (array.flags.c_contiguous and array.flags.aligned):
        raise InputError(f'{who} must be contiguous: use numpy.ascontiguousarray')
    if writeable and not array.flags.writeable:
        raise InputError(f'{who} is read-only')
