# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Inertias of links compared with their own shapes, within which the mass must lie.

Along any axis n, mass m inside of the interval [a, b] with its centre at c has a second moment
n' S n <= m (b - c)(c - a) (Bhatia and Davis 2000), where S = tr(I)/2 1 - I. The inertia of uniform
density is the volume integral of closed shapes, and that of the bounding box of open meshes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kane_dynamics.model.inertia_checks import InertiaFinding
from kane_dynamics.model.meshes.robot_meshes import RobotMeshes
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Inertial, Link, Shape
from kane_dynamics.numerics.array_types import FloatArray, IntArray

TOO_LARGE = 1.5     # times the largest possible second moment: masses protrude a little
TOO_SMALL = 0.01    # of the inertia of uniform density
OUTSIDE = 0.2       # of the extent of the shapes that a mass centre may lie outside of them
ROUND_OFF = 1e-9    # [m], of coincident points, as a fraction of the size of a mesh


class Moments(NamedTuple):
    """Volume [m^3], its first (3,) and second moments (3, 3) about the link's origin."""

    volume: float
    first: FloatArray
    second: FloatArray


class LinkShapes:
    """The shapes of one link: extents, and the inertia of uniform density."""

    def __init__(self, link: Link, meshes: RobotMeshes) -> None:
        self._points: list[FloatArray] = []         # of meshes, in the link frame
        self._shapes: list[Shape] = []              # the others
        self._moments: list[list[tuple[bool, Moments]]] = []
        for shapes in (link.collisions, link.visuals):
            own: list[tuple[bool, Moments]] = []
            for shape in shapes:
                if shape.kind != 'mesh':
                    self._shapes.append(shape)
                    own.append((True, _primitive(shape)))
                    continue
                mesh = meshes.mesh(shape.filename, None)
                if mesh is not None:
                    points = (mesh.points * shape.size) @ shape.rotation.T + shape.position
                    self._points.append(points[np.unique(mesh.faces)])
                    own.append(mesh_moments(points, mesh.faces))
            if own:
                self._moments.append(own)

    def __bool__(self) -> bool:
        return bool(self._moments)

    def extent(self, axis: FloatArray) -> tuple[float, float]:
        """Return the interval [m] that the shapes cover along an axis (3,)."""
        ends = [(float((points @ axis).min()), float((points @ axis).max()))
                for points in self._points]
        for shape in self._shapes:
            middle, reach = float(shape.position @ axis), _reach(shape, axis)
            ends.append((middle - reach, middle + reach))
        lows, highs = zip(*ends)
        return min(lows), max(highs)

    def uniform(self, mass: float) -> Inertial | None:
        """Return the Inertial of uniform density; None where the shapes have no volume.

        Collision shapes are used if all of them are closed, else visuals if these are, else the
        bounding boxes of open meshes.
        """
        parts = next((own for own in self._moments if all(closed for closed, _ in own)),
                     self._moments[0])
        volume = sum(moments.volume for _, moments in parts)
        if not volume > 0.0:
            return None
        centre = sum((moments.first for _, moments in parts), np.zeros(3)) / volume
        S = mass * (sum((moments.second for _, moments in parts), np.zeros((3, 3))) / volume
                    - np.outer(centre, centre))
        return Inertial(mass, centre, np.trace(S) * np.eye(3) - S)

    def bounds(self, centre: FloatArray, axes: FloatArray) -> FloatArray:
        """Return (b - c)(c - a) (3,) [m^2] along axes (3, 3), columns; negative: c is outside."""
        ends = [(*self.extent(axis), float(centre @ axis)) for axis in axes.T]
        return np.array([(high - c) * (c - low) for low, high, c in ends])


def shape_findings(robot: Robot) -> list[InertiaFinding]:
    """Return warnings on links whose mass cannot lie within their own shapes."""
    meshes = RobotMeshes(robot.folder)
    found = []
    for link in robot.links:
        if link.inertial is not None and link.inertial.mass > 0.0:
            shapes = LinkShapes(link, meshes)
            if shapes:
                found += [InertiaFinding('warning', link.name, message)
                          for message in _messages(link.inertial, shapes)]
    return found


def _messages(inertial: Inertial, shapes: LinkShapes) -> Iterator[str]:
    m, c = inertial.mass, inertial.com
    for axis in np.eye(3):
        low, high = shapes.extent(axis)
        beyond = max(low - c @ axis, c @ axis - high)
        if beyond > OUTSIDE * max(high - low, 1e-3):
            yield f'mass centre lies {1e3 * beyond:.3g} mm outside of its own shapes'
            break
    moments, axes = second_moments(inertial.inertia)
    bounds = shapes.bounds(c, axes)
    if (bounds <= 0.0).any():       # with the mass centre in the middle of the shapes
        bounds = np.array([0.25 * np.diff(shapes.extent(axis))[0]**2 for axis in axes.T])
    most = float(moments.sum() - moments.min())         # largest principal inertia
    possible = float(m * (bounds.sum() - bounds.min()))
    uniform = shapes.uniform(m)
    usual = 0.0 if uniform is None else float(np.linalg.eigvalsh(uniform.inertia)[2])
    hint = f'; uniform density gives {usual:.3g} kg m^2' if usual else ''
    if (moments > TOO_LARGE * m * bounds).any() and most > TOO_LARGE * possible:
        yield (f'inertia {most:.4g} kg m^2 is {most / max(possible, 1e-12):.3g} times the largest '
               f'that {m:.4g} kg within its own shapes can have{hint}')
    elif usual and 0.0 < most < TOO_SMALL * usual:
        yield f'inertia {most:.3g} kg m^2 is small for its own shapes{hint}'


