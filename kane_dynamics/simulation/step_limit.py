# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Step limits of explicit methods on flexible arms, set by the fastest mode."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray

# times omega_max; rk4 is stable up to 2.83, semi-implicit Euler up to 2: the margin is for
# configurations with higher frequencies than those checked
LIMITS = {'rk4': 2.5, 'semi_implicit': 1.8}


def fastest_mode(dyn: Dynamics, q: FloatArray) -> float:
    """Return the highest frequency of the arm with free joints at q (nq,) [rad/s]; 0 if rigid.

    With free joints the links vibrate up to 50 % faster than clamped ones.
    """
    if not dyn.robot.tree.springs:
        return 0.0
    return _norm_over_mass(dyn, q, dyn.robot.tree.stiffness)    # omega_max = || L^-1 K^(1/2) ||


def fastest_decay(dyn: Dynamics, q: FloatArray) -> float:
    """Return the fastest decay rate by the damping of springs alone at q (nq,) [1/s]."""
    return _norm_over_mass(dyn, q, dyn.robot.tree.damping)**2


def _norm_over_mass(dyn: Dynamics, q: FloatArray, diagonal: FloatArray) -> float:
    """Return || L^-1 diag(diagonal)^(1/2) ||, M = L L^T."""
    M: FloatArray = dyn.mass_matrix(q)
    return float(np.linalg.norm(
        np.linalg.solve(np.linalg.cholesky(M), np.diag(np.sqrt(diagonal))), 2))


def require_stable(dyn: Dynamics, q: FloatArray, dt: float, method: str,
                   more: Callable[[float], str] | None = None) -> None:
    """Refuse steps dt [s] of an explicit method that the fastest mode at q makes unstable.

    q: (nq,), or rows of it, of which the worst counts. more(limit): advice for the limit [s].
    """
    limit = LIMITS.get(method)
    if limit is None or not dyn.robot.n_modes:
        return
    configurations = np.atleast_2d(q)
    mode = max(fastest_mode(dyn, each) for each in configurations)
    decay = max(fastest_decay(dyn, each) for each in configurations)
    speed = max(mode, decay)
    if dt * speed > limit:
        what = (f'fastest elastic mode of {dyn.robot.name!r}, {mode / (2 * np.pi):.4g} Hz with '
                'free joints' if mode >= decay else
                f'damping of the flexible parts of {dyn.robot.name!r}, {decay:.4g} 1/s')
        raise InputError(
            f'{method}: dt = {dt:g} s is too long for the {what}; at most '
            f"{limit / speed:.2g} s{more(limit / speed) if more else ''}, or method='midpoint' or "
            "'generalized_alpha', which are stable at any dt")
