# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The two speeds that shape friction, chosen from a few by how well each explains the data.

They enter the torque nonlinearly, so every pair on a grid is tried by least squares, joint by
joint, on what the URDF's model leaves unexplained.
"""

from __future__ import annotations

import numpy as np

# v_0 [rad/s or m/s]; beyond these Coulomb friction could not be told from viscous
SMOOTHING = (0.001, 0.003, 0.01, 0.03)
STRIBECK = (0.02, 0.05, 0.1, 0.2, 0.5)   # v_s [rad/s or m/s]


class FrictionSpeeds:
    """Gather small normal equations for all pairs of speeds; then choose.

    smoothing: the candidates for v_0; stribeck: those for v_s, empty where there is no such term.
    """

    def __init__(self, n, smoothing=SMOOTHING, stribeck=STRIBECK):
        self._n, self._smoothing, self._stribeck = n, tuple(smoothing), tuple(stribeck)
        width = 3 + len(self._smoothing) * (1 + len(self._stribeck))
        self._G, self._g = np.zeros((n, width, width)), np.zeros((n, width))
        self._yy = np.zeros(n)
        self.count = 0

    def add(self, qd, qdd, unexplained):
        """Take a block: speeds, accelerations and what the arm's model leaves, each (N, n)."""
        columns = [qd, qdd, np.ones_like(qd)]
        for v_0 in self._smoothing:
            sign = qd / np.sqrt(qd * qd + v_0**2)
            columns += [sign, *(sign / (1.0 + (qd / v_s)**2) for v_s in self._stribeck)]
        X = np.stack(columns, axis=2).transpose(1, 0, 2)          # (n, N, columns)
        y = unexplained.T
        self._G += X.transpose(0, 2, 1) @ X
        self._g += np.einsum('jnk,jn->jk', X, y)
        self._yy += np.einsum('jn,jn->j', y, y)
        self.count += len(qd)

    def choose(self):
        """Return v_0 and v_s (n,) of the smallest sums of squares; all joints share v_0."""
        step = 1 + len(self._stribeck)
        costs = np.zeros((len(self._smoothing), max(len(self._stribeck), 1), self._n))
        for k in range(len(self._smoothing)):
            sign = 3 + k * step
            for m in range(costs.shape[1]):
                chosen = [0, 1, 2, sign] + ([sign + 1 + m] if self._stribeck else [])
                costs[k, m] = [self._left(j, chosen) for j in range(self._n)]
        best = costs.min(axis=1)                                   # (v_0, n)
        # the product of variances, so that no joint counts more for having larger torques
        k = int(np.argmin(np.log(best).sum(axis=1)))
        if not self._stribeck:
            return self._smoothing[k], np.full(self._n, STRIBECK[2])
        return self._smoothing[k], np.array(self._stribeck)[costs[k].argmin(axis=0)]

    def _left(self, j, chosen):
        G, g = self._G[j][np.ix_(chosen, chosen)], self._g[j][chosen]
        scale = 1.0 / np.sqrt(np.maximum(np.diag(G), 1e-300))
        found = np.linalg.lstsq(G * np.outer(scale, scale), scale * g, rcond=1e-12)[0]
        if len(chosen) == 5 and found[4] < 0.0:     # friction that falls toward rest is none
            return self._left(j, chosen[:4])
        least = 1e-12 * max(self._yy[j], 1e-300)
        return max(self._yy[j] - found @ (scale * g), least)
