# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Wrench at a frame, estimated from external joint torques."""

from __future__ import annotations

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray


class FrameWrench:
    """Solve J' F = tau_ext for the wrench F at a named frame, in the frame's own axes.

    Damped least squares: near singular configurations, where a force along some direction hardly
    loads the joints, F = (J J' + d^2 1)^-1 J tau_ext stays bounded. Moments are measured in units
    of `length` [m] so that the damping treats them like forces.
    """

    def __init__(self, dynamics: Dynamics, frame: str, length: float = 0.5,
                 damping: float = 0.02) -> None:
        robot = dynamics.robot
        if frame not in robot.link_names:
            raise InputError(f'no link {frame!r} in {robot.name!r}; there are '
                             f'{list(robot.link_names)}')
        self.frame, self._dynamics = frame, dynamics
        self._scale = np.array([1.0] * 3 + [1.0 / length] * 3)
        self._damping = damping**2 * np.eye(6)
        self.condition: float = np.nan      # of J at the last call, moments scaled

    def of(self, q: FloatArray, external: FloatArray) -> FloatArray:
        """Return (6,) force [N] and moment [N m] on the arm at the frame's origin."""
        J: FloatArray = self._dynamics.frame_jacobian(self.frame, q)
        scaled = self._scale[:, None] * J
        values = np.linalg.svd(scaled, compute_uv=False)
        self.condition = float(values[0] / max(values[-1], 1e-12)) if len(values) == 6 else np.inf
        wrench = self._scale * np.linalg.solve(scaled @ scaled.T + self._damping,
                                               scaled @ external)
        R, _ = self._dynamics.frame_pose(self.frame, q)
        return np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]])
