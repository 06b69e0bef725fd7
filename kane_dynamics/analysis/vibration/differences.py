# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Numerical derivatives of a flexible arm, whose exact ones would take long to compile.

The exact derivatives of an arm with 14 coordinates have some thirty thousand operations. Torques
are exact to round-off, so that differences of fourth order keep ten digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

STEP = 1e-3     # error of the rule ~ step^4, of round-off ~ 1e-16 / step


def by_differences(function: Callable[[FloatArray], FloatArray], x: ArrayLike,
                   steps: FloatArray) -> FloatArray:
    """Return d function / d x (m, n) at x (n,), by central differences with steps (n,)."""
    centre = np.asarray(x, dtype=np.float64)

    def along(step: FloatArray) -> FloatArray:
        near = function(centre + step) - function(centre - step)
        far = function(centre + 2 * step) - function(centre - 2 * step)
        return (8 * near - far) / (12 * step.max())

    return np.stack([along(step) for step in np.diag(steps)], axis=-1)


def steps_of(robot: Robot) -> FloatArray:
    """Return a small displacement of each coordinate (nv,) [rad or m].

    A thousandth of a radian or metre; of the link's length for a mode that moves the link's tip.
    """
    steps = [STEP] * (robot.nv - robot.n_modes)
    lengths = {name: link.beam.length for name, link in robot.flexible_links.items()
               if link.body is not None}
    for mode in robot.mode_names:
        link, _, family = mode.rpartition('/')
        bending = link in lengths and not family.startswith('torsion')
        steps.append(STEP * lengths[link] if bending else STEP)
    return np.array(steps)
