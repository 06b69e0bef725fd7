# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Large JointTrajectory messages, between their serialized bytes and numpy arrays.

rclpy makes a Python object of every point and holds the interpreter's lock meanwhile: 0.1 s and
more for 10 000 points of 7 joints, in which a control loop stands still. The bytes are regular:
CDR (OMG DDS-XTypes, 7.4.1; PLAIN_CDR, little endian) puts, counted from after a header of 4 bytes,
each number at a multiple of its size; a sequence is its length (uint32) and its elements. Points
that carry the same fields are equally long from the second one on, so that they can be read and
written as one array. What is not regular is left to rclpy.
"""

from __future__ import annotations

import struct

import numpy as np
from rclpy.serialization import deserialize_message
from trajectory_msgs.msg import JointTrajectory

from kane_dynamics.motion.goal import Goal
from kane_dynamics.motion.interpolation import carried
from kane_dynamics.nodes.conversions import goal_from_message, NANOSECONDS, seconds_since

HEADER = b'\x00\x01\x00\x00'    # PLAIN_CDR, little endian
FIELDS = ('positions', 'velocities', 'accelerations', 'effort')
TIME = np.dtype([('sec', '<i4'), ('nanosec', '<u4')])


def decode(data, epoch=0):
    """Return serialized bytes of a JointTrajectory as a Goal, stamped in seconds since epoch."""
    data = bytes(data)
    try:
        return _decode_regular(data, epoch)
    except (_IrregularError, struct.error, UnicodeDecodeError):
        return goal_from_message(deserialize_message(data, JointTrajectory), epoch)


def encode(joint_names, times, fields, stamp=0, frame_id=''):
    """Return the serialized bytes of a JointTrajectory.

    times (N,) [s] from its start; fields: positions, velocities, accelerations and effort, each
    (N, n) or None; a row of NaN is a point that does not carry the field. stamp [ns].
    """
    out = bytearray()
    sec, nanosec = divmod(stamp, NANOSECONDS)
    out += struct.pack('<iI', sec, nanosec)
    put_text(out, frame_id)
    put_names(out, joint_names)
    count, n = len(times), len(joint_names)
    put_number(out, count)
    ns = np.round(np.asarray(times, dtype=float) * 1e9).astype(np.int64)
    carries = np.array([np.zeros(count, bool) if rows is None else carried(np.asarray(rows))
                        for rows in fields]).T
    # runs of points that carry the same; the first point of each may be padded differently
    edges = np.flatnonzero((carries[1:] != carries[:-1]).any(axis=1)) + 1 if count else []
    for first, last in zip([0, *edges], [*edges, count] if count else []):
        for begin, end in ((first, first + 1), (first + 1, last)):
            if begin < end:
                pattern = [n if each else 0 for each in carries[first]]
                layout, _ = _layout(len(out) % 8, pattern)
                rows = np.zeros(end - begin, dtype=layout)
                for name, length, values in zip(FIELDS, pattern, fields):
                    rows[f'{name}_length'] = length
                    if length:
                        rows[name] = values[begin:end]
                rows['time']['sec'], rows['time']['nanosec'] = np.divmod(ns[begin:end],
                                                                         NANOSECONDS)
                out += rows.view(np.uint8).data
    return b''.join((HEADER, out))


class _IrregularError(Exception):
    """Say that bytes are not laid out as this module reads them."""


def _layout(parity, lengths):
    """Return the dtype of one point that starts at parity = offset mod 8, and its length."""
    names, formats, offsets, at = [], [], [], parity
    for name, length in zip(FIELDS, lengths):
        names.append(f'{name}_length')
        formats.append('<u4')
        offsets.append(at - parity)
        at += 4
        if length:
            at += -at % 8
            names.append(name)
            formats.append(('<f8', (length,)))
            offsets.append(at - parity)
            at += 8 * length
    names.append('time')
    formats.append(TIME)
    offsets.append(at - parity)
    size = at + 8 - parity
    return np.dtype({'names': names, 'formats': formats, 'offsets': offsets,
                     'itemsize': size}), size


def _decode_regular(data, epoch):
    if data[:4] != HEADER:
        raise _IrregularError
    data = memoryview(data)[4:]
    sec, nanosec = struct.unpack_from('<iI', data, 0)
    at = _skip_text(data, 8)
    at += -at % 4
    count, = struct.unpack_from('<I', data, at)
    at += 4
    names = []
    for _ in range(count):
        at += -at % 4
        end = _skip_text(data, at)
        names.append(bytes(data[at + 4:end - 1]).decode())
        at = end
    at += -at % 4
    count, = struct.unpack_from('<I', data, at)
    at += 4
    ns = sec * NANOSECONDS + nanosec
    goal = {'joint_names': tuple(names), 'stamp': None if ns == 0 else seconds_since(epoch, ns)}
    if count == 0:
        return Goal(times=(), **goal)
    pattern = _pattern(data, at)
    blocks = []
    for size in (1, count - 1):
        layout, length = _layout(at % 8, pattern)
        if at + size * length > len(data):
            raise _IrregularError
        blocks.append(np.ndarray((size,), layout, data, at))
        at += size * length
    rows = [np.concatenate([block[f'{name}_length'] for block in blocks]) for name in FIELDS]
    if any((lengths != length).any() for lengths, length in zip(rows, pattern)):
        raise _IrregularError
    times = np.concatenate([block['time']['sec'] + 1e-9 * block['time']['nanosec']
                            for block in blocks])
    values = {name: np.concatenate([block[name] for block in blocks]) if length else None
              for name, length in zip(FIELDS, pattern)}
    return Goal(times=times, efforts=values.pop('effort'), **values, **goal)


def _pattern(data, at):
    """Return the lengths of the four fields of the point at an offset."""
    lengths = []
    for _ in FIELDS:
        length, = struct.unpack_from('<I', data, at)
        lengths.append(length)
        at += 4
        if length:
            at += -at % 8 + 8 * length
        if at > len(data):
            raise _IrregularError
    return lengths


def align(out, size):
    """Add zeros until the next byte is at a multiple of the size."""
    out += bytes(-len(out) % size)


def put_number(out, value):
    """Add a uint32, which lengths of sequences are too."""
    align(out, 4)
    out += struct.pack('<I', value)


def put_text(out, text):
    """Add a string."""
    raw = text.encode() + b'\0'
    put_number(out, len(raw))
    out += raw


def put_names(out, names):
    """Add a sequence of strings."""
    put_number(out, len(names))
    for name in names:
        put_text(out, name)


def _skip_text(data, at):
    length, = struct.unpack_from('<I', data, at)
    end = at + 4 + length
    if length == 0 or end > len(data) or data[end - 1] != 0:
        raise _IrregularError
    return end
