# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The stress in a cross-section under a force along the beam and moments.

Vukobratovic and Potkonjak (1982, 3.5.11-16) for the round tube: sigma = M_b / W_x, W_x = I / R,
and tau = M_t / W_o, W_o = 2 I / R. Others by Saint-Venant (solid) and Bredt (thin-walled tube).
Shear by the transverse force, small in slender links, is left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.section import SHAPES


class Stress(NamedTuple):
    """Largest stresses in a section [Pa], all not negative."""

    normal: np.ndarray      # of bending and of the force along the beam
    shear: np.ndarray       # of torsion

    @property
    def equivalent(self):
        """Return the stress of the same distortion energy, sqrt(sigma^2 + 3 tau^2) [Pa].

        The largest of both are taken together, whether or not they are at one point.
        """
        return np.sqrt(self.normal**2 + 3.0 * self.shear**2)


class Moduli(NamedTuple):
    """Resistance of a section: stress = force / A, |M_y| / W_y (and so on), |M_x| / W_t."""

    A: float
    W_y: float
    W_z: float
    W_t: float
    round: bool     # bending in any plane is the same: moments add as vectors


def moduli(shape, dimensions):
    """Return the Moduli [m^2, m^3] of a section of SHAPES; dimensions by name [m]."""
    if shape not in SHAPES:
        raise ModelError(f'section: unknown shape {shape!r}; known: {", ".join(SHAPES)}')
    function, names = SHAPES[shape]
    if set(dimensions) != set(names):
        raise ModelError(f'section: a {shape} has {", ".join(names)}; got {sorted(dimensions)}')
    A, I_y, I_z, J = function(**dimensions)
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


def stress(section, force, torsion, M_y, M_z):
    """Return the Stress in a section of given Moduli; force along the beam [N], moments [N m]."""
    if section.round:
        bending = np.hypot(M_y, M_z) / section.W_y
    else:
        bending = np.abs(M_y) / section.W_y + np.abs(M_z) / section.W_z     # at a corner
    return Stress(bending + np.abs(force) / section.A, np.abs(torsion) / section.W_t)


def _solid_rectangle(width, height, J):
    """Return M / tau at the middle of the long side (Timoshenko and Goodier 1970, art. 109).

    tau = M b / J [1 - (8 / pi^2) sum_{n odd} 1 / (n^2 cosh(n pi a / 2 b))], a >= b
    """
    a, b = max(width, height), min(width, height)
    n = np.arange(1, 30, 2)
    series = (1.0 / (n**2 * np.cosh(np.minimum(n * np.pi * a / (2.0 * b), 700.0)))).sum()
    return J / (b * (1.0 - 8.0 / np.pi**2 * series))
