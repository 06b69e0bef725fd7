# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Straight beams along x, clamped at x = 0: length, and mass and stiffness as functions of x."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.flexible.section import MATERIAL, PROPERTIES, section_properties
from kane_dynamics.model.structure.tree import MassMoments
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.validation import frozen, number

SHORTEST, LONGEST = 1e-6, 1e6   # [m]; outside of it the unit is wrong and numbers overflow
SMALLEST = 1e-30                # of a property that is not zero
GAUSS_POINTS = 8   # per panel: exact to degree 15, more than any product of three cubics here


@lru_cache
def legendre(count: int) -> tuple[FloatArray, FloatArray]:
    """Return points and weights (count,) of the Gauss-Legendre rule on -1 ... 1."""
    points, weights = np.polynomial.legendre.leggauss(count)
    return points, weights


def gauss_points(edges: FloatArray,
                 count: int = GAUSS_POINTS) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre points and weights (panels, count) between ascending edges (n,)."""
    t, w = legendre(count)
    width = np.diff(edges)[:, None]
    return edges[:-1, None] + width * (t + 1) / 2, width * w / 2


@dataclass(frozen=True, eq=False)
class Beam:
    """
    A beam whose section varies linearly between stations.

    With a `shape` the stations hold dimensions and material of that section, which vary linearly:
    a tapered tube keeps its true I ~ r^4 between two stations. Without a shape they hold the
    PROPERTIES themselves. Two stations at the same x make a step.
    """

    length: float             # [m]
    stations: FloatArray      # (n,) x from 0 to length [m]
    table: Mapping[str, FloatArray]   # name: (n,) values at the stations
    shape: str = ''           # one of SHAPES

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, 'length', number(self.length, 'length'))
        if not SHORTEST <= self.length <= LONGEST:
            raise ModelError(f'length: expected {SHORTEST:g} m ... {LONGEST:g} m, '
                             f'got {self.length:g} m')
        x = frozen(self.stations, np.shape(self.stations), 'stations')
        for value in x:
            if not 0.0 <= value <= self.length:
                raise ModelError(f'station x = {value:g} m lies outside the beam, '
                                 f'which reaches from 0 to {self.length:g} m')
        if len(x) < 2 or x[0] != 0.0 or x[-1] != self.length:
            raise ModelError(f'stations: expected the first at 0 and the last at the length '
                             f'{self.length:g} m, got {x.tolist()}')
        if np.any(np.diff(x) < 0.0) or x[1] == 0.0 or x[-2] == self.length:
            raise ModelError(f'stations: expected ascending x, steps only inside the beam; '
                             f'got {x.tolist()}')
        set_(self, 'stations', x)
        set_(self, 'table', {name: frozen(values, x.shape, name)
                             for name, values in self.table.items()})
        if not self.shape:
            for name in self.table:
                if name not in PROPERTIES:
                    raise ModelError(f'unknown property {name!r}; known: {", ".join(PROPERTIES)}')
            if 'mass_per_length' not in self.table:
                raise ModelError('mass_per_length is missing; without it the beam has no inertia')
        for name, values in self.table.items():
            unit = PROPERTIES.get(name, '')
            if values.min() < 0.0 or 0.0 < values[values > 0.0].min(initial=1.0) < SMALLEST:
                raise ModelError(f'{name}: expected at least 0 {unit} (and {SMALLEST:g} where not '
                                 f'0), got {values.min():g} {unit}')
        self.at(x)   # refuses impossible sections

    @classmethod
    def uniform(cls, length: float, **properties: float) -> Beam:
        """Return a beam of constant PROPERTIES, each a number in the unit listed there."""
        return cls._constant(length, properties)

    @classmethod
    def of_section(cls, length: float, shape: str, **dimensions_and_material: float) -> Beam:
        """Return a beam of one section along its whole length; E, density and G in SI units."""
        return cls._constant(length, dimensions_and_material, shape)

    @classmethod
    def _constant(cls, length: float, values: Mapping[str, float], shape: str = '') -> Beam:
        return cls(length, np.array([0.0, length]),
                   {name: np.full(2, number(value, name)) for name, value in values.items()},
                   shape)

    def at(self, x: ArrayLike) -> dict[str, FloatArray]:
        """Return all PROPERTIES at x [m], a dict of arrays with the shape of x."""
        x = np.asarray(x, dtype=float)
        left = np.clip(np.searchsorted(self.stations, x, side='right') - 1,
                       0, len(self.stations) - 2)
        t = (x - self.stations[left]) / (self.stations[left + 1] - self.stations[left])
        values = {name: (1 - t) * column[left] + t * column[left + 1]
                  for name, column in self.table.items()}
        if not self.shape:
            return {name: values.get(name, np.zeros_like(x)) for name in PROPERTIES}
        material = {name: values.pop(name) for name in MATERIAL if name in values}
        for name in ('E', 'density'):
            if name not in material:
                raise ModelError(f'section: {name} is missing')
        found = section_properties(self.shape, values, **material)
        return {name: np.asarray(value) for name, value in found.items()}

    def mesh(self, count: int) -> FloatArray:
        """Return the ends of about `count` elements, with a node at every station."""
        edges = [np.zeros(1)]
        for a, b in zip(self.stations[:-1], self.stations[1:]):
            if b > a:
                elements = max(1, round(count * (b - a) / self.length))
                edges.append(np.linspace(a, b, elements + 1)[1:])
        return np.concatenate(edges)

    def edges_between(self, a: float, b: float) -> FloatArray:
        """Return a, b and the stations between them: properties are smooth from edge to edge."""
        inside = self.stations[(self.stations > a) & (self.stations < b)]
        return np.unique(np.concatenate([[a], inside, [b]]))

    def moments(self, a: float = 0.0, b: float | None = None) -> MassMoments:
        """
        Return m [kg], h (3,) [kg m], S (3, 3) [kg m^2] of the piece a <= x <= b about x = 0.

        h = int r dm and S = int r r' dm; the rotary inertia I of the slices enters S as
        (tr I / 2) 1 - I.
        """
        x, w = gauss_points(self.edges_between(a, self.length if b is None else b))
        values = {name: (w * column) for name, column in self.at(x).items()}
        dm = values['mass_per_length']
        rotary = self._rotary(values).sum((0, 1))
        S = np.diag(np.trace(rotary) / 2 - np.diag(rotary))
        S[0, 0] += (dm * x**2).sum()
        return float(dm.sum()), np.array([(dm * x).sum(), 0.0, 0.0]), S

    def rotary_inertia(self, x: ArrayLike) -> FloatArray:
        """Return the inertia of a slice per length (..., 3, 3) [kg m] at x, in beam axes."""
        return self._rotary(self.at(x))

    @staticmethod
    def _rotary(values: Mapping[str, FloatArray]) -> FloatArray:
        diagonal = np.stack([values['polar_inertia_per_length'],
                             values['rotary_inertia_y_per_length'],
                             values['rotary_inertia_z_per_length']], axis=-1)
        return diagonal[..., None] * np.eye(3)

    def compliance(self, name: str, a: float, b: float) -> float:
        """Return int_a^b dx / property: the compliance of a piece, [rad/(N m)] for EI and GJ."""
        x, w = gauss_points(self.edges_between(a, b))
        return float((w / self.at(x)[name]).sum())

    def mass_points(self, count: int) -> tuple[FloatArray, FloatArray]:
        """
        Return x and mass, each (count,): the Gauss rule whose weight is the mass per length.

        The points have the mass, mass centre and inertia of the beam exactly (count >= 2) and
        integrate polynomials up to degree 2 count - 1 over the mass, with steps and tapers; a
        uniform beam gives Gauss-Legendre. Computed by Lanczos' recursion on a fine rule (Golub and
        Welsch 1969, Gautschi 2004), reorthogonalized twice. A massless beam has no points.
        """
        x, w = gauss_points(self.mesh(64))
        dm = (w * self.at(x)['mass_per_length']).ravel()
        x = x.ravel() / self.length
        if dm.sum() == 0.0:
            return np.zeros(0), np.zeros(0)
        basis = np.zeros((count, len(x)))
        jacobi = np.zeros((count, count))
        vector = np.sqrt(dm / dm.sum())
        for k in range(count):
            basis[k] = vector
            vector = x * vector
            jacobi[k, k] = basis[k] @ vector
            for _ in range(2):
                vector = vector - basis[:k + 1].T @ (basis[:k + 1] @ vector)
            size = np.linalg.norm(vector)
            if k + 1 < count:
                jacobi[k, k + 1] = jacobi[k + 1, k] = size
            vector = vector / size
        nodes, vectors = np.linalg.eigh(jacobi)
        return self.length * nodes, dm.sum() * vectors[0]**2
