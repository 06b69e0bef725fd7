# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A joint trajectory: points in time, the segments between them, sampled at any time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.interpolation import carried
from kane_dynamics.motion.segments import Segments
from kane_dynamics.motion.spline import quintic_spline_fields, spline_velocities

INTERPOLATIONS = ('spline', 'quintic_spline', 'fields', 'none')


@dataclass(frozen=True, eq=False)
class Trajectory:
    """N points of n joints at strictly increasing times, and a motion through them.

    times (N,) [s] count from `start` [s] on the caller's clock; positions (N, n) [rad or m];
    velocities, accelerations, efforts (N, n) or None; a row of NaN is a point that does not carry
    the field. Outside its points it rests: position held, velocity and acceleration zero.

    interpolation:
      'spline'          positions only: the C2 cubic spline with ends at rest; otherwise 'fields'
      'quintic_spline'  positions only: the C4 quintic spline with ends at rest; otherwise 'fields'
      'fields'          by what both ends of a segment carry: linear, cubic, quintic; effort linear
      'none'            the next point, as it stands

    float64 resolves 0.2 us in seconds since 1970: count from an epoch near now where it matters.
    """

    joint_names: tuple
    times: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray | None = None
    accelerations: np.ndarray | None = None
    efforts: np.ndarray | None = None
    start: float = 0.0
    interpolation: str = 'spline'
    segments: Segments | None = field(default=None, repr=False)  # given where already known

    def __post_init__(self):
        """Check the points, make them read-only and join them."""
        put = object.__setattr__
        names = tuple(self.joint_names)
        put(self, 'joint_names', names)
        put(self, 'start', float(self.start))
        times = _read_only('times', self.times, None)
        shape = (len(times), len(names))
        put(self, 'times', times)
        self._check(names, times)
        put(self, 'positions', _read_only('positions', self.positions, shape))
        if not np.isfinite(self.positions).all():
            raise InputError('positions must be finite at every point of a trajectory')
        for name in ('velocities', 'accelerations', 'efforts'):
            if getattr(self, name) is not None:
                rows = _read_only(name, getattr(self, name), shape)
                missing = np.isnan(rows)
                if np.isinf(rows).any() or (missing.any(axis=1) != missing.all(axis=1)).any():
                    raise InputError(f'{name}: a point carries n finite values, or a row of NaN')
                put(self, name, None if missing.all() else rows)
        if self.segments is None:
            self._join(put)
        put(self, '_powers', np.empty((3, 6)))
        put(self, '_state', np.empty((3, len(names))))

    def _check(self, names, times):
        if not names or len(set(names)) != len(names):
            raise InputError(f'joint_names must be one name or more, each once; got {list(names)}')
        if not len(times) or not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
            raise InputError('times must be at least one finite number, strictly increasing')
        if not np.isfinite(self.start):
            raise InputError(f'start must be a finite time [s]; got {self.start}')
        if self.interpolation not in INTERPOLATIONS:
            raise InputError(
                f'interpolation {self.interpolation!r} is not one of {INTERPOLATIONS}')

    def _join(self, put):
        if self.velocities is None and self.accelerations is None:
            if self.interpolation == 'spline':
                put(self, 'velocities', _frozen(spline_velocities(self.times, self.positions)))
            elif self.interpolation == 'quintic_spline':
                for name, rows in zip(('velocities', 'accelerations'),
                                      quintic_spline_fields(self.times, self.positions)):
                    put(self, name, _frozen(rows))
        absent = np.full(self.positions.shape, np.nan)
        velocities = absent if self.velocities is None else self.velocities
        accelerations = absent if self.accelerations is None else self.accelerations
        lonely = carried(accelerations) & ~carried(velocities)
        if lonely.any():
            raise InputError(
                f'point {int(np.argmax(lonely))} carries accelerations but no velocities; no '
                'segment can honour them: give both or neither')
        efforts = None if self.efforts is None else np.nan_to_num(self.efforts)
        method = 'none' if self.interpolation == 'none' else 'fields'
        put(self, 'segments', Segments.through(
            self.times, self.positions, velocities, accelerations, efforts, method))

    @property
    def n_joints(self):
        """Return the number of joints."""
        return len(self.joint_names)

    @property
    def duration(self):
        """Return the time from the first to the last point [s]."""
        return float(self.times[-1] - self.times[0])

    @property
    def end(self):
        """Return the time of the last point on the caller's clock [s]."""
        return self.start + float(self.times[-1])

    @property
    def has_effort(self):
        """Return whether any point carries effort."""
        return self.efforts is not None

    def sample(self, t):
        """Return q, qd, qdd and effort, each (n,), at time t [s] of the caller's clock."""
        out = np.empty((3, self.n_joints))
        self.segments.evaluate(t - self.start, np.empty((3, 6)), out)
        return out[0], out[1], out[2], self.segments.effort_at(t - self.start)

    def sample_into(self, t, q, qd, qdd):
        """Fill q, qd, qdd (n,) at time t [s]; for control loops.

        It allocates no arrays: the work space belongs to the trajectory, so that one thread at a
        time may call it (`sample` and `sample_many` are free of that).
        """
        state = self._state
        self.segments.evaluate(t - self.start, self._powers, state)
        q[:], qd[:], qdd[:] = state

    def sample_many(self, ts):
        """Return q, qd, qdd and effort, each (M, n), at times ts (M,) [s]."""
        times = np.asarray(ts, dtype=float) - self.start
        return *self.segments.evaluate_many(times), self.segments.effort_at_many(times)

    def starting_at(self, start):
        """Return the same motion moved in time: its times count from another start [s]."""
        return replace(self, start=start)

    def counted_from(self, start):
        """Return the same motion at the same time; its times count from another start [s]."""
        offset = self.start - start
        return replace(self, start=start, times=self.times + offset,
                       segments=self.segments.translated(offset))


def hold(joint_names, positions, start=0.0):
    """Return the trajectory that rests at positions (n,) for ever."""
    return Trajectory(joint_names, [0.0], [positions], start=start)


def _frozen(rows):
    rows.setflags(write=False)
    return rows


def _read_only(name, rows, shape):
    try:
        rows = np.array(rows, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f'{name} must be numbers in rows of equal length: {error}') from None
    if shape is None and rows.ndim != 1 or shape is not None and rows.shape != shape:
        raise InputError(f'{name} must have shape {shape or "(N,)"}; got {rows.shape}')
    return _frozen(rows)
