# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The parts that nodes are made of, each on its own: order, messages, parameters, loops."""

import math
from pathlib import Path
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from kane_dynamics.exceptions import InputError  # noqa: E402
from kane_dynamics.nodes import managed_node, trajectory_cdr  # noqa: E402
from kane_dynamics.nodes.clock_watch import ClockWatch  # noqa: E402
from kane_dynamics.nodes.clocked_loop import request_fifo, WallLoop  # noqa: E402
from kane_dynamics.nodes.conversions import (  # noqa: E402
    CommandsWriter, goal_from_message, joint_order, JointStateWriter, nanoseconds, set_stamp)
from kane_dynamics.nodes.diagnostics import ERROR, Recently, Report, WARN  # noqa: E402
from kane_dynamics.nodes.feedforward_parameters import SCHEMA  # noqa: E402
from kane_dynamics.nodes.loop_statistics import LENGTH, LoopStatistics  # noqa: E402
from kane_dynamics.nodes.parameters import Parameter, Parameters, Schema  # noqa: E402
from kane_dynamics.nodes.state_buffer import NEVER, StateBuffer  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
NAMES = ('a', 'b', 'c')


# -- joint order and messages -------------------------------------------------------------------


def test_joints_are_found_by_name_wherever_they_stand():
    names = ['x', 'c', 'a', 'b']
    order = joint_order(NAMES, names, 'test')
    assert [names[k] for k in order] == list(NAMES)


def test_an_absent_joint_is_an_error_with_its_name():
    with pytest.raises(InputError, match=r"test: joint 'b' is missing.*it has \['c', 'a'\]"):
        joint_order(NAMES, ['c', 'a'], 'test')
    assert joint_order(NAMES, ['c', 'a'], 'test', partial=True).tolist() == [1, -1, 0]


def test_a_joint_named_twice_is_an_error():
    with pytest.raises(InputError, match="'a' is named more than once"):
        joint_order(NAMES, ['a', 'b', 'c', 'a'], 'test')


@pytest.mark.parametrize('ns', [0, 1, 999_999_999, 1_000_000_000, 1_794_796_715_767_061_985])
def test_stamps_keep_every_nanosecond(ns):
    message = JointState()
    set_stamp(message.header.stamp, ns)
    assert nanoseconds(message.header.stamp) == ns


def test_messages_made_once_are_filled_through_their_arrays():
    state, commands = JointStateWriter(NAMES, 'base_link'), CommandsWriter(NAMES)
    state.position[:], state.effort[:], commands.data[:] = [1, 2, 3], [4, 5, 6], [7, 8, 9]
    sent = deserialize_message(serialize_message(state.stamped(1_500_000_000)), JointState)
    assert list(sent.position) == [1, 2, 3] and list(sent.effort) == [4, 5, 6]
    assert (sent.header.stamp.sec, sent.header.stamp.nanosec) == (1, 500_000_000)
    assert list(commands.message.data) == [7, 8, 9]


def random_trajectory(rng, count, n, carry):
    """Return a message whose points carry each field with a probability, and its fields."""
    fields = rng.normal(size=(4, count, n))
    fields[rng.random((4, count)) > carry] = np.nan
    message = JointTrajectory(joint_names=[f'joint_{k}' * (k + 1) for k in range(n)])
    message.header.frame_id = 'abcdefg'[:int(rng.integers(8))]
    set_stamp(message.header.stamp, int(rng.integers(2**60)))
    times = np.cumsum(rng.random(count))
    for k in range(count):
        point = JointTrajectoryPoint()
        for name, rows in zip(('positions', 'velocities', 'accelerations', 'effort'), fields):
            if not np.isnan(rows[k]).any():
                setattr(point, name, rows[k].tolist())
        set_stamp(point.time_from_start, round(times[k] * 1e9))
        message.points.append(point)
    return message, times, fields


@pytest.mark.parametrize('carry', [1.0, 0.7, 0.0])
def test_trajectory_bytes_are_those_of_rclpy(carry):
    rng = np.random.default_rng(7)
    for _ in range(100):
        count, n = int(rng.integers(6)), int(rng.integers(1, 8))
        message, times, fields = random_trajectory(rng, count, n, carry)
        data = trajectory_cdr.encode(message.joint_names, times, list(fields),
                                     nanoseconds(message.header.stamp), message.header.frame_id)
        assert deserialize_message(data, JointTrajectory) == message
        # and back: by numpy where points are alike, by rclpy where not
        goal, slow = trajectory_cdr.decode(serialize_message(message)), goal_from_message(message)
        assert goal.joint_names == slow.joint_names and goal.stamp == slow.stamp
        assert np.allclose(goal.times, slow.times, rtol=0.0, atol=1e-12)
        for name in ('positions', 'velocities', 'accelerations', 'efforts'):
            rows, expected = getattr(goal, name), getattr(slow, name)
            rows = [[]] * count if rows is None else rows
            assert [list(row) for row in rows] == [list(row) for row in expected]


