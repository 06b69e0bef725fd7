# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Results of an identification: parameters with intervals, and which of them are identified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kane_dynamics.dynamics.calibration import Calibration
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.recorded.identify.base_parameters import BaseParameters
from kane_dynamics.recorded.identify.friction_terms import Term
from kane_dynamics.recorded.identify.normal_equations import NormalEquations

SINGULAR = 1e-13      # of the largest eigenvalue of the scaled matrix: directions without data
# A base parameter is identified if the data narrow the prior's width by this factor.
NARROWED = 0.5
# A joint parameter is identified if its one-sigma effect is below this fraction of the joint's
# effort, even when the estimate is zero.
NEGLIGIBLE = 0.01
UNITS: dict[Term, str] = {'rotor': 'kg m^2', 'coulomb': 'N m', 'viscous': 'N m s/rad',
                          'offset': 'N m', 'rise': 'N m', 'load': ''}


@dataclass(frozen=True)
class Estimate:
    """A parameter: value, standard deviation (infinite without data), identified or not."""

    name: str
    value: float
    sigma: float
    identified: bool
    unit: str = ''

    def __str__(self) -> str:
        spread = f'+- {3.0 * self.sigma:.3g}' if np.isfinite(self.sigma) else 'any'
        return f'{self.name} = {self.value:.5g} {spread}{" " + self.unit if self.unit else ""}'


@dataclass(frozen=True, eq=False)
class Identification:
    """A fit: its Calibration, parameters with intervals, and measures of the data.

    friction: Estimates of rotors and friction, joint by joint; base: Estimates of the base
    parameters. condition: of the data matrix, columns scaled to one length. noise, level (n,):
    standard deviation of the residuals, of single samples and as used for the intervals.
    """

    calibration: Calibration
    parameters: BaseParameters | None
    friction: tuple[Estimate, ...]
    base: tuple[Estimate, ...]
    condition: float
    noise: FloatArray
    level: FloatArray
    count: int

    @property
    def unidentified(self) -> tuple[Estimate, ...]:
        """Return the Estimates that the data do not identify."""
        return tuple(each for each in (*self.friction, *self.base) if not each.identified)


def covariance(A: FloatArray) -> tuple[FloatArray, float]:
    """Return the variances (P,) for a normal matrix A (P, P), and its scaled condition number.

    Parameters that take part in a direction without data have infinite variances. The condition
    number is that of the data matrix with columns scaled to one length: independent of units.
    """
    size = np.sqrt(np.maximum(np.diag(A), 0.0))
    blank = size <= 1e-12 * max(size.max(), 1e-300)
    scale = np.where(blank, 0.0, 1.0 / np.where(blank, 1.0, size))
    values, vectors = np.linalg.eigh(A * np.outer(scale, scale))
    good = values > SINGULAR * values.max()
    variance = (vectors[:, good]**2 / values[good]).sum(axis=1) * scale**2
    lost = (vectors[:, ~good]**2).sum(axis=1) > 1e-6
    condition = np.sqrt(values.max() / values.min()) if good.all() else np.inf
    return np.where(blank | lost, np.inf, variance), float(condition)


def estimates(theta: FloatArray, theta_bias: FloatArray, equations: NormalEquations,
              level: FloatArray, parameters: BaseParameters | None, terms: Sequence[Term],
              joint_names: Sequence[str], prior_curvature: FloatArray,
              ) -> tuple[tuple[Estimate, ...], tuple[Estimate, ...], float]:
    """Return Estimates of base parameters and of friction, and the condition number.

    theta (P,): the fit; its bodies come first, then the terms of each joint. Variances are those
    of weighted least squares without constraints and without the prior, plus the square of the
    bias (P,) by errors of the recorded motion.
    """
    m, count, n = equations.m, len(terms), len(joint_names)
    A, _ = equations.weighted(level)
    standard: list[int] = []
    columns: list[int] = []
    if parameters is not None:
        standard = [*range(m), *(m + j * count for j in range(n) if 'rotor' in terms)]
        columns = [standard[k] for k in parameters.independent]
    r = len(columns)
    # rotors count among the base parameters, if there are any
    columns += [m + j * count + k for j in range(n) for k in range(count)
                if parameters is None or terms[k] != 'rotor']
    variance, condition = covariance(A[np.ix_(columns, columns)])
    bias = theta_bias[columns]
    if parameters is not None:
        bias[:r] = parameters.combination @ theta_bias[standard]
    sigma = np.hypot(np.sqrt(variance), bias)
    base: tuple[Estimate, ...] = ()
    if parameters is not None:
        beta = parameters.combination @ theta[standard]
        width = _prior_widths(parameters, prior_curvature[:m, :m])
        base = tuple(
            Estimate(parameters.text(k), float(beta[k]), float(sigma[k]),
                     bool(sigma[k] < NARROWED * width[k] or 3.0 * sigma[k] < abs(beta[k])))
            for k in range(r))
    friction = []
    for column, spread in zip(columns[r:], sigma[r:]):
        j, k = divmod(column - m, count)
        # effect of one standard deviation on the joint's effort
        effect = np.inf if np.isinf(spread) else spread * np.sqrt(
            equations.G[j, m + k, m + k] / max(equations.yy[j], 1e-300))
        friction.append(Estimate(
            f'{terms[k]}({joint_names[j]})', float(theta[column]), float(spread),
            bool(3.0 * spread < abs(theta[column]) or effect < NEGLIGIBLE), UNITS[terms[k]]))
    return base, tuple(friction), condition


def _prior_widths(parameters: BaseParameters, curvature: FloatArray) -> FloatArray:
    """Return the prior's standard deviation (r,) of each base parameter, rotors excluded."""
    spread = np.linalg.inv(curvature)
    inertial = parameters.combination[:, :len(spread)]
    return np.sqrt(np.einsum('ki,ij,kj->k', inertial, spread, inertial))
