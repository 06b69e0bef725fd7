# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Writer of rosbag2 recordings: joint states in blocks, and any serialized message."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, get_args, Literal, TypeAlias

from kane_dynamics.exceptions import InputError, MissingDependencyError
from kane_dynamics.io.files import whole_folder
from kane_dynamics.numerics.array_types import FloatArray, IntArray
from kane_dynamics.recorded.bags.joint_states import TYPE
from kane_dynamics.recorded.bags.message_arrays import Encoder

Storage: TypeAlias = Literal['sqlite3', 'mcap']
STORAGES: tuple[Storage, ...] = get_args(Storage)
VERSION = 8     # of metadata.yaml: the newest that Humble and Jazzy read


class BagWriter:
    """Write a bag folder; a context manager.

    The folder appears when the bag is complete. Nothing that exists is overwritten.

    Args:
        path: the folder, which must not exist.
        storage: 'sqlite3' or 'mcap'.
    """

    def __init__(self, path: str | Path, storage: Storage = 'sqlite3') -> None:
        if storage not in STORAGES:
            raise InputError(f'storage {storage!r} is not one of {list(STORAGES)}')
        self.path = Path(path)
        if self.path.exists():      # before long work; another process may still be faster
            raise InputError(f'{self.path} exists already; name another folder, or remove it')
        try:
            from rosbags.rosbag2 import StoragePlugin
            from rosbags.typesys import get_typestore, Stores
        except ImportError:
            raise MissingDependencyError(
                'bags are written with the `rosbags` library: pip install rosbags') from None
        self._plugin = StoragePlugin.MCAP if storage == 'mcap' else StoragePlugin.SQLITE3
        self._types = get_typestore(Stores.ROS2_HUMBLE)
        self._topics: dict[str, Any] = {}       # connections of rosbags
        self._encoders: dict[tuple[tuple[str, ...], tuple[str, ...]], Encoder] = {}

    def __enter__(self) -> BagWriter:
        from rosbags.rosbag2 import Writer
        with ExitStack() as stack:
            folder = stack.enter_context(whole_folder(self.path))
            self._writer = stack.enter_context(
                Writer(folder, version=VERSION, storage_plugin=self._plugin))
            self._open = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._open.__exit__(kind, value, trace)

    def add_topic(self, topic: str, type_: str = TYPE) -> None:
        """Declare a topic and its type; `write_joint_states` declares its own."""
        self._topics[topic] = self._writer.add_connection(topic, type_, typestore=self._types)

    def write(self, topic: str, time: int, data: bytes) -> None:
        """Write one serialized message at a time [ns]."""
        self._writer.write(self._topics[topic], time, data)

    def write_joint_states(self, topic: str, joint_names: Sequence[str], stamps: IntArray,
                           **fields: FloatArray) -> None:
        """Write N JointStates: stamps (N,) [ns]; any of position, velocity, effort (N, n)."""
        if topic not in self._topics:
            self.add_topic(topic)
        key = (tuple(joint_names), tuple(fields))
        encoder = self._encoders.get(key)
        if encoder is None:
            encoder = self._encoders[key] = Encoder(joint_names, fields=fields)
        write, connection = self._writer.write, self._topics[topic]
        for stamp, data in zip(stamps.tolist(), encoder.encode(stamps, **fields)):
            write(connection, stamp, data)
