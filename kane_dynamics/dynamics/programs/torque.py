# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torques from motion and motion from torques, as programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.kane import recursive
from kane_dynamics.kane.scalar import AnyScalar, Scalars
from kane_dynamics.kane.solve import held_matrix
from kane_dynamics.kane.vectors import Motion

if TYPE_CHECKING:
    from kane_dynamics.codegen.program import Program
    from kane_dynamics.dynamics.recorded_arm import ArmModel, RecordedArm

LONG_CHAIN = 12                 # joints in a row beyond which M and its factors are not even tried


def inverse(arm: RecordedArm, name: str) -> Program:
    """Record tau for given accelerations."""
    return arm.record(name, ('q', 'u', 'ud'), arm.torques, (arm.nv,))


def bias(arm: RecordedArm, name: str) -> Program:
    """Record tau at zero acceleration."""
    rest = [0.0] * arm.nv
    return arm.record(name, ('q', 'u'), lambda model, q, u: arm.torques(model, q, u, rest),
                      (arm.nv,))


def gravity(arm: RecordedArm, name: str) -> Program:
    """Record the torques that hold the arm at rest."""
    rest = [0.0] * arm.nv
    return arm.record(name, ('q',), lambda model, q: arm.kane(
        model.reduced, q, rest, rest, model.gravity)[0], (arm.nv,))


def mass_matrix(arm: RecordedArm, name: str) -> Program:
    """Record M."""
    return arm.record(name, ('q',), lambda model, q: sum(arm.mass(model, q), []),
                      (arm.nv, arm.nv))


def forward(arm: RecordedArm, name: str) -> Program:
    """Record M ud = tau - bias, by factors of M or joint by joint: whichever is shorter."""
    def recorded(function: Callable[..., list[AnyScalar]]) -> Program:
        return arm.record(name, ('q', 'u', 'tau'), function, (arm.nv,))

    programs = []
    if arm.tree.depth <= LONG_CHAIN:
        programs.append(recorded(arm.accelerations))
    tree = arm.tree
    rigid = not (tree.springs or tree.joint_springs or tree.link_springs)
    if rigid and len(arm.tree.bodies) == arm.robot.n_joints + int(arm.robot.floating_base):
        programs.append(recorded(_recursively(arm)))
    return min(programs, key=lambda program: program.operation_count.mul
               + program.operation_count.add) if programs else recorded(arm.accelerations)


def hybrid(arm: RecordedArm, name: str) -> Program:
    """Record [tau of the joints, ud of the modes] for given accelerations of the joints.

    Modal rows hold no torque: M_ee ud_e = -c_e with c = kane(q, u, [ud_q, 0]), and
    tau = c_q + M_qe ud_e.
    """
    modes = range(arm.first_mode, arm.nv)

    def function(model: ArmModel, q: Scalars, u: Scalars, ud: Scalars) -> list[AnyScalar]:
        given = [*ud, *([0.0] * len(modes))]
        c = arm.loads(model, q, u, given)
        M = arm.mass(model, q)
        elastic = arm.factors(model, M, modes).solve([-value for value in c])
        tau = [c[k] + sum(M[k][j] * elastic[j] for j in modes)
               for k in range(arm.first_mode)]
        return arm.driven(tau, u) + [elastic[j] for j in modes]
    return arm.record(name, ('q', 'u', 'ud_joints'), function, (arm.nv,))


def mixed(arm: RecordedArm, name: str) -> Program:
    """Record [tau, ud] where free (nv,) is 1 if the torque of a speed is given, 0 if its ud is.

    The mixed problem of Vukobratovic and Potkonjak 1982 (2.2): with c = kane(q, u, ud_given),
    M_ff ud_f = tau_f - c_f for the free speeds f, and tau = c + M ud_f for the others. The entries
    of tau and ud that are not given must be zero.
    """
    def function(model: ArmModel, q: Scalars, u: Scalars, ud: Scalars, tau: Scalars,
                 free: Scalars) -> list[AnyScalar]:
        c = arm.loads(model, q, u, ud)
        M = arm.mass(model, q)
        found = arm.factors(model, held_matrix(M, free)).solve(
            [f * (t - h) for f, t, h in zip(free, arm.driving(tau, u), c)])
        loads = [h + sum(entry * x for entry, x in zip(row, found)) for h, row in zip(c, M)]
        return [*((1.0 - f) * driven + t
                  for f, driven, t in zip(free, arm.driven(loads, u), tau)),
                *(given + x for given, x in zip(ud, found))]
    return arm.record(name, ('q', 'u', 'ud', 'tau', 'free'), function, (2, arm.nv))


def inverse_moving_base(arm: RecordedArm, name: str) -> Program:
    """Record tau on a base with prescribed w, alpha, a."""
    return arm.record(name, ('q', 'u', 'ud', 'base'), lambda model, q, u, ud, base: arm.torques(
        model, q, u, ud, base=_motion(base)), (arm.nv,))


def forward_moving_base(arm: RecordedArm, name: str) -> Program:
    """Record ud on a base with prescribed w, alpha, a."""
    return arm.record(name, ('q', 'u', 'tau', 'base'),
                      lambda model, q, u, tau, base: arm.accelerations(
                          model, q, u, tau, base=_motion(base)), (arm.nv,))


def _recursively(arm: RecordedArm) -> Callable[..., list[AnyScalar]]:
    def function(model: ArmModel, q: Scalars, u: Scalars, tau: Scalars) -> list[AnyScalar]:
        return recursive.forward(model.reduced, q, u, arm.driving(tau, u), model.gravity,
                                 arm.armature)
    return function


def _motion(base: Scalars) -> Motion:
    """Return (w, alpha, a) from the nine numbers of a prescribed base motion."""
    return np.array(base[:3]), np.array(base[3:6]), np.array(base[6:9])


PROGRAMS = {record.__name__: record for record in (
    inverse, bias, gravity, mass_matrix, forward, hybrid, mixed, inverse_moving_base,
    forward_moving_base)}
