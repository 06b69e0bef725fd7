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


def fastest_decay(dyn, q):
    """Return the fastest rate at which the damping of springs alone slows the arm at q [1/s]."""
    D = np.zeros(dyn.robot.nv)
    for spring in tree_of(dyn.robot).springs:
        D[spring.u_index] += spring.damping
    root = np.linalg.solve(np.linalg.cholesky(dyn.mass_matrix(q)), np.diag(np.sqrt(D)))
    return float(np.linalg.norm(root, 2)**2)


def require_stable(dyn, q, dt, method, more=None):
    """Refuse steps dt [s] of an explicit method that the fastest mode at q makes unstable.

    q: (nq,), or rows of it: the worst counts. more(limit): advice for the limit [s].
    """
    limit = LIMITS.get(method)
    if limit is None or not dyn.robot.n_modes:
        return
    poses = np.atleast_2d(q)
    mode = max(fastest_mode(dyn, each) for each in poses)
    decay = max(fastest_decay(dyn, each) for each in poses)
    speed = max(mode, decay)
    if dt * speed > limit:
        what = (f'fastest elastic mode of {dyn.robot.name!r}, {mode / (2 * np.pi):.4g} Hz with '
                'free joints' if mode >= decay else
                f'damping of what bends in {dyn.robot.name!r}, {decay:.4g} 1/s')
        raise InputError(
            f'{method}: dt = {dt:g} s is too long for the {what}; at most '
            f"{limit / speed:.2g} s{more(limit / speed) if more else ''}, or method='midpoint' or "
            "'generalized_alpha', which are stable at any dt")
