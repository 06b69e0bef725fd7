# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Velocity and acceleration of recorded motion, block by block, without lag.

A recording is cut where samples are missing for long. Each piece is interpolated on an even grid
of time, filtered by a `SmoothingKernel` and interpolated at the times of its samples. The ends of
a piece, where the kernel would reach beyond it, are left out and counted.

The errors of the result follow from the difference r between the samples and the filtered motion:
with random signs, the same for all joints of a sample, r is noise of the same size and correlation
between joints (wild bootstrap; Wu 1986), and the same filter turns it into errors of q, qd, qdd.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import get_args, Literal, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray, IntArray
from kane_dynamics.numerics.lagrange import interpolate, POINTS
from kane_dynamics.recorded.smoothing.kernel import SmoothingKernel
from kane_dynamics.recorded.smoothing.speed_check import SpeedCheck
from kane_dynamics.trajectory.motion import Motion, Samples

Speeds: TypeAlias = Literal['auto', 'measured', 'position']
SPEEDS: tuple[Speeds, ...] = get_args(Speeds)
DEFAULT_BANDWIDTH = 10.0       # [Hz]: arms move below, gears vibrate above
DEFAULT_FRACTION = 1.0 / 6.0   # largest default bandwidth as a fraction of the sample rate
BLOCK = 16384                  # samples filtered at once
EVEN = 1e-6                    # fraction of the period: samples this close to the grid are on it


class Smoother:
    """Convert blocks of `Samples` to blocks of `Motion`, and count what was used.

    Args:
        joint_names: the n joints.
        bandwidth: half-power bandwidth [Hz]; None: 10 Hz, or a sixth of the sample rate if less.
        speeds: 'measured': velocity is the recorded one, filtered, and acceleration its
            derivative; 'position': both are derivatives of the position; 'auto': 'measured' where
            velocities were recorded. Recorded velocities that contradict the positions raise an
            InputError that names the joints, at the end of the recording.
        continuous: indices of the joints whose angle may jump by full turns: it is unwrapped.
        errors: whether to sample the errors of the Motions, which doubles the time.

    Attributes: bandwidth, period and speeds as used; samples, used, at_ends, pieces, short_pieces
    (left out entirely), gaps, longest_gap [s], turns (unwrapped jumps).
    """

    def __init__(self, joint_names: Sequence[str], bandwidth: float | None = None,
                 speeds: Speeds = 'auto', continuous: Iterable[int] = (),
                 errors: bool = True) -> None:
        if speeds not in SPEEDS:
            raise InputError(f'speeds {speeds!r} is not one of {list(SPEEDS)}')
        self.joint_names = tuple(joint_names)
        self.bandwidth, self.speeds = bandwidth, speeds
        self.period: float | None = None
        self.kernel: SmoothingKernel | None = None
        self.continuous = list(continuous)
        self._errors = errors
        self.samples = self.used = self.pieces = self.short_pieces = self.gaps = self.turns = 0
        self.longest_gap = 0.0
        self._check: SpeedCheck | None = None

    @property
    def at_ends(self) -> int:
        """Return the number of samples too close to the end of a piece to be filtered."""
        return self.samples - self.used

    def motions(self, blocks: Iterable[Samples]) -> Iterator[Motion]:
        """Yield Motions of all usable samples of an iterable of Samples."""
        piece: _Piece | None = None
        for block in blocks:
            if not len(block):
                continue
            kernel = self._settle(block)
            if kernel is None:       # one sample only: no grid, and nothing to filter
                continue
            for part in self._parts(block, piece, kernel):
                if piece is None or part.begins:
                    yield from self._end(piece)
                    signs = np.random.default_rng(self.pieces) if self._errors else None
                    piece = _Piece(kernel, len(self.joint_names), self._check, signs)
                    self.pieces += 1
                yield from self._counted(piece.add(part))
        yield from self._end(piece)
        if self._check is not None:
            self._check.verify(self.joint_names)

    def _end(self, piece: _Piece | None) -> Iterator[Motion]:
        if piece is not None:
            yield from self._counted(piece.flush())
            self.short_pieces += not piece.used

    def _counted(self, motions: Iterable[Motion]) -> Iterator[Motion]:
        for motion in motions:
            self.used += len(motion)
            yield motion

    def _settle(self, block: Samples) -> SmoothingKernel | None:
        """Count a block; choose period, bandwidth and speeds by the first; return the kernel."""
        self.samples += len(block)
        if self.kernel is None and len(block) > 1:
            self.period = _usual_period(block.t)
            if self.bandwidth is None:
                self.bandwidth = min(DEFAULT_BANDWIDTH, DEFAULT_FRACTION / self.period)
            self.kernel = SmoothingKernel(self.bandwidth, self.period)
            if self.speeds == 'auto':
                self.speeds = 'position' if block.velocity is None else 'measured'
            if self.speeds == 'measured':
                self._check = SpeedCheck(len(self.joint_names))
        if self.kernel is not None and self.speeds == 'measured' and block.velocity is None:
            raise InputError(f'velocities are missing from {block.t[0]:.3f} s on; use '
                             "speeds='position' to take them from the positions")
        return self.kernel

    def _parts(self, block: Samples, piece: _Piece | None,
               kernel: SmoothingKernel) -> Iterator[Samples]:
        """Yield the block cut at gaps, angles unwrapped."""
        longest = max(2.5 * kernel.period, 0.25 / kernel.bandwidth)
        last = None if piece is None or block.begins else piece.last_time
        before = np.diff(block.t, prepend=block.t[0] if last is None else last)
        cuts = np.flatnonzero(before > longest)
        self.gaps += len(cuts)
        if len(cuts):
            self.longest_gap = max(self.longest_gap, float(before.max()))
        edges = [0, *(int(cut) for cut in cuts if cut > 0), len(block)]
        for first, end in zip(edges, edges[1:]):
            begins = first > 0 or last is None or 0 in cuts
            yield self._unwrapped(block, first, end, None if begins else piece)
            piece = None

    def _unwrapped(self, block: Samples, first: int, end: int, piece: _Piece | None) -> Samples:
        """Return samples first:end of a block; they continue `piece`; None: a new one."""
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
                       None if block.effort is None else block.effort[first:end], piece is None)


