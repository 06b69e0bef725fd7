# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Positions from velocities and velocities from accelerations, by Heun's rule."""

from __future__ import annotations

import numpy as np

from kane_dynamics.motion.interpolation import carried


def integrate(times, positions, velocities, accelerations):
    """Return positions and velocities (N, n), integrated where a point lacks them.

    NaN rows are points that do not carry the field; point 0 must carry positions (it is the state
    that the motion starts from). The rule is joint_trajectory_controller's: only a point without
    positions is integrated; it needs velocities, which are integrated first where it lacks them
    too. What the point before lacks counts as zero.
      v[k] = v[k-1] + (a[k-1] + a[k]) h / 2        q[k] = q[k-1] + (v[k-1] + v[k]) h / 2
    """
    no_position = ~carried(positions)
    if not no_position.any():
        return positions, velocities
    no_velocity = ~carried(velocities)
    starts = np.append(no_position[1:], False)  # the next point is integrated from this one
    rest = np.where((starts & ~no_position & no_velocity)[:, None], 0.0, velocities)
    velocities = _cumulated(times, rest, accelerations, no_position & no_velocity)
    return _cumulated(times, positions, velocities, no_position), velocities


def _cumulated(times, values, rates, lacking):
    # The trapezoidal sums since the last point that has the value itself.
    rates = np.nan_to_num(rates)
    steps = 0.5 * (rates[:-1] + rates[1:]) * np.diff(times)[:, None]
    sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(steps, axis=0)])
    index = np.arange(len(times))
    source = np.maximum.accumulate(np.where(lacking, 0, index))
    integrated = values[source] + sums - sums[source]
    return np.where(lacking[:, None], integrated, values)
