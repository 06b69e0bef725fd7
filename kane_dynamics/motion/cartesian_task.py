# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks in space: a point of the arm along a path, a frame turned as wanted, by a law of motion.

The task classes of Vukobratovic and Potkonjak 1982 (3.4), by what is prescribed:

  A1 A2 A3   place; Cartesian, cylindrical, spherical; further joints by themselves (spare)
  B1         place and direction of an axis (five degrees of freedom)
  C1 C2      place and orientation; Euler angles or any other, direction and spin
  C3         place and direction, one joint by itself (spare)
  wrist      the place of one frame, the orientation of another (3.11): orientation_frame
"""

from __future__ import annotations

import math

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.direction import Direction
from kane_dynamics.motion.inverse_kinematics import checked_posture, describe, reach
from kane_dynamics.motion.moves import Move, plan_move
from kane_dynamics.motion.orientation import DirectionAndSpin, Orientation
from kane_dynamics.motion.path import Path
from kane_dynamics.motion.path_coordinates import Cylindrical, Spherical
from kane_dynamics.motion.profiles import Law, LAWS
from kane_dynamics.motion.solved_path import SolvedPath
from kane_dynamics.motion.task import Task
from kane_dynamics.motion.task_equations import TaskEquations
from kane_dynamics.motion.task_error import at, Finding, TaskError, UNREACHABLE

FROZEN = 'frozen'


class CartesianTask(Task):
    """Carry a point of a link along a path.

    Args:
        dynamics: of the arm.
        frame: the link; `point` (3,) [m] in its axes, by default its origin.
        path: a `Path` of the point, in base axes.
        orientation: an `Orientation` (full), a `Direction` (of one axis) or None, of the link
            `orientation_frame`, by default `frame`.
        posture: (n,) near which the arm starts; its first place is found from there.
        law: a name of LAWS or a `Law`, rest to rest.
        duration: [s]; or velocity [m/s] and acceleration [m/s^2], which the point keeps to and
            which shape the laws 'trapezoidal' and 's_curve' (with jerk [m/s^3]).
        spare: {joint: 'frozen' | last | (first, last)} for joints that the task leaves free:
            kept at the posture's value, or brought to another by the same law [rad or m].
            A planar arm, or one of five joints, may be told more than it has joints, as long as
            what is told too much follows from the rest.
        singular: smallest singular value of the task's equations (a pure number) that is let pass.
        limits: False lets motions pass the position limits of the URDF; `findings` lists them.
    """

    def __init__(self, dynamics, frame, path, orientation=None, *, posture, law='quintic',
                 duration=None, velocity=math.inf, acceleration=math.inf, jerk=math.inf,
                 spare=None, point=(0.0, 0.0, 0.0), orientation_frame=None, singular=1e-3,
                 limits=True):
        _require(path, Path, 'path', 'Line(first, last)')
        if orientation is not None:
            _require(orientation, (Orientation, Direction), 'orientation',
                     'Turn(rotation), which keeps it')
        robot = dynamics.robot
        bounds = np.array([robot.limits.lower, robot.limits.upper])
        if not limits:
            bounds = np.array([[-np.inf], [np.inf]]) * np.ones(robot.n_joints)
        posture = checked_posture(robot, posture, 'posture', bounds)
        draft = TaskEquations(dynamics, frame, path, orientation, point, orientation_frame)
        joints = _prescribed(draft, posture, spare or {})
        self.equations = TaskEquations(dynamics, frame, path, orientation, point,
                                       orientation_frame, joints)
        self.robot, self.limits, self.frame = self.equations.robot, limits, frame
        self.path, self.orientation, self._spare = path, orientation, dict(spare or {})
        self.motion = _timed(path, law, duration, velocity, acceleration, jerk)
        self.duration = self.motion.duration
        start = self._first_posture(posture, bounds)
        self.joint_path = SolvedPath(self.equations, start, singular, self.time_at)

    @property
    def kind(self):
        """Return the class of the task: 'A1' to 'C3', with '+ wrist' where two frames are told."""
        if self.orientation is None:
            coordinates = {Cylindrical: 'A2', Spherical: 'A3'}
            name = coordinates.get(type(self.path), 'A1')
        elif isinstance(self.orientation, Direction):
            name = 'C3' if self._spare else 'B1'
        else:
            name = 'C2' if isinstance(self.orientation, DirectionAndSpin) else 'C1'
        wrist = self.equations.orientation_frame != self.frame
        return f'{name} + wrist' if wrist else name

    @property
    def least_singular_value(self):
        """Return the smallest singular value on the way, its time [s] and its place (3,) [m]."""
        value, share, place = self.joint_path.least_singular_value
        return value, self.time_at(share), place

    def sample_many(self, ts):
        """Return q, qd, qdd, each (M, n), at times ts (M,) [s] since the task began."""
        x, xd, xdd = (each[:, :1] for each in self.motion.sample_many(np.asarray(ts, float)))
        q, q1, q2 = self.joint_path.evaluate(x[:, 0])
        return q, q1 * xd, q1 * xdd + q2 * xd * xd

    def wanted(self, ts):
        """Return the place of the point and its two rates, each (M, 3), at times ts (M,) [s]."""
        x, xd, xdd = (each[:, :1] for each in self.motion.sample_many(np.asarray(ts, float)))
        p, p1, p2 = self.path.evaluate(x[:, 0])
        return p, p1 * xd, p1 * xdd + p2 * xd * xd

    def acceleration(self, t, q, qd, stiffness=50.0):
        """Return qdd (n,) that does the task at time t [s] from a state beside it.

        Resolved acceleration (Luh, Walker and Paul 1980): qdd = J^-1 (X'' + 2 k e' + k^2 e - A)
        with the error e and k = stiffness [1/s]. A torque law for `simulate` is
        dynamics.inverse(q, qd, task.acceleration(t, q, qd)).
        """
        x, xd, xdd = (float(each[0, 0]) for each in self.motion.sample_many(np.array([t])))
        q, qd = np.asarray(q, dtype=float)[None], np.asarray(qd, dtype=float)[None]
        rows = self.equations.evaluate(np.array([x]), q, order=2, q1=qd, rate=(xd, xdd))
        J, e, rate, rest = (each[0] for each in rows)
        return np.linalg.solve(J, rest + 2.0 * stiffness * (rate - J @ qd[0]) + stiffness ** 2 * e)

    def time_at(self, x):
        """Return the time [s] when a share x of the path is done."""
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

    def places(self, q):
        """Return where the task's point is, (M, 3) [m]."""
        return self.equations.place(q)

    def _first_posture(self, posture, bounds):
        reached = reach(self.equations, 0.0, posture, bounds)
        if not reached.good:
            place = self.path.first
            error = self.equations.evaluate(np.zeros(1), reached.q[None]).error[0]
            raise TaskError(Finding(
                UNREACHABLE, 0.0, place, None, float(np.linalg.norm(error[:3])), 0.0,
                f'task of {self.frame!r}: its start is {UNREACHABLE} {at(0.0, place)}, from the '
                f'posture {np.round(posture, 4).tolist()}: the nearest is '
                f'{describe(self.equations, 0.0, reached.q, bounds)}; {self._advice()}'))
        return reached.q

    def _advice(self):
        more = self.equations.count - self.robot.n_joints
        if more > 0:
            return (f'it prescribes {more} quantities more than there are joints to do it, and '
                    'these do not follow from the others: prescribe less')
        return 'give a posture nearer to it'


def _prescribed(draft, posture, spare):
    """Return {joint: (first, last)} for spare joints and those that move nothing of the task."""
    robot = draft.robot
    joints = {name: (posture[k], posture[k]) for k, name in enumerate(robot.joint_names)
              if name not in draft.moving}
    for name, value in spare.items():
        k = robot.joint_index(name)
        if isinstance(value, str):
            if value != FROZEN:
                raise InputError(f"spare joint {name!r}: expected 'frozen', its last value or "
                                 f'(first, last); got {value!r}')
            value = posture[k]
        joints[name] = tuple(value) if np.ndim(value) else (posture[k], value)
    free = [name for name in draft.moving if name not in spare]
    more = len(free) - draft.count
    if more > 0:
        raise InputError(
            f'the task prescribes {draft.count} quantities to {len(free)} joints {free}; name '
            f"{more} of them as spare, for instance spare={{{free[-1]!r}: 'frozen'}}, or "
            'prescribe more, such as an orientation')
    return joints


def _timed(path, law, duration, velocity, acceleration, jerk):
    """Return the Move of the share x from 0 to 1."""
    if isinstance(law, str) and law not in LAWS:
        raise InputError(f"law '{law}' is not known; there are {', '.join(LAWS)}")
    if not isinstance(law, (str, Law)):
        raise InputError(f'law must be one of {", ".join(LAWS)} or a Law; got '
                         f'{type(law).__name__}')
    if duration is not None:
        law = LAWS[law]() if isinstance(law, str) else law
        return Move(law, [0.0], [1.0], duration)
    if path.length < 1e-9 or min(velocity, acceleration) == math.inf:
        raise InputError('give the duration [s] of the task'
                         + (', since its point stays where it is' if path.length < 1e-9 else
                            ', or velocity [m/s] and acceleration [m/s^2]'))
    move = plan_move([0.0], [path.length], velocity, acceleration, jerk, law)
    # The law keeps the limits along the path; curvature adds to the acceleration, and in other
    # coordinates the speed is no multiple of x': slower by what the true peaks ask for.
    move = Move(move.law, [0.0], [1.0], move.duration)
    x, xd, xdd = (each[:, :1] for each in move.sample_many(np.linspace(0, move.duration, 4001)))
    _, p1, p2 = path.evaluate(x[:, 0])
    fastest = np.linalg.norm(p1 * xd, axis=1).max()
    hardest = np.linalg.norm(p1 * xdd + p2 * xd * xd, axis=1).max()
    slower = max(1.0, fastest / velocity, math.sqrt(hardest / acceleration))
    return Move(move.law, [0.0], [1.0], move.duration * (1.0 if slower < 1.0 + 1e-9 else slower))


def _require(value, kinds, name, example):
    if not isinstance(value, kinds):
        raise InputError(f'{name} must be made by motion.{name}, such as {example}; got '
                         f'{type(value).__name__}')
