# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A rosbag2 recording: its topics and the bytes of its messages, in the order of time."""

from __future__ import annotations

from pathlib import Path
import re
from typing import NamedTuple

from kane_dynamics.bags.damaged_mcap import DamagedMcap
from kane_dynamics.bags.damaged_sqlite import DamagedSqlite
from kane_dynamics.exceptions import InputError, MissingDependencyError

STORAGES = {'.db3': DamagedSqlite, '.mcap': DamagedMcap}


class Topic(NamedTuple):
    """A topic of a bag: its message type, how many messages, and the type's text and hash."""

    name: str
    type: str
    count: int
    definition: str = ''
    digest: str = ''


class BagSource:
    """Open a bag: a folder with or without metadata.yaml, or one .db3 or .mcap file.

    Damaged files are read as far as they go; `notes` tells what is wrong and where. A bag can be
    read again and again; nothing is held in memory.
    """

    def __init__(self, path):
        self.path = Path(path)
        self.notes = []
        if not self.path.exists():
            raise InputError(f'bag {str(path)!r}: there is no such file or folder')
        _require_rosbags()
        self._parts = [_Part(each, topics, reason, self.notes)
                       for each, topics, reason in self._opened()]
        topics = {}
        for part in self._parts:
            for topic in part.topics:
                known = topics.get(topic.name)
                if known is not None and known.type != topic.type:
                    raise InputError(
                        f'{self.path}: topic {topic.name!r} has two types, {known.type!r} and '
                        f'{topic.type!r}')
                count = topic.count + (known.count if known else 0)
                topics[topic.name] = topic._replace(count=count)
        self.topics = tuple(topics.values())
        if not self.topics:
            raise InputError(f'{self.path}: it holds no topics' + ''.join(
                f'\n  {note}' for note in self.notes))

    def _opened(self):
        """Return [(path, topics or None, why there are none)] of what rosbags opens."""
        if self.path.is_dir():
            if (self.path / 'metadata.yaml').exists():
                topics, reason = _topics_of(self.path)
                if topics is not None:
                    return [(self.path, topics, None)]
                self.notes.append(f'{self.path.name}: metadata.yaml is not used: {reason}')
            files = sorted((each for each in self.path.iterdir() if each.suffix in STORAGES),
                           key=lambda each: [int(part) if part.isdigit() else part for part in
                                             re.split(r'(\d+)', each.name)])
            if not files:
                raise InputError(f'{self.path}: the folder holds no .db3 and no .mcap file that '
                                 'can be read' + ''.join(f'\n  {note}' for note in self.notes))
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

    def topic(self, name=None, type_=None):
        """Return a Topic by name; without a name the one that has this type."""
        listed = ', '.join(f'{each.name} ({each.type}, {each.count})' for each in self.topics)
        if name is not None:
            for each in self.topics:
                if each.name in (name, '/' + name):
                    if type_ is not None and each.type != type_:
                        raise InputError(f'{self.path}: topic {name!r} carries {each.type}, '
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

    def messages(self, topic):
        """Yield (time of recording [ns], bytes) of a topic by name.

        Damage that is met on the way ends a file, and adds to `notes`.
        """
        for part in self._parts:
            yield from part.messages(topic)


class _Part:
    """A folder with metadata, or one file; whole or damaged."""

    def __init__(self, path, topics, reason, notes):
        self.path, self.topics, self._notes = path, topics, notes
        self._damaged = None
        log = path.with_name(path.name + '-wal')
        if log.exists() and log.stat().st_size:
            notes.append(
                f'{path.name}: messages in its write-ahead log {log.name} are left out; merge it '
                f"first: sqlite3 {path.name} 'PRAGMA wal_checkpoint(TRUNCATE)'")
        if topics is not None:
            return
        try:
            self._damaged = STORAGES[path.suffix](path)
        except InputError as error:
            notes.append(f'{path.name}: left out: {error}')
            self.topics = ()
            return
        notes.append(self._damaged.damage or f'{path.name}: {reason}')
        self.topics = tuple(Topic(name, type_, self._damaged.counts.get(name, 0))
                            for name, type_ in self._damaged.topics.items())

    def messages(self, topic):
        if self._damaged is not None:
            yield from self._damaged.messages(topic)
            return
        if not self.topics:
            return
        from rosbags.rosbag2 import Reader
        count, last = 0, None
        with Reader(self.path) as reader:
            wanted = [each for each in reader.connections if each.topic == topic]
            if not wanted:
                return
            stream = reader.messages(wanted)
            while True:
                try:
                    _, time, data = next(stream)
                except StopIteration:
                    return
                except Exception as error:  # of sqlite, of a compressor, of the file system
                    self._notes.append(
                        f'{self.path.name}: reading {topic} stopped after its message {count}'
                        + (f' at {last * 1e-9:.3f} s' if last is not None else '')
                        + f': {error}; what comes after it is left out')
                    return
                count, last = count + 1, time
                yield time, data


def _require_rosbags():
    try:
        import rosbags  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            'bags are read with the `rosbags` library: pip install rosbags') from None


def _topics_of(path):
    """Return the Topics that rosbags finds in a path and None, or None and its complaint."""
    from rosbags.rosbag2 import Reader
    try:
        with Reader(path) as reader:
            return tuple(Topic(each.topic, each.msgtype, each.msgcount, each.msgdef.data,
                               each.digest) for each in reader.connections), None
    except Exception as error:  # ReaderError, apsw's, YAML's, struct's: all mean the same here
        return None, str(error) or type(error).__name__
