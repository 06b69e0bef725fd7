# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of generated code: their names, and the meaning of their entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kane_dynamics.codegen.python import plain_text

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

# inside programs -> as users know them (qd is the rate of q)
ARGUMENTS = {'q': 'q', 'u': 'qd', 'ud': 'qdd', 'tau': 'tau', 'base': 'base',
             'ud_joints': 'joint_qdd', 'p': 'parameters', 'x': 'state', 'dt': 'dt',
             'free': 'free', 'elastic': 'elastic', 'motion': 'motion', 'time': 'time'}


def coordinates(robot: Robot) -> list[str]:
    """Return lines that name each entry of q and its unit, fit for comments."""
    lines = []
    if robot.floating_base:
        lines += [f'0..6: x y z qx qy qz qw of {plain_text(robot.base)}; its speeds are the first '
                  'six,', '      velocity and angular velocity in its own axes']
    for k, joint in enumerate(robot.independent_joints, robot.joints_q.start):
        lines.append(f'{k}: {plain_text(joint.name)} [{joint.unit}]')
    return lines + [f'{k}: {plain_text(name)}, elastic'
                    for k, name in enumerate(robot.mode_names, robot.modes_q.start)]
