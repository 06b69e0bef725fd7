# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""sensor_msgs/msg/JointState as bytes (CDR), thousands at once.

Messages of one publisher differ in their stamp and numbers only. Where things stand is therefore
found in one message, and the others are compared with it byte by byte: those that differ anywhere
else are looked at on their own.
"""

from __future__ import annotations

import struct

import numpy as np

from kane_dynamics.exceptions import InputError

LITTLE_ENDIAN = b'\x00\x01'    # encapsulation of plain CDR; the two bytes after it are options
FIELDS = ('position', 'velocity', 'effort')
LONGEST = 10_000               # names in a message, bytes in a name: more is no JointState


class NoJointState(InputError):
    """Tell that bytes are not a JointState, and why."""


class Layout:
    """Where the parts of a JointState stand: found in one message, good for all like it.

    names: the joints as the message has them; offsets: {field: byte of its first number};
    counts: {field: how many numbers}.
    """

    def __init__(self, data):
        self.size = len(data)
        self.offsets, self.counts = {}, {}
        if len(data) < 12:
            raise NoJointState(f'it has {len(data)} bytes only')
        if data[:2] != LITTLE_ENDIAN:
            raise NoJointState(f'its encapsulation is {data[:2].hex()}, expected '
                               f'{LITTLE_ENDIAN.hex()} (little-endian CDR)')
        fixed = [slice(0, 2)]
        at = self._string(data, 12, fixed)[1]
        count, at = self._count(data, at, fixed)
        names = []
        for _ in range(count):
            name, at = self._string(data, at, fixed)
            names.append(name)
        self.names = tuple(names)
        for field in FIELDS:
            count, at = self._count(data, at, fixed)
            if count:
                at = 4 + -(-(at - 4) // 8) * 8     # numbers of 8 bytes are aligned to 8
            if at + 8 * count > len(data):
                raise NoJointState(f'it ends within {field}: {len(data)} bytes, {count} numbers '
                                   f'from byte {at} on')
            self.offsets[field], self.counts[field] = at, count
            at += 8 * count
        if len(data) - at > 8:
            raise NoJointState(f'{len(data) - at} bytes are left after effort')
        for field in FIELDS:
            if self.counts[field] not in (0, len(names)):
                raise NoJointState(f'{field} has {self.counts[field]} numbers for {len(names)} '
                                   'names')
        self._fixed = np.concatenate([np.arange(part.start, part.stop) for part in fixed])
        self._template = np.frombuffer(data, dtype=np.uint8)[self._fixed]

    def _count(self, data, at, fixed):
        at = 4 + -(-(at - 4) // 4) * 4
        if at + 4 > len(data):
            raise NoJointState(f'it ends at byte {len(data)}, before its numbers')
        count = struct.unpack_from('<I', data, at)[0]
        if count > LONGEST:
            raise NoJointState(f'byte {at} tells of {count} entries')
        fixed.append(slice(at, at + 4))
        return count, at + 4

    def _string(self, data, at, fixed):
        length, at = self._count(data, at, fixed)
        if length == 0 or at + length > len(data):
            raise NoJointState(f'a name of {length} bytes from byte {at} on does not fit')
        fixed.append(slice(at, at + length))
        try:
            return bytes(data[at:at + length - 1]).decode('utf-8'), at + length
        except UnicodeDecodeError:
            raise NoJointState(f'the name at byte {at} is not UTF-8') from None

    def matches(self, rows):
        """Return which rows (N, size) of bytes have this layout, as (N,) truth values."""
        return (rows[:, self._fixed] == self._template).all(axis=1)

    def stamps(self, rows):
        """Return header.stamp of rows (N, size) in integer nanoseconds."""
        seconds = np.ascontiguousarray(rows[:, 4:8]).view('<i4')[:, 0].astype(np.int64)
        return seconds * 1_000_000_000 + np.ascontiguousarray(rows[:, 8:12]).view('<u4')[:, 0]

    def numbers(self, rows, field):
        """Return a field of rows (N, size) as (N, names) floats, None where it is empty."""
        count, at = self.counts[field], self.offsets[field]
        if not count:
            return None
        return np.ascontiguousarray(rows[:, at:at + 8 * count]).view('<f8')


class Encoder:
    """Write JointStates of the same joints, thousands at once; fields not named stay empty."""

    def __init__(self, names, frame_id='', fields=FIELDS):
        head = bytearray(b'\x00\x01\x00\x00' + bytes(8))
        _put_string(head, frame_id)
        _pad(head, 4)
        head += struct.pack('<I', len(names))
        for name in names:
            _put_string(head, name)
        self._offsets = {}
        for field in FIELDS:
            count = len(names) if field in fields else 0
            _pad(head, 4)
            head += struct.pack('<I', count)
            if count:
                _pad(head, 8)
            self._offsets[field] = len(head)
            head += bytes(8 * count)
        self._template = np.frombuffer(bytes(head), dtype=np.uint8)

    def encode(self, stamps, **fields):
        """Return a list of N messages; stamps (N,) [ns], position, velocity, effort (N, n)."""
        rows = np.tile(self._template, (len(stamps), 1))
        stamps = np.asarray(stamps, dtype=np.int64)
        seconds, rest = np.divmod(stamps, 1_000_000_000)
        rows[:, 4:8] = seconds.astype('<i4')[:, None].view(np.uint8)
        rows[:, 8:12] = rest.astype('<u4')[:, None].view(np.uint8)
        for field, numbers in fields.items():
            numbers = np.ascontiguousarray(numbers, dtype='<f8')
            at = self._offsets[field]
            rows[:, at:at + 8 * numbers.shape[1]] = numbers.view(np.uint8)
        data, size = rows.tobytes(), rows.shape[1]
        return [data[k:k + size] for k in range(0, len(data), size)]


def _pad(head, size):
    head += bytes(-(len(head) - 4) % size)


def _put_string(head, text):
    _pad(head, 4)
    data = text.encode() + b'\x00'
    head += struct.pack('<I', len(data)) + data
