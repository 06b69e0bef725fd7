# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Mimic joints seen from their leaders: limits, damping, friction and rotor inertia.

A follower is at q_f = k q + o; where a mimic follows a mimic, k and o are those of the whole chain
(`resolve_mimics`). It stays within its own limits where
  min((lower - o)/k, (upper - o)/k) <= q <= max(...),   |qd| <= velocity / |k|,
and the same for acceleration and jerk.
Its effort limit does not limit the leader, whose drive moves both. By virtual work,
tau qd = tau_f qd_f, a torque tau_f in the follower's joint is k tau_f at the leader: damping
b qd_f, friction f sign(qd_f) and rotor J qdd_f become k^2 b, |k| f and k^2 J.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
import math
from typing import NamedTuple

import numpy as np

from kane_dynamics.model.structure.links_and_joints import Joint, Limits
from kane_dynamics.numerics.array_types import FloatArray

ROUNDING = 1e-6     # of a range or a speed: limits that files print with few digits agree


class Reflected(NamedTuple):
    """Resistance of the independent joints, each (n_joints,), with that of their followers."""

    damping: FloatArray    # viscous [N m s/rad or N s/m]
    friction: FloatArray   # Coulomb [N m or N]
    armature: FloatArray   # rotor inertia [kg m^2 or kg]


def reflected(joint_names: tuple[str, ...], moving_joints: Iterable[Joint]) -> Reflected:
    """Return damping, friction and rotor inertia of moving joints at the independent ones."""
    found = Reflected(*np.zeros((3, len(joint_names))))
    for joint in moving_joints:
        ratio = joint.follows.multiplier
        k = joint_names.index(joint.follows.joint)
        found.damping[k] += ratio**2 * joint.damping
        found.friction[k] += abs(ratio) * joint.friction
        found.armature[k] += ratio**2 * joint.armature
    for values in found:
        values.setflags(write=False)
    return found


def narrowed(leader: Joint, followers: Iterable[Joint]) -> tuple[Limits, tuple[str, ...]]:
    """Return the Limits of a leader within which its followers keep theirs, and the conflicts.

    Limits of a follower that leave the leader no travel or no speed are a conflict: they do not
    limit it, and a sentence names them.
    """
    limits = leader.limits
    conflicts: list[str] = []
    for joint in followers:
        ratio, offset = joint.follows.multiplier, joint.follows.offset
        if ratio == 0.0:
            continue
        low, high = sorted((bound - offset) / ratio
                           for bound in (joint.limits.lower, joint.limits.upper))
        span = min(limits.upper - limits.lower, high - low)
        slack = ROUNDING * span if math.isfinite(span) else 0.0
        low = low if low > limits.lower + slack else limits.lower
        high = high if high < limits.upper - slack else limits.upper
        if low + slack < high:
            limits = replace(limits, lower=low, upper=high)
        elif (low, high) != (limits.lower, limits.upper):
            conflicts.append(f'{_who(joint)} {joint.limits.lower:g} ... {joint.limits.upper:g} '
                             f'leave {leader.name!r} no travel within {limits.lower:g} ... '
                             f'{limits.upper:g}; they do not count: correct them')
        speed = joint.limits.velocity / abs(ratio)
        if speed == 0.0 < limits.velocity:
            conflicts.append(f'{_who(joint)} allow no speed, but it follows {leader.name!r}; '
                             'that does not count: correct it')
        elif speed < (1.0 - ROUNDING) * limits.velocity:
            limits = replace(limits, velocity=speed)
        limits = replace(limits,
                         acceleration=min(limits.acceleration,
                                          joint.limits.acceleration / abs(ratio)),
                         jerk=min(limits.jerk, joint.limits.jerk / abs(ratio)))
    return limits, tuple(conflicts)


def _who(joint: Joint) -> str:
    return f'joint {joint.name!r} mimics {joint.follows.joint!r}: its limits'
