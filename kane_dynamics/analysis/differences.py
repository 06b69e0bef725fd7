# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives by differences, where the exact program would take longer to compile than to use.

A flexible arm of 14 coordinates has some thirty thousand operations in its derivatives. Torques
are exact to round-off, so that differences of fourth order keep ten digits.
"""

from __future__ import annotations

import numpy as np

STEP = 1e-3     # error of the rule ~ step^4, of round-off ~ 1e-16 / step


def by_differences(function, x, steps):
    """Return d function / d x (m, n) at x (n,), by central differences with steps (n,)."""
    x = np.asarray(x, dtype=float)

    def along(step):
        near = function(x + step) - function(x - step)
        far = function(x + 2 * step) - function(x - 2 * step)
        return (8 * near - far) / (12 * step.max())

    return np.stack([along(step) for step in np.diag(steps)], axis=-1)


def steps_of(robot):
    """Return what is a small displacement of each coordinate (nv,) [rad or m].

    A thousandth: of a radian, of a metre, of its length for a mode that moves its link's tip.
    """
    steps = [STEP] * (robot.nv - robot.n_modes)
    lengths = {name: link.beam.length for name, link in robot.flexible_links.items()
               if link.body is not None}
    for mode in robot.mode_names:
        link, _, family = mode.rpartition('/')
        bends = link in lengths and not family.startswith('torsion')
        steps.append(STEP * lengths[link] if bends else STEP)
    return np.array(steps)
