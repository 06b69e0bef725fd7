# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A bag played into running nodes on simulated time; what they answer is recorded.

With an answer awaited for every message, nothing is lost and nothing depends on the speed of the
machine: nodes that go by stamps give the same bits in every replay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
import heapq
from importlib import import_module
import re
import threading
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock

from kane_dynamics.bags.source import BagSource
from kane_dynamics.bags.writer import BagWriter
from kane_dynamics.exceptions import InputError
from kane_dynamics.nodes.conversions import set_stamp

TYPE = re.compile(r'([a-z][a-z0-9_]*)/msg/([A-Z][A-Za-z0-9]*)')
DEEP = 10_000      # messages that may wait
AGAIN = 0.5        # [s] without an answer after which a message is sent again
SETTLED = 1.0      # [s] after which nodes that know each other exchange messages both ways


@dataclass
class Plan:
    """What to replay and how.

    play: {topic in the bag: topic to publish on}, the first one drives; answer: the topic on
    which every message of the driving one is answered, '' to go by the wall clock at `rate`;
    record: topics to record; clock: whether /clock is published; patience [s].
    """

    play: dict
    answer: str = ''
    record: tuple = ()
    rate: float = 1.0
    clock: bool = True
    patience: float = 30.0
    progress: object = field(default=lambda count: None)


@dataclass
class Outcome:
    """How many messages were played, sent again, and recorded per topic."""

    played: int = 0
    repeated: int = 0
    recorded: dict = field(default_factory=dict)


def replay(bag, output, plan):
    """Play a bag into the running nodes and write their answers; return the Outcome."""
    source = BagSource(bag)
    topics = [source.topic(name) for name in plan.play]
    context = rclpy.Context()
    rclpy.init(context=context)
    try:
        player = _Player(context, source, topics, plan)
        try:
            return player.run(output)
        finally:
            player.close()
    finally:
        rclpy.shutdown(context=context)


class _Player:
    def __init__(self, context, source, topics, plan):
        self._source, self._topics, self._plan = source, topics, plan
        self._node = rclpy.create_node('kane_replay', context=context)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._clock = self._node.create_publisher(Clock, '/clock', 10) if plan.clock else None
        self._publishers = {
            topic.name: self._node.create_publisher(
                _message_type(topic.type), plan.play[topic.name], QoSProfile(depth=DEEP))
            for topic in topics}
        self._answers = 0
        self._arrived = threading.Event()
        self._lock = threading.Lock()
        self._recorded = []         # (topic, time [ns], bytes)
        self._now = 0
        self.outcome = Outcome()

    def close(self):
        self._executor.shutdown()
        self._thread.join(5.0)
        self._node.destroy_node()

    def run(self, output):
        plan = self._plan
        self._thread.start()
        streams = [((time_, name, data) for time_, data in self._source.messages(name))
                   for name in (topic.name for topic in self._topics)]
        messages = heapq.merge(*streams, key=lambda each: each[0])
        first = next(messages, None)
        if first is None:
            raise InputError(f'{self._source.path}: nothing to play')
        self._tell(first[0])
        types = self._meet()
        with BagWriter(output) as writer:
            for topic, type_ in types.items():
                writer.add_topic(topic, type_)
                self.outcome.recorded[topic] = 0
            began = time.monotonic()
            drive = self._topics[0].name
            message = first
            while message is not None:
                stamp, name, data = message
                if not plan.answer:
                    time.sleep(max(0.0, began + (stamp - first[0]) * 1e-9 / plan.rate
                                   - time.monotonic()))
                self._tell(stamp)
                self._send(name, data, plan.answer and name == drive)
                self.outcome.played += 1
                plan.progress(self.outcome.played)
                self._write(writer)
                message = next(messages, None)
            time.sleep(SETTLED)      # what is still on its way
            self._write(writer)
        return self.outcome

    def _tell(self, stamp):
        self._now = stamp
        if self._clock is not None:
            message = Clock()
            set_stamp(message.clock, stamp)
            self._clock.publish(message)

    def _meet(self):
        """Wait for the nodes that listen and answer; return {recorded topic: type}."""
        plan = self._plan
        wanted = list(dict.fromkeys([*plan.record, *([plan.answer] if plan.answer else [])]))
        began = time.monotonic()
        told, until = False, began + plan.patience
        while True:
            self._tell(self._now)
            known = dict(self._node.get_topic_names_and_types())
            absent = [name for name in wanted if name not in known
                      or not self._node.count_publishers(name)]
            deaf = [self._plan.play[name] for name, publisher in self._publishers.items()
                    if not publisher.get_subscription_count()]
            if not absent and not deaf:
                break
            lacking = '; '.join([f'nobody publishes {name}' for name in absent]
                                + [f'nobody listens to {name}' for name in deaf])
            if time.monotonic() > until:
                raise InputError(f'within {plan.patience:g} s {lacking}; is the node running? '
                                 f'topics there are: {sorted(known)}')
            if not told and time.monotonic() > began + SETTLED:
                told = True
                self._node.get_logger().info(f'{lacking}: waiting for {plan.patience:g} s')
            time.sleep(0.1)
        types = {}
        for name in wanted:
            types[name] = known[name][0]
            self._node.create_subscription(
                _message_type(known[name][0]), name, self._listener(name, name in plan.record),
                QoSProfile(depth=DEEP), raw=True)
        until = time.monotonic() + SETTLED
        while time.monotonic() < until:
            self._tell(self._now)
            time.sleep(0.05)
        with self._lock:
            self._recorded.clear()     # what was said before the first message
        return {name: types[name] for name in plan.record}

    def _listener(self, name, recorded):
        def listen(data):
            with self._lock:
                if recorded:
                    self._recorded.append((name, self._now, bytes(data)))
                if name == self._plan.answer:
                    self._answers += 1
            if name == self._plan.answer:
                self._arrived.set()
        return listen

    def _send(self, name, data, awaited):
        before = self._answers
        self._arrived.clear()
        self._publishers[name].publish(data)
        until = time.monotonic() + self._plan.patience
        while awaited and self._answers == before:
            if not self._arrived.wait(AGAIN):
                if time.monotonic() > until:
                    raise InputError(
                        f'message {self.outcome.played + 1} of {name} got no answer on '
                        f'{self._plan.answer} within {self._plan.patience:g} s')
                self._publishers[name].publish(data)    # best effort may lose one
                self.outcome.repeated += 1
            self._arrived.clear()

    def _write(self, writer):
        with self._lock:
            waiting, self._recorded = self._recorded, []
        for topic, stamp, data in waiting:
            writer.write(topic, stamp, data)
            self.outcome.recorded[topic] += 1


def _message_type(text):
    """Return the class of a message type; only well-formed names of message packages."""
    match = TYPE.fullmatch(text)
    if match is None:
        raise InputError(f'{text!r} is no message type')
    package, name = match.groups()
    try:
        return getattr(import_module(f'{package}.msg'), name)
    except (ImportError, AttributeError):
        raise InputError(f'the message type {text} is not installed') from None
