# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The bent arm as markers for RViz, which draws the links of a URDF straight."""

from __future__ import annotations

from geometry_msgs.msg import Point
import numpy as np
from visualization_msgs.msg import Marker, MarkerArray

from kane_dynamics.analysis.arm_lines import ArmLines
from kane_dynamics.nodes.conversions import set_stamp

BENT, OTHER = (0.93, 0.42, 0.10), (0.45, 0.45, 0.48)     # red, green, blue
SLENDER = 60.0      # the arm is so many times as long as a line is wide


class BentMarkers:
    """Draw one arm: a line along the bent axis of each flexible link, and thin ones between.

    exaggeration multiplies the elastic coordinates, for what is too small to be seen.
    """

    def __init__(self, robot, exaggeration=1.0):
        self._robot, self._lines, self._exaggeration = robot, ArmLines(robot), exaggeration
        width = _reach(self._lines.at(robot.neutral())) / SLENDER
        self._bent = {link: _marker(robot.root, 'bent', k, Marker.LINE_STRIP, width, BENT)
                      for k, link in enumerate(robot.flexible_links)}
        self._other = _marker(robot.root, 'arm', 0, Marker.LINE_LIST, 0.4 * width, OTHER)

    def at(self, q, stamp):
        """Return the MarkerArray for q (nq,) at a moment [ns]."""
        robot, q = self._robot, np.array(q, dtype=float)
        if robot.n_modes:
            q[-robot.n_modes:] *= self._exaggeration
        others = []
        for link, lines in self._lines.at(q).items():
            if link in self._bent:
                self._bent[link].points = _points(lines[0])
                lines = lines[1:]
            others.extend(line for line in lines if (line[0] != line[-1]).any())
        self._other.points = _points(np.vstack(others)) if others else []
        markers = [*self._bent.values(), self._other]
        for marker in markers:
            set_stamp(marker.header.stamp, stamp)
        return MarkerArray(markers=markers)


def _marker(frame, namespace, number, kind, width, colour):
    marker = Marker(ns=namespace, id=number, type=kind, action=Marker.ADD)
    marker.header.frame_id = frame
    marker.pose.orientation.w = 1.0
    marker.scale.x = width
    marker.color.r, marker.color.g, marker.color.b = colour
    marker.color.a = 1.0
    return marker


def _points(line):
    return [Point(x=x, y=y, z=z) for x, y, z in line.tolist()]


def _reach(lines):
    """Return the length [m] of the longest way through the arm, as a figure for its size."""
    return sum(np.linalg.norm(np.diff(parts[0], axis=0), axis=1).sum()
               for parts in lines.values())
