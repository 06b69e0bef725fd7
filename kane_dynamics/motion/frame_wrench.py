# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The force and moment at a frame that external joint torques would come from."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError


class FrameWrench:
    """Solve J' F = tau_ext for the wrench F at a named frame, in the frame's own axes.

    The least F that explains the torques best, damped near singular poses, where a force along
    some direction hardly shows in the joints:  F = (J J' + d^2 1)^-1 J tau_ext, moments measured
    in units of `length` [m] so that the damping treats them like forces.
    """

    def __init__(self, dynamics, frame, length=0.5, damping=0.02):
        robot = dynamics.robot
        if frame not in robot.link_names:
            raise InputError(f'no link {frame!r} in {robot.name!r}; there are '
                             f'{list(robot.link_names)}')
        self.frame, self._dynamics = frame, dynamics
        self._scale = np.array([1.0] * 3 + [1.0 / length] * 3)
        self._damping = damping**2 * np.eye(6)
        self.condition = np.nan       # of J at the last call, moments scaled

    def of(self, q, external):
        """Return (6,) force [N] and moment [N m] that act on the arm at the frame's origin."""
        J = self._dynamics.frame_jacobian(self.frame, q)
        scaled = self._scale[:, None] * J
        values = np.linalg.svd(scaled, compute_uv=False)
        self.condition = float(values[0] / max(values[-1], 1e-12)) if len(values) == 6 else np.inf
        wrench = self._scale * np.linalg.solve(scaled @ scaled.T + self._damping,
                                               scaled @ external)
        R, _ = self._dynamics.frame_pose(self.frame, q)
        return np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]])
