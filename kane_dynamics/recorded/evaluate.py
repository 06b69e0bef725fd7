# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of a model's torques with measured efforts, joint by joint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray, IntArray
from kane_dynamics.recorded.residual_causes import ResidualCauses

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics
    from kane_dynamics.trajectory.motion import Motion

POOR = 1.5        # rmse / rms above which the model does not describe the arm, or its units
SIMILAR = 0.9     # cosine between measured and model above which they differ by a factor only
UNITS = 10.0      # factor above which units differ; friction and rotors explain less


class Evaluation:
    """Errors of a model, accumulated block by block; all arrays are (n_joints,).

    rms: of the measured effort; rmse: of measured - model; normalized: rmse / rms; r2: the
    fraction of the effort's variance that the model explains, NaN where the effort is constant;
    worst and worst_time: the largest error and its time [s].
    """

    def __init__(self, joint_names: Sequence[str], units: Sequence[str] | None = None,
                 bins: int = 1500) -> None:
        n = len(joint_names)
        self.joint_names, self.units = tuple(joint_names), tuple(units or ['N m'] * n)
        self.count = 0
        self._first = np.zeros(n)     # first measured effort: sums about it do not cancel
        self._sum, self._squares, self._errors, self._models, self._products = np.zeros((5, n))
        self.worst, self.worst_time = np.zeros(n), np.full(n, np.nan)
        self.envelope = Envelope(3 * n, bins)       # of measured, model, error
        self.causes = ResidualCauses(n)             # of the error, filled by `evaluate`

    def add(self, t: FloatArray, measured: FloatArray, model: FloatArray) -> None:
        """Add samples: t (N,) [s], efforts (N, n)."""
        if not len(t):
            return
        if not np.isfinite(model).all():
            k, j = np.argwhere(~np.isfinite(model))[0]
            raise InputError(f'the model gives {model[k, j]} for {self.joint_names[j]!r} at '
                             f'{t[k]:.3f} s; expected a finite torque: check the recorded '
                             'positions and the limits of the model')
        if not self.count:
            self._first = measured[0].copy()
        deviation = measured - self._first
        error = measured - model
        self.count += len(t)
        self._sum += deviation.sum(axis=0)
        self._squares += np.einsum('ij,ij->j', deviation, deviation)
        self._errors += np.einsum('ij,ij->j', error, error)
        self._models += np.einsum('ij,ij->j', model, model)
        self._products += np.einsum('ij,ij->j', measured, model)
        rows = np.abs(error).argmax(axis=0)
        largest = error[rows, np.arange(error.shape[1])]
        larger = np.abs(largest) > np.abs(self.worst)
        self.worst[larger], self.worst_time[larger] = largest[larger], t[rows[larger]]
        self.envelope.add(t, np.hstack([measured, model, error]))

    @property
    def rmse(self) -> FloatArray:
        """Return the root mean square of measured - model."""
        return np.sqrt(self._errors / max(self.count, 1))

    @property
    def rms(self) -> FloatArray:
        """Return the root mean square of the measured effort."""
        if not self.count:
            return np.zeros(len(self.joint_names))
        mean = self._first + self._sum / self.count
        return np.sqrt(np.maximum(self._variation / self.count + mean**2, 0.0))

    @property
    def _variation(self) -> FloatArray:
        """Return the sum of (effort - its mean)^2."""
        return self._squares - self._sum**2 / max(self.count, 1)

    @property
    def normalized(self) -> FloatArray:
        """Return rmse / rms, NaN where there was no effort."""
        rms = self.rms
        return np.where(rms > 0.0, self.rmse / np.where(rms > 0.0, rms, 1.0), np.nan)

    @property
    def r2(self) -> FloatArray:
        """Return 1 - sum error^2 / sum (effort - mean)^2, NaN where the effort is constant."""
        varies = self._variation > 1e-12 * np.maximum(self._squares, 1e-300)
        return np.where(varies, 1.0 - self._errors / np.where(varies, self._variation, 1.0),
                        np.nan)

    def remarks(self) -> list[str]:
        """Return sentences on joints that the model does not describe, with a likely cause."""
        if not self.count or not self.rms.any():
            return ['every effort is zero: the driver reports none'] if self.count else []
        # effort = factor model, by least squares
        factor = self._products / np.where(self._models > 0.0, self._models, np.inf)
        similar = np.abs(factor) * np.sqrt(self._models / self.count) > SIMILAR * self.rms
        suspicious = (self.normalized > POOR) | similar & (factor > UNITS)
        if not suspicious[self._models.argmax()]:     # friction may dominate lighter joints
            return []
        joints: dict[str, list[str]] = {}
        for j in np.flatnonzero(suspicious):
            if similar[j] and 0.5 < -factor[j] < 2.0:
                cause = 'the effort has the opposite sign'
            elif similar[j] and factor[j] > 0.0:
                cause = (f'the effort is {factor[j]:.2g} times the torque of the model: is it in '
                         'other units, or that of the motor?')
            else:
                cause = 'the model is worse than none: is this the URDF of the arm?'
            joints.setdefault(cause, []).append(self.joint_names[j])
        return [f'{", ".join(names)}: {cause}' for cause, names in joints.items()]

    def rows(self) -> list[dict[str, str | float]]:
        """Return the errors as a list of {name: value}, one entry per joint."""
        columns = {'rms': self.rms, 'rmse': self.rmse, 'normalized': self.normalized,
                   'r2': self.r2, 'worst': self.worst, 'worst_time': self.worst_time}
        return [{'joint': name, 'unit': unit,
                 **{key: float(values[j]) for key, values in columns.items()}}
                for j, (name, unit) in enumerate(zip(self.joint_names, self.units))]

    def table(self, more: Mapping[str, FloatArray] | None = None) -> str:
        """Return the errors as text; more: {title: values (n,)} of further columns."""
        more = more or {}
        rows = [['joint', 'unit', 'RMS', 'RMSE', 'RMSE/RMS', 'R2', 'worst', 'at [s]', *more]]
        rows += [[*(cell if isinstance(cell, str) else _number(cell) for cell in row.values()),
                  *(_number(float(values[j])) for values in more.values())]
                 for j, row in enumerate(self.rows())]
        widths = [max(map(len, column)) for column in zip(*rows)]
        return '\n'.join('  '.join([
            *(cell.ljust(width) for cell, width in zip(row[:2], widths)),
            *(cell.rjust(max(width, 8)) for cell, width in zip(row[2:], widths[2:]))])
            for row in rows)


