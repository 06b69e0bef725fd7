# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Coloured triangles of an arm in any configuration: shapes of its URDF, or a skeleton."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kane_dynamics.analysis.collision.collision_check import Surroundings
from kane_dynamics.analysis.pictures.arm_lines import ArmLines, rooted
from kane_dynamics.analysis.pictures.coloured_shapes import (
    BOX_COLOUR, coloured_triangles, LINK_COLOURS)
from kane_dynamics.analysis.pictures.ground import ground_height
from kane_dynamics.analysis.pictures.solids import (
    ball, bounding_sphere, box, payload_radius, rod)
from kane_dynamics.analysis.study.link_states import link_poses, Pose
from kane_dynamics.analysis.study.study import HeldPayload
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.model.meshes.mesh import Rgb
from kane_dynamics.model.meshes.robot_meshes import RobotMeshes
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

FLEXIBLE, PAYLOAD = (15, 118, 110), (217, 119, 6)      # red, green, blue
ROD = 0.018             # radius of a rod of the skeleton, as a fraction of the arm's extent
MIN_SIZE = 0.05         # of an arm [m]


class Extent(NamedTuple):
    """The space that an arm takes in a picture: centre (3,), radius and height of ground [m]."""

    centre: FloatArray
    radius: float
    ground: float


class _Shape(NamedTuple):
    link: str
    triangles: FloatArray       # (T, 3, 3) [m], link frame
    colour: Rgb


class ArmSolid:
    """The surface of one robot.

    q (N, nq): all configurations of the picture, which give its `extent`; folder: of the URDF, to
    resolve its mesh files.
    """

    def __init__(self, robot: Robot, q: FloatArray, folder: str | Path | None = None,
                 payloads: Iterable[HeldPayload] = (),
                 surroundings: Surroundings = Surroundings()) -> None:
        self._robot = robot
        self._lines = ArmLines(robot)
        # poses of links on flexible ones need the equations of motion
        self._dynamics = Dynamics(robot, backend='python') if robot.n_modes else None
        links = _link_shapes(robot, folder)
        # links that are drawn by their shapes need no skeleton
        self._covered = {shape.link for shape in links} - set(robot.flexible_links)
        self._shapes = [*links, *(
            _Shape(payload.link, ball(payload_radius(payload.mass)) + payload.com, PAYLOAD)
            for payload in payloads)]
        points = np.vstack(self._points(q))
        centre, self._size = self._centre_and_size(points)
        self._boxes: list[FloatArray] = []      # no part of the extent
        # shapes reach below their origins
        lowest = min(points[:, 2].min(), self.triangles(q[0])[0][..., 2].min())
        self.extent = Extent(centre, self._size, ground_height(
            robot, float(lowest), surroundings.floor))
        self._boxes = [box(each.size) @ each.rotation.T + each.position
                       for each in surroundings.boxes]

    def triangles(self, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return corners (T, 3, 3) [m] in the world and colours (T, 3) from 0 to 255."""
        q = np.asarray(q, dtype=np.float64)
        poses = self._poses(q[None])
        parts = [(each, BOX_COLOUR) for each in self._boxes]
        for link, shape, colour in self._shapes:
            R, p = poses[link]
            parts.append((shape @ R[0].T + p[0], colour))
        for name, lines in self._lines.at(q).items():
            if name not in self._covered:
                colour = FLEXIBLE if name in self._robot.flexible_links else LINK_COLOURS[1]
                parts += [(rod(a, b, ROD * self._size), colour)
                          for line in lines for a, b in zip(line[:-1], line[1:])]
        return (np.concatenate([part for part, _ in parts]), np.concatenate(
            [np.broadcast_to(np.array(colour, dtype=np.float64), (len(part), 3))
             for part, colour in parts]))

    def path(self, frame: str, q: FloatArray) -> FloatArray:
        """Return the positions (N, 3) [m] of a link's origin at q (N, nq)."""
        return self._poses(q)[frame][1]

    def _points(self, q: FloatArray) -> list[FloatArray]:
        """Return the origins of links and the points of their lines, [(n, 3), ...] [m]."""
        return [*(p for _, p in self._poses(q).values()),
                *(points for each in q for lines in self._lines.at(each).values()
                  for points in lines)]

    def _centre_and_size(self, points: FloatArray) -> tuple[FloatArray, float]:
        """Return the centre (3,) and the radius [m] of the arm, points (N, 3) on its lines."""
        centre, radius = bounding_sphere(points)
        # room for the shapes, which reach beyond the lines
        reach = max([MIN_SIZE, *(float(np.linalg.norm(shape.triangles, axis=-1).max())
                                 for shape in self._shapes)])
        diagonal = float(np.linalg.norm(np.ptp(points, axis=0)))
        return centre, max(radius + 0.4 * min(reach, 0.5 * diagonal + MIN_SIZE), MIN_SIZE)

    def _poses(self, q: FloatArray) -> Mapping[str, Pose]:
        if self._dynamics is None:
            return link_poses(self._robot, q[:, self._robot.joints_q])
        return {link: self._dynamics.frame_pose_many(link, q) for link in self._robot.link_names}


def _link_shapes(robot: Robot, folder: str | Path | None) -> list[_Shape]:
    """Return the shapes of the links; of a flexible link those at its root."""
    meshes = None if folder is None else RobotMeshes(folder)
    shapes = []
    for k, link in enumerate(robot.links):
        flexible = robot.flexible_links.get(link.name)
        for visual in link.visuals:
            if flexible is None or rooted(flexible, visual):
                shapes += [_Shape(link.name, triangles, colour)
                           for triangles, colour in coloured_triangles(visual, meshes, k)]
    if meshes is not None:
        meshes.warn()
    return shapes
