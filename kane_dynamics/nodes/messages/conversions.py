# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between ROS messages and NumPy arrays, with joints ordered by name."""

from __future__ import annotations

import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, MultiArrayDimension
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.cdr import NANOSECONDS
from kane_dynamics.io.text import show, show_names
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray, IntArray
from kane_dynamics.trajectory.goal.goal import TrajectoryGoal


def joint_order(wanted: Sequence[str], names: Sequence[str], who: str,
                partial: bool = False) -> IntArray:
    """Return the index of each wanted joint in names: (n,) integers.

    A missing joint raises InputError; with `partial` its index is -1 instead. A wanted joint that
    occurs more than once in names raises InputError, because its value would be ambiguous.
    """
    indices: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in indices and name in wanted:
            raise InputError(f'{who}: joint {show(name)} is named more than once in '
                             f'{show_names(names)}')
        indices[name] = index
    order = np.array([indices.get(name, -1) for name in wanted], dtype=np.intp)
    missing = [name for name in wanted if name not in indices]
    if missing and not partial:
        raise InputError(f'{who}: joint {show(missing[0])} is missing; expected '
                         f'{show_names(wanted)}, it has {show_names(names)}')
    return order


# -- time ----------------------------------------------------------------------------------------


def nanoseconds(stamp: Any) -> int:
    """Return a builtin_interfaces Time or Duration as integer nanoseconds."""
    return stamp.sec * NANOSECONDS + stamp.nanosec


def set_stamp(stamp: Any, ns: int) -> None:
    """Write integer nanoseconds into a builtin_interfaces Time or Duration."""
    stamp.sec, stamp.nanosec = divmod(ns, NANOSECONDS)


def seconds_since(epoch: int, ns: int) -> float:
    """Return the time [s] of integer nanoseconds since an epoch in nanoseconds.

    float64 resolves only 0.2 us in seconds since 1970, so nodes count from a recent epoch.
    """
    return (ns - epoch) * 1e-9


# -- trajectories --------------------------------------------------------------------------------


def goal_from_message(message: Any, epoch: int = 0) -> TrajectoryGoal:
    """Return a trajectory_msgs/JointTrajectory as a TrajectoryGoal, stamped in s since epoch.

    A stamp of zero becomes None, "start now". Nothing is checked here; `accept_goal` does that.
    """
    ns = nanoseconds(message.header.stamp)
    points = message.points
    times = np.array([nanoseconds(point.time_from_start) for point in points], dtype=float) * 1e-9
    return TrajectoryGoal(
        joint_names=tuple(message.joint_names), times=times,
        positions=[point.positions for point in points],
        velocities=[point.velocities for point in points],
        accelerations=[point.accelerations for point in points],
        efforts=[point.effort for point in points],
        stamp=None if ns == 0 else seconds_since(epoch, ns))


def trajectory_message(joint_names: Sequence[str], times: ArrayLike, positions: ArrayLike,
                       velocities: ArrayLike | None = None, accelerations: ArrayLike | None = None,
                       efforts: ArrayLike | None = None, stamp: int = 0,
                       frame_id: str = '') -> JointTrajectory:
    """Return a trajectory_msgs/JointTrajectory; times (N,) [s], fields (N, n), stamp [ns]."""
    message = JointTrajectory(joint_names=list(joint_names))
    message.header.frame_id = frame_id
    set_stamp(message.header.stamp, stamp)
    given = {'positions': positions, 'velocities': velocities, 'accelerations': accelerations,
             'effort': efforts}
    fields = {name: np.ascontiguousarray(rows, dtype=float) for name, rows in given.items()
              if rows is not None}
    for k, ns in enumerate(np.round(np.asarray(times, dtype=float) * 1e9).astype(np.int64)):
        point = JointTrajectoryPoint()
        for name, rows in fields.items():
            setattr(point, name, array.array('d', rows[k].tobytes()))
        set_stamp(point.time_from_start, int(ns))
        message.points.append(point)
    return message


# -- reusable messages ---------------------------------------------------------------------------


def _view(message: Any, field: str, size: int) -> FloatArray:
    """Set the size of a float64 field and return the array that shares its memory."""
    setattr(message, field, array.array('d', bytes(8 * size)))
    return np.frombuffer(getattr(message, field))


class JointStateWriter:
    """A reusable stamped JointState; write into position, velocity, effort (n,)."""

    def __init__(self, joint_names: Sequence[str], frame_id: str = '') -> None:
        self.message = JointState(name=list(joint_names))
        self.message.header.frame_id = frame_id
        n = len(self.message.name)
        self.position = _view(self.message, 'position', n)
        self.velocity = _view(self.message, 'velocity', n)
        self.effort = _view(self.message, 'effort', n)

    def stamped(self, ns: int) -> JointState:
        """Return the message with its stamp set to integer nanoseconds."""
        set_stamp(self.message.header.stamp, ns)
        return self.message


class CommandsWriter:
    """A reusable Float64MultiArray; write into data (n,).

    The label of the layout holds the joint names for readers; controllers use the order only.
    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        n = len(joint_names)
        self.message = Float64MultiArray()
        self.message.layout.dim = [
            MultiArrayDimension(label=','.join(joint_names), size=n, stride=n)]
        self.data = _view(self.message, 'data', n)
