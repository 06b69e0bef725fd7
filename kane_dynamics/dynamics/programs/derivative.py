# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of torques by motion and by inertial parameters, as programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.dynamics.programs.step import floating_rotation, quaternion_rates
from kane_dynamics.exceptions import InputError
from kane_dynamics.kane.differentiate import gradient, tangent
from kane_dynamics.kane.equations import kane
from kane_dynamics.kane.scalar import AnyScalar, Scalar, Scalars
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.codegen.program import Program
    from kane_dynamics.dynamics.recorded_arm import ArmModel, RecordedArm
    from kane_dynamics.model.robot import Robot
    from kane_dynamics.model.structure.tree import Tree


def inverse_derivatives(arm: RecordedArm, name: str) -> Program:
    """Record d tau/d q, d tau/d u and d tau/d ud; a floating base moves in its own frame."""
    n = arm.nv

    def function(model: ArmModel, q: Scalars, u: Scalars, ud: Scalars) -> list[AnyScalar]:
        if not u:                                          # nothing moves: three empty matrices
            return []
        tau = [u[0].graph.zero + t for t in arm.torques(model, q, u, ud)]
        by_q = [tangent(tau, seeds) for seeds in _displacements(arm, q)]
        by_u = [tangent(tau, {speed: 1.0 + speed.graph.zero}) for speed in u]
        return [columns[j][i] for columns in (by_q, by_u)
                for i in range(n) for j in range(n)] + sum(
                    arm.by_acceleration(model, q, u, ud), [])
    return arm.record(name, ('q', 'u', 'ud'), function, (3, n, n))


def _displacements(arm: RecordedArm, q: Scalars) -> list[dict[Scalar, AnyScalar]]:
    """Return, per generalized speed, the rates of q that a unit of it makes."""
    one = 1.0 + q[0].graph.zero
    seeds: list[dict[Scalar, AnyScalar]] = []
    if arm.robot.floating_base:
        R = floating_rotation(arm.tree, q)
        seeds += [dict(zip(q[:3], R[:, j])) for j in range(3)]
        seeds += [dict(zip(q[3:7], column)) for column in quaternion_rates(*q[3:7])]
    return seeds + [{s: one} for s in q[arm.robot.joints_q.start:]]


def regressor(arm: RecordedArm, name: str) -> Program:
    """Record Y (nv, 10 per body) with tau = Y pi; see `standard_parameters` for pi."""
    _refuse_flexible(arm.robot, name)
    count = 10 * len(arm.tree.bodies)

    def function(model: ArmModel, q: Scalars, u: Scalars, ud: Scalars) -> list[AnyScalar]:
        if not q:
            return []
        graph = q[0].graph
        pi = graph.inputs('pi', count)
        tau, _ = kane(_with_standard_parameters(arm, model.full, pi), q, u, ud, model.gravity)
        return [entry for t in tau for entry in gradient(graph.zero + t, pi)]
    return arm.record(name, ('q', 'u', 'ud'), function, (arm.nv, count))


def _with_standard_parameters(arm: RecordedArm, tree: Tree, pi: Scalars) -> Tree:
    bodies = []
    for k, (body, frame) in enumerate(zip(tree.bodies, arm.body_frames())):
        m, hx, hy, hz, xx, xy, yy, xz, yz, zz = pi[10 * k:10 * k + 10]
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        S = np.eye(3) * (0.5 * (xx + yy + zz)) - inertia
        bodies.append(replace(body, m=m, h=frame.R @ np.array([hx, hy, hz]),
                              S=frame.R @ S @ frame.R.T))
    return replace(tree, bodies=tuple(bodies))


def standard_parameters(arm: RecordedArm, robot: Robot) -> FloatArray:
    """Return pi: per body m, h = m c (3), and Ixx Ixy Iyy Ixz Iyz Izz about its link's origin.

    Links behind fixed joints count with the link that carries them, in that link's axes.
    """
    _refuse_flexible(robot, 'inertial_parameters')
    rows = []
    for body, frame in zip(robot.tree.bodies, arm.body_frames()):
        h, S = frame.R.T @ body.h, frame.R.T @ body.S @ frame.R
        inertia = np.trace(S) * np.eye(3) - S
        rows.append([body.m, *h, *(inertia[i, j] for i, j in
                                   ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)))])
    return np.array(rows).reshape(-1)


def _refuse_flexible(robot: Robot, what: str) -> None:
    if robot.extensions:
        raise InputError(f'{what}: the inertia of a flexible link is more than ten numbers; '
                         'ask the rigid arm, Dynamics(robot.rigid())')


def momentum_balance(arm: RecordedArm, name: str) -> Program:
    """Record p = M u and the torque b that keeps it: dp/dt = tau - b without friction.

    b = g(q) + k q + d u - dT/dq with T = u' M u / 2 (Lagrange), k and d of the springs of
    flexible links and joints; g contains all other springs. No acceleration is needed.
    """
    if arm.robot.floating_base:
        raise InputError(f'{name}: {arm.robot.name!r} has a floating base; only arms on a fixed '
                         'one have it')
    rest = [0.0] * arm.nv

    def function(model: ArmModel, q: Scalars, u: Scalars) -> list[AnyScalar]:
        if not u:
            return []
        # M u: the torques of accelerations u, without gravity, speeds and springs
        inertial = model._replace(reduced=model.reduced.without_springs(),
                                  gravity=[0.0, 0.0, 0.0])
        momentum = arm.loads(inertial, q, rest, u)
        energy = 0.5 * sum(p * speed for p, speed in zip(momentum, u))
        slopes = gradient(u[0].graph.zero + energy, q)
        holding = [load + damping * speed for load, damping, speed in zip(
            arm.loads(model, q, rest, rest), model.reduced.damping, u)]
        return [*momentum, *(hold - slope for hold, slope in zip(holding, slopes))]
    return arm.record(name, ('q', 'u'), function, (2, arm.nv))


PROGRAMS = {record.__name__: record for record in (
    inverse_derivatives, regressor, momentum_balance)}
