# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of a bag as arrays: JointStates and stamped vectors, thousands at once.

The messages of one publisher differ in their stamps and numbers only. The layout is therefore
found in one message, and the others are compared with it byte by byte; those that differ anywhere
else have another layout.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kane_dynamics.io.cdr import (
    CdrError, NANOSECONDS, put_doubles, put_names, put_number, put_text, Reader, STAMP,
    stamped_copies)
from kane_dynamics.numerics.array_types import BoolArray, FloatArray, IntArray

FIELDS = ('position', 'velocity', 'effort')
# numbers in a row -> message type
STAMPED_TYPES = {6: 'geometry_msgs/msg/WrenchStamped', 3: 'geometry_msgs/msg/PointStamped'}

Bytes: TypeAlias = NDArray[np.uint8]


class Layout:
    """The positions of the parts of a JointState, found in one message, valid for all like it.

    names: the joints in the order of the message; offsets: {field: index of its first byte};
    counts: {field: how many numbers}.
    """

    def __init__(self, data: bytes) -> None:
        """Find the layout of a serialized message, or raise a CdrError."""
        self.offsets: dict[str, int] = {}
        self.counts: dict[str, int] = {}
        reader = Reader(data)
        reader.stamp()
        reader.text()           # frame_id
        self.names = reader.names()
        for field in FIELDS:
            count = reader.length()
            self.offsets[field], self.counts[field] = reader.skip_doubles(count), count
        if len(data) - reader.at > 8:
            raise CdrError(f'{len(data) - reader.at} bytes are left after effort')
        for field in FIELDS:
            if self.counts[field] not in (0, len(self.names)):
                raise CdrError(f'{field} has {self.counts[field]} numbers for {len(self.names)} '
                               'names')
        self._fixed = np.concatenate([np.arange(*span) for span in reader.spans])
        self._template = np.frombuffer(data, dtype=np.uint8)[self._fixed]

    def matches(self, rows: Bytes) -> BoolArray:
        """Return which of the messages `rows` (N, size) have this layout: (N,)."""
        return (rows[:, self._fixed] == self._template).all(axis=1)

    def stamps(self, rows: Bytes) -> IntArray:
        """Return header.stamp [ns] of the messages `rows` (N, size)."""
        seconds = np.ascontiguousarray(rows[:, 4:8]).view('<i4')[:, 0].astype(np.int64)
        return seconds * NANOSECONDS + np.ascontiguousarray(rows[:, 8:12]).view('<u4')[:, 0]

    def numbers(self, rows: Bytes, field: str) -> FloatArray | None:
        """Return a field of the messages `rows` (N, size) as (N, names); None if it is empty."""
        count, at = self.counts[field], self.offsets[field]
        if not count:
            return None
        return np.ascontiguousarray(rows[:, at:at + 8 * count]).view('<f8')


class Encoder:
    """Serialize JointStates of the same joints; fields that are not named stay empty."""

    def __init__(self, names: Sequence[str], frame_id: str = '',
                 fields: Collection[str] = FIELDS) -> None:
        self._message = bytearray(STAMP)
        put_text(self._message, frame_id)
        put_names(self._message, names)
        self._offsets = {}
        for field in FIELDS:
            count = len(names) if field in fields else 0
            put_number(self._message, count)
            self._offsets[field] = put_doubles(self._message, count)

    def encode(self, stamps: IntArray, **fields: FloatArray) -> list[bytes]:
        """Return N messages; stamps (N,) [ns], position, velocity, effort (N, n)."""
        return stamped_copies(self._message, stamps, {
            self._offsets[field]: values for field, values in fields.items()})


def encode_stamped(stamps: IntArray, frame_id: str, rows: FloatArray) -> list[bytes]:
    """Return N messages of the type STAMPED_TYPES[rows.shape[1]].

    stamps (N,) [ns]; rows (N, 6), force and torque, or (N, 3), a point.
    """
    message = bytearray(STAMP)
    put_text(message, frame_id)
    return stamped_copies(message, stamps, {put_doubles(message, rows.shape[1]): rows})
