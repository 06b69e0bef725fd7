# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Quasi-static deflection by influence coefficients: a quick estimate without modes.

Vukobratovic and Potkonjak 1982, chapter 4: links are cantilever beams, their mass is lumped half
and half at the ends of each piece, joints keep their nominal motion. A piece that carries the
force F and the moment M at its end gives way by (4.5.14-17)

    u = alpha F + beta M,  phi = gamma F + delta M,
    alpha = l^3/3EI, beta = gamma = l^2/2EI, delta = l/EI; l/EA along, l/GJ about the axis,

and moves everything outboard of it. One piece per link overestimates the sag under the link's own
weight by a third; the error falls with the square of the number of pieces. It shares the beams of
the URDF with the modal model but nothing else, so that each checks the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.analysis.outboard_loads import OutboardLoads
from kane_dynamics.exceptions import InputError


class Displacement(NamedTuple):
    """How a link's origin is displaced and its axes are turned, small, in base axes."""

    u: np.ndarray      # (3,) [m]
    phi: np.ndarray    # (3,) [rad]


class InfluenceModel:
    """A robot with <flexible_link> beams, each cut into pieces of equal length."""

    def __init__(self, robot, pieces=1):
        if not robot.flexible_links:
            raise InputError(f'{robot.name!r} has no <flexible_link>: nothing bends')
        if pieces < 1:
            raise InputError(f'pieces: expected at least 1, got {pieces}')
        self._robot, self._loads = robot, OutboardLoads(robot, pieces)

    def quasi_static(self, q, qd=None, qdd=None):
        """Return {link: Displacement} under weight and the inertia of a motion.

        q, qd, qdd: of the joints (n_joints,), or with modes behind them, which are not used; at
        rest when left out.
        """
        placed = self._loads.at(q, qd, qdd)
        u, phi = self._displacements(placed, placed.forces, placed.moments)
        return {name: Displacement(u[k], phi[k]) for name, k in placed.origins.items()}

    def frequencies(self, q):
        """Return the frequencies of the lumped masses (n,) [Hz], ascending: D u'' + u = 0.

        D = G m with G the displacements under unit forces; masses are points.
        """
        placed = self._loads.at(q)
        massive = np.flatnonzero(placed.masses > 0.0)
        G = np.zeros((len(massive), 3, len(massive), 3))
        for column, k in enumerate(massive):
            for axis in range(3):
                forces = np.zeros_like(placed.forces)
                forces[k, axis] = 1.0
                u, _ = self._displacements(placed, forces, np.zeros_like(forces))
                G[:, :, column, axis] = u[massive]
        n = 3 * len(massive)
        root = np.repeat(np.sqrt(placed.masses[massive]), 3)
        squares = np.linalg.eigvalsh(root[:, None] * G.reshape(n, n) * root)
        bending = squares[squares > 1e-12 * squares.max()]
        return np.sort(1.0 / (2 * np.pi * np.sqrt(bending)))

    def _displacements(self, placed, forces, moments):
        """Return u and phi (N, 3) of all points: each piece moves what is outboard of it."""
        u, phi = np.zeros_like(forces), np.zeros_like(forces)
        for piece in placed.pieces:
            out, end = piece.outboard, piece.end
            arms = placed.points[out] - end
            F = forces[out].sum(axis=0)
            M = (moments[out] + np.cross(arms, forces[out])).sum(axis=0)
            give, turn = _gives(piece, piece.R.T @ F, piece.R.T @ M)
            turn = piece.R @ turn
            u[out] += piece.R @ give + np.cross(turn, arms)
            phi[out] += turn
        return u, phi


def _gives(piece, F, M):
    """Return displacement and rotation of a cantilever's end, in beam axes (x along it)."""
    h = piece.length
    along, twist, in_y, in_z = (piece.compliance[name] for name in ('EA', 'GJ', 'EI_z', 'EI_y'))
    u = np.array([h * along * F[0],
                  in_y * (h**3 / 3 * F[1] + h**2 / 2 * M[2]),
                  in_z * (h**3 / 3 * F[2] - h**2 / 2 * M[1])])
    phi = np.array([h * twist * M[0],
                    in_z * (h * M[1] - h**2 / 2 * F[2]),
                    in_y * (h * M[2] + h**2 / 2 * F[1])])
    return u, phi
