# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Where bodies and frames are and how they move, and the energies that follow from it.

Poses, velocities and accelerations of frames are told in the axes of the base, at the frame's
origin (Pinocchio's LOCAL_WORLD_ALIGNED), linear part first.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.kane.equations import joint_motion, Place
from kane_dynamics.kane.vectors import cross, ZERO


def poses(tree, q):
    """Return R_NB and p_NB of every body in the base frame."""
    found = []
    for body in tree.bodies:
        place = Place(body, q)
        R_NP, p_NP = found[body.parent] if body.parent >= 0 else (np.eye(3), ZERO)
        R_PB = place.C if place.turn is None else place.C @ place.turn
        found.append((R_NP @ R_PB, p_NP + R_NP @ place.p))
    return found


def _frame_in_base(frame, found):
    R, p = found[frame.body] if frame.body >= 0 else (np.eye(3), ZERO)
    return R @ frame.R, p + R @ frame.p


def frame_pose(tree, frame, q):
    """Return (R_NF, p_NF)."""
    return _frame_in_base(frame, poses(tree, q))


def frame_jacobian(tree, frame, q):
    """Return the partial velocities of a frame: rows [v; w], a column per generalized speed."""
    found = poses(tree, q)
    _, p_F = _frame_in_base(frame, found)
    J = np.zeros((6, tree.nv), dtype=object)
    i = frame.body
    while i >= 0:
        body, (R, p) = tree.bodies[i], found[i]
        k = body.u_index
        if body.kind == 'floating':
            for j in range(3):
                J[:3, k + j] = R[:, j]
                J[:3, k + 3 + j], J[3:, k + 3 + j] = cross(R[:, j], p_F - p), R[:, j]
        elif body.kind == 'revolute':
            J[:3, k] = J[:3, k] + cross(R[:, 2], p_F - p) * body.ratio
            J[3:, k] = J[3:, k] + R[:, 2] * body.ratio
        else:
            J[:3, k] = J[:3, k] + R[:, 2] * body.ratio
        i = body.parent
    return J


def velocities(tree, q, u):
    """Return (v, w) of every body's origin, in its own frame."""
    found = []
    for body in tree.bodies:
        place = Place(body, q)
        v_P, w_P = found[body.parent] if body.parent >= 0 else (ZERO, ZERO)
        v, w = place.outward(v_P + cross(w_P, place.p)), place.outward(w_P)
        k = body.u_index
        if body.kind == 'floating':
            v, w = np.array(u[k:k + 3]), np.array(u[k + 3:k + 6])
        else:
            rate = np.array([0.0, 0.0, body.ratio * u[k]])
            v, w = (v, w + rate) if body.kind == 'revolute' else (v + rate, w)
        found.append((v, w))
    return found


def frame_velocity(tree, frame, q, u):
    """Return [v; w] of a frame."""
    if frame.body < 0:
        return np.zeros(6)
    v, w = velocities(tree, q, u)[frame.body]
    R, _ = poses(tree, q)[frame.body]
    return np.concatenate([R @ (v + cross(w, frame.p)), R @ w])


def frame_acceleration(tree, frame, q, u, ud):
    """Return [a; alpha] of a frame: the true acceleration of its origin, gravity left out."""
    if frame.body < 0:
        return np.zeros(6)
    motion = []
    for body in tree.bodies:
        parent = motion[body.parent] if body.parent >= 0 else (ZERO, ZERO, ZERO)
        motion.append(joint_motion(body, Place(body, q), u, ud, parent))
    w, alpha, a = motion[frame.body]
    R, _ = poses(tree, q)[frame.body]
    a_F = a + cross(alpha, frame.p) + cross(w, cross(w, frame.p))
    return np.concatenate([R @ a_F, R @ alpha])


def energies(tree, q, u, gravity):
    """Return kinetic and potential energy [J]; the potential is zero at the base origin.

    T = sum (m v.v + 2 v.(w x h) + w.I w) / 2 with w.I w = tr(S) w.w - w.S w,
    V = -sum g.(m p + R h).
    """
    kinetic, potential = 0.0, 0.0
    g = np.asarray(gravity)
    for body, (v, w), (R, p) in zip(tree.bodies, velocities(tree, q, u), poses(tree, q)):
        S = body.S
        spin = (S[0, 0] + S[1, 1] + S[2, 2]) * (w @ w) - w @ (S @ w)
        kinetic = kinetic + 0.5 * ((v @ v) * body.m + 2.0 * (v @ cross(w, body.h)) + spin)
        potential = potential - g @ (p * body.m + R @ body.h)
    return kinetic, potential


def momentum(tree, q, u):
    """Return linear and angular momentum about the base origin, base axes [kg m/s, kg m^2/s]."""
    linear, angular = ZERO, ZERO
    for body, (v, w), (R, p) in zip(tree.bodies, velocities(tree, q, u), poses(tree, q)):
        S = body.S
        P = R @ (v * body.m + cross(w, body.h))
        spin = w * (S[0, 0] + S[1, 1] + S[2, 2]) - S @ w
        linear = linear + P
        angular = angular + cross(p, P) + R @ (cross(body.h, v) + spin)
    return linear, angular


def mass_centre(tree, q):
    """Return the total mass and the mass centre of all that moves, in the base frame."""
    mass, moment = 0.0, ZERO
    for body, (R, p) in zip(tree.bodies, poses(tree, q)):
        mass = mass + body.m
        moment = moment + p * body.m + R @ body.h
    return mass, moment / mass
