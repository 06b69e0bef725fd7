# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Readers of mesh files: STL, OBJ and Collada, other formats where trimesh is installed."""

from __future__ import annotations

from collections.abc import Callable
import io
from pathlib import Path
import re
from typing import TypeAlias

import numpy as np

from kane_dynamics.exceptions import MissingDependencyError
from kane_dynamics.io.limits import MESH_ITEMS
from kane_dynamics.model.meshes.collada import read_collada
from kane_dynamics.model.meshes.mesh import CountCheck, Mesh, mesh_of, Rgb, rgb_of
from kane_dynamics.model.meshes.mesh_reduction import welded
from kane_dynamics.numerics.array_types import FloatArray

MAX_LINE = 100_000              # characters of a line of an .obj file
MAX_DISTANCE = 1e6              # [m] of a point from the origin of its mesh
MAX_MATERIALS = 1_000_000       # bytes of an .mtl file

MeshReader: TypeAlias = Callable[[Path, CountCheck], Mesh]


def read_mesh(path: Path, most: int | None = None) -> Mesh:
    """Return the Mesh of an .stl, .obj or .dae file; with trimesh also of .ply, .glb and others.

    Raises ValueError for a file with more than `most` points and triangles (None: the limit
    MESH_ITEMS), instances counted one by one, and for a point farther than MAX_DISTANCE from the
    origin.
    """
    most = MESH_ITEMS.value if most is None else most
    reader = READERS.get(path.suffix.lower(), _other)

    def check(count: int) -> None:
        """Raise if there are too many points and triangles."""
        if count > most:
            raise ValueError(MESH_ITEMS.exceeded)

    with np.errstate(over='ignore', invalid='ignore'):     # overflow is refused below
        mesh = reader(path, check)
    check(mesh.size)
    _within_distance(mesh.points)
    return mesh


def _within_distance(points: FloatArray) -> FloatArray:
    """Return points (N, 3), or raise for one farther than MAX_DISTANCE from the origin."""
    if len(points) and not (abs(points) <= MAX_DISTANCE).all():
        raise ValueError(f'a point is not within {MAX_DISTANCE:g} m of the origin')
    return points


def _stl(path: Path, check: CountCheck) -> Mesh:
    content = path.read_bytes()
    count = int.from_bytes(content[80:84], 'little') if len(content) >= 84 else -1
    if len(content) >= 84 + 50 * count > 83 and (
            len(content) == 84 + 50 * count or not content.startswith(b'solid')):
        rows = np.frombuffer(content, np.uint8, 50 * count, 84).reshape(count, 50)
        corners = rows[:, 12:48].copy().view('<f4').reshape(-1, 3).astype(np.float64)
    else:
        check(content.count(b'vertex'))
        found = re.findall(rb'vertex\s+(\S+)\s+(\S+)\s+(\S+)', content)
        corners = np.array(found, dtype=np.float64).reshape(-1, 3)
    if not len(corners):
        raise ValueError('no triangles')
    check(len(corners))
    points, faces = welded(_within_distance(corners))
    return mesh_of(points, [(None, faces)])


def _obj(path: Path, check: CountCheck) -> Mesh:
    points: list[list[float]] = []
    parts: list[tuple[Rgb | None, list[tuple[int, int, int]]]] = [(None, [])]
    palette: dict[str, Rgb] = {}
    count = 0
    for line in io.StringIO(path.read_text(encoding='utf-8', errors='replace')):
        check(len(points) + count)
        if len(line) > MAX_LINE:
            raise ValueError(f'a line has more than {MAX_LINE} characters')
        words = line.split()
        if not words:
            continue
        if words[0] == 'v':
            points.append([float(word) for word in words[1:4]])
        elif words[0] == 'f':
            numbers = [int(word.split('/')[0]) for word in words[1:]]
            corners = [k - 1 if k > 0 else len(points) + k for k in numbers]
            parts[-1][1].extend((corners[0], a, b) for a, b in zip(corners[1:], corners[2:]))
            count += max(len(corners) - 2, 0)
        elif words[0] == 'mtllib' and not palette:
            # only a file beside this one, whatever folder is named
            palette = _materials(path.parent / Path(' '.join(words[1:])).name)
        elif words[0] == 'usemtl':
            parts.append((palette.get(' '.join(words[1:])), []))
    return mesh_of(np.array(points, dtype=np.float64).reshape(-1, 3), [
        (colour, np.array(faces, dtype=np.int64).reshape(-1, 3)) for colour, faces in parts])


def _materials(path: Path) -> dict[str, Rgb]:
    """Return {name: diffuse colour} of an .mtl file; {} where it cannot be read."""
    try:
        if path.stat().st_size > MAX_MATERIALS:
            return {}
        lines = path.read_text(encoding='utf-8', errors='replace').splitlines()
    except OSError:
        return {}
    found: dict[str, Rgb] = {}
    name = ''
    for words in map(str.split, lines):
        if words[:1] == ['newmtl']:
            name = ' '.join(words[1:])
        elif words[:1] == ['Kd']:
            try:
                colour = rgb_of(float(word) for word in words[1:4])
            except ValueError:
                continue
            if colour is not None:
                found[name] = colour
    return found


def _other(path: Path, check: CountCheck) -> Mesh:
    """Return the Mesh of a file that trimesh reads, with the mean colour of each of its parts."""
    try:
        import trimesh
    except ImportError:
        raise MissingDependencyError(
            f"{path.name}: meshes are .stl, .obj or .dae; 'pip install trimesh' adds .ply, .glb, "
            '.gltf, .off and .3mf') from None
    if path.suffix.lower().lstrip('.') not in trimesh.available_formats():
        raise ValueError(f'{path.name}: meshes are .stl, .obj, .dae, .ply, .glb, .gltf, .off or '
                         '.3mf')
    try:
        dumped = trimesh.load_scene(path).dump()
    except Exception as error:  # of any type, also of modules that are not installed
        raise ValueError(f'trimesh: {type(error).__name__}: {error}') from None
    points, parts, start = [np.zeros((0, 3))], [], 0
    for each in dumped:
        if not isinstance(each, trimesh.Trimesh):
            continue
        start += len(each.vertices) + len(each.faces)
        check(start)
        mean = each.visual.main_color if each.visual.defined else ()
        first = sum(map(len, points))
        points.append(np.asarray(each.vertices, dtype=np.float64))
        parts.append((rgb_of(np.asarray(mean, dtype=np.float64) / 255.0),
                      np.asarray(each.faces, dtype=np.int64) + first))
    return mesh_of(np.vstack(points), parts)


READERS: dict[str, MeshReader] = {'.stl': _stl, '.obj': _obj, '.dae': read_collada}
