# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What drives the joints in a simulation: nothing, a constant, samples, or a function."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError


class NoTorque:
    """Leave the arm to gravity."""

    constant = True

    def fill(self, t, q, qd, tau):
        """Fill tau (nv,) with zeros."""
        tau[:] = 0.0


class ConstantTorque:
    """Apply the same torques all the time."""

    constant = True

    def __init__(self, tau):
        self._tau = tau

    def fill(self, t, q, qd, tau):
        """Fill tau (nv,)."""
        tau[:] = self._tau


class SampledTorque:
    """Apply torques (N, nv) given at times (N,) [s]: linear between them, held outside."""

    constant = False

    def __init__(self, times, rows):
        self._times, self._rows = times, rows

    def fill(self, t, q, qd, tau):
        """Fill tau (nv,) for time t."""
        times = self._times
        k = min(max(int(np.searchsorted(times, t, side='right')) - 1, 0), len(times) - 2)
        part = min(max((t - times[k]) / (times[k + 1] - times[k]), 0.0), 1.0)
        np.multiply(self._rows[k + 1] - self._rows[k], part, out=tau)
        tau += self._rows[k]


class TorqueFunction:
    """Apply what a function of (t, q, qd) returns."""

    constant = False

    def __init__(self, function, nv):
        self._function, self._shape = function, (nv,)

    def fill(self, t, q, qd, tau):
        """Fill tau (nv,) for time t and state q (nq,), qd (nv,)."""
        # copies: the function may keep what it got, the caller's arrays go on changing
        result = self._function(t, q.copy(), qd.copy())
        try:
            result = np.asarray(result, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f'torque(t, q, qd) must return {self._shape[0]} numbers, got '
                             f'{type(result).__name__} at t = {t:g} s') from None
        if result.shape != self._shape:
            raise InputError(f'torque(t, q, qd) must return shape {self._shape}, got '
                             f'{result.shape} at t = {t:g} s')
        tau[:] = result


def torque_law(torque, robot, times, size=None):
    """Return an object with fill(t, q, qd, tau) for any form of the argument `torque`.

    times (N,) are the moments that the rows of sampled torques belong to, or None. size: how many
    numbers it gives; None: nv.
    """
    nv = robot.nv if size is None else size
    if torque is None:
        return NoTorque()
    if callable(torque):
        return TorqueFunction(torque, nv)
    try:
        rows = np.array(torque, dtype=float)
    except (TypeError, ValueError):
        raise InputError('torque must be None, a function torque(t, q, qd), '
                         f'{nv} numbers or rows of them; got {type(torque).__name__}') from None
    if not np.isfinite(rows).all():
        raise InputError('torque must be finite; it holds NaN or infinity')
    if rows.shape == (nv,):
        return ConstantTorque(rows)
    if times is None:
        raise InputError('sampled torques need dt: row k is the torque at k dt')
    if rows.shape != (len(times), nv):
        raise InputError(f'torque has shape {rows.shape}; expected ({nv},) for a constant, or '
                         f'({len(times)}, {nv}): a row for each of the {len(times)} moments '
                         '0, dt, 2 dt, ... of this simulation')
    return SampledTorque(times, rows)
