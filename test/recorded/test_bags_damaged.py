# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Damaged bags: the position is reported, the values used are right, the rest is counted."""

from contextlib import closing
import io
import random
import re
import sqlite3
import subprocess

from bag_files import joint_state, JOINTS, STORE, wave, wave_messages, write_bag
import numpy as np
import pytest
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

from kane_dynamics.exceptions import InputError, KaneDynamicsError
from kane_dynamics.io.cdr import CdrError
from kane_dynamics.recorded.bags.joint_states import JointStates
from kane_dynamics.recorded.bags.mcap_records import (
    BLOCK, CHUNK, DamageError, MAGIC, next_record, records)
from kane_dynamics.recorded.bags.message_arrays import Layout
from kane_dynamics.recorded.bags.source import BagSource
from kane_dynamics.recorded.bags.sqlite_rows import recovery_commands

COUNT = 500


def times_and_positions(states):
    blocks = list(states)
    return (np.concatenate([block.t for block in blocks]),
            np.concatenate([block.position for block in blocks]),
            [block.begins for block in blocks])


def account(states):
    return '\n'.join(states.ledger.lines())


def storage_file(path):
    return next(each for each in path.iterdir() if each.suffix in ('.db3', '.mcap'))


# -- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize('share', [0.3, 0.6, 0.9, 0.999])
def test_a_truncated_mcap_gives_true_messages_only_and_says_how_many_are_lost(tmp_path, share):
    path = write_bag(tmp_path / 'bag', wave_messages(20000), 'mcap')
    file = storage_file(path)
    data = file.read_bytes()
    file.write_bytes(data[:int(share * len(data))])
    expected = wave(20000)[1]
    for source in (path, file):             # with metadata.yaml, and without
        states = JointStates(source, JOINTS)
        t, position, _ = times_and_positions(states)
        places = np.round(t * 100).astype(int)
        np.testing.assert_array_equal(position, expected[places])
        assert (np.diff(places) > 0).all()
        if share < 0.95:                    # it loses its last chunk of 1 MB
            assert 0.5 * share * 20000 < len(t) < 20000
        text = account(states)
        assert str(int(share * len(data))) in text and 'damaged' in text
        assert f'used {len(t)} of {len(t)} messages' in text
        if source is path and len(t) < 20000:
            assert (f'bag: {20000 - len(t)} of the 20000 messages that it counts on /joint_states '
                    'are lost') in text
        if source is file:
            assert re.search(r'about \d+ messages are lost', text)


@pytest.mark.parametrize('share', [0.3, 0.9])
def test_the_number_of_messages_in_a_cut_chunk_is_estimated_from_its_size(tmp_path, share):
    file = storage_file(write_bag(tmp_path / 'bag', wave_messages(4000), 'mcap'))     # one chunk
    data = file.read_bytes()
    file.write_bytes(data[:int(share * len(data))])
    states = JointStates(file, JOINTS)
    used = len(times_and_positions(states)[0])
    estimate = int(re.search(r'about (\d+) messages are lost', account(states))[1])
    assert used + estimate == pytest.approx(4000, rel=0.02)


@pytest.mark.parametrize('share', [0.3, 0.6, 0.9])
def test_a_database_that_sqlite_refuses_is_refused_with_the_command_that_recovers_it(tmp_path,
                                                                                     share):
    path = write_bag(tmp_path / 'bag', wave_messages(2000))
    file = storage_file(path)
    data = file.read_bytes()
    file.write_bytes(data[:int(share * len(data))])
    for source in (path, file):
        with pytest.raises(InputError) as refusal:
            JointStates(source, JOINTS)
        for words in ('no message in it can be read', 'all of its messages are lost', 'malformed',
                      *(f'`{command}`' for command in recovery_commands('bag.db3')),
                      'use recovered.db3'):
            assert words in str(refusal.value)


