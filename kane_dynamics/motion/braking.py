# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The way to a stop: what an arm does whose trajectory is cancelled."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.checks import END_VELOCITY
from kane_dynamics.motion.trajectory import Trajectory


def brake(joint_names, position, velocity, deceleration, start=0.0):
    """Return the trajectory that brings a moving arm to rest, each joint at its own deceleration.

    position, velocity (n,), deceleration [rad/s^2 or m/s^2] scalar or (n,): as with
    max_deceleration_on_cancel, joint j stops after |v|/d at q + v |v|/(2 d).
    """
    position, velocity = (np.asarray(values, dtype=float) for values in (position, velocity))
    deceleration = np.broadcast_to(np.asarray(deceleration, dtype=float), velocity.shape)
    if not (deceleration > 0.0).all():
        raise InputError(f'decelerations must be positive; got {deceleration}')
    velocity = np.where(np.abs(velocity) > END_VELOCITY, velocity, 0.0)
    stop = np.abs(velocity) / deceleration
    times = np.union1d([0.0], np.ceil(stop * 1e6) * 1e-6)  # stops nearer than 1 us are one knot
    # quadratic up to its stop: cubics with these positions and velocities reproduce it exactly
    t = np.minimum(times[:, None], stop)
    slowing = np.sign(velocity) * deceleration
    return Trajectory(joint_names, times, position + t * (velocity - 0.5 * slowing * t),
                      velocity - slowing * t, start=start)
