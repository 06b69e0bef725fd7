# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Velocity and acceleration of recorded motion, block by block, without lag.

A recording is cut where samples are missing for long. Each piece is put on an even grid in time,
filtered by a `SmoothingKernel` and read off at the times of its samples. The ends of a piece,
where the kernel would reach beyond it, are left out and counted.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.lagrange import interpolate, POINTS
from kane_dynamics.motion.recording import Motion, Samples
from kane_dynamics.motion.smoothing_kernel import SmoothingKernel
from kane_dynamics.motion.speed_check import SpeedCheck

SPEEDS = ('auto', 'measured', 'position')
DEFAULT_BANDWIDTH = 10.0   # [Hz]: arms move below it, their gears rattle above
DEFAULT_SHARE = 1.0 / 6.0  # of the sample rate, where that is less
BLOCK = 16384              # samples that are filtered at once
EVEN = 1e-6                # of the period: samples this close to the grid are on it


class Smoother:
    """Turn blocks of `Samples` into blocks of `Motion`; afterwards tell what was done.

    Args:
        joint_names: the n joints.
        bandwidth: half-power bandwidth [Hz]; None: 10 Hz, or a sixth of the sample rate.
        speeds: 'measured': velocity is the recorded one, filtered, and acceleration its
            derivative; 'position': both are derivatives of the position; 'auto': 'measured' where
            velocities were recorded. Recorded velocities that contradict the positions are
            refused, by name, when all has been read.
        continuous: indices of the joints whose angle may jump by full turns: it is unwrapped.

    Attributes: bandwidth and period as used; samples, used, at_ends, pieces, short_pieces (left
    out whole), gaps, longest_gap [s], turns (unwrapped jumps).
    """

    def __init__(self, joint_names, bandwidth=None, speeds='auto', continuous=()):
        if speeds not in SPEEDS:
            raise InputError(f'speeds {speeds!r} is not one of {list(SPEEDS)}')
        self.joint_names = tuple(joint_names)
        self.bandwidth, self.speeds, self.period = bandwidth, speeds, None
        self.continuous = list(continuous)
        self.samples = self.used = self.pieces = self.short_pieces = self.gaps = self.turns = 0
        self.longest_gap = 0.0
        self._check = None

    @property
    def at_ends(self):
        """Return the number of samples that the kernel reached beyond the end of a piece for."""
        return self.samples - self.used

    def motions(self, blocks):
        """Yield Motions of all that can be used of an iterable of Samples."""
        piece = None
        for block in blocks:
            if not len(block):
                continue
            self._settle(block)
            for part in self._parts(block, piece):
                if part.begins:
                    yield from self._end(piece)
                    piece = _Piece(self)
                    self.pieces += 1
                yield from self._counted(piece.add(part))
        yield from self._end(piece)
        if self._check is not None:
            self._check.verify(self.joint_names)

    def _end(self, piece):
        if piece is not None:
            yield from self._counted(piece.flush())
            self.short_pieces += not piece.gave

    def _counted(self, motions):
        for motion in motions:
            self.used += len(motion)
            yield motion

    def _settle(self, block):
        """Choose the period, bandwidth and speeds by the first block; count this one."""
        self.samples += len(block)
        if self.period is None and len(block) > 1:
            self.period = _usual_period(block.t)
            if self.bandwidth is None:
                self.bandwidth = min(DEFAULT_BANDWIDTH, DEFAULT_SHARE / self.period)
            self.kernel = SmoothingKernel(self.bandwidth, self.period)
            if self.speeds == 'auto':
                self.speeds = 'position' if block.velocity is None else 'measured'
            if self.speeds == 'measured':
                self._check = SpeedCheck(len(self.joint_names))
        if self.period is not None and self.speeds == 'measured' and block.velocity is None:
            raise InputError(f'velocities are missing from {block.t[0]:.3f} s on; use '
                             "speeds='position' to take them from the positions")

    def _parts(self, block, piece):
        """Yield the block cut at gaps, angles unwrapped."""
        if self.period is None:  # one sample only: no grid, and nothing to filter
            return
        longest = max(2.5 * self.period, 0.25 / self.bandwidth)
        last = None if piece is None or block.begins else piece.last_time
        before = np.diff(block.t, prepend=block.t[0] if last is None else last)
        cuts = np.flatnonzero(before > longest)
        self.gaps += len(cuts)
        if len(cuts):
            self.longest_gap = max(self.longest_gap, float(before.max()))
        places = [0, *(cut for cut in cuts if cut > 0), len(block)]
        for first, end in zip(places, places[1:]):
            begins = first > 0 or last is None or 0 in cuts
            yield self._unwrapped(block, first, end, None if begins else piece, begins)
            piece = None

    def _unwrapped(self, block, first, end, piece, begins):
        position = block.position[first:end]
        if self.continuous:
            position = position.copy()
            for j in self.continuous:
                start = [] if piece is None else [piece.last_position[j]]
                angles = np.unwrap(np.concatenate([start, position[:, j]]))[len(start):]
                self.turns += int((np.abs(np.diff(position[:, j])) > np.pi).sum())
                position[:, j] = angles
        return Samples(block.t[first:end], position,
                       None if block.velocity is None else block.velocity[first:end],
                       None if block.effort is None else block.effort[first:end], begins)


