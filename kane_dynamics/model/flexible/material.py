# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Materials of links: moduli, density and strength."""

from __future__ import annotations

from dataclasses import dataclass
import math

from kane_dynamics.exceptions import ModelError


@dataclass(frozen=True)
class Material:
    """A material: stiffness and strength [Pa], density [kg/m^3], Poisson's ratio.

    strength: the stress at which it yields or breaks. shear_strength: by default strength /
    sqrt(3), from the distortion energy (von Mises 1913).
    """

    E: float
    poisson: float
    density: float
    strength: float
    shear_strength: float | None = None

    def __post_init__(self) -> None:
        if self.shear_strength is None:
            object.__setattr__(self, 'shear_strength', self.strength / math.sqrt(3.0))
        for name in ('E', 'density', 'strength', 'shear_strength'):
            value: float = getattr(self, name)
            if not 0.0 < value < math.inf:
                raise ModelError(f'material: {name} must be positive, got {value}')
        if not -1.0 < self.poisson <= 0.5:
            raise ModelError(f'material: poisson must be -1 to 0.5, got {self.poisson}')

    @property
    def G(self) -> float:
        """Return the shear modulus E / (2 (1 + nu)) [Pa]."""
        return self.E / (2.0 * (1.0 + self.poisson))


MATERIALS = {
    # Vukobratovic and Potkonjak 1982, figure 5.10 and 4.5
    'AlMg3': Material(7.848e10, 0.29, 2700.0, 2.943e8, 2.4525e8),
    # EN 755-2, extruded, walls up to 5 mm; EN 1999-1-1 for the moduli
    '6082-T6': Material(7.0e10, 0.33, 2700.0, 2.5e8),
    # EN 10025-2, up to 16 mm; EN 1993-1-1 for the moduli
    'S355': Material(2.1e11, 0.3, 7850.0, 3.55e8),
}
