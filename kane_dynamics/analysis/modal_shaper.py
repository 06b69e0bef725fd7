# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The input shaper of an arm: for its lowest frequencies, where its motion ends."""

from __future__ import annotations

import numpy as np

from kane_dynamics.analysis.modal import vibration
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.shaping import shaper


def modal_shaper(dyn, poses, kind='zvd', count=1, insensitivity=0.05):
    """Return the Shaper for the `count` lowest vibrations, joints locked, at given poses.

    poses: q (nq,), or the joints only, or rows of these: the frequency of each vibration is the
    mean over them; give the end of a motion, or its start and end. kind: 'zv', 'zvd' or 'ei'.
    """
    robot = dyn.robot
    if not 1 <= count <= robot.n_modes:
        raise InputError(f'modal_shaper: count must be 1 ... {robot.n_modes}, the elastic modes '
                         f'of {robot.name!r}; got {count}')
    found = [vibration(dyn, q) for q in np.atleast_2d(np.asarray(poses, dtype=float))]
    frequencies = np.mean([each.frequencies[:count] for each in found], axis=0)
    damping = np.mean([each.damping_ratios[:count] for each in found], axis=0)
    return shaper(kind, frequencies, damping, insensitivity)
