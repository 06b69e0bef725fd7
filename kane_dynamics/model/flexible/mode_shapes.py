# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Mode shapes of a clamped beam in four families: two bending planes, torsion, stretch.

Three kinds of shapes:

- `tip_loaded`: eigenmodes of the cantilever that carries the bodies outboard of it. Two of these
  per plane are more accurate than six clamped-free ones, and the mass matrix is conditioned far
  better.
- `clamped_free`: eigenmodes of the bare cantilever (Padilla 1989).
- `craig_bampton`: static shapes of tip force and moment, then modes with the tip held too (Craig
  and Bampton 1968): exact in statics for any tip load.

The first two may be computed for a spinning link. Centrifugal tension straightens the shapes
except near the clamp, and modes at rest converge slowly to that: six of them have an error of
1.2e-3 in the first in-plane frequency at gamma = Omega sqrt(m L^4 / EI) = 12, five that are
computed for gamma = 8 one of 7e-4.

The modal coordinates are strain coordinates: curvature and stretch are exactly linear in them, so
the strain energy is exactly 1/2 eta' K eta, with K diagonal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args, Literal, NamedTuple

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.flexible.beam import Beam, gauss_points
from kane_dynamics.model.flexible.finite_elements import (
    assemble, BENDING, CLAMPED, ElementKind, interpolation, ROD, unknowns)
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

ShapeKind = Literal['tip_loaded', 'clamped_free', 'craig_bampton']
SHAPE_KINDS: tuple[ShapeKind, ...] = get_args(ShapeKind)
MIN_ELEMENTS = 48        # first modes to 1e-8, the fourth to 4e-6 in its frequency squared
ELEMENTS_PER_MODE = 16
MOST_ITERATIONS = 200
SETTLED = 1e-14          # relative residual of a converged eigenvector
NO_INERTIA = 1e-12       # (omega_1 / omega_n)^2 below which mode n is round-off


class Family(NamedTuple):
    """A family of modes: its finite elements, and the names of its stiffness and inertia."""

    kind: ElementKind
    stiffness: str
    inertia: str
    rotary: str | None
    axis: int            # of the displacement (bending, stretch) or the rotation (torsion)


FAMILIES = {
    'bend_y': Family(BENDING, 'EI_z', 'mass_per_length', 'rotary_inertia_z_per_length', 1),
    'bend_z': Family(BENDING, 'EI_y', 'mass_per_length', 'rotary_inertia_y_per_length', 2),
    'torsion': Family(ROD, 'GJ', 'polar_inertia_per_length', None, 0),
    'stretch': Family(ROD, 'EA', 'mass_per_length', None, 0),
}


class Load(NamedTuple):
    """A rigid body attached to the beam at x [m]; com and inertia in beam axes."""

    x: float
    mass: float           # [kg]
    com: FloatArray       # (3,) from the point x of the axis to the mass centre [m]
    inertia: FloatArray   # (3, 3) about the mass centre [kg m^2]

    def block(self, family: str) -> FloatArray:
        """Return its mass matrix on (v, v') in bending (2, 2), else on one value (1, 1)."""
        (cx, cy, cz), m = self.com, self.mass
        if family == 'bend_y':
            return np.array([[m, m*cx], [m*cx, self.inertia[2, 2] + m*(cx**2 + cy**2)]])
        if family == 'bend_z':
            return np.array([[m, m*cx], [m*cx, self.inertia[1, 1] + m*(cx**2 + cz**2)]])
        if family == 'torsion':
            return np.array([[self.inertia[0, 0] + m*(cy**2 + cz**2)]])
        return np.array([[m]])


class Fields(NamedTuple):
    """Deformation per unit of each mode, at points along the beam, in beam axes."""

    displacement: FloatArray   # (points, 3, nm)
    rotation: FloatArray       # (points, 3, nm)  psi = (phi, -w', v')
    curvature: FloatArray      # (points, 3, nm)  kappa = psi'
    strain: FloatArray         # (points, nm)     eps = e'


