# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible links in motion: mass points, modes, and stations that carry other bodies.

At every point of the beam the displacement d and the rotation vector psi, both seen from the
link's clamped root, are polynomials of the modal coordinates eta (`model/modal_constants.py`):

    d = Phi eta + 1/2 Gam eta eta + 1/6 Cub eta eta eta

Their partial velocities J = dd/deta are the contribution of modes to Kane's equations. Because M
is a sum of products of partial velocities, it stays symmetric and positive definite at any
deflection.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.kane.scalar import AnyScalar, cos, ScalarArray, Scalars, sin
from kane_dynamics.kane.vectors import cross, Motion, skew, spin_matrix

if TYPE_CHECKING:
    from kane_dynamics.model.flexible.flexible_body import Attachment, FlexibleBody
    from kane_dynamics.model.structure.tree import Body

SERIES_TERMS = 7     # of sin(t)/t and its like: round-off up to 0.6 rad, 1e-12 at 1 rad


def flexible_of(body: Body) -> FlexibleBody:
    """Return the flexible part of a body that has one."""
    assert body.flexible is not None
    return body.flexible


class Polynomial:
    """Value, rate, acceleration and partial velocities of one polynomial of eta."""

    def __init__(self, first: ScalarArray, second: ScalarArray, third: ScalarArray | None,
                 modes: Modes) -> None:
        g = second @ modes.eta
        c = 0.0 if third is None else 0.5 * ((third @ modes.eta) @ modes.eta)
        self.J = first + g + c
        self.value = (first + 0.5 * g + (0.0 if third is None else c * (1.0 / 3.0))) @ modes.eta
        self.rate = self.J @ modes.etad
        curved = second if third is None else second + third @ modes.eta
        self.acceleration = self.J @ modes.etadd + modes.quadratic(curved)


class Modes:
    """The modal coordinates of one link and their rates; undeformed: only etadd is not zero."""

    def __init__(self, body: Body, q: Scalars, u: Scalars, ud: Scalars,
                 undeformed: bool = False) -> None:
        count = flexible_of(body).n_modes
        self.eta = np.array(q[body.modes_q:body.modes_q + count])
        self.etad = np.array(u[body.modes_u:body.modes_u + count])
        self.etadd = np.array(ud[body.modes_u:body.modes_u + count])
        if undeformed:
            self.eta, self.etad = np.zeros(count), np.zeros(count)
        pairs = [(i, j) for i in range(count) for j in range(i, count)]
        self._first = np.array([i for i, _ in pairs], dtype=int)
        self._second = np.array([j for _, j in pairs], dtype=int)
        self._weight = np.where(self._first == self._second, 1.0, 2.0)
        self._products = self.etad[self._first] * self.etad[self._second]   # shared by stations

    def quadratic(self, tensor: ScalarArray) -> ScalarArray:
        """Return tensor : etad etad for a (3, n, n) tensor, symmetric in the last two."""
        return (tensor[:, self._first, self._second] * self._weight) @ self._products


class Bending:
    """A flexible body in motion: inertia forces of its mass, and motion of its stations.

    truncated: in the equations of motion of a 'ruthless' link the deflections are zero, but not
    in its kinematics.
    """

    def __init__(self, body: Body, q: Scalars, u: Scalars, ud: Scalars,
                 truncated: bool = True) -> None:
        self.flexible, self.first_speed = flexible_of(body), body.modes_u
        self.modes = Modes(body, q, u, ud, truncated and self.flexible.model == 'ruthless')

    def inertia_forces(self, w: ScalarArray, alpha: ScalarArray,
                       a: ScalarArray) -> tuple[ScalarArray, ScalarArray, ScalarArray]:
        """Return (F, N) on the beam's mass about the link origin, and G on every mode.

        Per mass point at rho = s + d:  f = m (a + U rho + 2 w x d' + d''),
        F += f,  N += rho x f,  G_i += J_i . f.
        Slices that turn: T = 1/2 w'I0 w + w'Cr eta' + 1/2 eta''Mr eta'.
        """
        U, modes = spin_matrix(w, alpha), self.modes
        F, N, G = np.zeros(3), np.zeros(3), np.zeros(self.flexible.n_modes)
        for node in self.flexible.nodes:
            d = Polynomial(node.Phi, node.Gam, node.Cub, modes)
            rho = node.position + d.value
            f = (a + U @ rho + 2.0 * cross(w, d.rate) + d.acceleration) * node.mass
            F, N, G = F + f, N + cross(rho, f), G + d.J.T @ f
        I0, Cr, Mr = self.flexible.rotary
        spin = I0 @ w + Cr @ modes.etad
        N = N + I0 @ alpha + Cr @ modes.etadd + cross(w, spin)
        return F, N, G + Cr.T @ alpha + Mr @ modes.etadd


