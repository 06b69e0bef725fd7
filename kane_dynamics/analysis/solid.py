# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces of simple bodies as triangles (T, 3, 3), corners counted so that normals point out."""

from __future__ import annotations

import numpy as np


def box(size):
    """Return a box of sizes x, y, z [m] about the origin."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [(a, b, c) for a, b, c, _ in faces] + [(a, c, d) for a, _, c, d in faces]
    return (corners * size)[np.array(triangles)]


def revolved(profile, sides):
    """Return what a line of (radius, z) points sweeps about z; the line runs from below up."""
    angles = 2.0 * np.pi * np.arange(sides + 1) / sides
    profile = np.asarray(profile, dtype=float)
    rings = np.stack([np.outer(profile[:, 0], np.cos(angles)),
                      np.outer(profile[:, 0], np.sin(angles)),
                      np.outer(profile[:, 1], np.ones_like(angles))], axis=-1)
    a, b = rings[:-1, :-1], rings[:-1, 1:]
    c, d = rings[1:, 1:], rings[1:, :-1]
    triangles = np.concatenate([np.stack([a, b, c], axis=2).reshape(-1, 3, 3),
                                np.stack([a, c, d], axis=2).reshape(-1, 3, 3)])
    return triangles[_areas(triangles) > 1e-18]


def cylinder(radius, length, sides=28, pieces=3):
    """Return a cylinder along z about the origin; cut in pieces, so that it can be sorted."""
    z = np.linspace(-0.5 * length, 0.5 * length, pieces + 1)
    return revolved([(0.0, z[0]), *((radius, each) for each in z), (0.0, z[-1])], sides)


def ball(radius, rings=10):
    """Return a sphere about the origin."""
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, rings + 1)
    return revolved(radius * np.column_stack([np.cos(angles), np.sin(angles)]), 2 * rings)


def capsule(radius, length):
    """Return a cylinder of a length along z with half balls at its ends."""
    low = np.linspace(-0.5 * np.pi, 0.0, 6)
    ends = [(radius * np.cos(a), radius * np.sin(a) - 0.5 * length) for a in low]
    ends += [(radius * np.cos(a), radius * np.sin(a) + 0.5 * length) for a in -low[::-1]]
    return revolved(ends, 24)


def rod(first, last, radius, sides=16):
    """Return a cylinder between two points (3,)."""
    along = np.asarray(last, dtype=float) - first
    length = float(np.linalg.norm(along))
    if length < 1e-9:
        return np.zeros((0, 3, 3))
    z = along / length
    x = np.cross(np.eye(3)[np.argmin(abs(z))], z)
    x /= np.linalg.norm(x)
    R = np.column_stack([x, np.cross(z, x), z])
    return cylinder(radius, length, sides, 2) @ R.T + 0.5 * (np.asarray(first) + last)


def surface(kind, size):
    """Return the triangles of a URDF shape, or None for a mesh."""
    if kind == 'box':
        return box(np.asarray(size))
    if kind == 'cylinder':
        return cylinder(*size)
    if kind == 'sphere':
        return ball(size[0])
    if kind == 'capsule':
        return capsule(*size)
    return None


def _areas(triangles):
    return np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0],
                                   triangles[:, 2] - triangles[:, 0]), axis=1)
