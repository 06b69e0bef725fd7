# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The arm's torques compared with Pinocchio's when a node is configured."""

from __future__ import annotations

from dataclasses import dataclass
import math
from pathlib import Path

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


def check_model(dynamics, source, samples=20, seed=1):
    """Return the ModelCheck of a Dynamics against Pinocchio, where it is installed.

    source: what `load_urdf` was given, a path or XML text; Pinocchio reads it on its own.
    """
    try:
        from kane_dynamics.dynamics.oracle import cross_check
        report = cross_check(dynamics, _text(source), samples=samples, seed=seed,
                             functions=('inverse',))
    except MissingDependencyError as missing:
        return ModelCheck(math.nan, f'not compared with Pinocchio: {missing}')
    error = report.error('inverse')
    return ModelCheck(error, f'torques differ from those of Pinocchio {report.version} by at most '
                             f'{error:.1e} of the largest, at {samples} random states'
                      + (f' ({report.note})' if report.note else ''))


def _text(source):
    """Return the XML of a source; None for xacro, of which Pinocchio gets what we read."""
    if source.lstrip('\ufeff \t\r\n').startswith('<'):
        return source
    path = Path(source).expanduser()
    return None if path.suffix == '.xacro' else path.read_text(encoding='utf-8')
