# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Pseudo-inertia matrix of a body, which is positive definite exactly when the body can exist.

J = [[S, h], [h', m]] with m the mass, h = m c its first moment and S = sum of m_i r_i r_i' about
the link's origin, which is tr(I)/2 1 - I (Wensing, Kim and Slotine 2018, equation 15).
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.model.structure.links_and_joints import Inertial
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

# the ten parameters of a body as in Dynamics.inertial_parameters: m, h, Ixx Ixy Iyy Ixz Iyz Izz
INERTIA_ENTRIES = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))


def _basis() -> FloatArray:
    """Return E (10, 4, 4) with J = sum of pi_k E_k."""
    E = np.zeros((10, 4, 4))
    E[0, 3, 3] = 1.0
    for k in range(3):
        E[1 + k, k, 3] = E[1 + k, 3, k] = 1.0
    for k, (i, j) in enumerate(INERTIA_ENTRIES):
        if i == j:
            E[4 + k, :3, :3] = 0.5 * np.eye(3)
            E[4 + k, i, i] -= 1.0
        else:
            E[4 + k, i, j] = E[4 + k, j, i] = -1.0
    return E


BASIS = _basis()


def pseudo_inertia(pi: ArrayLike) -> FloatArray:
    """Return J (..., 4, 4) of parameters pi (..., 10)."""
    return np.einsum('...k,kij->...ij', np.asarray(pi, dtype=float), BASIS)


def parameters_of(J: FloatArray) -> FloatArray:
    """Return pi (10,) of J (4, 4)."""
    S, h, m = J[:3, :3], J[:3, 3], J[3, 3]
    inertia = np.trace(S) * np.eye(3) - S
    return np.array([m, *h, *(inertia[i, j] for i, j in INERTIA_ENTRIES)])


def inertial_of(pi: FloatArray) -> Inertial:
    """Return the Inertial (mass, centre, inertia about it) of parameters pi (10,) with m > 0."""
    m, h = pi[0], np.asarray(pi[1:4])
    inertia = np.zeros((3, 3))
    for value, (i, j) in zip(pi[4:], INERTIA_ENTRIES):
        inertia[i, j] = inertia[j, i] = value
    centre = h / m
    # about the centre: I - m (c'c 1 - c c')
    return Inertial(m, centre, inertia - m * (centre @ centre * np.eye(3)
                                              - np.outer(centre, centre)))


def moved_parameters(pi: FloatArray, R: FloatArray, p: FloatArray) -> FloatArray:
    """Return pi (10,) of the same body in another frame.

    R (3, 3) and p (3,) [m] are the pose of the body's present frame in the new one.
    """
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return parameters_of(T @ pseudo_inertia(pi) @ T.T)
