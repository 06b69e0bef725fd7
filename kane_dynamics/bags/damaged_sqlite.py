# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A sqlite3 file that sqlite refuses: rows read from the pages that are still there.

Leaf pages of a table hold whole rows, so that each page tells of itself what its tree no longer
can. Format: sqlite.org/fileformat2.html, sections 1.6 and 2.1.
"""

from __future__ import annotations

import struct

from kane_dynamics.exceptions import InputError

MAGIC = b'SQLite format 3\x00'
TABLE_LEAF = 0x0D
LARGEST = 1 << 26     # bytes of a row: more is damage
INTEGER_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class DamagedSqlite:
    """Read what can be read: `topics` {name: type}, `messages(topic)`; `damage` tells the rest."""

    def __init__(self, path):
        self.path = path
        self.size = path.stat().st_size
        with open(path, 'rb') as stream:
            head = stream.read(100)
        if head[:16] != MAGIC or len(head) < 100:
            raise InputError(f'{path}: this is no sqlite3 file')
        page = struct.unpack_from('>H', head, 16)[0]
        self._page = 65536 if page == 1 else page
        if self._page < 512 or self._page & (self._page - 1):
            raise InputError(f'{path}: its pages claim to have {self._page} bytes; the first 100 '
                             'bytes of the file are damaged')
        self._usable = self._page - head[20]
        expected = struct.unpack_from('>I', head, 28)[0] * self._page
        self.damage = f'{path.name}: damaged'
        if expected > self.size:
            self.damage += f', cut at byte {self.size} of {expected}'
        self.damage += '; messages were taken from the pages that are whole'
        self._numbers, self.counts, self._types = {}, {}, {}
        for row in self._rows():
            if _is_topic(row):
                self._numbers[row[0]] = row[1]
                self._types[row[1]] = row[2]
        for row in self._rows():
            if _is_message(row) and row[1] in self._numbers:
                topic = self._numbers[row[1]]
                self.counts[topic] = self.counts.get(topic, 0) + 1

    @property
    def topics(self):
        """Return {topic: message type}."""
        return dict(self._types)

    def messages(self, topic):
        """Yield (time [ns], bytes) of a topic in the order of the pages."""
        for row in self._rows():
            if _is_message(row) and self._numbers.get(row[1]) == topic:
                yield row[2], row[3]

    def _rows(self):
        """Yield the rows [rowid or first column, ...] of all leaf pages that make sense."""
        with open(self.path, 'rb') as stream:
            for number in range(self.size // self._page):
                page = self._read(stream, number + 1)
                start = 100 if number == 0 else 0
                if page[start] != TABLE_LEAF:
                    continue
                count = struct.unpack_from('>H', page, start + 3)[0]
                if start + 8 + 2 * count > len(page):
                    continue
                for at in struct.unpack_from(f'>{count}H', page, start + 8):
                    try:
                        yield self._row(stream, page, at)
                    except (IndexError, struct.error, UnicodeDecodeError, _Damage):
                        continue

    def _read(self, stream, number):
        stream.seek((number - 1) * self._page)
        page = stream.read(self._page)
        if number < 1 or len(page) < self._page:
            raise _Damage
        return page

    def _row(self, stream, page, at):
        length, at = _varint(page, at)
        rowid, at = _varint(page, at)
        if length > LARGEST:
            raise _Damage
        # section 1.6: how much of a row stands on its page, the rest on a chain of others
        largest = self._usable - 35
        local = length
        if length > largest:
            least = (self._usable - 12) * 32 // 255 - 23
            local = least + (length - least) % (self._usable - 4)
            local = least if local > largest else local
        if at + local > len(page):
            raise _Damage
        payload = page[at:at + local]
        following = struct.unpack_from('>I', page, at + local)[0] if local < length else 0
        while len(payload) < length:
            more = self._read(stream, following)
            following = struct.unpack_from('>I', more)[0]
            payload += more[4:4 + min(self._usable - 4, length - len(payload))]
        return _columns(payload, rowid)


class _Damage(Exception):
    pass


def _is_topic(row):
    # id, name, type, serialization_format, ...
    return (len(row) >= 4 and isinstance(row[0], int) and row[3] == 'cdr'
            and isinstance(row[1], str) and isinstance(row[2], str))


def _is_message(row):
    # id, topic_id, timestamp, data
    return (len(row) == 4 and isinstance(row[1], int) and isinstance(row[2], int)
            and isinstance(row[3], bytes))


def _varint(data, at):
    value = 0
    for k in range(9):
        byte = data[at + k]
        if k == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + k + 1


def _columns(payload, rowid):
    size, at = _varint(payload, 0)
    kinds = []
    while at < size:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    values, at = [], size
    for kind in kinds:
        length = INTEGER_SIZES.get(kind, 8 if kind == 7 else (kind - 12) // 2 if kind > 11 else 0)
        data = payload[at:at + length]
        if len(data) < length:
            raise _Damage
        at += length
        if kind in INTEGER_SIZES:
            values.append(int.from_bytes(data, 'big', signed=True))
        elif kind > 11:
            values.append(data.decode('utf-8') if kind % 2 else bytes(data))
        else:
            values.append({8: 0, 9: 1}.get(kind))
    if values and values[0] is None:   # an INTEGER PRIMARY KEY is the row's number
        values[0] = rowid
    return values
