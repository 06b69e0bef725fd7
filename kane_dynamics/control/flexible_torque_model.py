# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torque model of an arm with flexible links and joints, whose elastic state it integrates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math

import numpy as np

from kane_dynamics.control.torque_model import Step, TorqueModel
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.elastic_state import CYCLE_ANGLE, ElasticState, step_of
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.trajectory.trajectory import Trajectory

LONGEST_RUN = 200_000   # steps along one trajectory


class FlexibleTorqueModel(TorqueModel):
    """Compute the torques that make the joints of a flexible arm follow a motion.

    The motion of the joints is given; the elastic rows are integrated (dynamic), or solved without
    inertia of their own (quasi-static), as in gravity holds. Integration starts from the static
    sag at the first joint state and continues from cycle to cycle.

    Args:
        dynamics, active, locked, friction, armature: as of TorqueModel.
        dynamic: integrate; else quasi-static.
        period: of the cycles [s]. Where the phase of the lowest mode advances by more than
            CYCLE_ANGLE in it, the deflection is always quasi-static.
        regular: whether cycles come at the period; otherwise the length of each is checked.
    """

    elastic: ElasticState

    def __init__(self, dynamics: Dynamics, active: Sequence[str] | None = None,
                 locked: Mapping[str, float] | None = None, friction: Friction | None = None,
                 armature: ArrayLike | None = None, dynamic: bool = True, period: float = 2e-3,
                 regular: bool = True) -> None:
        super().__init__(dynamics, active, locked, friction, armature)
        self.frequencies: FloatArray = dynamics.locked_frequencies()    # [rad/s]
        self.longest_cycle = float(CYCLE_ANGLE / self.frequencies[0])
        if not regular:
            period = min(period, self.longest_cycle)
        self.asked_dynamic, self.period = dynamic, period
        step = step_of(self.frequencies, period)
        self.dynamic = dynamic and math.isfinite(step)
        self.elastic = dynamics.elastic_state(step if math.isfinite(step) else self.longest_cycle)
        self.lowest = (f'{self.range_hz[0]:.4g} Hz; its phase may advance by {CYCLE_ANGLE:g} rad '
                       f'in a cycle, which takes at least {1.0 / self.longest_cycle:.4g} cycles '
                       'per second')
        for index, value in self._locked:
            self.elastic.motion[0, index] = value

    @property
    def range_hz(self) -> tuple[float, float]:
        """Return the lowest and the highest frequency [Hz], joints locked at zero."""
        return float(self.frequencies[0] / math.tau), float(self.frequencies[-1] / math.tau)

    @property
    def fallback(self) -> str:
        """Return why the deflection is quasi-static although dynamic was requested, or ''."""
        if self.dynamic or not self.asked_dynamic:
            return ''
        return (f'the deflection is quasi-static: a cycle of {1e3 * self.period:.4g} ms is too '
                f'long for the lowest mode ({self.lowest})')

    def describe(self) -> str:
        """Return a sentence for the log."""
        low, high = self.range_hz
        text = f'{len(self.frequencies)} elastic coordinates, {low:.4g} ... {high:.4g} Hz'
        if self.dynamic:
            return (f'{text}: integrated in steps of at most '
                    f'{1e3 * self.elastic.longest_step:.3g} ms')
        return f'{text}: quasi-static'

    def restart(self) -> None:
        """Forget the elastic state: the next cycle starts from its static sag."""
        self.elastic.known = self.skipped = False

    def take_over(self, other: TorqueModel) -> None:
        """Continue from the elastic state of another model of the arm."""
        if other.elastic is not None:
            self.elastic.take_over(other.elastic)

    def _bound_inverse(self, q: FloatArray, qd: FloatArray, qdd: FloatArray,
                       out: FloatArray) -> Step:
        elastic, longest = self.elastic, self.longest_cycle
        write, read = self._writer(q, qd, qdd), self._reader(out)

        def step() -> None:
            write()
            if not elastic.known:
                elastic.settle()
            if self.dynamic and self.dt <= longest:
                elastic.advance(self.dt)
                self.skipped = False
            else:
                elastic.rest()
                self.skipped = self.dynamic
            read()
        return step

    def _bound_rest(self, q: FloatArray, out: FloatArray) -> Step:
        elastic, zero = self.elastic, np.zeros(len(self.joint_names))
        write, read = self._writer(q, zero, zero), self._reader(out)

        def step() -> None:
            write()
            if elastic.known:
                elastic.rest()
            else:
                elastic.settle()
            self.skipped = False
            read()
        return step

    def _writer(self, *rows: FloatArray) -> Step:
        """Return write(): copies q, qd, qdd (n,) into the motion of the elastic state."""
        motion, active = self.elastic.motion, self._active

        def write_active() -> None:
            motion[:, active] = rows
        if not self._whole:
            return write_active
        # without numpy, which takes longer than the copies
        (to_q, q), (to_qd, qd), (to_qdd, qdd) = (
            (target.data, row.data) for target, row in zip(motion, rows))

        def write() -> None:
            to_q[:], to_qd[:], to_qdd[:] = q, qd, qdd
        return write

    def _reader(self, out: FloatArray) -> Step:
        """Return read(): copies the torque to `out` (n,)."""
        tau, active = self.elastic.tau, self._active

        def read_active() -> None:
            np.take(tau, active, out=out)
        if not self._whole:
            return read_active
        source, target = tau.data, out.data

        def read() -> None:
            target[:] = source
        return read

    def _inverse_many(self, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
        motions = np.concatenate(self._of_all_joints(q, qd, qdd), axis=1)
        return self._planned(self.period).rest_along(motions)[1][:, self._active]

    def along(self, trajectory: Trajectory,
              interval: float) -> Callable[[FloatArray], FloatArray]:
        """Return effort(times) as TorqueModel.along, the links starting from their static sag.

        The step resolves the modes that `interval` can resolve, whatever the rate of the cycles.
        """
        step, segments = step_of(self.frequencies, interval), trajectory.segments
        duration = trajectory.times[-1] - trajectory.times[0]
        if not self.asked_dynamic or not math.isfinite(step) or duration == 0.0:
            return super().along(trajectory, interval)
        count = min(math.ceil(duration / step), LONGEST_RUN)
        times = np.linspace(trajectory.times[0], trajectory.times[-1], count + 1)

        def motion(at: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            q, qd, qdd = self._of_all_joints(*segments.evaluate_many(at))
            return q, qd, qdd
        tau = self._planned(step).along(motion, times)[1][:, self._active]

        def effort(at: FloatArray) -> FloatArray:
            _, qd, qdd = segments.evaluate_many(at)
            between = np.stack([np.interp(at, times, column) for column in tau.T], axis=1)
            return self._transmitted(between, qd, qdd)
        return effort

    def _planned(self, step: float) -> ElasticState:
        """Return an elastic state of its own for a computation ahead of time."""
        return self.dynamics.elastic_state(step)
