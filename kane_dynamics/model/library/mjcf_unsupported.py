# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Effects of MuJoCo models that a Robot does not have."""

from __future__ import annotations

from kane_dynamics.model.library.mjcf_model import CompiledModel

TENDON_EFFECTS = ('stiffness', 'damping', 'frictionloss', 'armature', 'limited', 'stiffnesspoly',
                  'dampingpoly')


def refuse_unsupported(compiled: CompiledModel) -> None:
    """Refuse, by the name of the element, or note joints and forces that a Robot does not have."""
    _joint_types(compiled)
    _joint_forces(compiled)
    model = compiled.model
    for k, body in enumerate(compiled.bodies):
        if model.body_gravcomp[k] and compiled.enabled['gravity']:
            compiled.refuse(f'gravity compensation of body {body!r}')
        if model.body_plugin[k] >= 0:
            compiled.refuse(f'the plugin of body {body!r}')
    for k in range(model.ntendon):
        acts = [name for name in TENDON_EFFECTS if compiled.row(f'tendon_{name}', k).any()]
        if acts:
            compiled.refuse(f'{", ".join(acts)} of {compiled.named("tendon", k)}')
    if model.opt.density or model.opt.viscosity:
        compiled.refuse('fluid forces of <option density viscosity>')


def _joint_types(compiled: CompiledModel) -> None:
    """Refuse joints and bodies that are no part of a tree of hinges and slides."""
    model = compiled.model
    for name, kind, body in zip(compiled.joints, compiled.types, model.jnt_bodyid):
        if kind == 'ball':
            compiled.fail(f'joint {name!r} is a ball joint; supported are hinge, slide and one '
                          'free joint: replace it by three hinges')
        if kind == 'free' and model.body_parentid[body] != 0:
            compiled.fail(f'joint {name!r} is free, but its body is not a child of the world')
    if model.nflex:
        compiled.fail('a <flex> deforms; only rigid bodies are supported: delete it')


def _joint_forces(compiled: CompiledModel) -> None:
    """Refuse polynomial springs and damping, and all passive forces of a free joint."""
    model, enabled = compiled.model, compiled.enabled
    for j, (name, kind) in enumerate(zip(compiled.joints, compiled.types)):
        dof, count = model.jnt_dofadr[j], 6 if kind == 'free' else 1
        if kind == 'free' and any(compiled.row(f'dof_{effect}', dof, count).any()
                                  for effect in ('armature', 'damping', 'frictionloss')):
            compiled.refuse(f'armature, damping or friction of the free joint {name!r}')
        springs = ('jnt_stiffnesspoly',) + ('jnt_stiffness',) * (kind == 'free')
        if enabled['spring'] and any(compiled.row(field, j).any() for field in springs):
            compiled.refuse(f'the spring of joint {name!r}')
        if enabled['damper'] and compiled.row('dof_dampingpoly', dof, count).any():
            compiled.refuse(f'polynomial damping of joint {name!r}')
