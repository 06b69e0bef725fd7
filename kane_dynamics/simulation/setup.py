# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Setup of a simulation: initial state, loads, method and step, checked, and its equation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, KW_ONLY
import math
from typing import get_args, Literal, TypeAlias
import weakref

import numpy as np

from kane_dynamics.dynamics.drives.drives import Drives
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.limits import SIMULATION_SAMPLES
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.simulation.equations.actuated import ActuatedEquation
from kane_dynamics.simulation.equations.base_motion import BaseMotion
from kane_dynamics.simulation.equations.constrained import (
    ConstrainedEquation, Constraint, STABILIZATION)
from kane_dynamics.simulation.equations.contact import ContactEquation
from kane_dynamics.simulation.equations.link_forces import LinkForce
from kane_dynamics.simulation.equations.moving_base import MovingBaseEquation
from kane_dynamics.simulation.equations.prescribed import PrescribedEquation
from kane_dynamics.simulation.equations.state import FreeEquation, StateEquation
from kane_dynamics.simulation.march import EventFunction
from kane_dynamics.simulation.rules.steppers import (
    FIXED, IMPLICIT, Method, METHODS, SCIPY, Stepper)
from kane_dynamics.simulation.step_limit import require_stable
from kane_dynamics.simulation.stops import Stops
from kane_dynamics.simulation.torque_law import torque_law, TorqueInput
from kane_dynamics.trajectory.trajectory import Trajectory


FrictionKind: TypeAlias = Literal['smooth', 'dry']
FRICTIONS = get_args(FrictionKind)

