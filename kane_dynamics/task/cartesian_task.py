# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Cartesian tasks: a point of the arm along a path, with orientation and velocity profile.

The task classes of Vukobratovic and Potkonjak 1982 (3.4), by what is prescribed:

  A1 A2 A3   position; Cartesian, cylindrical, spherical; further joints separately (spare)
  B1         position and direction of an axis (five degrees of freedom)
  C1 C2      position and orientation; Euler angles or any other, direction and spin
  C3         position and direction, one joint separately (spare)
  wrist      the position of one frame, the orientation of another (3.11): orientation_frame
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import Literal, TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.polynomials import Derivatives
from kane_dynamics.task.curvilinear_path import Cylindrical, Spherical
from kane_dynamics.task.direction import Direction
from kane_dynamics.task.equations import TaskEquations
from kane_dynamics.task.finding import at, Finding, TaskError, UNREACHABLE
from kane_dynamics.task.inverse_kinematics import (
    checked_configuration, describe, joint_bounds, reach)
from kane_dynamics.task.orientation import DirectionAndSpin, Orientation
from kane_dynamics.task.path import Path
from kane_dynamics.task.solved_path import SolvedPath
from kane_dynamics.task.task import Task
from kane_dynamics.trajectory.moves import Move, plan_move
from kane_dynamics.trajectory.profiles import as_profile, Profile

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics

FROZEN: Literal['frozen'] = 'frozen'
Spare: TypeAlias = Literal['frozen'] | float | tuple[float, float]


class FreeJointsError(InputError):
    """A task that leaves joints free: `count` quantities for the `free` joints, `more` of them."""

    def __init__(self, count: int, free: Sequence[str]) -> None:
        self.count, self.free, self.more = count, list(free), len(free) - count
        super().__init__(
            f'the task prescribes {count} quantities to {len(free)} joints {self.free}; name '
            f"{self.more} of them as spare, for instance spare={{{free[-1]!r}: 'frozen'}}, or "
            'prescribe more, such as an orientation')


