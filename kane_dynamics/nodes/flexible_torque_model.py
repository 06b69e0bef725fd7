# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The torque of an arm whose links and joints bend: it remembers what they do."""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.dynamics.elastic_state import CYCLE_ANGLE, step_of
from kane_dynamics.nodes.torque_model import TorqueModel

LONGEST_RUN = 200_000   # steps along one trajectory


class FlexibleTorqueModel(TorqueModel):
    """Compute the torques that make the joints follow, the links doing what they do.

    The joints' motion is given, the elastic rows are integrated (dynamic), or solved without
    inertia of their own (quasi-static), as in gravity holds. Integration begins at the sag of the
    pose where the arm is first told of, and goes on as long as cycles come.

    Args:
        dynamics, active, locked, friction, armature: as of TorqueModel.
        dynamic: integrate; else quasi-static.
        period: of the cycles [s]. Where the lowest mode turns by more than CYCLE_ANGLE in it, the
            deflection is quasi-static whatever is asked for.
        regular: whether cycles come at the period; otherwise each is looked at by itself.
    """

    def __init__(self, dynamics, active, locked, friction=None, armature=None, dynamic=True,
                 period=2e-3, regular=True):
        super().__init__(dynamics, active, locked, friction, armature)
        self.frequencies = dynamics.locked_frequencies()
        self.longest_cycle = CYCLE_ANGLE / self.frequencies[0]
        if not regular:
            period = min(period, self.longest_cycle)
        self.asked_dynamic, self.period = dynamic, period
        step = step_of(self.frequencies, period)
        self.dynamic = dynamic and math.isfinite(step)
        self.elastic = dynamics.elastic_state(step if math.isfinite(step) else self.longest_cycle)
        self.skipped = False        # whether the last cycle was too long to integrate over
        for index, value in self._locked:
            self.elastic.motion[0, index] = value

    @property
    def range_hz(self):
        """Return the lowest and the highest frequency [Hz], joints locked at zero."""
        return self.frequencies[0] / math.tau, self.frequencies[-1] / math.tau

    @property
    def lowest(self):
        """Return what the lowest mode is and asks for, in words."""
        return (f'{self.range_hz[0]:.4g} Hz; it may turn by {CYCLE_ANGLE:g} rad in a cycle, which '
                f'takes at least {1.0 / self.longest_cycle:.4g} cycles per second')

    @property
    def fallback(self):
        """Return why the deflection is quasi-static although it was asked to be dynamic, or ''."""
        if self.dynamic or not self.asked_dynamic:
            return ''
        return (f'the deflection is quasi-static: a cycle of {1e3 * self.period:.4g} ms is too '
                f'long for the lowest mode ({self.lowest})')

    def describe(self):
        """Return a sentence for the log."""
        low, high = self.range_hz
        text = f'{len(self.frequencies)} elastic coordinates, {low:.4g} ... {high:.4g} Hz'
        if self.dynamic:
            return (f'{text}: integrated in steps of at most '
                    f'{1e3 * self.elastic.longest_step:.3g} ms')
        return f'{text}: quasi-static'

    def restart(self):
        """Forget what was before: the next cycle begins at the sag of its pose."""
        self.elastic.known = self.skipped = False

    def take_over(self, other):
        """Go on from where another model of the arm is."""
        self.elastic.take_over(other.elastic)

    def _bound_inverse(self, q, qd, qdd, out):
        elastic, longest = self.elastic, self.longest_cycle
        write, read = self._writer(q, qd, qdd), self._reader(out)

        def step():
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

    def _bound_rest(self, q, out):
        elastic, zero = self.elastic, np.zeros(len(self.joint_names))
        write, read = self._writer(q, zero, zero), self._reader(out)

        def step():
            write()
            if elastic.known:
                elastic.rest()
            else:
                elastic.settle()
            self.skipped = False
            read()
        return step

    def _writer(self, *rows):
        """Return write(): copies q, qd, qdd (n,) to where the elastic state expects them."""
        motion, active = self.elastic.motion, self._active
        if self._whole:     # without numpy, which takes longer than the copies
            pairs = [(memoryview(place), memoryview(row)) for place, row in zip(motion, rows)]
            (to_q, q), (to_qd, qd), (to_qdd, qdd) = pairs

            def write():
                to_q[:], to_qd[:], to_qdd[:] = q, qd, qdd
        else:
            def write():
                motion[:, active] = rows
        return write

    def _reader(self, out):
        """Return read(): copies the torque to `out` (n,)."""
        tau, active = self.elastic.tau, self._active
        if self._whole:
            source, place = memoryview(tau), memoryview(out)

            def read():
                place[:] = source
        else:
            def read():
                np.take(tau, active, out=out)
        return read

    def _inverse_many(self, q, qd, qdd):
        motions = np.concatenate(self._of_all_joints(q, qd, qdd), axis=1)
        return self._planned(self.period).rest_along(motions)[1][:, self._active]

    def along(self, trajectory, interval):
        """Return effort(times) as TorqueModel.along, the links beginning at the sag of the start.

        The step follows the modes that `interval` can follow, whatever the rate of the cycles.
        """
        step, segments = step_of(self.frequencies, interval), trajectory.segments
        duration = trajectory.times[-1] - trajectory.times[0]
        if not self.asked_dynamic or not math.isfinite(step) or duration == 0.0:
            return super().along(trajectory, interval)
        count = min(math.ceil(duration / step), LONGEST_RUN)
        times = np.linspace(trajectory.times[0], trajectory.times[-1], count + 1)
        tau = self._planned(step).along(
            lambda part: self._of_all_joints(*segments.evaluate_many(part)), times)[1]
        tau = tau[:, self._active]

        def effort(asked):
            _, qd, qdd = segments.evaluate_many(asked)
            between = np.stack([np.interp(asked, times, column) for column in tau.T], axis=1)
            return self._transmitted(between, qd, qdd)
        return effort

    def _planned(self, step):
        """Return another elastic state, for what may come."""
        return self.dynamics.elastic_state(step)
