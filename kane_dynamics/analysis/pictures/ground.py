# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The height of the ground that pictures of an arm show."""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.analysis.collision.collision_bodies import stands_on_base
from kane_dynamics.analysis.study.link_states import link_poses
from kane_dynamics.model.robot import Robot

UPRIGHT = 0.999     # z of the root link's z axis


def ground_height(robot: Robot, lowest: float, floor: float | None = None) -> float:
    """Return the height [m] of the ground: the mounting plane of the base, or above it the floor.

    lowest: of the arm in the picture [m], used where there is no such plane: the base is tilted,
    moves or is in the middle of the robot, or floor is -inf.
    """
    if robot.base_rotation[2, 2] < UPRIGHT or robot.floating_base or floor == -math.inf:
        return lowest
    rigid = robot.rigid()
    if floor is None and not stands_on_base(rigid, link_poses(
            rigid, np.zeros((1, rigid.n_joints)))):
        return lowest
    return float(robot.base_position[2]) + (floor or 0.0)
