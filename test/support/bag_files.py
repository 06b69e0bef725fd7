# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Bags that tests share: small ones of our own, and the real ones where they are."""

from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import get_typestore, Stores

STORE = get_typestore(Stores.ROS2_HUMBLE)
REAL = Path(__file__).resolve().parents[3] / 'shared' / 'data' / 'real_arms'
JOINTS = ('shoulder', 'elbow')


def real_bag(name):
    """Return the path of a recording of a real arm; skip the test where it is not."""
    path = REAL / f'{name}_exciting_trajectory.db3'
    if not path.exists():
        pytest.skip(f'the recording {name} is not beside the repository (../shared/data)')
    return path


def joint_state(names, stamp, position=(), velocity=(), effort=(), frame_id=''):
    """Return a serialized JointState, by rosbags; stamp [ns]."""
    types = STORE.types
    header = types['std_msgs/msg/Header'](
        stamp=types['builtin_interfaces/msg/Time'](sec=int(stamp // 10**9),
                                                   nanosec=int(stamp % 10**9)),
        frame_id=frame_id)
    message = types['sensor_msgs/msg/JointState'](
        header=header, name=list(names), position=np.array(position, float),
        velocity=np.array(velocity, float), effort=np.array(effort, float))
    return bytes(STORE.serialize_cdr(message, 'sensor_msgs/msg/JointState'))


def write_bag(path, messages, storage='sqlite3', topic='/joint_states',
              type_='sensor_msgs/msg/JointState', others=()):
    """Write (time [ns], bytes) as a bag folder by rosbags; others: [(topic, type, messages)]."""
    plugin = StoragePlugin.MCAP if storage == 'mcap' else StoragePlugin.SQLITE3
    with Writer(path, version=8, storage_plugin=plugin) as writer:
        for name, kind, content in [(topic, type_, messages), *others]:
            connection = writer.add_connection(name, kind, typestore=STORE)
            for time, data in content:
                writer.write(connection, time, data)
    return path


def wave(count, rate=100.0):
    """Return t, position, velocity, effort (count, 2) of a motion of two joints."""
    t = np.arange(count) / rate
    phase = t[:, None] * [3.0, 5.0]
    return t, np.sin(phase), np.cos(phase) * [3.0, 5.0], 10.0 * np.cos(phase + 0.3)


def wave_messages(count, rate=100.0, start=10**18, names=JOINTS):
    """Return [(time, bytes)] of the wave."""
    t, q, v, e = wave(count, rate)
    stamps = start + np.round(t * 1e9).astype(np.int64)
    return [(int(stamp), joint_state(names, stamp, *rows))
            for stamp, *rows in zip(stamps, q, v, e)]
