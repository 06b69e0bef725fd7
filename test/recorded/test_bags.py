# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Bags that are whole: every storage, with and without metadata, as rosbags itself reads them."""

import shutil

from bag_files import joint_state, JOINTS, real_bag, STORE, wave, wave_messages, write_bag
import numpy as np
import pytest
from rosbags.rosbag2 import Reader

from kane_dynamics.exceptions import InputError
from kane_dynamics.recorded.bags import joint_states as module
from kane_dynamics.recorded.bags.joint_states import JointStates
from kane_dynamics.recorded.bags.message_arrays import Encoder, Layout
from kane_dynamics.recorded.bags.source import BagSource
from kane_dynamics.recorded.bags.writer import BagWriter

STORAGES = ['sqlite3', 'mcap']


def whole(states):
    """Return t, position, velocity, effort of all blocks."""
    blocks = list(states)
    return [np.concatenate([getattr(block, name) for block in blocks])
            for name in ('t', 'position', 'velocity', 'effort')]


@pytest.mark.parametrize(('name', 'count', 'joints'), [
    ('ur10', 3441, ['elbow_joint', 'wrist_3_joint', 'shoulder_pan_joint']),
    ('panda', 727, ['fer_joint7', 'fer_joint1'])])
def test_real_bags_are_read_as_rosbags_reads_them(name, count, joints):
    path = real_bag(name)
    t, *fields = whole(states := JointStates(path, joints))
    with Reader(path) as reader:
        messages = [STORE.deserialize_cdr(data, connection.msgtype)
                    for connection, _, data in reader.messages()]
    assert len(t) == len(messages) == count and states.ledger.clean
    order = [messages[0].name.index(joint) for joint in joints]
    for mine, field in zip(fields, ('position', 'velocity', 'effort')):
        np.testing.assert_array_equal(mine, [getattr(each, field)[order] for each in messages])
    stamps = np.array([each.header.stamp.sec * 10**9 + each.header.stamp.nanosec
                       for each in messages])
    np.testing.assert_array_equal(t, (stamps - stamps[0]) * 1e-9)


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('form', ['folder', 'file', 'folder without metadata'])
def test_every_storage_is_read_with_and_without_metadata(tmp_path, storage, form):
    path = write_bag(tmp_path / 'bag', wave_messages(500), storage)
    if form == 'file':
        path = next(each for each in path.iterdir() if each.suffix in ('.db3', '.mcap'))
    elif form != 'folder':
        (path / 'metadata.yaml').unlink()
    found = whole(states := JointStates(path, JOINTS))
    for mine, expected in zip(found, wave(500)):
        np.testing.assert_allclose(mine, expected, atol=2e-9)
    assert states.ledger.clean and states.count == 500


@pytest.mark.parametrize('storage', STORAGES)
def test_a_split_bag_without_metadata_is_read_in_the_order_of_its_numbers(tmp_path, storage):
    messages = wave_messages(1200)
    suffix = {'sqlite3': '.db3', 'mcap': '.mcap'}[storage]
    folder = tmp_path / 'split'
    folder.mkdir()
    for k in range(12):
        part = write_bag(tmp_path / f'part{k}', messages[100 * k:100 * k + 100], storage)
        shutil.move(next(part.glob('*' + suffix)), folder / f'split_{k}{suffix}')
    t, position, *_ = whole(JointStates(folder, JOINTS))
    np.testing.assert_allclose(t, wave(1200)[0], atol=2e-9)
    np.testing.assert_array_equal(position, wave(1200)[1])


def test_small_chunks_give_the_same_as_large_ones(tmp_path, monkeypatch):
    path = write_bag(tmp_path / 'bag', wave_messages(500))
    large = whole(JointStates(path, JOINTS))
    monkeypatch.setattr(module, 'CHUNK', 7)
    for mine, theirs in zip(large, whole(JointStates(path, JOINTS))):
        np.testing.assert_array_equal(mine, theirs)


def test_a_bag_can_be_read_twice(tmp_path):
    states = JointStates(write_bag(tmp_path / 'bag', wave_messages(50)), JOINTS)
    for mine, theirs in zip(whole(states), whole(states)):
        np.testing.assert_array_equal(mine, theirs)
    assert states.ledger.used == 50


@pytest.mark.parametrize('names', [(), ('a',), ('ab', 'c'), ('abc', 'defg', 'hijkl'),
                                   ('joint ä', 'x' * 100)])
