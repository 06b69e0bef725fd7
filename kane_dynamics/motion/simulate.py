# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Simulation: an arm's motion under torques, from a state, for a time."""

from __future__ import annotations

import math
import weakref

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.actuated_equation import ActuatedEquation
from kane_dynamics.motion.base_motion import MovingBaseEquation
from kane_dynamics.motion.constrained_equation import ConstrainedEquation, STABILIZATION
from kane_dynamics.motion.contact import ContactEquation
from kane_dynamics.motion.march import March
from kane_dynamics.motion.progress import Progress
from kane_dynamics.motion.solution import Solution, Statistics
from kane_dynamics.motion.state_equation import ACCOUNTS, StateEquation
from kane_dynamics.motion.step_limit import require_stable
from kane_dynamics.motion.steppers import FIXED, IMPLICIT, METHODS, SCIPY
from kane_dynamics.motion.stops import Stops
from kane_dynamics.motion.torque_law import torque_law

MOST_SAMPLES = 100_000_000      # rows beyond which a slip in the units is likelier than a wish
FRICTIONS = ('smooth', 'dry')
_IDEAL = weakref.WeakKeyDictionary()    # Dynamics to the same without friction, compiled once


def simulate(dyn, q0, qd0, torque=None, *, duration, dt=None, method='rk4', rtol=1e-8, atol=1e-10,
             stops=None, friction='smooth', drives=None, drive_states=None, constraints=(),
             base=None, events=(), progress=None):
    """Return the Solution of M(q) qdd + h(q, qd) = tau from q0 (nq,), qd0 (nv,) on.

    Args:
        dyn: Dynamics of the arm.
        q0, qd0: the state at t = 0 [rad, m; rad/s, m/s]; the quaternion of a floating base must
            have length one.
        torque: None; nv numbers [N m or N]; rows (N, nv) at the moments 0, dt, 2 dt, ..., linear
            in between; or a function torque(t, q, qd) that returns nv numbers.
        duration: time to simulate [s].
        dt: the step of 'rk4' (order 4), 'semi_implicit' (1), 'midpoint' and 'generalized_alpha'
            (2, for stiff arms; the latter quiets fast modes), and the time between samples [s].
            The others, 'kutta_merson', 'DOP853' and 'Radau' (for stiff arms), choose their steps;
            without dt they return the ends of those.
        rtol, atol: error per step that those may make, relative and absolute.
        stops: None; True: the limits of the URDF, inelastic; or `Stops`.
        friction: 'smooth': as `dyn` has it; 'dry': its Coulomb and breakaway friction with a true
            sign, so that a joint at rest stays exactly at rest below breakaway.
        drives: `Drives`; then `torque` is their inputs, in the order of drives.joint_names [V, A],
            and their states are part of the motion. drive_states: (n_states,) at t = 0; None: 0.
        constraints: `PointOnSurfaces` and `Loop` that the motion keeps to; their forces are
            `Solution.forces`. q0 and qd0 must keep them.
        base: `BaseMotion` of a base that moves as prescribed; q stays relative to it.
        events: functions event(t, q, qd) whose zeros are found; attributes `terminal` (stop there)
            and `direction` (+1, -1: only rising, falling) as in scipy.integrate.solve_ivp.
        progress: True draws a bar, False none, None one on a terminal when it takes long.
    """
    if not isinstance(dyn, Dynamics):
        raise InputError(f'simulate needs a Dynamics, got {type(dyn).__name__}; '
                         'make one with kane_dynamics.Dynamics(robot)')
    if method not in METHODS:
        raise InputError(f'method {method!r} is unknown; there are {list(METHODS)}')
    times = _sample_times(duration, dt, method)
    q0, qd0 = _checked_state(dyn.robot, q0, qd0)
    require_stable(dyn, q0, dt, method)
    for name, value in (('rtol', rtol), ('atol', atol)):
        _positive(name, value)
    if constraints or base is not None:
        if stops or friction != 'smooth' or drives is not None or method in IMPLICIT:
            raise InputError("simulate: constraints and a moving base go with friction='smooth', "
                             'without stops and drives, and with every method but '
                             f'{" and ".join(map(repr, IMPLICIT))}')
        law = torque_law(torque, dyn.robot, times)
        gain = STABILIZATION if method in SCIPY else 0.0
        equation = (ConstrainedEquation(dyn, law, constraints, base, gain) if constraints
                    else MovingBaseEquation(dyn, law, base))
    elif drives is None:
        equation = _equation(dyn, torque_law(torque, dyn.robot, times), stops, friction)
    else:
        if stops or friction != 'smooth' or method in IMPLICIT:
            raise InputError("simulate: drives go with friction='smooth', without stops, and with "
                             f'every method but {" and ".join(map(repr, IMPLICIT))} '
                             "('Radau' is the one for stiff arms)")
        law = torque_law(torque, dyn.robot, times, len(drives.joint_names))
        equation = ActuatedEquation(dyn, drives, law, drive_states)
    if isinstance(equation, ContactEquation) and equation.stops is not None:
        equation.stops.require_inside(q0[equation.places], dyn.robot.joint_names)
    stepper = METHODS[method](equation=equation, step=dt, rtol=rtol, atol=atol)
    with Progress(duration, f'simulate {dyn.robot.name}', progress) as bar, \
            np.errstate(over='ignore', invalid='ignore'):  # a state that blows up is an error
        first = equation.state(q0, qd0)
        if isinstance(equation, ConstrainedEquation):
            equation.require_kept(q0, qd0)
            equation.finish(0.0, first)
        march = March(equation, stepper, 0.0, first, float(duration), events)
        recorder = _Recorder(times, march.y, bar)
        if stepper.fixed:
            for t in times[1:]:
                march.advance(t, recorder)
        else:
            march.advance(float(duration), recorder)
    return _solution(dyn, march, recorder, method)


