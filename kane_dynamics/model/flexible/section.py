# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Cross-sections of beams: stiffness and mass per length from dimensions and material.

The beam's axis is x. I_y = int z^2 dA resists bending in the x-z plane, I_z = int y^2 dA in the
x-y plane, J is Saint-Venant's torsion constant. Every dimension may be an array of values along
the beam; the results then have its shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.numerics.array_types import FloatArray

Numbers = float | FloatArray    # one value, or values along the beam

PROPERTIES = {   # of a beam at one x: name and unit
    'mass_per_length': 'kg/m',
    'EI_y': 'N m^2',
    'EI_z': 'N m^2',
    'GJ': 'N m^2',
    'EA': 'N',
    'polar_inertia_per_length': 'kg m',
    'rotary_inertia_y_per_length': 'kg m',
    'rotary_inertia_z_per_length': 'kg m',
}
MATERIAL = ('E', 'G', 'density')   # [Pa], [Pa], [kg/m^3]


class Section(NamedTuple):
    """Area [m^2], second moments of area and torsion constant [m^4]."""

    A: Numbers
    I_y: Numbers
    I_z: Numbers
    J: Numbers


def tube(outer_radius: Numbers, inner_radius: Numbers) -> Section:
    """Return the Section of a round tube, radii in [m]."""
    if np.any(np.asarray(inner_radius) >= outer_radius):
        raise ModelError(f'section: inner_radius {_text(inner_radius)} m must be smaller than '
                         f'outer_radius {_text(outer_radius)} m')
    A = np.pi * (outer_radius**2 - inner_radius**2)
    I = np.pi / 4 * (outer_radius**4 - inner_radius**4)  # noqa: E741  the letter of every handbook
    return Section(A, I, I, 2 * I)


def solid_round(radius: Numbers) -> Section:
    """Return the Section of a solid round bar, radius in [m]."""
    return tube(radius, np.zeros_like(np.asarray(radius, dtype=float)))


def rectangle(width: Numbers, height: Numbers) -> Section:
    """Return the Section of a solid rectangle: width along y, height along z [m].

    J = a b^3 [1/3 - (64/pi^5) (b/a) sum_{n odd} tanh(n pi a / 2 b) / n^5], a >= b
    (Timoshenko and Goodier 1970, art. 109). The terms fall as n^-5: with n <= 99 the rest is
    below 1e-9 of J.
    """
    a, b = np.maximum(width, height), np.minimum(width, height)
    n = np.arange(1, 100, 2)
    series = (np.tanh(n * np.pi / 2 * np.expand_dims(a / b, -1)) / n**5).sum(-1)
    J = a * b**3 * (1 / 3 - 64 / np.pi**5 * b / a * series)
    return Section(width * height, width * height**3 / 12, height * width**3 / 12, J)


def rectangular_tube(width: Numbers, height: Numbers, wall: Numbers) -> Section:
    """Return the Section of a thin rectangular tube: outer width along y, height along z [m].

    J = 4 A_m^2 t / s with the area A_m and the length s of the wall's middle line (Bredt 1896).
    """
    if np.any(2.0 * np.asarray(wall) >= np.minimum(width, height)):
        raise ModelError(f'section: wall {_text(wall)} m must be less than half of width '
                         f'{_text(width)} m and height {_text(height)} m')
    w, h = width - 2.0 * wall, height - 2.0 * wall
    middle = (width - wall) * (height - wall)
    J = 4.0 * middle**2 * wall / (2.0 * (width - wall + height - wall))
    return Section(width * height - w * h, (width * height**3 - w * h**3) / 12,
                   (height * width**3 - h * w**3) / 12, J)


# shape: its function and the names of its dimensions
SHAPES: dict[str, tuple[Callable[..., Section], tuple[str, ...]]] = {
    'tube': (tube, ('outer_radius', 'inner_radius')),
    'round': (solid_round, ('radius',)),
    'rectangle': (rectangle, ('width', 'height')),
    'rectangular_tube': (rectangular_tube, ('width', 'height', 'wall')),
}


def section_of(shape: str, dimensions: Mapping[str, Numbers]) -> Section:
    """Return the Section of one of SHAPES; dimensions by name [m]."""
    if shape not in SHAPES:
        raise ModelError(f'section: unknown shape {shape!r}; known: {", ".join(SHAPES)}')
    function, names = SHAPES[shape]
    if set(dimensions) != set(names):
        raise ModelError(f'section: a {shape} has {", ".join(names)}; got {sorted(dimensions)}')
    for name in names:
        if not np.all(np.asarray(dimensions[name]) > 0.0):
            if name != 'inner_radius' or np.any(np.asarray(dimensions[name]) < 0.0):
                raise ModelError(
                    f'section: {name} must be positive, got {_text(dimensions[name])} m')
    return function(**dimensions)


def section_properties(shape: str, dimensions: Mapping[str, Numbers], E: Numbers,
                       density: Numbers, G: Numbers = 0.0) -> dict[str, Numbers]:
    """
    Return the PROPERTIES, a dict, of a section of one material.

    dimensions: by name, in [m], as SHAPES lists them. Without the shear modulus G the torsional
    stiffness is zero. A slice of the beam is a flat body: its inertia about y is
    density I_y, about z density I_z, about x their sum.
    """
    A, I_y, I_z, J = section_of(shape, dimensions)
    return {
        'mass_per_length': density * A,
        'EI_y': E * I_y,
        'EI_z': E * I_z,
        'GJ': G * J,
        'EA': E * A,
        'polar_inertia_per_length': density * (I_y + I_z),
        'rotary_inertia_y_per_length': density * I_y,
        'rotary_inertia_z_per_length': density * I_z,
    }


def _text(values: Numbers) -> str:
    return ' ... '.join(f'{value:g}' for value in sorted({np.min(values), np.max(values)}))
