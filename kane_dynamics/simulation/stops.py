# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Hard stops of joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot


@dataclass(frozen=True, eq=False, init=False)
class Stops:
    """Bounds that joints cannot pass; an impact reverses the speed, times `restitution`.

    lower, upper (n_joints,) [rad or m], infinite where there is none; restitution 0 (the joint
    stays at the stop) to 1 (no energy lost), a number or (n_joints,). Below rest_speed
    [rad/s or m/s] a joint stays at the stop, so that bouncing ends.
    """

    lower: FloatArray
    upper: FloatArray
    restitution: FloatArray
    rest_speed: float

    def __init__(self, lower: ArrayLike, upper: ArrayLike, restitution: ArrayLike = 0.0,
                 rest_speed: float = 1e-3) -> None:
        put = object.__setattr__
        lower, upper = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
        if lower.ndim != 1 or lower.shape != upper.shape or not (lower < upper).all():
            raise InputError('stops: lower and upper must be (n_joints,) with lower below upper; '
                             f'got {lower.tolist()} and {upper.tolist()}')
        given = np.array(restitution, dtype=np.float64)
        if given.shape not in ((), lower.shape) or not ((given >= 0.0) & (given <= 1.0)).all():
            raise InputError('stops: restitution must be 0 to 1, one number or one per joint; '
                             f'got {given.tolist()}')
        if not 0.0 <= rest_speed < np.inf:
            raise InputError(f'stops: rest_speed must not be negative, got {rest_speed}')
        put(self, 'lower', lower)
        put(self, 'upper', upper)
        put(self, 'restitution', np.broadcast_to(given, lower.shape).copy())
        put(self, 'rest_speed', rest_speed)
        for name in ('lower', 'upper', 'restitution'):
            getattr(self, name).flags.writeable = False

    @classmethod
    def of(cls, robot: Robot, restitution: ArrayLike = 0.0, rest_speed: float = 1e-3) -> Stops:
        """Return stops at the joint limits of the URDF."""
        return cls(robot.limits.lower, robot.limits.upper, restitution, rest_speed)

    def require_inside(self, q: FloatArray, names: Iterable[str]) -> None:
        """Raise for the first joint of q (n_joints,) beyond a stop."""
        for name, low, value, high in zip(names, self.lower, q, self.upper):
            if not low <= value <= high:
                raise InputError(f'joint {name!r} starts at {value:g}, beyond its stops '
                                 f'{low:g} ... {high:g}')
