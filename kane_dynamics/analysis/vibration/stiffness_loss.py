# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Effective stiffness of bent links along a motion: where it is lost, deflections grow.

Gravity, payloads and fast rotation add to the stiffness of the springs: a link that is pressed
along its axis buckles. The effective stiffness is K_e = d h_e/d e, the derivative of the elastic
rows of the bias torques by the elastic coordinates; its least eigenvalue relative to M_ee is the
square of a frequency [rad^2/s^2].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kane_dynamics.analysis.vibration.differences import by_differences, steps_of
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.solution import Solution

SAMPLES = 100       # of a motion that are checked


class StiffnessLoss(NamedTuple):
    """The first sample at which the effective stiffness of the links is not positive."""

    time: float         # [s]
    square: float       # least eigenvalue of M_ee^-1 K_e [rad^2/s^2]
    coordinate: str     # the elastic coordinate that takes part most

    def __str__(self) -> str:
        return (f'the links are unstable from t = {self.time:.4g} s on: their effective stiffness '
                f'is not positive there (omega^2 = {self.square:.4g} rad^2/s^2, mainly '
                f'{self.coordinate}); deflections grow without bound')


def effective_stiffness(dyn: Dynamics, q: FloatArray, qd: FloatArray) -> tuple[float, str]:
    """Return the least omega^2 [rad^2/s^2] of the elastic coordinates, joints held, and its name.

    q (nq,), qd (nv,): a state of a flexible arm.
    """
    robot = dyn.robot
    modes, n = robot.modes_v, robot.n_modes

    def force(e: FloatArray) -> FloatArray:
        return dyn.bias(np.concatenate([q[:-n], e]), qd)[modes]

    K = by_differences(force, q[-n:].copy(), steps_of(robot)[-n:])
    M: FloatArray = dyn.mass_matrix(q)[modes, modes]
    L = np.linalg.cholesky(M)
    inverse = np.linalg.inv(L)
    values, vectors = np.linalg.eigh(inverse @ (0.5 * (K + K.T)) @ inverse.T)
    shape = np.abs(inverse.T @ vectors[:, 0]) * np.sqrt(np.diag(M))
    return float(values[0]), robot.mode_names[int(np.argmax(shape))]


def first_stiffness_loss(solutions: Sequence[Solution]) -> StiffnessLoss | None:
    """Return the StiffnessLoss of Solutions that follow each other; None where there is none."""
    for solution in solutions:
        if not solution.dynamics.robot.n_modes:
            continue
        rows = np.unique(np.linspace(0, len(solution) - 1, SAMPLES).astype(int))
        for k in rows:
            square, name = effective_stiffness(solution.dynamics, solution.q[k], solution.qd[k])
            if not square > 0.0:
                return StiffnessLoss(float(solution.t[k]), square, name)
    return None
