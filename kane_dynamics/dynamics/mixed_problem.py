# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Inputs of the mixed problem: motion given at some joints, torque at the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, BoolArray, FloatArray
from kane_dynamics.numerics.validation import numbers

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot


def free_speeds(robot: Robot, given: Sequence[str]) -> BoolArray:
    """Return (nv,), True where the torque is given: all speeds but those of the joints `given`."""
    if isinstance(given, str):
        raise InputError(f'hybrid: given must be a list of joint names, got {given!r}')
    free = np.ones(robot.nv, dtype=bool)
    for name in given:
        free[robot.joints_v.start + robot.joint_index(name)] = False
    return free


def mixed_inputs(robot: Robot, joint_qdd: ArrayLike, tau: ArrayLike | None, given: Sequence[str],
                 count: int | None = None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return qdd, tau and free, each (nv,) or (count, nv), with zeros for what is not given."""
    free = free_speeds(robot, given)
    size = robot.nv - robot.n_modes
    shape = (size,) if count is None else (count, size)
    found = []
    for name, values, used in (('joint_qdd', joint_qdd, ~free), ('tau', tau, free)):
        array = np.zeros(shape) if values is None else numbers(values, f'hybrid: {name}')
        if array.shape != shape:
            raise InputError(f'hybrid: {name} has shape {array.shape}, expected {shape}: the '
                             f'joints {list(robot.joint_names)}'
                             + ', behind the six of the floating base' * robot.floating_base)
        whole = np.zeros((*shape[:-1], robot.nv))
        whole[..., :size] = np.where(used[:size], array, 0.0)
        found.append(whole)
    return found[0], found[1], np.broadcast_to(free.astype(float), found[0].shape).copy()
