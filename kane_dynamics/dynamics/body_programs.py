# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What has a meaning body by body: energies, reactions, where links are, as programs."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.kane import kinematics

FRAME_FUNCTIONS = ('frame_pose', 'frame_jacobian', 'frame_velocity', 'frame_acceleration',
                   'frame_deflection')


def energy(arm, name):
    """Record kinetic, potential and strain energy."""
    def function(_, tree, g, q, u):
        kinetic, potential, strain = kinematics.energies(tree, q, u, g)
        rotors = sum(0.5 * inertia * (v * v) for inertia, v in zip(arm.armature, u))
        return [kinetic + rotors, potential, strain]
    return arm.record(name, ('q', 'u'), function, (3,))


def momentum(arm, name):
    """Record linear and angular momentum."""
    return arm.record(name, ('q', 'u'), lambda _, tree, g, q, u:
                      [*np.concatenate(kinematics.momentum(tree, q, u))], (6,))


def mass_centre(arm, name):
    """Record the mass centre of all that moves."""
    if not any(body.m or body.flexible for body in arm.tree.bodies):
        raise InputError(f'{arm.robot.name!r}: nothing that moves has mass, so it has no centre')
    return arm.record(name, ('q',), lambda _, tree, g, q:
                      [*kinematics.mass_centre(tree, q)[1]], (3,))


def reactions(arm, name):
    """Record the pair through every joint, in the axes of its link."""
    frames = arm.body_frames()

    def function(_, tree, g, q, u, ud):
        _, pairs = arm.kane(tree, q, u, ud, g)
        return [value for frame in frames for part in pairs[frame.body]
                for value in frame.R.T @ part]
    return arm.record(name, ('q', 'u', 'ud'), function, (len(frames), 6))


def frame_program(arm, name, frame_name):
    """Record one of FRAME_FUNCTIONS for a named frame."""
    frame = arm.tree.frames.get(frame_name)
    if frame is None:
        raise InputError(f'no link or frame {frame_name!r} in {arm.robot.name!r}; '
                         f'there are {sorted(arm.tree.frames)}')
    groups = {'frame_velocity': ('q', 'u'), 'frame_acceleration': ('q', 'u', 'ud')}
    shapes = {'frame_pose': (3, 4), 'frame_jacobian': (6, arm.nv), 'frame_deflection': (3,)}

    def function(_, tree, g, *values):
        result = getattr(kinematics, name)(tree, frame, *values)
        if name == 'frame_pose':
            R, p = result
            return [value for row, place in zip(R, p) for value in [*row, place]]
        return [*np.reshape(result, -1)]
    return arm.record(name, groups.get(name, ('q',)), function, shapes.get(name, (6,)))


PROGRAMS = {record.__name__: record for record in (energy, momentum, mass_centre, reactions)}
