# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Kinematics of bodies and frames, and the energies and momenta that follow.

Poses, velocities and accelerations of frames are in the axes of the base, at the frame's
origin (Pinocchio's LOCAL_WORLD_ALIGNED), linear part first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.kane.bending import Bending, Modes, Polynomial, Station
from kane_dynamics.kane.equations import joint_motion, JointPlacement, Placement
from kane_dynamics.kane.scalar import AnyScalar, ScalarArray, Scalars
from kane_dynamics.kane.springs import poses_of, spring_energy
from kane_dynamics.kane.vectors import cross, Motion, Pair, Pose, ZERO
from kane_dynamics.numerics.array_types import ArrayLike

if TYPE_CHECKING:
    from kane_dynamics.model.structure.tree import Body, Frame, Tree


def placements_of(tree: Tree, q: Scalars, u: Scalars | None = None,
                  ud: Scalars | None = None) -> list[Placement]:
    """Return the placement of every body in its parent; a station is one on a flexible parent."""
    rest = [0.0] * tree.nv
    placements: list[Placement] = []
    bent: dict[int, Bending] = {}
    for i, body in enumerate(tree.bodies):
        placements.append(Station(bent[body.parent], body.station) if body.kind == 'station'
                          else JointPlacement(body, q))
        if body.flexible is not None:
            bent[i] = Bending(body, q, rest if u is None else u, rest if ud is None else ud,
                              truncated=False)
    return placements


def poses(tree: Tree, q: Scalars) -> list[Pose]:
    """Return R_NB and p_NB of every body in the base frame."""
    return poses_of(tree, placements_of(tree, q))


def _frame_in_base(frame: Frame, found: list[Pose]) -> Pose:
    R, p = found[frame.body] if frame.body >= 0 else (np.eye(3), ZERO)
    return R @ frame.R, p + R @ frame.p


def frame_pose(tree: Tree, frame: Frame, q: Scalars) -> Pose:
    """Return (R_NF, p_NF)."""
    return _frame_in_base(frame, poses(tree, q))


def frame_deflection(tree: Tree, frame: Frame, q: Scalars) -> ScalarArray:
    """Return the deflection of the frame's origin: p_NF less that of the undeformed arm."""
    straight = list(q)
    for spring in tree.springs:
        straight[spring.q_index] = 0.0
    return frame_pose(tree, frame, q)[1] - frame_pose(tree, frame, straight)[1]


def frame_jacobian(tree: Tree, frame: Frame, q: Scalars) -> ScalarArray:
    """Return the partial velocities of a frame: rows [v; w], a column per generalized speed."""
    found, placements = poses(tree, q), placements_of(tree, q)
    _, p_F = _frame_in_base(frame, found)
    J = np.zeros((6, tree.nv), dtype=object)
    i = frame.body
    while i >= 0:
        body, placement, (R, p) = tree.bodies[i], placements[i], found[i]
        k = body.u_index
        if body.kind == 'floating':
            for j in range(3):
                J[:3, k + j] = R[:, j]
                J[:3, k + 3 + j], J[3:, k + 3 + j] = cross(R[:, j], p_F - p), R[:, j]
        elif body.kind == 'revolute':
            J[:3, k] = J[:3, k] + cross(R[:, 2], p_F - p) * body.ratio
            J[3:, k] = J[3:, k] + R[:, 2] * body.ratio
        elif body.kind == 'prismatic':
            J[:3, k] = J[:3, k] + R[:, 2] * body.ratio
        elif isinstance(placement, Station):
            R_P, _ = found[body.parent]
            modes = slice(placement.first_speed, placement.first_speed + placement.d.J.shape[1])
            W = R_P @ placement.turned.W
            arm = np.array([cross(column, p_F - p) for column in W.T]).T
            J[:3, modes], J[3:, modes] = R_P @ placement.d.J + arm, W
        i = body.parent
    return J


def velocities(tree: Tree, q: Scalars, u: Scalars) -> list[Pair]:
    """Return (v, w) of every body's origin, in its own frame."""
    found: list[Pair] = []
    for body, placement in zip(tree.bodies, placements_of(tree, q, u)):
        v_P, w_P = found[body.parent] if body.parent >= 0 else (ZERO, ZERO)
        v, w = v_P + cross(w_P, placement.p), w_P
        k = body.u_index
        if isinstance(placement, Station):
            v, w = v + placement.d.rate, w + placement.turned.w
        v, w = placement.outward(v), placement.outward(w)
        if body.kind == 'floating':
            v, w = np.array(u[k:k + 3]), np.array(u[k + 3:k + 6])
        elif body.kind in ('revolute', 'prismatic'):
            rate = np.array([0.0, 0.0, body.ratio * u[k]])
            v, w = (v, w + rate) if body.kind == 'revolute' else (v + rate, w)
        found.append((v, w))
    return found


def frame_velocity(tree: Tree, frame: Frame, q: Scalars, u: Scalars) -> ScalarArray:
    """Return [v; w] of a frame."""
    if frame.body < 0:
        return np.zeros(6)
    v, w = velocities(tree, q, u)[frame.body]
    R, _ = poses(tree, q)[frame.body]
    return np.concatenate([R @ (v + cross(w, frame.p)), R @ w])


def frame_acceleration(tree: Tree, frame: Frame, q: Scalars, u: Scalars,
                       ud: Scalars) -> ScalarArray:
    """Return [a; alpha] of a frame: the true acceleration of its origin, gravity left out."""
    if frame.body < 0:
        return np.zeros(6)
    motion: list[Motion] = []
    for body, placement in zip(tree.bodies, placements_of(tree, q, u, ud)):
        parent = motion[body.parent] if body.parent >= 0 else (ZERO, ZERO, ZERO)
        motion.append(placement.motion(*parent) if isinstance(placement, Station)
                      else joint_motion(body, placement, u, ud, parent))
    w, alpha, a = motion[frame.body]
    R, _ = poses(tree, q)[frame.body]
    a_F = a + cross(alpha, frame.p) + cross(w, cross(w, frame.p))
    return np.concatenate([R @ a_F, R @ alpha])


def energies(tree: Tree, q: Scalars, u: Scalars,
             gravity: ArrayLike | Scalars) -> tuple[AnyScalar, AnyScalar, AnyScalar]:
    """Return kinetic, potential and strain energy [J]; the potential is zero at the base origin.

    T = sum (m v.v + 2 v.(w x h) + w.I w) / 2 with w.I w = tr(S) w.w - w.S w,
    V = -sum g.(m p + R h),  strain = sum k q^2 / 2, and that of springs on joints and links.
    """
    kinetic: AnyScalar = 0.0
    potential: AnyScalar = 0.0
    strain: AnyScalar = 0.0
    g = np.asarray(gravity)
    found = poses(tree, q)
    for body, (v, w), (R, p) in zip(tree.bodies, velocities(tree, q, u), found):
        S = body.S
        spin = (S[0, 0] + S[1, 1] + S[2, 2]) * (w @ w) - w @ (S @ w)
        kinetic = kinetic + 0.5 * ((v @ v) * body.m + 2.0 * (v @ cross(w, body.h)) + spin)
        potential = potential - g @ (p * body.m + R @ body.h)
        for mass, rho, rate in _mass_points(body, q, u):
            v_point = v + cross(w, rho) + rate
            kinetic = kinetic + 0.5 * mass * (v_point @ v_point)
            potential = potential - g @ (p + R @ rho) * mass
        if body.flexible is not None:
            I0, Cr, Mr = body.flexible.rotary
            etad = Modes(body, q, u, u).etad
            kinetic = kinetic + 0.5 * (w @ (I0 @ w)) + w @ (Cr @ etad) + 0.5 * etad @ (Mr @ etad)
    for spring in tree.springs:
        strain = strain + 0.5 * spring.stiffness * (q[spring.q_index] * q[spring.q_index])
    return kinetic, potential, strain + spring_energy(tree, q, found)


def _mass_points(body: Body, q: Scalars,
                 u: Scalars) -> Iterator[tuple[float, ScalarArray, ScalarArray]]:
    """Yield mass, position and velocity of a beam's mass points, in the link frame."""
    if body.flexible is not None:
        modes = Modes(body, q, u, u)
        for node in body.flexible.nodes:
            d = Polynomial(node.Phi, node.Gam, node.Cub, modes)
            yield node.mass, node.position + d.value, d.rate


def momentum(tree: Tree, q: Scalars, u: Scalars) -> Pair:
    """Return linear and angular momentum about the base origin, base axes [kg m/s, kg m^2/s]."""
    linear, angular = ZERO, ZERO
    for body, (v, w), (R, p) in zip(tree.bodies, velocities(tree, q, u), poses(tree, q)):
        S = body.S
        P = v * body.m + cross(w, body.h)
        L = cross(body.h, v) + w * (S[0, 0] + S[1, 1] + S[2, 2]) - S @ w
        for mass, rho, rate in _mass_points(body, q, u):
            P_point = (v + cross(w, rho) + rate) * mass
            P, L = P + P_point, L + cross(rho, P_point)
        if body.flexible is not None:
            I0, Cr, _ = body.flexible.rotary
            L = L + I0 @ w + Cr @ Modes(body, q, u, u).etad
        linear = linear + R @ P
        angular = angular + cross(p, R @ P) + R @ L
    return linear, angular


def mass_centre(tree: Tree, q: Scalars) -> tuple[AnyScalar, ScalarArray]:
    """Return the total mass and the mass centre of all moving bodies, in the base frame."""
    mass, moment = 0.0, ZERO
    rest = [0.0] * tree.nv
    for body, (R, p) in zip(tree.bodies, poses(tree, q)):
        m, h = body.m, body.h
        for node_mass, rho, _ in _mass_points(body, q, rest):
            m, h = m + node_mass, h + rho * node_mass
        mass = mass + m
        moment = moment + p * m + R @ h
    return mass, moment / mass
