# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Modal constants: displacement and rotation of a bent beam as polynomials of its modes.

The curvature kappa and the strain eps are linear in eta; the kinematics of the rod are not:

    R' = R [kappa]x,    r' = (1 + eps) R e1,    R(0) = 1, r(0) = 0.

Expanded from the root, with psi the rotation vector, order by order,

    d1' = eps e1 + psi x e1           psi1' = kappa
    d2' = R2 e1 + eps psi x e1        psi2' = 1/2 psi1 x kappa
    d3' = R3 e1 + eps R2 e1           psi3' = 1/2 psi2 x kappa + 1/12 psi1 x (psi1 x kappa)
    R2' = [psi]x [kappa]x,  R3' = R2 [kappa]x

So at a station d = Phi eta + 1/2 Gam eta eta + 1/6 Cub eta eta eta, and psi likewise with
Psi, Lam and Cubpsi. The x row of Gam is the foreshortening -int (v_i' v_j' + w_i' w_j') of Kane,
Ryan and Banerjee (1987) and Padilla (1989, eq. 2.3.4); the others describe lateral buckling and
the twist due to bending in two planes. All integrands are polynomials inside an element, so Gauss
integration from the root is exact; a sum over mass points would not be.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.flexible.beam import GAUSS_POINTS, gauss_points, legendre
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.flexible.mode_shapes import Modes

LEVELS = (0, 1, 2, 3)   # none, foreshortening only, complete second order, third order
ROUND_OFF = 1e-13       # of the product of the modes' largest rotations (times the length)


@dataclass(frozen=True, eq=False)
class Station:
    """The polynomials at one x of the beam; Cub and Cubpsi are None below level 3."""

    x: float               # [m] from the root
    Phi: FloatArray        # (3, nm)
    Psi: FloatArray        # (3, nm)
    Gam: FloatArray        # (3, nm, nm), symmetric in the last two
    Lam: FloatArray        # (3, nm, nm)
    Cub: FloatArray | None = None      # (3, nm, nm, nm), symmetric in the last three
    Cubpsi: FloatArray | None = None

    def displacement(self, eta: ArrayLike) -> FloatArray:
        """Return d (..., 3) [m] for modal coordinates eta (..., nm)."""
        return _polynomial(self.Phi, self.Gam, self.Cub, eta)

    def rotation(self, eta: ArrayLike) -> FloatArray:
        """Return the rotation vector psi (..., 3) [rad] for modal coordinates eta (..., nm)."""
        return _polynomial(self.Psi, self.Lam, self.Cubpsi, eta)


def stations(modes: Modes, x: ArrayLike, level: int = 2) -> tuple[Station, ...]:
    """Return the Station at each of x [m], in beam axes, complete to the given level."""
    if level not in LEVELS:
        raise ModelError(f'level: expected one of {LEVELS}, got {level!r}')
    x = np.atleast_1d(np.asarray(x, dtype=float))
    outside = x[(x < 0.0) | (x > modes.beam.length)]
    if len(outside):
        raise ModelError(f'station x = {outside[0]:g} m lies outside the beam, which reaches from '
                         f'0 to {modes.beam.length:g} m')
    here = modes.fields(x)
    n = modes.count
    zero = np.zeros((len(x), 3, n, n))
    Gam, Lam = zero, zero
    Cub: FloatArray | list[None] = [None] * len(x)
    Cubpsi: FloatArray | list[None] = [None] * len(x)
    if level:
        edges = np.unique(np.concatenate([modes.edges, x]))
        index = np.searchsorted(edges, x)
        tensors = _tensors(modes, edges, third=level == 3)
        length = modes.beam.length
        clean = [_without_round_off(_symmetric(tensor[index]), modes.sizes, unit)
                 for tensor, unit in zip(tensors, (length, 1.0, length, 1.0))]
        Gam, Lam = clean[:2]
        if level == 1:
            Gam[:, 1:], Lam = 0.0, zero
        if level == 3:
            Cub, Cubpsi = clean[2:]
    return tuple(Station(float(x[i]), here.displacement[i], here.rotation[i],
                         Gam[i], Lam[i], Cub[i], Cubpsi[i]) for i in range(len(x)))