class _Recorder:
    """Collect the states at the sample times, or at the ends of steps where there are none."""

    def __init__(self, times, y, bar):
        self._times, self._bar = times, bar
        self.t, self.y = [0.0], [y.copy()]

    def between(self, t, at):
        if self._times is not None:
            while len(self.t) < len(self._times) and self._times[len(self.t)] < t:
                moment = self._times[len(self.t)]
                self.t.append(moment)
                self.y.append(at(moment))

    def end(self, t, y):
        if self._times is None or (len(self.t) < len(self._times)
                                   and self._times[len(self.t)] == t):
            self.t.append(t)
            self.y.append(y.copy())
        self._bar.reach(t)


def _solution(dyn, march, recorder, method):
    equation, stepper = march.equation, march.stepper
    if march.ended_by is not None and recorder.t[-1] < march.t:    # the last moment, always
        recorder.t.append(march.t)
        recorder.y.append(march.y.copy())
    evaluations = equation.evaluations
    rows = np.array(recorder.y)
    q, qd, accounts, inner = np.split(
        rows, [equation.nq, equation.n_state, equation.n_state + ACCOUNTS], axis=1)
    drives = getattr(equation, 'drives', None)
    tau = np.empty(qd.shape)
    inputs = None if drives is None else np.empty((len(rows), len(drives.joint_names)))
    constrained = isinstance(equation, ConstrainedEquation)
    moving = isinstance(equation, MovingBaseEquation)
    qdd = np.empty(qd.shape) if moving else None
    forces = np.empty((len(rows), len(equation.forces))) if constrained else None
    for k, (t, y) in enumerate(zip(recorder.t, rows)):
        equation.read(t, y)
        tau[k] = equation.tau
        if inputs is not None:
            inputs[k] = equation.inputs
        if moving:
            equation.accelerate()
            qdd[k] = equation.qdd
        if constrained:
            forces[k] = equation.forces
    work, friction_loss, impact_loss = (np.ascontiguousarray(column) for column in accounts.T)
    return Solution(
        dyn, np.array(recorder.t), np.ascontiguousarray(q), np.ascontiguousarray(qd), tau, work,
        friction_loss, impact_loss, method, tuple(march.found), march.ended_by,
        Statistics(stepper.steps, stepper.rejected, evaluations, march.contacts), drives, inputs,
        None if drives is None else np.ascontiguousarray(inner), forces, qdd)


