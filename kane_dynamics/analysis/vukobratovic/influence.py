# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Quasi-static deflection by influence coefficients: a fast estimate without modes.

Vukobratovic and Potkonjak 1982, chapter 4: links are cantilever beams, their mass is lumped half
and half at the ends of each piece, joints follow their nominal motion. The end of a piece that
carries the force F and the moment M there is displaced by (4.5.14-17)

    u = alpha F + beta M,  phi = gamma F + delta M,
    alpha = l^3/3EI, beta = gamma = l^2/2EI, delta = l/EI; l/EA along, l/GJ about the axis,

and moves everything outboard of it. One piece per link overestimates the sag under the link's own
weight by a third; the error falls with the square of the number of pieces. The method has only the
beams of the URDF in common with the modal model, so that each checks the other.
"""

from __future__ import annotations

from typing import NamedTuple, TYPE_CHECKING

import numpy as np

from kane_dynamics.analysis.vukobratovic.outboard_loads import LoadedArm, OutboardLoads, Piece
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot


class Displacement(NamedTuple):
    """Small displacement and rotation of a link's frame, in base axes."""

    u: FloatArray      # (3,) [m]
    phi: FloatArray    # (3,) [rad]


class InfluenceModel:
    """A robot with <flexible_link> beams, each cut into pieces of equal length."""

    def __init__(self, robot: Robot, pieces: int = 1) -> None:
        if not robot.flexible_links:
            raise InputError(f'{robot.name!r} has no <flexible_link>; expected one or '
                             'more')
        if pieces < 1:
            raise InputError(f'pieces: expected at least 1, got {pieces}')
        self._loads = OutboardLoads(robot, pieces)

    def quasi_static(self, q: ArrayLike, qd: ArrayLike | None = None,
                     qdd: ArrayLike | None = None) -> dict[str, Displacement]:
        """Return {link: Displacement} under weight and the inertia of a motion.

        q, qd, qdd: of the joints (n_joints,); modes that follow are ignored. At rest if left out.
        """
        arm = self._loads.at(q, qd, qdd)
        u, phi = self._displacements(arm, arm.forces, arm.moments)
        return {name: Displacement(u[k], phi[k]) for name, k in arm.origins.items()}

    def frequencies(self, q: ArrayLike) -> FloatArray:
        """Return the frequencies of the lumped masses (n,) [Hz], ascending: D u'' + u = 0.

        D = G m with G the displacements under unit forces; masses are points.
        """
        arm = self._loads.at(q)
        massive = np.flatnonzero(arm.masses > 0.0)
        G = np.zeros((len(massive), 3, len(massive), 3))
        for column, k in enumerate(massive):
            for axis in range(3):
                forces = np.zeros_like(arm.forces)
                forces[k, axis] = 1.0
                u, _ = self._displacements(arm, forces, np.zeros_like(forces))
                G[:, :, column, axis] = u[massive]
        n = 3 * len(massive)
        root = np.repeat(np.sqrt(arm.masses[massive]), 3)
        squares = np.linalg.eigvalsh(root[:, None] * G.reshape(n, n) * root)
        bending = squares[squares > 1e-12 * squares.max()]
        return np.sort(1.0 / (2 * np.pi * np.sqrt(bending)))

    @staticmethod
    def _displacements(arm: LoadedArm, forces: FloatArray,
                       moments: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return u and phi (N, 3) of all points: each piece moves everything outboard of it."""
        u, phi = np.zeros_like(forces), np.zeros_like(forces)
        for piece in arm.pieces:
            out, end = piece.outboard, piece.end
            levers = arm.points[out] - end
            F = forces[out].sum(axis=0)
            M = (moments[out] + np.cross(levers, forces[out])).sum(axis=0)
            shift, rotation = _end_displacement(piece, piece.R.T @ F, piece.R.T @ M)
            rotation = piece.R @ rotation
            u[out] += piece.R @ shift + np.cross(rotation, levers)
            phi[out] += rotation
        return u, phi


def _end_displacement(piece: Piece, F: FloatArray,
                      M: FloatArray) -> tuple[FloatArray, FloatArray]:
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
