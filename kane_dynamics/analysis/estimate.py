# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Figures with their uncertainty, and which of them the data tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SINGULAR = 1e-13    # of the largest eigenvalue of the scaled matrix: directions without data


@dataclass(frozen=True)
class Estimate:
    """A figure: its value, standard deviation (infinite where data say nothing), and verdict."""

    name: str
    value: float
    sigma: float
    told: bool
    unit: str = ''

    def __str__(self):
        spread = f'+- {3.0 * self.sigma:.3g}' if np.isfinite(self.sigma) else 'any'
        return f'{self.name} = {self.value:.5g} {spread}{" " + self.unit if self.unit else ""}'


def covariance(A):
    """Return the variances that a normal matrix A leaves, and its scaled condition number.

    Directions without data give infinite variances to the parameters that take part in them. The
    condition number is that of the data matrix with its columns scaled to one length, so that it
    does not depend on units.
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
