# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Triangles of Collada files, for pictures; colours, textures and the rest are left alone."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

DEEPEST = 50        # nodes within nodes


def read_collada(path):
    """Return points (N, 3) [m] and faces (M, 3) of a .dae file, placed as in its scene.

    The axis that the file calls up is not looked at, as most readers of URDF do not.
    """
    root = ElementTree.parse(path).getroot()
    named = root.tag.startswith('{')
    space = {'c': root.tag.partition('}')[0].lstrip('{') if named else ''}
    unit = root.find('c:asset/c:unit', space)
    meter = float(unit.get('meter', 1.0)) if unit is not None else 1.0
    shapes = {}
    for geometry in root.iterfind('c:library_geometries/c:geometry', space):
        shapes[geometry.get('id')] = _collada_shape(geometry.find('c:mesh', space), space)
    placed = []
    scene = root.find('c:library_visual_scenes/c:visual_scene', space)
    for node in (scene.iterfind('c:node', space) if scene is not None else ()):
        _collada_node(node, np.eye(4), shapes, placed, space)
    if not placed:
        placed = [shape for shape in shapes.values() if shape is not None]
    points, faces, start = [], [], 0
    for corners, triangles in placed:
        points.append(corners)
        faces.append(triangles + start)
        start += len(corners)
    if not points:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    return np.vstack(points) * meter, np.vstack(faces)


def _collada_node(node, above, shapes, placed, space, depth=0):
    if depth > DEEPEST:
        return
    matrix = above.copy()
    for child in node:
        kind = child.tag.rpartition('}')[2]
        values = _numbers(child.text, float) if kind in (
            'matrix', 'translate', 'rotate', 'scale') else None
        if kind == 'matrix':
            matrix = matrix @ values.reshape(4, 4)
        elif kind == 'translate':
            step = np.eye(4)
            step[:3, 3] = values
            matrix = matrix @ step
        elif kind == 'scale':
            matrix = matrix @ np.diag([*values, 1.0])
        elif kind == 'rotate':
            matrix = matrix @ _rotation(values)
    for child in node:
        kind = child.tag.rpartition('}')[2]
        if kind == 'node':
            _collada_node(child, matrix, shapes, placed, space, depth + 1)
        elif kind == 'instance_geometry':
            shape = shapes.get(child.get('url', '').lstrip('#'))
            if shape is not None:
                points, faces = shape
                placed.append((points @ matrix[:3, :3].T + matrix[:3, 3], faces))


def _rotation(values):
    x, y, z = values[:3] / (np.linalg.norm(values[:3]) or 1.0)
    angle = np.radians(values[3])
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    whole = np.eye(4)
    whole[:3, :3] += np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)
    return whole


def _collada_shape(mesh, space):
    if mesh is None:
        return None
    sources = {each.get('id'): each for each in mesh.iterfind('c:source', space)}
    vertices = mesh.find('c:vertices', space)
    position = next(each.get('source').lstrip('#') for each in vertices.iterfind('c:input', space)
                    if each.get('semantic') == 'POSITION')
    array = sources[position].find('c:float_array', space)
    points = _numbers(array.text, float).reshape(-1, 3)
    faces = []
    for kind in ('triangles', 'polylist', 'polygons'):
        for part in mesh.iterfind(f'c:{kind}', space):
            inputs = part.findall('c:input', space)
            width = 1 + max(int(each.get('offset')) for each in inputs)
            offset = next(int(each.get('offset')) for each in inputs
                          if each.get('semantic') == 'VERTEX')
            for p in part.iterfind('c:p', space):
                corners = _numbers(p.text, np.int64)[offset::width]
                faces.append(_fans(part, corners, kind, space))
    faces = np.vstack(faces) if faces else np.zeros((0, 3), np.int64)
    if len(faces) and (faces.min() < 0 or faces.max() >= len(points)):
        raise ValueError('a face names a point that is not there')
    return points, faces


def _fans(part, corners, kind, space):
    """Return triangles of polygons."""
    if kind == 'triangles':
        return corners[:len(corners) // 3 * 3].reshape(-1, 3)
    counts = [len(corners)]
    if kind == 'polylist':
        counts = _numbers(part.findtext('c:vcount', '', space), np.int64)
    triangles, start = [], 0
    for count in counts:
        face = corners[start:start + count]
        triangles += [(face[0], a, b) for a, b in zip(face[1:], face[2:])]
        start += count
    return np.array(triangles, np.int64).reshape(-1, 3)


def _numbers(text, kind=float):
    return np.fromstring(text or '', dtype=kind, sep=' ')
