# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How long a step of an explicit method may be on a flexible arm: its fastest mode decides."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.model.assembly import tree_of

# times omega_max; rk4 is stable up to 2.83, semi-implicit Euler up to 2: a little is left for
# poses with higher frequencies than the one looked at
LIMITS = {'rk4': 2.5, 'semi_implicit': 1.8}


def fastest_mode(dyn, q):
    """Return the highest frequency of the arm with free joints at q (nq,) [rad/s]; 0 if rigid.

    Free joints, not clamped links: these swing up to half as fast again.
    """
    springs = tree_of(dyn.robot).springs
    if not springs:
        return 0.0
    K = np.zeros(dyn.robot.nv)
    for spring in springs:
        K[spring.u_index] += spring.stiffness
    L = np.linalg.cholesky(dyn.mass_matrix(q))
    root = np.linalg.solve(L, np.diag(np.sqrt(K)))
    return float(np.linalg.norm(root, 2))


def require_stable(dyn, q, dt, method, more=None):
    """Refuse steps dt [s] of an explicit method that the fastest mode at q makes unstable.

    q: (nq,), or rows of it: the worst counts. more(limit): advice for the limit [s].
    """
    limit = LIMITS.get(method)
    if limit is None or not dyn.robot.n_modes:
        return
    speed = max(fastest_mode(dyn, each) for each in np.atleast_2d(q))
    if dt * speed > limit:
        raise InputError(
            f'{method}: dt = {dt:g} s is too long for the fastest elastic mode of '
            f'{dyn.robot.name!r}, {speed / (2 * np.pi):.4g} Hz with free joints; at most '
            f"{limit / speed:.2g} s{more(limit / speed) if more else ''}, or method='midpoint' or "
            "'generalized_alpha', which are stable at any dt")
