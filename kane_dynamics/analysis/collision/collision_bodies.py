# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of an arm for collision checks: links that are fixed to each other, with their shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from kane_dynamics.io.text import clean, PATH
from kane_dynamics.model.meshes.robot_meshes import RobotMeshes
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Shape
from kane_dynamics.numerics.array_types import FloatArray, IntArray

MOST_BELOW = 0.3    # of an arm's size, below its mounting plane in the reference configuration
RIM_POINTS = 64     # of each end of a cylinder, in the check with the floor

Poses: TypeAlias = tuple[FloatArray, FloatArray]        # R (N, 3, 3), p (N, 3) [m]


class Part(NamedTuple):
    """A shape of a link, in the frame of its body; points (V, 3) [m] and faces of a mesh."""

    link: str
    kind: str
    size: tuple[float, ...]
    rotation: FloatArray        # (3, 3)
    position: FloatArray        # (3,) [m]
    points: FloatArray          # (V, 3) [m], in the frame of the shape: its hull, less `radius`
    radius: float               # about the points [m]
    faces: IntArray | None = None

    def in_body(self) -> FloatArray:
        """Return the points (V, 3) [m] in the frame of the body."""
        return self.points @ self.rotation.T + self.position


@dataclass(frozen=True, eq=False)
class Body:
    """Links that are fixed to each other; `frame`: the link whose frame the parts are in."""

    frame: str
    parts: tuple[Part, ...]
    fixed: bool                 # to the base

    @property
    def name(self) -> str:
        """Return the first link that has a shape."""
        return self.parts[0].link

    def sphere(self) -> tuple[FloatArray, float]:
        """Return centre (3,) and radius [m] of a sphere about the parts, in the body's frame."""
        points = np.vstack([part.in_body() for part in self.parts])
        centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
        return centre, float(max((np.linalg.norm(part.in_body() - centre, axis=1)
                                  + part.radius).max() for part in self.parts))


class Bodies(NamedTuple):
    """The bodies of an arm, the pairs of them that a joint connects, and links left out."""

    bodies: tuple[Body, ...]
    adjacent: frozenset[tuple[str, str]]        # frames of two bodies
    missing: Mapping[str, str]                  # {link: reason}


def bodies_of(robot: Robot, poses: Mapping[str, Poses], folder: str | None) -> Bodies:
    """Return the Bodies of a robot.

    poses: of all links in any one configuration. Collision shapes are used; the visuals where no
    link has a collision shape. folder: of the URDF, to resolve its mesh files.
    """
    meshes = None if folder is None else RobotMeshes(folder)
    with_collisions = any(link.collisions for link in robot.links)
    frames: dict[str, str] = {robot.root: robot.root}
    for joint in robot.joints:
        frames[joint.child] = frames[joint.parent] if joint.kind == 'fixed' else joint.child
    parts: dict[str, list[Part]] = {frame: [] for frame in dict.fromkeys(frames.values())}
    missing: dict[str, str] = {}
    for link in robot.links:
        frame = frames[link.name]
        (R, p), (R_frame, p_frame) = poses[link.name], poses[frame]
        rotation = R_frame[0].T @ R[0]
        position = R_frame[0].T @ (p[0] - p_frame[0])
        for shape in link.collisions if with_collisions else link.visuals:
            part = _part(link.name, shape, rotation, position, meshes)
            if part is not None:
                parts[frame].append(part)
            else:
                missing[link.name] = _reason(shape, meshes)
    bodies = tuple(Body(frame, tuple(own), frame == robot.root)
                   for frame, own in parts.items() if own)
    return Bodies(bodies, _adjacent(robot, frames, {body.frame for body in bodies}), missing)


def stands_on_base(robot: Robot, poses: Mapping[str, Poses]) -> bool:
    """Return whether z = 0 of the root link can be a mounting plane.

    It is not in the middle of the robot, as at the pelvis of a humanoid. poses: of all links in
    the reference configuration.
    """
    R, p = poses[robot.root]
    origins = (np.array([poses[link][1][0] for link in robot.link_names]) - p[0]) @ R[0]
    size = float(np.linalg.norm(np.ptp(origins, axis=0)))
    return not robot.floating_base and bool(-origins[:, 2].min() <= MOST_BELOW * size)


def _adjacent(robot: Robot, frames: Mapping[str, str],
              shaped: set[str]) -> frozenset[tuple[str, str]]:
    """Return the pairs of bodies that joints connect; bodies without shapes are passed over."""
    neighbours: dict[str, set[str]] = {frame: set() for frame in frames.values()}
    for joint in robot.joints:
        if joint.kind != 'fixed':
            neighbours[frames[joint.parent]].add(frames[joint.child])
            neighbours[frames[joint.child]].add(frames[joint.parent])
    pairs: set[tuple[str, str]] = set()
    for frame, around in neighbours.items():
        if frame in shaped:
            pairs.update((frame, other) for other in around)
        else:       # the bodies at both ends of a joint with several axes are adjacent
            pairs.update(combinations(around, 2))
            for one in around:
                neighbours[one].update(around - {one})
    return frozenset((*pairs, *((b, a) for a, b in pairs)))


def box_part(name: str, size: tuple[float, float, float], rotation: FloatArray,
             position: FloatArray) -> Part:
    """Return the Part of a box of sizes x, y, z [m] at a pose."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    return Part(name, 'box', size, rotation, position, corners * np.asarray(size), 0.0)


def _reason(shape: Shape, meshes: RobotMeshes | None) -> str:
    """Return why a shape has no part."""
    if shape.kind != 'mesh':
        return f'a {shape.kind} of size {list(shape.size)} has no volume'
    if meshes is None:
        return 'the folder of its mesh files is not known'
    return f'{clean(shape.filename, PATH)} {meshes.missing[shape.filename]}'


def _part(link: str, shape: Shape, rotation: FloatArray, position: FloatArray,
          meshes: RobotMeshes | None) -> Part | None:
    """Return the Part of a shape; rotation, position: of its link in the body's frame."""
    R, p = rotation @ shape.rotation, position + rotation @ shape.position
    size = shape.size
    if shape.kind == 'mesh':
        mesh = None if meshes is None else meshes.mesh(shape.filename, None)
        if mesh is None:
            return None
        used, faces = np.unique(mesh.faces, return_inverse=True)
        return Part(link, 'mesh', size, R, p, mesh.points[used] * np.asarray(size), 0.0,
                    faces.reshape(-1, 3))
    if min(size) <= 0.0:
        return None
    if shape.kind == 'box':
        return box_part(link, (size[0], size[1], size[2]), R, p)
    if shape.kind == 'sphere':
        return Part(link, shape.kind, size, R, p, np.zeros((1, 3)), size[0])
    ends = np.array([-0.5, 0.5]) * size[1]
    if shape.kind == 'capsule':
        return Part(link, shape.kind, size, R, p, np.outer(ends, [0.0, 0.0, 1.0]), size[0])
    angles = 2.0 * np.pi * np.arange(RIM_POINTS) / RIM_POINTS
    rim = size[0] * np.column_stack([np.cos(angles), np.sin(angles), 0.0 * angles])
    return Part(link, shape.kind, size, R, p,
                np.vstack([rim + [0.0, 0.0, end] for end in ends]), 0.0)
