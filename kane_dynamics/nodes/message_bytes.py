# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Messages that go out at every cycle, as serialized bytes around arrays that are made once.

rclpy takes a message apart field by field, each name of a joint a string of its own: 60 us where
the caches are cold. In CDR (see `trajectory_cdr`) all but the numbers is the same every time, so
that a message is one join of what is fixed and of the memory of the arrays.
"""

from __future__ import annotations

import struct

from rclpy.serialization import serialize_message

from kane_dynamics.nodes.conversions import CommandsWriter, JointStateWriter, NANOSECONDS

_STAMP = slice(4, 12)       # after the header of four bytes
_pack_stamp = struct.Struct('<iI').pack


class StateBytes:
    """The bytes of a stamped JointState with these position, velocity and effort (n,).

    The arrays are contiguous float64; what stands in them when bytes are asked for counts.
    """

    def __init__(self, joint_names, position, velocity, effort):
        whole = serialize_message(JointStateWriter(joint_names).message)
        size = 8 * len(joint_names)
        # from the end: effort, its length and padding, velocity, the same, position
        third = len(whole) - size
        second = third - 8 - size
        first = second - 8 - size
        self._parts = [
            whole[:_STAMP.start], b'', whole[_STAMP.stop:first], memoryview(position),
            whole[first + size:second], memoryview(velocity), whole[second + size:third],
            memoryview(effort)]

    def stamped(self, ns):
        """Return the message with its stamp at integer nanoseconds."""
        self._parts[1] = _pack_stamp(ns // NANOSECONDS, ns % NANOSECONDS)
        return b''.join(self._parts)


class CommandsBytes:
    """The bytes of a Float64MultiArray with these data (n,), labelled as CommandsWriter's."""

    def __init__(self, joint_names, data):
        whole = serialize_message(CommandsWriter(joint_names).message)
        self._parts = [whole[:len(whole) - 8 * len(joint_names)], memoryview(data)]

    def now(self):
        """Return the message with the present data."""
        return b''.join(self._parts)
