# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""CDR, the serialization of ROS 2 messages, read and written.

Plain CDR, little endian (OMG DDS-XTypes 1.3, 7.4.1): after a header of 4 bytes, each number is at
a multiple of its size, counted from the end of the header. A string is its length (uint32, with
the terminating zero) and its bytes in UTF-8, a sequence is its length and its elements. A stamp is
int32 seconds and uint32 nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import struct

import numpy as np
from numpy.typing import NDArray

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.limits import MESSAGE_NAMES

HEADER = b'\x00\x01\x00\x00'    # little-endian plain CDR; the last two bytes are options
STAMP = 8                       # bytes
NANOSECONDS = 1_000_000_000     # in a second

_number = struct.Struct('<I')
_stamp = struct.Struct('<iI')


class CdrError(InputError):
    """Bytes that are not the expected message, with the reason."""


class Reader:
    """Read the fields of a message one after another.

    Attributes: data, the message; at, index of the next field in it; spans, [(begin, end)] of the
    lengths and texts that were read.
    """

    def __init__(self, data: bytes) -> None:
        """Check the header of a message."""
        if len(data) < len(HEADER) + STAMP:
            raise CdrError(f'it has {len(data)} bytes only')
        if data[:2] != HEADER[:2]:
            raise CdrError(f'its encapsulation is {data[:2].hex()}, expected {HEADER[:2].hex()} '
                           '(little-endian CDR)')
        self.data, self.at = data, len(HEADER)
        self.spans = [(0, 2)]

    def stamp(self) -> int:
        """Return a stamp, the first field, as integer nanoseconds."""
        seconds, nanoseconds = _stamp.unpack_from(self.data, self.at)
        self.at += STAMP
        return int(seconds * NANOSECONDS + nanoseconds)

    def number(self) -> int:
        """Return a uint32."""
        at = self.at + -self.at % 4         # the header has 4 bytes
        if at + 4 > len(self.data):
            raise CdrError(f'it ends at byte {len(self.data)}, before its numbers')
        self.at = at + 4
        self.spans.append((at, self.at))
        value: int = _number.unpack_from(self.data, at)[0]
        return value

    def length(self) -> int:
        """Return the length of a string or a sequence (uint32)."""
        value = self.number()
        if value > MESSAGE_NAMES.value:
            raise CdrError(f'byte {self.at - 4} claims {value} entries: {MESSAGE_NAMES.exceeded}')
        return value

    def text(self) -> str:
        """Return a string."""
        length, begin = self.length(), self.at
        end = begin + length
        if length == 0 or end > len(self.data) or self.data[end - 1] != 0:
            raise CdrError(f'there is no text of {length} bytes at byte {begin}')
        self.spans.append((begin, end))
        self.at = end
        try:
            return self.data[begin:end - 1].decode()
        except UnicodeDecodeError:
            raise CdrError(f'the text at byte {begin} is not UTF-8') from None

    def names(self) -> tuple[str, ...]:
        """Return a sequence of strings."""
        return tuple([self.text() for _ in range(self.length())])

    def skip_doubles(self, count: int) -> int:
        """Return the index of the first of `count` doubles, and go on after the last."""
        at = self.at
        if count:
            at += -(at - len(HEADER)) % 8
        self.at = at + 8 * count
        if self.at > len(self.data):
            raise CdrError(f'it ends at byte {len(self.data)}, within {count} numbers from byte '
                           f'{at} on')
        return at


# -- writing: fields are added to a bytearray without the header ---------------------------------


def align(out: bytearray, size: int) -> None:
    """Add zeros until the next byte is at a multiple of the size."""
    out += bytes(-len(out) % size)


def put_number(out: bytearray, value: int) -> None:
    """Add a uint32: a number, or the length of a sequence."""
    align(out, 4)
    out += _number.pack(value)


def put_text(out: bytearray, text: str) -> None:
    """Add a string."""
    raw = text.encode() + b'\0'
    put_number(out, len(raw))
    out += raw


def put_names(out: bytearray, names: Iterable[str]) -> None:
    """Add a sequence of strings."""
    names = list(names)
    put_number(out, len(names))
    for name in names:
        put_text(out, name)


def put_doubles(out: bytearray, count: int) -> int:
    """Add `count` zeros as doubles; return the offset of the first from the end of the header."""
    if count:
        align(out, 8)
    offset = len(out)
    out += bytes(8 * count)
    return offset


def stamp_bytes(ns: int) -> bytes:
    """Return a stamp of integer nanoseconds."""
    return _stamp.pack(ns // NANOSECONDS, ns % NANOSECONDS)


def stamped_copies(out: bytearray, stamps: NDArray[np.int64],
                   fields: Mapping[int, NDArray[np.float64]]) -> list[bytes]:
    """Return N messages that are equal but for their stamps (N,) [ns] and their numbers.

    out: one of them without its header, beginning with the stamp; fields: {offset of the first
    number, from the end of the header: numbers (N, m)}.
    """
    template = np.frombuffer(HEADER + bytes(out), dtype=np.uint8)
    rows = np.tile(template, (len(stamps), 1))
    seconds, rest = np.divmod(np.asarray(stamps, dtype=np.int64), NANOSECONDS)
    rows[:, 4:8] = seconds.astype('<i4')[:, None].view(np.uint8)
    rows[:, 8:12] = rest.astype('<u4')[:, None].view(np.uint8)
    for offset, values in fields.items():
        numbers = np.ascontiguousarray(values, dtype='<f8')
        at = len(HEADER) + offset
        rows[:, at:at + 8 * numbers.shape[1]] = numbers.view(np.uint8)
    data, size = rows.tobytes(), rows.shape[1]
    return [data[k:k + size] for k in range(0, len(data), size)]
