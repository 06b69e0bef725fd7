# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""An mcap file without its end: messages read record by record, up to where they stop.

A recorder that was killed leaves such a file: no index, the last chunk cut. Format: mcap.dev.
"""

from __future__ import annotations

import io
import struct

from kane_dynamics.exceptions import InputError

MAGIC = b'\x89MCAP0\r\n'
SCHEMA, CHANNEL, MESSAGE, CHUNK, DATA_END = 0x03, 0x04, 0x05, 0x06, 0x0F
LARGEST = 1 << 30   # bytes of a record or of an unpacked chunk: more is damage


class DamagedMcap:
    """Read what can be read: `topics` {name: type}, `messages(topic)`; `damage` tells the rest."""

    def __init__(self, path):
        self.path = path
        self.size = path.stat().st_size
        self.damage = ''
        with open(path, 'rb') as stream:
            if stream.read(8) != MAGIC:
                raise InputError(f'{path}: this is no mcap file')
        self._types, self._topics, self._schemas = {}, {}, {}
        self.counts = {}
        for topic, _, _ in self._walk(count=True):
            self.counts[topic] = self.counts.get(topic, 0) + 1

    @property
    def topics(self):
        """Return {topic: message type}."""
        return {topic: self._schemas.get(schema, '?') for topic, schema in self._types.items()}

    def messages(self, topic):
        """Yield (time [ns], bytes) of a topic in the order of the file."""
        for name, time, data in self._walk():
            if name == topic:
                yield time, data

    def _walk(self, count=False):
        with open(self.path, 'rb') as stream:
            stream.seek(8)
            place = 8
            try:
                for operation, content in _records(stream, self.size):
                    if operation == DATA_END:
                        return
                    if operation == CHUNK:
                        yield from self._inside(_unpacked(content), count)
                    else:
                        yield from self._one(operation, content, count)
                    place = stream.tell()
            except (_Damage, struct.error, ValueError, RuntimeError, UnicodeDecodeError) as error:
                self.damage = (f'{self.path.name}: damaged from byte {place} of {self.size} on '
                               f'({error}); what comes after it is left out')

    def _inside(self, data, count):
        for operation, content in _records(io.BytesIO(data), len(data)):
            yield from self._one(operation, content, count)

    def _one(self, operation, content, count):
        if operation == SCHEMA:
            number = struct.unpack_from('<H', content)[0]
            self._schemas[number] = _text(content, 2)[0]
        elif operation == CHANNEL:
            number, schema = struct.unpack_from('<HH', content)
            topic = _text(content, 4)[0]
            self._topics[number] = topic
            self._types[topic] = schema
        elif operation == MESSAGE:
            number, _, time = struct.unpack_from('<HIQ', content)
            if number in self._topics:
                yield self._topics[number], time, b'' if count else content[22:]


class _Damage(Exception):
    pass


def _records(stream, size):
    """Yield (operation, bytes) of records until the stream ends; a cut record is damage."""
    while True:
        head = stream.read(9)
        if not head:
            return
        if len(head) < 9:
            raise _Damage('a record is cut')
        operation, length = head[0], struct.unpack_from('<Q', head, 1)[0]
        if length > size - stream.tell():
            if operation == CHUNK:      # messages that are not compressed are whole up to the cut
                yield operation, stream.read(min(LARGEST, size - stream.tell()))
            raise _Damage('a record is cut')
        if length > LARGEST:
            raise _Damage(f'a record claims {length} bytes')
        yield operation, stream.read(length)


def _text(content, at):
    length = struct.unpack_from('<I', content, at)[0]
    return bytes(content[at + 4:at + 4 + length]).decode('utf-8'), at + 4 + length


def _unpacked(content):
    size = struct.unpack_from('<QQQ', content)[2]
    compression, at = _text(content, 28)
    data = content[at + 8:]
    if compression == '':
        return data
    if size > LARGEST:
        raise _Damage(f'a chunk claims {size} bytes')
    from rosbags.rosbag2.storage_mcap import DECOMPRESSORS
    if compression not in DECOMPRESSORS:
        raise _Damage(f'compression {compression!r} is not known')
    try:
        data = DECOMPRESSORS[compression](data, size)
    except Exception as error:  # each compressor has errors of its own
        raise _Damage(f'a chunk cannot be unpacked: {error}') from None
    if len(data) != size:
        raise _Damage(f'a chunk has {len(data)} bytes, expected {size}')
    return data
