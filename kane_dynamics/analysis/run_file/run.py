# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A run: a simulation in phases, between which the arm takes up or puts down payloads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
import math

import numpy as np

from kane_dynamics.analysis.run_file.load_entries import TimedPayload
from kane_dynamics.analysis.vibration.stiffness_loss import first_stiffness_loss, StiffnessLoss
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.setup import Setup
from kane_dynamics.simulation.simulate import simulate
from kane_dynamics.simulation.solution import Balance, Energies, Solution


DRIFT = 1e-3        # relative drift of the energy beyond which a run is reported as inaccurate


@dataclass(frozen=True, eq=False)
class Run:
    """The simulation of a run file.

    dynamics: of the arm without the payloads in time; setup: of the whole duration; payloads: in
    time, which change the inertia, not the state: what is taken up has the speed of the gripper.
    conditions: the sentence of each event that stops the run.
    """

    name: str
    dynamics: Dynamics
    setup: Setup
    frame: str
    payloads: tuple[TimedPayload, ...] = ()
    conditions: tuple[str, ...] = ()
    source: str = ''


@dataclass(frozen=True, eq=False)
class RunResult:
    """Solutions of the phases of a run, in order of time, and what was noticed in them."""

    run: Run
    phases: tuple[Solution, ...]
    stiffness_loss: StiffnessLoss | None = field(default=None)

    @property
    def t(self) -> FloatArray:
        """Return the times of all samples (N,) [s]."""
        return self._joined('t')

    @property
    def q(self) -> FloatArray:
        """Return all coordinates (N, nq)."""
        return self._joined('q')

    @property
    def qd(self) -> FloatArray:
        """Return all speeds (N, nv)."""
        return self._joined('qd')

    @property
    def tau(self) -> FloatArray:
        """Return all torques (N, nv)."""
        return self._joined('tau')

    def _joined(self, name: str) -> FloatArray:
        return np.concatenate([getattr(each, name) for each in self.phases])

    def energies(self) -> Energies:
        """Return the energies of all samples, each (N,) [J]."""
        found = [each.energy() for each in self.phases]
        return Energies(*(np.concatenate(parts) for parts in zip(*found)))

    def balances(self) -> list[Balance]:
        """Return the balance of each phase."""
        return [each.balance() for each in self.phases]

    @property
    def remarks(self) -> list[str]:
        """Return sentences on the end of the run and on doubtful stretches of it."""
        found = [str(each) for phase in self.phases for each in phase.out_of_range]
        if self.stiffness_loss is not None:
            found.append(str(self.stiffness_loss))
        for phase, balance in zip(self.phases, self.balances()):
            if not balance.relative_drift < DRIFT:
                found.append(
                    f'the energy balance from {phase.t[0]:g} to {phase.t[-1]:g} s is off by '
                    f'{balance.largest_drift:.3g} J: the motion is not accurate, take a shorter '
                    'step or another method, or smaller gains')
        last = self.phases[-1]
        if last.ended_by is not None:
            found.append(f'stopped at t = {last.t[-1]:.6g} s: '
                         f'{self.run.conditions[last.ended_by]}')
        return found


def simulate_run(run: Run, progress: bool | None = None) -> RunResult:
    """Return the RunResult of a Run."""
    setup, phases = run.setup, []
    q, qd = np.array(setup.q0, dtype=float), np.array(setup.qd0, dtype=float)
    borders = phase_borders(setup, run.payloads)
    drive_states = setup.drive_states
    for start, end in zip(borders[:-1], borders[1:]):
        dyn = loaded(run.dynamics, [each for each in run.payloads
                                    if each.start <= start and each.end >= end])
        own = replace(setup, q0=q, qd0=qd, t0=start, duration=end - start,
                      drive_states=drive_states)
        solution = simulate(dyn, own, progress=progress)
        phases.append(solution)
        if solution.ended_by is not None:
            break
        q, qd = solution.q[-1].copy(), solution.qd[-1].copy()
        if solution.drive_states is not None:
            drive_states = solution.drive_states[-1].copy()
    return RunResult(run, tuple(phases), first_stiffness_loss(phases))


def phase_borders(setup: Setup, payloads: Sequence[TimedPayload]) -> list[float]:
    """Return the times [s] at which phases begin, and the end of the last one."""
    end = setup.t0 + setup.duration
    changes = {time for each in payloads for time in (each.start, each.end)
               if setup.t0 < time < end and math.isfinite(time)}
    return [setup.t0, *sorted(changes), end]


def loaded(dynamics: Dynamics, payloads: Sequence[TimedPayload]) -> Dynamics:
    """Return the dynamics of the arm with payloads, mode shapes as without them."""
    if not payloads:
        return dynamics
    robot = dynamics.robot
    for each in payloads:
        payload = each.payload
        robot = robot.with_payload(payload.mass, payload.com, payload.inertia, payload.link)
    return Dynamics(robot.with_shapes_of(dynamics.robot), dynamics.friction, dynamics.backend)
