# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Joint trajectories: points in time and the polynomials between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args, Literal, TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.shown import ShownOnRobot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.trajectory.interpolation import carried
from kane_dynamics.trajectory.piecewise import Segments
from kane_dynamics.trajectory.spline import quintic_spline_fields, spline_velocities

END_VELOCITY = float(np.finfo(np.float32).eps)  # joint_trajectory_controller's zero [rad/s or m/s]
LIMIT_SLACK = 1e-6      # [rad, m, rad/s or m/s]: rounding of limits written with few digits
Interpolation: TypeAlias = Literal['spline', 'quintic_spline', 'fields', 'none']
INTERPOLATIONS: tuple[Interpolation, ...] = get_args(Interpolation)


@dataclass(frozen=True, eq=False)
class Trajectory(ShownOnRobot):
    """A motion of n joints through N points at strictly increasing times.

    times (N,) [s] count from `start` [s] on the caller's clock; positions (N, n) [rad or m];
    velocities, accelerations, efforts (N, n) or None; a row of NaN is a point that does not carry
    the field. Outside its points it rests: position held, velocity and acceleration zero.

    interpolation:
      'spline'          positions only: the C2 cubic spline with ends at rest; otherwise 'fields'
      'quintic_spline'  positions only: the C4 quintic spline with ends at rest; otherwise 'fields'
      'fields'          by what both ends of a segment carry: linear, cubic, quintic; effort linear
      'none'            the next point, unchanged

    segments: the polynomials, where the caller already has them.

    float64 resolves 0.2 us in seconds since 1970: count from a recent epoch where it matters.
    """

    joint_names: tuple[str, ...]
    times: FloatArray
    positions: FloatArray
    velocities: FloatArray | None = None
    accelerations: FloatArray | None = None
    efforts: FloatArray | None = None
    start: float = 0.0
    interpolation: Interpolation = 'spline'
    segments: Segments = field(default=None, repr=False)  # type: ignore[assignment]  # see _join

    if TYPE_CHECKING:       # the constructor takes lists too
        def __init__(self, joint_names: Sequence[str], times: ArrayLike, positions: ArrayLike,
                     velocities: ArrayLike | None = None, accelerations: ArrayLike | None = None,
                     efforts: ArrayLike | None = None, start: float = 0.0,
                     interpolation: Interpolation = 'spline',
                     segments: Segments | None = None) -> None: ...

    def __post_init__(self) -> None:
        """Check the points, make them read-only and join them."""
        put: Callable[[object, str, object], None] = object.__setattr__
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

    def _check(self, names: tuple[str, ...], times: FloatArray) -> None:
        if not names or len(set(names)) != len(names):
            raise InputError(f'joint_names must be one name or more, each once; got {list(names)}')
        if not len(times) or not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
            raise InputError('times must be at least one finite number, strictly increasing')
        if not np.isfinite(self.start):
            raise InputError(f'start must be a finite time [s]; got {self.start}')
        if self.interpolation not in INTERPOLATIONS:
            raise InputError(
                f'interpolation {self.interpolation!r} is not one of {INTERPOLATIONS}')

    def _join(self, put: Callable[[object, str, object], None]) -> None:
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
        incomplete = carried(accelerations) & ~carried(velocities)
        if incomplete.any():
            raise InputError(
                f'point {int(np.argmax(incomplete))} carries accelerations but no velocities; no '
                'segment can honour them: give both or neither')
        efforts = None if self.efforts is None else np.nan_to_num(self.efforts)
        method: Literal['fields', 'none'] = 'none' if self.interpolation == 'none' else 'fields'
        put(self, 'segments', Segments.through(
            self.times, self.positions, velocities, accelerations, efforts, method))

    def __repr__(self) -> str:
        return (f'Trajectory({self.n_joints} joints, {len(self.times)} points, '
                f'{self.start + self.times[0]:.4g} ... {self.end:.4g} s, {self.interpolation})')

    @property
    def n_joints(self) -> int:
        """Return the number of joints."""
        return len(self.joint_names)

    @property
    def duration(self) -> float:
        """Return the time from the first to the last point [s]."""
        return float(self.times[-1] - self.times[0])

    @property
    def end(self) -> float:
        """Return the time of the last point on the caller's clock [s]."""
        return self.start + float(self.times[-1])

    @property
    def has_effort(self) -> bool:
        """Return whether any point carries effort."""
        return self.efforts is not None

    def sample(self, t: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return q, qd, qdd and effort, each (n,), at time t [s] of the caller's clock.

        Control loops use a `CycleSampler`, which fills given arrays.
        """
        q, qd, qdd = self.segments.evaluate(t - self.start)
        return q, qd, qdd, self.segments.effort_at(t - self.start)

    def sample_many(
            self, ts: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return q, qd, qdd and effort, each (M, n), at times ts (M,) [s]."""
        times = np.asarray(ts, dtype=float) - self.start
        return *self.segments.evaluate_many(times), self.segments.effort_at_many(times)

    def starting_at(self, start: float) -> Trajectory:
        """Return the same motion moved in time: its times count from another start [s]."""
        return replace(self, start=start)

    def counted_from(self, start: float) -> Trajectory:
        """Return the same motion at the same time; its times count from another start [s]."""
        offset = self.start - start
        return replace(self, start=start, times=self.times + offset,
                       segments=self.segments.translated(offset))


def hold(joint_names: Sequence[str], positions: ArrayLike, start: float = 0.0) -> Trajectory:
    """Return the trajectory that rests at positions (n,) for ever."""
    row: Any = [positions]      # checked by Trajectory
    return Trajectory(joint_names, [0.0], row, start=start)


def brake(joint_names: Sequence[str], position: ArrayLike, velocity: ArrayLike,
          deceleration: ArrayLike, start: float = 0.0) -> Trajectory:
    """Return the trajectory that brings a moving arm to rest, each joint at its own deceleration.

    position, velocity (n,), deceleration [rad/s^2 or m/s^2] scalar or (n,): as with
    max_deceleration_on_cancel, joint j stops after |v|/d at q + v |v|/(2 d).
    """
    position, velocity = np.asarray(position, dtype=float), np.asarray(velocity, dtype=float)
    deceleration = np.broadcast_to(np.asarray(deceleration, dtype=float), velocity.shape)
    if not (deceleration > 0.0).all():
        raise InputError(f'decelerations must be positive; got {deceleration}')
    velocity = np.where(np.abs(velocity) > END_VELOCITY, velocity, 0.0)
    stop = np.abs(velocity) / deceleration
    times = np.union1d([0.0], np.ceil(stop * 1e6) * 1e-6)  # stops nearer than 1 us are one knot
    # quadratic up to the stop: cubics with these positions and velocities reproduce it exactly
    t = np.minimum(times[:, None], stop)
    slowing = np.sign(velocity) * deceleration
    return Trajectory(joint_names, times, position + t * (velocity - 0.5 * slowing * t),
                      velocity - slowing * t, start=start)


def _frozen(rows: FloatArray) -> FloatArray:
    rows.setflags(write=False)
    return rows


def _read_only(name: str, values: Any, shape: tuple[int, int] | None) -> FloatArray:
    try:
        rows = np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f'{name} must be numbers in rows of equal length: {error}') from None
    if shape is None and rows.ndim != 1 or shape is not None and rows.shape != shape:
        raise InputError(f'{name} must have shape {shape or "(N,)"}; got {rows.shape}')
    return _frozen(rows)
