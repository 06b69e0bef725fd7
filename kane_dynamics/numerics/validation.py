# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Validation of numbers and arrays: a checked copy, or an error that names the quantity."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
import math
import operator
from typing import Any, SupportsIndex

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsError, ModelError
from kane_dynamics.io.text import show
from kane_dynamics.io.units import MAX_NUMBER
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

ROTATION_TOLERANCE = 1e-9  # difference of R R' from the identity that counts as round-off


def vector(value: ArrayLike, what: str, kind: str = 'numbers') -> FloatArray:
    """Return three finite numbers as an array (3,), or raise."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise InputError(f'{what} must be three finite {kind}; got {array.tolist()}')
    return array


def numbers(value: ArrayLike, who: str) -> FloatArray:
    """Return a contiguous float64 array. NaN passes; complex and masked arrays are refused."""
    try:
        if np.iscomplexobj(value):                     # numpy would drop the imaginary part
            raise TypeError('its numbers are complex')
        if isinstance(value, np.ma.MaskedArray):       # and the mask
            raise TypeError('it is a masked array, and the masked values would count; '
                            'give .filled(numpy.nan) or .data')
        return np.ascontiguousarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f'{who} is not an array of numbers: {error}') from None


def whole(value: SupportsIndex, who: str, low: int) -> int:
    """Return a whole number that is not below `low`, or raise."""
    try:
        index = operator.index(value)
    except TypeError:
        index = low - 1
    if index < low:
        raise InputError(f'{who} must be a whole number of at least {low}, got {value!r}')
    return index


def require_plain(array: FloatArray, shape: tuple[int, ...], who: str, writeable: bool) -> None:
    """Refuse arrays that compiled code cannot use without a copy."""
    if isinstance(array, np.ma.MaskedArray):
        raise InputError(f'{who} is a masked array, whose mask would be ignored: give its .data')
    if not isinstance(array, np.ndarray) or array.dtype != np.float64:
        got = getattr(array, 'dtype', type(array).__name__)
        raise InputError(f'{who} must be a float64 numpy array, got {got}')
    if array.shape != shape:
        raise InputError(f'{who} has shape {array.shape}, expected {shape}')
    if not (array.flags.c_contiguous and array.flags.aligned):
        raise InputError(f'{who} must be contiguous: use numpy.ascontiguousarray')
    if writeable and not array.flags.writeable:
        raise InputError(f'{who} is read-only')


def frozen(values: ArrayLike, shape: tuple[int, ...], what: str, finite: bool = True,
           error: type[KaneDynamicsError] = ModelError, most: float = MAX_NUMBER,
           units: str = '') -> FloatArray:
    """Return values up to `most` as a read-only float array of this shape, or raise."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise error(f'{what}: expected numbers of shape {shape}, got {show(values)}') from None
    if array.shape != shape:
        raise error(f'{what}: expected shape {shape}, got {array.shape}')
    if finite and not (abs(array) <= most).all():
        raise error(f'{what}: expected finite numbers up to {most:g}{units}, '
                    f'got {array.tolist()}{"; check the units" if units else ""}')
    array.setflags(write=False)
    return array


def frozen_rotation(values: ArrayLike, what: str,
                    error: type[KaneDynamicsError] = ModelError) -> FloatArray:
    """Return values as a read-only rotation matrix (3, 3), or raise naming `what`."""
    R = frozen(values, (3, 3), what, error=error)
    if abs(R @ R.T - np.eye(3)).max() > ROTATION_TOLERANCE or np.linalg.det(R) < 0.0:
        raise error(f'{what}: expected a rotation matrix, got {R.tolist()}')
    return R


def number(value: float | str, what: str, low: float = -math.inf,
           infinite: bool = False, most: float = MAX_NUMBER, units: str = '') -> float:
    """Return value as a float from `low` to `most`, or raise naming `what`."""
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise ModelError(f'{what}: expected a number, got {show(value)}') from None
    if math.isnan(value) or (abs(value) > most and not infinite):
        raise ModelError(f'{what}: expected a finite number up to {most:g}{units}, got {value}')
    if value < low:
        raise ModelError(f'{what}: expected at least {low:g}, got {value:g}')
    return value


def unit(axis: ArrayLike, what: str,
         error: type[KaneDynamicsError] = ModelError) -> FloatArray:
    """Return the unit vector (3,) along an axis, read-only; a zero axis is refused."""
    direction = frozen(axis, (3,), what, error=error)
    length = np.linalg.norm(direction)
    if length < 1e-9:
        raise error(f'{what}: expected a direction, got the zero vector {direction.tolist()}')
    return direction if length == 1.0 else frozen(direction / length, (3,), what)


def check_quantities(part: Any, what: str, positive: Collection[str] = (),
                     skip: Collection[str] = ()) -> None:
    """Convert the fields of a frozen dataclass to floats that are not negative.

    what: name of the part in messages. positive: fields that must not be zero. Fields that are
    None, or named in `skip`, stay as they are.
    """
    for field in fields(part):
        value = getattr(part, field.name)
        if value is None or field.name in skip:
            continue
        try:
            value = float(value)
        except (TypeError, ValueError):
            raise InputError(f'{what}: {field.name} must be a number, got {value!r}') from None
        least = 'positive' if field.name in positive else 'not negative'
        if math.isnan(value) or value < 0.0 or (value == 0.0 and field.name in positive):
            raise InputError(f'{what}: {field.name} must be {least}, got {value:g}')
        object.__setattr__(part, field.name, value)
