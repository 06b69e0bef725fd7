# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How hard joints work along a motion: peaks, root mean squares, power and energy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class JointUse(NamedTuple):
    """What one joint does; times [s] are those of the peaks, torques [N m] or [N]."""

    peak_torque: float
    peak_torque_time: float
    rms_torque: float
    peak_speed: float            # [rad/s or m/s]
    peak_speed_time: float
    peak_acceleration: float     # [rad/s^2 or m/s^2]
    peak_power: float            # largest of tau qd [W]
    least_power: float           # most negative: braking [W]
    absolute_work: float         # integral of |tau qd| [J]
    driving_work: float          # of the positive part: no regeneration [J]
    net_work: float              # of tau qd: all braking power is used again [J]


def mean(t, values):
    """Return the mean over time of samples values (N, ...) at t (N,), by the trapezoidal rule."""
    values = np.asarray(values, dtype=float)
    if len(t) < 2:
        return values[0]
    steps = np.diff(t).reshape((-1,) + (1,) * (values.ndim - 1))
    return (steps * 0.5 * (values[1:] + values[:-1])).sum(axis=0) / (t[-1] - t[0])


def rms(t, values):
    """Return the root mean square over time of samples (N, ...) at t (N,)."""
    return np.sqrt(mean(t, np.square(values)))


def absolute_work(q, tau):
    """Return (n,) [J]: the sum of |q step| |mean torque| of samples (N, n).

    Vukobratovic and Potkonjak 1982, 3.5.2-4: braking costs as much as driving, holding nothing.
    """
    return (np.abs(np.diff(q, axis=0)) * np.abs(tau[1:] + tau[:-1]) * 0.5).sum(axis=0)


def joint_uses(motion, tau):
    """Return a JointUse for each column of tau (N, n) along a Motion."""
    t, duration = motion.t, motion.t[-1] - motion.t[0]
    power = tau * motion.qd
    absolute, driving, net = (duration * mean(t, each) for each in (
        np.abs(power), np.maximum(power, 0.0), power))
    effective = rms(t, tau)
    uses = []
    for k in range(tau.shape[1]):
        torque, speed = np.abs(tau[:, k]), np.abs(motion.qd[:, k])
        a, b = int(np.argmax(torque)), int(np.argmax(speed))
        uses.append(JointUse(
            float(torque[a]), float(t[a]), float(effective[k]), float(speed[b]), float(t[b]),
            float(np.abs(motion.qdd[:, k]).max()), float(power[:, k].max()),
            float(power[:, k].min()), float(absolute[k]), float(driving[k]), float(net[k])))
    return tuple(uses)