# Dynamics to the same without friction, compiled once
_FRICTIONLESS: weakref.WeakKeyDictionary[Dynamics, Dynamics] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Setup:
    """Initial state, loads and method of a simulation.

    Args:
        q0, qd0: the state at t0 [rad, m; rad/s, m/s], (nq,) and (nv,); the quaternion of a
            floating base must have length one.
        torque: None; nv numbers [N m or N]; rows (N, nv) at the times t0 + (0, dt, 2 dt, ...),
            linear in between (`TimeTable` for others); or a function torque(t, q, qd) that returns
            nv numbers.
        duration: time to simulate [s]. t0: time at which it starts [s].
        dt: the step of 'rk4' (order 4), 'semi_implicit' (1), 'midpoint' and 'generalized_alpha'
            (2, for stiff arms; the latter damps fast modes), and the time between samples [s].
            The others, 'kutta_merson', 'DOP853' and 'Radau' (for stiff arms), choose their steps;
            without dt the samples are the ends of those.
        rtol, atol: relative and absolute error per step of the latter.
        stops: None; True: the limits of the URDF, inelastic; or `Stops`.
        friction: 'smooth': that of the Dynamics; 'dry': its Coulomb and breakaway friction with a
            true sign, so that a joint at rest stays exactly at rest below breakaway.
        drives: `Drives`; `torque` is then their inputs, in the order of drives.joint_names [V, A],
            and their states are part of the motion. drive_states: (n_states,) at t = 0; None: 0.
        constraints: `PointOnSurfaces` and `Loop` that the motion satisfies; their forces are
            `Solution.forces`. q0 and qd0 must satisfy them.
        base: `BaseMotion` of a base that moves as prescribed; q stays relative to it.
        link_forces: `LinkForce`s, forces and moments on links over time; their work is part of
            `Solution.work`.
        motion: a `Trajectory` of some of the joints, which they follow exactly; their torques are
            found, those of the others are given by `torque`.
        events: functions event(t, q, qd) whose zeros are found; attributes `terminal` (stop there)
            and `direction` (+1, -1: only rising, falling) as in scipy.integrate.solve_ivp.
    """

    q0: ArrayLike
    qd0: ArrayLike
    torque: TorqueInput = None
    _: KW_ONLY
    duration: float
    t0: float = 0.0
    dt: float | None = None
    method: Method = 'rk4'
    rtol: float = 1e-8
    atol: float = 1e-10
    stops: Stops | bool | None = None
    friction: FrictionKind = 'smooth'
    drives: Drives | None = None
    drive_states: ArrayLike | None = None
    constraints: Sequence[Constraint] = ()
    base: BaseMotion | None = None
    link_forces: Sequence[LinkForce] = ()
    motion: Trajectory | None = None
    events: Sequence[EventFunction] = ()

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(f'method {self.method!r} is unknown; there are {list(METHODS)}')
        _require_positive('duration', self.duration)
        if not math.isfinite(self.t0):
            raise InputError(f't0 must be a finite time [s], got {self.t0!r}')
        self._check_step()
        _require_positive('rtol', self.rtol)
        _require_positive('atol', self.atol)
        contact = bool(self.stops) or self.friction != 'smooth'
        if self.motion is not None and (contact or self.constraints or self.base is not None
                                        or self.drives is not None or self.method in IMPLICIT):
            raise InputError(
                "simulate: a prescribed motion of joints goes with friction='smooth', without "
                'stops, drives, constraints and a moving base, and with every method but '
                f'{" and ".join(map(repr, IMPLICIT))}')
        if self.constraints or self.base is not None:
            if contact or self.drives is not None or self.method in IMPLICIT:
                raise InputError(
                    "simulate: constraints and a moving base go with friction='smooth', without "
                    'stops and drives, and with every method but '
                    f'{" and ".join(map(repr, IMPLICIT))}')
        elif self.drives is not None:
            if contact or self.method in IMPLICIT:
                raise InputError(
                    "simulate: drives go with friction='smooth', without stops, and with every "
                    f'method but {" and ".join(map(repr, IMPLICIT))} '
                    "('Radau' is the one for stiff arms)")
        elif self.friction not in FRICTIONS:
            raise InputError(f'friction {self.friction!r} is unknown; there are {list(FRICTIONS)}')

    def _check_step(self) -> None:
        duration, dt = self.duration, self.dt
        if dt is None:
            if self.method in FIXED:
                raise InputError(
                    f'method {self.method!r} steps by dt [s]: give dt=0.001, for instance; '
                    f'{[name for name in METHODS if name not in FIXED]} need none')
            return
        _require_positive('dt', dt)
        if dt > duration:
            raise InputError(f'dt = {dt:g} s is longer than the duration, {duration:g} s')
        if duration / dt > SIMULATION_SAMPLES.value:
            raise InputError(f'{duration:g} s in steps of {dt:g} s are {duration / dt:.1e} '
                             f'samples; dt is in seconds; {SIMULATION_SAMPLES.exceeded}')

    def times(self) -> list[float] | None:
        """Return the sample times from t0 to its end [s]; None where the steps decide."""
        if self.dt is None:
            return None
        count = self.duration / self.dt
        whole = round(count)
        if abs(count - whole) > 1e-9 * count:
            whole = math.floor(count) + 1
        return [*(self.t0 + k * self.dt for k in range(whole)), self.t0 + float(self.duration)]

    def state(self, dyn: Dynamics) -> tuple[FloatArray, FloatArray]:
        """Return q0 and qd0 as arrays, checked for an arm, its method and its step."""
        robot = dyn.robot
        q0, qd0 = _row('q0', self.q0, robot.nq, robot), _row('qd0', self.qd0, robot.nv, robot)
        if robot.floating_base:
            length = np.linalg.norm(q0[3:7])
            if abs(length - 1.0) > 1e-6:
                raise InputError(f'q0[3:7] is the quaternion x y z w of the base and must have '
                                 f'length 1, got {length:g}; robot.neutral() gives a valid q')
            q0[3:7] /= length
        if self.dt is not None:
            require_stable(dyn, q0, self.dt, self.method)
        return q0, qd0

    def equation(self, dyn: Dynamics) -> StateEquation:
        """Return the equations of motion that this setup needs."""
        size = None if self.drives is None else len(self.drives.joint_names)
        law, forces = torque_law(self.torque, dyn.robot, self.times(), size), self.link_forces
        if self.drives is not None:
            return ActuatedEquation(dyn, self.drives, law, self.drive_states, forces)
        if self.constraints:
            return ConstrainedEquation(dyn, law, self.constraints, self.base,
                                       STABILIZATION if self.method in SCIPY else 0.0, forces)
        if self.base is not None:
            return MovingBaseEquation(dyn, law, self.base, forces)
        if self.motion is not None:
            return PrescribedEquation(dyn, law, self.motion, forces)
        if self.friction == 'dry':
            if dyn.friction is None:
                raise InputError("friction='dry' needs a Dynamics with friction: Dynamics(robot, "
                                 'friction=Friction(viscous, coulomb, stiction)) or '
                                 'Friction.of(robot)')
            if dyn.friction.offset is not None or dyn.friction.load is not None:
                raise InputError("friction='dry' knows viscous, Coulomb and breakaway friction "
                                 'only; this one has an offset or depends on the load: use '
                                 "friction='smooth'")
            return ContactEquation(_frictionless(dyn), law, self._stops(dyn.robot), dyn.friction,
                                   forces)
        if self.stops:
            return ContactEquation(dyn, law, self._stops(dyn.robot), link_forces=forces)
        return FreeEquation(dyn, law, forces)

    def stepper(self, equation: StateEquation) -> Stepper:
        """Return the stepper of the method."""
        return METHODS[self.method](equation=equation, step=self.dt, rtol=self.rtol,
                                    atol=self.atol)

    def _stops(self, robot: Robot) -> Stops | None:
        stops = Stops.of(robot) if self.stops is True else self.stops or None
        if stops is None:
            return None
        if not isinstance(stops, Stops):
            raise InputError(f'stops must be True or Stops, got {type(stops).__name__}')
        if len(stops.lower) != robot.n_joints:
            raise InputError(f'stops are for {len(stops.lower)} joints, {robot.name!r} has '
                             f'{robot.n_joints}: {list(robot.joint_names)}')
        return stops


def _frictionless(dyn: Dynamics) -> Dynamics:
    if dyn not in _FRICTIONLESS:
        _FRICTIONLESS[dyn] = Dynamics(dyn.robot, None, dyn.backend, dyn.parametric)
    return _FRICTIONLESS[dyn]


def _row(name: str, given: ArrayLike, size: int, robot: Robot) -> FloatArray:
    """Return an array (size,) of finite numbers, or raise."""
    try:
        value = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f'{name} must be {size} numbers, got {given!r}') from None
    if value.shape != (size,):
        raise InputError(f'{name} has shape {value.shape}, expected ({size},) for '
                         f'{robot.name!r} with joints {list(robot.joint_names)}')
    if not np.isfinite(value).all():
        raise InputError(f'{name} must be finite, got {value.tolist()}')
    return value


def _require_positive(name: str, value: float) -> None:
    try:
        good = math.isfinite(value) and value > 0.0
    except TypeError:
        good = False
    if not good:
        raise InputError(f'{name} must be a positive number, got {value!r}')
