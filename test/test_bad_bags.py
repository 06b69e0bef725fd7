# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Bags with something wrong: the place is told, what was used is right, the rest is counted."""

import random

from bag_files import joint_state, JOINTS, STORE, wave, wave_messages, write_bag
import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer

from kane_dynamics.bags.joint_state_cdr import Layout, NoJointState
from kane_dynamics.bags.joint_states import JointStates
from kane_dynamics.bags.source import BagSource
from kane_dynamics.exceptions import InputError, KaneDynamicsError

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


@pytest.mark.parametrize('storage', ['sqlite3', 'mcap'])
@pytest.mark.parametrize('share', [0.3, 0.6, 0.9, 0.999])
def test_a_truncated_file_gives_true_messages_only_and_says_where_it_ends(tmp_path, storage,
                                                                          share):
    path = write_bag(tmp_path / 'bag', wave_messages(20000), storage)
    file = storage_file(path)
    data = file.read_bytes()
    file.write_bytes(data[:int(share * len(data))])
    states = JointStates(path, JOINTS)
    t, position, _ = times_and_positions(states)
    expected = wave(20000)
    places = np.round(t * 100).astype(int)
    np.testing.assert_array_equal(position, expected[1][places])
    assert (np.diff(places) > 0).all()
    # a file of mcap loses its last chunk of 1 MB, a database what its last pages held
    if share < 0.95:
        assert 0.5 * share * 20000 < len(t) < 20000
    text = account(states)
    if 'stopped after' in text:      # the library opened it and met the cut while reading
        assert share > 0.95 and f'stopped after its message {len(t)}' in text
    else:
        assert str(int(share * len(data))) in text and 'damaged' in text
    assert f'used {len(t)} of {len(t)} messages' in text


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


def test_a_page_of_zeros_in_a_database_loses_its_own_messages_only(tmp_path):
    path = write_bag(tmp_path / 'bag', wave_messages(2000))
    file = storage_file(path)
    data = bytearray(file.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle:middle + 4096] = bytes(4096)
    file.write_bytes(data)
    states = JointStates(file, JOINTS)
    t, position, _ = times_and_positions(states)
    assert 1900 < len(t) < 2000 and 'damaged' in account(states)
    np.testing.assert_array_equal(position, wave(2000)[1][np.round(t * 100).astype(int)])


def test_rows_on_several_pages_are_recovered_whole(tmp_path):
    names = [f'joint_with_a_long_name_{k:03d}' for k in range(150)]      # 8 kB a message
    messages = [(10**18 + k * 10**7, joint_state(names, 10**18 + k * 10**7,
                                                 np.arange(150.0) + k, effort=np.zeros(150)))
                for k in range(100)]
    path = write_bag(tmp_path / 'bag', messages)
    file = storage_file(path)
    data = file.read_bytes()
    file.write_bytes(data[:int(0.7 * len(data))])
    states = JointStates(file, (names[149], names[0]))
    t, position, _ = times_and_positions(states)
    assert 50 < len(t) < 80
    np.testing.assert_array_equal(position[:, 1], np.round(t * 100))
    np.testing.assert_array_equal(position[:, 0] - 149, np.round(t * 100))


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
    with pytest.raises(InputError, match='another definition'):
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
        with pytest.raises(NoJointState):
            Layout(good[:size])
    with pytest.raises(NoJointState, match='4294967295 entries'):
        Layout(good[:20] + b'\xff\xff\xff\xff' + good[24:])
    with pytest.raises(NoJointState, match='bytes are left'):
        Layout(good + bytes(9))
