# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Base parameters: inertia that a joint cannot feel moves to its parent, torques stay the same.

Mass on the axis of a revolute joint moves as if it belonged to the parent, so (m, h_z, S_zz) go
there exactly; a slider never turns against its parent, so its whole S goes (Gautier and Khalil
1990, in the mass moments of `model/tree.py`). The result is a base-parameter set: right for
torques and M, but not a physical body. Do not show it, check it or compute energies with it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kane_dynamics.model.structure.tree import moved, Tree
from kane_dynamics.numerics.array_types import FloatArray


def lump(tree: Tree) -> Tree:
    """Return the tree with base parameters in place of physical mass moments."""
    m = [body.m for body in tree.bodies]
    h = [body.h.copy() for body in tree.bodies]
    S = [body.S.copy() for body in tree.bodies]
    # of each body, the largest moments that were added to it: they set the size of its round-off
    scales = [[np.abs(body.h).max(), np.abs(body.S).max()] for body in tree.bodies]
    for i in reversed(range(len(tree.bodies))):
        body = tree.bodies[i]
        if body.kind not in ('revolute', 'prismatic'):
            continue
        m_up, h_up, S_up = 0.0, np.zeros(3), np.zeros((3, 3))
        if body.kind == 'revolute':
            m_up, h_up[2], S_up[2, 2] = m[i], h[i][2], S[i][2, 2]
            m[i], h[i][2], S[i][2, 2] = 0.0, 0.0, 0.0
            p = body.p
        else:
            S_up, S[i] = S[i], np.zeros((3, 3))
            p = np.zeros(3)
        if body.parent >= 0:
            m_add, h_add, S_add = moved(m_up, h_up, S_up, body.C, p)
            m[body.parent] += m_add
            h[body.parent] += h_add
            S[body.parent] += S_add
            scales[body.parent] = [max(pair) for pair in zip(
                scales[body.parent], (np.abs(h_add).max(), np.abs(S_add).max()))]
    bodies = tuple(
        replace(body, m=m[i], h=_without_round_off(h[i], scales[i][0]),
                S=_without_round_off(S[i], scales[i][1])) for i, body in enumerate(tree.bodies))
    return replace(tree, bodies=bodies)


def _without_round_off(moments: FloatArray, scale: float) -> FloatArray:
    """Return moments with entries at round-off of the largest one set to zero."""
    return np.where(np.abs(moments) < 1e-15 * scale, 0.0, moments)
