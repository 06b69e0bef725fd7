# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Array types of the public signatures.

A function that takes `ArrayLike` accepts lists, tuples and arrays; one that takes `FloatArray`
needs a float64 array. Shapes and units stand in the docstrings.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
ComplexArray: TypeAlias = NDArray[np.complex128]

__all__ = ['ArrayLike', 'BoolArray', 'ComplexArray', 'FloatArray', 'IntArray']
