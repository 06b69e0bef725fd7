# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of the nodes, one by one: joint order, messages, parameters, loops."""

from dataclasses import dataclass, FrozenInstanceError
import math
from pathlib import Path
import threading
import time
from types import SimpleNamespace
from typing import Annotated, Literal

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from kane_dynamics.exceptions import InputError  # noqa: E402
from kane_dynamics.nodes.common.arm import JointLists  # noqa: E402
from kane_dynamics.nodes.common.clocked_loop import (  # noqa: E402
    ClockWatch, request_fifo, RosTimerLoop, WallLoop)
from kane_dynamics.nodes.common.diagnostics import ERROR, OK, Recently, Report, WARN  # noqa: E402
from kane_dynamics.nodes.common.loop_statistics import LENGTH, LoopStatistics  # noqa: E402
from kane_dynamics.nodes.common.node_parameters import NodeSettings, Parameters  # noqa: E402
from kane_dynamics.nodes.common.parameter_files import applies, unmatched_files  # noqa: E402
from kane_dynamics.nodes.common.parameters import (  # noqa: E402
    Floats, Names, Parameter, Schema)
from kane_dynamics.nodes.common.state_buffer import NEVER, StateBuffer  # noqa: E402
from kane_dynamics.nodes.feedforward.settings import SCHEMA  # noqa: E402
from kane_dynamics.nodes.messages import trajectory_cdr  # noqa: E402
from kane_dynamics.nodes.messages.conversions import (  # noqa: E402
    CommandsWriter, goal_from_message, joint_order, JointStateWriter, nanoseconds, set_stamp)
from kane_dynamics.nodes.monitor import settings as monitor_settings  # noqa: E402
from kane_dynamics.nodes.simulator import settings as simulator_settings  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
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
    entry = Parameter('how often', name='rate', kind='float', unit='Hz', above=0.0, high=10.0)
    for bad in (0.0, 11.0, math.nan, True, 'fast'):
        with pytest.raises(InputError, match='rate'):
            entry.checked(bad)
    assert entry.checked(5) == 5.0 and isinstance(entry.checked(5), float)
    with pytest.raises(InputError, match='> 0, <= 10 Hz'):
        entry.checked(-1.0)


@pytest.mark.parametrize('schema', [SCHEMA, simulator_settings.SCHEMA, monitor_settings.SCHEMA,
                                    Schema(NodeSettings)],
                         ids=['feedforward', 'simulator', 'monitor', 'managed'])
def test_every_duration_and_rate_is_bounded_and_fits_a_timer(schema):
    timed = [entry for entry in schema.entries.values() if entry.unit in ('s', 'Hz', '1/s')]
    assert timed
    for entry in timed:
        assert entry.high is not None or entry.infinite, entry.name
        for bad in (1e300, 1e10, -1.0):
            if not (entry.infinite and bad > 0.0):
                with pytest.raises(InputError, match=entry.name):
                    entry.checked(bad)
        if entry.unit == 'Hz':
            assert entry.low >= 0.1, entry.name
            with pytest.raises(InputError, match=entry.name):
                entry.checked(1e-300)
            assert 1e9 / entry.low < 2**63 and round(1e9 / entry.high) > 0


def test_a_bound_may_leave_zero_out_of_its_range():
    entry = Parameter('how often', name='rate', kind='float', unit='Hz', low=0.1, high=9.0,
                      or_zero=True)
    assert entry.checked(0.0) == 0.0 and entry.checked(0.1) == 0.1
    with pytest.raises(InputError, match='must be 0 or 0.1 .. 9 Hz, got 0.05'):
        entry.checked(0.05)
    assert entry.descriptor().floating_point_range[0].from_value == 0.0


def test_only_what_can_be_without_end_may_be_infinite():
    endless = {name for name, entry in SCHEMA.entries.items() if entry.infinite}
    assert endless == {'limits.effort', 'fault_hold_time'}
    assert SCHEMA.entries['limits.effort'].checked([math.inf], 6) == (math.inf,)
    for name, entry in SCHEMA.entries.items():
        if name not in endless and entry.kind in ('float', 'floats'):
            with pytest.raises(InputError, match='must be finite'):
                entry._check_bounds(math.inf)


@dataclass(frozen=True)
class Loop:
    rate: Annotated[float, Parameter('cycles per second', unit='Hz')] = 100.0
    law: Annotated[Literal['pd', 'pid'], Parameter('control law')] = 'pd'


