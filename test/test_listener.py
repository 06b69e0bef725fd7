# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A subscription served by a thread of its own, beside an executor; real rclpy, real DDS."""

import threading
import time

import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from ros_graph import wait  # noqa: E402
from std_msgs.msg import Int64  # noqa: E402

from kane_dynamics.nodes.polled import Listener, Polled  # noqa: E402

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
    """Yield a node that an executor spins in a thread."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('listener_test', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    yield node
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
