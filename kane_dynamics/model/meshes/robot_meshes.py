# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The meshes that a URDF names: found, read, reduced, for pictures and collision checks.

A picture does not fail for a mesh: a file that is missing, too large or malformed is left out, and
`RobotMeshes.warn` reports it.
"""

from __future__ import annotations

import os
from pathlib import Path
import re
from typing import NamedTuple
import warnings
from xml.etree import ElementTree

import numpy as np

from kane_dynamics.exceptions import KaneDynamicsWarning, MissingDependencyError
from kane_dynamics.io.limits import MESH_BYTES, MESH_ITEMS
from kane_dynamics.io.text import clean, PATH
from kane_dynamics.model.meshes.mesh import Mesh, Rgb
from kane_dynamics.model.meshes.mesh_reader import read_mesh
from kane_dynamics.model.meshes.mesh_reduction import (
    Detail, FINE, packed, PackedMesh, reduced)
from kane_dynamics.numerics.array_types import FloatArray

MOST_REASONS = 3                # in a warning


class PackedPart(NamedTuple):
    """A part of a mesh in one colour: its number in `RobotMeshes.packed`, None: no colour."""

    number: int
    colour: Rgb | None


class RobotMeshes:
    """The meshes of one robot; folder: of its URDF."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder).resolve()
        self._parts: dict[str, tuple[PackedPart, ...]] = {}
        self._meshes: dict[str, Mesh | None] = {}
        self._bytes_left, self._items_left = MESH_BYTES.value, MESH_ITEMS.value
        self.packed: list[PackedMesh] = []
        self.missing: dict[str, str] = {}       # {file name: reason}
        # {file name: lowest and highest corner (3,) [m]}
        self.extents: dict[str, tuple[FloatArray, FloatArray]] = {}

    def parts(self, filename: str) -> tuple[PackedPart, ...]:
        """Return the parts of a mesh by colour, () where it is not available."""
        if filename not in self._parts:
            self._parts[filename] = self._pack(self.mesh(filename, FINE), filename)
        return self._parts[filename]

    def _pack(self, mesh: Mesh | None, filename: str) -> tuple[PackedPart, ...]:
        if mesh is None:
            return ()
        corners = mesh.points[np.unique(mesh.faces)]
        self.extents[filename] = (corners.min(axis=0), corners.max(axis=0))
        found = []
        for colour, faces in mesh.parts():
            found.append(PackedPart(len(self.packed), colour))
            self.packed.append(packed(mesh.points, faces))
        return tuple(found)

    def mesh(self, filename: str, detail: Detail | None) -> Mesh | None:
        """Return a mesh, reduced unless detail is None; None where it is not available."""
        if filename not in self._meshes:
            self._meshes[filename] = self._read(filename)
        mesh = self._meshes[filename]
        return mesh if mesh is None or detail is None else reduced(mesh, detail)

    def warn(self) -> None:
        """Warn of the meshes that were requested and are not available."""
        if self.missing:
            reasons: dict[str, list[str]] = {}
            for filename, reason in self.missing.items():
                reasons.setdefault(reason, []).append(clean(filename, PATH))
            warnings.warn(
                f'{len(self.missing)} of {len(self._meshes)} meshes are not drawn; '
                + '; '.join(f'{names[0]}{_others(names)}: {reason}'
                            for reason, names in list(reasons.items())[:MOST_REASONS]),
                KaneDynamicsWarning, stacklevel=2)

    def _read(self, filename: str) -> Mesh | None:
        path = self._find(filename)
        if path is None:
            self.missing[filename] = (f'not found in {self._folder} or above it, nor in an '
                                      'installed package')
            return None
        size = path.stat().st_size
        if size > self._bytes_left:
            self.missing[filename] = MESH_BYTES.exceeded
            return None
        self._bytes_left -= size
        try:
            mesh = read_mesh(path, self._items_left)
        except (OSError, ValueError, TypeError, LookupError, AttributeError, OverflowError,
                StopIteration, ElementTree.ParseError, MissingDependencyError) as error:
            self.missing[filename] = f'cannot be read: {clean(error, 2 * PATH)}'
            return None
        self._items_left -= mesh.size
        if not len(mesh.faces):
            self.missing[filename] = 'has no triangles'
            return None
        return mesh

    def _find(self, filename: str) -> Path | None:
        """Return the file: next to the URDF, in a folder above it, or in an installed package."""
        name = re.sub(r'^(package|file|model)://+', '', filename)
        parts = Path(name).parts
        if not parts:
            return None
        if filename.startswith('file://') or Path(name).is_absolute():
            path = Path('/' + name.lstrip('/'))
            return path if path.is_file() else None
        for folder in (self._folder, *self._folder.parents):
            # package://name/rest: the package is a folder above, under its own name or another
            for rest in (parts, parts[1:]):
                path = folder.joinpath(*rest)
                if rest and path.is_file():
                    return path
        for prefix in filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)):
            path = Path(prefix, 'share', *parts)
            if filename.startswith('package://') and path.is_file():
                return path
        return None


def _others(names: list[str]) -> str:
    return '' if len(names) == 1 else f' and {len(names) - 1} more'
