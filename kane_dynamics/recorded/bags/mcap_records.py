# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Records of an mcap file, and the search for the next one after damage.

Format: https://mcap.dev/spec
"""

from __future__ import annotations

from binascii import crc32
from collections.abc import Container, Iterator
import re
import struct
from typing import BinaryIO

from kane_dynamics.io.limits import BAG_CHUNK_BYTES
from kane_dynamics.io.text import clean, PATH, show
from kane_dynamics.recorded.bags.unpacking import bound_rosbags

MAGIC = b'\x89MCAP0\r\n'
SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, DATA_END = 0x03, 0x04, 0x05, 0x06, 0x07, 0x0F
HEAD = 9            # bytes before the content of a record: operation and length
INDEX_ENTRY = 16    # bytes of a message in an index, after a head that is shorter
FOOTER = 37         # bytes at the end of a whole file, the magic included
BLOCK = 1 << 16     # bytes searched at once
# records that reading goes on with: an operation, and a length below 4 GB
BEGINNING = re.compile(rb'[\x03-\x07\x0f].{4}\x00{4}', re.DOTALL)
MESSAGE_HEAD = struct.Struct('<HIQQ')       # channel, sequence, times of recording and publication

# byte of the first field with a length (uint32) before it, and how many such fields there are
PREFIXED = {SCHEMA: (2, 3), CHANNEL: (4, 3), MESSAGE_INDEX: (2, 1)}

_head = struct.Struct('<BQ')


class DamageError(Exception):
    """Bytes that are not a record, with the reason."""


class ChunkHead:
    """The head of a chunk: sizes, check sum, compression, and where its records begin."""

    def __init__(self, content: bytes, length: int) -> None:
        """Read the head of a record whose content has this length."""
        _, _, self._size, self._checksum = struct.unpack_from('<QQQI', content)
        self._compression, at = text_at(content, 28)
        packed = struct.unpack_from('<Q', content, at)[0]
        self.first = at + 8
        if self.first + packed != length:
            raise DamageError('the length of a chunk is damaged')

    def unpacked(self, data: bytes, cut: bool) -> bytes:
        """Return the records of the chunk: of a cut one, as far as they go."""
        if cut and self._compression == '':
            return data
        if self._size > BAG_CHUNK_BYTES.value:
            raise DamageError(f'a chunk claims {self._size} bytes: {BAG_CHUNK_BYTES.exceeded}')
        unpackers = bound_rosbags()
        if self._compression not in unpackers:
            raise DamageError(f'compression {show(self._compression)} is not known')
        try:
            data = unpackers[self._compression](data, self._size)
        except Exception as error:  # each compressor has errors of its own
            raise DamageError(f'a chunk cannot be unpacked: {clean(error, PATH)}') from None
        if len(data) != self._size:
            raise DamageError(f'a chunk has {len(data)} bytes, expected {self._size}')
        if self._checksum and crc32(data) != self._checksum:
            raise DamageError('the check sum of a chunk does not fit')
        return data


def records(stream: BinaryIO, size: int) -> Iterator[tuple[int, int, int, bytes]]:
    """Yield (first byte, operation, length, content) of records until the stream ends.

    The content of a chunk may be cut: messages that are not compressed are whole up to the cut.
    """
    at, largest = stream.tell(), BAG_CHUNK_BYTES.value
    while at < size:
        head = stream.read(HEAD)
        if len(head) < HEAD:
            raise DamageError('a record is cut')
        operation, length = _head.unpack(head)
        if operation == 0:          # no record has it: zeros, as a power cut leaves them
            raise DamageError('a record of operation 0')
        if length > largest:
            raise DamageError(f'a record claims {length} bytes: {BAG_CHUNK_BYTES.exceeded}')
        if length > size - at - HEAD and operation != CHUNK:
            raise DamageError('a record is cut')
        content = stream.read(length)
        check_record(operation, content)
        yield at, operation, length, content
        at += HEAD + length


def check_record(operation: int, content: bytes) -> None:
    """Raise where the lengths within a record contradict its own; a chunk has its own check."""
    if operation in PREFIXED:
        at, count = PREFIXED[operation]
        for _ in range(count):
            if at + 4 > len(content):
                raise DamageError('a record is too short')
            at += 4 + struct.unpack_from('<I', content, at)[0]
        if at != len(content):
            raise DamageError('the length of a record is damaged')
    elif operation == MESSAGE and len(content) < MESSAGE_HEAD.size:
        raise DamageError('a message is too short')
    elif operation == DATA_END and len(content) != 4:
        raise DamageError('the end of the data is damaged')


def next_record(stream: BinaryIO, begin: int, size: int, channels: Container[int]) -> int:
    """Return the first byte at or after `begin` of two valid records in a row, or the size.

    channels: those that a message may have.
    """
    while begin < size:
        stream.seek(begin)
        block = stream.read(BLOCK + HEAD)
        for found in BEGINNING.finditer(block):
            if _begins_record(stream, begin + found.start(), size, channels):
                return begin + found.start()
        begin += BLOCK
    return size


def _begins_record(stream: BinaryIO, at: int, size: int, channels: Container[int]) -> bool:
    """Return whether a valid record, and another one or the end of the stream, are at a byte."""
    stream.seek(at)
    largest = BAG_CHUNK_BYTES.value
    try:
        operation, length = _head.unpack(stream.read(HEAD))
        if length > min(largest, size - at - HEAD):
            return False
        if operation == CHUNK:
            ChunkHead(stream.read(min(length, 100)), length)
        else:
            content = stream.read(length)
            check_record(operation, content)
            if operation == MESSAGE and MESSAGE_HEAD.unpack_from(content)[0] not in channels:
                return False
        if at + HEAD + length == size:
            return True
        stream.seek(at + HEAD + length)
        operation, length = _head.unpack(stream.read(HEAD))
    except (DamageError, struct.error, UnicodeDecodeError):
        return False
    return bool(0 < operation <= DATA_END and length <= largest)


def text_at(content: bytes, at: int) -> tuple[str, int]:
    """Return the text at a byte of a record, and the byte after it."""
    end = at + 4 + struct.unpack_from('<I', content, at)[0]
    if end > len(content):
        raise DamageError('a text is longer than its record')
    return bytes(content[at + 4:end]).decode('utf-8'), end
