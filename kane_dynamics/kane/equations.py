# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Kane's equations F_r + F_r* = 0 for any tree of bodies, on any scalar type.

All motion and force in the package is computed from this file. Run on floats it is the reference;
run on recording scalars (`scalar.py`) it writes the straight-line program of one arm.

Names: w, alpha the angular velocity and acceleration of a body, a the acceleration of its origin
(all inertial, components in the body frame; gravity enters as an upward acceleration of the base),
F and N a force and its moment about the body's origin.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.kane.bending import Bending, Station
from kane_dynamics.kane.scalar import AnyScalar, cos, ScalarArray, Scalars, sin
from kane_dynamics.kane.springs import body_pulls, joint_loads
from kane_dynamics.kane.vectors import cross, Motion, Pair, spin_matrix, ZERO
from kane_dynamics.numerics.array_types import ArrayLike

if TYPE_CHECKING:
    from kane_dynamics.model.structure.tree import Body, Tree


class JointPlacement:
    """Placement of a body by its joint: constant rotation C, joint rotation, origin."""

    def __init__(self, body: Body, q: Scalars) -> None:
        self.C: ScalarArray = body.C
        self.p: ScalarArray = body.p
        self.turn: ScalarArray | None = None               # joint rotation, body to joint frame
        if body.kind == 'fixed':
            return
        if body.kind == 'floating':
            x, y, z, qx, qy, qz, qw = q[body.q_index:body.q_index + 7]
            self.p = body.p + body.C @ np.array([x, y, z])
            self.turn = _rotation_of_quaternion(qx, qy, qz, qw)
            return
        joint = body.ratio * q[body.q_index] + body.offset
        if body.kind == 'revolute':
            s, c = sin(joint), cos(joint)
            s, c = ((s, c), (c, -s), (-s, -c), (-c, s))[body.quarter_turns % 4]
            self.turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        else:
            self.p = body.p + body.C[:, 2] * joint

    @property
    def rotation(self) -> ScalarArray:
        """Return R_PB."""
        return self.C if self.turn is None else self.C @ self.turn

    def inward(self, v: ScalarArray) -> ScalarArray:
        """Return components in the parent frame of a vector given in the body frame."""
        return self.C @ (v if self.turn is None else self.turn @ v)

    def outward(self, v: ScalarArray) -> ScalarArray:
        """Return components in the body frame of a vector given in the parent frame."""
        v = self.C.T @ v
        return v if self.turn is None else self.turn.T @ v

    def inward_symmetric(self, S: ScalarArray) -> ScalarArray:
        """Return R S R' for a symmetric S.

        About z one product pair does: with e = (Sxx - Syy) c - 2 Sxy s,
        Sxx' = Syy + c e,  Syy' = Sxx - c e,  Sxy' = Sxy + s e.
        """
        if self.turn is not None:
            c, s = self.turn[0, 0], self.turn[1, 0]
            e = (S[0, 0] - S[1, 1]) * c - (S[0, 1] + S[0, 1]) * s
            S = _turned(S, c, s, S[1, 1] + c * e, S[0, 1] + s * e, S[0, 0] - c * e)
        return self._rotated(S)

    def inward_definite(self, S: ScalarArray) -> ScalarArray:
        """Return R S R' for a positive semidefinite S, with full relative accuracy of each entry.

        The shorter form takes differences of large entries: where massless links meet near a
        singular pose, the inertia that is left is tiny compared to them and would be round-off.
        """
        if self.turn is not None:
            c, s = self.turn[0, 0], self.turn[1, 0]
            sxy, cxy = s * S[0, 1], c * S[0, 1]
            x, y = c * S[0, 0] - sxy, cxy - s * S[1, 1]
            S = _turned(S, c, s, c * x - s * y, s * x + c * y,
                        s * (s * S[0, 0] + cxy) + c * (sxy + c * S[1, 1]))
        return self._rotated(S)

    def _rotated(self, S: ScalarArray) -> ScalarArray:
        """Return C S C'."""
        CS = self.C @ S
        rotated = np.empty((3, 3), dtype=object)
        for r in range(3):
            for k in range(r, 3):
                rotated[r, k] = rotated[k, r] = CS[r] @ self.C[k]
        return rotated


Placement: TypeAlias = JointPlacement | Station     # of a body in its parent


def _turned(S: ScalarArray, c: AnyScalar, s: AnyScalar, xx: AnyScalar, xy: AnyScalar,
            yy: AnyScalar) -> ScalarArray:
    """Return S after a rotation about z (cosine c, sine s), given its first block."""
    xz, yz = c * S[0, 2] - s * S[1, 2], s * S[0, 2] + c * S[1, 2]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, S[2, 2]]])


def _rotation_of_quaternion(x: AnyScalar, y: AnyScalar, z: AnyScalar, w: AnyScalar) -> ScalarArray:
    """Return R for a unit quaternion."""
    return np.array([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)]])


def inertia_pair(body: Body, w: ScalarArray, alpha: ScalarArray, a: ScalarArray) -> Pair:
    """Return (F, N) = -(R*, T*) of one body: its inertia force and the moment about its origin.

    F = int (a + U r) dm = m a + U h,    N = int r x (a + U r) dm = h x a + vee(U S - (U S)').
    """
    U, h, S = spin_matrix(w, alpha), body.h, body.S
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]     # U_ii differ by these alone
    F = a * body.m + U @ h
    N = cross(h, a) + np.array([
        U[2, 0] * S[0, 1] + U[2, 1] * S[1, 1] - U[1, 0] * S[0, 2] - U[1, 2] * S[2, 2]
        + (zz - yy) * S[1, 2],
        U[0, 1] * S[1, 2] + U[0, 2] * S[2, 2] - U[2, 1] * S[0, 1] - U[2, 0] * S[0, 0]
        + (xx - zz) * S[0, 2],
        U[1, 2] * S[0, 2] + U[1, 0] * S[0, 0] - U[0, 2] * S[1, 2] - U[0, 1] * S[1, 1]
        + (yy - xx) * S[0, 1]])
    return F, N


