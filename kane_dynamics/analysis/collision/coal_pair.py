# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Distances between shapes with coal, the collision library of Pinocchio: the only import of it.

A mesh is used twice: its convex hull gives a lower bound of the distance, quickly and with a sign,
and where hulls overlap its triangles decide whether the shapes touch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kane_dynamics.analysis.collision.collision_bodies import Body, Part
from kane_dynamics.exceptions import MissingDependencyError
from kane_dynamics.numerics.array_types import FloatArray


def load_coal() -> Any:
    """Return the module coal, or raise a MissingDependencyError."""
    try:
        import coal
    except ImportError:
        raise MissingDependencyError(
            "coal is not installed; it comes with Pinocchio: pip install 'kane_dynamics[oracle]'"
        ) from None
    return coal


class CoalBody:
    """The shapes of a Body in coal."""

    def __init__(self, coal: Any, body: Body) -> None:
        self.body = body
        self.shapes = [_CoalShape(coal, part) for part in body.parts]


class _CoalShape:
    """A part: its convex hull, its surface (the same but for meshes) and its pose."""

    def __init__(self, coal: Any, part: Part) -> None:
        self.part = part
        self.pose = coal.Transform3s(part.rotation, part.position)
        if part.kind == 'box':
            self.hull = coal.Box(*part.size)
        elif part.kind == 'sphere':
            self.hull = coal.Sphere(part.size[0])
        elif part.kind == 'cylinder':
            self.hull = coal.Cylinder(*part.size)
        elif part.kind == 'capsule':
            self.hull = coal.Capsule(*part.size)
        if part.faces is None:
            self.surface = self.hull
            return
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for point in part.points:
            points.append(point)
        for a, b, c in part.faces.tolist():
            triangles.append(coal.Triangle(a, b, c))
        self.surface = coal.BVHModelOBBRSS()
        self.surface.beginModel(len(triangles), len(points))
        self.surface.addSubModel(points, triangles)
        self.surface.endModel()
        # joggled: a flat mesh has a hull, too
        self.surface.buildConvexHull(False, 'QJ')
        self.hull = self.surface.convex


class CoalPair:
    """Two bodies."""

    def __init__(self, coal: Any, first: CoalBody, second: CoalBody) -> None:
        self._coal, self._first, self._second = coal, first, second
        self._request, self._result = coal.DistanceRequest(), coal.DistanceResult()
        self._request.enable_signed_distance = True
        self._contact_request, self._contact = coal.CollisionRequest(), coal.CollisionResult()
        self._contact_request.num_max_contacts = 1

    def distance(self, R: FloatArray, p: FloatArray,
                 inside: bool = False) -> tuple[float, Part, Part]:
        """Return the distance [m] of the closest two parts, and these parts.

        R (3, 3), p (3,): pose of the second body in the first one; inside: also find a shape that
        is wholly inside another one, which a motion can only begin with. At least this distance is
        between the shapes, that of their convex hulls; negative where the shapes overlap: to part
        them at most so much is needed. Zero where only the hulls overlap.
        """
        coal, moved = self._coal, self._coal.Transform3s(R, p)
        found: list[tuple[float, Part, Part]] = []
        for a in self._first.shapes:
            for b in self._second.shapes:
                pose = moved * b.pose
                self._result.clear()
                d = float(coal.distance(a.hull, a.pose, b.hull, pose, self._request,
                                        self._result))
                if d <= 0.0 and not self._touch(a, b, pose) and not (
                        inside and _nested(a.part, b.part, R, p)):
                    d = 0.0
                found.append((d if np.isfinite(d) else 0.0, a.part, b.part))
        return min(found, key=lambda each: each[0])

    def _touch(self, a: _CoalShape, b: _CoalShape, pose: Any) -> bool:
        """Return whether the surfaces of two shapes meet."""
        self._contact.clear()
        return bool(self._coal.collide(a.surface, a.pose, b.surface, pose, self._contact_request,
                                       self._contact))


def _nested(first: Part, second: Part, R: FloatArray, p: FloatArray) -> bool:
    """Return whether one of two parts is inside the mesh of the other; R, p: of the second."""
    rotation, position = R @ second.rotation, p + R @ second.position
    inner = (rotation @ second.points[0] + position - first.position) @ first.rotation
    outer = (first.rotation @ first.points[0] + first.position - position) @ rotation
    return _encloses(first, inner) or _encloses(second, outer)


def _encloses(part: Part, point: FloatArray) -> bool:
    """Return whether a point (3,) is inside a mesh: a ray from it leaves an odd number of times.

    Moeller and Trumbore (1997): point + s ray = a + u (b - a) + v (c - a).
    """
    if part.faces is None:
        return False        # coal takes boxes, cylinders and spheres as solids
    ray = np.array([0.5773, 0.3127, 0.7543])        # along no edge
    a, b, c = (part.points[part.faces[:, k]] for k in range(3))
    across = np.cross(ray, c - a)
    scale = np.einsum('ni,ni->n', across, b - a)
    flat = scale == 0.0
    scale[flat] = 1.0
    u = np.einsum('ni,ni->n', across, point - a) / scale
    side = np.cross(point - a, b - a)
    v, s = side @ ray / scale, np.einsum('ni,ni->n', side, c - a) / scale
    hits = ~flat & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (s > 0.0)
    return bool(np.count_nonzero(hits) % 2)
