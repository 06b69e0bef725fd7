# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Messages that go out at every cycle, as serialized bytes around arrays that are made once.

rclpy takes a message apart field by field, each name of a joint a string of its own: 60 us where
the caches are cold. In CDR (see `trajectory_cdr`) all but the numbers is the same every time, so
that a message is one join of what is fixed and of the memory of the arrays. Bytes between fields
are zero, as rclpy's are not: the same numbers are the same bytes in every run.
"""

from __future__ import annotations

import struct

from kane_dynamics.nodes.conversions import NANOSECONDS
from kane_dynamics.nodes.trajectory_cdr import align, HEADER, put_names, put_number, put_text

_STAMP = 8      # bytes
_pack_stamp = struct.Struct('<iI').pack


class _Bytes:
    """The parts of a message: bytes that stay, and the memory of arrays (contiguous float64).

    `out` is the message so far, without its header; what stands in the arrays when the message is
    asked for counts.
    """

    def __init__(self):
        self.out, self._kept, self._parts = bytearray(), 0, [HEADER]

    def put_doubles(self, values):
        """Add the memory of an array."""
        align(self.out, 8)
        self._keep()
        self._parts.append(memoryview(values))
        self.out += bytes(8 * len(values))      # their place
        self._kept = len(self.out)

    def put_sequence(self, values):
        """Add a sequence of doubles, empty for None."""
        put_number(self.out, 0 if values is None else len(values))
        if values is not None:
            self.put_doubles(values)

    def put_stamp(self):
        """Add the stamp, which comes first and is set later."""
        self._parts.append(b'')
        self.out += bytes(_STAMP)
        self._kept = len(self.out)

    def _keep(self):
        """Make a part of what was added since the last one."""
        self._parts.append(bytes(self.out[self._kept:]))
        self._kept = len(self.out)

    def now(self):
        """Return the message with the present numbers."""
        return b''.join(self._parts)

    def stamped(self, ns):
        """Return the message with the present numbers, its stamp at integer nanoseconds."""
        self._parts[1] = _pack_stamp(ns // NANOSECONDS, ns % NANOSECONDS)
        return b''.join(self._parts)


class StateBytes(_Bytes):
    """A stamped JointState with these position, velocity and, unless None, effort (n,)."""

    def __init__(self, joint_names, position, velocity, effort=None):
        super().__init__()
        self.put_stamp()
        put_text(self.out, '')                  # frame_id
        put_names(self.out, joint_names)
        for values in (position, velocity, effort):
            self.put_sequence(values)
        self._keep()


class VectorBytes(_Bytes):
    """A stamped Vector3Stamped in a frame with this vector (3,)."""

    def __init__(self, frame_id, vector):
        super().__init__()
        self.put_stamp()
        put_text(self.out, frame_id)
        self.put_doubles(vector)


class CommandsBytes(_Bytes):
    """A Float64MultiArray with these data (n,), labelled as CommandsWriter's."""

    def __init__(self, joint_names, data):
        super().__init__()
        n = len(joint_names)
        put_number(self.out, 1)                 # one dimension: label, size, stride
        put_text(self.out, ','.join(joint_names))
        for value in (n, n, 0):                 # and the data's offset
            put_number(self.out, value)
        self.put_sequence(data)
