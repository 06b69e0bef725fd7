# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The arm as lines in space, bent links bent: what pictures and markers draw."""

from __future__ import annotations

import numpy as np

from kane_dynamics.kane.kinematics import poses
from kane_dynamics.model.assembly import tree_of

ROOTED = 0.1    # of a beam's length: what is centred nearer to its root is drawn as rigid


class ArmLines:
    """Lines along the links of one robot, at any pose."""

    def __init__(self, robot):
        self._robot, self._tree = robot, tree_of(robot)

    def at(self, q):
        """Return {link: [points (n, 3) [m] in the base frame, ...]} for q (nq,).

        A link is drawn from its origin to each joint that it carries, a flexible one along its
        bent axis and from there. Links that carry nothing and do not bend are left out.
        """
        q = np.asarray(q, dtype=float)
        found = [(np.array(R, float), np.array(p, float)) for R, p in poses(self._tree, q)]
        places = {}
        for name, frame in self._tree.frames.items():
            R, p = found[frame.body] if frame.body >= 0 else (np.eye(3), np.zeros(3))
            places[name] = R @ frame.R, p + R @ frame.p
        axes = self._axes(q, places)
        lines = {}
        for link in self._robot.links:
            joints = self._robot.child_joints(link.name)
            _, origin = places[link.name]
            if link.name not in axes:
                lines[link.name] = [np.array([origin, places[joint.child][1]])
                                    for joint in joints]
                continue
            axis, stations = axes[link.name], self._robot.flexible_links[link.name].stations
            lines[link.name] = [np.vstack([origin, axis])]
            for joint in joints:
                share = stations[joint.name] / self._robot.flexible_links[
                    link.name].beam.length
                nearest = axis[round(share * (len(axis) - 1))]
                lines[link.name].append(np.array([nearest, places[joint.child][1]]))
        return {name: parts for name, parts in lines.items() if parts}

    def _axes(self, q, places):
        """Return {flexible link: points (n, 3) along its bent axis}."""
        robot, axes = self._robot, {}
        first = robot.nq - robot.n_modes
        for name, flexible in robot.flexible_links.items():
            R, p = places[name]
            if flexible.body is not None:
                eta = q[first:first + flexible.body.n_modes]
                first += flexible.body.n_modes
                axes[name] = p + flexible.centerline(eta) @ R.T
                continue
            springs = flexible.segments.springs
            first += sum(len(spring.stiffness) for spring in springs)
            hinges = [places[f'{name}/{k}'] for k in range(1, len(springs) + 1)]
            R_end, p_end = hinges[-1]
            tip = p_end + R_end @ [flexible.beam.length - springs[-1].x, 0.0, 0.0]
            axes[name] = np.array([p + R @ flexible.root, *(place for _, place in hinges), tip])
        return axes


def rooted(flexible, visual):
    """Return whether a shape of a flexible link sits at the beam's clamped root, as hubs do."""
    x = (visual.position - flexible.root) @ flexible.rotation[:, 0]
    return bool(x <= ROOTED * flexible.beam.length)
