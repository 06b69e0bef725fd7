# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Bags changed at random: each is refused, or read with a line on every message that is lost."""

import random
import re
import signal

from bag_files import JOINTS, STORE, wave_messages, write_bag
import pytest
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.recorded.bags.joint_states import JointStates

COUNT = 600
TOPIC = '/joint_states'
PATIENCE = 120      # [s] for one bag; far more than it takes
SIZES = (16, 512, 4096, 20_000)     # bytes of a stretch that is changed
# what a line says of messages that are not used
LEFT_OUT = re.compile(r'^left out (\d+) messages? ', re.MULTILINE)
LOST = re.compile(r'(\d+) of the \d+ messages that it counts on /joint_states are lost')
ANY = re.compile(r'\d+ messages (are lost|on \S+ hold no)|whether messages are lost .* not known')
MORE = re.compile(r'it counts \d+ messages on /joint_states, but \d+ were read')


@pytest.fixture(scope='module')
def bags(tmp_path_factory):
    """Return [(folder, storage file, its bytes)] of whole bags with two topics."""
    root, found = tmp_path_factory.mktemp('bags'), []
    others = [('/other', 'sensor_msgs/msg/JointState', wave_messages(100, names=('x', 'y')))]
    for storage in ('sqlite3', 'mcap'):
        found.append(write_bag(root / storage, wave_messages(COUNT), storage, others=others))
    writer = Writer(root / 'zstd', version=8, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        connection = writer.add_connection(TOPIC, 'sensor_msgs/msg/JointState', typestore=STORE)
        for time, data in wave_messages(COUNT):
            writer.write(connection, time, data)
    found.append(root / 'zstd')
    files = [next(each for each in path.iterdir() if each.suffix in ('.db3', '.mcap'))
             for path in found]
    for path, file in zip(found, files):        # whole ones are read without a note
        for source in (path, file):
            states = JointStates(source, JOINTS, TOPIC)
            assert sum(len(block.t) for block in states) == COUNT and states.ledger.clean
    return [(path, file, file.read_bytes()) for path, file in zip(found, files)]


def mutated(data, rng):
    """Return bytes that were overwritten, cut, zeroed, doubled, taken out or swapped."""
    data, size, at = bytearray(data), rng.choice(SIZES), rng.randrange(len(data))
    how = rng.choice(('bytes', 'bytes', 'zeros', 'page', 'garbage', 'cut', 'cut and zeros',
                      'taken out', 'doubled', 'swapped'))
    if how == 'bytes':
        for _ in range(rng.choice((1, 1, 10, 200))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return data
    if how == 'page':
        at, size = at // 4096 * 4096, 4096
    stretch = bytes(data[at:at + size])
    if how in ('zeros', 'page'):
        data[at:at + size] = bytes(len(stretch))
    elif how == 'garbage':
        data[at:at + size] = rng.randbytes(len(stretch))
    elif how == 'cut':
        del data[at:]
    elif how == 'cut and zeros':
        data[at:] = bytes(len(data) - at)
    elif how == 'taken out':
        del data[at:at + size]
    elif how == 'doubled':
        data[at:at] = stretch
    else:
        other = rng.randrange(len(data) - len(stretch) + 1)
        data[at:at + size], data[other:other + len(stretch)] = (
            bytes(data[other:other + len(stretch)]), stretch)
    return data


def check(bags, seed):
    """Read one mutated bag, as a folder with metadata.yaml or as a file; return what became."""
    rng = random.Random(seed)
    folder, file, data = bags[seed % len(bags)]
    file.write_bytes(mutated(data, rng))
    counted = rng.random() < 0.5        # metadata.yaml has the number of messages
    try:
        states = JointStates(folder if counted else file, JOINTS, TOPIC)
        for _ in states:
            pass
    except KaneDynamicsError as error:
        assert file.name in str(error) or folder.name in str(error)
        return 'refused'
    finally:
        file.write_bytes(data)
    ledger, text = states.ledger, '\n'.join(states.ledger.lines())
    lost = COUNT - ledger.used
    if lost <= 0:
        return 'read'
    left_out = sum(map(int, LEFT_OUT.findall(text)))
    missing = sum(map(int, LOST.findall(text)))
    assert left_out == ledger.left_out
    if counted and not MORE.search(text):
        assert left_out + missing == lost, text         # to the message
    assert left_out + missing > 0 or ANY.search(text), text
    return 'counted'


def check_all(bags, seeds):
    def hangs(*_):
        raise AssertionError(f'a bag was not read within {PATIENCE} s')
    before = signal.signal(signal.SIGALRM, hangs) if hasattr(signal, 'SIGALRM') else None
    found = {'refused': 0, 'read': 0, 'counted': 0}
    try:
        for seed in seeds:
            if before is not None:
                signal.alarm(PATIENCE)
            try:
                found[check(bags, seed)] += 1
            except Exception as error:
                raise AssertionError(f'seed {seed}: {type(error).__name__}: {error}') from error
    finally:
        if before is not None:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
    assert min(found.values()) > 0.05 * len(seeds), found      # the mutations reach all ends
    return found


def test_no_mutated_bag_loses_a_message_without_a_line(bags):
    check_all(bags, range(200))


@pytest.mark.slow
def test_no_mutated_bag_of_ten_thousand_loses_a_message_without_a_line(bags, record_property):
    found = check_all(bags, range(200, 10_200))
    record_property('figure', f'10,000 mutated bags: {found}')
