# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Input shaping: a motion repeated in small echoes that cancel the vibration it would leave.

A Shaper is a row of impulses. A trajectory convolved with it, sum_k A_k q(t - t_k), goes the same
way, takes t_last longer and leaves no vibration at the frequency that the impulses are made for:
two of them half a period apart swing against each other (Singer and Seering 1990; Singhose 1997).
Make it for the frequencies with joints locked, at the end of the motion: there it is at rest.
"""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.interpolation import CUBIC, HELD, QUINTIC
from kane_dynamics.motion.segments import Segments
from kane_dynamics.motion.trajectory import Trajectory

SAME_TIME = 1e-9       # [s] impulses and knots this close are one


@dataclass(frozen=True, eq=False)
class Shaper:
    """Impulses at times (k,) [s] from 0 on, with amplitudes (k,) that add up to one."""

    times: np.ndarray
    amplitudes: np.ndarray

    def __post_init__(self):
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
    def duration(self):
        """Return by how much it prolongs a motion [s]."""
        return float(self.times[-1])

    def residual(self, frequency, damping=0.0):
        """Return the vibration that is left at a frequency [Hz], of that without shaping.

        V = exp(-zeta w t_last) |sum A_k exp((zeta w + i w_d) t_k)| (Singer and Seering 1990).
        """
        w = 2.0 * math.pi * frequency
        wd = w * math.sqrt(1.0 - damping**2)
        growth = np.exp((damping * w + 1j * wd) * self.times)
        return float(abs(self.amplitudes @ growth) * math.exp(-damping * w * self.times[-1]))

    def convolved(self, other):
        """Return the shaper that does what this one and the other do, one after the other."""
        times = np.add.outer(self.times, other.times).ravel()
        amplitudes = np.multiply.outer(self.amplitudes, other.amplitudes).ravel()
        order = np.argsort(times)
        group = np.cumsum(np.concatenate([[0], np.diff(times[order]) > SAME_TIME]))
        sums = np.bincount(group, amplitudes[order])
        return Shaper(times[order][np.unique(group, return_index=True)[1]], sums / sums.sum())


def _zv(K, insensitivity):
    return [1.0, K]


def _zvd(K, insensitivity):
    return [1.0, 2.0 * K, K**2]


def _ei(K, insensitivity):
    # undamped: (1 + V)/4, (1 - V)/2, (1 + V)/4; each later impulse meets a decayed vibration
    return [1.0 + insensitivity, 2.0 * (1.0 - insensitivity) * K, (1.0 + insensitivity) * K**2]


KINDS = {'zv': _zv, 'zvd': _zvd, 'ei': _ei}


def shaper(kind, frequencies, damping=0.0, insensitivity=0.05):
    """Return the Shaper for one or several frequencies [Hz].

    kind: 'zv' (zero vibration: half a period longer, exact frequency wanted), 'zvd' (its
    derivative is zero too: a whole period, forgives some ten per cent) or 'ei' (a whole period;
    leaves `insensitivity`, 5 %, at the frequency itself and forgives more to both sides).
    damping: ratio, one number or one per frequency.
    """
    if kind not in KINDS:
        raise InputError(f'no shaper {kind!r}; there are {list(KINDS)}')
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


def shaped(trajectory, impulses):
    """Return the trajectory convolved with a Shaper: exactly, by polynomials between its knots.

    All joints get the same echoes. Points carry what those of the trajectory carry, and with it
    the whole motion if this begins and ends at rest; effort is left out, for it belongs to
    another motion now.
    """
    if trajectory.interpolation == 'none' or (trajectory.segments.orders[1:-1] == HELD).any():
        raise InputError('a trajectory that jumps from point to point cannot be shaped; '
                         "use interpolation 'spline'")
    segments = trajectory.segments
    copies = _merged([segments.knots + t for t in impulses.times])
    knots = np.unique(np.concatenate(copies))
    coefficients, orders = 0.0, HELD
    for moments, amplitude in zip(copies, impulses.amplitudes):
        moved = Segments(moments, segments.coefficients, segments.orders).refined(knots)
        coefficients = coefficients + amplitude * moved.coefficients
        orders = np.maximum(orders, moved.orders)
    whole = Segments(knots, coefficients, orders)
    q, qd, qdd = whole.evaluate_many(knots)
    least = segments.orders[1:-1].min(initial=QUINTIC)
    return Trajectory(
        trajectory.joint_names, knots, q, qd if least >= CUBIC else None,
        qdd if least == QUINTIC else None, None, trajectory.start, 'fields', whole)


def _merged(rows):
    """Return rows of times with those that differ by rounding only made equal."""
    times = np.sort(np.concatenate(rows))
    first = times[np.concatenate([[True], np.diff(times) > SAME_TIME])]
    return [first[np.searchsorted(first, row + 0.5 * SAME_TIME, side='right') - 1]
            for row in rows]
