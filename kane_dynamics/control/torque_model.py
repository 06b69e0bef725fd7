# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torque model of an arm: payload, gravity, friction, rotors, locked joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.dynamics.elastic_state import ElasticState
from kane_dynamics.dynamics.friction import Friction, Transmission
from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import show, show_names
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray, IntArray
from kane_dynamics.trajectory.trajectory import Trajectory

Step: TypeAlias = Callable[[], None]


class TorqueModel:
    """Compute the torques of the n active joints.

    tau = t + friction(qd of the reference, t),  t = inverse(q, qd, qdd) + armature qdd

    Args:
        dynamics: the arm without friction, with its payload; its gravity is zero where the robot
            compensates it.
        active: names of the n joints that move, in the arm's order, which all arrays follow;
            None: all.
        locked: {name: position} of all other joints.
        friction: a Friction of the n joints, or None.
        armature: (n,) [kg m^2 or kg] on top of the URDF's.
    """

    elastic: ElasticState | None = None     # that of a FlexibleTorqueModel
    skipped = False                         # whether it could not integrate over the last cycle
    lowest = ''                             # description of its lowest mode
    dt = 0.0            # [s] since the last cycle, written by the controller

    def __init__(self, dynamics: Dynamics, active: Sequence[str] | None = None,
                 locked: Mapping[str, float] | None = None, friction: Friction | None = None,
                 armature: ArrayLike | None = None) -> None:
        robot = dynamics.robot
        self.dynamics = dynamics
        self.joint_names = robot.joint_names if active is None else tuple(active)
        self._active: IntArray = np.array(
            [robot.joint_index(name) for name in self.joint_names], dtype=np.int64)
        self._whole = len(self.joint_names) == robot.n_joints
        self._locked = [(robot.joint_index(name), value)
                        for name, value in (locked or {}).items()]
        self.friction = friction if friction is not None and friction.acts else None
        self._transmission = Transmission(len(self.joint_names), self.friction, armature)

    def bound(self, q: FloatArray, qd: FloatArray, qdd: FloatArray, friction_qd: FloatArray,
              out: FloatArray) -> Step:
        """Return step(): fills out (n,) from these arrays (n,), checked now; for control loops."""
        inverse = self._bound_inverse(q, qd, qdd, out)
        if not self._transmission.acts:
            return inverse
        transmit = self._transmission.bind(friction_qd, qdd, out)

        def step() -> None:
            inverse()
            transmit()
        return step

    def bound_gravity(self, q: FloatArray, out: FloatArray) -> Step:
        """Return step(): fills out (n,) with the torques that hold the arm at rest at q (n,)."""
        inverse = self._bound_rest(q, out)
        offset = None if self.friction is None else self.friction.offset
        if offset is None:
            return inverse

        def step() -> None:
            inverse()
            np.add(out, offset, out=out)
        return step

    def _bound_inverse(self, q: FloatArray, qd: FloatArray, qdd: FloatArray,
                       out: FloatArray) -> Step:
        if self._whole:
            return self.dynamics.bind('inverse', q, qd, qdd, out)
        active = self._active
        full_q, full_qd, full_qdd, full_tau = np.zeros((4, self.dynamics.robot.nv))
        for index, value in self._locked:
            full_q[index] = value
        inverse = self.dynamics.bind('inverse', full_q, full_qd, full_qdd, full_tau)

        def step() -> None:
            full_q[active], full_qd[active], full_qdd[active] = q, qd, qdd
            inverse()
            np.take(full_tau, active, out=out)
        return step

    def _bound_rest(self, q: FloatArray, out: FloatArray) -> Step:
        zero = np.zeros(len(self.joint_names))
        return self._bound_inverse(q, zero, zero, out)

    def restart(self) -> None:
        """Forget the past: a rigid arm has none."""

    def take_over(self, other: TorqueModel) -> None:
        """Continue from the state of another model: a rigid arm has none."""

    def evaluate_many(self, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
        """Return torques (M, n) of M samples of a reference; thread-safe."""
        return self._transmitted(self._inverse_many(q, qd, qdd), qd, qdd)

    def along(self, trajectory: Trajectory,
              interval: float) -> Callable[[FloatArray], FloatArray]:
        """Return effort(times), torques (M, n) at times (M,) [s] of a trajectory; thread-safe.

        interval [s]: the shortest time between samples that the caller resolves.
        """
        segments = trajectory.segments
        return lambda times: self.evaluate_many(*segments.evaluate_many(times))

    def _inverse_many(self, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
        if self._whole:
            return self.dynamics.inverse_many(q, qd, qdd)
        return self.dynamics.inverse_many(*self._of_all_joints(q, qd, qdd))[:, self._active]

    def _of_all_joints(self, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
        """Return the motion (3, M, n_joints), the locked joints at their positions."""
        full = np.zeros((3, len(q), self.dynamics.robot.n_joints))
        for index, value in self._locked:
            full[0, :, index] = value
        full[:, :, self._active] = q, qd, qdd
        return full

    def _transmitted(self, tau: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
        """Return the motor torques (M, n) for torques of the links at these rates."""
        if self._transmission.acts:
            tau = np.ascontiguousarray(tau)
            self._transmission.add(np.ascontiguousarray(qd), np.ascontiguousarray(qdd), tau)
        return tau


class Transition:
    """Blend one TorqueModel into another: torques are linear in mass, friction and gravity."""

    def __init__(self, old: TorqueModel, new: TorqueModel, duration: float) -> None:
        self.old, self.new, self.duration = old, new, duration
        self.elapsed = 0.0
        new.take_over(old)

    @property
    def elastic(self) -> ElasticState | None:
        """Return the ElasticState of the new model, None for a rigid arm."""
        return self.new.elastic

    @property
    def dt(self) -> float:
        """Return the time [s] since the last cycle."""
        return self.new.dt

    @dt.setter
    def dt(self, value: float) -> None:
        self.old.dt = self.new.dt = value

    @property
    def skipped(self) -> bool:
        """Return whether the last cycle was too long for the new model to integrate over."""
        return self.new.skipped

    @property
    def lowest(self) -> str:
        """Return the description of the new model's lowest mode."""
        return self.new.lowest

    def restart(self) -> None:
        """Forget the past of both models."""
        self.old.restart()
        self.new.restart()

    def advance(self, dt: float) -> bool:
        """Advance by a time [s]; return whether the new model is fully in effect."""
        self.elapsed += dt
        return self.elapsed >= self.duration

    def bound(self, q: FloatArray, qd: FloatArray, qdd: FloatArray, friction_qd: FloatArray,
              out: FloatArray) -> Step:
        """Return step() as TorqueModel.bound."""
        return self._blended(out, lambda model, tau: model.bound(q, qd, qdd, friction_qd, tau))

    def bound_gravity(self, q: FloatArray, out: FloatArray) -> Step:
        """Return step() as TorqueModel.bound_gravity."""
        return self._blended(out, lambda model, tau: model.bound_gravity(q, tau))

    def _blended(self, out: FloatArray,
                 bind: Callable[[TorqueModel, FloatArray], Step]) -> Step:
        before = np.zeros_like(out)
        old, new = bind(self.old, before), bind(self.new, out)

        def step() -> None:
            old()
            new()
            # (1 - s) old + s new
            np.subtract(before, out, out=before)
            np.multiply(before, max(1.0 - self.elapsed / self.duration, 0.0), out=before)
            np.add(out, before, out=out)
        return step


def split_joints(robot: Robot, joints: Sequence[str], locked_joints: Sequence[str],
                 locked_positions: Sequence[float]) -> tuple[tuple[str, ...], dict[str, float]]:
    """Return the active joints in the arm's order and {name: position} of the locked ones.

    Every joint of the arm must be in exactly one of `joints` (empty: all others) and
    `locked_joints`: a joint's position is never guessed.
    """
    names = robot.joint_names
    for who, given in (('joints', joints), ('locked_joints', locked_joints)):
        for name in given:
            if name not in names:
                raise InputError(f'{who}: {show(name)} is no joint that moves; the arm has '
                                 f'{list(names)}')
            if given.count(name) > 1:
                raise InputError(f'{who}: {show(name)} is named more than once in '
                                 f'{show_names(given)}')
    both = [name for name in joints if name in locked_joints]
    if both:
        raise InputError(f'{both[0]!r} is in joints and in locked_joints')
    active = [name for name in names if name in joints or not joints and name not in locked_joints]
    left = [name for name in names if name not in active and name not in locked_joints]
    if left:
        raise InputError(f'joint {left[0]!r} is missing from joints {show_names(joints)}; add it, '
                         'or name it in locked_joints with its locked_positions')
    if not active:
        raise InputError(f'no joint is left to move; the arm has {list(names)}')
    if len(locked_positions) == 1:
        locked_positions = [locked_positions[0]] * len(locked_joints)
    if len(locked_positions) != len(locked_joints):
        raise InputError(f'locked_positions has {len(locked_positions)} values for '
                         f'{len(locked_joints)} locked_joints {list(locked_joints)}')
    return tuple(active), dict(zip(locked_joints, locked_positions))
