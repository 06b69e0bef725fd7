# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""All that can be asked of Kane's equations, by name."""

from __future__ import annotations

from kane_dynamics.dynamics import (
    body_programs, derivative_programs, elastic_programs, torque_programs)
from kane_dynamics.dynamics.steps import held_step_program, METHODS, step_program
from kane_dynamics.exceptions import InputError

PROGRAMS = {**torque_programs.PROGRAMS, **derivative_programs.PROGRAMS, **body_programs.PROGRAMS,
            **elastic_programs.PROGRAMS, 'step_held': held_step_program,
            **{f'step_{method}': step_program for method in METHODS}}


def program(arm, name, frame=None):
    """Return the recorded program of a function; `frame` is a name for the frame functions."""
    if name in body_programs.FRAME_FUNCTIONS:
        return body_programs.frame_program(arm, name, frame)
    if name not in PROGRAMS:
        known = sorted([*PROGRAMS, *body_programs.FRAME_FUNCTIONS])
        raise InputError(f'no function {name!r}; there are {known}')
    return PROGRAMS[name](arm, name)
