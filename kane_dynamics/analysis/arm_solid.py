# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""An arm as coloured triangles at any posture: the shapes of its URDF, or a skeleton."""

from __future__ import annotations

import numpy as np

from kane_dynamics.analysis.arm_lines import ArmLines, rooted
from kane_dynamics.analysis.link_poses import link_poses
from kane_dynamics.analysis.mesh_file import MeshShelf
from kane_dynamics.analysis.solid import ball, rod, surface
from kane_dynamics.dynamics.dynamics import Dynamics

COLOURS = ((207, 213, 221), (170, 180, 192), (223, 227, 232), (148, 163, 184))
BENT, PAYLOAD = (15, 118, 110), (217, 119, 6)
DENSITY = 2700.0        # of the ball that stands for a payload [kg/m^3]


class ArmSolid:
    """The surface of one robot; folder: of its URDF, where meshes are looked for."""

    def __init__(self, robot, folder=None, payloads=()):
        self._robot = robot
        self._first = robot.nq - robot.n_modes - robot.n_joints
        self._lines = ArmLines(robot)
        self._bends = tuple(robot.flexible_links)
        # links on bent ones are placed by the equations of motion, others quickly
        self._dynamics = Dynamics(robot, backend='python') if robot.n_modes else None
        shelf = None if folder is None else MeshShelf(folder)
        self._shapes, self._drawn = {}, set()
        for k, link in enumerate(robot.links):
            bent = robot.flexible_links.get(link.name)
            parts = [self._part(each, shelf) for each in link.visuals
                     if bent is None or rooted(bent, each)]
            parts = [part for part in parts if part is not None]
            colour = np.array(COLOURS[k % len(COLOURS)], dtype=float)
            for payload in payloads:
                if payload.link == link.name:
                    radius = (0.75 * payload.mass / (np.pi * DENSITY)) ** (1 / 3)
                    self._shapes[f'{link.name} payload'] = (
                        link.name, ball(radius) + payload.com, np.array(PAYLOAD, dtype=float))
            if parts:
                if bent is None:
                    self._drawn.add(link.name)
                self._shapes[link.name] = (link.name, np.concatenate(parts), colour)
        if shelf is not None:
            shelf.warn()

    def _part(self, visual, shelf):
        triangles = surface(visual.kind, visual.size)
        if triangles is None:
            triangles = None if shelf is None else shelf.triangles(visual.filename)
            if triangles is None:
                return None
            triangles = triangles * np.asarray(visual.size)
        return triangles @ visual.rotation.T + visual.position

    def triangles(self, q):
        """Return corners (T, 3, 3) [m] in the world and colours (T, 3) from 0 to 255."""
        places = self._poses(np.asarray(q, dtype=float)[None])
        parts, colours = [], []
        for link, shape, colour in self._shapes.values():
            R, p = places[link]
            parts.append(shape @ R[0].T + p[0])
            colours.append(np.broadcast_to(colour, (len(shape), 3)))
        radius = 0.018 * self._size
        for name, lines in self._lines.at(q).items():
            if name in self._drawn:
                continue
            bends = name in self._bends
            colour = np.array(BENT if bends else COLOURS[1], dtype=float)
            for line in lines:
                for a, b in zip(line[:-1], line[1:]):
                    part = rod(a, b, radius)
                    parts.append(part)
                    colours.append(np.broadcast_to(colour, (len(part), 3)))
        return np.concatenate(parts), np.concatenate(colours)

    def extent(self, q):
        """Return the centre (3,), radius and ground of what is seen at postures q (N, nq)."""
        points = [p for _, p in self._poses(q).values()]
        self._size = 1.0
        first = self._shapes.values()
        sizes = [0.05] + [float(np.linalg.norm(shape, axis=-1).max()) for _, shape, _ in first]
        for each in q:
            for lines in self._lines.at(each).values():
                points += lines
        points = np.vstack(points)
        low, high = points.min(axis=0), points.max(axis=0)
        centre = 0.5 * (low + high)
        radius = float(np.linalg.norm(points - centre, axis=1).max()) + 0.4 * min(
            max(sizes), 0.5 * float(np.linalg.norm(high - low)) + 0.05)
        self._size = max(radius, 0.05)
        ground = self.triangles(q[0])[0][..., 2].min()     # shapes reach below their origins
        return centre, self._size, float(min(low[2], ground))

    def path(self, frame, q):
        """Return where a link's origin is (N, 3) [m]."""
        return self._poses(q)[frame][1]

    def _poses(self, q):
        if self._dynamics is None:
            return link_poses(self._robot, q[:, self._first:self._first + self._robot.n_joints])
        return {link: self._dynamics.frame_pose_many(link, q) for link in self._robot.link_names}