class CartesianTask(Task):
    """Move a point of a link along a path.

    Args:
        dynamics: of the arm.
        frame: the link; `point` (3,) [m] in its axes, by default its origin.
        path: a `Path` of the point, in base axes.
        orientation: an `Orientation` (full), a `Direction` (of one axis) or None, of the link
            `orientation_frame`, by default `frame`.
        q0: (n,) configuration near which the arm starts; the first one is solved from it.
        profile: a name of PROFILES or a `Profile`, rest to rest.
        duration: [s]; or velocity [m/s] and acceleration [m/s^2], which limit the point and shape
            the profiles 'trapezoidal' and 's_curve' (with jerk [m/s^3]).
        spare: {joint: 'frozen' | last | (first, last)} for joints that the task leaves free: kept
            at the value in q0, or brought to another by the same profile [rad or m]. A planar or
            five-joint arm may be over-constrained if the extra constraints follow from the others.
        singular: smallest singular value of the task equations (dimensionless) that is accepted.
        limits: False accepts motions beyond the URDF's position limits; `findings` lists them.
    """

    def __init__(self, dynamics: Dynamics, frame: str, path: Path,
                 orientation: Orientation | Direction | None = None, *, q0: ArrayLike,
                 profile: str | Profile = 'quintic', duration: float | None = None,
                 velocity: float = math.inf, acceleration: float = math.inf,
                 jerk: float = math.inf, spare: Mapping[str, Spare] | None = None,
                 point: ArrayLike = (0.0, 0.0, 0.0), orientation_frame: str | None = None,
                 singular: float = 1e-3, limits: bool = True) -> None:
        if not isinstance(path, Path):
            raise InputError('path must be a Path, such as Line(first, last); got '
                             f'{type(path).__name__}')
        if orientation is not None and not isinstance(orientation, (Orientation, Direction)):
            raise InputError('orientation must be an Orientation or a Direction, such as '
                             'AxisRotation(rotation), which keeps it; got '
                             f'{type(orientation).__name__}')
        robot = dynamics.robot
        bounds = joint_bounds(robot, limits)
        q0 = checked_configuration(robot, q0, 'q0', bounds)
        draft = TaskEquations(dynamics, frame, path, orientation, point, orientation_frame)
        joints = _prescribed(draft, q0, spare or {})
        self.equations = TaskEquations(dynamics, frame, path, orientation, point,
                                       orientation_frame, joints)
        self.robot, self.limits, self.frame = self.equations.robot, limits, frame
        self.path, self.orientation, self._spare = path, orientation, dict(spare or {})
        self.motion = _timed(path, profile, duration, velocity, acceleration, jerk)
        self.duration = self.motion.duration
        start = self._first_configuration(q0, bounds)
        self.joint_path = SolvedPath(self.equations, start, singular, self.time_at)

    @property
    def kind(self) -> str:
        """Return the class of the task: 'A1' to 'C3', with '+ wrist' for two frames."""
        if self.orientation is None:
            name = ('A2' if isinstance(self.path, Cylindrical) else
                    'A3' if isinstance(self.path, Spherical) else 'A1')
        elif isinstance(self.orientation, Direction):
            name = 'C3' if self._spare else 'B1'
        else:
            name = 'C2' if isinstance(self.orientation, DirectionAndSpin) else 'C1'
        wrist = self.equations.orientation_frame != self.frame
        return f'{name} + wrist' if wrist else name

    @property
    def least_singular_value(self) -> tuple[float, float, FloatArray]:
        """Return the smallest singular value of the path, its time [s] and position (3,) [m]."""
        value, x, position = self.joint_path.least_singular_value
        return value, self.time_at(x), position

    def sample_many(self, ts: ArrayLike) -> Derivatives:
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s] since the task began."""
        x, xd, xdd = (each[:, :1] for each in self.motion.sample_many(np.asarray(ts, float)))
        q, q1, q2 = self.joint_path.evaluate(x[:, 0])
        return q, q1 * xd, q1 * xdd + q2 * xd * xd

    def wanted(self, ts: ArrayLike) -> Derivatives:
        """Return the desired position, velocity and acceleration of the point, each (M, 3)."""
        x, xd, xdd = (each[:, :1] for each in self.motion.sample_many(np.asarray(ts, float)))
        p, p1, p2 = self.path.evaluate(x[:, 0])
        return p, p1 * xd, p1 * xdd + p2 * xd * xd

    def acceleration(self, t: float, q: ArrayLike, qd: ArrayLike,
                     stiffness: float = 50.0) -> FloatArray:
        """Return qdd (n,) that leads a state q, qd (n,) at time t [s] to the task.

        Resolved acceleration (Luh, Walker and Paul 1980): qdd = J^-1 (X'' + 2 k e' + k^2 e - A)
        with the error e and k = stiffness [1/s]. A torque law for `simulate` is
        dynamics.inverse(q, qd, task.acceleration(t, q, qd)).
        """
        x, xd, xdd = (float(each[0, 0]) for each in self.motion.sample_many(np.array([t])))
        q, qd = np.asarray(q, dtype=float)[None], np.asarray(qd, dtype=float)[None]
        rows = self.equations.evaluate(np.array([x]), q, qd, (xd, xdd))
        J, e, rate, rest = (each[0] for each in rows)
        return np.linalg.solve(J, rest + 2.0 * stiffness * (rate - J @ qd[0]) + stiffness ** 2 * e)

    def time_at(self, x: float) -> float:
        """Return the time [s] at a fraction x of the path."""
        if x <= 0.0:
            return 0.0
        low, high = 0.0, self.duration
        for _ in range(60):
            middle = 0.5 * (low + high)
            if self.motion.sample(middle)[0][0] < x:
                low = middle
            else:
                high = middle
        return high

    def point_positions(self, q: FloatArray) -> FloatArray:
        """Return the position (M, 3) [m] of the task's point."""
        return self.equations.point_positions(q)

    def _first_configuration(self, q0: FloatArray, bounds: FloatArray) -> FloatArray:
        reached = reach(self.equations, 0.0, q0, bounds)
        if not reached.good:
            position = self.path.first
            error = self.equations.evaluate(np.zeros(1), reached.q[None]).error[0]
            raise TaskError(Finding(
                UNREACHABLE, 0.0, position, None, float(np.linalg.norm(error[:3])), 0.0,
                f'task of {self.frame!r}: its start is {UNREACHABLE} {at(0.0, position)}, from '
                f'q0 {np.round(q0, 4).tolist()}: the nearest solution found is '
                f'{describe(self.equations, 0.0, reached.q, bounds)}; {self._advice()}'))
        return reached.q

    def _advice(self) -> str:
        more = self.equations.count - self.robot.n_joints
        if more > 0:
            return (f'it prescribes {more} quantities more than there are joints, and these do '
                    'not follow from the others: prescribe less')
        return 'give a q0 nearer to it'


def _prescribed(draft: TaskEquations, q0: FloatArray,
                spare: Mapping[str, Spare]) -> dict[str, ArrayLike]:
    """Return {joint: (first, last)} for spare joints and those that do not affect the task."""
    robot = draft.robot
    joints: dict[str, ArrayLike] = {
        name: (q0[k], q0[k]) for k, name in enumerate(robot.joint_names)
        if name not in draft.moving}
    for name, value in spare.items():
        k = robot.joint_index(name)
        if isinstance(value, str):
            if value != FROZEN:
                raise InputError(f"spare joint {name!r}: expected 'frozen', its last value or "
                                 f'(first, last); got {value!r}')
            value = float(q0[k])
        joints[name] = value if np.ndim(value) else (q0[k], value)
    free = [name for name in draft.moving if name not in spare]
    if len(free) > draft.count:
        raise FreeJointsError(draft.count, free)
    return joints


def _timed(path: Path, profile: str | Profile, duration: float | None, velocity: float,
           acceleration: float, jerk: float) -> Move:
    """Return the Move of the fraction x from 0 to 1."""
    if duration is not None:
        return Move(as_profile(profile), [0.0], [1.0], duration)
    if path.length < 1e-9 or min(velocity, acceleration) == math.inf:
        raise InputError('give the duration [s] of the task'
                         + (', since its point stays where it is' if path.length < 1e-9 else
                            ', or velocity [m/s] and acceleration [m/s^2]'))
    move = plan_move([0.0], [path.length], velocity, acceleration, jerk, profile)
    # The profile keeps the limits along the path. Curvature adds to the acceleration, and in other
    # coordinates the speed is not proportional to x': slow down by the true peaks.
    move = Move(move.profile, [0.0], [1.0], move.duration)
    x, xd, xdd = (each[:, :1] for each in move.sample_many(np.linspace(0, move.duration, 4001)))
    _, p1, p2 = path.evaluate(x[:, 0])
    fastest = np.linalg.norm(p1 * xd, axis=1).max()
    hardest = np.linalg.norm(p1 * xdd + p2 * xd * xd, axis=1).max()
    slower = max(1.0, fastest / velocity, math.sqrt(hardest / acceleration))
    return Move(move.profile, [0.0], [1.0],
                move.duration * (1.0 if slower < 1.0 + 1e-9 else slower))
