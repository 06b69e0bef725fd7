# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Causes of a model's error: the fraction of it that follows velocity, acceleration or load.

The error e = measured - model of each joint is regressed on functions of its own motion, one set
of functions per cause. The fraction that a cause explains is 1 - |residual|^2 / |e|^2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from kane_dynamics.dynamics.friction import smooth_modulus, smooth_sign
from kane_dynamics.numerics.array_types import FloatArray

Cause: TypeAlias = Literal['friction', 'rotor inertia', 'offset', 'scale', 'load']

# functions of a joint's motion, in this order: sign of velocity, velocity, acceleration, one,
# torque of the model, its modulus times the sign of velocity
COLUMNS: dict[Cause, tuple[int, ...]] = {
    'friction': (0, 1), 'rotor inertia': (2,), 'offset': (3,), 'scale': (4,), 'load': (5,)}
COUNT = 6
SMOOTHING_SPEED = 0.02      # [rad/s or m/s], of the sign


class ResidualCauses:
    """Accumulate the errors of n joints, block by block, with the motion that they follow."""

    def __init__(self, n: int) -> None:
        self._G, self._g, self._ee = np.zeros((n, COUNT, COUNT)), np.zeros((n, COUNT)), np.zeros(n)

    def add(self, qd: FloatArray, qdd: FloatArray, model: FloatArray, error: FloatArray) -> None:
        """Add samples (N, n): velocity, acceleration, torque of the model, measured - model."""
        sign = smooth_sign(qd, SMOOTHING_SPEED**2)
        X = np.stack([sign, qd, qdd, np.ones_like(qd), model, sign * smooth_modulus(model)],
                     axis=2)
        self._G += np.einsum('njk,njl->jkl', X, X)
        self._g += np.einsum('njk,nj->jk', X, error)
        self._ee += np.einsum('nj,nj->j', error, error)

    def explained(self, causes: Sequence[Cause]) -> FloatArray:
        """Return the fraction (n,) of each joint's squared error that the causes explain."""
        columns = [k for cause in causes for k in COLUMNS[cause]]
        found = np.zeros(len(self._ee))
        for j, (G, g, ee) in enumerate(zip(self._G, self._g, self._ee)):
            if ee > 0.0:
                own = np.ix_(columns, columns)
                scale = 1.0 / np.sqrt(np.maximum(np.diag(G)[columns], 1e-300))
                x = np.linalg.lstsq(G[own] * np.outer(scale, scale), scale * g[columns],
                                    rcond=1e-9)[0]
                found[j] = x @ (scale * g[columns]) / ee
        return np.clip(found, 0.0, 1.0)

    @property
    def squares(self) -> FloatArray:
        """Return the sum of the squared errors (n,)."""
        return self._ee.copy()
