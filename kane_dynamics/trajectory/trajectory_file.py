# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Joint trajectories as text: messages for joint_trajectory_controller, or CSV tables."""

from __future__ import annotations

from collections.abc import Iterable
import json
from typing import Any

import numpy as np

from kane_dynamics.trajectory.trajectory import Trajectory


def trajectory_json(trajectory: Trajectory, indent: int | None = None) -> str:
    """Return trajectory_msgs/msg/JointTrajectory as JSON, which is YAML too.

    `ros2 topic pub --once TOPIC trajectory_msgs/msg/JointTrajectory "$(cat FILE)"` sends it.
    """
    return json.dumps(_message(trajectory), indent=indent)


def trajectory_yaml(trajectory: Trajectory, comments: Iterable[str] = ()) -> str:
    """Return the message as YAML: lines of comment, then a line per point."""
    message = _message(trajectory)
    lines = [f'# {line}' for line in comments]
    lines += [f'joint_names: {json.dumps(message["joint_names"])}', 'points:']
    lines += [f'- {json.dumps(point)}' for point in message['points']]
    return '\n'.join(lines) + '\n'


def trajectory_csv(trajectory: Trajectory) -> str:
    """Return a table with a heading: t and position, velocity, acceleration of each joint."""
    fields = [(name, rows) for name, rows in (
        ('position', trajectory.positions), ('velocity', trajectory.velocities),
        ('acceleration', trajectory.accelerations)) if rows is not None]
    names = ['t'] + [f'{name}:{joint}' for name, _ in fields for joint in trajectory.joint_names]
    rows = np.column_stack([trajectory.times, *(rows for _, rows in fields)])
    lines = [','.join(_quoted(name) for name in names)]
    lines += [','.join(map(repr, row)) for row in rows.tolist()]
    return '\n'.join(lines) + '\n'


def _message(trajectory: Trajectory) -> dict[str, Any]:
    fields = [('positions', trajectory.positions), ('velocities', trajectory.velocities),
              ('accelerations', trajectory.accelerations), ('effort', trajectory.efforts)]
    points = []
    for k, t in enumerate(trajectory.times):
        seconds, nanoseconds = divmod(round(float(t) * 1e9), 1_000_000_000)
        point = {name: rows[k].tolist() for name, rows in fields if rows is not None}
        points.append({**point, 'time_from_start': {'sec': seconds, 'nanosec': nanoseconds}})
    return {'joint_names': list(trajectory.joint_names), 'points': points}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"\n') else name
