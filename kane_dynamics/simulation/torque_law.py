# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torque laws of a simulation: none, constant, sampled, or a function of time and state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.simulation.equations.state import TorqueLaw

TorqueFunction: TypeAlias = 'Callable[[float, FloatArray, FloatArray], ArrayLike]'
TorqueInput: TypeAlias = 'TorqueFunction | ArrayLike | None'


def no_torque(t: float, q: FloatArray, qd: FloatArray, tau: FloatArray) -> None:
    """Fill tau with zeros."""
    tau[:] = 0.0


def constant_torque(value: FloatArray) -> TorqueLaw:
    """Return the law of a constant torque."""
    def law(t: float, q: FloatArray, qd: FloatArray, tau: FloatArray) -> None:
        tau[:] = value
    return law


def sampled_torque(times: Sequence[float], rows: FloatArray) -> TorqueLaw:
    """Return the law of rows (N, n) at times (N,) [s]: linear between them, held outside."""
    def law(t: float, q: FloatArray, qd: FloatArray, tau: FloatArray) -> None:
        k = min(max(int(np.searchsorted(times, t, side='right')) - 1, 0), len(times) - 2)
        part = min(max((t - times[k]) / (times[k + 1] - times[k]), 0.0), 1.0)
        np.multiply(rows[k + 1] - rows[k], part, out=tau)
        tau += rows[k]
    return law


def torque_function(function: TorqueFunction, size: int) -> TorqueLaw:
    """Return the law of a function of (t, q, qd) that returns `size` numbers."""
    def law(t: float, q: FloatArray, qd: FloatArray, tau: FloatArray) -> None:
        # copies: the function may keep its arguments, and these arrays are reused
        returned = function(t, q.copy(), qd.copy())
        try:
            result = np.asarray(returned, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f'torque(t, q, qd) must return {size} numbers, got '
                             f'{type(returned).__name__} at t = {t:g} s') from None
        if result.shape != (size,):
            raise InputError(f'torque(t, q, qd) must return shape ({size},), got '
                             f'{result.shape} at t = {t:g} s')
        tau[:] = result
    return law


def torque_law(torque: TorqueInput, robot: Robot, times: Sequence[float] | None,
               size: int | None = None) -> TorqueLaw:
    """Return the TorqueLaw for any form of the argument `torque` of `simulate`.

    times (N,) [s] are those of the rows of sampled torques, or None. size: how many numbers the
    law fills; None: nv.
    """
    n = robot.nv if size is None else size
    if torque is None:
        return no_torque
    if callable(torque):
        return torque_function(torque, n)
    try:
        rows = np.array(torque, dtype=float)
    except (TypeError, ValueError):
        raise InputError('torque must be None, a function torque(t, q, qd), '
                         f'{n} numbers or rows of them; got {type(torque).__name__}') from None
    if not np.isfinite(rows).all():
        raise InputError('torque must be finite; it holds NaN or infinity')
    if rows.shape == (n,):
        return constant_torque(rows)
    if times is None:
        raise InputError('sampled torques need dt: row k is the torque at k dt')
    if rows.shape != (len(times), n):
        raise InputError(f'torque has shape {rows.shape}; expected ({n},) for a constant, or '
                         f'({len(times)}, {n}): a row for each of the {len(times)} instants '
                         '0, dt, 2 dt, ... of this simulation')
    return sampled_torque(times, rows)
