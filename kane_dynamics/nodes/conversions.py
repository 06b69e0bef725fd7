# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Messages to numpy and back; joints are put in order by name in one function only."""

from __future__ import annotations

import array

import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, MultiArrayDimension
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.goal import Goal

NANOSECONDS = 1_000_000_000


def joint_order(wanted, names, who, partial=False):
    """Return for each wanted joint its place in names: (n,) integers.

    An absent joint is an error with its name; with `partial` its place is -1 instead. So is a
    name that stands in names more than once: which of its values counts would be a guess.
    """
    places = {}
    for place, name in enumerate(names):
        if name in places and name in wanted:
            raise InputError(f'{who}: joint {name!r} is named more than once in {list(names)}')
        places[name] = place
    order = np.array([places.get(name, -1) for name in wanted], dtype=np.intp)
    missing = [name for name in wanted if name not in places]
    if missing and not partial:
        raise InputError(f'{who}: joint {missing[0]!r} is missing; expected {list(wanted)}, '
                         f'it has {list(names)}')
    return order


# -- time ----------------------------------------------------------------------------------------


def nanoseconds(stamp):
    """Return a builtin_interfaces Time or Duration as integer nanoseconds."""
    return stamp.sec * NANOSECONDS + stamp.nanosec


def set_stamp(stamp, ns):
    """Write integer nanoseconds into a builtin_interfaces Time or Duration."""
    stamp.sec, stamp.nanosec = divmod(ns, NANOSECONDS)


def seconds_since(epoch, ns):
    """Return the time [s] of integer nanoseconds since an epoch in nanoseconds.

    float64 resolves 0.2 us in seconds since 1970, so nodes count from an epoch near now.
    """
    return (ns - epoch) * 1e-9


# -- trajectories --------------------------------------------------------------------------------


def goal_from_message(message, epoch=0):
    """Return a trajectory_msgs/JointTrajectory as a Goal, its stamp in seconds since the epoch.

    A stamp of zero stays "start now" (None). Nothing is checked here: `accept` does.
    """
    ns = nanoseconds(message.header.stamp)
    points = message.points
    times = np.array([nanoseconds(point.time_from_start) for point in points], dtype=float) * 1e-9
    return Goal(
        joint_names=tuple(message.joint_names), times=times,
        positions=[point.positions for point in points],
        velocities=[point.velocities for point in points],
        accelerations=[point.accelerations for point in points],
        efforts=[point.effort for point in points],
        stamp=None if ns == 0 else seconds_since(epoch, ns))


def trajectory_message(joint_names, times, positions, velocities=None, accelerations=None,
                       efforts=None, stamp=0, frame_id=''):
    """Return a trajectory_msgs/JointTrajectory; times (N,) [s], fields (N, n), stamp [ns]."""
    message = JointTrajectory(joint_names=list(joint_names))
    message.header.frame_id = frame_id
    set_stamp(message.header.stamp, stamp)
    fields = {'positions': positions, 'velocities': velocities, 'accelerations': accelerations,
              'effort': efforts}
    fields = {name: np.ascontiguousarray(rows, dtype=float) for name, rows in fields.items()
              if rows is not None}
    for k, ns in enumerate(np.round(np.asarray(times, dtype=float) * 1e9).astype(np.int64)):
        point = JointTrajectoryPoint()
        for name, rows in fields.items():
            setattr(point, name, array.array('d', rows[k].tobytes()))
        set_stamp(point.time_from_start, int(ns))
        message.points.append(point)
    return message


# -- messages that are filled again and again ----------------------------------------------------


def _view(message, field, size):
    """Give a float64 field a fixed size and return the numpy array that shares its memory."""
    setattr(message, field, array.array('d', bytes(8 * size)))
    return np.frombuffer(getattr(message, field))


class JointStateWriter:
    """A stamped JointState that is made once; write into position, velocity, effort (n,)."""

    def __init__(self, joint_names, frame_id=''):
        self.message = JointState(name=list(joint_names))
        self.message.header.frame_id = frame_id
        n = len(self.message.name)
        self.position = _view(self.message, 'position', n)
        self.velocity = _view(self.message, 'velocity', n)
        self.effort = _view(self.message, 'effort', n)

    def stamped(self, ns):
        """Return the message with its stamp set to integer nanoseconds."""
        set_stamp(self.message.header.stamp, ns)
        return self.message


class CommandsWriter:
    """A Float64MultiArray that is made once; write into data (n,).

    The joints' names stand in the layout's label for people who look; controllers go by order.
    """

    def __init__(self, joint_names):
        n = len(joint_names)
        self.message = Float64MultiArray()
        self.message.layout.dim = [
            MultiArrayDimension(label=','.join(joint_names), size=n, stride=n)]
        self.data = _view(self.message, 'data', n)