@dataclass(frozen=True)
class Small:
    p: Annotated[Floats, Parameter('gains', low=0.0, lengths=('joints',), runtime=True)] = ()
    fixed: Annotated[int, Parameter('a size', why_fixed='arrays have it')] = 3
    loop: Loop = Loop()


def test_a_dataclass_declares_names_kinds_defaults_and_choices():
    entries = Schema(Small).entries
    assert [(each.name, each.kind, each.default, each.choices) for each in entries.values()] == [
        ('p', 'floats', (), ()), ('fixed', 'int', 3, ()), ('loop.rate', 'float', 100.0, ()),
        ('loop.law', 'str', 'pd', ('pd', 'pid'))]
    assert entries['loop.rate'].unit == 'Hz' and entries['p'].runtime


def test_settings_are_read_by_name_and_refused_all_at_once():
    schema = Schema(Small)
    assert schema.read({}) == Small()
    assert schema.read({'loop.law': 'pid', 'p': [1, 2]}) == Small((1.0, 2.0), 3,
                                                                  Loop(100.0, 'pid'))
    with pytest.raises(InputError, match=r"fixed must be a whole .* loop.law 'pi' is not one of"):
        schema.read({'fixed': 1.5, 'loop.law': 'pi'})


def test_lists_of_joints_become_arrays_in_the_order_of_the_arm():
    lists = JointLists(('c', 'a', 'b'), NAMES)
    assert lists.names == ('c', 'a', 'b') and lists.command_order.tolist() == [2, 0, 1]
    assert lists.array((30.0, 10.0, 20.0)).tolist() == [10.0, 20.0, 30.0]
    assert lists.array((5.0,)).tolist() == [5.0, 5.0, 5.0]
    assert lists.array((), (1.0, 2.0, 3.0)).tolist() == [1.0, 2.0, 3.0]
    assert lists.array(()).tolist() == [0.0, 0.0, 0.0]
    assert JointLists((), NAMES).array((1.0, 2.0, 3.0)).tolist() == [1.0, 2.0, 3.0]


def test_a_change_of_a_parameter_replaces_the_settings(node):
    parameters = Parameters(node, Schema(Loop))
    before = parameters.settings
    assert node.set_parameters([rclpy.Parameter('rate', value=5.0)])[0].successful
    assert parameters.settings == Loop(5.0) and before == Loop(100.0)
    with pytest.raises(FrozenInstanceError):
        before.rate = 7.0


def test_a_set_is_checked_before_it_acts_and_refused_as_a_whole(node):
    changes = []
    parameters = Parameters(node, Schema(Small), changes.append)
    parameters.check_lengths(3)
    parameters.fixed = True

    def set_(**values):
        return node.set_parameters_atomically(
            [rclpy.Parameter(name, value=value) for name, value in values.items()])
    assert set_(p=[1, 2, 3]).successful
    assert parameters.settings == Small((1.0, 2.0, 3.0)) and changes == [parameters.settings]
    refused = set_(p=[4.0], fixed=4)
    assert not refused.successful and 'arrays have it' in refused.reason
    assert parameters.settings == Small((1.0, 2.0, 3.0))
    assert 'expected 1 or 3' in set_(p=[1.0, 2.0]).reason
    parameters.fixed = False
    assert set_(fixed=4).successful and parameters.settings.fixed == 4
    # rclpy would undeclare what is deleted, and it could never be set again
    assert set_(p=None).reason == 'p cannot be deleted; set it to []'
    assert set_(p=[]).successful and parameters.settings.p == ()


@dataclass(frozen=True)
class Lists:
    p: Annotated[Floats, Parameter('gains')] = ()
    q: Annotated[Floats, Parameter('others')] = ()
    names: Annotated[Names, Parameter('of joints')] = ()


def test_a_null_in_a_parameter_file_leaves_a_list_unset(tmp_path):
    path = tmp_path / 'dumped.yaml'        # `ros2 param dump` writes null for what is not set
    path.write_text('/**:\n  ros__parameters:\n    p: null\n    names: null\n    q: []\n')
    context = rclpy.Context()
    rclpy.init(context=context, args=['--ros-args', '--params-file', str(path)])
    node = rclpy.create_node('dumped', context=context)
    parameters = Parameters(node, Schema(Lists))
    node.destroy_node()
    context.shutdown()
    assert parameters.settings == Lists((), (), ())


SECTIONS = ('feedforward', '/feedforward', '/left/feedforward', '/**', '/**/feedforward', '/*/*',
            '/*/feedforward', 'left/feedforward', '/**/simulator', '/left/**', '/left', '/**/left')


