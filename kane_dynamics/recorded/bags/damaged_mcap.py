# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Damaged mcap files: the messages before and after each damaged stretch.

A recorder that was killed leaves a file without its index, its last chunk cut; a broken disk
leaves stretches of other bytes. Records are read one after another. Where one is damaged, reading
goes on at the next byte that begins a valid one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
import io
from pathlib import Path
import struct
from typing import BinaryIO

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import clean, PATH
from kane_dynamics.recorded.bags.mcap_records import (
    CHANNEL, CHUNK, ChunkHead, DamageError, DATA_END, FOOTER, HEAD, INDEX_ENTRY, MAGIC,
    MESSAGE, MESSAGE_HEAD, MESSAGE_INDEX, next_record, records, SCHEMA, text_at)


class _Account:
    """The messages of a pass through the file: how many were read, how many are lost.

    An index of messages follows each chunk: where one is damaged, its index has the number of its
    messages. Without an index that number is estimated by the size of the damaged stretch.

    Attributes: read, messages; stretches, how many are damaged; first of them, (begin, end,
    reason); ended, whether the end of the data was reached.
    """

    def __init__(self) -> None:
        self.read = self.stretches = 0
        self.first: tuple[float, float, str] | None = None
        self.ended = False
        self._last_end = 0.0            # byte in the file
        self._lost = 0                  # messages by the indices of their chunks
        self._lost_bytes = 0.0          # of stretches without an index
        self._damaged_bytes = 0.0       # of all stretches
        # since the last chunk began: messages read, messages in its index, bytes damaged in it
        # and after it
        self._in_chunk, self._indexed, self._inside, self._after = 0, 0, 0.0, 0.0

    def message(self) -> None:
        """Count a message that was read."""
        self.read += 1
        self._in_chunk += 1

    def index(self, count: int) -> None:
        """Count the messages in an index of the last chunk."""
        self._indexed += count

    def damage(self, begin: float, end: float, reason: str, inside: bool) -> None:
        """Add a damaged stretch from byte to byte of the file, inside of a chunk or not."""
        if not self.stretches or begin > self._last_end:
            self.stretches += 1
        if self.first is None or self.stretches == 1:
            first, _, why = self.first or (begin, end, reason)
            self.first = first, end, why
        self._last_end = end
        if inside:
            self._inside += end - begin
        else:
            self._after += end - begin
        self._damaged_bytes += end - begin

    def end_chunk(self) -> None:
        """Count the messages that were lost in the last chunk."""
        if self._indexed > self._in_chunk:
            self._lost += self._indexed - self._in_chunk
        else:
            # what is damaged after a chunk is its index first
            index = INDEX_ENTRY * (self._in_chunk - self._indexed)
            self._lost_bytes += self._inside + max(self._after - index, 0.0)
        self._in_chunk, self._indexed, self._inside, self._after = 0, 0, 0.0, 0.0

    def lost(self, size: int) -> str:
        """Return how many messages of a file of this many bytes are lost, in words."""
        if not self.read:
            return 'all of its messages are lost'
        unknown = 'lost after its last whole record is not known'
        if not self.stretches and not self._lost:
            return 'no message is lost' if self.ended else f'whether messages are {unknown}'
        good = max(size, self._last_end) - self._damaged_bytes
        rest = round(self.read * self._lost_bytes / max(good, 1.0))
        about = '' if self.ended and not self._lost_bytes else 'about '
        cut = '' if self.ended or self._last_end >= size else f'; whether more are {unknown}'
        return f'{about}{self._lost + rest} messages are lost{cut}'