def _tensors(modes: Modes, edges: FloatArray, third: bool) -> tuple[FloatArray, ...]:
    """Return d2, psi2 and, for the third order, d3, psi3 at the edges, before symmetrization."""
    points, _ = gauss_points(edges)
    fields = modes.fields(points.ravel())
    shape = points.shape
    psi, kappa, eps = (a.reshape(shape + a.shape[1:]) for a in fields[1:])
    # Indices: p panel, g point, a b c axes, i j k modes.
    psi_e1, kappa_e1 = (_skew(v)[..., :, 0, :] for v in (psi, kappa))   # v x e1
    R2, _ = _from_root(np.einsum('pgabi,pgbcj->pgacij', _skew(psi), _skew(kappa)), edges)
    _, d2 = _from_root(R2[:, :, :, 0] + np.einsum('pgai,pgj->pgaij', psi_e1, eps), edges)
    psi2, psi2_edges = _from_root(0.5 * _cross(psi, kappa), edges)
    if not third:
        return d2, psi2_edges
    R3_e1, _ = _from_root(np.einsum('pgabij,pgbk->pgaijk', R2, kappa_e1), edges)
    _, d3 = _from_root(R3_e1 + np.einsum('pgaij,pgk->pgaijk', R2[:, :, :, 0], eps), edges)
    triple = np.einsum('pgabi,pgbjk->pgaijk', _skew(psi), _cross(psi, kappa))
    psi3_rate = -0.5 * np.einsum('pgabk,pgbij->pgaijk', _skew(kappa), psi2) + triple / 12
    _, psi3 = _from_root(psi3_rate, edges)
    return d2, psi2_edges, d3, psi3


def _from_root(f: FloatArray, edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return int_0^x f dx at the Gauss points (panels, points, ...) and at the edges."""
    t, w = legendre(GAUSS_POINTS)
    # Row g integrates the interpolant of degree GAUSS_POINTS - 1 from -1 to t_g.
    powers = np.arange(GAUSS_POINTS)
    to_point = ((t[:, None] ** (powers + 1) - (-1.0) ** (powers + 1)) / (powers + 1)
                @ np.linalg.inv(t[:, None] ** powers))
    half = (np.diff(edges) / 2).reshape((-1,) + (1,) * (f.ndim - 1))
    whole = half[:, 0] * np.einsum('g,pg...->p...', w, f)
    at_edges = np.concatenate([np.zeros((1,) + f.shape[2:]), np.cumsum(whole, axis=0)])
    return at_edges[:-1, None] + half * np.einsum('gh,ph...->pg...', to_point, f), at_edges


def _skew(v: FloatArray) -> FloatArray:
    """Return [v]x (..., 3, 3, nm) of v (..., 3, nm)."""
    x, y, z = (v[..., a, :] for a in range(3))
    o = np.zeros_like(x)
    return np.stack([np.stack([o, -z, y], -2), np.stack([z, o, -x], -2), np.stack([-y, x, o], -2)],
                    -3)


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a_i x b_j (..., 3, nm, nm)."""
    return np.einsum('...abi,...bj->...aij', _skew(a), b)


def _symmetric(T: FloatArray) -> FloatArray:
    """Return the sum over all permutations of the mode indices of T (stations, 3, nm, ...)."""
    total = np.zeros_like(T)
    for order in permutations(range(T.ndim - 2)):
        total += np.transpose(T, (0, 1) + tuple(2 + i for i in order))
    return total


def _without_round_off(T: FloatArray, sizes: FloatArray, unit: float) -> FloatArray:
    """Return T with zeros where an entry is round-off of cancelling terms."""
    scale = np.array(unit)
    for _ in range(T.ndim - 2):
        scale = np.multiply.outer(scale, sizes)
    return np.where(abs(T) > ROUND_OFF * scale, T, 0.0)


def _polynomial(linear: FloatArray, quadratic: FloatArray, cubic: FloatArray | None,
                eta: ArrayLike) -> FloatArray:
    eta = np.asarray(eta, dtype=float)
    value: FloatArray = eta @ linear.T
    value = value + 0.5 * np.einsum('aij,...i,...j->...a', quadratic, eta, eta)
    if cubic is None:
        return value
    return value + np.einsum('aijk,...i,...j,...k->...a', cubic, eta, eta, eta) / 6