def _usual_period(t: FloatArray) -> float:
    """Return the time between samples [s]: the median, or the mean where they come in bursts."""
    steps = np.diff(t)
    median = float(np.median(steps))
    mean = float(steps[steps <= max(0.1, 3.0 * median)].mean())
    return median if median > 0.5 * mean else mean


class _Piece:
    """Samples without gaps, less those that are no longer needed.

    check: where measured speeds are compared with those of the positions; None: speeds are
    derivatives of the positions. signs: generator for the errors; None: without errors.
    """

    def __init__(self, kernel: SmoothingKernel, n: int, check: SpeedCheck | None,
                 signs: np.random.Generator | None) -> None:
        self._kernel, self._n, self._check, self._signs = kernel, n, check, signs
        width = n if check is None else 2 * n
        self._t, self._rows = np.zeros(0), np.zeros((0, width))
        self._effort: FloatArray | None = None
        self._start = 0.0           # [s] where the grid begins
        self._end = -np.inf         # [s] time of the last sample that was returned
        self._complete = True       # no sample was dropped yet

    @property
    def used(self) -> bool:
        """Return whether the piece returned any Motion."""
        return bool(self._end > -np.inf)

    @property
    def last_time(self) -> float:
        return float(self._t[-1])

    @property
    def last_position(self) -> FloatArray:
        return self._rows[-1]

    def add(self, samples: Samples) -> Iterator[Motion]:
        """Add samples; yield the Motions that can be filtered now."""
        rows = samples.position
        if self._check is not None and samples.velocity is not None:
            rows = np.hstack([rows, samples.velocity])
        if not len(self._t):
            self._start, self._t, self._rows = float(samples.t[0]), samples.t, rows
            self._effort = samples.effort
        else:
            self._t = np.concatenate([self._t, samples.t])
            self._rows = np.concatenate([self._rows, rows])
            if self._effort is not None and samples.effort is not None:
                self._effort = np.concatenate([self._effort, samples.effort])
        if len(self._t) >= BLOCK + 2 * self._kernel.reach:
            yield from self._filter(ended=False)

    def flush(self) -> Iterator[Motion]:
        """Yield the rest at the end of the piece."""
        if len(self._t) > 1:
            yield from self._filter(ended=True)

    def _filter(self, ended: bool) -> Iterator[Motion]:
        kernel, period, t = self._kernel, self._kernel.period, self._t
        # next to a cut inside the piece, interpolation would be one-sided
        left, right = 0 if self._complete else POINTS, 0 if ended else POINTS
        first = int(np.ceil((t[left] - self._start) / period - EVEN))
        last = int(np.floor((t[-1 - right] - self._start) / period + EVEN))
        if last - first <= 2 * kernel.reach + right:
            return
        grid = self._start + np.arange(first, last + 1, dtype=np.float64) * period
        begin = int(np.searchsorted(t, grid[0] - EVEN * period))
        matched = t[begin:begin + len(grid)]
        even = len(matched) == len(grid) and np.abs(matched - grid).max() <= EVEN * period
        core = grid[kernel.reach:len(grid) - kernel.reach]

        def filtered(rows: FloatArray) -> FloatArray:
            """Return samples (len(t), m) filtered, at the times of those within the core."""
            smooth = self._filtered(rows[begin:begin + len(grid)] if even
                                    else interpolate(t, rows, grid))
            return smooth if even else interpolate(core, smooth, t[inside])
        inside = np.flatnonzero((t >= core[0] - EVEN * period) & (t <= core[-1] + EVEN * period))
        smooth = filtered(self._rows)
        errors = None
        if self._signs is not None:
            noise = self._noise_sample(inside, smooth, self._signs)
            errors = filtered(noise)[:, :3 * self._n]
        high = float(core[-1 - right])
        new = (t[inside] > self._end) & (t[inside] <= high + EVEN * period)
        if new.any():
            chosen = inside[new]
            self._end = float(t[chosen[-1]])
            yield self._motion(chosen, smooth[new], None if errors is None else errors[new])
        if not ended:
            self._drop(high)

    def _filtered(self, rows: FloatArray) -> FloatArray:
        """Return q, qd, qdd and, with measured speeds, dq/dt for the check: (M, 3 n or 4 n)."""
        n, kernel = self._n, self._kernel
        position = rows[:, :n]
        q = kernel.apply(position, 0)
        if self._check is None:
            return np.hstack([q, kernel.apply(position, 1), kernel.apply(position, 2)])
        return np.hstack([q, kernel.apply(rows[:, n:], 0), kernel.apply(rows[:, n:], 1),
                          kernel.apply(position, 1)])

    def _noise_sample(self, inside: IntArray, smooth: FloatArray,
                      signs: np.random.Generator) -> FloatArray:
        """Return a sample of the noise of positions and measured velocities, as the rows.

        Zero outside of the samples `inside` (M,), of which `smooth` has the filtered motion.
        """
        kernel = self._kernel
        noise = np.zeros_like(self._rows)
        noise[inside] = self._rows[inside] - smooth[:, :noise.shape[1]]
        # the filter passes a part of the noise: var r = (1 - 2 k_0 + sum k_j^2) var noise
        value = kernel.kernels[0]
        scale = 1.0 / np.sqrt(1.0 - 2.0 * value[kernel.reach] + value @ value)
        return noise * (scale * signs.choice([-1.0, 1.0], (len(noise), 1)))

    def _motion(self, chosen: IntArray, smooth: FloatArray, errors: FloatArray | None) -> Motion:
        n = self._n
        if self._check is not None:
            self._check.add(smooth[:, n:2 * n], smooth[:, 3 * n:])
        q, qd, qdd = (np.ascontiguousarray(smooth[:, k * n:(k + 1) * n]) for k in range(3))
        return Motion(self._t[chosen], q, qd, qdd,
                      None if self._effort is None else self._effort[chosen],
                      None if errors is None else errors.reshape(-1, 3, n).transpose(1, 0, 2))

    def _drop(self, high: float) -> None:
        """Drop the samples that later filtering does not need."""
        oldest = high - (self._kernel.reach + 4 * POINTS) * self._kernel.period
        count = int(np.searchsorted(self._t, oldest)) - 4 * POINTS
        if count > 0:
            self._t, self._rows = self._t[count:], self._rows[count:]
            if self._effort is not None:
                self._effort = self._effort[count:]
            self._complete = False