class DamagedMcap:
    """The messages that can be read in a damaged file.

    Attributes: topics {name: message type}; counts {topic: messages}; damage: a sentence on the
    damaged stretches, '' without any; lost: how many messages are lost, in words.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = path.stat().st_size
        self._topics: dict[int, str] = {}       # by the number of the channel
        self._types: dict[str, int] = {}        # topic -> number of its schema
        self._schemas: dict[int, str] = {}
        with open(path, 'rb') as stream:
            if stream.read(len(MAGIC)) != MAGIC:
                raise InputError(f'{path}: this is no mcap file')
            self._read_summary(stream)
        account = _Account()
        self.counts = Counter(topic for topic, _, _ in self._walk(account))
        self.lost = account.lost(self.size)
        self.damage = ''
        if account.first is not None:
            begin, end, reason = account.first
            until = f'to {end:.0f}' if end < self.size else 'on'
            more = account.stretches - 1
            others = f' and in {more} other stretch{"es" * (more > 1)}' if more else ''
            self.damage = (f'{path.name}: damaged from byte {begin:.0f} of {self.size} {until} '
                           f'({clean(reason, PATH)}){others}')

    @property
    def topics(self) -> dict[str, str]:
        """Return {topic: message type}."""
        return {topic: self._schemas.get(schema, '?') for topic, schema in self._types.items()}

    def messages(self, topic: str) -> Iterator[tuple[int, bytes]]:
        """Yield (time [ns], bytes) of a topic in the order of the file."""
        for name, time, content in self._walk(_Account()):
            if name == topic:
                yield time, content[MESSAGE_HEAD.size:]

    def _read_summary(self, stream: BinaryIO) -> None:
        """Read the schemas and channels that the summary at the end of a whole file repeats.

        The chunk in which they come first may be damaged.
        """
        with suppress(DamageError, struct.error, UnicodeDecodeError):
            stream.seek(max(self.size - FOOTER, 0))
            footer = stream.read()
            begin = struct.unpack_from('<Q', footer, HEAD)[0]
            if footer.endswith(MAGIC) and 0 < begin < self.size:
                stream.seek(begin)
                for _, operation, _, content in records(stream, self.size - FOOTER):
                    if operation in (SCHEMA, CHANNEL):
                        self._declare(operation, content)

    def _walk(self, account: _Account) -> Iterator[tuple[str, int, bytes]]:
        """Yield (topic, time [ns], content of its record) of all messages that can be read."""
        with open(self.path, 'rb') as stream:
            yield from self._messages(stream, len(MAGIC), self.size, account)
        account.end_chunk()

    def _messages(self, stream: BinaryIO, begin: int, size: int, account: _Account,
                  in_file: Callable[[int], float] | None = None
                  ) -> Iterator[tuple[str, int, bytes]]:
        """Yield the messages of the file, or of a chunk; damage is added to the account.

        stream: its bytes from `begin` to `size`; in_file(byte): where a byte of a chunk is in the
        file.
        """
        def damage(first: int, end: int, reason: str) -> None:
            if in_file is None:
                account.damage(first, end, reason, inside=False)
            else:
                account.damage(in_file(first), in_file(end), reason, inside=True)
        while begin < size:
            stream.seek(begin)
            try:
                for begin, operation, length, content in records(stream, size):
                    if operation == MESSAGE:
                        channel, _, time, _ = MESSAGE_HEAD.unpack_from(content)
                        if channel in self._topics:
                            account.message()
                            yield self._topics[channel], time, content
                        else:
                            damage(begin, begin + HEAD + length,
                                   f'channel {channel} is not declared')
                    elif operation == CHUNK:
                        account.end_chunk()
                        yield from self._chunk(begin, length, content, account)
                    elif operation == MESSAGE_INDEX:
                        account.index(len(content) // INDEX_ENTRY)
                    elif operation == DATA_END:
                        account.ended = True
                        return
                    elif operation in (SCHEMA, CHANNEL):
                        self._declare(operation, content)
                    begin += HEAD + length      # the next record, should it be damaged
                return
            except (DamageError, struct.error, UnicodeDecodeError) as error:
                reason = str(error) if isinstance(error, DamageError) else 'a record is too short'
            begin, damaged = next_record(stream, begin + 1, size, self._topics), begin
            damage(damaged, begin, reason)

    def _chunk(self, begin: int, length: int, content: bytes, account: _Account
               ) -> Iterator[tuple[str, int, bytes]]:
        """Yield the messages of a chunk, whose record begins at a byte of the file.

        length: of the content; it is shorter where the file is cut.
        """
        head = ChunkHead(content, length)
        first, end = begin + HEAD + head.first, begin + HEAD + length
        cut = length - len(content)
        try:
            data = head.unpacked(content[head.first:], cut > 0)
        except DamageError as error:
            account.damage(begin, end, str(error), inside=True)
            return
        whole = len(data) + cut

        def in_file(byte: int) -> float:
            return first + (end - first) * byte / whole
        yield from self._messages(io.BytesIO(data), 0, len(data), account, in_file)
        if cut:
            account.damage(in_file(len(data)), end, 'a chunk is cut', inside=True)

    def _declare(self, operation: int, content: bytes) -> None:
        """Add a schema or a channel."""
        if operation == SCHEMA:
            number = struct.unpack_from('<H', content)[0]
            self._schemas[number] = text_at(content, 2)[0]
        else:
            number, schema = struct.unpack_from('<HH', content)
            topic = text_at(content, 4)[0]
            self._topics[number] = topic
            self._types[topic] = schema
