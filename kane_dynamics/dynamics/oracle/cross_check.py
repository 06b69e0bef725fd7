# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of an arm's dynamics with Pinocchio's at random states, function by function.

The error of a function at a state is max|x - y| / max|y| over the entries of its result, x ours
and y Pinocchio's. A torque (or a derivative of one) that happens to be below a thousandth of
the largest torque of all states is held against that thousandth: of terms that cancel, round-off
is left. Accelerations carry the round-off of M times its condition number, whoever computes them
(Higham 2002, ch. 7): ROUND_OFF cond(M) is what an error may have before it is called one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import math
from typing import Any, get_args, Literal, TypeAlias

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.oracle.pinocchio_arm import PinocchioArm
from kane_dynamics.exceptions import InputError, MissingDependencyError
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.validation import whole

INSTALL = "'pip install pin', or with ROS 'apt install ros-$ROS_DISTRO-pinocchio'"
CheckedFunction: TypeAlias = Literal[
    'inverse', 'forward', 'mass_matrix', 'bias', 'gravity', 'inverse_derivatives',
    'reactions', 'energy', 'frame_pose', 'frame_jacobian', 'frame_acceleration']
FUNCTIONS: tuple[CheckedFunction, ...] = get_args(CheckedFunction)
States: TypeAlias = dict[str, Any]      # arrays (samples, ...) by name, and the frame's name
TORQUES = ('inverse', 'bias', 'gravity', 'reactions')
IN_BATCHES = ('inverse', 'forward', 'mass_matrix', 'bias', 'gravity', 'reactions')
SMALL_TORQUE = 1e-3       # fraction of the largest torque below which errors are held against that
REMARKABLE = 1e-12        # errors that need an explanation
ROUND_OFF = 10 * np.finfo(float).eps


def pinocchio() -> Any:
    """Return the module, or say how to install it."""
    try:
        import pinocchio
    except ImportError as error:
        raise MissingDependencyError('the cross-check needs Pinocchio; install it with '
                                     f'{INSTALL} ({error})') from None
    return pinocchio


def pinocchio_arm(robot: Robot, urdf_text: str | None = None) -> PinocchioArm:
    """Return Pinocchio's computation of an arm, read from its text or from `to_urdf`."""
    return PinocchioArm(pinocchio(), robot, urdf_text or robot.to_urdf())


@dataclass(frozen=True)
class Comparison:
    """The largest relative error of one function, and its part that is not round-off."""

    function: str
    error: float
    beyond_round_off: float
    condition: float = 0.0      # of M, at the state of the largest error, where it matters


@dataclass(frozen=True)
class Report:
    """Differences of an arm's dynamics from Pinocchio's; `str()` is a table."""

    robot: str
    samples: int
    seed: int
    version: str                # of Pinocchio
    comparisons: tuple[Comparison, ...]
    note: str = ''

    def error(self, function: str) -> float:
        """Return the largest relative error of a function."""
        for row in self.comparisons:
            if row.function == function:
                return row.error
        raise InputError(f'{function!r} was not compared; there are '
                         f'{[row.function for row in self.comparisons]}')

    @property
    def max(self) -> float:
        """Return the largest relative error of all functions."""
        return max(row.error for row in self.comparisons)

    def passes(self, tolerance: float = 1e-09) -> bool:
        """Return whether no function is off by more than `tolerance` and its round-off."""
        return all(row.beyond_round_off <= tolerance for row in self.comparisons)

    def __str__(self) -> str:
        lines = [f'{self.robot}: {self.samples} random states (seed {self.seed}) against '
                 f'Pinocchio {self.version}', *([self.note] if self.note else []), '',
                 f'  {"function":<20}largest relative error']
        for row in self.comparisons:
            remark = (f'   round-off: cond(M) = {row.condition:.0e}'
                      if row.error > REMARKABLE and row.beyond_round_off < 0.5 * row.error else '')
            lines.append(f'  {row.function:<20}{row.error:.1e}{remark}')
        return '\n'.join(lines)


def cross_check(dynamics: Dynamics, urdf_text: str | None = None, samples: int = 1000,
                seed: int = 0, functions: Sequence[CheckedFunction] = FUNCTIONS,
                progress: Callable[[int], None] = lambda done: None) -> Report:
    """Return the Report of a comparison with Pinocchio at random states.

    urdf_text: the XML that the arm was loaded from, which Pinocchio reads on its own; without it
    Pinocchio is given what `robot.to_urdf()` writes. functions: some of FUNCTIONS; frames are
    compared at the tool frame. Joints turn anywhere, slide within their limits;
    rates and accelerations are up to 2; torques have the size that such motions need. Friction has
    no counterpart: it is taken off everywhere and compared alone. Flexible links are stiffened,
    springs taken off.
    progress: called with the number of functions done.
    """
    unknown = set(functions) - set(FUNCTIONS)
    if unknown or not functions:
        raise InputError(f'cross_check: functions {sorted(unknown)} are unknown; there are '
                         f'{list(FUNCTIONS)}')
    samples = whole(samples, 'cross_check: samples', 1)
    ideal, note = _comparable(dynamics)
    robot = ideal.robot
    if robot.nv == 0:
        raise InputError(f'{robot.name}: nothing moves; try a floating base')
    arm = pinocchio_arm(robot, urdf_text)
    rng = np.random.default_rng(seed)
    q, qd, qdd = random_states(robot, samples, rng)
    needed = np.array([arm.inverse(*row) for row in zip(q, qd, qdd)])
    tau = rng.standard_normal((samples, robot.nv)) * np.sqrt(np.mean(needed**2, axis=0))
    states = {'q': q, 'qd': qd, 'qdd': qdd, 'tau': tau, 'frame': robot.tip()}
    floor = SMALL_TORQUE * np.abs(needed).max()
    rows = []
    for done, function in enumerate(functions, 1):
        x, y = _ours(function, ideal, states), _theirs(function, arm, states)
        if function == 'forward':
            rows.append(_comparison(function, x, y, condition=lambda k: np.linalg.cond(
                arm.mass_matrix(q[k]))))
        elif function == 'inverse_derivatives':
            rows += [_comparison(name, x[:, k], y[:, k], floor)
                     for k, name in enumerate(('inverse_by_q', 'inverse_by_qd'))]
        else:
            rows.append(_comparison(function, x, y, floor if function in TORQUES else 0.0))
        progress(done)
    if dynamics.friction is not None and not dynamics.robot.n_modes:
        joints = robot.joints_v
        rubbing = dynamics if not dynamics.robot.springs else Dynamics(
            robot, dynamics.friction, dynamics.backend)
        x = rubbing.inverse_many(q, qd, qdd) - ideal.inverse_many(q, qd, qdd)
        y = dynamics.friction.torque(qd[:, joints], needed[:, joints])
        rows.append(_comparison('friction', x[:, joints], y, floor))
    return Report(robot.name, samples, seed, pinocchio().__version__, tuple(rows), note)