@dataclass(frozen=True, eq=False)
class Modes:
    """The chosen shapes of one beam, family after family, with their modal constants."""

    beam: Beam
    edges: FloatArray            # (elements + 1,) [m]
    families: tuple[str, ...]    # of each mode
    names: tuple[str, ...]       # 'bend_y_1', ...
    dofs: tuple[FloatArray, ...]  # finite-element values of each mode
    stiffness: FloatArray        # (nm,) the diagonal of K
    mass: FloatArray             # (nm,) modal mass of the beam alone
    loaded_mass: FloatArray      # (nm,) with the loads
    kind: ShapeKind

    @property
    def count(self) -> int:
        """Return the number of modes."""
        return len(self.names)

    @property
    def reference_mass(self) -> FloatArray:
        """
        Return the modal mass that damping ratios and link frequencies refer to (nm,).

        It is that of the beam alone for clamped-free modes (Padilla 1989), else with the loads:
        without them the damping ratio of the loaded mode would be far too small.
        """
        return self.mass if self.kind == 'clamped_free' else self.loaded_mass

    @property
    def frequencies(self) -> FloatArray:
        """Return the frequencies of the clamped link (nm,) [rad/s]."""
        return np.sqrt(self.stiffness / self.reference_mass)

    @cached_property
    def sizes(self) -> FloatArray:
        """Return the largest rotation or strain of each mode (nm,): the scale of its constants."""
        fields = self.fields(self.edges)
        sizes: FloatArray = (abs(fields.rotation).max((0, 1), initial=0.0)
                             + abs(fields.strain).max(0, initial=0.0))
        return sizes

    def fields(self, x: ArrayLike) -> Fields:
        """Return the Fields at x (points,) [m]; components outside a family are exactly zero."""
        x = np.atleast_1d(np.asarray(x, dtype=float))
        u, psi, kappa = (np.zeros((len(x), 3, self.count)) for _ in range(3))
        eps = np.zeros((len(x), self.count))
        kinds = {FAMILIES[family].kind for family in self.families}
        N = {(kind, d): interpolation(kind, self.edges, x, d) for kind in kinds for d in range(3)}
        for i, (family, dofs) in enumerate(zip(self.families, self.dofs)):
            value, slope, second = (N[FAMILIES[family].kind, d] @ dofs for d in range(3))
            if family == 'bend_y':
                u[:, 1, i], psi[:, 2, i], kappa[:, 2, i] = value, slope, second
            elif family == 'bend_z':
                u[:, 2, i], psi[:, 1, i], kappa[:, 1, i] = value, -slope, -second
            elif family == 'torsion':
                psi[:, 0, i], kappa[:, 0, i] = value, slope
            else:
                u[:, 0, i], eps[:, i] = value, slope
        return Fields(u, psi, kappa, eps)


class Spin(NamedTuple):
    """The rotation that bending shapes are computed for, about an axis normal to the beam."""

    speed: float = 0.0     # [rad/s]
    radius: float = 0.0    # from the axis to the clamped root, along the beam [m]


def mode_shapes(beam: Beam, counts: Mapping[str, int], kind: ShapeKind = 'tip_loaded',
                loads: Sequence[Load] = (), elements: int | None = None,
                spin: Spin = Spin()) -> Modes:
    """
    Return the Modes of a clamped beam.

    counts: modes per family, e.g. {'bend_y': 2, 'torsion': 1}; loads: the Load bodies it carries
    at the reference pose. That pose and the spin only choose the shapes: the equations of motion
    use the actual pose and speed.
    """
    if kind not in SHAPE_KINDS:
        raise ModelError(f'unknown mode shapes {kind!r}; known: {", ".join(SHAPE_KINDS)}')
    if spin.speed and kind == 'craig_bampton':
        raise ModelError('spin is for tip_loaded and clamped_free shapes; those of craig_bampton '
                         'are static')
    for family in counts:
        if family not in FAMILIES:
            raise ModelError(f'unknown mode family {family!r}; known: {", ".join(FAMILIES)}')
    most = max(counts.values(), default=0)
    edges = beam.mesh(elements or max(MIN_ELEMENTS, ELEMENTS_PER_MODE * most))
    found: list[_Mode] = []
    for family in FAMILIES:
        found += _family_modes(beam, edges, family, counts.get(family, 0), kind, loads, spin)
    return Modes(beam, edges, tuple(mode.family for mode in found),
                 tuple(mode.name for mode in found), tuple(mode.dofs for mode in found),
                 np.array([mode.stiffness for mode in found]),
                 np.array([mode.mass for mode in found]),
                 np.array([mode.loaded_mass for mode in found]), kind)


