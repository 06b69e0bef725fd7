# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Base parameters: the combinations of inertial parameters and rotors that torques depend on.

Columns of the regressor that are sums of others, whatever the motion, are found at random states
(Gautier 1991): from the base outward, a column that adds nothing to those before it is dependent,
and its parameter is added to theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.numerics.array_types import FloatArray, IntArray
from kane_dynamics.recorded.identify.pseudo_inertia import INERTIA_ENTRIES

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics
    from kane_dynamics.model.robot import Robot

MEMBERS = ('m', 'mx', 'my', 'mz', *('I' + 'xyz'[i] + 'xyz'[j] for i, j in INERTIA_ENTRIES))
STATES = 60               # random states for each column
DEPENDENT = 1e-8          # fraction of a column's norm: the rest of a dependent one is round-off


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Base parameters beta (r,) = combination @ [pi (10 bodies), rotors (n)].

    combination (r, P) has the identity in the columns `independent` (r,). names: of the P standard
    parameters. silent: indices of the parameters that no torque depends on.
    """

    names: tuple[str, ...]
    independent: IntArray
    combination: FloatArray
    silent: tuple[int, ...]

    @property
    def count(self) -> int:
        """Return r."""
        return len(self.independent)

    def text(self, k: int, most: int = 4) -> str:
        """Return base parameter k as a sum of at most 1 + `most` standard ones, largest first."""
        row = self.combination[k].copy()
        own = self.independent[k]
        row[own] = 0.0
        others = [index for index in np.argsort(-np.abs(row)) if abs(row[index]) > 1e-6]
        text = self.names[own]
        for index in others[:most]:
            size = abs(row[index])
            factor = '' if abs(size - 1.0) < 1e-6 else f'{size:.4g} '
            text += f' {"+" if row[index] > 0 else "-"} {factor}{self.names[index]}'
        return text + (f' + {len(others) - most} more' if len(others) > most else '')


def base_parameters(dynamics: Dynamics, rotors: bool = True, seed: int = 0) -> BaseParameters:
    """Return the BaseParameters of an arm, with or without rotors."""
    robot, n = dynamics.robot, dynamics.robot.n_joints
    names = [f'{member}({link})' for link in dynamics.body_links for member in MEMBERS]
    if rotors:
        names += [f'rotor({name})' for name in robot.joint_names]
    states = int(np.ceil(STATES * len(names) / n / 10))
    W = _regressor(dynamics, states, rotors, np.random.default_rng(seed))
    norms = np.linalg.norm(W, axis=0)
    silent = tuple(np.flatnonzero(norms < 1e-10 * norms.max()).tolist())
    basis = np.zeros((len(W), 0))
    independent: list[int] = []
    dependent: dict[int, FloatArray] = {}
    for k in range(W.shape[1]):
        if k in silent:
            continue
        rest = W[:, k] / norms[k]
        for _ in range(2):                       # twice is enough (Kahan and Parlett)
            rest = rest - basis @ (basis.T @ rest)
        size = np.linalg.norm(rest)
        if size > DEPENDENT:
            basis = np.column_stack([basis, rest / size])
            independent.append(k)
        else:
            weights = np.linalg.lstsq(W[:, independent] / norms[independent], W[:, k] / norms[k],
                                      rcond=None)[0]
            dependent[k] = weights * norms[k] / norms[independent]
    combination = np.zeros((len(independent), W.shape[1]))
    combination[range(len(independent)), independent] = 1.0
    for k, weights in dependent.items():
        weights[np.abs(weights) < 1e-9 * np.abs(weights).max()] = 0.0
        combination[:len(weights), k] = weights
    return BaseParameters(tuple(names), np.array(independent), combination, silent)


def _regressor(dynamics: Dynamics, states: int, rotors: bool,
               rng: np.random.Generator) -> FloatArray:
    """Return rows (states n, P) of the regressor at random states within the limits."""
    robot = dynamics.robot
    lower = np.maximum(robot.limits.lower, -np.pi)
    upper = np.minimum(robot.limits.upper, np.pi)
    q = rng.uniform(np.minimum(lower, upper), np.maximum(lower, upper), (states, robot.n_joints))
    qd, qdd = rng.uniform(-2.0, 2.0, q.shape), rng.uniform(-5.0, 5.0, q.shape)
    Y = dynamics.regressor_many(q, qd, qdd)
    if rotors:
        Y = np.concatenate([Y, diagonal(qdd)], axis=2)
    return Y.reshape(-1, Y.shape[2])


def body_of(robot: Robot, link: str) -> str | None:
    """Return the moved link that `link` is fixed to, or `link` itself; None: the base."""
    moved = [joint.child for joint in robot.chain(link) if joint.kind != 'fixed']
    return moved[-1] if moved else None


def diagonal(rows: FloatArray) -> FloatArray:
    """Return (N, n, n) with rows (N, n) on the diagonals: a column for each joint."""
    n = rows.shape[1]
    made = np.zeros((len(rows), n, n))
    made[:, range(n), range(n)] = rows
    return made
