# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of goal acceptance: joint_trajectory_controller's parameters, by name."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
import math
from typing import get_args, Literal, TypeAlias

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike

InterpolationMethod: TypeAlias = Literal['splines', 'none']
PositionsOnly: TypeAlias = Literal['spline', 'upsampling', 'linear']
LeadIn: TypeAlias = Literal['fields', 'quintic']
INTERPOLATION_METHODS: tuple[InterpolationMethod, ...] = get_args(InterpolationMethod)
POSITIONS_ONLY: tuple[PositionsOnly, ...] = get_args(PositionsOnly)
LEAD_INS: tuple[LeadIn, ...] = get_args(LeadIn)


@dataclass(frozen=True, eq=False)
class GoalRules:
    """The rules of acceptance; the defaults are joint_trajectory_controller's except where noted.

    positions_only, for goals without velocities:
      'spline'      the C2 cubic spline through the start state and all points, at rest at the end
      'upsampling'  as positions_upsampling.enable: the spline through the points alone, at rest at
                    both ends, and a cubic lead-in
      'linear'      joint_trajectory_controller's default: accelerations are zero, so that torques
                    computed from them lack M(q) qdd
    lead_in: 'fields' joins the start state to the first point by the fields of that point;
      'quintic' also by the velocity and acceleration of the motion after it, so that the torque
      has no step.
    policy_frequency [Hz]: gives positions-only points without times the times (i + 1) / frequency.
    continuous: names of the joints that lead in by the shortest rotation.
    lower, upper [rad or m], velocity [rad/s or m/s]: (n,) limits of the whole motion.
    max_jump [rad or m]: largest step from the start state to a point due at once; scalar or (n,).
    """

    allow_partial_joints_goal: bool = False
    allow_integration_in_goal_trajectories: bool = False
    allow_nonzero_velocity_at_trajectory_end: bool = False
    allow_trajectory_replacement: bool = True
    allow_effort: bool = True          # the controller: only with an effort command interface
    interpolation_method: InterpolationMethod = 'splines'
    positions_only: PositionsOnly = 'spline'     # the controller: 'linear'
    lead_in: LeadIn = 'fields'
    policy_frequency: float = 0.0
    continuous: Collection[str] = ()
    lower: ArrayLike | None = None    # the controller checks neither limits nor jumps
    upper: ArrayLike | None = None
    velocity: ArrayLike | None = None
    max_jump: ArrayLike | None = None

    def __post_init__(self) -> None:
        """Refuse unknown names and a policy frequency that is not finite or negative."""
        choices: tuple[tuple[str, tuple[str, ...]], ...] = (
            ('interpolation_method', INTERPOLATION_METHODS), ('positions_only', POSITIONS_ONLY),
            ('lead_in', LEAD_INS))
        for name, known in choices:
            if getattr(self, name) not in known:
                raise InputError(f'{name} {getattr(self, name)!r} is not one of {known}')
        if not 0.0 <= self.policy_frequency < math.inf:
            raise InputError(f'policy_frequency must be >= 0 [Hz]; got {self.policy_frequency}')
