# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Input shaping: convolution of a trajectory with impulses that cancel its residual vibration.

A trajectory convolved with a Shaper, sum_k A_k q(t - t_k), follows the same path, takes t_last
longer and leaves no vibration at the shaper's frequency: two impulses half a period apart excite
opposite vibrations (Singer and Seering 1990; Singhose 1997). Design it for the natural frequencies
with locked joints at the end of the motion, where the arm rests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import math
from typing import Literal, TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.trajectory.interpolation import CUBIC, HELD, QUINTIC
from kane_dynamics.trajectory.piecewise import Segments
from kane_dynamics.trajectory.trajectory import Trajectory

SAME_TIME = 1e-9       # [s] impulses and knots this close are one
ShaperKind: TypeAlias = Literal['zv', 'zvd', 'ei']


@dataclass(frozen=True, eq=False)
class Shaper:
    """Impulses at times (k,) [s] from 0 on, with amplitudes (k,) that add up to one."""

    times: FloatArray
    amplitudes: FloatArray

    if TYPE_CHECKING:       # the constructor takes lists too
        def __init__(self, times: ArrayLike, amplitudes: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        times, amplitudes = (np.array(value, dtype=float)
                             for value in (self.times, self.amplitudes))
        good = (times.ndim == 1 and times.shape == amplitudes.shape and len(times) > 0
                and np.isfinite([times, amplitudes]).all() and times[0] == 0.0
                and (np.diff(times) > 0.0).all() and abs(amplitudes.sum() - 1.0) < 1e-9)
        if not good:
            raise InputError('a shaper needs times that ascend from 0 and as many amplitudes, '
                             f'which add up to 1; got times {times.tolist()}, amplitudes '
                             f'{amplitudes.tolist()}')
        for name, value in (('times', times), ('amplitudes', amplitudes)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    @property
    def duration(self) -> float:
        """Return the time that it adds to a motion [s]."""
        return float(self.times[-1])

    def residual(self, frequency: float, damping: float = 0.0) -> float:
        """Return the residual vibration at a frequency [Hz], relative to the unshaped motion.

        V = exp(-zeta w t_last) |sum A_k exp((zeta w + i w_d) t_k)| (Singer and Seering 1990).
        """
        w = 2.0 * math.pi * frequency
        wd = w * math.sqrt(1.0 - damping**2)
        growth = np.exp((damping * w + 1j * wd) * self.times)
        return float(abs(self.amplitudes @ growth) * math.exp(-damping * w * self.times[-1]))

    def convolved(self, other: Shaper) -> Shaper:
        """Return the convolution with another shaper, which has the effect of both."""
        times = np.add.outer(self.times, other.times).ravel()
        amplitudes = np.multiply.outer(self.amplitudes, other.amplitudes).ravel()
        order = np.argsort(times)
        group = np.cumsum(np.concatenate([[0], np.diff(times[order]) > SAME_TIME]))
        sums = np.bincount(group, amplitudes[order])
        return Shaper(times[order][np.unique(group, return_index=True)[1]], sums / sums.sum())


def _zv(K: float, insensitivity: float) -> list[float]:
    return [1.0, K]


def _zvd(K: float, insensitivity: float) -> list[float]:
    return [1.0, 2.0 * K, K**2]


def _ei(K: float, insensitivity: float) -> list[float]:
    # undamped: (1 + V)/4, (1 - V)/2, (1 + V)/4; each later impulse meets a decayed vibration
    return [1.0 + insensitivity, 2.0 * (1.0 - insensitivity) * K, (1.0 + insensitivity) * K**2]


KINDS: dict[ShaperKind, Callable[[float, float], list[float]]] = {
    'zv': _zv, 'zvd': _zvd, 'ei': _ei}


def shaper(kind: ShaperKind, frequencies: ArrayLike, damping: ArrayLike = 0.0,
           insensitivity: float = 0.05) -> Shaper:
    """Return the Shaper for one or several frequencies [Hz].

    kind: 'zv' (zero vibration: half a period longer, needs the exact frequency), 'zvd' (zero
    derivative too: a whole period, tolerates frequency errors of some ten per cent) or 'ei' (a
    whole period; leaves `insensitivity`, 5 %, at the frequency itself, tolerates larger errors).
    damping: ratio, one number or one per frequency.
    """
    if kind not in KINDS:
        raise InputError(f'shaper kind {kind!r} is not known; choose one of {list(KINDS)}')
    frequencies = np.atleast_1d(np.asarray(frequencies, dtype=float))
    ratios = np.broadcast_to(np.asarray(damping, dtype=float), frequencies.shape)
    if not (len(frequencies) and np.isfinite(frequencies).all() and (frequencies > 0.0).all()):
        raise InputError(f'frequencies must be positive [Hz]; got {frequencies.tolist()}')
    if not ((ratios >= 0.0) & (ratios < 1.0)).all():
        raise InputError(f'damping ratios must be 0 ... 1, below 1; got {ratios.tolist()}')
    if not 0.0 < insensitivity < 1.0:
        raise InputError(f'insensitivity must lie between 0 and 1; got {insensitivity}')
    whole = Shaper([0.0], [1.0])
    for frequency, ratio in zip(frequencies, ratios):
        root = math.sqrt(1.0 - ratio**2)
        K = math.exp(-ratio * math.pi / root)              # decay over half a period
        amplitudes = np.array(KINDS[kind](K, insensitivity))
        times = np.arange(len(amplitudes)) * 0.5 / (frequency * root)
        whole = whole.convolved(Shaper(times, amplitudes / amplitudes.sum()))
    return whole


def shaped(trajectory: Trajectory, impulses: Shaper) -> Trajectory:
    """Return the trajectory convolved with a Shaper, exactly: polynomials between its knots.

    All joints get the same impulses. Points carry the same fields as those of the trajectory,
    which determine the whole motion if it begins and ends at rest. Effort is dropped, since the
    motion differs.
    """
    if trajectory.interpolation == 'none' or (trajectory.segments.orders[1:-1] == HELD).any():
        raise InputError('a trajectory that jumps from point to point cannot be shaped; '
                         "use interpolation 'spline'")
    segments = trajectory.segments
    copies = _merged([segments.knots + t for t in impulses.times])
    knots = np.unique(np.concatenate(copies))
    coefficients = np.zeros((len(knots) + 1, *segments.coefficients.shape[1:]))
    orders = np.full(len(knots) + 1, HELD)
    for delayed, amplitude in zip(copies, impulses.amplitudes):
        moved = Segments(delayed, segments.coefficients, segments.orders).refined(knots)
        coefficients = coefficients + amplitude * moved.coefficients
        orders = np.maximum(orders, moved.orders)
    whole = Segments(knots, coefficients, orders)
    q, qd, qdd = whole.evaluate_many(knots)
    least = segments.orders[1:-1].min(initial=QUINTIC)
    return Trajectory(
        trajectory.joint_names, knots, q, qd if least >= CUBIC else None,
        qdd if least == QUINTIC else None, None, trajectory.start, 'fields', whole)


def _merged(rows: Sequence[FloatArray]) -> list[FloatArray]:
    """Return rows of times, made equal where they differ by rounding only."""
    times = np.sort(np.concatenate(rows))
    first = times[np.concatenate([[True], np.diff(times) > SAME_TIME])]
    return [first[np.searchsorted(first, row + 0.5 * SAME_TIME, side='right') - 1]
            for row in rows]