def test_a_count_of_points_beyond_the_bytes_is_refused():
    message, *_ = random_trajectory(np.random.default_rng(8), 4, 3, 1.0)
    message.header.frame_id = ''
    data = bytearray(serialize_message(message))
    names = sum(-(-(4 + len(name) + 1) // 4) * 4 for name in message.joint_names)
    at = 4 + 8 + 8 + 4 + names              # header, stamp, frame, count and names of joints
    assert data[at:at + 4] == bytes([4, 0, 0, 0])
    data[at:at + 4] = bytes([0xff] * 4)
    with pytest.raises(Exception, match='(?i)deserialize'):
        trajectory_cdr.decode(bytes(data))


# -- states -------------------------------------------------------------------------------------


def state(names, position=(), velocity=(), stamp=0):
    message = JointState(name=list(names), position=list(position), velocity=list(velocity))
    set_stamp(message.header.stamp, stamp)
    return message


def test_parts_of_a_state_are_merged_and_the_oldest_counts():
    buffer = StateBuffer(NAMES)
    assert buffer.missing('position') == ['a', 'b', 'c'] and buffer.oldest['position'] == NEVER
    assert buffer.update(state('ab', [1.0, 2.0], stamp=100), 100)
    assert buffer.missing('position') == ['c']
    assert buffer.update(state(['gripper', 'c'], [9.0, 3.0], stamp=200), 200)
    assert buffer.position.tolist() == [1.0, 2.0, 3.0]
    assert buffer.oldest['position'] == 100
    assert buffer.stale('position', 250, 100) == ['a', 'b']
    assert not buffer.update(state(['gripper'], [9.0], stamp=300), 300)


def test_values_that_are_not_finite_or_old_are_not_taken():
    buffer = StateBuffer(NAMES)
    buffer.update(state(NAMES, [1.0, 2.0, 3.0], [0.1, 0.2, 0.3], stamp=100), 100)
    buffer.update(state(NAMES, [math.nan, 5.0, math.inf], [math.nan] * 3, stamp=200), 200)
    assert buffer.position.tolist() == [1.0, 5.0, 3.0] and buffer.rejected == 5
    assert buffer.velocity.tolist() == [0.1, 0.2, 0.3]
    assert buffer.oldest == {'position': 100, 'velocity': 100, 'effort': NEVER}
    buffer.update(state(NAMES, [7.0, 7.0, 7.0], stamp=150), 200)
    assert buffer.position.tolist() == [7.0, 5.0, 7.0] and buffer.disordered == 1
    assert not buffer.update(state(NAMES, [8.0] * 3, stamp=500), 200, horizon=100)
    assert buffer.future == 1


def test_a_state_without_stamp_counts_from_its_arrival():
    buffer = StateBuffer(NAMES)
    buffer.update(state(NAMES, [1.0, 2.0, 3.0]), 777)
    assert buffer.oldest['position'] == 777


@pytest.mark.parametrize(('message', 'words'), [
    (state(NAMES, [1.0] * 3, [0.0] * 2), 'velocity has 2 values for 3 names'),
    (state(['a', 'b', 'a'], [1.0] * 3), "'a' is named more than once"),
])
def test_of_a_message_without_sense_nothing_is_taken(message, words):
    buffer = StateBuffer(NAMES)
    with pytest.raises(InputError, match=words):
        buffer.update(message, 1)
    assert buffer.refused == 1 and buffer.missing('position') == ['a', 'b', 'c']


# -- parameters ---------------------------------------------------------------------------------


@pytest.fixture(scope='module')
def node():
    context = rclpy.Context()
    rclpy.init(context=context)
    yield rclpy.create_node('parts', context=context)
    rclpy.shutdown(context=context)


def test_every_parameter_says_what_it_is():
    for entry in SCHEMA.entries.values():
        assert entry.description and not entry.description.endswith('.'), entry.name
        assert entry.checked(None) == entry.default
        if entry.default != ():
            assert entry.checked(entry.default) == entry.default, entry.name
        described = entry.descriptor()
        assert described.description == entry.description
        assert entry.unit in described.additional_constraints
    assert len(SCHEMA.markdown().splitlines()) == 2 + len(SCHEMA.entries)


def test_numbers_outside_their_bounds_are_refused_with_bounds_and_unit():
    entry = Parameter('rate', 'float', 1.0, 'how often', unit='Hz', above=0.0, high=10.0)
    for bad in (0.0, 11.0, math.nan, True, 'fast'):
        with pytest.raises(InputError, match='rate'):
            entry.checked(bad)
    assert entry.checked(5) == 5.0 and isinstance(entry.checked(5), float)
    with pytest.raises(InputError, match='> 0, <= 10 Hz'):
        entry.checked(-1.0)


def test_only_what_can_be_without_end_may_be_infinite():
    endless = {name for name, entry in SCHEMA.entries.items() if entry.infinite}
    assert endless == {'limits.effort', 'fault_hold_time'}
    assert SCHEMA.entries['limits.effort'].checked([math.inf], 6) == (math.inf,)
    for name, entry in SCHEMA.entries.items():
        if name not in endless and entry.kind in ('float', 'floats'):
            with pytest.raises(InputError, match='must be finite'):
                entry._check_bounds(math.inf)


def test_a_set_is_checked_before_it_acts_and_refused_as_a_whole(node):
    schema = Schema(Parameter('p', 'floats', (), 'gains', low=0.0, lengths=('joints',),
                              runtime=True),
                    Parameter('fixed', 'int', 3, 'a size', why_fixed='arrays have it'))
    changes = []
    parameters = Parameters(node, schema, changes.append)
    parameters.check_lengths(3)
    parameters.fixed = True

    def set_(**values):
        return node.set_parameters_atomically(
            [rclpy.Parameter(name, value=value) for name, value in values.items()])
    assert set_(p=[1, 2, 3]).successful
    assert parameters['p'] == (1.0, 2.0, 3.0) and changes == [{'p': (1.0, 2.0, 3.0)}]
    refused = set_(p=[4.0], fixed=4)
    assert not refused.successful and 'arrays have it' in refused.reason
    assert parameters['p'] == (1.0, 2.0, 3.0) and parameters['fixed'] == 3
    assert 'expected 1 or 3' in set_(p=[1.0, 2.0]).reason
    parameters.fixed = False
    assert set_(fixed=4).successful and parameters['fixed'] == 4
    # rclpy would undeclare what is deleted, and it could never be set again
    assert set_(p=None).reason == 'p cannot be deleted; set it to []'
    assert set_(p=[]).successful and parameters['p'] == ()


def test_a_null_in_a_parameter_file_leaves_a_list_unset(tmp_path):
    path = tmp_path / 'dumped.yaml'        # `ros2 param dump` writes null for what is not set
    path.write_text('/**:\n  ros__parameters:\n    p: null\n    names: null\n    q: []\n')
    context = rclpy.Context()
    rclpy.init(context=context, args=['--ros-args', '--params-file', str(path)])
    node = rclpy.create_node('dumped', context=context)
    parameters = Parameters(node, Schema(
        Parameter('p', 'floats', (), 'gains'), Parameter('q', 'floats', (), 'others'),
        Parameter('names', 'strs', (), 'of joints')))
    node.destroy_node()
    context.shutdown()
    assert parameters.values == {'p': (), 'q': (), 'names': ()}


def test_a_given_parameter_that_does_not_exist_is_warned_of_with_the_nearest(capfd):
    context = rclpy.Context()
    rclpy.init(context=context, args=['--ros-args', '-p', 'limits.efort:=[1.0]', '-p', 'rate:=2.0',
                                      '-p', 'qos_overrides./x.publisher.depth:=1'])
    node = rclpy.create_node('spelled', context=context)
    parameters = Parameters(node, Schema(
        Parameter('limits.effort', 'floats', (), 'how much'),
        Parameter('rate', 'float', 1.0, 'how often')))
    node.destroy_node()
    context.shutdown()
    assert parameters['rate'] == 2.0 and parameters['limits.effort'] == ()
    told = capfd.readouterr().err
    assert "no parameter 'limits.efort': it is ignored; did you mean 'limits.effort'?" in told
    assert told.count('no parameter') == 1


# -- loops --------------------------------------------------------------------------------------


class Logger:
    def __init__(self):
        self.lines = []

    def __getattr__(self, level):
        return self.lines.append


def test_a_loop_counts_every_cycle_as_run_or_missed():
    moments, logger = [], Logger()

    def step(now):
        moments.append(time.perf_counter())
        if len(moments) == 5:
            time.sleep(0.05)        # at least four deadlines of 10 ms pass
    loop = WallLoop(100.0, step, logger)
    loop.start()
    while len(moments) < 20:
        time.sleep(0.01)
    loop.stop()
    statistics = loop.statistics
    assert statistics.missed >= 4
    # deadlines are t0 + k T: time passed is cycles and missed ones, to one period
    passed = (moments[-1] - moments[0]) / 0.01
    assert abs(passed - (statistics.cycles + statistics.missed - 1)) <= 1.5 + (
        moments[-1] - moments[-2]) / 0.01


def test_a_slow_loop_ends_without_waiting_for_its_next_cycle():
    loop = WallLoop(1e-3, lambda now: None, Logger())       # a cycle in 1000 s
    loop.start()
    thread = threading.Thread(target=loop.stop, daemon=True)
    thread.start()
    thread.join(30.0)
    assert not thread.is_alive() and loop.statistics.cycles == 0


def test_a_loop_goes_on_after_an_exception_and_tells_of_it():
    errors, count = [], []

    def step(now):
        count.append(now)
        raise RuntimeError('broken')
    loop = WallLoop(200.0, step, Logger(), on_error=errors.append)
    loop.start()
    while len(count) < 3:
        time.sleep(0.005)
    loop.stop()
    assert len(errors) >= 3 and threading.active_count() < 50


def test_statistics_give_rate_errors_and_computing_time():
    statistics = LoopStatistics(0.01)
    assert statistics.summary().cycles == 0
    began = np.arange(300) * 0.01
    began[100] += 0.004                     # one cycle late: two periods are off by 4 ms
    for moment in began:
        statistics.note(moment, 2e-5)
    statistics.missed = 100
    summary = statistics.summary()
    assert summary.rate == pytest.approx(100.0)
    assert summary.period_error_median == pytest.approx(0.0, abs=1e-12)
    assert summary.period_error_max == pytest.approx(0.004)
    assert summary.compute_median == 2e-5 and summary.kept == 0.75
    for moment in np.arange(LENGTH + 10) * 0.02:   # only the last ones are remembered
        statistics.note(moment, 1e-5)
    assert statistics.summary().rate == pytest.approx(50.0)


def test_a_priority_that_is_not_permitted_is_told_and_the_loop_runs():
    logger = Logger()
    assert request_fifo(1000, logger) is False      # no system has it
    assert 'not permitted' in logger.lines[0]


def test_a_jump_of_the_systems_clock_is_told_and_slow_drift_or_a_stall_is_not(node, monkeypatch):
    steady, drift, jumps = 5 * 10**9, 0, []
    monkeypatch.setattr('kane_dynamics.nodes.clock_watch.time', SimpleNamespace(
        monotonic_ns=lambda: steady, time_ns=lambda: 1_700_000_000 * 10**9 + steady + drift))
    watch = ClockWatch(node, 0.5, jumps.append)
    for drift in range(0, 2_000_000_000, 100_000_000):          # 2 s in all, 0.1 s at a time
        watch.look()
    steady += 60 * 10**9                                        # both clocks go on in a stall
    watch.look()
    assert jumps == []
    drift = -3_000_000_000                                      # from 1.9 s ahead to 3 s behind
    watch.look()
    assert jumps == [-4_900_000_000]
    watch.end()


# -- diagnostics --------------------------------------------------------------------------------


def test_the_worst_level_of_a_report_counts_and_messages_add_up():
    report = Report()
    report.say(ERROR, 'first')
    report.say(WARN, 'second')
    report.add('figure', 1.23456789)
    status = report.status('node: Part', 'arm')
    assert status.level == ERROR and status.message == 'first; second'
    assert (status.name, status.hardware_id) == ('node: Part', 'arm')
    assert status.values[0].value == '1.23457'
    assert Report().status('node: Part', 'arm').message == 'OK'


def test_only_what_happened_lately_is_a_warning():
    now = [0.0]
    recently = Recently(10.0, lambda: now[0])
    assert not recently.grew('x', 0)
    assert recently.grew('x', 3)
    now[0] = 9.0
    assert recently.grew('x', 3)
    now[0] = 11.0
    assert not recently.grew('x', 3)
    assert recently.grew('x', 4)


# -- documents ----------------------------------------------------------------------------------


def test_the_document_lists_the_parameters_as_they_are():
    text = (ROOT / 'doc' / 'feedforward.md').read_text(encoding='utf-8')
    table = text.split('<!-- parameters -->\n')[1].split('<!-- /parameters -->')[0]
    assert table == (managed_node.SCHEMA + SCHEMA).markdown(), (
        'print it anew: python3 -m kane_dynamics.nodes.feedforward_parameters')