@pytest.mark.parametrize('namespace', ['/', '/left', '/left/deep'])
def test_a_section_applies_to_the_nodes_that_rcl_gives_it_to(namespace, tmp_path):
    path = tmp_path / 'parameters.yaml'
    for section in SECTIONS:
        path.write_text(f'{section}:\n  ros__parameters: {{a: 1}}\n')
        context = rclpy.Context()
        arguments = ['--ros-args', '--params-file', str(path), '-r', f'__ns:={namespace}']
        rclpy.init(args=arguments, context=context)
        node = rclpy.create_node('feedforward', context=context)
        try:
            given, name = 'a' in node._parameter_overrides, node.get_fully_qualified_name()
            assert applies(section, name) == given, (section, name)
            assert bool(list(unmatched_files(arguments, name))) != given
        finally:
            node.destroy_node()
            rclpy.shutdown(context=context)


def test_a_file_that_applies_to_no_node_is_warned_of_with_its_sections(tmp_path):
    good, bad = tmp_path / 'good.yaml', tmp_path / 'bad.yaml'
    good.write_text('left:\n  feedforward:\n    ros__parameters: {a: 1}\n')
    bad.write_text('feedforward:\n  ros__parameters: {a: 1}\n')
    files = [word for path in (bad, good, tmp_path / 'none.yaml')
             for word in ('--params-file', str(path))]
    warning, = unmatched_files(['node', '--ros-args', *files], '/left/feedforward')
    assert warning == (f'{bad}: no section applies to /left/feedforward, so all of its '
                       "parameters are ignored; it has ['/feedforward'], expected "
                       '/**/feedforward or /**')


@dataclass(frozen=True)
class EffortLimits:
    effort: Annotated[Floats, Parameter('how much')] = ()


@dataclass(frozen=True)
class Limited:
    limits: EffortLimits = EffortLimits()
    rate: Annotated[float, Parameter('how often')] = 1.0


def test_a_given_parameter_that_does_not_exist_is_warned_of_with_the_nearest(capfd):
    context = rclpy.Context()
    rclpy.init(context=context, args=['--ros-args', '-p', 'limits.efort:=[1.0]', '-p', 'rate:=2.0',
                                      '-p', 'qos_overrides./x.publisher.depth:=1'])
    node = rclpy.create_node('spelled', context=context)
    parameters = Parameters(node, Schema(Limited))
    node.destroy_node()
    context.shutdown()
    assert parameters.settings == Limited(rate=2.0)
    output = capfd.readouterr().err
    assert "no parameter 'limits.efort': it is ignored; did you mean 'limits.effort'?" in output
    assert output.count('no parameter') == 1


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


@pytest.mark.parametrize('jump', [10**18, 700_000_000, -5 * 10**9])
def test_a_jump_of_the_clock_is_no_missed_cycle_and_spoils_no_figure(jump):
    now = 10**9
    clock = SimpleNamespace(now=lambda: SimpleNamespace(nanoseconds=now))
    loop = RosTimerLoop(100.0, lambda now: 0.0, SimpleNamespace(get_clock=lambda: clock),
                        jump=0.5)
    for _ in range(50):
        now += 10_000_000
        loop._tick()
    now += 20_000_000               # one cycle is missed
    loop._tick()
    now += jump
    for _ in range(50):
        loop._tick()
        now += 10_000_000
    summary = loop.statistics.summary()
    assert (summary.cycles, summary.missed) == (101, 1) and summary.kept > 0.99
    assert summary.rate == pytest.approx(100.0) and summary.period_error_max < 1e-6


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
    monkeypatch.setattr('kane_dynamics.nodes.common.clocked_loop.time', SimpleNamespace(
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


def test_two_parts_may_count_under_the_same_key():
    now = [0.0]
    recently = Recently(10.0, lambda: now[0])

    def reported():
        reports = Report('Joint states'), Report('Trajectories')
        for report, count in zip(reports, (0, 1)):
            recently.count(report, 'refused', count, 'some were refused')
        return [report.level for report in reports]
    assert reported() == [OK, WARN]
    assert reported() == [OK, WARN]
    now[0] = 11.0
    assert reported() == [OK, OK]


# -- documents ----------------------------------------------------------------------------------


def test_the_document_lists_the_parameters_as_they_are():
    text = (ROOT / 'doc' / 'feedforward.md').read_text(encoding='utf-8')
    table = text.split('<!-- parameters -->\n')[1].split('<!-- /parameters -->')[0]
    assert table == SCHEMA.markdown(), (
        'python3 -m kane_dynamics.nodes.feedforward.settings prints it')
