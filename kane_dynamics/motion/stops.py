# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Where joints end: hard stops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kane_dynamics.exceptions import InputError


@dataclass(frozen=True, eq=False)
class Stops:
    """Bounds that joints cannot pass; an impact gives back `restitution` of the speed.

    lower, upper (n_joints,) [rad or m], infinite where there is none; restitution 0 (the joint
    stays at the stop) to 1 (no energy lost), a number or (n_joints,). Below rest_speed
    [rad/s or m/s] nothing is given back, so that bouncing ends.
    """

    lower: np.ndarray
    upper: np.ndarray
    restitution: np.ndarray = 0.0
    rest_speed: float = 1e-3

    def __post_init__(self):
        put = object.__setattr__
        lower, upper = np.array(self.lower, dtype=float), np.array(self.upper, dtype=float)
        if lower.ndim != 1 or lower.shape != upper.shape or not (lower < upper).all():
            raise InputError('stops: lower and upper must be (n_joints,) with lower below upper; '
                             f'got {lower.tolist()} and {upper.tolist()}')
        given = np.array(self.restitution, dtype=float)
        if given.shape not in ((), lower.shape) or not ((given >= 0.0) & (given <= 1.0)).all():
            raise InputError('stops: restitution must be 0 to 1, one number or one per joint; '
                             f'got {given.tolist()}')
        if not 0.0 <= self.rest_speed < np.inf:
            raise InputError(f'stops: rest_speed must not be negative, got {self.rest_speed}')
        put(self, 'lower', lower)
        put(self, 'upper', upper)
        put(self, 'restitution', np.broadcast_to(given, lower.shape).copy())
        for name in ('lower', 'upper', 'restitution'):
            getattr(self, name).flags.writeable = False

    @classmethod
    def of(cls, robot, restitution=0.0, rest_speed=1e-3):
        """Return the stops that the limits of the URDF tell."""
        return cls(robot.limits.lower, robot.limits.upper, restitution, rest_speed)

    def require_inside(self, q, names):
        """Raise for the first joint of q (n_joints,) beyond a stop."""
        for name, low, value, high in zip(names, self.lower, q, self.upper):
            if not low <= value <= high:
                raise InputError(f'joint {name!r} starts at {value:g}, beyond its stops '
                                 f'{low:g} ... {high:g}')
