# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Messages that go out at every cycle, as serialized bytes around arrays that are made once.

rclpy takes a message apart field by field, each name of a joint a string of its own: 60 us where
the caches are cold. In CDR (see `trajectory_cdr`) all but the numbers is the same every time, so
that a message is one join of what is fixed and of the memory of the arrays.
"""

from __future__ import annotations

import struct

from geometry_msgs.msg import Vector3Stamped
import numpy as np
from rclpy.serialization import serialize_message

from kane_dynamics.nodes.conversions import CommandsWriter, JointStateWriter, NANOSECONDS

_MARK = np.pi * 1e-200      # no text looks like it
_STAMP = slice(4, 12)       # after the header of four bytes
_pack_stamp = struct.Struct('<iI').pack


class _Stamped:
    """Parts of a message: its header, its stamp, and all that follows."""

    _parts: list

    def stamped(self, ns):
        """Return the message with its stamp at integer nanoseconds."""
        self._parts[1] = _pack_stamp(ns // NANOSECONDS, ns % NANOSECONDS)
        return b''.join(self._parts)


class StateBytes(_Stamped):
    """The bytes of a stamped JointState with these position, velocity and effort (n,).

    The arrays are contiguous float64; what stands in them when bytes are asked for counts. Without
    effort that field is empty.
    """

    def __init__(self, joint_names, position, velocity, effort=None):
        writer = JointStateWriter(joint_names)
        arrays = {'position': position, 'velocity': velocity, 'effort': effort}
        if effort is None:
            writer.message.effort = []
            del arrays['effort']
        for k, name in enumerate(arrays):
            getattr(writer, name)[:] = _MARK * (k + 1)      # to be found again
        whole = serialize_message(writer.message)
        self._parts, end = [whole[:_STAMP.start], b''], _STAMP.stop
        for name, values in arrays.items():
            begin = whole.index(getattr(writer, name).tobytes(), end)
            self._parts += [whole[end:begin], memoryview(values)]
            end = begin + 8 * len(joint_names)
        self._parts.append(whole[end:])


class VectorBytes(_Stamped):
    """The bytes of a stamped Vector3Stamped in a frame with this vector (3,)."""

    def __init__(self, frame_id, vector):
        message = Vector3Stamped()
        message.header.frame_id = frame_id
        whole = serialize_message(message)
        self._parts = [whole[:_STAMP.start], b'', whole[_STAMP.stop:-24], memoryview(vector)]


class CommandsBytes:
    """The bytes of a Float64MultiArray with these data (n,), labelled as CommandsWriter's."""

    def __init__(self, joint_names, data):
        whole = serialize_message(CommandsWriter(joint_names).message)
        self._parts = [whole[:len(whole) - 8 * len(joint_names)], memoryview(data)]

    def now(self):
        """Return the message with the present data."""
        return b''.join(self._parts)
