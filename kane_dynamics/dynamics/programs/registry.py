# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Programs by name: all functions that Kane's equations of an arm answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TYPE_CHECKING, TypeAlias

from kane_dynamics.dynamics.programs import (
    body as body_programs, derivative as derivative_programs, elastic as elastic_programs,
    torque as torque_programs)
from kane_dynamics.dynamics.programs.determinacy import require_inertia, solves_mass_matrix
from kane_dynamics.dynamics.programs.step import held_step_program, METHODS, step_program
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import did_you_mean

if TYPE_CHECKING:
    from kane_dynamics.codegen.program import Program
    from kane_dynamics.dynamics.recorded_arm import RecordedArm

FunctionName: TypeAlias = Literal[
    'inverse', 'forward', 'mass_matrix', 'bias', 'gravity', 'hybrid', 'mixed',
    'inverse_moving_base', 'forward_moving_base', 'inverse_derivatives', 'regressor',
    'momentum_balance', 'energy', 'momentum', 'mass_centre', 'reactions', 'elastic_step',
    'elastic_rest', 'step_held', 'step_semi_implicit', 'step_rk4', 'step_midpoint',
    'step_generalized_alpha', 'frame_pose', 'frame_jacobian', 'frame_velocity',
    'frame_acceleration', 'frame_deflection']

PROGRAMS: dict[str, Callable[[RecordedArm, str], Program]] = {
    **torque_programs.PROGRAMS, **derivative_programs.PROGRAMS, **body_programs.PROGRAMS,
    **elastic_programs.PROGRAMS, 'step_held': held_step_program,
    **{f'step_{method}': step_program for method in METHODS}}


def program(arm: RecordedArm, name: str, frame: str | None = None) -> Program:
    """Return the recorded program of a function; `frame` is a name for the frame functions."""
    for function in body_programs.FRAME_FUNCTIONS:
        if name == function:
            return body_programs.frame_program(arm, function, frame)
    if name not in PROGRAMS:
        known = sorted([*PROGRAMS, *body_programs.FRAME_FUNCTIONS])
        raise InputError(f'no function {name!r}{did_you_mean(name, known) or ";"} there are '
                         f'{known}')
    if solves_mass_matrix(name):
        require_inertia(arm, name)
    return PROGRAMS[name](arm, name)
