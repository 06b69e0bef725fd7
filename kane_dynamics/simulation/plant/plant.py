# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated arm under held torques, period by period: the physics of a simulator node."""

from __future__ import annotations

import math
from typing import get_args, Literal, TypeAlias

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.friction import Friction
from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.simulation.plant.plant_energy import PlantEnergy
from kane_dynamics.simulation.plant.plant_step import PlantStep, StepMethod
from kane_dynamics.simulation.step_limit import require_stable
from kane_dynamics.simulation.stops import Stops

PlantMethod: TypeAlias = Literal['auto', 'rk4', 'midpoint', 'generalized_alpha']
METHODS = get_args(PlantMethod)
LARGEST_STEP = 1e-3     # [s]
STEPS_PER_DECAY = 1.5   # steps within the time constant of the fastest damped motion
MOST_SUBSTEPS = 1000


class Plant:
    """Hold an arm's state and advance it by periods under torques that are held over each.

    `braked` stops all joints at once and holds them; their energy counts as impact loss.
    The same calls give the same bits.

    Args:
        robot: the arm.
        period: duration of one `advance` [s].
        substeps: steps per period; 0 chooses them by the fastest decay of the damped arm.
        method: 'rk4', or for stiff arms 'midpoint' or 'generalized_alpha' (which damps modes
            faster than its steps; across contacts it is 'midpoint'); 'auto' takes 'midpoint' for
            elastic arms. 'rk4' is refused where a mode is too fast for it.
        friction: `Friction`, taken with a true sign and true stiction, or None.
        stops: `Stops` or None.
        effort_limits: (n_joints,) [N m or N], largest torques of the drives; None: no limit.
        q0, qd0: the state at the start and after `reset`; None: neutral, at rest.
    """

    def __init__(self, robot: Robot, period: float, *, substeps: int = 0,
                 method: PlantMethod = 'auto', friction: Friction | None = None,
                 stops: Stops | None = None, effort_limits: ArrayLike | None = None,
                 q0: ArrayLike | None = None, qd0: ArrayLike | None = None) -> None:
        if method not in METHODS:
            raise InputError(f'method {method!r} is unknown; there are {list(METHODS)}')
        if not (np.isfinite(period) and period > 0.0):
            raise InputError(f'period must be a positive number of seconds, got {period!r}')
        self.robot, self.period, self.friction, self.stops = robot, period, friction, stops
        automatic: StepMethod = 'midpoint' if robot.n_modes else 'rk4'
        self.method = automatic if method == 'auto' else method
        self._limits = _per_joint(robot, 'effort_limits', effort_limits, np.inf)
        self._q0: FloatArray = robot.neutral() if q0 is None else np.array(q0, dtype=float)
        self._qd0 = np.zeros(robot.nv) if qd0 is None else np.array(qd0, dtype=float)
        if self._q0.shape != (robot.nq,) or self._qd0.shape != (robot.nv,):
            raise InputError(f'the state at the start has shapes {self._q0.shape}, '
                             f'{self._qd0.shape}; expected ({robot.nq},), ({robot.nv},)')
        self._speeds, self._positions = robot.joints_v, robot.joints_q
        if stops is not None:
            stops.require_inside(self._q0[self._positions], robot.joint_names)
        self.tau = np.zeros(robot.n_joints)         # torques of the drives
        self.saturated = 0                          # commands cut to the effort limits
        self._command = np.zeros(robot.n_joints)
        self._pushes: dict[str, FloatArray] = {}    # wrenches on links, link axes
        self._external = np.zeros(robot.nv)
        self._braked = False
        self._compile(substeps)
        self.reset()

    def _compile(self, substeps: int) -> None:
        self.dynamics = Dynamics(self.robot)
        configurations = self._configurations()
        self.substeps = substeps or self._enough_substeps(configurations)
        require_stable(
            self.dynamics, configurations, self.period / self.substeps, self.method,
            lambda limit: f' (substeps={math.ceil(self.period / limit)} or more)')
        self.account = PlantEnergy(self.dynamics, self.friction)
        self._step = PlantStep(self.dynamics, self.fill_forces, self.account,
                               self.period / self.substeps, self.method, self.friction,
                               self.stops)
        self._state = self._step.stepper

    def _configurations(self) -> FloatArray:
        """Return q (20, nq) to check before there is motion: the start, and others near it."""
        found = np.tile(self._q0, (20, 1))
        found[1:, self._positions] += np.random.default_rng(0).uniform(
            -1.5, 1.5, (len(found) - 1, self.robot.n_joints))
        return found

    def _enough_substeps(self, configurations: FloatArray) -> int:
        """Return steps per period that resolve the damped arm."""
        rate = 0.0
        if self.friction is not None:
            D = np.zeros(self.robot.nv)
            D[self._speeds] = self.friction.viscous
            for q in configurations:
                decay = np.linalg.solve(self.dynamics.mass_matrix(q), np.diag(D))
                rate = max(rate, abs(np.linalg.eigvals(decay)).max())
        count = np.ceil(self.period * max(rate * STEPS_PER_DECAY, 1.0 / LARGEST_STEP) - 1e-9)
        if count > MOST_SUBSTEPS:
            raise InputError(
                f'the viscous friction of {self.robot.name!r} decays at {rate:.3g} 1/s, which '
                f'takes {count:.0f} steps per period: has the last link no inertia, or is the '
                'friction in the wrong unit?')
        return int(count)

    # -- loads -----------------------------------------------------------------------------------

    def command(self, tau: FloatArray) -> None:
        """Hold torques tau (n_joints,) from now on, cut to the effort limits."""
        if self._step.at_rest and (tau != self._command).any():
            self._step.at_rest = False
        self._command[:] = tau
        np.clip(self._command, -self._limits, self._limits, out=self.tau)
        self.saturated += bool((self.tau != self._command).any())

    def push(self, link: str, wrench: ArrayLike | None) -> None:
        """Apply force and moment (6,) at a link's origin, in the link's axes; None ends it."""
        if link not in self.robot.link_names:
            raise InputError(f'wrench on {link!r}: no such link; there are '
                             f'{list(self.robot.link_names)}')
        values = np.zeros(6) if wrench is None else np.array(wrench, dtype=float)
        if values.shape != (6,) or not np.isfinite(values).all():
            raise InputError(f'wrench on {link!r} must be 6 finite numbers, got {values}')
        self._step.at_rest = False
        self._pushes.pop(link, None)
        if values.any():
            self._pushes[link] = values

    def fill_forces(self, t: float, q: FloatArray, qd: FloatArray, tau: FloatArray) -> None:
        """Fill tau (nv,) with all generalized forces on the arm: a `TorqueLaw`."""
        tau[:] = 0.0
        tau[self._speeds] = self.tau
        if self._pushes:
            self._fill_external(q)
            tau += self._external

    def _fill_external(self, q: FloatArray) -> None:
        self._external[:] = 0.0
        for link, wrench in self._pushes.items():
            R, _ = self.dynamics.frame_pose(link, q)
            self._external += self.dynamics.frame_jacobian(link, q).T @ np.concatenate(
                [R @ wrench[:3], R @ wrench[3:]])

    # -- state and motion ------------------------------------------------------------------------

    @property
    def q(self) -> FloatArray:
        """Return the coordinates (nq,): a view, valid until the next call."""
        return self._state.q

    @property
    def qd(self) -> FloatArray:
        """Return the speeds (nv,): a view, valid until the next call."""
        return self._state.qd

    @property
    def joint_positions(self) -> FloatArray:
        """Return the joint positions (n_joints,)."""
        return self._state.q[self._positions]

    @property
    def joint_velocities(self) -> FloatArray:
        """Return the joint velocities (n_joints,)."""
        return self._state.qd[self._speeds]

    @property
    def contacts(self) -> int:
        """Return how often a joint hit, reversed or came to rest since the start."""
        return self._step.contacts

    @property
    def breakaway(self) -> FloatArray:
        """Return the largest friction (n_joints,) that holds a joint at rest [N m or N]."""
        return self._step.equation.breakaway

    @property
    def braked(self) -> bool:
        """Return whether the brakes hold all joints."""
        return self._braked

    @braked.setter
    def braked(self, on: bool) -> None:
        self._step.at_rest &= self._braked == bool(on)
        self._braked = bool(on)

    def start_from(self, q0: FloatArray) -> None:
        """Start at q0 (nq,), with the initial speeds, now and after each `reset`."""
        self._q0[:] = q0
        self.reset()

    def reset(self) -> None:
        """Return to the initial state: no torque, push or brake, energies zero."""
        self._state.q[:], self._state.qd[:] = self._q0, self._qd0
        self._step.at_rest = False
        self._command[:] = self.tau[:] = 0.0
        self._pushes.clear()
        self._state.tau[:] = 0.0
        self._state.refresh()
        self.periods = 0
        self._braked = False
        self._step.forget_contacts()
        self.account.restart(self._state.q, self._state.qd)

    def advance(self) -> None:
        """Advance by one period."""
        start = self.periods * self.period
        for k in range(self.substeps):
            if not self._step.at_rest:
                self._step(start + k * self._step.h, self.braked)
        self.periods += 1
        if not np.isfinite(self._state.qd).all():
            raise KaneDynamicsError(f'the arm {self.robot.name!r} is not finite after '
                                    f'{self.periods} periods; more substeps may help')

    def energy_drift(self) -> float:
        """Return the energy [J] that work and losses since the start do not explain."""
        return self.account.drift(self._state.q, self._state.qd)


def _per_joint(robot: Robot, name: str, given: ArrayLike | None, missing: float) -> FloatArray:
    values = np.full(robot.n_joints, missing) if given is None else np.array(given, dtype=float)
    if values.shape != (robot.n_joints,) or not (values >= 0.0).all():
        raise InputError(f'{name} must be {robot.n_joints} numbers, none negative; '
                         f'got {values.tolist()}')
    return values