def family_matrices(
        beam: Beam, edges: FloatArray, family: str,
        loads: Sequence[Load] = ()) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return K, M and M with the loads, of the free unknowns of one family."""
    kind, stiffness, inertia, rotary, _ = FAMILIES[family]
    K = assemble(kind, edges, lambda x: beam.at(x)[stiffness], 2 if kind == BENDING else 1)
    M = assemble(kind, edges, lambda x: beam.at(x)[inertia], 0)
    if rotary:
        M += assemble(kind, edges, lambda x: beam.at(x)[rotary], 1)
    loaded = M.copy()
    for load in loads:
        N = np.vstack([interpolation(kind, edges, load.x, d)[:, CLAMPED[kind]:]
                       for d in ((0, 1) if kind == BENDING else (0,))])
        loaded += N.T @ load.block(family) @ N
    return K, M, loaded


class _Mode(NamedTuple):
    family: str
    name: str
    dofs: FloatArray
    stiffness: float
    mass: float
    loaded_mass: float


def _family_modes(beam: Beam, edges: FloatArray, family: str, count: int, kind: ShapeKind,
                  loads: Sequence[Load], spin: Spin) -> list[_Mode]:
    if count == 0:
        return []
    element, stiffness = FAMILIES[family].kind, FAMILIES[family].stiffness
    if not beam.at(beam.stations)[stiffness].any():
        raise ModelError(f'{family}="{count}" needs {stiffness} of the beam, which is not given')
    K, M, loaded = family_matrices(beam, edges, family, loads)
    if count > len(K):
        raise ModelError(f'{family}="{count}": the mesh has {len(K)} unknowns only')
    bare = kind == 'clamped_free'
    mass, carried = M if bare else loaded, () if bare else loads
    basis = None
    if kind == 'craig_bampton':
        basis = _static_and_fixed(K, M, count, tip=2 if element == BENDING else 1)
    elif spin.speed and element == BENDING:
        K_g = assemble(element, edges, lambda x: _tension(beam, edges, carried, spin, x), 1)
        basis = _lowest(K + K_g, mass, count, family)
    if basis is None:
        vectors = _lowest(K, mass, count, family)
    else:                          # the same shapes, combined so that K is diagonal
        vectors = basis @ _lowest(basis.T @ K @ basis, basis.T @ mass @ basis, count, family)
    found = []
    for k, vector in enumerate(vectors.T):
        values = vector[0::2] if element == BENDING else vector   # without the Hermite slopes
        largest = values[np.argmax(abs(values))]
        # The largest displacement (or rotation) is 1, positive at the tip. With unit displacement
        # of the tip, a mode that hardly moves a heavy tip would have slopes of 1e3.
        vector = vector / (largest if values[-1] * largest >= 0.0 else -largest)
        dofs = np.concatenate([np.zeros(unknowns(element, edges) - len(vector)), vector])
        found.append(_Mode(family, f'{family}_{k + 1}', dofs, float(vector @ K @ vector),
                           float(vector @ M @ vector), float(vector @ loaded @ vector)))
    return found


def _tension(beam: Beam, edges: FloatArray, loads: Sequence[Load], spin: Spin,
             x: FloatArray) -> FloatArray:
    # T(x) = Omega^2 (int_x^L m (r + s) ds + sum of m_k (r + x_k + c_k) of the bodies beyond x)
    ends = np.union1d(edges, x)
    s, w = gauss_points(ends)
    pieces = (w * beam.at(s)['mass_per_length'] * (spin.radius + s)).sum(axis=-1)
    pull = np.append(np.cumsum(pieces[::-1])[::-1], 0.0)[np.searchsorted(ends, x)]
    for load in loads:
        pull += np.where(x < load.x, load.mass * (spin.radius + load.x + load.com[0]), 0.0)
    return spin.speed**2 * pull


def _lowest(K: FloatArray, M: FloatArray, count: int, family: str) -> FloatArray:
    # M v = mu K v with mu = 1 / omega^2: K is definite where M may not be (a massless beam).
    try:
        mu, vectors = _eigen(M, K, count)
    except np.linalg.LinAlgError:
        raise ModelError(f'{family}: the beam has no stiffness somewhere along it') from None
    if mu[0] <= NO_INERTIA * mu[-1] or mu[-1] <= 0.0:
        able = int((mu > NO_INERTIA * mu[-1]).sum()) if mu[-1] > 0.0 else 0
        raise ModelError(
            f'{family}="{count}": only {able} of these modes have inertia, on the beam '
            f'({FAMILIES[family].inertia}) or outboard of it; ask for {able}, or give the inertia')
    return vectors[:, ::-1]


def _eigen(M: FloatArray, K: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """
    Return the `count` largest mu, ascending, and the vectors of M v = mu K v.

    Computed by subspace iteration (Bathe 1971) on L^-1 M L'^-1, K = L L': a few products with thin
    matrices. A full decomposition computes a hundred vectors where two are needed, and on a busy
    processor its threads take a hundred times as long as its arithmetic.
    """
    L = np.linalg.cholesky(K)
    C = np.linalg.solve(L, np.linalg.solve(L, M).T)
    C = (C + C.T) / 2
    X = np.random.default_rng(0).normal(size=(len(C), min(len(C), 2 * count + 8)))
    for _ in range(MOST_ITERATIONS):
        X, _ = np.linalg.qr(C @ X)
        image = C @ X
        mu, V = np.linalg.eigh(X.T @ image)
        X, image = X @ V, image @ V
        error = abs(image - X * mu)[:, -count:].max(axis=0)
        if (error <= SETTLED * mu[-count:] + 1e-16 * mu[-1]).all():
            break
    return mu[-count:], np.linalg.solve(L.T, X[:, -count:])


def _static_and_fixed(K: FloatArray, M: FloatArray, count: int, tip: int) -> FloatArray:
    # Columns: deflection under unit tip force and moment, then modes with the tip clamped as well.
    static = np.linalg.solve(K, np.eye(len(K))[:, -tip:])
    columns = static[:, :count]
    if count > tip:
        inner = _eigen(M[:-tip, :-tip], K[:-tip, :-tip], count - tip)[1][:, ::-1]
        columns = np.hstack([columns, np.vstack([inner, np.zeros((tip, count - tip))])])
    scaled: FloatArray = columns / abs(columns).max(0)
    return scaled
