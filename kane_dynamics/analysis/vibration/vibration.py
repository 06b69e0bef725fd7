# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Vibration: natural frequencies and mode shapes, and the stability of modes in motion.

    M d'' + K d = 0,    K = d tau / d q at rest

K contains the springs of the modes and the effect of weight: a link that carries more than its
buckling load has no frequency.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args, Literal, NamedTuple, TYPE_CHECKING, TypeAlias
import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig, eigh

from kane_dynamics.analysis.vibration.linearize import small_motions
from kane_dynamics.analysis.vibration.static_sag import posed
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics

ComplexArray: TypeAlias = NDArray[np.complex128]
Joints: TypeAlias = Literal['locked', 'free']
JOINTS: tuple[Joints, ...] = get_args(Joints)
GROWS = 1e-9       # fraction of the largest eigenvalue: a real part above it is no round-off


@dataclass(frozen=True, eq=False)
class Vibration:
    """Small vibrations of an arm at a configuration, lowest first."""

    q: FloatArray               # (nq,) the configuration
    joints: Joints
    squares: FloatArray         # (n,) omega^2 [rad^2/s^2]; negative: unstable, no vibration
    shapes: FloatArray          # (nv, n) columns, of unit modal mass
    damping_ratios: FloatArray  # (n,)

    @property
    def frequencies(self) -> FloatArray:
        """Return the frequency of each mode (n,) [Hz], NaN for unstable ones."""
        squares = np.where(self.squares >= 0.0, self.squares, np.nan)
        return np.sqrt(squares) / (2 * np.pi)


def vibration(dyn: Dynamics, q: ArrayLike | None = None,
              joints: Joints = 'locked') -> Vibration:
    """Return the Vibration of an arm about a configuration.

    q: (nq,), or the joints only, the links then sag; neutral if None.
    joints: 'locked' (held by brakes or stiff controllers) or 'free' (constant torques). There are
    n_modes vibrations in both cases: the lowest nv - n_modes of the free arm, which are motions of
    the joints, are left out.
    """
    if joints not in JOINTS:
        raise InputError(f'joints {joints!r} is unknown; expected one of {list(JOINTS)}')
    robot = dyn.robot
    q = posed(dyn, q)
    M, damping, K = small_motions(dyn, q)
    moving = robot.nv - robot.n_modes
    first = moving if joints == 'locked' else 0
    M, damping, K = (matrix[first:, first:] for matrix in (M, damping, (K + K.T) / 2))
    if robot.n_modes == 0:
        return Vibration(q, joints, np.zeros(0), np.zeros((robot.nv, 0)), np.zeros(0))
    squares, vectors = eigh(K, M)
    squares, vectors = squares[moving - first:], vectors[:, moving - first:]
    shapes = np.vstack([np.zeros((first, robot.n_modes)), vectors])
    modal_damping = np.einsum('ik,ij,jk->k', vectors, damping, vectors)
    ratios = modal_damping / (2 * np.sqrt(np.where(squares > 0.0, squares, np.nan)))
    return Vibration(q, joints, squares, shapes, ratios)


def natural_frequencies(dyn: Dynamics, q: ArrayLike | None = None,
                        joints: Joints = 'locked') -> FloatArray:
    """Return the natural frequencies (n_modes,) [Hz], ascending; see `vibration`.

    A link that buckles under its load has NaN instead of a frequency, and causes a warning.
    """
    found = vibration(dyn, q, joints).frequencies
    if np.isnan(found).any():
        warnings.warn(f'{dyn.robot.name!r} is not stable in this configuration: '
                      f'{np.isnan(found).sum()} of {len(found)} elastic modes buckle under the '
                      'load', KaneDynamicsWarning, stacklevel=2)
    return found


class MovingModes(NamedTuple):
    """The elastic modes while the joints follow a given motion, at one instant."""

    stiffness: FloatArray      # (n_modes, n_modes) effective: springs, spin, acceleration, weight
    eigenvalues: ComplexArray  # (2 n_modes,) complex [1/s] of M e'' + D e' + K e = 0
    stable: bool               # positive definite stiffness and no growing mode

    @property
    def frequencies(self) -> FloatArray:
        """Return the frequencies [Hz] of the oscillating modes, ascending."""
        return np.sort(self.eigenvalues.imag[self.eigenvalues.imag > 0.0]) / (2 * np.pi)


def moving_modes(dyn: Dynamics, q: ArrayLike, qd: ArrayLike,
                 qdd: ArrayLike | None = None) -> MovingModes:
    """Return the MovingModes at q (nq,), qd (nv,), qdd (nv,); joints follow their motion exactly.

    A spinning link stiffens; one that is pushed along its axis softens and finally buckles
    (Padilla 1989, section 3.3).
    """
    n = dyn.robot.n_modes
    if n == 0:
        raise InputError(f'{dyn.robot.name!r} has no elastic modes')
    first = dyn.robot.nv - n
    M, damping, K = (matrix[first:, first:] for matrix in small_motions(
        dyn, np.asarray(q, dtype=float), qd, qdd))
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ K, -inverse @ damping]])
    eigenvalues = eig(A, right=False)
    stiff = np.linalg.eigvalsh((K + K.T) / 2)[0] > 0.0
    grows = eigenvalues.real.max() > GROWS * abs(eigenvalues).max()
    return MovingModes(K, eigenvalues, bool(stiff and not grows))
