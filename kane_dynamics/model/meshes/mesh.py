# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A mesh with the colours of its faces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from kane_dynamics.numerics.array_types import FloatArray, IntArray

CountCheck: TypeAlias = Callable[[int], None]       # raises for too many points and triangles
Rgb: TypeAlias = tuple[int, int, int]               # red, green, blue, 0 to 255
MAX_PALETTE = 24        # colours of a mesh; the faces of further ones have none


class Mesh(NamedTuple):
    """Points (N, 3) [m], faces (M, 3), and the colour of each face by its number in `palette`."""

    points: FloatArray
    faces: IntArray
    colours: IntArray                       # (M,), -1: no colour
    palette: tuple[Rgb, ...] = ()

    @property
    def size(self) -> int:
        """Return the number of points and faces."""
        return len(self.points) + len(self.faces)

    def parts(self) -> Iterator[tuple[Rgb | None, IntArray]]:
        """Yield each colour, None for none, with its faces (m, 3)."""
        for k in np.unique(self.colours).tolist():
            yield None if k < 0 else self.palette[k], self.faces[self.colours == k]


def mesh_of(points: FloatArray, parts: Iterable[tuple[Rgb | None, IntArray]]) -> Mesh:
    """Return the Mesh of points (N, 3) [m] and of faces (m, 3) for each colour."""
    palette: dict[Rgb, int] = {}
    faces: list[IntArray] = [np.zeros((0, 3), np.int64)]
    colours: list[IntArray] = [np.zeros(0, np.int64)]
    for colour, own in parts:
        number = -1
        if colour is not None and (colour in palette or len(palette) < MAX_PALETTE):
            number = palette.setdefault(colour, len(palette))
        faces.append(own)
        colours.append(np.full(len(own), number))
    return Mesh(points, check_faces(points, np.vstack(faces)), np.concatenate(colours),
                tuple(palette))


def check_faces(points: FloatArray, faces: IntArray) -> IntArray:
    """Return faces (M, 3), or raise if one refers to a point that does not exist."""
    if len(faces) and (faces.min() < 0 or faces.max() >= len(points)):
        raise ValueError(f'a face refers to a point that does not exist; there are {len(points)}')
    return faces


def rgb_of(values: Iterable[float]) -> Rgb | None:
    """Return the colour of red, green and blue from 0 to 1, None where they are not 3 numbers."""
    first = list(values)[:3]
    if len(first) < 3 or not np.isfinite(first).all():
        return None
    red, green, blue = (int(round(255.0 * min(max(value, 0.0), 1.0))) for value in first)
    return red, green, blue
