# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Actuators of an arm: one drive per joint, from motions to inputs and from inputs to motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

PARTS = ('state_names', 'demand', 'initial', 'effort', 'inertia', 'transmission', 'rate')


class Drive(Protocol):
    """The actuator of one joint: from a motion to its input, and from an input to the motion.

    x (n_states,): its own states; u: its input [V or A]; q, qd, qdd, tau: of the joint.
    """

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return the names of the drive's states in addition to position and speed."""

    def demand(self, t: FloatArray, tau: FloatArray, q: FloatArray, qd: FloatArray,
               qdd: FloatArray) -> Any:
        """Return a NamedTuple of arrays (N,): the quantities of the drive along a motion."""

    def initial(self, tau: float, q: float, qd: float, qdd: float) -> tuple[float, FloatArray]:
        """Return the input and the states (n,) that go with a motion of the joint."""

    def effort(self, q: float, qd: float, x: FloatArray, u: float) -> float:
        """Return the torque at the joint [N m or N] without losses of the gear and inertia."""

    def inertia(self, q: float) -> float:
        """Return the inertia of the drive, seen at the joint [kg m^2 or kg]."""

    def transmission(self, torque: float, qd: float) -> float:
        """Return the fraction of a torque of the motor's side that reaches the joint."""

    def rate(self, q: float, qd: float, x: FloatArray, u: float, out: FloatArray) -> None:
        """Fill out with the rates of the states x."""


class Drives:
    """One drive for every joint of a robot: `DcDrive`, `HydraulicDrive`, or another `Drive`.

    Args:
        robot: the arm. Its own rotor inertias (armature) stay in it: a drive's comes on top.
        drives: {joint name: drive}.
        passive: names of joints that nothing drives.
    """

    def __init__(self, robot: Robot, drives: Mapping[str, Drive],
                 passive: Sequence[str] = ()) -> None:
        names = robot.joint_names
        for name in (*drives, *passive):
            if name not in names:
                raise InputError(f'drives: {robot.name!r} has no independent joint {name!r}; '
                                 f'there are {list(names)}')
        missing = [name for name in names if name not in drives and name not in passive]
        if missing:
            raise InputError(f'drives: {missing} have no drive; give one, or name them in passive')
        both = sorted(set(drives) & set(passive))
        if both:
            raise InputError(f'drives: {both} have a drive and are named in passive')
        for name, drive in drives.items():
            lacking = [part for part in PARTS if not hasattr(drive, part)]
            if lacking:
                raise InputError(f'drives: that of {name!r}, {type(drive).__name__}, is no drive: '
                                 f'it lacks {lacking}')
        self.robot = robot
        self.drives = {name: drives[name] for name in names if name in drives}
        # of the driven joints among the joints
        self.indices = np.array([names.index(name) for name in self.drives], dtype=int)
        sizes = [len(drive.state_names) for drive in self.drives.values()]
        ends = np.cumsum([0, *sizes])
        self.slices = [slice(a, b) for a, b in zip(ends, ends[1:])]     # of the states
        self.n_states = int(ends[-1])

    def __repr__(self) -> str:
        return f'Drives({self.robot.name!r}, {self.drives})'

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Return the joints that have a drive, in q order: the order of inputs."""
        return tuple(self.drives)

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return 'joint/state' for every state of the drives."""
        return tuple(f'{name}/{state}' for name, drive in self.drives.items()
                     for state in drive.state_names)

    def demand(self, t: ArrayLike, tau: ArrayLike, q: ArrayLike, qd: ArrayLike,
               qdd: ArrayLike) -> dict[str, Any]:
        """Return {joint: demand on its drive} of a motion; t (N,), the others (N, n_joints)."""
        rows = [np.asarray(each, dtype=float) for each in (tau, q, qd, qdd)]
        return {name: drive.demand(np.asarray(t, dtype=float), *(each[:, k] for each in rows))
                for k, (name, drive) in zip(self.indices, self.drives.items())}

    def initial(self, tau: ArrayLike, q: ArrayLike, qd: ArrayLike | None = None,
                qdd: ArrayLike | None = None) -> tuple[FloatArray, FloatArray]:
        """Return inputs (n,) and states (n_states,) that go with torques and a motion (n_joints,).

        At rest: `drives.initial(dynamics.gravity(q), q)` holds the arm.
        """
        still = np.zeros(len(self.robot.joint_names))
        rows = [np.asarray(still if each is None else each, dtype=float)
                for each in (tau, q, qd, qdd)]
        found = [drive.initial(*(each[k] for each in rows))
                 for k, drive in zip(self.indices, self.drives.values())]
        return (np.array([u for u, _ in found]),
                np.concatenate([np.zeros(0), *(x for _, x in found)]))