class Envelope:
    """Minimum and maximum of m signals in `bins` to 2 `bins` bins of time, whatever their length.

    Bins double in width when there are too many. t (B,) [s]: the starts of the bins that hold
    samples; low, high (B, m).
    """

    def __init__(self, m: int, bins: int = 600) -> None:
        self._most = 2 * bins
        self._width = 0.0      # [s], set by the first samples
        self._start = 0.0
        self._bins: IntArray = np.zeros(0, np.int64)
        self.low: FloatArray = np.zeros((0, m))
        self.high: FloatArray = np.zeros((0, m))

    @property
    def t(self) -> FloatArray:
        """Return the starts of the bins [s]."""
        return self._start + self._width * self._bins.astype(np.float64)

    def add(self, t: FloatArray, rows: FloatArray) -> None:
        """Add samples at times t (N,) [s], rows (N, m)."""
        if not len(t):
            return
        if not self._width:
            self._start = float(t[0])
            self._width = max(float(t[-1] - t[0]) / self._most, 1e-9)
        bins = np.floor((t - self._start) / self._width).astype(np.int64)
        self._merge(np.concatenate([self._bins, bins]), np.concatenate([self.low, rows]),
                    np.concatenate([self.high, rows]))
        while len(self._bins) > self._most:
            self._width *= 2.0
            self._merge(self._bins // 2, self.low, self.high)

    def _merge(self, bins: IntArray, low: FloatArray, high: FloatArray) -> None:
        # time may go back between the segments of a recording, so bins are sorted
        order = np.argsort(bins, kind='stable')
        bins = bins[order]
        first = np.flatnonzero(np.diff(bins, prepend=bins[0] - 1))
        self.low = np.minimum.reduceat(low[order], first)
        self.high = np.maximum.reduceat(high[order], first)
        self._bins = bins[first]


def evaluate(dynamics: Dynamics, motions: Iterable[Motion],
             on_block: Callable[[Motion, FloatArray], object] | None = None,
             threads: int = 1) -> Evaluation:
    """Return the Evaluation of a Dynamics on an iterable of Motions with effort.

    on_block: called with each Motion and the model's torques (N, n) for it.
    """
    robot = dynamics.robot
    result = Evaluation(robot.joint_names,
                        [joint.effort_unit for joint in robot.independent_joints])
    for motion in motions:
        tau = dynamics.inverse_many(motion.q, motion.qd, motion.qdd, threads=threads)
        measured = measured_effort(motion)
        result.add(motion.t, measured, tau)
        result.causes.add(motion.qd, motion.qdd, tau, measured - tau)
        if on_block is not None:
            on_block(motion, tau)
    return result


def measured_effort(motion: Motion) -> FloatArray:
    """Return the measured effort (N, n) of a Motion, or raise where it has none."""
    if motion.effort is None:
        raise InputError('the recording has no effort; expected the torque of each joint: record '
                         'joint states with efforts')
    return motion.effort


def _number(value: float) -> str:
    if not np.isfinite(value):
        return '-'
    return f'{value:.3f}' if abs(value) < 1e6 else f'{value:.3e}'
