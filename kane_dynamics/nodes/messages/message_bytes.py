# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Serialized messages of every cycle: constant bytes around the memory of reusable arrays.

rclpy converts a message field by field, with each joint name as a separate string: 60 us with cold
caches. In CDR (`io.cdr`) only the numbers change, so a message is one join of constant bytes and
the memory of the arrays. Padding bytes are zero, unlike those of rclpy: equal numbers give equal
bytes in every run.
"""

from __future__ import annotations

from collections.abc import Sequence

from kane_dynamics.io.cdr import (
    align, HEADER, put_names, put_number, put_text, STAMP, stamp_bytes)
from kane_dynamics.numerics.array_types import FloatArray


class _Bytes:
    """The parts of a message: constant bytes and the memory of arrays (contiguous float64).

    `out` is the message so far, without its header. `now` and `stamped` read the arrays.
    """

    def __init__(self) -> None:
        self.out, self._kept = bytearray(), 0
        self._parts: list[bytes | memoryview] = [HEADER]

    def put_doubles(self, values: FloatArray) -> None:
        """Add the memory of an array."""
        align(self.out, 8)
        self._keep()
        self._parts.append(values.data)
        self.out += bytes(8 * len(values))      # a placeholder
        self._kept = len(self.out)

    def put_sequence(self, values: FloatArray | None) -> None:
        """Add a sequence of doubles, empty for None."""
        put_number(self.out, 0 if values is None else len(values))
        if values is not None:
            self.put_doubles(values)

    def put_stamp(self) -> None:
        """Add the stamp, the first field, which `stamped` sets."""
        self._parts.append(b'')
        self.out += bytes(STAMP)
        self._kept = len(self.out)

    def _keep(self) -> None:
        """Add the bytes since the last part as a constant part."""
        self._parts.append(bytes(self.out[self._kept:]))
        self._kept = len(self.out)

    def now(self) -> bytes:
        """Return the message with the current numbers."""
        return b''.join(self._parts)

    def stamped(self, ns: int) -> bytes:
        """Return the message with the current numbers and a stamp in integer nanoseconds."""
        self._parts[1] = stamp_bytes(ns)
        return b''.join(self._parts)


class StateBytes(_Bytes):
    """A stamped JointState with position, velocity and, unless None, effort (n,)."""

    def __init__(self, joint_names: Sequence[str], position: FloatArray, velocity: FloatArray,
                 effort: FloatArray | None = None) -> None:
        super().__init__()
        self.put_stamp()
        put_text(self.out, '')                  # frame_id
        put_names(self.out, joint_names)
        for values in (position, velocity, effort):
            self.put_sequence(values)
        self._keep()


class VectorBytes(_Bytes):
    """A Vector3Stamped in a frame with a vector (3,)."""

    def __init__(self, frame_id: str, vector: FloatArray) -> None:
        super().__init__()
        self.put_stamp()
        put_text(self.out, frame_id)
        self.put_doubles(vector)


class CommandsBytes(_Bytes):
    """A Float64MultiArray with data (n,), labelled like that of CommandsWriter."""

    def __init__(self, joint_names: Sequence[str], data: FloatArray) -> None:
        super().__init__()
        n = len(joint_names)
        put_number(self.out, 1)                 # one dimension: label, size, stride
        put_text(self.out, ','.join(joint_names))
        for value in (n, n, 0):                 # and the offset of the data
            put_number(self.out, value)
        self.put_sequence(data)
