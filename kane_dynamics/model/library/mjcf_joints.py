# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Effects of actuators and equalities on the joints of a MuJoCo model."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kane_dynamics.model.library.mjcf_model import CompiledModel
from kane_dynamics.model.structure.links_and_joints import MAX_RATIO, Mimic
from kane_dynamics.numerics.array_types import FloatArray


class ActuatorEffects(NamedTuple):
    """Limits and inertia that actuators give to the joints, each (njnt,)."""

    effort: FloatArray      # [N m or N], infinite where not limited
    armature: FloatArray    # [kg m^2 or kg]
    damping: FloatArray     # [N m s/rad or N s/m]


def actuator_effects(compiled: CompiledModel) -> ActuatorEffects:
    """Return the effects of the actuators on hinges and slides.

    An actuator moves gear times as far as its joint: by virtual work its force counts gear times,
    its armature and damping gear^2 times.
    """
    model, transmissions = compiled.model, compiled.mujoco.mjtTrn
    on_joint = (transmissions.mjTRN_JOINT, transmissions.mjTRN_JOINTINPARENT)
    armature, damping, force = np.zeros((3, model.njnt))
    driven = np.zeros(model.njnt, dtype=bool)
    for k in range(len(model.actuator_trntype)):
        gear = abs(float(model.actuator_gear[k, 0]))
        inertia, drag = (float(compiled.row(f'actuator_{name}', k)[0])
                         for name in ('armature', 'damping'))
        if not gear <= MAX_RATIO:
            compiled.fail(f'{compiled.named("actuator", k)}: gear: expected at most '
                          f'{MAX_RATIO:g}, got {gear:g}')
        if compiled.row('actuator_dampingpoly', k).any():
            compiled.refuse(f'polynomial damping of {compiled.named("actuator", k)}')
        j = int(model.actuator_trnid[k, 0])
        if int(model.actuator_trntype[k]) in on_joint and compiled.types[j] in ('hinge', 'slide'):
            driven[j] = True
            force[j] += gear * _largest_force(compiled, k)
            armature[j] += gear**2 * inertia
            damping[j] += gear**2 * drag
        elif inertia or drag:
            compiled.refuse(f'armature or damping of {compiled.named("actuator", k)}, which does '
                            'not act on a hinge or slide')
    effort = [min(force[j] if driven[j] else math.inf, _bound(
        model.jnt_actfrclimited[j], model.jnt_actfrcrange[j])) for j in range(model.njnt)]
    return ActuatorEffects(np.array(effort), armature, damping)


def _largest_force(compiled: CompiledModel, k: int) -> float:
    """Return the largest force of an actuator in both directions, infinite if unlimited."""
    model, mujoco = compiled.model, compiled.mujoco
    bound = _bound(model.actuator_forcelimited[k], model.actuator_forcerange[k])
    motor = (model.actuator_gaintype[k] == mujoco.mjtGain.mjGAIN_FIXED
             and model.actuator_biastype[k] == mujoco.mjtBias.mjBIAS_NONE
             and model.actuator_dyntype[k] == mujoco.mjtDyn.mjDYN_NONE)
    if motor:
        gain = abs(float(model.actuator_gainprm[k, 0]))
        bound = min(bound, gain * _bound(model.actuator_ctrllimited[k],
                                         model.actuator_ctrlrange[k]))
    return bound


def _bound(limited: bool, interval: FloatArray) -> float:
    """Return the b of the largest [-b, b] in a range that contains zero, else infinity."""
    low, high = (float(value) for value in interval)
    return min(-low, high) if limited and low < 0.0 < high else math.inf


class Couplings(NamedTuple):
    """Joint equalities: {joint number: Mimic} and {joint name: position} of constant ones."""

    mimics: dict[int, Mimic]
    locked: dict[str, float]


def couplings(compiled: CompiledModel) -> Couplings:
    """Return the joint equalities that are active in the file; others are refused."""
    model, names = compiled.model, compiled.joints
    found = Couplings({}, {})
    for k in range(model.neq if compiled.enabled['equality'] else 0):
        if not model.eq_active0[k]:
            continue
        equality = compiled.named('equality', k)
        if model.eq_type[k] != compiled.mujoco.mjtEq.mjEQ_JOINT:
            kind = compiled.mujoco.mjtEq(model.eq_type[k]).name.removeprefix('mjEQ_').lower()
            compiled.refuse(f'{equality} of type {kind}{_loop(compiled, k)}')
            continue
        first, second = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        # q1 - ref1 = c0 + c1 (q2 - ref2) + c2 (q2 - ref2)^2 + ...
        c0, c1, *more = (float(value) for value in model.eq_data[k, :5])
        reference = compiled.reference(first)
        if first in found.mimics or names[first] in found.locked:
            compiled.refuse(f'{equality}: a second equality of joint {names[first]!r}')
        elif second < 0 or not any((c1, *more)):
            found.locked[names[first]] = reference + c0
        elif any(more):
            compiled.refuse(f'{equality}: joint {names[first]!r} follows {names[second]!r} by a '
                            'nonlinear polynomial')
        else:
            found.mimics[first] = Mimic(names[second], c1,
                                        reference + c0 - c1 * compiled.reference(second))
    return found


def _loop(compiled: CompiledModel, k: int) -> str:
    """Return the Loop that closes a connect between two bodies, as a hint."""
    model, mujoco = compiled.model, compiled.mujoco
    if (model.eq_type[k] != mujoco.mjtEq.mjEQ_CONNECT
            or model.eq_objtype[k] != mujoco.mjtObj.mjOBJ_BODY):
        return ''
    first, second = (compiled.bodies[body] for body in (model.eq_obj1id[k], model.eq_obj2id[k]))
    one, other = (tuple(round(float(x), 9) for x in model.eq_data[k, part])
                  for part in (slice(0, 3), slice(3, 6)))
    return f', in ConstrainedDynamics kd.Loop({first!r}, {second!r}, {one}, {other})'
