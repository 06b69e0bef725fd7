# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Repair of inertias that no body has, or that do not fit into the link's own shapes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from kane_dynamics.model.inertia_checks import InertiaFinding
from kane_dynamics.model.meshes.link_shapes import LinkShapes, second_moments
from kane_dynamics.model.meshes.robot_meshes import RobotMeshes
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Inertial

Method: TypeAlias = Literal['nearest', 'uniform']
METHODS: tuple[Method, ...] = ('nearest', 'uniform')


class Repair(NamedTuple):
    """Proposals for one link: the nearest consistent inertia, and that of uniform density.

    nearest: the mass centre and the principal axes are kept, and each second moment is brought
    into the range that is possible: the nearest matrix in the Frobenius norm with these axes.
    None: the mass centre lies outside of the shapes. uniform: None without shapes of a volume.
    """

    link: str
    present: Inertial
    nearest: Inertial | None
    uniform: Inertial | None

    def chosen(self, method: Method) -> Inertial | None:
        """Return the proposal of a method, or the other one where there is none."""
        first, second = (self.nearest, self.uniform) if method == 'nearest' else (
            self.uniform, self.nearest)
        return second if first is None else first


def repairs(robot: Robot, findings: Iterable[InertiaFinding]) -> list[Repair]:
    """Return the Repairs of the links with mass that findings name."""
    meshes = RobotMeshes(robot.folder)
    found = []
    for name in dict.fromkeys(finding.link for finding in findings):
        link = robot.link(name)
        if link.inertial is None or not link.inertial.mass > 0.0:
            continue
        shapes = LinkShapes(link, meshes)
        found.append(Repair(name, link.inertial, _nearest(link.inertial, shapes),
                            shapes.uniform(link.inertial.mass) if shapes else None))
    return found


def _nearest(inertial: Inertial, shapes: LinkShapes) -> Inertial | None:
    moments, axes = second_moments(inertial.inertia)
    most = np.full(3, np.inf)
    if shapes:
        most = inertial.mass * shapes.bounds(inertial.com, axes)
        if (most <= 0.0).any():
            return None
    moments = np.clip(moments, 0.0, most)
    S = axes @ np.diag(moments) @ axes.T
    return Inertial(inertial.mass, inertial.com, np.trace(S) * np.eye(3) - S)
