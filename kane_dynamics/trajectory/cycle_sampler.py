# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Sampling of trajectories in a control loop: compiled, into one array."""

from __future__ import annotations

import array
import math

import numpy as np

from kane_dynamics.codegen.formula import bind_formula
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.trajectory.interpolation import polynomials
from kane_dynamics.trajectory.trajectory import Trajectory


class CycleSampler:
    """Fill out (3, n) with q, qd, qdd of trajectories; one thread at a time.

    out: contiguous float64 array. The polynomials of the segment that was sampled last are kept.
    """

    def __init__(self, out: FloatArray) -> None:
        self._x = array.array('d', [0.0])       # writing one number takes less than with numpy
        self._coefficients = np.zeros((6, out.shape[1]))
        self._fill = bind_formula(polynomials, [np.frombuffer(self._x), self._coefficients], out)
        self._trajectory: Trajectory | None = None
        self._begin = self._end = self._origin = self._moving = 0.0

    def sample(self, trajectory: Trajectory, t: float) -> None:
        """Fill out with the state of a Trajectory at time t [s] of the caller's clock."""
        time = t - trajectory.start
        if trajectory is not self._trajectory or not self._begin <= time < self._end:
            self._load(trajectory, time)
        self._x[0] = (time - self._origin) * self._moving
        self._fill()

    def _load(self, trajectory: Trajectory, time: float) -> None:
        segments = trajectory.segments
        knots = segments.knots
        k = int(knots.searchsorted(time, side='right'))
        self._coefficients[:] = segments.coefficients[k]
        # the rests before the first and after the last knot have no end
        self._begin = float(knots[k - 1]) if k > 0 else -math.inf
        self._end = float(knots[k]) if k < len(knots) else math.inf
        self._origin = float(knots[max(k - 1, 0)])
        self._moving = 1.0 if segments.orders[k] > 0 else 0.0     # held segments stay at x = 0
        self._trajectory = trajectory
