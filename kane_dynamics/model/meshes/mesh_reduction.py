# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Reduction of meshes: welded corners, fewer faces, 16-bit packing for pages."""

from __future__ import annotations

import base64
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from kane_dynamics.model.meshes.mesh import Mesh, mesh_of
from kane_dynamics.numerics.array_types import FloatArray, IntArray

FEW_FACES_OF_A_PART = 40        # that are kept as they are
AGGRESSIVENESS = 5.0            # of the collapse: 7, the default, leaves 2.4 times the error


class PackedMesh(TypedDict):
    """A mesh for JSON: corners in 16 bits of its extent, indices in 16 or 32, base64."""

    low: list[float]
    step: list[float]
    wide: bool
    v: str
    i: str


def welded(corners: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return points (N, 3) and faces (T, 3) of triangles with separate corners (3 T, 3)."""
    low = corners.min(axis=0)
    cell = max(float(np.ptp(corners, axis=0).max()), 1e-9) / 2**20
    points, inverse = _clustered(corners, np.round((corners - low) / cell))
    return points, inverse.reshape(-1, 3)


class Detail(NamedTuple):
    """How fine a reduced mesh is."""

    faces: int      # that it has at most, where fast-simplification is installed
    cells: int      # of its longest side, where it is not


FINE = Detail(6000, 56)
COARSE = Detail(1500, 40)


def reduced(mesh: Mesh, detail: Detail) -> Mesh:
    """Return a mesh with fewer faces that looks the same.

    Quadric edge collapse (Garland and Heckbert 1997) where fast-simplification is installed, else
    vertex clustering. Parts of one colour keep their borders, so that no gaps open between them.
    """
    corners = mesh.points[mesh.faces].reshape(-1, 3)
    if len(mesh.faces) <= detail.faces or not len(corners):
        return mesh
    points, faces = welded(corners)
    if simplification() is None:
        return _thinned(Mesh(points, faces, mesh.colours, mesh.palette), detail.cells)
    whole = mesh._replace(points=points, faces=faces)
    share = detail.faces / len(faces)
    several = len(mesh.palette) > 1
    parts, found, start = [], [], 0
    for colour, own in whole.parts():
        own_points, own_faces = _collapsed(points, own, int(share * len(own)), several)
        parts.append((colour, own_faces + start))
        found.append(own_points)
        start += len(own_points)
    return mesh_of(np.vstack(found), parts)


def simplification() -> Any:
    """Return the module fast_simplification, None where it is not installed."""
    try:
        import fast_simplification
    except ImportError:
        return None
    return fast_simplification


def _collapsed(points: FloatArray, faces: IntArray, count: int,
               keep_border: bool) -> tuple[FloatArray, IntArray]:
    """Return a mesh of about `count` faces, with the points that these faces use."""
    used, inverse = np.unique(faces, return_inverse=True)
    faces = inverse.reshape(-1, 3)
    proper = _proper(faces)
    if len(proper) <= FEW_FACES_OF_A_PART:
        return points[used], faces
    found, triangles = simplification().simplify(
        points[used], proper.astype(np.int32), target_count=min(count, len(proper)),
        agg=AGGRESSIVENESS, preserve_border=keep_border)
    return np.asarray(found, dtype=np.float64), np.asarray(triangles, dtype=np.int64)


def _proper(faces: IntArray) -> IntArray:
    """Return the faces (M, 3) with three different corners."""
    return faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2])
                 & (faces[:, 0] != faces[:, 2])]


def _thinned(mesh: Mesh, cells: int) -> Mesh:
    """Return a mesh whose points are merged within cells.

    cells: along the longest side. Vertex clustering (Rossignac and Borrel 1993): crude and fast,
    with a known bound of the size.
    """
    points = mesh.points
    low = points.min(axis=0)
    size = max(float(np.ptp(points, axis=0).max()), 1e-9) / cells
    merged, inverse = _clustered(points, np.floor((points - low) / size))
    parts = []
    for colour, faces in mesh._replace(faces=inverse[mesh.faces]).parts():
        faces = _proper(faces)
        keys = np.sort(faces, axis=1) @ np.array([len(merged)**2, len(merged), 1])
        parts.append((colour, faces[np.unique(keys, return_index=True)[1]]))
    return mesh_of(merged, parts)


def _clustered(points: FloatArray, cells: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the mean of the points in each cell, and the index of each point's cell.

    cells (N, 3): whole numbers up to 2^20.
    """
    keys = cells.astype(np.int64) @ np.array([1 << 42, 1 << 21, 1])
    _, inverse = np.unique(keys, return_inverse=True)
    inverse = inverse.reshape(-1)
    count = np.bincount(inverse)
    return np.column_stack([np.bincount(inverse, points[:, k]) / count
                            for k in range(3)]), inverse


def packed(points: FloatArray, faces: IntArray) -> PackedMesh:
    """Return the PackedMesh of points (N, 3) [m] and faces (M, 3)."""
    used, inverse = np.unique(faces, return_inverse=True)
    points, faces = points[used], inverse.reshape(-1, 3)
    low = points.min(axis=0)
    step = np.maximum(np.ptp(points, axis=0), 1e-9) / 65535.0
    wide = len(points) > 65535
    return {'low': low.tolist(), 'step': step.tolist(), 'wide': wide,
            'v': _base64(np.round((points - low) / step).astype('<u2')),
            'i': _base64(faces.astype('<u4' if wide else '<u2'))}


def _base64(array: NDArray[np.unsignedinteger]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode('ascii')
