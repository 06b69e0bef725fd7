# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The arm of a node: its URDF, and what `kane identify` measured of it."""

from __future__ import annotations

import kane_dynamics as kd
from kane_dynamics.dynamics.calibration import load_calibration
from kane_dynamics.nodes.parameters import Parameter, Schema

SCHEMA = Schema(
    Parameter('calibration_file', 'str', '', 'friction, rotors and inertias as `kane identify` '
              'writes them; not set: those of the URDF',
              why_fixed='the model is compiled from it'),
)


def load_arm(source, path, rigid=False):
    """Return the robot of a source, the same with a calibration applied, and the Calibration.

    path: of the calibration, '' for none; then the two robots are one and the last is None.
    rigid: leave out that it bends, before the calibration, which may be that of a rigid arm.
    """
    robot = kd.load_urdf(source)
    if rigid:
        robot = robot.rigid()
    if not path:
        return robot, robot, None
    calibration = load_calibration(path)
    return robot, calibration.apply(robot), calibration
