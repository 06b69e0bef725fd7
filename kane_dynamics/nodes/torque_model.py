# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The torque of an arm as it is now: payload, gravity, friction, rotors, locked joints."""

from __future__ import annotations

import numpy as np

from kane_dynamics.exceptions import InputError


class TorqueModel:
    """Compute the torques of the n active joints; nothing is allocated in evaluate and gravity.

    tau = t + friction(qd of the reference, t),  t = inverse(q, qd, qdd) + armature qdd

    Args:
        dynamics: the arm without friction, with its payload; its gravity is zero where the robot
            compensates it.
        active: names of the n joints that move, in the arm's order; all arrays follow it.
        locked: {name: position} of all other joints.
        friction: a Friction of the n joints, or None.
        armature: (n,) [kg m^2 or kg] on top of the URDF's.
    """

    def __init__(self, dynamics, active, locked, friction=None, armature=None):
        robot = dynamics.robot
        self.dynamics = dynamics
        self.joint_names = tuple(active)
        self._active = np.array([robot.joint_index(name) for name in active], dtype=np.intp)
        self._whole = len(active) == robot.n_joints
        self._locked = [(robot.joint_index(name), value) for name, value in locked.items()]
        self.friction = friction if friction is not None and friction.acts else None
        self.armature = None if armature is None or not np.any(armature) else np.array(armature)
        self._q, self._qd, self._qdd, self._tau, zero, self._rest = np.zeros((6, robot.nv))
        for index, value in self._locked:
            self._q[index] = self._rest[index] = value
        self._inverse = dynamics.bind('inverse', self._q, self._qd, self._qdd, self._tau)
        self._gravity = dynamics.bind('inverse', self._rest, zero, zero, self._tau)
        self._work = np.zeros(len(active))

    def evaluate(self, q, qd, qdd, reference_qd, out):
        """Fill out (n,) with the torques of a motion; friction is that of the reference."""
        if self._whole:
            self._q[:], self._qd[:], self._qdd[:] = q, qd, qdd
            self._inverse()
            out[:] = self._tau
        else:
            active = self._active
            self._q[active], self._qd[active], self._qdd[active] = q, qd, qdd
            self._inverse()
            np.take(self._tau, active, out=out)
        if self.armature is not None:
            np.multiply(self.armature, qdd, out=self._work)
            out += self._work
        if self.friction is not None:
            out += self.friction.torque(reference_qd, out)

    def gravity(self, q, out):
        """Fill out (n,) with the torques that hold the arm at rest at q (n,)."""
        if self._whole:
            self._rest[:] = q
            self._gravity()
            out[:] = self._tau
        else:
            self._rest[self._active] = q
            self._gravity()
            np.take(self._tau, self._active, out=out)
        if self.friction is not None and self.friction.offset is not None:
            out += self.friction.offset

    def evaluate_many(self, q, qd, qdd):
        """Return torques (M, n) of M samples of a reference; for any thread."""
        if self._whole:
            tau = self.dynamics.inverse_many(q, qd, qdd)
        else:
            full = np.zeros((3, len(q), self.dynamics.robot.nv))
            for index, value in self._locked:
                full[0, :, index] = value
            full[:, :, self._active] = q, qd, qdd
            tau = self.dynamics.inverse_many(*full)[:, self._active]
        if self.armature is not None:
            tau += self.armature * qdd
        if self.friction is not None:
            tau += self.friction.torque(qd, tau)
        return tau


class Transition:
    """Go from one TorqueModel to another: torques are linear in mass, friction and gravity."""

    def __init__(self, old, new, duration):
        self.old, self.new, self.duration = old, new, duration
        self.elapsed = 0.0
        self._work = np.zeros(len(new.joint_names))

    def advance(self, dt):
        """Let time [s] pass; return whether the new model has come fully into effect."""
        self.elapsed += dt
        return self.elapsed >= self.duration

    def evaluate(self, q, qd, qdd, reference_qd, out):
        """Fill out (n,) as TorqueModel.evaluate."""
        self.old.evaluate(q, qd, qdd, reference_qd, self._work)
        self.new.evaluate(q, qd, qdd, reference_qd, out)
        self._blend(out)

    def gravity(self, q, out):
        """Fill out (n,) as TorqueModel.gravity."""
        self.old.gravity(q, self._work)
        self.new.gravity(q, out)
        self._blend(out)

    def _blend(self, out):
        # (1 - s) old + s new
        self._work -= out
        self._work *= max(1.0 - self.elapsed / self.duration, 0.0)
        out += self._work


def split_joints(robot, joints, locked_joints, locked_positions):
    """Return the active joints in the arm's order and {name: position} of the locked ones.

    Every joint of the arm must be in exactly one of `joints` (empty: all others) and
    `locked_joints`: a joint's position is never guessed.
    """
    names = robot.joint_names
    for who, given in (('joints', joints), ('locked_joints', locked_joints)):
        for name in given:
            if name not in names:
                raise InputError(f'{who}: {name!r} is no joint that moves; the arm has '
                                 f'{list(names)}')
            if given.count(name) > 1:
                raise InputError(f'{who}: {name!r} is named more than once in {list(given)}')
    both = [name for name in joints if name in locked_joints]
    if both:
        raise InputError(f'{both[0]!r} is in joints and in locked_joints')
    active = [name for name in names if name in joints or not joints and name not in locked_joints]
    left = [name for name in names if name not in active and name not in locked_joints]
    if left:
        raise InputError(f'joint {left[0]!r} is missing from joints {list(joints)}; add it, or '
                         'name it in locked_joints with its locked_positions')
    if not active:
        raise InputError(f'no joint is left to move; the arm has {list(names)}')
    if len(locked_positions) == 1:
        locked_positions = locked_positions * len(locked_joints)
    if len(locked_positions) != len(locked_joints):
        raise InputError(f'locked_positions has {len(locked_positions)} values for '
                         f'{len(locked_joints)} locked_joints {list(locked_joints)}')
    return tuple(active), dict(zip(locked_joints, locked_positions))
