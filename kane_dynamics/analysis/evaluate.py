# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How well a model's torques are those that were measured, joint by joint."""

from __future__ import annotations

import numpy as np

from kane_dynamics.analysis.envelope import Envelope
from kane_dynamics.exceptions import InputError

WORSE = 1.5        # rmse / rms from which on a model is not of this arm, or not in its units
ALIKE = 0.9        # cosine of the angle between measured and model from which on a factor is told
TIMES = 10.0       # factor from which on it is one of units, and not of friction or rotors


class Evaluation:
    """Figures of a comparison, gathered block by block; all arrays are (n_joints,).

    rms: of the measured effort; rmse: of measured - model; normalized: rmse / rms; r2: the share
    of the effort's variance that the model explains, NaN where the effort is constant; worst and
    worst_time: the largest error and when [s].
    """

    def __init__(self, joint_names, units=None, bins=600):
        n = len(joint_names)
        self.joint_names, self.units = tuple(joint_names), tuple(units or ['N m'] * n)
        self.count = 0
        self._first = None
        self._sum, self._squares, self._errors, self._models, self._products = np.zeros((5, n))
        self.worst, self.worst_time = np.zeros(n), np.full(n, np.nan)
        self.envelope = Envelope(bins)       # of measured, then model

    def add(self, t, measured, model):
        """Take samples: t (N,) [s], efforts (N, n)."""
        if not len(t):
            return
        if not np.isfinite(model).all():
            k, j = np.argwhere(~np.isfinite(model))[0]
            raise InputError(f'the model gives {model[k, j]} for {self.joint_names[j]!r} at '
                             f'{t[k]:.3f} s')
        if self._first is None:
            self._first = measured[0].copy()   # sums about it do not cancel
        about = measured - self._first
        error = measured - model
        self.count += len(t)
        self._sum += about.sum(axis=0)
        self._squares += np.einsum('ij,ij->j', about, about)
        self._errors += np.einsum('ij,ij->j', error, error)
        self._models += np.einsum('ij,ij->j', model, model)
        self._products += np.einsum('ij,ij->j', measured, model)
        places = np.abs(error).argmax(axis=0)
        largest = error[places, np.arange(error.shape[1])]
        better = np.abs(largest) > np.abs(self.worst)
        self.worst[better], self.worst_time[better] = largest[better], t[places[better]]
        self.envelope.add(t, np.hstack([measured, model]))

    @property
    def rmse(self):
        """Return the root mean square of measured - model."""
        return np.sqrt(self._errors / max(self.count, 1))

    @property
    def rms(self):
        """Return the root mean square of the measured effort."""
        if not self.count:
            return np.zeros(len(self.joint_names))
        mean = self._first + self._sum / self.count
        return np.sqrt(np.maximum(self._variation / self.count + mean**2, 0.0))

    @property
    def _variation(self):
        """Return the sum of (effort - its mean)^2."""
        return self._squares - self._sum**2 / max(self.count, 1)

    @property
    def normalized(self):
        """Return rmse / rms, NaN where there was no effort."""
        rms = self.rms
        return np.where(rms > 0.0, self.rmse / np.where(rms > 0.0, rms, 1.0), np.nan)

    @property
    def r2(self):
        """Return 1 - sum error^2 / sum (effort - mean)^2, NaN where the effort is constant."""
        varies = self._variation > 1e-12 * np.maximum(self._squares, 1e-300)
        return np.where(varies, 1.0 - self._errors / np.where(varies, self._variation, 1.0),
                        np.nan)

    def remarks(self):
        """Return sentences on joints whose model is worse than none, and what may be the cause."""
        if not self.count or not self.rms.any():
            return ['every effort is zero: the driver tells none'] if self.count else []
        # effort = factor model, by least squares
        factor = self._products / np.where(self._models > 0.0, self._models, np.inf)
        alike = np.abs(factor) * np.sqrt(self._models / self.count) > ALIKE * self.rms
        strange = (self.normalized > WORSE) | alike & (factor > TIMES)
        if not strange[self._models.argmax()]:     # lighter joints may be all friction
            return []
        said = {}
        for j in np.flatnonzero(strange):
            if alike[j] and 0.5 < -factor[j] < 2.0:
                why = 'the effort has the other sign'
            elif alike[j] and factor[j] > 0.0:
                why = (f'the effort is {factor[j]:.2g} times what the model says: in other units, '
                       'or of the motor?')
            else:
                why = 'the model is worse than none: is this the URDF of the arm?'
            said.setdefault(why, []).append(self.joint_names[j])
        return [f'{", ".join(names)}: {why}' for why, names in said.items()]

    def rows(self):
        """Return the figures as a list of {name: value}, a joint each."""
        columns = {'rms': self.rms, 'rmse': self.rmse, 'normalized': self.normalized,
                   'r2': self.r2, 'worst': self.worst, 'worst_time': self.worst_time}
        return [{'joint': name, 'unit': unit,
                 **{key: float(values[j]) for key, values in columns.items()}}
                for j, (name, unit) in enumerate(zip(self.joint_names, self.units))]

    def table(self):
        """Return the figures as text."""
        rows = [['joint', 'unit', 'RMS', 'RMSE', 'RMSE/RMS', 'R2', 'worst', 'at [s]']]
        rows += [[row['joint'], row['unit'], *(_shown(row[key]) for key in (
            'rms', 'rmse', 'normalized', 'r2', 'worst', 'worst_time'))] for row in self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        return '\n'.join('  '.join([
            *(cell.ljust(width) for cell, width in zip(row[:2], widths)),
            *(cell.rjust(max(width, 8)) for cell, width in zip(row[2:], widths[2:]))])
            for row in rows)


def evaluate(dynamics, motions, on_block=None, threads=1):
    """Return the Evaluation of a Dynamics on an iterable of Motions with effort.

    on_block: called with each Motion and the model's torques (N, n) for it.
    """
    robot = dynamics.robot
    result = Evaluation(robot.joint_names, effort_units(robot))
    for motion in motions:
        tau = dynamics.inverse_many(motion.q, motion.qd, motion.qdd, threads=threads)
        result.add(motion.t, motion.effort, tau)
        if on_block is not None:
            on_block(motion, tau)
    return result


def effort_units(robot):
    """Return 'N m' or 'N' for each independent joint."""
    return ['N' if joint.kind == 'prismatic' else 'N m' for joint in robot.independent_joints]


def _shown(value):
    if not np.isfinite(value):
        return '-'
    return f'{value:.3f}' if abs(value) < 1e6 else f'{value:.3e}'
