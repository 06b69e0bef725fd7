# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a trajectory goal may ask for: joint_trajectory_controller's parameters, by name."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np

from kane_dynamics.exceptions import InputError

INTERPOLATION_METHODS = ('splines', 'none')
POSITIONS_ONLY = ('spline', 'upsampling', 'linear')
LEAD_INS = ('fields', 'quintic')


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules of acceptance; the defaults are joint_trajectory_controller's but where noted.

    positions_only, for goals without velocities:
      'spline'      the C2 cubic spline through the start state and all points, at rest at the end
      'upsampling'  as positions_upsampling.enable: the spline through the points alone, at rest at
                    both ends, and a cubic lead-in
      'linear'      joint_trajectory_controller's default: accelerations are zero, so that torques
                    computed from them lack M(q) qdd
    lead_in: 'fields' joins the start state to the first point by what that point carries;
      'quintic' also by the velocity and acceleration with which the motion goes on, so that the
      torque has no step.
    policy_frequency [Hz]: gives positions-only points without times the times (i + 1) / frequency.
    continuous: names of the joints that lead in the short way round.
    lower, upper [rad or m], velocity [rad/s or m/s]: (n,) limits that the whole motion must keep.
    max_jump [rad or m]: largest step from the start state to a point due at once; scalar or (n,).
    """

    allow_partial_joints_goal: bool = False
    allow_integration_in_goal_trajectories: bool = False
    allow_nonzero_velocity_at_trajectory_end: bool = False
    allow_trajectory_replacement: bool = True
    allow_effort: bool = True          # the controller: only with an effort command interface
    interpolation_method: str = 'splines'
    positions_only: str = 'spline'     # the controller: 'linear'
    lead_in: str = 'fields'
    policy_frequency: float = 0.0
    continuous: tuple = ()
    lower: np.ndarray | None = None    # no limit and no jump is checked by the controller
    upper: np.ndarray | None = None
    velocity: np.ndarray | None = None
    max_jump: float | np.ndarray | None = None

    def __post_init__(self):
        """Refuse names and numbers that no rule can be read from."""
        for name, known in (('interpolation_method', INTERPOLATION_METHODS),
                            ('positions_only', POSITIONS_ONLY), ('lead_in', LEAD_INS)):
            if getattr(self, name) not in known:
                raise InputError(f'{name} {getattr(self, name)!r} is not one of {known}')
        if not 0.0 <= self.policy_frequency < math.inf:
            raise InputError(f'policy_frequency must be >= 0 [Hz]; got {self.policy_frequency}')