class Station:
    """A station of a flexible body as the placement of the rigid body that rides on it."""

    def __init__(self, bending: Bending, index: int) -> None:
        attachment = bending.flexible.attachments[index]
        self.d = Polynomial(attachment.Phi, attachment.Gam, attachment.Cub, bending.modes)
        psi = Polynomial(attachment.Psi, attachment.Lam, attachment.Cubpsi, bending.modes)
        self.turned = Turned(psi, used=_used_rows(attachment))
        self.p = attachment.position + self.d.value        # in the link frame
        self.first_speed = bending.first_speed

    @property
    def rotation(self) -> ScalarArray:
        """Return the station's axes in the link frame."""
        return self.turned.R

    def motion(self, w: ScalarArray, alpha: ScalarArray, a: ScalarArray) -> Motion:
        """Return (w, alpha, a) of the station in its own axes from those of the link."""
        turned = self.turned
        a = (a + spin_matrix(w, alpha) @ self.p + 2.0 * cross(w, self.d.rate)
             + self.d.acceleration)
        alpha = alpha + turned.alpha + cross(w, turned.w)
        return self.outward(w + turned.w), self.outward(alpha), self.outward(a)

    def inward(self, v: ScalarArray) -> ScalarArray:
        """Return components in the link frame of a vector given in the station's axes."""
        return self.turned.R @ v

    def outward(self, v: ScalarArray) -> ScalarArray:
        """Return components in the station's axes of a vector given in the link frame."""
        return self.turned.R.T @ v

    def inward_symmetric(self, S: ScalarArray) -> ScalarArray:
        """Return R S R' for a symmetric S."""
        return self.turned.R @ S @ self.turned.R.T

    def modal_forces(self, F: ScalarArray, N: ScalarArray) -> ScalarArray:
        """Return J_i . F + W_i . N per mode, for a pair at the station in link axes."""
        return self.d.J.T @ F + self.turned.W.T @ N


class Turned:
    """The rotation of a station from its rotation vector: R, w, alpha and partial velocities W.

    With s = psi.psi = t^2 and S = sin t/t, A = (1 - cos t)/t^2, B = (t - sin t)/t^3, series in s:
    R = 1 + S [psi] + A [psi]^2,  w = L(psi'),  L(x) = x + A psi x x + B psi x (psi x x),
    alpha = L(psi'') + A' s' psi x psi' + B' s' psi x (psi x psi') + B psi' x (psi x psi').
    """

    def __init__(self, psi: Polynomial, used: list[int]) -> None:
        if len(used) == 0:
            self.R, self.w, self.alpha = np.eye(3), np.zeros(3), np.zeros(3)
            self.W = np.zeros_like(psi.J)
        elif len(used) == 1:                               # about one axis: sine and cosine
            self.R = _about_axis(used[0], psi.value[used[0]])
            self.w, self.alpha, self.W = psi.rate, psi.acceleration, psi.J
        else:
            self._exponential(psi.value, psi.rate, psi.acceleration, psi.J)

    def _exponential(self, psi: ScalarArray, rate: ScalarArray, acceleration: ScalarArray,
                     J: ScalarArray) -> None:
        s, s_rate = psi @ psi, 2.0 * (psi @ rate)
        S, _ = _series(1, s)
        A, A_slope = _series(2, s)
        B, B_slope = _series(3, s)

        def L(x: ScalarArray) -> ScalarArray:
            once = cross(psi, x)
            return x + once * A + cross(psi, once) * B

        K = skew(psi)
        self.R = np.eye(3) + K * S + (K @ K) * A
        self.w = L(rate)
        once = cross(psi, rate)
        self.alpha = (L(acceleration) + once * (A_slope * s_rate)
                      + cross(psi, once) * (B_slope * s_rate) + cross(rate, once) * B)
        self.W = np.array([L(column) for column in J.T]).T


def _series(k: int, s: AnyScalar) -> tuple[AnyScalar, AnyScalar]:
    """Return f(s) = sum (-s)^i / (2 i + k)! and df/ds."""
    coefficients = [(-1.0)**i / math.factorial(2 * i + k) for i in range(SERIES_TERMS)]
    value, slope = coefficients[-1], (SERIES_TERMS - 1) * coefficients[-1]
    for i in reversed(range(SERIES_TERMS - 1)):
        value = value * s + coefficients[i]
        if i > 0:
            slope = slope * s + i * coefficients[i]
    return value, slope


def _used_rows(attachment: Attachment) -> list[int]:
    """Return the components of psi that the modes move: constants with a nonzero entry."""
    tensors = [attachment.Psi, attachment.Lam]
    if attachment.Cubpsi is not None:
        tensors.append(attachment.Cubpsi)
    return [row for row in range(3) if any(np.any(tensor[row]) for tensor in tensors)]


def _about_axis(axis: int, angle: AnyScalar) -> ScalarArray:
    """Return the rotation about coordinate axis 0, 1 or 2."""
    c, s = cos(angle), sin(angle)
    R = np.empty((3, 3), dtype=object)
    R[:] = 0.0
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R[axis, axis], R[j, j], R[k, k], R[j, k], R[k, j] = 1.0, c, c, -s, s
    return R