def second_moments(inertia: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the principal second moments (3,) and axes (3, 3) of S = tr(I)/2 1 - I."""
    values, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    return values, axes


# -- moments of shapes ---------------------------------------------------------------------------

def mesh_moments(points: FloatArray, faces: IntArray) -> tuple[bool, Moments]:
    """Return whether a mesh is closed, and its moments; those of its bounding box if it is open.

    The volume is the sum of the tetrahedra from the origin to the faces a b c, with sign:
    6 V = det, second moment det/120 (a a' + b b' + c c' + s s'), s = a + b + c.
    """
    corners = points[np.unique(faces)]
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle = 0.5 * (low + high)
    if _is_closed(points, faces, float(np.linalg.norm(high - low))):
        a, b, c = (points[faces[:, k]] - middle for k in range(3))     # small numbers
        det, s = np.einsum('ij,ij->i', a, np.cross(b, c)), a + b + c
        volume = float(det.sum()) / 6.0
        first = np.einsum('i,ij->j', det, s) / 24.0
        second = sum((np.einsum('i,ij,ik->jk', det, x, x) for x in (a, b, c, s)),
                     np.zeros((3, 3))) / 120.0
        if volume < 0.0:        # faces that point inward
            volume, first, second = -volume, -first, -second
        if volume > 1e-6 * float(np.prod(high - low)):
            return True, _shifted(Moments(volume, first, second), middle)
    size = high - low
    volume = float(np.prod(size))
    return False, _shifted(Moments(volume, np.zeros(3), volume * np.diag(size**2) / 12.0), middle)


def _is_closed(points: FloatArray, faces: IntArray, size: float) -> bool:
    """Return whether every edge of a mesh belongs to faces in both directions equally often."""
    grid = np.round(points / max(ROUND_OFF * size, 1e-15)).astype(np.int64)
    _, same = np.unique(grid, axis=0, return_inverse=True)
    welded = same.reshape(-1)[faces]
    count = int(welded.max()) + 1
    first = welded.reshape(-1)
    second = np.roll(welded, -1, axis=1).reshape(-1)
    there, back = np.sort(first * count + second), np.sort(second * count + first)
    return bool((there == back).all())


def _primitive(shape: Shape) -> Moments:
    """Return the moments of a box, cylinder, sphere or capsule in the link frame."""
    if shape.kind == 'box':
        size = np.array(shape.size)
        volume, S = float(np.prod(size)), np.diag(size**2) / 12.0
    elif shape.kind == 'sphere':
        r = shape.size[0]
        volume, S = 4.0 / 3.0 * np.pi * r**3, np.eye(3) * r**2 / 5.0
    else:       # the caps of a capsule are a sphere, cut in two
        r, length = shape.size[0], shape.size[1]
        volume = np.pi * r**2 * length
        S = np.diag([r**2 / 4.0, r**2 / 4.0, length**2 / 12.0])
        if shape.kind == 'capsule':
            caps = 4.0 / 3.0 * np.pi * r**3
            z = length**2 / 4.0 + 0.375 * length * r + r**2 / 5.0
            S = (volume * S + caps * np.diag([r**2 / 5.0, r**2 / 5.0, z])) / (volume + caps)
            volume += caps
    R = shape.rotation
    return _shifted(Moments(float(volume), np.zeros(3), volume * R @ S @ R.T), shape.position)


def _shifted(moments: Moments, by: FloatArray) -> Moments:
    """Return moments about another origin: all points are moved by (3,) [m]."""
    V, first, second = moments
    outer = np.outer(by, first)
    return Moments(V, first + V * by, second + outer + outer.T + V * np.outer(by, by))


def _reach(shape: Shape, axis: FloatArray) -> float:
    """Return how far a primitive shape reaches from its middle along an axis (3,) [m]."""
    x, y, z = np.abs(shape.rotation.T @ axis)
    if shape.kind == 'box':
        return float(0.5 * (x * shape.size[0] + y * shape.size[1] + z * shape.size[2]))
    if shape.kind == 'sphere':
        return shape.size[0]
    radius, half = shape.size[0], 0.5 * shape.size[1]
    if shape.kind == 'capsule':
        return float(radius + z * half)
    return float(radius * np.hypot(x, y) + z * half)