def _sample_times(duration, dt, method):
    """Return the moments 0, dt, 2 dt, ..., duration; None where the steps decide."""
    _positive('duration', duration)
    if dt is None:
        if method in FIXED:
            raise InputError(f'method {method!r} steps by dt [s]: give dt=0.001, for instance; '
                             f'{[name for name in METHODS if name not in FIXED]} need none')
        return None
    _positive('dt', dt)
    if dt > duration:
        raise InputError(f'dt = {dt:g} s is longer than the duration, {duration:g} s')
    count = duration / dt
    if count > MOST_SAMPLES:
        raise InputError(f'{duration:g} s in steps of {dt:g} s are {count:.1e} samples, more than '
                         f'{MOST_SAMPLES:.0e}; dt is in seconds')
    whole = round(count)
    if abs(count - whole) > 1e-9 * count:
        whole = math.floor(count)
        return [*(k * dt for k in range(whole + 1)), float(duration)]
    return [*(k * dt for k in range(whole)), float(duration)]


def _equation(dyn, law, stops, friction):
    """Return the equations of motion: with contact modes where stops or dry friction ask."""
    if friction not in FRICTIONS:
        raise InputError(f'friction {friction!r} is unknown; there are {list(FRICTIONS)}')
    if friction == 'dry' and dyn.friction is None:
        raise InputError("friction='dry' needs the figures: Dynamics(robot, "
                         'friction=Friction(viscous, coulomb, stiction)) or Friction.of(robot)')
    if friction == 'dry' and not (dyn.friction.offset is None and dyn.friction.load is None):
        raise InputError("friction='dry' knows viscous, Coulomb and breakaway friction only; "
                         "this one has an offset or depends on the load: use friction='smooth'")
    if not stops and friction == 'smooth':
        return StateEquation(dyn, law)
    stops = Stops.of(dyn.robot) if stops is True else stops or None
    if stops is not None and not isinstance(stops, Stops):
        raise InputError(f'stops must be True or Stops, got {type(stops).__name__}')
    if stops is not None and len(stops.lower) != dyn.robot.n_joints:
        raise InputError(f'stops are for {len(stops.lower)} joints, {dyn.robot.name!r} has '
                         f'{dyn.robot.n_joints}: {list(dyn.robot.joint_names)}')
    if friction == 'smooth':
        return ContactEquation(dyn, law, stops)
    if dyn not in _IDEAL:
        _IDEAL[dyn] = Dynamics(dyn.robot, None, dyn.backend, dyn.parametric)
    return ContactEquation(_IDEAL[dyn], law, stops, dyn.friction)


def _checked_state(robot, q0, qd0):
    state = []
    for name, value, size in (('q0', q0, robot.nq), ('qd0', qd0, robot.nv)):
        try:
            value = np.array(value, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f'{name} must be {size} numbers, got {value!r}') from None
        if value.shape != (size,):
            raise InputError(f'{name} has shape {value.shape}, expected ({size},) for '
                             f'{robot.name!r} with joints {list(robot.joint_names)}')
        if not np.isfinite(value).all():
            raise InputError(f'{name} must be finite, got {value.tolist()}')
        state.append(value)
    if robot.floating_base:
        length = np.linalg.norm(state[0][3:7])
        if abs(length - 1.0) > 1e-6:
            raise InputError(f'q0[3:7] is the quaternion x y z w of the base and must have length '
                             f'1, got {length:g}; robot.neutral() gives a valid q')
        state[0][3:7] /= length
    return state


def _positive(name, value):
    try:
        good = math.isfinite(value) and value > 0.0
    except TypeError:
        good = False
    if not good:
        raise InputError(f'{name} must be a positive number, got {value!r}')
