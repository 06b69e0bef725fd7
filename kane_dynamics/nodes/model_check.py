# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The arm's torques compared with Pinocchio's when a node is configured."""

from __future__ import annotations

from dataclasses import dataclass
import math

from kane_dynamics.exceptions import MissingDependencyError


@dataclass(frozen=True)
class ModelCheck:
    """What a cross-check found: the largest relative error, or why there is none."""

    error: float        # NaN where nothing was compared
    message: str

    @property
    def done(self):
        """Return whether there was an oracle to compare with."""
        return not math.isnan(self.error)


def check_model(dynamics, urdf_text, samples=20, seed=1):
    """Return the ModelCheck of a Dynamics against Pinocchio, where it is installed."""
    try:
        from kane_dynamics.dynamics.oracle import cross_check
        error = float(cross_check(dynamics, urdf_text, samples=samples, seed=seed))
    except (ImportError, MissingDependencyError) as missing:
        return ModelCheck(math.nan, f'not compared with Pinocchio: {missing}')
    return ModelCheck(error, f'largest relative difference from Pinocchio over {samples} random '
                             f'states: {error:.2e}')
