# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Input shaper for the lowest natural frequencies of an arm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.analysis.vibration.vibration import vibration
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike
from kane_dynamics.trajectory.input_shaping import Shaper, shaper, ShaperKind

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics


def modal_shaper(dyn: Dynamics, poses: ArrayLike, kind: ShaperKind = 'zvd', count: int = 1,
                 insensitivity: float = 0.05) -> Shaper:
    """Return the Shaper for the `count` lowest vibrations, joints locked, at given configurations.

    poses: q (nq,), or the joints only, or rows of these, such as the end of a motion, or its start
    and end; the frequency and damping of each vibration are averaged over them.
    """
    robot = dyn.robot
    if not 1 <= count <= robot.n_modes:
        raise InputError(f'modal_shaper: count must be 1 ... {robot.n_modes}, the elastic modes '
                         f'of {robot.name!r}; got {count}')
    found = [vibration(dyn, q) for q in np.atleast_2d(np.asarray(poses, dtype=float))]
    frequencies = np.mean([each.frequencies[:count] for each in found], axis=0)
    damping = np.mean([each.damping_ratios[:count] for each in found], axis=0)
    return shaper(kind, frequencies, damping, insensitivity)
