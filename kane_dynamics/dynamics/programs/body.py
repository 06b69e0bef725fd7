# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Quantities of each body, as programs: energies, momenta, reactions and frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args, Literal, TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.kane import kinematics
from kane_dynamics.kane.scalar import AnyScalar, Scalars

if TYPE_CHECKING:
    from kane_dynamics.codegen.program import Program
    from kane_dynamics.dynamics.recorded_arm import ArmModel, RecordedArm

FrameFunction: TypeAlias = Literal['frame_pose', 'frame_jacobian', 'frame_velocity',
                                   'frame_acceleration', 'frame_deflection']
FRAME_FUNCTIONS: tuple[FrameFunction, ...] = get_args(FrameFunction)


def energy(arm: RecordedArm, name: str) -> Program:
    """Record kinetic, potential and strain energy."""
    def function(model: ArmModel, q: Scalars, u: Scalars) -> list[AnyScalar]:
        kinetic, potential, strain = kinematics.energies(model.full, q, u, model.gravity)
        rotors = sum(0.5 * inertia * (v * v) for inertia, v in zip(arm.armature, u))
        return [kinetic + rotors, potential, strain]
    return arm.record(name, ('q', 'u'), function, (3,))


def momentum(arm: RecordedArm, name: str) -> Program:
    """Record linear and angular momentum."""
    return arm.record(name, ('q', 'u'), lambda model, q, u: [
        *np.concatenate(kinematics.momentum(model.full, q, u))], (6,))


def mass_centre(arm: RecordedArm, name: str) -> Program:
    """Record the mass centre of all that moves."""
    if not any(body.m or body.flexible for body in arm.tree.bodies):
        raise InputError(f'{arm.robot.name!r}: nothing that moves has mass, so it has no centre')
    return arm.record(name, ('q',), lambda model, q: [
        *kinematics.mass_centre(model.full, q)[1]], (3,))


def reactions(arm: RecordedArm, name: str) -> Program:
    """Record the pair through every joint, in the axes of its link."""
    frames = arm.body_frames()

    def function(model: ArmModel, q: Scalars, u: Scalars, ud: Scalars) -> list[AnyScalar]:
        _, pairs = arm.kane(model.full, q, u, ud, model.gravity)
        return [value for frame in frames for part in pairs[frame.body]
                for value in frame.R.T @ part]
    return arm.record(name, ('q', 'u', 'ud'), function, (len(frames), 6))


def frame_program(arm: RecordedArm, name: FrameFunction, frame_name: str | None) -> Program:
    """Record one of FRAME_FUNCTIONS for a named frame."""
    frame = None if frame_name is None else arm.tree.frames.get(frame_name)
    if frame is None:
        raise InputError(f'no link or frame {frame_name!r} in {arm.robot.name!r}; '
                         f'there are {sorted(arm.tree.frames)}')
    groups: dict[str, tuple[str, ...]] = {
        'frame_velocity': ('q', 'u'), 'frame_acceleration': ('q', 'u', 'ud')}
    shapes: dict[str, tuple[int, ...]] = {
        'frame_pose': (3, 4), 'frame_jacobian': (6, arm.nv), 'frame_deflection': (3,)}

    def function(model: ArmModel, *values: Scalars) -> list[AnyScalar]:
        result = getattr(kinematics, name)(model.full, frame, *values)
        if name == 'frame_pose':
            R, p = result
            return [value for row, x in zip(R, p) for value in [*row, x]]
        return [*np.reshape(result, -1)]
    return arm.record(name, groups.get(name, ('q',)), function, shapes.get(name, (6,)))


PROGRAMS: dict[str, Callable[[RecordedArm, str], Program]] = {
    record.__name__: record for record in (energy, momentum, mass_centre, reactions)}
