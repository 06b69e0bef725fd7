# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes that a URDF names, read for pictures: STL, OBJ and Collada, thinned to what is seen.

A picture is no reason to fail: a file that is absent, too large or not understood is left out.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
import re
import warnings
from xml.etree import ElementTree

import numpy as np

from kane_dynamics.analysis.collada import read_collada
from kane_dynamics.exceptions import KaneDynamicsWarning

MOST_BYTES = 40_000_000         # of all files together
CELLS = 56                      # of the longest side of a mesh, when it is thinned
COARSE = 40                     # the same for movies
FEW = 2500                      # triangles that need no thinning


class MeshShelf:
    """The meshes of one robot, each read once; folder: that of its URDF."""

    def __init__(self, folder):
        self._folder = Path(folder).resolve()
        self._numbers, self._left = {}, MOST_BYTES
        self.meshes, self.extents = [], []      # extents: lowest and highest corner (3,) [m]
        self.missing = {}                       # file name -> why it cannot be had

    def number(self, filename):
        """Return the place of a mesh in `meshes`, or None where it cannot be had."""
        if filename not in self._numbers:
            self._numbers[filename] = self._read(filename)
        return self._numbers[filename]

    def _read(self, filename):
        mesh = self._mesh(filename)
        if mesh is None:
            return None
        self.meshes.append(packed(*mesh))
        corners = mesh[0][np.unique(mesh[1])]
        self.extents.append((corners.min(axis=0), corners.max(axis=0)))
        return len(self.meshes) - 1

    def warn(self):
        """Warn of the meshes that were asked for and could not be had."""
        if self.missing:
            filename, why = next(iter(self.missing.items()))
            warnings.warn(f'{len(self.missing)} of {len(self._numbers)} meshes are not drawn; '
                          f'{filename}: {why}', KaneDynamicsWarning, stacklevel=2)

    def triangles(self, filename):
        """Return the corners (T, 3, 3) [m] of a mesh, or None where it cannot be had."""
        mesh = self._mesh(filename, COARSE)
        self._numbers.setdefault(filename, None)
        return None if mesh is None else mesh[0][mesh[1]]

    def _mesh(self, filename, cells=CELLS):
        path = self._find(filename)
        if path is None:
            self.missing[filename] = (f'not found in {self._folder} or above it, nor in an '
                                      'installed package')
            return None
        if path.stat().st_size > self._left:
            self.missing[filename] = f'more than {MOST_BYTES // 1_000_000} MB in all'
            return None
        self._left -= path.stat().st_size
        try:
            points, faces = read_mesh(path)
        except (OSError, ValueError, IndexError, KeyError, AttributeError, StopIteration,
                ElementTree.ParseError) as error:
            self.missing[filename] = f'cannot be read: {error}'
            return None
        if not len(faces) or not np.isfinite(points).all():
            self.missing[filename] = 'holds no triangles'
            return None
        return thinned(points, faces, cells)

    def _find(self, filename):
        """Return the file: beside the URDF or in a folder above it; or in an installed package."""
        name = re.sub(r'^(package|file|model)://+', '', filename)
        parts = Path(name).parts
        if not parts:
            return None
        if filename.startswith('file://') or Path(name).is_absolute():
            path = Path('/' + name.lstrip('/'))
            return path if path.is_file() else None
        for folder in (self._folder, *self._folder.parents):
            # package://name/rest: the package may be any folder above, by its own name or not
            for rest in (parts, parts[1:]):
                path = folder.joinpath(*rest)
                if rest and path.is_file():
                    return path
        for prefix in filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)):
            path = Path(prefix, 'share', *parts)
            if filename.startswith('package://') and path.is_file():
                return path
        return None


def read_mesh(path):
    """Return points (N, 3) and faces (M, 3) of an .stl, .obj or .dae file."""
    ending = path.suffix.lower()
    if ending == '.stl':
        return _stl(path.read_bytes())
    if ending == '.obj':
        return _obj(path.read_text(encoding='utf-8', errors='replace'))
    if ending == '.dae':
        return read_collada(path)
    raise ValueError(f'{path.name}: meshes are .stl, .obj or .dae')


def _stl(content):
    count = int.from_bytes(content[80:84], 'little') if len(content) >= 84 else -1
    if len(content) >= 84 + 50 * count > 83 and (
            len(content) == 84 + 50 * count or not content.startswith(b'solid')):
        rows = np.frombuffer(content, np.uint8, 50 * count, 84).reshape(count, 50)
        corners = rows[:, 12:48].copy().view('<f4').reshape(-1, 3).astype(float)
    else:
        found = re.findall(rb'vertex\s+(\S+)\s+(\S+)\s+(\S+)', content)
        corners = np.array(found, dtype=float).reshape(-1, 3)
    if not len(corners):
        raise ValueError('no triangles')
    return _welded(corners)


def _obj(text):
    points, faces = [], []
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == 'v':
            points.append([float(word) for word in words[1:4]])
        elif words[0] == 'f':
            corners = [int(word.split('/')[0]) for word in words[1:]]
            corners = [k - 1 if k > 0 else len(points) + k for k in corners]
            faces += [(corners[0], a, b) for a, b in zip(corners[1:], corners[2:])]
    faces = np.array(faces, dtype=np.int64).reshape(-1, 3)
    points = np.array(points, dtype=float).reshape(-1, 3)
    if len(faces) and (faces.min() < 0 or faces.max() >= len(points)):
        raise ValueError('a face names a point that is not there')
    return points, faces


def _welded(corners):
    """Return points and faces of loose triangles, equal corners made one."""
    low = corners.min(axis=0)
    cell = max(float(np.ptp(corners, axis=0).max()), 1e-9) / 2**20
    points, inverse = _clustered(corners, np.round((corners - low) / cell))
    return points, inverse.reshape(-1, 3)


def _clustered(points, cells):
    """Return the means of the points of each cell (whole numbers up to 2^20), and who is where."""
    keys = cells.astype(np.int64) @ np.array([1 << 42, 1 << 21, 1])
    _, inverse = np.unique(keys, return_inverse=True)
    inverse = inverse.reshape(-1)
    count = np.bincount(inverse)
    return np.column_stack([np.bincount(inverse, points[:, k]) / count
                            for k in range(3)]), inverse


def thinned(points, faces, cells=CELLS):
    """Return the mesh with the points of each small cell made one, where it has many triangles.

    Vertex clustering (Rossignac and Borrel 1993): crude, quick, and of a size that is known.
    """
    if len(faces) <= FEW:
        return points, faces
    low = points.min(axis=0)
    size = max(float(np.ptp(points, axis=0).max()), 1e-9) / cells
    merged, inverse = _clustered(points, np.floor((points - low) / size))
    faces = inverse[faces]
    good = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (
        faces[:, 0] != faces[:, 2])
    faces = faces[good]
    keys = np.sort(faces, axis=1) @ np.array([len(merged)**2, len(merged), 1])
    return merged, faces[np.unique(keys, return_index=True)[1]]


def packed(points, faces):
    """Return a mesh for JSON: corners in 16 bits of its extent, indices in 16 or 32, base64."""
    used, inverse = np.unique(faces, return_inverse=True)
    points, faces = points[used], inverse.reshape(-1, 3)
    low = points.min(axis=0)
    step = np.maximum(np.ptp(points, axis=0), 1e-9) / 65535.0
    wide = len(points) > 65535
    return {'low': low.tolist(), 'step': step.tolist(), 'wide': wide,
            'v': _text(np.round((points - low) / step).astype('<u2')),
            'i': _text(faces.astype('<u4' if wide else '<u2'))}


def _text(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode('ascii')