def random_states(robot: Robot, samples: int,
                  rng: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return q (samples, nq), qd and qdd (samples, nv)."""
    q = rng.uniform(-math.pi, math.pi, (samples, robot.nq))
    qd, qdd = rng.uniform(-2.0, 2.0, (2, samples, robot.nv))
    if robot.floating_base:
        q[:, 3:7] = rng.standard_normal((samples, 4))
        q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1)[:, None]
    for k, joint in enumerate(robot.independent_joints, robot.joints_q.start):
        if joint.kind == 'prismatic':
            low, high = np.clip(robot.range_of(joint.name), -1.0, 1.0)
            q[:, k] = rng.uniform(low, high, samples) if low < high else 0.0
    return q, qd, qdd


def _comparable(dynamics: Dynamics) -> tuple[Dynamics, str]:
    """Return the dynamics that Pinocchio can compute, and a remark on the difference."""
    robot, notes = dynamics.robot, []
    if robot.n_modes:
        notes.append(f'its {robot.n_modes} elastic coordinates are held at zero')
        robot = robot.rigid()
    elif dynamics.friction is not None:
        notes.append('friction is compared alone')
    if robot.springs:
        notes.append(f'its {len(robot.springs)} springs are taken off')
        robot = robot.with_springs()
    if not notes:
        return dynamics, ''
    return (Dynamics(robot, backend=dynamics.backend, parametric=dynamics.parametric),
            '; '.join(notes))


ARGUMENTS = {'inverse': ('q', 'qd', 'qdd'), 'forward': ('q', 'qd', 'tau'), 'bias': ('q', 'qd'),
             'energy': ('q', 'qd'), 'inverse_derivatives': ('q', 'qd', 'qdd'),
             'reactions': ('q', 'qd', 'qdd'), 'frame_acceleration': ('q', 'qd', 'qdd')}


def _arguments(function: CheckedFunction, states: States) -> list[Any]:
    return [states[name] for name in ARGUMENTS.get(function, ('q',))]


def _ours(function: CheckedFunction, dynamics: Dynamics, states: States) -> FloatArray:
    """Return our results (samples, ...)."""
    if function in IN_BATCHES:
        return getattr(dynamics, f'{function}_many')(*_arguments(function, states))
    if function == 'frame_pose':
        return np.array([np.column_stack(dynamics.frame_pose(states['frame'], q))
                         for q in states['q']])
    results = _one_by_one(getattr(dynamics, function), function, states)
    return results[:, :2] if function == 'energy' else results    # there is no strain


def _theirs(function: CheckedFunction, arm: PinocchioArm, states: States) -> FloatArray:
    """Return Pinocchio's results (samples, ...)."""
    return _one_by_one(getattr(arm, function), function, states)


def _one_by_one(call: Callable[..., Any], function: CheckedFunction, states: States) -> FloatArray:
    first = [states['frame']] if function.startswith('frame') else []
    return np.array([call(*first, *row) for row in zip(*_arguments(function, states))])


def _comparison(function: str, x: FloatArray, y: FloatArray, floor: float = 0.0,
                condition: Callable[[int], float] = lambda k: 0.0) -> Comparison:
    """Return the largest error over samples, and the part beyond round-off times cond(M).

    condition(k): cond(M) at sample k, computed only where the error needs an explanation.
    """
    x, y = x.reshape(len(x), -1), y.reshape(len(y), -1)
    difference, size = np.abs(x - y).max(axis=1), np.maximum(np.abs(y).max(axis=1), floor)
    with np.errstate(divide='ignore', invalid='ignore'):
        error = np.where(difference == 0.0, 0.0, difference / size)
    error = np.where(np.isnan(error), np.inf, error)       # a NaN of either side is an error
    beyond = error.copy()
    for k in np.flatnonzero(error > REMARKABLE).tolist():
        beyond[k] -= ROUND_OFF * condition(k)
    worst = int(np.argmax(error))
    return Comparison(function, float(error[worst]), float(np.max(beyond)),
                      float(condition(worst)))
