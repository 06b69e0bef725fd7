# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torque of each joint's rotor and friction, linear in parameters that can be fitted.

    tau_j = (arm) + rotor a + coulomb s + viscous v + offset
            + rise s / (1 + (v/v_s)^2) + load |t| s

with s = v / sqrt(v^2 + v_0^2), rise = stiction - coulomb and t the torque behind the gear, as in
`Friction`. The two speeds v_0 and v_s enter nonlinearly; `FrictionSpeeds` chooses them on a grid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from kane_dynamics.dynamics.calibration import JointCalibration
from kane_dynamics.dynamics.friction import smooth_modulus, smooth_sign, stribeck_divisor
from kane_dynamics.numerics.array_types import FloatArray

Term: TypeAlias = Literal['rotor', 'coulomb', 'viscous', 'offset', 'rise', 'load']
# v_0 [rad/s or m/s]; for larger ones Coulomb friction resembles viscous friction
SMOOTHING = (0.001, 0.003, 0.01, 0.03)
STRIBECK = (0.02, 0.05, 0.1, 0.2, 0.5)   # v_s [rad/s or m/s]


@dataclass(frozen=True, eq=False)
class FrictionTerms:
    """The terms that are fitted for each of n joints, and the speeds that shape them."""

    names: tuple[Term, ...]
    smoothing_speed: float            # v_0 [rad/s or m/s]
    stribeck_speeds: FloatArray       # v_s (n,) [rad/s or m/s]

    def columns(self, qd: FloatArray, qdd: FloatArray,
                load: FloatArray | float = 0.0) -> FloatArray:
        """Return X (N, n, terms): torque per unit of each parameter; load (N, n) [N m or N]."""
        sign = self.sign(qd)
        column: dict[Term, Callable[[], FloatArray]] = {
            'rotor': lambda: qdd, 'coulomb': lambda: sign, 'viscous': lambda: qd,
            'offset': lambda: np.ones_like(qd),
            'rise': lambda: sign / stribeck_divisor(qd, self.stribeck_speeds),
            'load': lambda: smooth_modulus(load) * sign}
        return np.stack([column[name]() for name in self.names], axis=2)

    def sign(self, qd: FloatArray) -> FloatArray:
        """Return the smooth sign of speeds."""
        return smooth_sign(qd, self.smoothing_speed**2)

    def same_speeds(self, other: FrictionTerms) -> bool:
        """Return whether other terms have the same speeds."""
        return bool(self.smoothing_speed == other.smoothing_speed
                    and (self.stribeck_speeds == other.stribeck_speeds).all())

    def calibration(self, values: FloatArray, joint_index: int) -> JointCalibration:
        """Return the JointCalibration for the parameters (terms,) of a joint."""
        parameters: dict[str, float] = dict(zip(self.names, map(float, values)))
        rise = parameters.pop('rise', None)
        if 'rotor' in parameters:
            parameters['rotor_inertia'] = parameters.pop('rotor')
        if rise:
            parameters['stiction'] = parameters['coulomb'] + rise
            parameters['stribeck_speed'] = float(self.stribeck_speeds[joint_index])
        return JointCalibration(**parameters)


class FrictionSpeeds:
    """Search for the two speeds on a grid, by least squares for each pair, joint by joint.

    The data are the residuals of the arm's model. smoothing: candidates for v_0; stribeck: those
    for v_s, empty without that term.
    """

    def __init__(self, n: int, smoothing: Iterable[float] = SMOOTHING,
                 stribeck: Iterable[float] = STRIBECK) -> None:
        self._n, self._smoothing, self._stribeck = n, tuple(smoothing), tuple(stribeck)
        width = 3 + len(self._smoothing) * (1 + len(self._stribeck))
        self._G, self._g = np.zeros((n, width, width)), np.zeros((n, width))
        self._yy = np.zeros(n)
        self.count = 0

    def add(self, qd: FloatArray, qdd: FloatArray, residual: FloatArray) -> None:
        """Add a block: speeds, accelerations and residuals of the arm's model, each (N, n)."""
        columns = [qd, qdd, np.ones_like(qd)]
        for v_0 in self._smoothing:
            sign = smooth_sign(qd, v_0**2)
            columns += [sign, *(sign / stribeck_divisor(qd, v_s) for v_s in self._stribeck)]
        X = np.stack(columns, axis=2).transpose(1, 0, 2)          # (n, N, columns)
        y = residual.T
        self._G += X.transpose(0, 2, 1) @ X
        self._g += np.einsum('jnk,jn->jk', X, y)
        self._yy += np.einsum('jn,jn->j', y, y)
        self.count += len(qd)

    def choose(self) -> tuple[float, FloatArray]:
        """Return v_0 and v_s (n,) of the smallest sums of squares; all joints have one v_0."""
        step = 1 + len(self._stribeck)
        costs = np.zeros((len(self._smoothing), max(len(self._stribeck), 1), self._n))
        for k in range(len(self._smoothing)):
            sign = 3 + k * step
            for m in range(costs.shape[1]):
                chosen = [0, 1, 2, sign] + ([sign + 1 + m] if self._stribeck else [])
                costs[k, m] = [self._residual_squares(j, chosen) for j in range(self._n)]
        best = costs.min(axis=1)                                   # (v_0, n)
        # the product of variances, so that joints with larger torques do not count more
        k = int(np.argmin(np.log(best).sum(axis=1)))
        if not self._stribeck:
            return self._smoothing[k], np.full(self._n, STRIBECK[2])
        return self._smoothing[k], np.array(self._stribeck)[costs[k].argmin(axis=0)]

    def _residual_squares(self, j: int, chosen: Sequence[int]) -> float:
        G, g = self._G[j][np.ix_(chosen, chosen)], self._g[j][chosen]
        scale = 1.0 / np.sqrt(np.maximum(np.diag(G), 1e-300))
        found = np.linalg.lstsq(G * np.outer(scale, scale), scale * g, rcond=1e-12)[0]
        if len(chosen) == 5 and found[4] < 0.0:     # Stribeck friction rises toward rest
            return self._residual_squares(j, chosen[:4])
        least = 1e-12 * max(self._yy[j], 1e-300)
        return max(float(self._yy[j] - found @ (scale * g)), float(least))
