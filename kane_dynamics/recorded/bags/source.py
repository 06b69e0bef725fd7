# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""rosbag2 recordings: topics, messages as bytes, and notes on damage and lost messages.

The number of messages that was read is compared with the bag's own count (metadata.yaml, or the
summary of an mcap file), so that no message is lost without a note.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
import re
from typing import TypeAlias

from kane_dynamics.exceptions import InputError, KaneDynamicsError, MissingDependencyError
from kane_dynamics.io.files import near_file
from kane_dynamics.io.marked_yaml import read_yaml
from kane_dynamics.io.text import clean, PATH, show
from kane_dynamics.recorded.bags.damaged_mcap import DamagedMcap
from kane_dynamics.recorded.bags.sqlite_rows import missing_rows, refusal
from kane_dynamics.recorded.bags.unpacking import bound_rosbags

STORAGES = ('.db3', '.mcap')
LISTED = 600        # characters of the list of topics in a message

Message: TypeAlias = tuple[int, bytes]      # time of recording [ns], serialized message


@dataclass(frozen=True)
class Topic:
    """A topic of a bag: message type, number of messages, definition and hash of the type."""

    name: str
    type: str
    count: int
    definition: str = ''
    digest: str = ''


class BagSource:
    """A bag: a folder with or without metadata.yaml, or one .db3 or .mcap file.

    The intact parts of a damaged mcap file are read; a damaged database is left out. `notes`:
    sentences on what is wrong, where, and how many messages are lost. A bag can be read several
    times; its messages are not kept in memory.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.notes: list[str] = []
        if not self.path.exists():
            raise InputError(f'bag {str(path)!r}: there is no such file or folder'
                             f'{near_file(self.path)}')
        _require_rosbags()
        self._counted = _counts_of_metadata(self.path)      # {topic: messages}
        self._parts = [_Part(each, topics, reason, self._note, bool(self._counted))
                       for each, topics, reason in self._opened()]
        topics: dict[str, Topic] = {}
        for part in self._parts:
            for topic in part.topics:
                known = topics.get(topic.name)
                if known is not None and known.type != topic.type:
                    raise InputError(
                        f'{self.path}: topic {show(topic.name)} has two types, {show(known.type)} '
                        f'and {show(topic.type)}')
                count = topic.count + (known.count if known else 0)
                topics[topic.name] = replace(topic, count=count)
        self.topics = tuple(topics.values())
        if not self.topics:
            why = ('it holds no topics' if all(part.whole for part in self._parts)
                   else 'no message in it can be read')
            raise InputError(f'{self.path}: {why}{self._listed_notes()}')
        if all(part.whole for part in self._parts):
            self._counted = {**{each.name: each.count for each in self.topics}, **self._counted}

    def _note(self, text: str) -> None:
        if text not in self.notes:          # a bag may be read again
            self.notes.append(text)

    def _listed_notes(self) -> str:
        return ''.join(f'\n  {note}' for note in self.notes)

    def _opened(self) -> list[tuple[Path, tuple[Topic, ...] | None, str]]:
        """Return [(path, topics, '')] of the folder or files, or (path, None, reason)."""
        if self.path.is_dir():
            if (self.path / 'metadata.yaml').exists():
                topics, reason = _topics_of(self.path)
                if topics is not None:
                    return [(self.path, topics, '')]
                self._note(f'{self.path.name}: metadata.yaml is not used: {reason}')
            files = _storage_files(self.path, STORAGES)
            if not files:
                raise InputError(f'{self.path}: the folder holds no .db3 and no .mcap file that '
                                 'can be read' + self._listed_notes())
            return [(each, *_topics_of(each)) for each in files]
        if self.path.suffix == '.bag':
            raise InputError(f'{self.path} is a bag of ROS 1; convert it: '
                             'rosbags-convert --src X.bag --dst X')
        if self.path.suffix == '.zstd':
            raise InputError(f'{self.path} is compressed as a file; give the folder with its '
                             'metadata.yaml, or unpack it with `unzstd`')
        if self.path.suffix not in STORAGES:
            raise InputError(f'{self.path}: expected a folder, a .db3 or a .mcap file')
        return [(self.path, *_topics_of(self.path))]

    def topic(self, name: str | None = None, type_: str | None = None) -> Topic:
        """Return a Topic by name; without a name, the one of this type."""
        listed = clean(', '.join(f'{each.name} ({each.type}, {each.count})'
                                 for each in self.topics), LISTED)
        if name is not None:
            for each in self.topics:
                if each.name in (name, '/' + name):
                    if type_ is not None and each.type != type_:
                        raise InputError(f'{self.path}: topic {name!r} carries {show(each.type)}, '
                                         f'expected {type_}; there are: {listed}')
                    return each
            raise InputError(f'{self.path}: there is no topic {name!r}; there are: {listed}')
        found = [each for each in self.topics if each.type == type_ and each.count]
        if len(found) > 1:
            usual = [each for each in found if each.name == '/joint_states']
            if not usual:
                raise InputError(f'{self.path}: {len(found)} topics carry {type_}; say which one '
                                 f'(--topic): {listed}')
            return usual[0]
        if not found:
            empty = any(each.type == type_ for each in self.topics)
            raise InputError(f'{self.path}: no {"message" if empty else "topic"} of {type_}; '
                             f'there are (with the number of messages): {listed}')
        return found[0]

    def messages(self, topic: str) -> Iterator[Message]:
        """Yield the messages of a topic by name; a loss is added to `notes`."""
        read = 0
        for part in self._parts:
            for message in part.messages(topic):
                read += 1
                yield message
        counted = self._counted.get(topic, read)
        if read < counted:
            self._note(f'{self.path.name}: {counted - read} of the {counted} messages that it '
                       f'counts on {clean(topic, PATH)} are lost')
        elif read > counted:
            self._note(f'{self.path.name}: it counts {counted} messages on {clean(topic, PATH)}, '
                       f'but {read} were read: its count, or its index, is damaged')


class _Part:
    """A folder with metadata, or one file, intact or damaged.

    topics: those that rosbags found in it; None where it cannot open it, for this reason. note:
    called with sentences on damage. counted: whether the number of messages is known from
    metadata.yaml.
    """

    def __init__(self, path: Path, topics: tuple[Topic, ...] | None, reason: str,
                 note: Callable[[str], None], counted: bool) -> None:
        self.path, self.topics, self._note = path, topics or (), note
        self._damaged: DamagedMcap | None = None
        log = path.with_name(path.name + '-wal')
        if log.exists() and log.stat().st_size:
            note(f'{path.name}: messages in its write-ahead log {log.name} are left out; merge it '
                 f"first: sqlite3 {path.name} 'PRAGMA wal_checkpoint(TRUNCATE)'")
        self.whole = topics is not None
        if self.whole:
            for lost in missing_rows(path) if path.suffix == '.db3' else ():
                note(lost)
        elif path.suffix == '.db3':
            note(f'{path.name}: left out, all of its messages are lost: {refusal(path, reason)}')
        else:
            self._open_damaged(reason, counted)

    def _open_damaged(self, reason: str, counted: bool) -> None:
        try:
            self._damaged = damaged = DamagedMcap(self.path)
        except InputError as error:
            self._note(f'{self.path.name}: left out, all of its messages are lost: {error}')
            return
        lost = '' if counted else f'; {damaged.lost}'
        self._note((damaged.damage or f'{self.path.name}: {reason}') + lost)
        self.topics = tuple(Topic(name, type_, damaged.counts[name])
                            for name, type_ in damaged.topics.items())

    def messages(self, topic: str) -> Iterator[Message]:
        """Yield the messages of a topic; those that cannot be read are left out and noted."""
        if self._damaged is not None:
            yield from self._damaged.messages(topic)
            return
        if not self.topics:
            return
        from rosbags.rosbag2 import Reader
        count, last, at_last, empty = 0, -1, 0, 0
        with Reader(self.path) as reader:
            wanted = [each for each in reader.connections if each.topic == topic]
            if not wanted:
                return
            stream = reader.messages(wanted)
            while True:
                try:
                    _, time, data = next(stream)
                except StopIteration:
                    break
                except Exception as error:  # of sqlite, of a compressor, of the file system
                    self._note(f'{self.path.name}: reading {clean(topic, PATH)} stopped after its '
                               f'message {count}'
                               + (f' at {last * 1e-9:.3f} s' if count else '')
                               + f': {clean(error, PATH)}')
                    if not reader.compression_mode:     # of files or messages
                        yield from self._rest(topic, last, at_last)
                    break
                if not isinstance(data, bytes) or not isinstance(time, int):
                    empty += 1              # a damaged row of a database: NULL, or another type
                    continue
                count, at_last, last = count + 1, at_last + 1 if time == last else 1, time
                yield time, data
        if empty:
            self._note(f'{self.path.name}: {empty} messages on {clean(topic, PATH)} hold no bytes '
                       'or no time; they are left out')

    def _rest(self, topic: str, last: int, at_last: int) -> Iterator[Message]:
        """Yield the messages of mcap files that come after the damage at which rosbags stopped.

        It reads them in the order of their times: it has read those before the time `last` [ns],
        and the first `at_last` at this time.
        """
        files = _storage_files(self.path, ['.mcap']) if self.path.is_dir() else [self.path]
        damaged = [DamagedMcap(file) for file in files if file.suffix == '.mcap']
        for each in damaged:
            if each.damage:
                self._note(each.damage)
        for time, data in chain.from_iterable(each.messages(topic) for each in damaged):
            at_last -= time == last
            if time > last or time == last and at_last < 0:
                yield time, data


def _storage_files(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """Return the storage files of a folder in the order of their numbers."""
    return sorted((each for each in folder.iterdir() if each.suffix in suffixes),
                  key=lambda each: [int(part) if part.isdigit() else part for part in
                                    re.split(r'(\d+)', each.name)])


def _counts_of_metadata(folder: Path) -> dict[str, int]:
    """Return {topic: number of messages} of metadata.yaml; {} where there is none."""
    try:
        root = read_yaml(folder / 'metadata.yaml').entries()
        topics = root['rosbag2_bagfile_information'].entries()['topics_with_message_count']
        rows = [item.entries() for item in topics.items()]
        return {row['topic_metadata'].entries()['name'].text(): int(row['message_count'].number())
                for row in rows}
    except (KaneDynamicsError, KeyError):
        return {}


def _require_rosbags() -> None:
    try:
        bound_rosbags()
    except ImportError:
        raise MissingDependencyError(
            'bags are read with the `rosbags` library: pip install rosbags') from None


def _topics_of(path: Path) -> tuple[tuple[Topic, ...] | None, str]:
    """Return the Topics that rosbags finds in a path and '', or None and the reason."""
    from rosbags.rosbag2 import Reader
    try:
        with Reader(path) as reader:
            found = [(each.topic, each.msgtype, each.msgcount, each.msgdef.data, each.digest)
                     for each in reader.connections]
        if all(isinstance(value, kind) for values in found
               for value, kind in zip(values, (str, str, int, str, str))):
            return tuple(Topic(*values) for values in found), ''
        return None, 'the names of its topics are damaged'
    except Exception as error:  # of rosbags, apsw, YAML, struct: all mean the same here
        reason = str(error) or type(error).__name__
        return None, clean(reason.replace(str(path), path.name), PATH)
