# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Bags replayed into running nodes: the same bag gives the same bits; differences are reported."""

import itertools
import shutil
from types import SimpleNamespace

from bag_files import joint_state, write_bag
import numpy as np
import pytest
from recorded_arms import record, sines

pytest.importorskip('rclpy', reason='rclpy is not installed: replays need running nodes')

from ros_graph import Peer, Process, ROOT  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

import kane_dynamics as kd  # noqa: E402
from kane_dynamics.commands.cli import main  # noqa: E402
from kane_dynamics.nodes.replay import messages_in_time  # noqa: E402
from kane_dynamics.recorded.bags.comparison import compare_bags  # noqa: E402
from kane_dynamics.recorded.bags.source import BagSource  # noqa: E402

URDF = ROOT / 'urdf' / 'six_axis.urdf'
NAMES = [f'joint_{k}' for k in range(1, 7)]
START = 1_700_000_000_000_000_000
_numbers = itertools.count(1)


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    """Return a bag of 0.8 s at 250 Hz of the six-axis arm, with a touch."""
    robot = kd.load_urdf(URDF)
    t, q, qd, qdd = sines(6, 0.8, 250.0, 2, 0.4, 0.4)
    tau = kd.Dynamics(robot, kd.Friction.of(robot)).inverse_many(q, qd, qdd)
    tau[t > 0.6, 1] -= 8.0
    return record(tmp_path_factory.mktemp('bags') / 'arm', NAMES, t, q, qd, tau, START)


def replayed(node, parameters, tmp_path, arguments, capsys, inputs):
    """Start a node in a namespace of its own, replay into it; return the exit status and text."""
    space = f'/replay{next(_numbers)}'
    process = Process(node, {'robot_description_file': str(URDF), **parameters}, [
        f'__ns:={space}', f'/diagnostics:={space}/diagnostics'])
    arguments = [each.replace('SPACE', space) for each in arguments]
    try:
        process.wait_for_log('active')
        capsys.readouterr()
        status = main(['replay', str(inputs), *arguments])
        out = capsys.readouterr()
        return status, out.out + out.err
    finally:
        process.end()


@pytest.mark.ros
def test_the_monitor_gives_the_same_bits_for_the_same_bag(bag, tmp_path, capsys):
    topics = ['residual', 'external_torque', 'contact', 'energy', 'wrench']
    for run in ('first', 'second'):
        arguments = ['--remap', '/joint_states=SPACE/joint_states', '--answer',
                     'SPACE/monitor/wrench', '--record', *(f'SPACE/monitor/{each}' for each in
                                                           topics), '-o', str(tmp_path / run)]
        status, text = replayed('monitor', {'use_sim_time': True, 'frame': 'tool0'}, tmp_path,
                                arguments, capsys, bag)
        assert status == 0 and 'played 200 messages' in text, text
        assert text.count('recorded 200 messages') == 5, text
    # the two runs had namespaces of their own: compare by the last part of the names
    assert _same(tmp_path / 'first', tmp_path / 'second', topics) == []


@pytest.mark.ros
def test_the_feedforward_node_gives_the_same_bits_for_the_same_bag(bag, tmp_path, capsys):
    topics = ['effort', 'commands']
    for run in ('first', 'second'):
        arguments = ['--remap', '/joint_states=SPACE/joint_states', '--answer',
                     'SPACE/feedforward/effort', '--record', 'SPACE/feedforward/effort',
                     'SPACE/feedforward/commands', '-o', str(tmp_path / run)]
        status, text = replayed('feedforward', {
            'use_sim_time': True, 'trigger': 'joint_states', 'mode': 'hold',
            'gains.p': [50.0, 50.0, 50.0, 5.0, 5.0, 1.0],
            'gains.d': [5.0, 5.0, 3.0, 0.1, 0.1, 0.01], 'model_check.samples': 0,
            'state_timeout': 1.0}, tmp_path, arguments, capsys, bag)
        assert status == 0 and 'played 200 messages' in text, text
        assert text.count('recorded 200 messages') == 2, text
    assert _same(tmp_path / 'first', tmp_path / 'second', topics) == []


@pytest.mark.ros
def test_the_simulator_gives_the_same_bits_for_the_same_bag(tmp_path, capsys):
    rng = np.random.default_rng(1)
    first, period = 1_000_000_000, 4_000_000
    efforts = [(first + k * period, joint_state(NAMES, first + k * period,
                                                effort=rng.normal(size=6)))
               for k in range(150)]
    inputs = write_bag(tmp_path / 'efforts', efforts, topic='/simulator/effort')
    for run in ('first', 'second'):
        arguments = ['--play', '/simulator/effort', '--remap',
                     '/simulator/effort=SPACE/simulator/effort', '--no-clock', '--answer',
                     'SPACE/joint_states', '-o', str(tmp_path / run)]
        status, text = replayed('simulator', {
            'lock_step': True, 'update_rate': 250.0, 'model_check.samples': 0,
            'sensor.position_noise': [1e-4], 'sensor.seed': 3}, tmp_path, arguments, capsys,
            inputs)
        assert status == 0 and 'played 150 messages' in text, text
    assert _same(tmp_path / 'first', tmp_path / 'second', ['joint_states']) == []


