# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Simulation: the motion of an arm under torques, from an initial state, for a duration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from kane_dynamics.dynamics.drives.drives import Drives
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.progress import Progress
from kane_dynamics.model.deflection_range import range_exits, warn_of
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.simulation.equations.base_motion import BaseMotion
from kane_dynamics.simulation.equations.constrained import Constraint
from kane_dynamics.simulation.equations.link_forces import LinkForce
from kane_dynamics.simulation.equations.state import ACCOUNTS
from kane_dynamics.simulation.march import EventFunction, March
from kane_dynamics.simulation.rules.steppers import Method
from kane_dynamics.simulation.setup import FrictionKind, Setup
from kane_dynamics.simulation.solution import Solution, Statistics
from kane_dynamics.simulation.stops import Stops
from kane_dynamics.simulation.torque_law import TorqueInput
from kane_dynamics.trajectory.trajectory import Trajectory


@overload
def simulate(dyn: Dynamics, setup: Setup, /, *, progress: bool | None = None) -> Solution:
    ...


@overload
def simulate(dyn: Dynamics, q0: ArrayLike, qd0: ArrayLike, torque: TorqueInput = None, *,
             duration: float, t0: float = 0.0, dt: float | None = None, method: Method = 'rk4',
             rtol: float = 1e-8, atol: float = 1e-10, stops: Stops | bool | None = None,
             friction: FrictionKind = 'smooth', drives: Drives | None = None,
             drive_states: ArrayLike | None = None, constraints: Sequence[Constraint] = (),
             base: BaseMotion | None = None, link_forces: Sequence[LinkForce] = (),
             motion: Trajectory | None = None, events: Sequence[EventFunction] = (),
             progress: bool | None = None) -> Solution:
    ...


def simulate(dyn: Dynamics, *setup: Any, progress: bool | None = None, **options: Any) -> Solution:
    """Return the Solution of M(q) qdd + h(q, qd) = tau.

    simulate(dyn, setup) takes a `Setup`; simulate(dyn, q0, qd0, torque, duration=..., dt=...) and
    its other options make one: `Setup` describes them.

    Args:
        dyn: Dynamics of the arm.
        setup, options: a `Setup`, or its arguments.
        progress: True draws a bar, False none, None one on a terminal when it takes long.

    A link that bends beyond the range of its model is reported by a KaneDynamicsWarning and in
    `Solution.out_of_range`; the simulation continues. Only the samples returned are checked.
    """
    if not isinstance(dyn, Dynamics):
        raise InputError(f'simulate needs a Dynamics, got {type(dyn).__name__}; '
                         'make one with kane_dynamics.Dynamics(robot)')
    if setup and isinstance(setup[0], Setup):
        if len(setup) > 1 or options:
            raise InputError('simulate(dyn, setup) takes no other options than progress; '
                             'dataclasses.replace(setup, ...) changes one of the setup')
        chosen = setup[0]
    else:
        chosen = Setup(*setup, **options)
    q0, qd0 = chosen.state(dyn)
    equation, times = chosen.equation(dyn), chosen.times()
    stepper, t0 = chosen.stepper(equation), float(chosen.t0)
    end = t0 + float(chosen.duration)
    with Progress(end - t0, f'simulate {dyn.robot.name}', progress) as bar, \
            np.errstate(over='ignore', invalid='ignore'):  # a state that blows up is an error
        march = March(equation, stepper, t0, equation.start(q0, qd0, t0), end, chosen.events)
        recorder = _Recorder(times, t0, march.y, bar)
        # with a fixed step every sample is the end of one
        for t in times[1:] if stepper.fixed and times is not None else [end]:
            march.advance(t, recorder)
    return _solution(dyn, chosen, march, recorder)


class _Recorder:
    """States at the sample times, or at the ends of steps where there are none."""

    def __init__(self, times: list[float] | None, t0: float, y: FloatArray,
                 bar: Progress) -> None:
        self._times, self._t0, self._bar = times, t0, bar
        self.t, self.y = [t0], [y.copy()]

    def between(self, t: float, at: Callable[[float], FloatArray]) -> None:
        if self._times is not None:
            while len(self.t) < len(self._times) and self._times[len(self.t)] < t:
                instant = self._times[len(self.t)]
                self.t.append(instant)
                self.y.append(at(instant))

    def end(self, t: float, y: FloatArray) -> None:
        if self._times is None or (len(self.t) < len(self._times)
                                   and self._times[len(self.t)] == t):
            self.t.append(t)
            self.y.append(y.copy())
        self._bar.reach(t - self._t0)


def _solution(dyn: Dynamics, setup: Setup, march: March, recorder: _Recorder) -> Solution:
    equation, stepper = march.equation, march.stepper
    if march.ended_by is not None and recorder.t[-1] < march.t:    # the end is always a sample
        recorder.t.append(march.t)
        recorder.y.append(march.y.copy())
    statistics = Statistics(stepper.steps, stepper.rejected, equation.evaluations, march.contacts)
    t, rows = np.array(recorder.t), np.array(recorder.y)
    q, qd, energies, inner = (np.ascontiguousarray(part) for part in np.split(
        rows, [equation.nq, equation.n_state, equation.n_state + ACCOUNTS], axis=1))
    outputs: dict[str, list[FloatArray]] = {}
    for instant, y in zip(recorder.t, rows):
        for name, values in equation.outputs(instant, y).items():
            outputs.setdefault(name, []).append(values.copy())
    work, friction_loss, impact_loss = (np.ascontiguousarray(column) for column in energies.T)
    exits = range_exits(dyn.robot, t, q)
    warn_of('simulate', exits, stacklevel=3)
    return Solution(
        dyn, t, q, qd, work=work, friction_loss=friction_loss, impact_loss=impact_loss,
        method=setup.method, events=tuple(march.found), ended_by=march.ended_by,
        statistics=statistics, drives=setup.drives,
        drive_states=None if setup.drives is None else inner, out_of_range=exits,
        **{name: np.array(values) for name, values in outputs.items()})
