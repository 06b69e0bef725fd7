# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Robots in meshcat: the links as triangles, and a motion as an animation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.analysis.pictures.coloured_shapes import coloured_triangles
from kane_dynamics.analysis.study.link_states import link_poses
from kane_dynamics.exceptions import MissingDependencyError
from kane_dynamics.model.meshes.robot_meshes import RobotMeshes
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.rotations import from_quaternion

if TYPE_CHECKING:
    import meshcat

FRAME_RATE = 30         # of an animation [Hz]


def meshcat_scene(robot: Robot, t: FloatArray, q: FloatArray) -> meshcat.Visualizer:
    """Return a meshcat Visualizer with a robot at q (1, nq), or in motion at t (N,) [s].

    Its server runs in a process of its own; `url()` is the address for a browser. Flexible links
    are drawn undeformed.
    """
    try:
        import meshcat
        from meshcat.animation import Animation
    except ImportError as error:
        raise MissingDependencyError("viewer='meshcat' needs the package meshcat; install it with "
                                     f"'pip install meshcat' ({error})") from None
    visualizer = meshcat.Visualizer()
    scene = visualizer[robot.name]
    _add_shapes(scene, robot)
    count = 1 if len(t) == 1 else 1 + int(np.ceil((t[-1] - t[0]) * FRAME_RATE))
    rows = np.searchsorted(t, t[0] + np.arange(count) / FRAME_RATE).clip(max=len(t) - 1)
    poses = {name: pose for name, pose in placed_links(robot, q[rows]).items()
             if robot.link(name).visuals}
    for name, pose in poses.items():
        scene[name].set_transform(pose[0])
    if count > 1:
        animation = Animation(default_framerate=FRAME_RATE)
        for k in range(count):
            with animation.at_frame(visualizer, k) as frame:
                for name, pose in poses.items():
                    frame[f'{robot.name}/{name}'].set_transform(pose[k])
        visualizer.set_animation(animation)
    return visualizer


def placed_links(robot: Robot, q: FloatArray) -> dict[str, FloatArray]:
    """Return {link: transforms (N, 4, 4) in the world} at q (N, nq), of the rigid robot."""
    found = {}
    for name, (R, p) in link_poses(robot.rigid(), q[:, robot.joints_q]).items():
        found[name] = np.tile(np.eye(4), (len(q), 1, 1))
        found[name][:, :3, :3], found[name][:, :3, 3] = R, p
    if robot.floating_base:
        mount = np.eye(4)
        mount[:3, :3], mount[:3, 3] = robot.base_rotation, robot.base_position
        base = np.tile(np.eye(4), (len(q), 1, 1))
        base[:, :3, :3] = [from_quaternion(row) for row in q[:, 3:7]]
        base[:, :3, 3] = q[:, :3]
        moved = mount @ base @ np.linalg.inv(mount)
        found = {name: pose if name == robot.root != robot.base else moved @ pose
                 for name, pose in found.items()}
    return found


def _add_shapes(scene: meshcat.Visualizer, robot: Robot) -> None:
    """Add the visuals of all links to a node of meshcat, each below the node of its link."""
    from meshcat.geometry import MeshLambertMaterial, TriangularMeshGeometry
    meshes = RobotMeshes(robot.folder) if robot.folder else None
    for k, link in enumerate(robot.links):
        parts = [part for visual in link.visuals
                 for part in coloured_triangles(visual, meshes, k)]
        for j, (triangles, (red, green, blue)) in enumerate(parts):
            corners = triangles.reshape(-1, 3)
            faces = np.arange(len(corners)).reshape(-1, 3)
            scene[link.name][str(j)].set_object(
                TriangularMeshGeometry(corners, faces),
                MeshLambertMaterial(color=(red << 16) + (green << 8) + blue))
    if meshes is not None:
        meshes.warn()
