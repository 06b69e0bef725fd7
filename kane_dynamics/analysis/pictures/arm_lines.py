# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Lines along the links of an arm, bent where a link is flexible, for pictures and markers."""

from __future__ import annotations

import numpy as np

from kane_dynamics.kane.kinematics import poses
from kane_dynamics.model.flexible.flexible_link import FlexibleLink
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Shape
from kane_dynamics.model.tree_of_robot import elastic_slices
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

ROOTED = 0.1    # of a beam's length: shapes centred nearer to its root are drawn as rigid


class ArmLines:
    """Lines along the links of one robot in any configuration."""

    def __init__(self, robot: Robot) -> None:
        self._robot, self._tree = robot, robot.tree

    def at(self, q: ArrayLike) -> dict[str, list[FloatArray]]:
        """Return {link: [points (n, 3) [m] in the base frame, ...]} for q (nq,).

        A link is drawn from its origin to each joint that it carries, a flexible one along its
        bent axis and from there. Rigid links that carry no joint are left out.
        """
        q = np.asarray(q, dtype=np.float64)
        frames = self._frames(q)
        axes = self._axes(q, frames)
        lines: dict[str, list[FloatArray]] = {}
        for link in self._robot.links:
            joints = self._robot.child_joints(link.name)
            _, origin = frames[link.name]
            if link.name not in axes:
                lines[link.name] = [np.array([origin, frames[joint.child][1]])
                                    for joint in joints]
                continue
            axis, flexible = axes[link.name], self._robot.flexible_links[link.name]
            lines[link.name] = [np.vstack([origin, axis])]
            for joint in joints:
                fraction = flexible.stations[joint.name] / flexible.beam.length
                nearest = axis[round(fraction * (len(axis) - 1))]
                lines[link.name].append(np.array([nearest, frames[joint.child][1]]))
        return {name: parts for name, parts in lines.items() if parts}

    def _frames(self, q: FloatArray) -> dict[str, tuple[FloatArray, FloatArray]]:
        """Return {link or frame: R (3, 3), p (3,)} in the base frame."""
        bodies = [(np.array(R, float), np.array(p, float))
                  for R, p in poses(self._tree, q.tolist())]
        found = {}
        for name, frame in self._tree.frames.items():
            R, p = bodies[frame.body] if frame.body >= 0 else (np.eye(3), np.zeros(3))
            found[name] = R @ frame.R, p + R @ frame.p
        return found

    def _axes(self, q: FloatArray, frames: dict[str, tuple[FloatArray, FloatArray]],
              ) -> dict[str, FloatArray]:
        """Return {flexible link: points (n, 3) along its bent axis}."""
        axes = {}
        elastic, slices = q[self._robot.modes_q], elastic_slices(self._robot)
        for name, flexible in self._robot.flexible_links.items():
            R, p = frames[name]
            if flexible.segments is None:
                axes[name] = p + flexible.centerline(elastic[slices[name]]) @ R.T
                continue
            springs = flexible.segments.springs
            hinges = [frames[f'{name}/{k}'] for k in range(1, len(springs) + 1)]
            R_end, p_end = hinges[-1]
            tip = p_end + R_end @ [flexible.beam.length - springs[-1].x, 0.0, 0.0]
            axes[name] = np.array([p + R @ flexible.root, *(p for _, p in hinges), tip])
        return axes


def rooted(flexible: FlexibleLink, visual: Shape) -> bool:
    """Return whether a shape of a flexible link sits at the beam's clamped root, as hubs do."""
    x = (visual.position - flexible.root) @ flexible.rotation[:, 0]
    return bool(x <= ROOTED * flexible.beam.length)