@pytest.mark.parametrize('damage', ['cut', 'hole'])
@pytest.mark.parametrize('which', [0, 1], ids=['dump', 'recover'])
def test_what_sqlite_recovers_of_a_database_can_be_read(tmp_path, which, damage):
    file = storage_file(write_bag(tmp_path / 'bag', wave_messages(2000)))
    command = recovery_commands('bag.db3')[which]
    whole = subprocess.run(command.split('|')[0], shell=True, cwd=file.parent,
                           capture_output=True, text=True)
    if whole.returncode or 'error' in whole.stdout + whole.stderr:
        pytest.skip('there is no sqlite3 with this command')
    data = bytearray(file.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    if damage == 'cut':
        del data[middle:]
    else:
        data[middle:middle + 4096] = bytes(4096)
    file.write_bytes(data)
    subprocess.run(command, shell=True, check=True, cwd=file.parent, capture_output=True)
    states = JointStates(file.with_name('recovered.db3'), JOINTS)
    t, position, _ = times_and_positions(states)
    assert (900 if damage == 'cut' else 1900) < len(t) < 2000
    np.testing.assert_array_equal(position, wave(2000)[1][np.round(t * 100).astype(int)])


def test_a_part_of_a_split_bag_that_cannot_be_read_is_left_out_with_its_messages(tmp_path):
    folder = tmp_path / 'split'
    folder.mkdir()
    messages = wave_messages(COUNT)
    for k, part in enumerate((messages[:300], messages[300:])):
        file = storage_file(write_bag(tmp_path / f'part{k}', part))
        file.rename(folder / f'split_{k}.db3')
    metadata = (tmp_path / 'part0' / 'metadata.yaml').read_text()
    (folder / 'metadata.yaml').write_text(metadata.replace('message_count: 300', (
        f'message_count: {COUNT}')).replace('- part0.db3', '- split_0.db3\n  - split_1.db3'))
    states = JointStates(folder, JOINTS)
    assert len(times_and_positions(states)[0]) == COUNT and states.ledger.clean
    second = folder / 'split_1.db3'
    second.write_bytes(second.read_bytes()[:20_000])
    states = JointStates(folder, JOINTS)
    assert len(times_and_positions(states)[0]) == 300
    assert 'split_1.db3: left out, all of its messages are lost' in account(states)
    assert '200 of the 500 messages that it counts on /joint_states are lost' in account(states)


# -- messages that are lost in silence ------------------------------------------------------------


@pytest.mark.parametrize('storage', ['sqlite3', 'mcap'])
def test_messages_that_are_missing_from_the_bags_own_count_are_reported(tmp_path, storage):
    path = write_bag(tmp_path / 'bag', wave_messages(449), storage)
    metadata = path / 'metadata.yaml'
    metadata.write_text(metadata.read_text().replace('449', '600'))
    states = JointStates(path, JOINTS)
    for _ in range(2):      # a bag may be read again
        assert len(times_and_positions(states)[0]) == 449
        assert account(states).count('bag: 151 of the 600 messages that it counts on '
                                     '/joint_states are lost') == 1
    assert not states.ledger.clean
    metadata.write_text(metadata.read_text().replace('600', '400'))
    states = JointStates(path, JOINTS)
    assert len(times_and_positions(states)[0]) == 449
    assert 'it counts 400 messages on /joint_states, but 449 were read' in account(states)


def test_zeros_in_the_middle_of_an_mcap_lose_no_message_in_silence(tmp_path):
    path = write_bag(tmp_path / 'bag', wave_messages(600), 'mcap')
    file = storage_file(path)
    data = bytearray(file.read_bytes())
    data[40_000:44_096] = bytes(4096)       # within a chunk, which has no check sum
    file.write_bytes(data)
    for source in (path, file):
        states = JointStates(source, JOINTS)
        t = times_and_positions(states)[0]
        assert len(t) < 600
        lost = 600 - len(t) - states.ledger.left_out
        assert f'{lost} of the 600 messages that it counts' in account(states)


def bag_of_chunks(path, compressed):
    """Write 20000 messages as an mcap bag of several chunks; return its file."""
    writer = Writer(path, version=8, storage_plugin=StoragePlugin.MCAP)
    if compressed:
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        connection = writer.add_connection('/joint_states', 'sensor_msgs/msg/JointState',
                                           typestore=STORE)
        for time, data in wave_messages(20000):
            writer.write(connection, time, data)
    return storage_file(path)


def chunks_of(file):
    """Return [(first byte, byte after the last)] of the chunks of a whole mcap file."""
    with open(file, 'rb') as stream:
        stream.seek(len(MAGIC))
        return [(at, at + 9 + length) for at, operation, length, _ in records(
            stream, file.stat().st_size - len(MAGIC)) if operation == CHUNK]


@pytest.mark.parametrize('compressed', [False, True])
@pytest.mark.parametrize('where', ['records', 'head', 'end'])
@pytest.mark.parametrize('summary', [True, False])
def test_chunks_after_a_damaged_one_are_read_and_the_lost_messages_counted(
        tmp_path, compressed, where, summary):
    file = bag_of_chunks(tmp_path / 'bag', compressed)
    data, (_, (begin, end), *later) = bytearray(file.read_bytes()), chunks_of(file)
    size = 100_000 if compressed else 4096      # a block of zstd has 128 kB, unpacked
    at = {'records': (begin + end) // 2, 'head': begin, 'end': end - size + 96}[where]
    data[at:at + size] = b'\xff' * size
    if not summary:
        del data[later[-1][1]:]
    file.write_bytes(data)
    expected = wave(20000)[1]
    for source in (file.parent, file):
        states = JointStates(source, JOINTS)
        t, position, _ = times_and_positions(states)
        indices = np.round(t * 100).astype(int)
        np.testing.assert_array_equal(position, expected[indices])
        gap, = np.flatnonzero(np.diff(indices) != 1)        # complete before and after the damage
        lost = int(indices[gap + 1] - indices[gap]) - 1
        assert indices[0] == 0 and indices[-1] == 19999
        assert lost < (7000 if compressed else 40)
        text = account(states)
        assert re.search(r'bag\.mcap: damaged from byte \d+ of \d+ to \d+', text)
        lost -= states.ledger.left_out
        if source is not file or summary:       # the bag has its own count
            assert f'{lost} of the 20000 messages that it counts' in text
            continue
        stated = re.search(r'(about )?(\d+) messages are lost', text)
        assert int(stated[2]) == pytest.approx(lost, rel=0.15 if stated[1] else 0.0)
        assert 'whether more are lost after its last whole record is not known' in text


def changed_database(path, *statements):
    """Change a .db3 by SQL, its table of messages without constraints."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            'ALTER TABLE messages RENAME TO strict; DROP INDEX timestamp_idx; '
            'CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp, data); '
            'INSERT INTO messages SELECT * FROM strict; DROP TABLE strict;'
            + ';'.join(statements))
        database.commit()
    return path


@pytest.mark.parametrize(('statements', 'used', 'words'), [
    (['UPDATE messages SET data = NULL WHERE id = 7'], 499,
     ['1 messages on /joint_states hold no bytes or no time', '1 of the 500']),
    (["UPDATE messages SET data = 'text' WHERE id < 4"], 497, ['3 messages', '3 of the 500']),
    (['UPDATE messages SET timestamp = NULL WHERE id = 500'], 499, ['no time', '1 of the 500']),
    (['DELETE FROM messages WHERE id BETWEEN 1 AND 30'], 470,
     ['numbered from 1 to 500, but only 470 are there: 30 messages are lost']),
    (['UPDATE messages SET topic_id = 99 WHERE id = 7'], 499,
     ['1 messages are lost: they belong to no topic']),
    (['UPDATE messages SET topic_id = NULL WHERE id > 490'], 490,
     ['10 messages are lost: they belong to no topic']),
    (["UPDATE topics SET name = x'00'"], 0, ['names of its topics are damaged', '.recover']),
])
def test_rows_that_a_database_lacks_or_that_hold_nothing_are_counted(tmp_path, statements, used,
                                                                     words):
    file = storage_file(write_bag(tmp_path / 'bag', wave_messages(COUNT)))
    changed_database(file, *statements)
    try:
        states = JointStates(file, JOINTS)
        assert len(times_and_positions(states)[0]) == used
        text = account(states)
    except InputError as error:
        assert not used
        text = str(error)
    for each in words:
        assert each in text


def test_zeros_after_a_cut_end_the_reading_at_once(tmp_path):
    class Counted(io.BytesIO):
        reads = 0

        def read(self, size=-1):
            self.reads += 1
            return super().read(size)
    stream = Counted(bytes(10**6))
    with pytest.raises(DamageError, match='operation 0'):
        list(records(stream, 10**6))
    assert stream.reads == 1
    assert next_record(stream, 1, 10**6, {}) == 10**6 and stream.reads == 1 + -(-10**6 // BLOCK)
    file = storage_file(write_bag(tmp_path / 'bag', wave_messages(20000), 'mcap'))
    data = file.read_bytes()
    half = len(data) // 2
    file.write_bytes(data[:half] + bytes(half))
    states = JointStates(file, JOINTS)
    assert 5000 < len(times_and_positions(states)[0]) < 12000
    assert re.search('damaged from byte .* about [0-9]+ messages are lost', account(states))


@pytest.mark.parametrize('storage', ['sqlite3', 'mcap'])
def test_a_file_cut_anywhere_gives_true_messages_or_a_clear_refusal(tmp_path, storage):
    path = write_bag(tmp_path / 'bag', wave_messages(400), storage)
    file = storage_file(path)
    data, expected = file.read_bytes(), wave(400)[1]
    rng = random.Random(1)
    for size in sorted([0, 1, 8, 9, 50, 99, 100, *rng.sample(range(len(data)), 25)]):
        file.write_bytes(data[:size])
        for source in (path, file):
            try:
                t, position, _ = times_and_positions(JointStates(source, JOINTS))
            except KaneDynamicsError as error:
                assert file.name in str(error) or path.name in str(error)
                continue
            np.testing.assert_array_equal(position, expected[np.round(t * 100).astype(int)])


@pytest.mark.parametrize('storage', ['sqlite3', 'mcap'])
def test_bytes_changed_at_random_never_end_in_another_error(tmp_path, storage):
    path = write_bag(tmp_path / 'bag', wave_messages(300), storage)
    file = storage_file(path)
    data = file.read_bytes()
    rng = random.Random(2)
    for _ in range(40):
        changed = bytearray(data)
        for _ in range(rng.choice([1, 10, 200])):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        file.write_bytes(changed)
        try:
            list(JointStates(file, JOINTS))
        except KaneDynamicsError:
            pass


@pytest.mark.parametrize(('make', 'words'), [
    (lambda folder: folder / 'absent', 'no such file'),
    (lambda folder: _file(folder / 'x.bag', b'#ROSBAG V2.0'), 'ROS 1'),
    (lambda folder: _file(folder / 'x.db3.zstd', b''), 'unzstd'),
    (lambda folder: _file(folder / 'x.txt', b'hello'), 'expected a folder, a .db3 or a .mcap'),
    (lambda folder: _file(folder / 'x.db3', b'hello'), 'no sqlite3 file'),
    (lambda folder: _file(folder / 'x.mcap', b''), 'no mcap file'),
    (lambda folder: folder, 'no .db3 and no .mcap'),
])
def test_what_is_no_bag_is_refused_with_the_reason(tmp_path, make, words):
    with pytest.raises(InputError, match=words):
        BagSource(make(tmp_path))


def _file(path, data):
    path.write_bytes(data)
    return path


def test_metadata_that_is_no_yaml_is_left_aside_and_told(tmp_path):
    path = write_bag(tmp_path / 'bag', wave_messages(COUNT))
    (path / 'metadata.yaml').write_text('{[')
    states = JointStates(path, JOINTS)
    assert len(times_and_positions(states)[0]) == COUNT
    assert 'metadata.yaml is not used' in account(states)


def test_a_missing_part_of_a_split_bag_is_told_and_the_rest_is_used(tmp_path):
    path = write_bag(tmp_path / 'bag', wave_messages(COUNT))
    text = (path / 'metadata.yaml').read_text().replace('- bag.db3', '- bag.db3\n  - bag_1.db3')
    (path / 'metadata.yaml').write_text(text)
    states = JointStates(path, JOINTS)
    assert len(times_and_positions(states)[0]) == COUNT
    assert 'bag_1.db3' in account(states)


def test_a_write_ahead_log_that_was_never_merged_is_told(tmp_path):
    file = storage_file(write_bag(tmp_path / 'bag', wave_messages(COUNT)))
    file.with_name(file.name + '-wal').write_bytes(b'something')
    states = JointStates(file, JOINTS)
    list(states)
    assert 'wal_checkpoint' in account(states)


# -- topics ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(('topic', 'words'), [
    ('/states', "no topic '/states'"), ('/text', 'expected sensor_msgs/msg/JointState')])
def test_a_missing_or_wrong_topic_is_refused_with_those_there_are(tmp_path, topic, words):
    path = write_bag(tmp_path / 'bag', wave_messages(5), others=[
        ('/text', 'std_msgs/msg/String', [])])
    with pytest.raises(InputError, match=words) as caught:
        JointStates(path, JOINTS, topic=topic)
    assert '/joint_states (sensor_msgs/msg/JointState, 5)' in str(caught.value)


def test_a_bag_without_joint_states_is_refused_with_its_topics(tmp_path):
    path = write_bag(tmp_path / 'bag', [], topic='/text', type_='std_msgs/msg/String')
    with pytest.raises(InputError, match='/text'):
        JointStates(path, JOINTS)


def test_two_topics_of_joint_states_are_not_guessed_between(tmp_path):
    path = write_bag(tmp_path / 'bag', wave_messages(5), topic='/a', others=[
        ('/b', 'sensor_msgs/msg/JointState', wave_messages(5))])
    with pytest.raises(InputError, match='say which one'):
        JointStates(path, JOINTS)


def test_topics_of_unknown_types_do_not_disturb(tmp_path):
    with Writer(tmp_path / 'bag', version=8, storage_plugin=StoragePlugin.MCAP) as writer:
        odd = writer.add_connection('/odd', 'my_msgs/msg/Odd', msgdef='int32 x', rihs01='RIHS01_0')
        state = writer.add_connection('/joint_states', 'sensor_msgs/msg/JointState',
                                      typestore=STORE)
        for time, data in wave_messages(COUNT):
            writer.write(odd, time, b'\x01\x02')
            writer.write(state, time, data)
    assert len(times_and_positions(JointStates(tmp_path / 'bag', JOINTS))[0]) == COUNT


@pytest.mark.parametrize('storage', [StoragePlugin.MCAP, StoragePlugin.SQLITE3])
def test_a_joint_state_of_another_definition_is_refused(tmp_path, storage):
    with Writer(tmp_path / 'bag', version=8, storage_plugin=storage) as writer:
        odd = writer.add_connection(
            '/joint_states', 'sensor_msgs/msg/JointState', rihs01='RIHS01_0',
            msgdef='std_msgs/Header header\nstring[] name\nfloat32[] position\n')
        writer.write(odd, 1, b'\x00\x01\x00\x00')
    with pytest.raises(InputError, match='not as common_interfaces defines it'):
        JointStates(tmp_path / 'bag', JOINTS)


# -- messages -------------------------------------------------------------------------------------


def changed(change, count=COUNT):
    """Return the wave's messages after change(list)."""
    messages = wave_messages(count)
    change(messages)
    return messages


def at(messages, k, stamp=None, **fields):
    """Put another message at place k."""
    t, q, v, e = wave(COUNT)
    own = {'names': JOINTS, 'stamp': messages[k][0] if stamp is None else stamp,
           'position': q[k], 'velocity': v[k], 'effort': e[k], **fields}
    messages[k] = (messages[k][0], joint_state(**own))


CASES = [
    ('NaN', lambda m: at(m, 100, effort=(1.0, np.nan)), 499,
     ['left out 1 message with numbers that are not finite, first at message 101 (1.000 s',
      "effort of 'elbow' is nan"]),
    ('infinite', lambda m: at(m, 7, position=(np.inf, 0.0)), 499,
     ["position of 'shoulder' is inf"]),
    ('repeated', lambda m: at(m, 100, stamp=m[99][0]), 499,
     ['left out 1 message with the stamp of the one before, first at message 101']),
    ('late', lambda m: at(m, 100, stamp=m[90][0]), 499,
     ['left out 1 message with a stamp earlier than the one before', '0.090000 s back']),
    ('other joints', lambda m: [m.insert(k, (m[k][0], joint_state(
        ('finger',), m[k][0], (0.1,), (0.0,), (0.0,)))) for k in (400, 300, 200)], 500,
     ['left out 3 messages of other joints, first at message 201', "['finger']"]),
    ('joint missing', lambda m: [at(m, k, names=JOINTS[:1], position=(0.0,), velocity=(0.0,),
                                    effort=(0.0,)) for k in (5, 6)], 498,
     ['left out 2 messages with joints missing, first at message 6 (0.050 s into the bag)',
      "['elbow'] not in ['shoulder']"]),
    ('named twice', lambda m: at(m, 5, names=('elbow', 'elbow', 'shoulder'), position=(0, 0, 0),
                                 velocity=(0, 0, 0), effort=(0, 0, 0)), 499,
     ["'elbow' in ['elbow', 'elbow', 'shoulder']"]),
    ('no effort', lambda m: at(m, 5, effort=()), 499, ['left out 1 message without effort']),
    ('no velocity', lambda m: at(m, 5, velocity=()), 499, ['without velocity, which others have']),
    ('garbage', lambda m: m.__setitem__(50, (m[50][0], b'\x00\x01\x00\x00garbage!')), 499,
     ['left out 1 message that cannot be decoded, first at message 51']),
    ('big-endian', lambda m: m.__setitem__(50, (m[50][0], b'\x00\x00' + m[50][1][2:])), 499,
     ['its encapsulation is 0000']),
]


@pytest.mark.parametrize(('change', 'used', 'words'), [case[1:] for case in CASES],
                         ids=[case[0] for case in CASES])
def test_a_bad_message_is_left_out_with_its_place_and_reason(tmp_path, change, used, words):
    states = JointStates(write_bag(tmp_path / 'bag', changed(change)), JOINTS)
    t, position, begins = times_and_positions(states)
    np.testing.assert_array_equal(position, wave(COUNT)[1][np.round(t * 100).astype(int)])
    text = account(states)
    assert len(t) == used and f'used {used} of' in text and begins == [True]
    for word in words:
        assert word in text


def test_joints_in_another_order_are_put_right(tmp_path):
    def swap(messages):
        t, q, v, e = wave(COUNT)
        for k in range(100, 300):
            at(messages, k, names=JOINTS[::-1], position=q[k, ::-1], velocity=v[k, ::-1],
               effort=e[k, ::-1])
    states = JointStates(write_bag(tmp_path / 'bag', changed(swap)), JOINTS)
    np.testing.assert_array_equal(times_and_positions(states)[1], wave(COUNT)[1])
    assert states.ledger.clean


@pytest.mark.parametrize('back', [0.5, 100.0])
def test_a_clock_that_is_set_back_begins_another_piece(tmp_path, back):
    t, q, v, e = wave(COUNT)
    stamps = 10**18 + np.round(t * 1e9).astype(np.int64)
    shifted = np.where(t < 2.5, stamps, stamps - int(back * 1e9))
    messages = [(int(time), joint_state(JOINTS, stamp, *rows))
                for time, stamp, *rows in zip(stamps, shifted, q, v, e)]
    states = JointStates(write_bag(tmp_path / 'bag', messages), JOINTS)
    found, position, begins = times_and_positions(states)
    late = 0 if back > 1.0 else 3        # so many are first taken for late ones
    assert len(found) == COUNT - late and begins == [True, True]
    text = account(states)
    assert 'time goes back by' in text and f'message {251 + late}' in text
    assert (np.diff(found) > 0).sum() == len(found) - 2


def test_no_usable_message_is_an_error_that_tells_both_lists_of_joints(tmp_path):
    path = write_bag(tmp_path / 'bag', wave_messages(20))
    with pytest.raises(InputError) as caught:
        list(JointStates(path, ('shoulder', 'elbow', 'wrist')))
    for word in ("['shoulder', 'elbow', 'wrist']", "['elbow', 'shoulder']", "Missing: ['wrist']",
                 '--rename', '--lock', 'left out 20 messages with joints missing'):
        assert word in str(caught.value)


def test_bytes_that_are_no_joint_state_are_refused_with_the_byte():
    good = joint_state(JOINTS, 1, (1, 2), (3, 4), (5, 6))
    for size in range(len(good)):
        with pytest.raises(CdrError):
            Layout(good[:size])
    with pytest.raises(CdrError, match='4294967295 entries'):
        Layout(good[:20] + b'\xff\xff\xff\xff' + good[24:])
    with pytest.raises(CdrError, match='bytes are left'):
        Layout(good + bytes(9))
