# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Finite elements of a straight beam: cubic Hermite for bending, quadratic for twist and stretch.

Both kinds share one numbering: element e owns the unknowns 2e, 2e + 1, ... A Hermite element has
(v, v') at each end; a quadratic one the values at its ends and its middle. At x = 0 the beam is
clamped, so the first two (Hermite) or the first one (quadratic) are zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import numpy as np

from kane_dynamics.model.flexible.beam import gauss_points
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

ElementKind = Literal['bending', 'rod']
BENDING: Final = 'bending'
ROD: Final = 'rod'
CLAMPED: dict[ElementKind, int] = {BENDING: 2, ROD: 1}      # unknowns held at zero by the clamp
_LOCAL: dict[ElementKind, int] = {BENDING: 4, ROD: 3}       # unknowns of one element


def shape_functions(kind: ElementKind, t: FloatArray, h: FloatArray,
                    derivative: int = 0) -> FloatArray:
    """Return the shape functions (..., 4 or 3), or a derivative by x, at 0 <= t <= 1; h [m]."""
    one = np.ones_like(t)
    rows: dict[int, tuple[FloatArray, ...]]
    if kind == BENDING:
        rows = {0: (1 - 3*t**2 + 2*t**3, h*(t - 2*t**2 + t**3), 3*t**2 - 2*t**3, h*(t**3 - t**2)),
                1: (6*t**2 - 6*t, h*(1 - 4*t + 3*t**2), 6*t - 6*t**2, h*(3*t**2 - 2*t)),
                2: (12*t - 6, h*(6*t - 4), 6 - 12*t, h*(6*t - 2))}
    else:
        rows = {0: ((1 - t) * (1 - 2*t), 4*t*(1 - t), t*(2*t - 1)),
                1: (4*t - 3, 4 - 8*t, 4*t - 1),
                2: (4*one, -8*one, 4*one)}
    return np.stack([row / h**derivative for row in rows[derivative]], axis=-1)


def unknowns(kind: ElementKind, edges: FloatArray) -> int:
    """Return the number of unknowns of a mesh with these edges, the clamped ones included."""
    return 2 * (len(edges) - 1) + _LOCAL[kind] - 2


def interpolation(kind: ElementKind, edges: FloatArray, x: ArrayLike,
                  derivative: int = 0) -> FloatArray:
    """Return N (points, unknowns): the field, or its derivative, at x (points,) is N @ dofs."""
    x = np.atleast_1d(np.asarray(x, dtype=float))
    element = np.clip(np.searchsorted(edges, x, side='right') - 1, 0, len(edges) - 2)
    h = np.diff(edges)[element]
    local = shape_functions(kind, (x - edges[element]) / h, h, derivative)
    N = np.zeros((len(x), unknowns(kind, edges)))
    columns = 2 * element[:, None] + np.arange(_LOCAL[kind])
    np.put_along_axis(N, columns, local, axis=1)
    return N


def assemble(kind: ElementKind, edges: FloatArray,
             coefficient: Callable[[FloatArray], FloatArray], derivative: int) -> FloatArray:
    """
    Return the matrix int c(x) N^(d)' N^(d) dx of the free unknowns.

    coefficient: c(x), an array function; derivative: d. Bending stiffness has d = 2 and EI, that
    of a rod d = 1 and GJ or EA; mass has d = 0 and the mass per length, rotary inertia d = 1.
    """
    x, w = gauss_points(edges)
    h = np.diff(edges)[:, None]
    N = shape_functions(kind, (x - edges[:-1, None]) / h, h, derivative)
    local = np.einsum('eg,egi,egj->eij', w * coefficient(x), N, N)
    total = np.zeros((unknowns(kind, edges),) * 2)
    own = 2 * np.arange(len(h))[:, None] + np.arange(_LOCAL[kind])
    np.add.at(total, (own[:, :, None], own[:, None, :]), local)
    return total[CLAMPED[kind]:, CLAMPED[kind]:]
