# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The outcome of an identification: figures with intervals, and which of them the data tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kane_dynamics.analysis.base_parameters import BaseParameters
from kane_dynamics.analysis.estimate import covariance, Estimate
from kane_dynamics.dynamics.calibration import Calibration

TOLD = 0.5          # of the prior's width: a base parameter that data narrow down to less is told
UNFELT = 0.01       # of the effort: a figure known to within so little of it is told, even zero
UNITS = {'rotor': 'kg m^2', 'coulomb': 'N m', 'viscous': 'N m s/rad', 'offset': 'N m',
         'rise': 'N m', 'load': ''}


@dataclass(frozen=True, eq=False)
class Identification:
    """What was found: a Calibration, figures with intervals, and how good the data were.

    friction: Estimates of rotors and friction, joint by joint; base: Estimates of the base
    parameters. told or not: `Estimate.told`. condition: of the data matrix, columns scaled to one
    length. noise, level (n,): standard deviation of what is left over, of single samples and as
    it counts for the intervals.
    """

    calibration: Calibration
    parameters: BaseParameters | None
    friction: tuple
    base: tuple
    condition: float
    noise: np.ndarray
    level: np.ndarray
    count: int

    @property
    def untold(self):
        """Return the Estimates that the data do not tell."""
        return tuple(each for each in (*self.friction, *self.base) if not each.told)


def estimates(theta, equations, level, parameters, terms, joint_names, prior_curvature):
    """Return Estimates of base parameters and of friction, and the condition number.

    theta (P,): the fit; its bodies come first, then the terms of each joint. Variances are those
    of weighted least squares without constraints: the data's own word.
    """
    m, count, n = equations.m, len(terms), len(joint_names)
    A, _ = equations.weighted(level)
    columns, base = [], ()
    if parameters is not None:
        standard = np.r_[:m, [m + j * count for j in range(n)] if 'rotor' in terms else []]
        standard = standard.astype(int)
        columns = [int(standard[k]) for k in parameters.independent]
    r = len(columns)
    # rotors count among the base parameters, where there are any
    columns += [m + j * count + k for j in range(n) for k in range(count)
                if parameters is None or terms[k] != 'rotor']
    variance, condition = covariance(A[np.ix_(columns, columns)])
    sigma = np.sqrt(variance)
    if parameters is not None:
        beta = parameters.combination @ theta[standard]
        width = _prior_widths(parameters, prior_curvature[:m, :m])
        base = tuple(
            Estimate(parameters.text(k), float(beta[k]), float(sigma[k]),
                     bool(sigma[k] < TOLD * width[k] or 3.0 * sigma[k] < abs(beta[k])))
            for k in range(r))
    friction = []
    for at, spread in zip(columns[r:], sigma[r:]):
        j, k = divmod(at - m, count)
        # what one standard deviation of the figure does to the joint's effort
        felt = np.inf if np.isinf(spread) else spread * np.sqrt(
            equations.G[j, m + k, m + k] / max(equations.yy[j], 1e-300))
        friction.append(Estimate(
            f'{terms[k]}({joint_names[j]})', float(theta[at]), float(spread),
            bool(3.0 * spread < abs(theta[at]) or felt < UNFELT), UNITS[terms[k]]))
    return base, tuple(friction), condition


def _prior_widths(parameters, curvature):
    """Return the prior's standard deviation of each base parameter, whatever the rotors."""
    spread = np.linalg.inv(curvature)
    inertial = parameters.combination[:, :len(spread)]
    return np.sqrt(np.einsum('ki,ij,kj->k', inertial, spread, inertial))