@pytest.mark.ros
def test_a_repeated_answer_is_recorded_once_and_answers_no_other_message(tmp_path, capsys):
    """A lock-step simulator repeats its state after 3 s without a command; here at once."""
    peer, previous = Peer('echo'), []
    answers = peer.node.create_publisher(JointState, '/echo/out', 100)

    def answer(message):
        for each in [*previous, message, message]:      # the answer before once more, too
            answers.publish(each)
        previous[:] = [message]

    peer.node.create_subscription(JointState, '/echo/in', answer, 100)
    messages = [(k * 1_000_000, joint_state(NAMES, k * 1_000_000)) for k in range(1, 21)]
    inputs = write_bag(tmp_path / 'in', messages, topic='/echo/in')
    try:
        assert main(['replay', str(inputs), '--answer', '/echo/out', '-o',
                     str(tmp_path / 'out')]) == 0
    finally:
        peer.close()
    assert 'recorded 20 messages' in capsys.readouterr().out
    assert [data for _, data in BagSource(tmp_path / 'out').messages('/echo/out')] == [
        data for _, data in messages]


def _same(first, second, topics):
    """Return what differs between two records whose topics differ in their first part."""
    found = []
    for topic in topics:
        content = []
        for path in (first, second):
            source = BagSource(path)
            name = next(each.name for each in source.topics if each.name.endswith('/' + topic))
            content.append([data for _, data in source.messages(name)])
        if content[0] != content[1] or not content[0]:
            found.append(topic)
    return found


# -- what the command says ------------------------------------------------------------------------


@pytest.mark.ros
def test_a_record_is_compared_with_a_stored_one(bag, tmp_path, capsys):
    outcomes = []
    for threshold in (5.0, 5.0, 0.5):
        process = Process('monitor', {'robot_description_file': str(URDF),
                                      'contact.threshold': [threshold]})
        compare = ['--compare', str(tmp_path / 'stored')] if outcomes else []
        name = 'stored' if not outcomes else f'run{len(outcomes)}'
        try:
            process.wait_for_log('active')
            status = main(['replay', str(bag), '--answer', '/monitor/contact', '--record',
                           '/monitor/contact', '/monitor/residual', '-o', str(tmp_path / name),
                           *compare])
            outcomes.append((status, capsys.readouterr().out))
        finally:
            process.end()
    assert outcomes[0][0] == outcomes[1][0] == 0 and 'identical to' in outcomes[1][1]
    status, text = outcomes[2]
    assert status == 1 and '/monitor/contact:' in text and 'messages differ' in text
    assert '/monitor/residual:' not in text       # the observer does not know the threshold


@pytest.mark.ros
def test_messages_that_the_bag_lacks_are_reported(bag, tmp_path, capsys):
    damaged = shutil.copytree(bag, tmp_path / 'damaged')
    metadata = damaged / 'metadata.yaml'
    metadata.write_text(metadata.read_text().replace('message_count: 200', 'message_count: 230'))
    status, text = replayed('monitor', {}, tmp_path, [
        '--remap', '/joint_states=SPACE/joint_states', '--answer', 'SPACE/monitor/contact', '-o',
        str(tmp_path / 'out')], capsys, damaged)
    assert status == 0 and 'played 200 messages' in text, text
    assert '# damaged: 30 of the 230 messages that it counts on /joint_states are lost' in text


@pytest.mark.ros
def test_nodes_that_are_not_there_are_named(bag, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(['replay', str(bag), '--answer', '/nobody/residual', '--patience', '1']) == 2
    text = capsys.readouterr().err
    assert '/nobody/residual has no publisher' in text
    assert '/joint_states has no subscriber' in text
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(('arguments', 'words'), [
    ([], 'nothing is recorded'), (['--answer', '/a', '--rate', '0'], 'must be positive'),
    (['--answer', '/a', '--play', '/none'], "no topic '/none'")])
def test_wrong_options_are_refused(bag, capsys, arguments, words):
    assert main(['replay', str(bag), *arguments]) == 2
    assert words in capsys.readouterr().err


def test_messages_of_several_topics_keep_their_topic_in_the_order_of_time():
    stored = {'/a': [(1, b'first'), (4, b'last')], '/b': [(2, b'second'), (3, b'third')]}
    source = SimpleNamespace(messages=lambda name: iter(stored[name]))
    assert list(messages_in_time(source, ['/a', '/b'])) == [
        (1, '/a', b'first'), (2, '/b', b'second'), (3, '/b', b'third'), (4, '/a', b'last')]


def test_bags_are_compared_message_by_message(tmp_path):
    messages = [(k, joint_state(NAMES, k)) for k in range(20)]
    write_bag(tmp_path / 'a', messages)
    write_bag(tmp_path / 'b', [(time + 5, data) for time, data in messages], storage='mcap')
    changed = list(messages)
    changed[7] = (7, joint_state(NAMES, 8))
    write_bag(tmp_path / 'c', changed)
    write_bag(tmp_path / 'd', messages[:15])
    write_bag(tmp_path / 'e', messages, topic='/other')
    assert compare_bags(tmp_path / 'a', tmp_path / 'b') == []
    assert compare_bags(tmp_path / 'a', tmp_path / 'c') == [
        '/joint_states: 1 of 20 messages differ, the first is message 8']
    assert compare_bags(tmp_path / 'a', tmp_path / 'd') == [
        '/joint_states: 20 messages against 15; the first difference is message 16']
    missing = compare_bags(tmp_path / 'a', tmp_path / 'e')
    assert len(missing) == 2 and '/joint_states is missing in' in missing[0]
