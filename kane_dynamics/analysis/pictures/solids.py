# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces of simple bodies as triangles (T, 3, 3) [m], ordered so that normals point outward."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np

from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

PAYLOAD_DENSITY = 2700.0    # of the ball that is drawn for a payload: aluminium [kg/m^3]


def payload_radius(mass: float) -> float:
    """Return the radius [m] of the ball that is drawn for a payload [kg]."""
    return float((0.75 * mass / (math.pi * PAYLOAD_DENSITY)) ** (1 / 3))


def bounding_sphere(points: FloatArray) -> tuple[FloatArray, float]:
    """Return centre (3,) and radius [m] about points (N, 3); the centre is that of their box."""
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return centre, float(np.linalg.norm(points - centre, axis=1).max())


def box(size: ArrayLike) -> FloatArray:
    """Return a box of sizes x, y, z [m] about the origin."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [(a, b, c) for a, b, c, _ in faces] + [(a, c, d) for a, _, c, d in faces]
    return (corners * np.asarray(size))[np.array(triangles)]


def revolved(outline: ArrayLike, sides: int) -> FloatArray:
    """Return the surface of revolution about z of a line of points (radius, z), z ascending."""
    angles = 2.0 * np.pi * np.arange(sides + 1) / sides
    profile: FloatArray = np.asarray(outline, dtype=np.float64)
    rings = np.stack([np.outer(profile[:, 0], np.cos(angles)),
                      np.outer(profile[:, 0], np.sin(angles)),
                      np.outer(profile[:, 1], np.ones_like(angles))], axis=-1)
    a, b = rings[:-1, :-1], rings[:-1, 1:]
    c, d = rings[1:, 1:], rings[1:, :-1]
    triangles = np.concatenate([np.stack([a, b, c], axis=2).reshape(-1, 3, 3),
                                np.stack([a, c, d], axis=2).reshape(-1, 3, 3)])
    return triangles[_areas(triangles) > 1e-18]


def cylinder(radius: float, length: float, sides: int = 28, pieces: int = 3) -> FloatArray:
    """Return a cylinder along z about the origin; cut into pieces, to be sorted by depth."""
    z = np.linspace(-0.5 * length, 0.5 * length, pieces + 1)
    return revolved([(0.0, z[0]), *((radius, each) for each in z), (0.0, z[-1])], sides)


def ball(radius: float, rings: int = 10) -> FloatArray:
    """Return a sphere about the origin."""
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, rings + 1)
    return revolved(radius * np.column_stack([np.cos(angles), np.sin(angles)]), 2 * rings)


def capsule(radius: float, length: float) -> FloatArray:
    """Return a cylinder along z about the origin with hemispheres at its ends."""
    low = np.linspace(-0.5 * np.pi, 0.0, 6)
    ends = [(radius * np.cos(a), radius * np.sin(a) - 0.5 * length) for a in low]
    ends += [(radius * np.cos(a), radius * np.sin(a) + 0.5 * length) for a in -low[::-1]]
    return revolved(ends, 24)


def rod(first: ArrayLike, last: ArrayLike, radius: float, sides: int = 16) -> FloatArray:
    """Return a cylinder between two points (3,)."""
    start, end = np.asarray(first, dtype=np.float64), np.asarray(last, dtype=np.float64)
    along = end - start
    length = float(np.linalg.norm(along))
    if length < 1e-9:
        return np.zeros((0, 3, 3))
    z = along / length
    x = np.cross(np.eye(3)[np.argmin(abs(z))], z)
    x /= np.linalg.norm(x)
    R = np.column_stack([x, np.cross(z, x), z])
    return cylinder(radius, length, sides, 2) @ R.T + 0.5 * (start + end)


def triangles_of(kind: str, size: Sequence[float]) -> FloatArray | None:
    """Return the triangles of a shape of a URDF, None for a mesh."""
    if kind == 'box':
        return box(size)
    if kind == 'cylinder':
        return cylinder(size[0], size[1])
    if kind == 'sphere':
        return ball(size[0])
    if kind == 'capsule':
        return capsule(size[0], size[1])
    return None


def _areas(triangles: FloatArray) -> FloatArray:
    """Return twice the areas (T,) of triangles."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    return np.sqrt((normals * normals).sum(axis=1))