def _usual_period(t):
    """Return the time between samples [s]: the median, or the mean where they come in bursts."""
    steps = np.diff(t)
    median = float(np.median(steps))
    mean = float(steps[steps <= max(0.1, 3.0 * median)].mean())
    return median if median > 0.5 * mean else mean


class _Piece:
    """Samples without gaps: what came, less what is no longer needed."""

    def __init__(self, smoother):
        self._smoother, self.kernel = smoother, smoother.kernel
        self._measured = smoother.speeds == 'measured'
        self._t = self._rows = self._effort = None
        self._start = None          # [s] where the grid begins
        self._given = -np.inf       # [s] up to where Motions were given
        self.gave = False           # any Motion at all
        self._whole = True          # nothing was dropped yet

    @property
    def last_time(self):
        return self._t[-1]

    @property
    def last_position(self):
        return self._rows[-1]

    def add(self, samples):
        """Take samples; yield Motions that became possible."""
        rows = samples.position
        if self._measured:
            rows = np.hstack([rows, samples.velocity])
        if self._start is None:
            self._start, self._t, self._rows = samples.t[0], samples.t, rows
            self._effort = samples.effort
        else:
            self._t = np.concatenate([self._t, samples.t])
            self._rows = np.concatenate([self._rows, rows])
            if self._effort is not None:
                self._effort = np.concatenate([self._effort, samples.effort])
        if len(self._t) >= BLOCK + 2 * self.kernel.reach:
            yield from self._give(ended=False)

    def flush(self):
        """Yield what is left, the end of the piece being reached."""
        if len(self._t) > 1:
            yield from self._give(ended=True)

    def _give(self, ended):
        kernel, period, t = self.kernel, self.kernel.period, self._t
        # next to a cut that is no end of the piece, interpolation would be one-sided
        left, right = 0 if self._whole else POINTS, 0 if ended else POINTS
        first = int(np.ceil((t[left] - self._start) / period - EVEN))
        last = int(np.floor((t[-1 - right] - self._start) / period + EVEN))
        if last - first <= 2 * kernel.reach + right:
            return
        grid = self._start + np.arange(first, last + 1) * period
        begin = int(np.searchsorted(t, grid[0] - EVEN * period))
        matched = t[begin:begin + len(grid)]
        even = len(matched) == len(grid) and np.abs(matched - grid).max() <= EVEN * period
        smooth = self._filtered(self._rows[begin:begin + len(grid)] if even
                                else interpolate(t, self._rows, grid))
        core = grid[kernel.reach:len(grid) - kernel.reach]
        high = core[-1 - right]
        places = np.flatnonzero((t >= core[0] - EVEN * period) & (t > self._given)
                                & (t <= high + EVEN * period))
        if len(places):
            self._given, self.gave = t[places[-1]], True
            yield self._motion(
                t[places], smooth[places - begin - kernel.reach] if even
                else interpolate(core, smooth, t[places]), places)
        if not ended:
            self._drop(high)

    def _filtered(self, rows):
        """Return q, qd, qdd and, with measured speeds, dq/dt for the check: (M, 3 n or 4 n)."""
        n, kernel = len(self._smoother.joint_names), self.kernel
        position = rows[:, :n]
        q = kernel.apply(position, 0)
        if not self._measured:
            return np.hstack([q, kernel.apply(position, 1), kernel.apply(position, 2)])
        return np.hstack([q, kernel.apply(rows[:, n:], 0), kernel.apply(rows[:, n:], 1),
                          kernel.apply(position, 1)])

    def _motion(self, at, smooth, places):
        n = len(self._smoother.joint_names)
        if self._measured:
            self._smoother._check.add(smooth[:, n:2 * n], smooth[:, 3 * n:])
        effort = None if self._effort is None else self._effort[places]
        return Motion(at, *(np.ascontiguousarray(smooth[:, k * n:(k + 1) * n])
                            for k in range(3)), effort)

    def _drop(self, high):
        """Forget what later filtering cannot reach."""
        oldest = high - (self.kernel.reach + 4 * POINTS) * self.kernel.period
        place = int(np.searchsorted(self._t, oldest)) - 4 * POINTS
        if place > 0:
            self._t, self._rows = self._t[place:], self._rows[place:]
            if self._effort is not None:
                self._effort = self._effort[place:]
            self._whole = False
