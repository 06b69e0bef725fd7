# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Stress in a cross-section under an axial force and moments.

Vukobratovic and Potkonjak (1982, 3.5.11-16) for the round tube: sigma = M_b / W_x, W_x = I / R,
and tau = M_t / W_o, W_o = 2 I / R. Other shapes: Saint-Venant (solid) and Bredt (thin walls).
Shear stress of the transverse force is neglected; it is small in slender links.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kane_dynamics.model.flexible.section import section_of
from kane_dynamics.numerics.array_types import FloatArray


class Stress(NamedTuple):
    """Largest stresses in a section (N,) [Pa], not negative."""

    normal: FloatArray      # of bending and the axial force
    shear: FloatArray       # of torsion

    @property
    def equivalent(self) -> FloatArray:
        """Return the stress of the same distortion energy, sqrt(sigma^2 + 3 tau^2) [Pa].

        It combines the largest of both, even where they act at different points.
        """
        return np.sqrt(self.normal**2 + 3.0 * self.shear**2)


class Moduli(NamedTuple):
    """Area [m^2] and moduli [m^3]: stress = force / A, |M_y| / W_y, |M_z| / W_z, |M_x| / W_t."""

    A: float
    W_y: float
    W_z: float
    W_t: float
    round: bool     # resists bending equally in every plane: moments add as vectors


def moduli(shape: str, dimensions: Mapping[str, float]) -> Moduli:
    """Return the Moduli [m^2, m^3] of a section of SHAPES; dimensions by name [m]."""
    A, I_y, I_z, J = map(float, section_of(shape, dimensions))
    if shape in ('tube', 'round'):
        radius = dimensions['outer_radius' if shape == 'tube' else 'radius']
        return Moduli(A, I_y / radius, I_z / radius, J / radius, True)
    width, height = dimensions['width'], dimensions['height']
    if shape == 'rectangle':
        W_t = _solid_rectangle(width, height, J)
    else:
        wall = dimensions['wall']
        W_t = 2.0 * (width - wall) * (height - wall) * wall     # Bredt 1896: M = tau 2 A_m t
    return Moduli(A, I_y / (0.5 * height), I_z / (0.5 * width), W_t, False)


def stress(section: Moduli, force: FloatArray, torsion: FloatArray, M_y: FloatArray,
           M_z: FloatArray) -> Stress:
    """Return the Stress in a section of these Moduli; axial force [N], moments [N m], (N,)."""
    if section.round:
        bending = np.hypot(M_y, M_z) / section.W_y
    else:
        bending = np.abs(M_y) / section.W_y + np.abs(M_z) / section.W_z     # at a corner
    return Stress(bending + np.abs(force) / section.A, np.abs(torsion) / section.W_t)


def _solid_rectangle(width: float, height: float, J: float) -> float:
    """Return M / tau at the middle of the long side (Timoshenko and Goodier 1970, art. 109).

    tau = M b / J [1 - (8 / pi^2) sum_{n odd} 1 / (n^2 cosh(n pi a / 2 b))], a >= b
    """
    a, b = max(width, height), min(width, height)
    n = np.arange(1, 30, 2)
    series = float((1.0 / (n**2 * np.cosh(np.minimum(n * np.pi * a / (2.0 * b), 700.0)))).sum())
    return J / (b * (1.0 - 8.0 / np.pi**2 * series))
