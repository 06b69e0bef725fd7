# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A subscription served by a thread of its own, beside an executor; real rclpy, real DDS."""

import contextlib
import threading
import time
from types import SimpleNamespace

import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from builtin_interfaces.msg import Time  # noqa: E402, I100
from rclpy.parameter import Parameter  # noqa: E402
from ros_graph import wait  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from std_msgs.msg import Int64  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from kane_dynamics.exceptions import InputError  # noqa: E402
from kane_dynamics.nodes.common.polled_subscription import (  # noqa: E402
    Listener, MOST, Polled, take_waiting)
from kane_dynamics.nodes.common.process import SteadyExecutor  # noqa: E402

pytestmark = pytest.mark.ros
COUNT = 200


class Counted(Polled):
    """A Polled group that counts how often the executor asks for it: at every wake."""

    asked = 0

    def can_execute(self, entity):
        """Return what Polled does."""
        self.asked += 1
        return super().can_execute(entity)


@pytest.fixture
def spinning():
    """Yield a node that an executor spins in a thread, also after an error of a callback."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('listener_test', context=context)
    executor = SteadyExecutor(context=context)
    executor.add_node(node)
    node.errors, ended = [], threading.Event()

    def spin():
        while not ended.is_set():
            try:
                executor.spin()
            except InputError as error:
                node.errors.append(error)
    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    yield node
    ended.set()
    executor.shutdown()
    thread.join(5.0)
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_every_message_comes_in_order_while_the_executor_sleeps(spinning):
    group, heard = Counted(), []
    subscription = spinning.create_subscription(
        Int64, 'numbers', lambda message: heard.append((message.data, threading.get_ident())),
        2 * COUNT, callback_group=group)
    publisher = spinning.create_publisher(Int64, 'numbers', 2 * COUNT)
    listener = Listener(spinning, subscription)
    listener.start()
    wait(publisher.get_subscription_count, 'the subscription')
    asked = group.asked
    for k in range(COUNT):
        publisher.publish(Int64(data=k))
        time.sleep(1e-3)
    wait(lambda: len(heard) == COUNT, 'the messages')
    assert [number for number, _ in heard] == list(range(COUNT))
    assert len({thread for _, thread in heard}) == 1
    # a handful for what else the node has (parameter events, the subscription itself)
    assert group.asked - asked < COUNT / 10
    listener.stop()


def test_the_executor_takes_over_when_a_listener_stops(spinning):
    heard = []
    subscription = spinning.create_subscription(
        Int64, 'numbers', lambda message: heard.append(threading.current_thread().name), 10,
        callback_group=Polled())
    publisher = spinning.create_publisher(Int64, 'numbers', 10)
    listener = Listener(spinning, subscription)
    for round_number in (1, 2):
        listener.start()
        wait(publisher.get_subscription_count, 'the subscription')
        publisher.publish(Int64())
        wait(lambda: len(heard) == 2 * round_number - 1, 'the messages')
        listener.stop()
        publisher.publish(Int64())
        wait(lambda: len(heard) == 2 * round_number, 'the messages')
    assert [name == 'listener' for name in heard] == [True, False, True, False]


def test_a_callback_that_fails_is_logged_and_the_next_message_is_served(spinning):
    heard = []

    def callback(message):
        heard.append(message.data)
        if message.data == 0:
            raise ValueError('nothing')

    subscription = spinning.create_subscription(Int64, 'numbers', callback, 10,
                                                callback_group=Polled())
    publisher = spinning.create_publisher(Int64, 'numbers', 10)
    listener = Listener(spinning, subscription)
    listener.start()
    wait(publisher.get_subscription_count, 'the subscription')
    for k in range(3):
        publisher.publish(Int64(data=k))
    wait(lambda: len(heard) == 3, 'the messages')
    assert heard == [0, 1, 2]
    listener.stop()


def test_a_message_that_cannot_be_taken_does_not_deafen_the_node(spinning, monkeypatch):
    # rclpy leaves the callback group occupied: no service is answered, no message served
    heard, lost = [], []
    subscription = spinning.create_subscription(
        Int64, 'numbers', lambda message: heard.append(message.data), 10)
    service = spinning.create_service(Trigger, 'ask', lambda request, response: response)
    client = spinning.create_client(Trigger, service.srv_name)
    publisher = spinning.create_publisher(Int64, 'numbers', 10)
    wait(publisher.get_subscription_count, 'the subscription')
    take = SteadyExecutor._take_subscription

    def take_or_fail(self, entity):
        taken = take(self, entity)
        if entity is subscription and not lost:
            lost.append(taken)
            raise RuntimeError('Could not allocate bytes object!')
        return taken
    monkeypatch.setattr(SteadyExecutor, '_take_subscription', take_or_fail)
    publisher.publish(Int64(data=1))
    wait(lambda: spinning.errors, 'the error')
    assert '/numbers: a message could not be taken: RuntimeError: Could not allocate' in str(
        spinning.errors[0])
    publisher.publish(Int64(data=2))
    wait(lambda: heard, 'the next message')
    assert heard == [2]
    answer = client.call_async(Trigger.Request())
    wait(answer.done, 'the answer of a service')


def test_a_time_before_the_epoch_is_refused_and_the_next_one_counts(spinning):
    spinning.set_parameters([Parameter('use_sim_time', value=True)])
    publisher = spinning.create_publisher(Clock, '/clock', 10)
    wait(publisher.get_subscription_count, 'the subscription')
    for sec in (5, -5, 7):
        publisher.publish(Clock(clock=Time(sec=sec)))
        wait(lambda: spinning.errors if sec < 0
             else spinning.get_clock().now().nanoseconds == sec * 10**9, f'time {sec}')
    assert str(spinning.errors[0]) == (
        '/clock: time refused: Seconds value must not be negative')


def test_polling_goes_on_after_a_message_that_cannot_be_taken():
    messages = iter([(1, None), MemoryError('no room'), (2, None), None])

    class Handle(contextlib.nullcontext):
        """A subscription in C++, of which a message is lost."""

        @staticmethod
        def take_message(kind, raw):
            """Return the next message."""
            message = next(messages)
            if isinstance(message, Exception):
                raise message
            return message
    subscription = SimpleNamespace(handle=Handle(), msg_type=Int64, raw=False, topic_name='/n')
    heard = []
    with pytest.raises(InputError, match='/n: a message could not be taken: MemoryError: no room'):
        heard.extend(take_waiting(subscription))
    assert list(take_waiting(subscription)) == [2]


def test_messages_that_arrive_as_fast_as_they_are_served_do_not_hold_the_caller():
    class Flood(contextlib.nullcontext):
        """A subscription in C++ that always has another message."""

        @staticmethod
        def take_message(kind, raw):
            """Return a message."""
            return 'more', None
    subscription = SimpleNamespace(handle=Flood(), msg_type=Int64, raw=False, topic_name='/n')
    assert list(take_waiting(subscription)) == ['more'] * MOST
