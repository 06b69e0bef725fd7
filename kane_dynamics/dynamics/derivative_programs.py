# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of torques by motion and by inertial parameters, as programs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kane_dynamics.dynamics.steps import quaternion_rates
from kane_dynamics.exceptions import InputError
from kane_dynamics.kane.differentiate import gradient, tangent
from kane_dynamics.kane.equations import kane, Place
from kane_dynamics.model.assembly import tree_of


def inverse_derivatives(arm, name):
    """Record d tau/d q, d tau/d u and M; a floating base is displaced in its own frame."""
    n = arm.nv

    def function(reduced, _, g, q, u, ud):
        if not u:                                          # nothing moves: three empty matrices
            return []
        tau = [u[0].graph.zero + t for t in arm.torques(reduced, g, q, u, ud)]
        by_q = [tangent(tau, seeds) for seeds in _displacements(arm, q)]
        by_u = [tangent(tau, {speed: 1.0 + speed.graph.zero}) for speed in u]
        return [columns[j][i] for columns in (by_q, by_u)
                for i in range(n) for j in range(n)] + sum(arm.mass(reduced, q), [])
    return arm.record(name, ('q', 'u', 'ud'), function, (3, n, n))


def _displacements(arm, q):
    """Return, per generalized speed, the rates of q that a unit of it makes."""
    one = 1.0 + q[0].graph.zero
    seeds = []
    if arm.robot.floating_base:
        turn = Place(arm.tree.bodies[0], q).turn
        seeds += [dict(zip(q[:3], turn[:, j])) for j in range(3)]
        seeds += [dict(zip(q[3:7], column)) for column in quaternion_rates(*q[3:7])]
    return seeds + [{s: one} for s in q[7 if arm.robot.floating_base else 0:]]


def regressor(arm, name):
    """Record Y (nv, 10 per body) with tau = Y pi; see `standard_parameters` for pi."""
    _refuse_flexible(arm.robot, name)
    count = 10 * len(arm.tree.bodies)

    def function(_, tree, g, q, u, ud):
        if not q:
            return []
        graph = q[0].graph
        pi = graph.inputs('pi', count)
        tau, _ = kane(_with_standard_parameters(arm, tree, pi), q, u, ud, g)
        return [entry for t in tau for entry in gradient(graph.zero + t, pi)]
    return arm.record(name, ('q', 'u', 'ud'), function, (arm.nv, count))


def _with_standard_parameters(arm, tree, pi):
    bodies = []
    for k, (body, frame) in enumerate(zip(tree.bodies, arm.body_frames())):
        m, hx, hy, hz, xx, xy, yy, xz, yz, zz = pi[10 * k:10 * k + 10]
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        S = np.eye(3) * (0.5 * (xx + yy + zz)) - inertia
        bodies.append(replace(body, m=m, h=frame.R @ np.array([hx, hy, hz]),
                              S=frame.R @ S @ frame.R.T))
    return replace(tree, bodies=tuple(bodies))


def standard_parameters(arm, robot):
    """Return pi: per body m, h = m c (3), and Ixx Ixy Iyy Ixz Iyz Izz about its link's origin.

    Links behind fixed joints count with the link that carries them, in that link's axes.
    """
    _refuse_flexible(robot, 'inertial_parameters')
    tree = arm.tree if robot is arm.robot else tree_of(robot)
    rows = []
    for body, frame in zip(tree.bodies, arm.body_frames()):
        h, S = frame.R.T @ body.h, frame.R.T @ body.S @ frame.R
        inertia = np.trace(S) * np.eye(3) - S
        rows.append([body.m, *h, *(inertia[i, j] for i, j in
                                   ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)))])
    return np.array(rows).reshape(-1)


def _refuse_flexible(robot, what):
    if robot.extensions:
        raise InputError(f'{what}: the inertia of a flexible link is more than ten numbers; '
                         'ask the rigid arm, Dynamics(robot.rigid())')


def momentum_balance(arm, name):
    """Record p = M u and the torque b that keeps it: dp/dt = tau - b without friction.

    b = g(q) - dT/dq with T = u' M u / 2 (Lagrange): no acceleration is needed.
    """
    if arm.robot.floating_base:
        raise InputError(f'{name}: {arm.robot.name!r} has a floating base; only arms on a fixed '
                         'one have it')
    rest = [0.0] * arm.nv

    def function(reduced, _, g, q, u):
        if not u:
            return []
        momentum = arm.loads(reduced, [0.0, 0.0, 0.0], q, rest, u)
        energy = 0.5 * sum(p * speed for p, speed in zip(momentum, u))
        slopes = gradient(u[0].graph.zero + energy, q)
        holding = arm.loads(reduced, g, q, rest, rest)
        return [*momentum, *(hold - slope for hold, slope in zip(holding, slopes))]
    return arm.record(name, ('q', 'u'), function, (2, arm.nv))


PROGRAMS = {record.__name__: record for record in (
    inverse_derivatives, regressor, momentum_balance)}
