# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Serialization of JointTrajectory messages from and to NumPy arrays.

rclpy creates a Python object for every point and holds the global interpreter lock meanwhile:
0.1 s and more for 10 000 points of 7 joints, during which a control loop is blocked. In CDR
(`io.cdr`), points with the same fields have the same size from the second one on, so they can be
read and written as one array. Irregular messages are left to rclpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import struct
from typing import Any, TypeAlias

import numpy as np
from rclpy.serialization import deserialize_message
from trajectory_msgs.msg import JointTrajectory

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.cdr import (
    CdrError, HEADER, NANOSECONDS, put_names, put_number, put_text, Reader, stamp_bytes)
from kane_dynamics.nodes.messages.conversions import goal_from_message, seconds_since
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.trajectory.goal.goal import TrajectoryGoal
from kane_dynamics.trajectory.interpolation import carried

FIELDS = ('positions', 'velocities', 'accelerations', 'effort')
TIME = np.dtype([('sec', '<i4'), ('nanosec', '<u4')])
LEAST = 24      # bytes of a point: four lengths and a duration

Check: TypeAlias = Callable[[Sequence[str], int], object]


def decode(data: bytes, epoch: int = 0, check: Check = lambda names, points: None
           ) -> TrajectoryGoal:
    """Return the TrajectoryGoal of a serialized JointTrajectory, stamped in s since epoch [ns].

    check: called with the joint names and the number of points before the points are read; it may
    raise to refuse them. Bytes that are no JointTrajectory raise InputError.
    """
    data = bytes(data)
    try:
        return _decode_regular(data, epoch, check)
    except (_IrregularError, CdrError, struct.error):
        pass
    try:
        message = deserialize_message(data, JointTrajectory)
    except Exception as error:      # of the middleware or of rclpy, whichever notices
        raise InputError(f'trajectory refused: {len(data)} bytes are no JointTrajectory '
                         f'({error})') from None
    return goal_from_message(message, epoch)


def encode(joint_names: Sequence[str], times: ArrayLike, fields: Sequence[FloatArray | None],
           stamp: int = 0, frame_id: str = '') -> bytes:
    """Return the serialized bytes of a JointTrajectory.

    times (N,) [s] from its start; fields: positions, velocities, accelerations and effort, each
    (N, n) or None; a row of NaN marks a point without this field. stamp [ns].
    """
    out = bytearray(stamp_bytes(stamp))
    put_text(out, frame_id)
    put_names(out, joint_names)
    ns = np.round(np.asarray(times, dtype=float) * 1e9).astype(np.int64)
    count, n = len(ns), len(joint_names)
    put_number(out, count)
    carries = np.array([np.zeros(count, bool) if rows is None else carried(np.asarray(rows))
                        for rows in fields]).T
    # runs of points with the same fields; the first point of each may be padded differently
    edges = (np.flatnonzero((carries[1:] != carries[:-1]).any(axis=1)) + 1).tolist()
    for first, last in zip([0, *edges], [*edges, count] if count else []):
        for begin, end in ((first, first + 1), (first + 1, last)):
            if begin < end:
                pattern = [n if each else 0 for each in carries[first]]
                layout, _ = _layout(len(out) % 8, pattern)
                rows = np.zeros(end - begin, dtype=layout)
                for name, length, values in zip(FIELDS, pattern, fields):
                    rows[f'{name}_length'] = length
                    if length and values is not None:
                        rows[name] = values[begin:end]
                rows['time']['sec'], rows['time']['nanosec'] = np.divmod(ns[begin:end],
                                                                         NANOSECONDS)
                out += rows.view(np.uint8).data
    return b''.join((HEADER, out))


class _IrregularError(Exception):
    """The bytes are valid CDR, perhaps, but not in the layout that this module reads."""


def _layout(parity: int, lengths: Sequence[int]) -> tuple[np.dtype[np.void], int]:
    """Return the dtype and size of one point that starts at parity = offset mod 8."""
    names: list[str] = []
    formats: list[Any] = []
    offsets: list[int] = []
    at = parity
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


def _decode_regular(serialized: bytes, epoch: int, check: Check) -> TrajectoryGoal:
    reader = Reader(serialized)
    ns = reader.stamp()
    reader.text()           # frame_id
    names = reader.names()
    count, at = reader.number(), reader.at - len(HEADER)
    if count <= len(serialized) // LEAST:   # more cannot be there: the bytes are damaged
        check(names, count)
    data = memoryview(serialized)[len(HEADER):]
    stamp = None if ns == 0 else seconds_since(epoch, ns)
    if count == 0:
        return TrajectoryGoal(tuple(names), (), stamp=stamp)
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
    positions, velocities, accelerations, efforts = (
        np.concatenate([block[name] for block in blocks]) if length else None
        for name, length in zip(FIELDS, pattern))
    return TrajectoryGoal(tuple(names), times, positions, velocities, accelerations, efforts,
                          stamp)


def _pattern(data: memoryview, at: int) -> list[int]:
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