@pytest.mark.parametrize('frame_id', ['', 'base', 'world!'])
def test_bytes_are_those_of_rosbags_both_ways(names, frame_id):
    rng = np.random.default_rng(1)
    fields = {field: rng.standard_normal((3, len(names)))
              for field in ('position', 'velocity', 'effort')}
    stamps = np.array([0, 1_500_000_001, 2_000_000_000_999_999_999])
    written = Encoder(names, frame_id).encode(stamps, **fields)
    for k, data in enumerate(written):
        theirs = joint_state(names, stamps[k], *(rows[k] for rows in fields.values()), frame_id)
        assert data == theirs
        layout = Layout(theirs)
        rows = np.frombuffer(theirs, np.uint8)[None]
        assert layout.names == tuple(names) and layout.stamps(rows)[0] == stamps[k]
        for field, numbers in fields.items():
            found = layout.numbers(rows, field)
            assert found is None if not names else (found[0] == numbers[k]).all()


@pytest.mark.parametrize('empty', [{'velocity'}, {'effort'}, {'velocity', 'effort'}])
def test_empty_fields_are_told_from_full_ones(empty):
    rows = {field: () if field in empty else (1.0, 2.0, 3.0)
            for field in ('position', 'velocity', 'effort')}
    data = joint_state(('a', 'bb', 'ccc'), 5, **rows)
    layout = Layout(data)
    for field, values in rows.items():
        found = layout.numbers(np.frombuffer(data, np.uint8)[None], field)
        assert found is None if field in empty else tuple(found[0]) == values


@pytest.mark.parametrize('storage', STORAGES)
def test_what_the_writer_writes_rosbags_reads(tmp_path, storage):
    t, q, v, e = wave(300)
    stamps = 10**18 + np.round(t * 1e9).astype(np.int64)
    with BagWriter(tmp_path / 'bag', storage) as writer:
        writer.write_joint_states('/model/joint_states', JOINTS, stamps, position=q, velocity=v,
                                  effort=e)
    with Reader(tmp_path / 'bag') as reader:
        assert [each.topic for each in reader.connections] == ['/model/joint_states']
        for k, (connection, time, data) in enumerate(reader.messages()):
            message = STORE.deserialize_cdr(data, connection.msgtype)
            assert time == stamps[k] and tuple(message.name) == JOINTS
            assert (message.effort == e[k]).all() and (message.position == q[k]).all()
    assert k == 299


def test_fields_that_are_not_given_are_written_empty():
    data, = Encoder(('a', 'b'), fields=('effort',)).encode(np.array([7]), effort=[[1.0, 2.0]])
    assert data == joint_state(('a', 'b'), 7, effort=(1.0, 2.0))


def test_the_writer_overwrites_nothing(tmp_path):
    (tmp_path / 'bag').mkdir()
    with pytest.raises(InputError, match='exists already'):
        BagWriter(tmp_path / 'bag')


def test_joints_are_renamed_by_name_or_by_the_beginning_of_it(tmp_path):
    path = write_bag(tmp_path / 'bag', wave_messages(50, names=('fer_1', 'x2')))
    states = JointStates(path, ('arm_2', 'panda_1'), rename={'fer_': 'panda_', 'x2': 'arm_2'})
    np.testing.assert_array_equal(whole(states)[1], wave(50)[1][:, ::-1])


def test_other_topics_are_left_alone_and_one_of_several_can_be_chosen(tmp_path):
    other = [(time, data) for time, data in wave_messages(20, names=('p', 'q'))]
    path = write_bag(tmp_path / 'bag', wave_messages(50), others=[
        ('/left/joint_states', 'sensor_msgs/msg/JointState', other),
        ('/text', 'std_msgs/msg/String', [(10**18, b'\x00\x01\x00\x00\x02\x00\x00\x00a\x00')])])
    assert len(whole(JointStates(path, JOINTS))[0]) == 50
    assert len(whole(JointStates(path, ('q',), topic='/left/joint_states'))[0]) == 20
    assert len(BagSource(path).topics) == 3


def test_the_time_of_recording_counts_where_stamps_are_zero(tmp_path):
    t, q, v, e = wave(50)
    messages = [(10**18 + int(time * 1e9), joint_state(JOINTS, 0, *rows))
                for time, *rows in zip(t, q, v, e)]
    states = JointStates(write_bag(tmp_path / 'bag', messages), JOINTS)
    np.testing.assert_allclose(whole(states)[0], t, atol=2e-9)
    assert 'time of recording' in states.ledger.notes[0]


def test_a_first_stamp_of_zero_is_the_start_of_a_simulation(tmp_path):
    states = JointStates(write_bag(tmp_path / 'bag', wave_messages(50, start=0)), JOINTS)
    np.testing.assert_allclose(whole(states)[0], wave(50)[0], atol=2e-9)
    assert states.ledger.clean