def joint_motion(body: Body, placement: JointPlacement, u: Scalars, ud: Scalars,
                 parent: Motion) -> Motion:
    """Return (w, alpha, a) of a body from its parent's, one step of the outward recursion."""
    w_P, alpha_P, a_P = parent
    # the origin, carried by the parent: a + U p (Angeles, Ma and Rojas 1989, eq. 19)
    a = placement.outward(a_P + spin_matrix(w_P, alpha_P) @ placement.p)
    w, alpha = placement.outward(w_P), placement.outward(alpha_P)
    k = body.u_index
    if body.kind == 'floating':
        v, w = np.array(u[k:k + 3]), np.array(u[k + 3:k + 6])
        return w, np.array(ud[k + 3:k + 6]), a + np.array(ud[k:k + 3]) + cross(w, v)
    if body.kind == 'fixed':
        return w, alpha, a
    rate, acceleration = body.ratio * u[k], body.ratio * ud[k]
    if body.kind == 'revolute':
        # w = w_P + z qd;  alpha = alpha_P + z qdd + w x z qd
        alpha = np.array([alpha[0] + w[1] * rate, alpha[1] - w[0] * rate,
                          alpha[2] + acceleration])
        w = np.array([w[0], w[1], w[2] + rate])
    else:
        # a += z qdd + 2 w x z qd
        twice = rate + rate
        a = np.array([a[0] + w[1] * twice, a[1] - w[0] * twice, a[2] + acceleration])
    return w, alpha, a


def kane(tree: Tree, q: Scalars, u: Scalars, ud: Scalars, gravity: ArrayLike | Scalars,
         base: Motion = (ZERO, ZERO, ZERO)) -> tuple[list[AnyScalar], list[Pair]]:
    """Return the generalized forces tau of a motion, and the force and moment in each joint.

    Kane's equations F_r + F_r* = 0 with the joint torques among the active forces give, for every
    generalized speed u_r with partial velocities Ju_v[:, r], Ju_w[:, r] of each body B,

        tau_r = sum_B  Ju_v_NB[:, r] . F_B + Ju_w_NB[:, r] . N_B,

    F_B, N_B being inertia minus gravity forces. A joint's speed moves everything outboard of it by
    the same partial velocities (z, or z x r), so the sum is taken once: pairs are collected from
    the tips inward and projected on z (Angeles, Ma and Rojas 1989, eqs. 47-51). A mode
    of a flexible link moves its mass points and the stations that other bodies ride on, by J and W
    (`bending.py`); its own active force is that of the deflected beam, -K eta - D eta'. Springs on
    joints and between links are active forces, too (`springs.py`).

    tree: bodies; q (nq), u, ud (nv): sequences of one scalar type; gravity (3,) [m/s^2] in the
    base frame; base: prescribed (w, alpha, a) of the base. Returns tau (nv,) and per body (F, N),
    the force and moment through its joint, about its origin, in its frame.
    """
    g = np.asarray(gravity)
    motion: list[Motion] = []
    placements: list[Placement] = []
    pairs: list[Pair] = []
    bent: dict[int, Bending] = {}
    tau: list[AnyScalar] = [0.0] * tree.nv
    for i, body in enumerate(tree.bodies):                 # outward: velocities, accelerations
        parent = motion[body.parent] if body.parent >= 0 else (base[0], base[1], base[2] - g)
        if body.kind == 'station':
            station = Station(bent[body.parent], body.station)
            placements.append(station)
            motion.append(station.motion(*parent))
        else:
            joint = JointPlacement(body, q)
            placements.append(joint)
            motion.append(joint_motion(body, joint, u, ud, parent))
        F, N = inertia_pair(body, *motion[-1])
        if body.flexible is not None:
            bent[i] = Bending(body, q, u, ud)
            F_beam, N_beam, G = bent[i].inertia_forces(*motion[-1])
            F, N = F + F_beam, N + N_beam
            _add(tau, body.modes_u, G)
        pairs.append((F, N))
    for i, F, N in body_pulls(tree, placements):           # active: they are subtracted
        pairs[i] = (pairs[i][0] - F, pairs[i][1] - N)
    for i in reversed(range(len(tree.bodies))):            # inward: collect, project
        body, placement, (F, N) = tree.bodies[i], placements[i], pairs[i]
        if body.kind == 'floating':
            _add(tau, body.u_index, [*F, *N])
        elif body.kind == 'revolute':
            _add(tau, body.u_index, [body.ratio * N[2]])
        elif body.kind == 'prismatic':
            _add(tau, body.u_index, [body.ratio * F[2]])
        if body.parent >= 0:
            F_P, N_P = placement.inward(F), placement.inward(N)
            if isinstance(placement, Station):
                _add(tau, placement.first_speed, placement.modal_forces(F_P, N_P))
            F_sum, N_sum = pairs[body.parent]
            pairs[body.parent] = (F_sum + F_P, N_sum + N_P + cross(placement.p, F_P))
    for spring in tree.springs:                            # active: -k q - d u
        _add(tau, spring.u_index, [spring.stiffness * q[spring.q_index]
                                   + spring.damping * u[spring.u_index]])
    for speed, load in joint_loads(tree, q):
        _add(tau, speed, [load])
    return tau, pairs


def _add(tau: list[AnyScalar], first: int, values: Iterable[AnyScalar]) -> None:
    """Add values to the generalized forces from index `first` on."""
    for k, value in enumerate(values, first):
        tau[k] = tau[k] + value
