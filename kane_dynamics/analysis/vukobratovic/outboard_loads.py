# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Loads on the beams of an arm: point masses with weight and inertia, and the beams they load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TYPE_CHECKING

import numpy as np

from kane_dynamics.kane.kinematics import frame_acceleration, frame_pose, frame_velocity
from kane_dynamics.model.flexible.outboard import central
from kane_dynamics.model.structure.tree import moments as mass_moments
from kane_dynamics.numerics.array_types import ArrayLike, BoolArray, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

STIFFNESSES = ('EI_y', 'EI_z', 'GJ', 'EA')
TOLERANCE = 1e-9      # fraction of the length: a station at a piece's end is outboard of it


class Piece(NamedTuple):
    """A piece of a beam, its end in the base frame, and the points that it carries."""

    end: FloatArray          # (3,) [m]
    R: FloatArray            # (3, 3) beam axes in the base
    length: float            # [m]
    compliance: dict[str, float]   # 1 / EI_y, ...; zero where the beam is rigid
    outboard: BoolArray      # (N,)


class LoadedArm(NamedTuple):
    """All points of an arm in one state of motion, base axes."""

    points: FloatArray       # (N, 3) [m]
    masses: FloatArray       # (N,) [kg]
    forces: FloatArray       # (N, 3) weight less inertia [N]
    moments: FloatArray      # (N, 3) of inertia about the points [N m]
    pieces: tuple[Piece, ...]
    origins: dict[str, int]  # {link: index of its point}


class OutboardLoads:
    """Points of a robot with flexible links: beam nodes, mass centres, origins of links."""

    def __init__(self, robot: Robot, pieces: int) -> None:
        self._robot, self._pieces = robot, pieces
        self._rigid = robot.rigid()
        self._tree = self._rigid.tree
        # {link: {flexible link that carries it: station x}}
        self._carriers: dict[str, dict[str, float]] = {}
        for link in robot.links:
            joint = robot.parent_joint(link.name)
            carried = {} if joint is None else dict(self._carriers[joint.parent])
            if joint is not None and joint.parent in robot.flexible_links:
                carried[joint.parent] = robot.flexible_links[joint.parent].stations[joint.name]
            self._carriers[link.name] = carried

    def at(self, q: ArrayLike, qd: ArrayLike | None = None,
           qdd: ArrayLike | None = None) -> LoadedArm:
        """Return the LoadedArm for joint positions, velocities and accelerations."""
        rigid, tree = self._rigid, self._tree
        joints = np.asarray(q, dtype=float)[:rigid.nq].tolist()
        u, ud = ([0.0] * rigid.nv if value is None
                 else np.asarray(value, float)[:rigid.nv].tolist() for value in (qd, qdd))
        # point, mass, force, moment, {flexible link: station}
        rows: list[tuple[FloatArray, float, FloatArray, FloatArray, dict[str, float]]] = []
        origins: dict[str, int] = {}
        beams: list[tuple[str, FloatArray, FloatArray, float, float]] = []
        for link in self._robot.links:
            frame = tree.frames[link.name]
            R, p = (np.array(value, np.float64) for value in frame_pose(tree, frame, joints))
            a, alpha = np.split(
                np.array(frame_acceleration(tree, frame, joints, u, ud), np.float64), 2)
            w = np.array(frame_velocity(tree, frame, joints, u), np.float64)[3:]
            carried = self._carriers[link.name]

            def point(r: FloatArray, mass: float, inertia: FloatArray | None = None,
                      station: float | None = None) -> None:
                acceleration = a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
                moment = np.zeros(3) if inertia is None else -(
                    inertia @ alpha + np.cross(w, inertia @ w))
                where = carried if station is None else {**carried, link.name: station}
                rows.append((p + r, mass, mass * (self._robot.gravity - acceleration), moment,
                             where))

            origins[link.name] = len(rows)
            point(np.zeros(3), 0.0)
            flexible = self._robot.flexible_links.get(link.name)
            if flexible is None:
                if link.inertial is not None:
                    com, inertia = central(*mass_moments(link.inertial))
                    point(R @ com, link.inertial.mass, R @ inertia @ R.T)
                continue
            com, inertia = central(*flexible.rest)
            point(R @ com, flexible.rest.m, R @ inertia @ R.T, 0.0)
            edges = np.linspace(0.0, flexible.beam.length, self._pieces + 1)
            for x, end in zip(edges[:-1], edges[1:]):
                m = flexible.beam.moments(x, end)[0]
                for station in (x, end):                   # half and half
                    point(R @ (flexible.root + flexible.rotation[:, 0] * station), m / 2,
                          station=station)
                beams.append((link.name, R @ flexible.rotation,
                              p + R @ (flexible.root + flexible.rotation[:, 0] * end), x, end))
        points, masses, forces, moments, where = zip(*rows)
        pieces = tuple(self._piece(*beam, where) for beam in beams)
        return LoadedArm(np.array(points), np.array(masses), np.array(forces), np.array(moments),
                         pieces, origins)

    def _piece(self, name: str, R: FloatArray, position: FloatArray, x: float, end: float,
               where: Sequence[dict[str, float]]) -> Piece:
        beam = self._robot.flexible_links[name].beam
        middle = beam.at((x + end) / 2)
        compliance = {key: 1.0 / float(middle[key]) if middle[key] > 0.0 else 0.0
                      for key in STIFFNESSES}
        reach = end - TOLERANCE * beam.length
        outboard = np.array([carried.get(name, -1.0) >= reach for carried in where])
        return Piece(position, R, end - x, compliance, outboard)
