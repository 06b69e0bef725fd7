# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Loads on the beams of an arm: mass points, their weight and inertia, and what carries them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.kane.kinematics import frame_acceleration, frame_pose, frame_velocity
from kane_dynamics.model.assembly import tree_of
from kane_dynamics.model.outboard import central
from kane_dynamics.model.tree import moments as mass_moments

STIFFNESSES = ('EI_y', 'EI_z', 'GJ', 'EA')
JUST_BEFORE = 1e-9      # of the length: a station at a piece's end is outboard of it


class Piece(NamedTuple):
    """A piece of a beam, its end in the base frame, and which points it carries."""

    end: np.ndarray          # (3,) [m]
    R: np.ndarray            # (3, 3) beam axes in the base
    length: float            # [m]
    compliance: dict         # 1 / EI_y, ...; zero for what the beam does not give way to
    outboard: np.ndarray     # (N,) bool


class Placed(NamedTuple):
    """All points of an arm at one pose and motion, base axes."""

    points: np.ndarray       # (N, 3) [m]
    masses: np.ndarray       # (N,) [kg]
    forces: np.ndarray       # (N, 3) weight less inertia [N]
    moments: np.ndarray      # (N, 3) of inertia about the points [N m]
    pieces: tuple
    origins: dict            # link name -> its point


class OutboardLoads:
    """Points of a robot with flexible links: beam nodes, mass centres, origins of links."""

    def __init__(self, robot, pieces):
        self._robot, self._pieces = robot, pieces
        self._rigid = robot.rigid()
        self._tree = tree_of(self._rigid)
        self._carriers = {}                                # link -> {flexible link: station x}
        for link in robot.links:
            joint = robot.parent_joint(link.name)
            carried = {} if joint is None else dict(self._carriers[joint.parent])
            if joint is not None and joint.parent in robot.flexible_links:
                carried[joint.parent] = robot.flexible_links[joint.parent].stations[joint.name]
            self._carriers[link.name] = carried

    def at(self, q, qd=None, qdd=None):
        """Return the Placed arm for joint coordinates, rates and accelerations."""
        rigid, tree = self._rigid, self._tree
        q = np.asarray(q, dtype=float)[:rigid.nq]
        u, ud = (np.zeros(rigid.nv) if value is None else np.asarray(value, float)[:rigid.nv]
                 for value in (qd, qdd))
        rows = []                   # point, mass, force, moment, {flexible link: station}
        origins, beams = {}, []
        for link in self._robot.links:
            frame = tree.frames[link.name]
            R, p = (np.array(value, float) for value in frame_pose(tree, frame, q))
            a, alpha = np.split(np.array(frame_acceleration(tree, frame, q, u, ud), float), 2)
            w = np.array(frame_velocity(tree, frame, q, u), float)[3:]
            carried = self._carriers[link.name]

            def point(r, mass, inertia=None, station=None):
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
        return Placed(np.array(points), np.array(masses), np.array(forces), np.array(moments),
                      pieces, origins)

    def _piece(self, name, R, place, x, end, where):
        beam = self._robot.flexible_links[name].beam
        middle = beam.at((x + end) / 2)
        compliance = {key: 1.0 / middle[key] if middle[key] > 0.0 else 0.0 for key in STIFFNESSES}
        reach = end - JUST_BEFORE * beam.length
        outboard = np.array([carried.get(name, -1.0) >= reach for carried in where])
        return Piece(place, R, end - x, compliance, outboard)
