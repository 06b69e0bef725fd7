# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The models of Padilla 1989, for comparison: truncated to first order in the deflections.

In the thesis partial velocities and accelerations are linearized in the modal coordinates, and of
F_r + F_r* only terms up to first order in (eta, eta', eta'') are kept (sections 2.3, 2.4). That is
the linear Taylor polynomial of Kane's equations at the undeformed link, so it is asked of the same
`kane` on dual numbers: eta = 0 + eta e, and the result is value + slope.

`consistent` keeps the foreshortening of the beam, `inconsistent` does not (the kinematics of its
links are of level 0). Products eta eta'' are dropped: in M, deflections multiply the accelerations
of joints but not those of modes. M is therefore not symmetric, and that, not its conditioning,
made the thesis's runs fail: it feeds energy into the fast modes.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.kane.dual import Dual
from kane_dynamics.kane.equations import kane
from kane_dynamics.kane.mass import mass_matrix

FIRST_ORDER = ('consistent', 'inconsistent')


def first_order_speeds(tree):
    """Return the generalized speeds of all modes that are taken to first order only."""
    return {body.modes_u + k for body in tree.bodies
            if body.flexible is not None and body.flexible.model in FIRST_ORDER
            for k in range(body.flexible.n_modes)}


def first_order_kane(tree, q, u, ud, gravity, **motion):
    """Return what `kane` returns, truncated."""
    small, shift = first_order_speeds(tree), tree.nq - tree.nv
    tau, pairs = kane(tree, _small(q, {k + shift for k in small}), _small(u, small),
                      _small(ud, small), gravity, **motion)
    return ([_sum(value) for value in tau],
            [tuple(np.array([_sum(value) for value in part]) for part in pair) for pair in pairs])


def first_order_mass_matrix(tree, q):
    """Return M truncated: a mode's column holds no deflection. It is not symmetric."""
    small, shift = first_order_speeds(tree), tree.nq - tree.nv
    M = mass_matrix(tree, _small(q, {k + shift for k in small}))
    return [[_value(entry) if column in small else _sum(entry)
             for column, entry in enumerate(row)] for row in M]


def _small(values, which):
    return [Dual(0.0, value) if k in which else value for k, value in enumerate(values)]


def _value(x):
    return x.value if isinstance(x, Dual) else x


def _sum(x):
    return x.value + x.slope if isinstance(x, Dual) else x
