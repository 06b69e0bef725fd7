# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A rosbag2 recording that is written: joint states in blocks, and any serialized message."""

from __future__ import annotations

from pathlib import Path
import shutil

from kane_dynamics.bags.joint_state_cdr import Encoder
from kane_dynamics.bags.joint_states import TYPE
from kane_dynamics.exceptions import InputError, MissingDependencyError

STORAGES = ('sqlite3', 'mcap')
VERSION = 8     # of metadata.yaml: the newest that Humble and Jazzy read


class BagWriter:
    """Write a bag folder; a context manager. Nothing that exists is overwritten.

    Args:
        path: the folder, which must not exist.
        storage: 'sqlite3' or 'mcap'.
    """

    def __init__(self, path, storage='sqlite3'):
        if storage not in STORAGES:
            raise InputError(f'storage {storage!r} is not one of {list(STORAGES)}')
        self.path = Path(path)
        if self.path.exists():
            raise InputError(f'{self.path} exists already; name another folder, or remove it')
        try:
            from rosbags.rosbag2 import StoragePlugin, Writer
            from rosbags.typesys import get_typestore, Stores
        except ImportError:
            raise MissingDependencyError(
                'bags are written with the `rosbags` library: pip install rosbags') from None
        plugin = StoragePlugin.MCAP if storage == 'mcap' else StoragePlugin.SQLITE3
        self._writer = Writer(self.path, version=VERSION, storage_plugin=plugin)
        self._types = get_typestore(Stores.ROS2_HUMBLE)
        self._topics, self._encoders = {}, {}

    def __enter__(self):
        self._writer.open()
        return self

    def __exit__(self, kind, value, trace):
        self._writer.__exit__(kind, value, trace)
        if kind is not None:     # half a bag is worse than none; the folder is of our own making
            shutil.rmtree(self.path, ignore_errors=True)

    def add_topic(self, topic, type_=TYPE):
        """Declare a topic; a topic that is written without it carries JointStates."""
        self._topics[topic] = self._writer.add_connection(topic, type_, typestore=self._types)

    def write(self, topic, time, data):
        """Write one serialized message at a time [ns]."""
        self._writer.write(self._topics[topic], time, data)

    def write_joint_states(self, topic, joint_names, stamps, **fields):
        """Write N JointStates: stamps (N,) [ns]; position, velocity, effort (N, n), or some."""
        if topic not in self._topics:
            self.add_topic(topic)
        key = (tuple(joint_names), tuple(fields))
        encoder = self._encoders.get(key)
        if encoder is None:
            encoder = self._encoders[key] = Encoder(joint_names, fields=fields)
        write, connection = self._writer.write, self._topics[topic]
        for stamp, data in zip(stamps.tolist(), encoder.encode(stamps, **fields)):
            write(connection, stamp, data)
