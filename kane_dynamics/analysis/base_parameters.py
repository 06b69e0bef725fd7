# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The combinations of inertial parameters and rotors that torques can tell apart at all.

Columns of the regressor that are sums of others, whatever the motion, are found at random states
(Gautier 1991): going from the base outward, a column that adds nothing to those before it is
dependent, and its parameter counts with theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kane_dynamics.analysis.pseudo_inertia import PLACES

MEMBERS = ('m', 'mx', 'my', 'mz', *('I' + 'xyz'[i] + 'xyz'[j] for i, j in PLACES))
STATES = 60               # random states for each column
DEPENDENT = 1e-8          # of a column's norm: what is left of a dependent one is round-off


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """beta = combination @ [pi (10 bodies), rotors (n)]; `independent` are their own columns.

    combination (r, P) has the identity in the columns `independent` (r,). names: of the P standard
    parameters. silent: places of parameters that no torque ever feels.
    """

    names: tuple
    independent: np.ndarray
    combination: np.ndarray
    silent: tuple

    @property
    def count(self):
        """Return r."""
        return len(self.independent)

    def text(self, k, most=4):
        """Return a base parameter as a sum of standard ones, the largest shares first."""
        row = self.combination[k].copy()
        own = self.independent[k]
        row[own] = 0.0
        others = [place for place in np.argsort(-np.abs(row)) if abs(row[place]) > 1e-6]
        text = self.names[own]
        for place in others[:most]:
            size = abs(row[place])
            factor = '' if abs(size - 1.0) < 1e-6 else f'{size:.4g} '
            text += f' {"+" if row[place] > 0 else "-"} {factor}{self.names[place]}'
        return text + (f' + {len(others) - most} more' if len(others) > most else '')


def base_parameters(dynamics, rotors=True, seed=0):
    """Return the BaseParameters of an arm, rotors included or not."""
    robot, n = dynamics.robot, dynamics.robot.n_joints
    names = [f'{member}({link})' for link in dynamics.body_links for member in MEMBERS]
    if rotors:
        names += [f'rotor({name})' for name in robot.joint_names]
    states = int(np.ceil(STATES * len(names) / n / 10))
    W = _rows(dynamics, states, rotors, np.random.default_rng(seed))
    norms = np.linalg.norm(W, axis=0)
    silent = tuple(np.flatnonzero(norms < 1e-10 * norms.max()))
    basis, independent, combination = np.zeros((len(W), 0)), [], []
    dependent = {}
    for k in range(W.shape[1]):
        if k in silent:
            continue
        left = W[:, k] / norms[k]
        for _ in range(2):                       # twice is enough (Kahan and Parlett)
            left = left - basis @ (basis.T @ left)
        size = np.linalg.norm(left)
        if size > DEPENDENT:
            basis = np.column_stack([basis, left / size])
            independent.append(k)
        else:
            shares = np.linalg.lstsq(W[:, independent] / norms[independent], W[:, k] / norms[k],
                                     rcond=None)[0]
            dependent[k] = shares * norms[k] / norms[independent]
    combination = np.zeros((len(independent), W.shape[1]))
    combination[range(len(independent)), independent] = 1.0
    for k, shares in dependent.items():
        shares[np.abs(shares) < 1e-9 * np.abs(shares).max()] = 0.0
        combination[:len(shares), k] = shares
    return BaseParameters(tuple(names), np.array(independent), combination, silent)


def _rows(dynamics, states, rotors, rng):
    """Return rows (states n, P) of the regressor at random states within the limits."""
    robot = dynamics.robot
    lower = np.maximum(robot.limits.lower, -np.pi)
    upper = np.minimum(robot.limits.upper, np.pi)
    q = rng.uniform(np.minimum(lower, upper), np.maximum(lower, upper), (states, robot.n_joints))
    qd, qdd = rng.uniform(-2.0, 2.0, q.shape), rng.uniform(-5.0, 5.0, q.shape)
    Y = dynamics.regressor_many(q, qd, qdd)
    if rotors:
        X = np.zeros((*q.shape, robot.n_joints))
        X[:, range(robot.n_joints), range(robot.n_joints)] = qdd
        Y = np.concatenate([Y, X], axis=2)
    return Y.reshape(-1, Y.shape[2])
