# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories through tables of recorded or computed samples, with optional smoothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike
from kane_dynamics.trajectory.trajectory import Trajectory


def trajectory_from_samples(
        joint_names: Sequence[str], times: ArrayLike, positions: ArrayLike,
        velocities: ArrayLike | None = None, accelerations: ArrayLike | None = None,
        efforts: ArrayLike | None = None, noise: ArrayLike | None = None,
        start: float = 0.0) -> Trajectory:
    """Return the trajectory through a table of samples, or with `noise` a smooth one near them.

    times (N,) [s]; positions, velocities, accelerations, efforts (N, n). Without velocities the
    C4 quintic spline with ends at rest joins the samples. noise: standard deviation of the
    positions [rad or m], scalar or (n,). A quintic smoothing spline then stays within it (root
    mean square), so that velocity and acceleration are those of the motion and not of the noise;
    its ends need not be at rest.
    """
    if noise is None:
        return Trajectory(joint_names, times, positions, velocities, accelerations, efforts, start,
                          'quintic_spline')
    if velocities is not None or accelerations is not None:
        raise InputError('smoothing finds the velocities and accelerations; give positions only')
    table = Trajectory(joint_names, times, positions, efforts=efforts, start=start)  # checks
    noise = np.broadcast_to(np.asarray(noise, dtype=float), (table.n_joints,))
    if not (np.isfinite(noise) & (noise > 0.0)).all():
        raise InputError(f'noise must be positive; got {noise}')
    if len(table.times) < 6:
        raise InputError(f'smoothing needs 6 samples or more; got {len(table.times)}')
    from scipy.interpolate import splev, splrep  # slow to import, and only recordings need it
    q, qd, qdd = fields = np.empty((3, *table.positions.shape))
    for j, deviation in enumerate(noise):
        # the expected sum of squares of N samples with this deviation
        allowed = len(table.times) * deviation ** 2
        spline = splrep(table.times, table.positions[:, j], k=5, s=allowed)
        for order in range(3):
            fields[order, :, j] = splev(table.times, spline, der=order)
    return Trajectory(joint_names, table.times, q, qd, qdd, table.efforts, start)
