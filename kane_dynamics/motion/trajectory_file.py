# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A joint trajectory as text: the message for joint_trajectory_controller, or a table."""

from __future__ import annotations

import json

import numpy as np


def trajectory_json(trajectory, indent=None):
    """Return trajectory_msgs/msg/JointTrajectory as JSON, which is YAML too.

    `ros2 topic pub --once TOPIC trajectory_msgs/msg/JointTrajectory "$(cat FILE)"` sends it.
    """
    return json.dumps(_message(trajectory), indent=indent)


def trajectory_yaml(trajectory, comments=()):
    """Return the same as YAML with a line per point, after lines of comment."""
    message = _message(trajectory)
    lines = [f'# {line}' for line in comments]
    lines += [f'joint_names: {json.dumps(message["joint_names"])}', 'points:']
    lines += [f'- {json.dumps(point)}' for point in message['points']]
    return '\n'.join(lines) + '\n'


def trajectory_csv(trajectory):
    """Return a table with a heading: t and position, velocity, acceleration of each joint."""
    fields = [('position', trajectory.positions), ('velocity', trajectory.velocities),
              ('acceleration', trajectory.accelerations)]
    fields = [(name, rows) for name, rows in fields if rows is not None]
    names = ['t'] + [f'{name}:{joint}' for name, _ in fields for joint in trajectory.joint_names]
    rows = np.column_stack([trajectory.times, *(rows for _, rows in fields)])
    lines = [','.join(_quoted(name) for name in names)]
    lines += [','.join(map(repr, row)) for row in rows.tolist()]
    return '\n'.join(lines) + '\n'


def _message(trajectory):
    fields = [('positions', trajectory.positions), ('velocities', trajectory.velocities),
              ('accelerations', trajectory.accelerations), ('effort', trajectory.efforts)]
    points = []
    for k, t in enumerate(trajectory.times):
        seconds, nanoseconds = divmod(round(float(t) * 1e9), 1_000_000_000)
        point = {name: rows[k].tolist() for name, rows in fields if rows is not None}
        points.append({**point, 'time_from_start': {'sec': seconds, 'nanosec': nanoseconds}})
    return {'joint_names': list(trajectory.joint_names), 'points': points}


def _quoted(name):
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"\n') else name
