# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Messages beyond a limit are refused with the limit and the parameter that raises it."""

from dataclasses import fields, replace
import re
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy')

import rclpy   # noqa: E402, I100
from rclpy.serialization import serialize_message   # noqa: E402
from ros_graph import ROOT   # noqa: E402
from sensor_msgs.msg import JointState   # noqa: E402
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, String   # noqa: E402

from kane_dynamics import InputError   # noqa: E402
from kane_dynamics.nodes.common.arm import Arm   # noqa: E402
from kane_dynamics.nodes.common.description import Description, Source   # noqa: E402
from kane_dynamics.nodes.common.message_limits import TrajectoryLimits   # noqa: E402
from kane_dynamics.nodes.common.state_buffer import StateBuffer   # noqa: E402
from kane_dynamics.nodes.messages.conversions import (   # noqa: E402
    goal_from_message, trajectory_message)
from kane_dynamics.nodes.messages.trajectory_cdr import decode, encode   # noqa: E402
from kane_dynamics.nodes.simulator.command_reader import CommandReader   # noqa: E402

NAMES = ('a', 'b')
LIMITS = TrajectoryLimits(description=1000, joints=1, names=3, name_length=5, points=10)
TWO_LINK = ROOT / 'urdf' / 'two_link.urdf'
MANY, LONG = ['a', 'b', 'c', 'd'], ['a', 'b', 'x' * 6 + '\x1b[2J\n']


def state(names):
    return JointState(name=list(names), position=[0.0] * len(names), effort=[0.0] * len(names))


def labelled(names):
    message = Float64MultiArray(data=[0.0, 0.0])
    message.layout.dim = [MultiArrayDimension(label=','.join(names))]
    return message


def trajectory(names, count=2, irregular=False):
    message = trajectory_message(names, 1.0 + np.arange(count), np.zeros((count, len(names))))
    if irregular:       # read by rclpy
        message.points[-1].velocities = [0.0] * len(names)
    return serialize_message(message)


def read_state(names, limits):
    return StateBuffer(NAMES, limits).update(state(names), 1)


def read_commands(names, limits):
    return CommandReader(NAMES, np.arange(2), limits).from_array(labelled(names))


def read_effort(names, limits):
    return CommandReader(NAMES, np.arange(2), limits).from_joint_state(state(names))


def read_trajectory(names, limits):
    return decode(trajectory(names), 0, limits.check_trajectory)


@pytest.mark.parametrize('read', [read_state, read_commands, read_effort, read_trajectory])
def test_too_many_and_too_long_names_are_refused_and_pass_with_a_higher_limit(read):
    for names, words, higher in (
            (MANY, '4 joint names, more than the limit of 3; raise the parameter '
                   'message_limits.names', {'names': 4}),
            (LONG, 'has 11 characters, more than the limit of 5; raise the parameter '
                   'message_limits.name_length', {'name_length': 11})):
        with pytest.raises(InputError, match=re.escape(words)) as refusal:
            read(names, LIMITS)
        assert str(refusal.value).isprintable()
        try:
            read(names, replace(LIMITS, **higher))
        except InputError as error:     # a label with other joints has its own refusal
            assert 'limit' not in str(error)


@pytest.mark.parametrize('irregular', [False, True])
def test_too_many_points_are_refused_before_they_are_read(irregular, monkeypatch):
    data = trajectory(NAMES, 11, irregular)
    monkeypatch.setattr('kane_dynamics.nodes.messages.trajectory_cdr.deserialize_message',
                        lambda *_: pytest.fail('read'))
    with pytest.raises(InputError, match='11 points, more than the limit of 10; raise the '
                                         'parameter message_limits.points'):
        decode(data, 0, LIMITS.check_trajectory)
    monkeypatch.undo()
    goal = decode(data, 0, replace(LIMITS, points=11).check_trajectory)
    assert len(goal.times) == 11
    message = trajectory_message(NAMES, 1.0 + np.arange(11), np.zeros((11, 2)))
    assert len(goal_from_message(message).times) == 11


def test_a_count_that_the_bytes_cannot_hold_is_damage_and_no_size():
    data = bytearray(encode(NAMES, [1.0, 2.0], [np.zeros((2, 2)), None, None, None]))
    at = data.index(b'\x02\x00\x00\x00', 30)        # after the two names: the number of points
    data[at:at + 4] = b'\xff\xff\xff\x7f'
    with pytest.raises(InputError, match='are no JointTrajectory'):
        decode(bytes(data), 0, LIMITS.check_trajectory)


def test_a_large_description_is_refused_and_counted_and_a_smaller_one_is_taken():
    context = rclpy.Context()
    rclpy.init(context=context)
    try:
        settings = SimpleNamespace(robot_description='', robot_description_file='',
                                   message_limits=LIMITS)
        taken = []
        description = Description(rclpy.create_node('limits', context=context),
                                  lambda: settings, lambda: taken.append(description.source))
        text = TWO_LINK.read_text()
        description._received(String(data=text))
        assert description.last_refusal == (
            f'robot_description: {len(text.strip().encode())} bytes, more than the limit of '
            '1000; raise the parameter message_limits.description')
        assert (description.refused, taken) == (1, [])
        settings.message_limits = replace(LIMITS, description=100_000)
        description._received(String(data=text))
        assert taken == [Source(text.strip())]
    finally:
        rclpy.shutdown(context=context)


def test_an_arm_with_too_many_joints_is_refused():
    with pytest.raises(InputError, match='2 joints, more than the limit of 1; raise the '
                                         'parameter message_limits.joints'):
        Arm.load(Source(file=str(TWO_LINK)), '', LIMITS)
    assert Arm.load(Source(file=str(TWO_LINK)), '', replace(LIMITS, joints=2)).robot.n_joints == 2


def test_the_document_lists_every_limit_with_its_value():
    text = (ROOT / 'doc' / 'feedforward.md').read_text()
    table = text.partition('### Limits of messages')[2].partition('\n## ')[0]
    for field in fields(TrajectoryLimits):
        row = next(line for line in table.splitlines() if f'`message_limits.{field.name}`' in line)
        value = row.split('|')[2].replace(' ', '').replace('MB', '000000')
        assert value.startswith(str(field.default)), row
