# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a user of generated code must know: names of the arguments, meaning of their entries."""

from __future__ import annotations

from kane_dynamics.codegen.python import plain_text

# inside programs -> as users know them (qd is the rate of q)
ARGUMENTS = {'q': 'q', 'u': 'qd', 'ud': 'qdd', 'tau': 'tau', 'base': 'base',
             'ud_joints': 'joint_qdd', 'p': 'parameters', 'x': 'state', 'dt': 'dt',
             'free': 'free', 'elastic': 'elastic', 'motion': 'motion', 'time': 'time'}
UNITS = {'prismatic': 'm', 'revolute': 'rad', 'continuous': 'rad'}


def coordinates(robot):
    """Return what each entry of q is, line by line, fit for comments."""
    lines = []
    if robot.floating_base:
        lines += [f'0..6: x y z qx qy qz qw of {plain_text(robot.base)}; its speeds are the first '
                  'six,', '      velocity and angular velocity in its own axes']
    first = robot.nq - robot.n_joints - robot.n_modes
    for k, joint in enumerate(robot.independent_joints, first):
        lines.append(f'{k}: {plain_text(joint.name)} [{UNITS[joint.kind]}]')
    return lines + [f'{k}: {plain_text(name)}, elastic'
                    for k, name in enumerate(robot.mode_names, first + robot.n_joints)]
