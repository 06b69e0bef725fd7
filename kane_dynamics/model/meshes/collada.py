# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Triangles of Collada files with their diffuse colours; textures are not read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from kane_dynamics.model.meshes.mesh import CountCheck, Mesh, mesh_of, Rgb, rgb_of
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray, IntArray
from kane_dynamics.numerics.rotations import turned

MAX_DEPTH = 50      # of nodes within nodes

Prefixes: TypeAlias = dict[str, str]                # {prefix: namespace}
Palette: TypeAlias = Mapping[str, Rgb | None]       # {id of a material: its colour}


class _Geometry(NamedTuple):
    points: FloatArray                              # (N, 3)
    parts: list[tuple[str, IntArray]]               # symbol of the material, faces (m, 3)

    @property
    def size(self) -> int:
        return len(self.points) + sum(len(faces) for _, faces in self.parts)


def read_collada(path: Path, check: CountCheck = lambda count: None) -> Mesh:
    """Return the Mesh of a .dae file [m], in the axes of its scene.

    check: called with the number of points and triangles so far, instances counted one by one. The
    up axis of the file is ignored, as by most readers of URDF.
    """
    root = ElementTree.parse(path).getroot()
    named = root.tag.startswith('{')
    space = {'c': root.tag.partition('}')[0].lstrip('{') if named else ''}
    unit = root.find('c:asset/c:unit', space)
    meter = float(unit.get('meter', 1.0)) if unit is not None else 1.0
    shapes: dict[str | None, _Geometry | None] = {}
    count = 0
    for geometry in root.iterfind('c:library_geometries/c:geometry', space):
        shape = _geometry(geometry.find('c:mesh', space), space)
        shapes[geometry.get('id')] = shape
        count += 0 if shape is None else shape.size
        check(count)
    scene = _Scene(shapes, _palette(root, space), space, check)
    drawn = root.find('c:library_visual_scenes/c:visual_scene', space)
    for node in (drawn.iterfind('c:node', space) if drawn is not None else ()):
        scene.add_node(node, np.eye(4))
    if not scene.points:
        for shape in shapes.values():
            scene.add(shape, np.eye(4), {})
    points = np.vstack(scene.points) * meter if scene.points else np.zeros((0, 3))
    return mesh_of(points, scene.parts)


class _Scene:
    """The points and faces of the instances of shapes {name: geometry}."""

    def __init__(self, shapes: Mapping[str | None, _Geometry | None], palette: Palette,
                 space: Prefixes, check: CountCheck) -> None:
        self.points: list[FloatArray] = []
        self.parts: list[tuple[Rgb | None, IntArray]] = []
        self._shapes, self._palette, self._space, self._check = shapes, palette, space, check
        self._start = self._count = 0

    def add(self, shape: _Geometry | None, matrix: FloatArray, bound: Mapping[str, str]) -> None:
        """Add an instance at a pose (4, 4); it is counted before it takes memory.

        bound: {symbol: id of the material}.
        """
        if shape is None:
            return
        self._count += shape.size
        self._check(self._count)
        self.points.append(shape.points @ matrix[:3, :3].T + matrix[:3, 3])
        self.parts += [(self._palette.get(bound.get(symbol, symbol)), faces + self._start)
                       for symbol, faces in shape.parts]
        self._start += len(shape.points)

    def add_node(self, node: Element, parent: FloatArray, depth: int = 0) -> None:
        """Add the geometries of a node and of the nodes within it; parent: pose (4, 4)."""
        if depth > MAX_DEPTH:
            return
        matrix = parent.copy()
        for child in node:
            kind = child.tag.rpartition('}')[2]
            if kind in TRANSFORMS:
                matrix = matrix @ TRANSFORMS[kind](_floats(child.text))
        for child in node:
            kind = child.tag.rpartition('}')[2]
            if kind == 'node':
                self.add_node(child, matrix, depth + 1)
            elif kind == 'instance_geometry':
                bound = {each.get('symbol', ''): each.get('target', '').lstrip('#')
                         for each in child.iterfind(
                             'c:bind_material/c:technique_common/c:instance_material',
                             self._space)}
                self.add(self._shapes.get(child.get('url', '').lstrip('#')), matrix, bound)


