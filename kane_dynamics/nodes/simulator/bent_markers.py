# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Markers of the deformed arm for RViz, which draws the links of a URDF undeformed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from geometry_msgs.msg import Point
import numpy as np
from visualization_msgs.msg import Marker, MarkerArray

from kane_dynamics.analysis.pictures.arm_lines import ArmLines
from kane_dynamics.nodes.messages.conversions import set_stamp
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

BENT, OTHER = (0.93, 0.42, 0.10), (0.45, 0.45, 0.48)     # red, green, blue
SLENDER = 60.0      # ratio of the arm's length to the width of a line


class BentMarkers:
    """The markers of one arm: a line along the axis of each flexible link, thin lines between.

    exaggeration multiplies the elastic coordinates, to make small deflections visible.
    """

    def __init__(self, robot: Robot, exaggeration: float = 1.0) -> None:
        self._robot, self._lines, self._exaggeration = robot, ArmLines(robot), exaggeration
        width = _reach(self._lines.at(robot.neutral())) / SLENDER
        self._bent = {link: _marker(robot.root, 'bent', k, Marker.LINE_STRIP, width, BENT)
                      for k, link in enumerate(robot.flexible_links)}
        self._other = _marker(robot.root, 'arm', 0, Marker.LINE_LIST, 0.4 * width, OTHER)

    def at(self, q: ArrayLike, stamp: int) -> MarkerArray:
        """Return the MarkerArray for q (nq,) with a stamp [ns]."""
        drawn = np.array(q, dtype=float)
        drawn[self._robot.modes_q] *= self._exaggeration
        others: list[FloatArray] = []
        for link, lines in self._lines.at(drawn).items():
            if link in self._bent:
                self._bent[link].points = _points(lines[0])
                lines = lines[1:]
            others.extend(line for line in lines if (line[0] != line[-1]).any())
        self._other.points = _points(np.vstack(others)) if others else []
        markers = [*self._bent.values(), self._other]
        for marker in markers:
            set_stamp(marker.header.stamp, stamp)
        return MarkerArray(markers=markers)


def _marker(frame: str, namespace: str, number: int, kind: int, width: float,
            colour: tuple[float, float, float]) -> Marker:
    marker = Marker(ns=namespace, id=number, type=kind, action=Marker.ADD)
    marker.header.frame_id = frame
    marker.pose.orientation.w = 1.0
    marker.scale.x = width
    marker.color.r, marker.color.g, marker.color.b = colour
    marker.color.a = 1.0
    return marker


def _points(line: FloatArray) -> list[Point]:
    return [Point(x=x, y=y, z=z) for x, y, z in line.tolist()]


def _reach(lines: Mapping[str, Sequence[FloatArray]]) -> float:
    """Return the total length [m] of the links, a measure of the size of the arm."""
    return float(sum(np.linalg.norm(np.diff(parts[0], axis=0), axis=1).sum()
                     for parts in lines.values()))
