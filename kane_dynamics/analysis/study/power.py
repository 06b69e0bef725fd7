# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Peaks, root mean squares, power and work of the joints along a motion; integrals over time."""

from __future__ import annotations

from typing import NamedTuple, TYPE_CHECKING

import numpy as np

from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.trajectory.motion import Motion


class JointUse(NamedTuple):
    """Peaks and work of one joint; times [s] are those of the peaks, torques [N m] or [N]."""

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
    net_work: float              # of tau qd: all braking power is recovered [J]


def _areas(t: FloatArray, values: ArrayLike) -> FloatArray:
    """Return the areas (N - 1, ...) under samples values (N, ...) by the trapezoidal rule."""
    values = np.asarray(values, dtype=np.float64)
    steps = np.diff(t).reshape((-1,) + (1,) * (values.ndim - 1))
    return steps * 0.5 * (values[1:] + values[:-1])


def integral(t: FloatArray, values: ArrayLike) -> FloatArray:
    """Integrate samples values (N, ...) over time t (N,); return (...)."""
    return _areas(t, values).sum(axis=0)


def running_integral(t: FloatArray, values: ArrayLike) -> FloatArray:
    """Return the integral (N, ...) from t[0] to each t, of samples values (N, ...) at t (N,)."""
    areas = _areas(t, values)
    return np.concatenate([np.zeros((1, *areas.shape[1:])), np.cumsum(areas, axis=0)])


def mean(t: FloatArray, values: ArrayLike) -> FloatArray:
    """Average samples values (N, ...) over time t (N,); return (...)."""
    if len(t) < 2:
        return np.asarray(values, dtype=np.float64)[0]
    return integral(t, values) / (t[-1] - t[0])


def rms(t: FloatArray, values: ArrayLike) -> FloatArray:
    """Return the root mean square (...) over time of samples values (N, ...) at t (N,)."""
    return np.sqrt(mean(t, np.square(values)))


def absolute_work(q: FloatArray, tau: FloatArray) -> FloatArray:
    """Return (n,) [J]: the sum of |q step| |mean torque| of samples (N, n).

    Vukobratovic and Potkonjak 1982, 3.5.2-4: braking costs as much as driving, holding nothing.
    """
    return (np.abs(np.diff(q, axis=0)) * np.abs(tau[1:] + tau[:-1]) * 0.5).sum(axis=0)


def joint_uses(motion: Motion, tau: FloatArray) -> tuple[JointUse, ...]:
    """Return a JointUse for each column of tau (N, n) along a Motion."""
    t = motion.t
    power = tau * motion.qd
    absolute, driving, net = (integral(t, each) for each in (
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