def _palette(root: Element, space: Prefixes) -> Palette:
    """Return the diffuse colour of each material, None for a texture."""
    effects: dict[str, Rgb | None] = {}
    for effect in root.iterfind('c:library_effects/c:effect', space):
        # below <phong>, <lambert>, <blinn> or <constant>
        colour = effect.find('c:profile_COMMON/c:technique/*/c:diffuse/c:color', space)
        effects[effect.get('id', '')] = None if colour is None else rgb_of(_floats(colour.text))
    return {material.get('id', ''): effects.get(instance.get('url', '').lstrip('#'))
            for material in root.iterfind('c:library_materials/c:material', space)
            for instance in material.iterfind('c:instance_effect', space)}


def _translation(values: FloatArray) -> FloatArray:
    matrix = np.eye(4)
    matrix[:3, 3] = values
    return matrix


def _rotation(values: FloatArray) -> FloatArray:
    """Return the rotation (4, 4) by values (4,): axis and angle [deg]."""
    matrix = np.eye(4)
    axis = values[:3] / (np.linalg.norm(values[:3]) or 1.0)
    matrix[:3, :3] = turned(axis, np.radians(values[3:4]))[0]
    return matrix


TRANSFORMS: dict[str, Callable[[FloatArray], FloatArray]] = {
    'matrix': lambda values: values.reshape(4, 4), 'translate': _translation,
    'rotate': _rotation, 'scale': lambda values: np.diag([*values, 1.0])}


def _geometry(mesh: Element | None, space: Prefixes) -> _Geometry | None:
    if mesh is None:
        return None
    vertices = _child(mesh, 'vertices', space)
    sources = {each.get('id'): each for each in mesh.iterfind('c:source', space)}
    position = next(each.attrib['source'].lstrip('#')
                    for each in vertices.iterfind('c:input', space)
                    if each.get('semantic') == 'POSITION')
    points = _floats(_child(sources[position], 'float_array', space).text).reshape(-1, 3)
    parts: list[tuple[str, IntArray]] = []
    for kind in ('triangles', 'polylist', 'polygons', 'tristrips', 'trifans'):
        for part in mesh.iterfind(f'c:{kind}', space):
            inputs = part.findall('c:input', space)
            width = 1 + max(int(each.attrib['offset']) for each in inputs)
            offset = next(int(each.attrib['offset']) for each in inputs
                          if each.get('semantic') == 'VERTEX')
            counts = None
            if kind == 'polylist':
                counts = _integers(part.findtext('c:vcount', '', space))
            for p in part.iterfind('c:p', space):
                corners = _integers(p.text)[offset::width]
                if kind == 'triangles':
                    faces = corners[:len(corners) // 3 * 3].reshape(-1, 3)
                elif kind == 'tristrips':
                    faces = _strip(corners)
                else:
                    faces = _fans(corners, [len(corners)] if counts is None else counts)
                parts.append((part.get('material', ''), faces))
    return _Geometry(points, parts)


def _child(element: Element, name: str, space: Prefixes) -> Element:
    found = element.find(f'c:{name}', space)
    if found is None:
        raise ValueError(f'<{element.tag.rpartition("}")[2]}> has no <{name}>')
    return found


def _fans(corners: IntArray, sizes: ArrayLike) -> IntArray:
    """Return the triangles (M, 3) of polygons that have `sizes` of the corners (N,) each."""
    counts: IntArray = np.asarray(sizes, np.int64)
    if len(counts) and (counts.min() < 0 or counts.max() > len(corners)
                        or counts.sum() > len(corners)):
        raise ValueError('the polygons have more corners than the file lists')
    first = np.cumsum(counts) - counts      # corner of each polygon
    triangles = np.maximum(counts - 2, 0)
    polygon = np.repeat(np.arange(len(counts)), triangles)
    k = np.arange(len(polygon)) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    start = first[polygon]
    return corners[np.column_stack([start, start + k + 1, start + k + 2])].reshape(-1, 3)


def _strip(corners: IntArray) -> IntArray:
    """Return the triangles (M, 3) of a strip of corners (M + 2,); every second one is turned."""
    k = np.arange(max(len(corners) - 2, 0))
    odd = k % 2
    return corners[np.column_stack([k + odd, k + 1 - odd, k + 2])].reshape(-1, 3)


def _floats(text: str | None) -> FloatArray:
    return np.fromstring(text or '', dtype=np.float64, sep=' ')


def _integers(text: str | None) -> IntArray:
    return np.fromstring(text or '', dtype=np.int64, sep=' ')
