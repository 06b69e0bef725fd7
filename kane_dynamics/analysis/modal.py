# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Vibration: natural frequencies and mode shapes at a pose, and whether motion leaves them stable.

    M d'' + K d = 0,    K = d tau / d q at rest

K holds the springs of the modes, and what weight does: a link that carries more than its buckling
load has no frequency but falls over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
import warnings

import numpy as np
from scipy.linalg import eig, eigh

from kane_dynamics.analysis.linearize import small_motions
from kane_dynamics.analysis.static_sag import posed
from kane_dynamics.exceptions import InputError, KaneDynamicsWarning

JOINTS = ('locked', 'free')
GROWS = 1e-9       # of the largest eigenvalue: a real part above it is growth, not round-off


@dataclass(frozen=True, eq=False)
class Vibration:
    """The vibrations of an arm about a pose, lowest first."""

    q: np.ndarray               # (nq,) the pose
    joints: str                 # 'locked' or 'free'
    squares: np.ndarray         # (n,) omega^2 [rad^2/s^2]; negative: falls away, no vibration
    shapes: np.ndarray          # (nv, n) columns, of unit modal mass
    damping_ratios: np.ndarray  # (n,)

    @property
    def frequencies(self):
        """Return the frequencies [Hz], NaN for what does not vibrate."""
        squares = np.where(self.squares >= 0.0, self.squares, np.nan)
        return np.sqrt(squares) / (2 * np.pi)


def vibration(dyn, q=None, joints='locked'):
    """Return the Vibration of an arm about a pose.

    q: (nq,), or the joints only, the links then sag; neutral if None.
    joints: 'locked' (held by brakes or stiff controllers) or 'free' (torques constant). There are
    n_modes vibrations in both cases: of the free arm the lowest nv - n_modes, which are motions
    of the joints, are left out.
    """
    if joints not in JOINTS:
        raise InputError(f'joints {joints!r} is unknown; there are {list(JOINTS)}')
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


def natural_frequencies(dyn, q=None, joints='locked'):
    """Return the natural frequencies at a pose (n_modes,) [Hz], ascending; see `vibration`.

    A link that buckles under its load has NaN in place of a frequency, and a warning.
    """
    found = vibration(dyn, q, joints).frequencies
    if np.isnan(found).any():
        warnings.warn(f'{dyn.robot.name!r} is not stable at this pose: {np.isnan(found).sum()} of '
                      f'{len(found)} elastic modes fall away under the load', KaneDynamicsWarning,
                      stacklevel=2)
    return found


class MovingModes(NamedTuple):
    """The elastic modes while the joints follow a given motion, frozen at one moment."""

    stiffness: np.ndarray      # (n_modes, n_modes) effective: springs, spin, acceleration, weight
    eigenvalues: np.ndarray    # (2 n_modes,) complex [1/s] of M e'' + D e' + K e = 0
    stable: bool               # stiffness positive definite and nothing grows

    @property
    def frequencies(self):
        """Return the frequencies [Hz] of what oscillates, ascending."""
        return np.sort(self.eigenvalues.imag[self.eigenvalues.imag > 0.0]) / (2 * np.pi)


def moving_modes(dyn, q, qd, qdd=None):
    """Return the MovingModes at q (nq,), qd (nv,), qdd (nv,): stable or not under this motion.

    A spinning link stiffens, one that is pushed along its axis softens and buckles in the end
    (Padilla 1989, section 3.3). Joints follow their motion exactly.
    """
    n = dyn.robot.n_modes
    if n == 0:
        raise InputError(f'{dyn.robot.name!r} has no elastic modes')
    first = dyn.robot.nv - n
    M, damping, K = (matrix[first:, first:] for matrix in small_motions(
        dyn, np.asarray(q, dtype=float), qd, qdd))
    inverse = np.linalg.inv(M)
    rates = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ K, -inverse @ damping]])
    eigenvalues = eig(rates, right=False)
    stiff = np.linalg.eigvalsh((K + K.T) / 2)[0] > 0.0
    grows = eigenvalues.real.max() > GROWS * abs(eigenvalues).max()
    return MovingModes(K, eigenvalues, bool(stiff and not grows))
