# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Replay of a bag into running nodes on simulated time, with a recording of their answers.

If every message waits for an answer, no message is lost and the result does not depend on the
speed of the machine: nodes that only use stamps give the same bits in every replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
import heapq
from importlib import import_module
from itertools import chain
from pathlib import Path
import re
import threading
import time
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import clean, PATH, show, show_names
from kane_dynamics.nodes.common.delivery import wait_for_delivery
from kane_dynamics.nodes.messages.conversions import set_stamp
from kane_dynamics.recorded.bags.source import BagSource, Topic
from kane_dynamics.recorded.bags.writer import BagWriter

TYPE = re.compile(r'([a-z][a-z0-9_]*)/msg/([A-Z][A-Za-z0-9]*)')
DEEP = 10_000      # depth of the queues
RESEND = 0.5       # [s] without an answer after which a message is sent again
SETTLED = 1.0      # [s] after which nodes that found each other exchange messages


@dataclass
class Plan:
    """The topics and options of a replay.

    play: {topic in the bag: topic to publish on}; answer: the topic on which every message of the
    first played topic is answered, '' to play by the wall clock at `rate`; record: topics to
    record; clock: whether to publish /clock; patience: longest wait [s]; progress: called with the
    number of messages played.
    """

    play: dict[str, str]
    answer: str = ''
    record: Sequence[str] = ()
    rate: float = 1.0
    clock: bool = True
    patience: float = 30.0
    progress: Callable[[int], object] = field(default=lambda count: None)


@dataclass
class Outcome:
    """The numbers of messages played, repeated and recorded per topic; notes on the bag."""

    played: int = 0
    repeated: int = 0
    recorded: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def replay(bag: str | Path, output: str | Path, plan: Plan) -> Outcome:
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


def messages_in_time(source: BagSource,
                     topics: Sequence[str]) -> Iterator[tuple[int, str, bytes]]:
    """Yield (time [ns], topic, message) of several topics in the order of time."""
    def of_topic(name: str) -> Iterator[tuple[int, str, bytes]]:
        return ((stamp, name, data) for stamp, data in source.messages(name))
    return heapq.merge(*map(of_topic, topics), key=lambda each: each[0])


class _Player:
    def __init__(self, context: Any, source: BagSource, topics: Sequence[Topic],
                 plan: Plan) -> None:
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
        self._recorded: list[tuple[str, int, bytes]] = []    # topic, time [ns], message
        self._now = 0
        self.outcome = Outcome()

    def close(self) -> None:
        self._executor.shutdown()
        self._thread.join(5.0)
        self._node.destroy_node()

    def run(self, output: str | Path) -> Outcome:
        plan = self._plan
        self._thread.start()
        messages = messages_in_time(self._source, [topic.name for topic in self._topics])
        first = next(messages, None)
        if first is None:
            raise InputError(f'{self._source.path}: no messages to play')
        self._set_time(first[0])
        types = self._connect()
        with BagWriter(output) as writer:
            for topic, type_ in types.items():
                writer.add_topic(topic, type_)
                self.outcome.recorded[topic] = 0
            began = time.monotonic()
            drive = self._topics[0].name
            for stamp, name, data in chain([first], messages):
                if not plan.answer:
                    time.sleep(max(0.0, began + (stamp - first[0]) * 1e-9 / plan.rate
                                   - time.monotonic()))
                self._set_time(stamp)
                self._send(name, data, bool(plan.answer) and name == drive)
                self.outcome.played += 1
                plan.progress(self.outcome.played)
                self._write(writer)
            wait_for_delivery(self._node)
            time.sleep(SETTLED)      # for answers still in transit
            self._write(writer)
        self.outcome.notes = self._source.notes
        return self.outcome

    def _set_time(self, stamp: int) -> None:
        self._now = stamp
        if self._clock is not None:
            message = Clock()
            set_stamp(message.clock, stamp)
            self._clock.publish(message)

    def _connect(self) -> dict[str, str]:
        """Wait for the nodes that subscribe and answer; return {recorded topic: type}."""
        plan = self._plan
        wanted = list(dict.fromkeys([*plan.record, *([plan.answer] if plan.answer else [])]))
        began = time.monotonic()
        logged, until = False, began + plan.patience
        while True:
            self._set_time(self._now)
            known = dict(self._node.get_topic_names_and_types())
            absent = [name for name in wanted if name not in known
                      or not self._node.count_publishers(name)]
            deaf = [self._plan.play[name] for name, publisher in self._publishers.items()
                    if not publisher.get_subscription_count()]
            if not absent and not deaf:
                break
            lacking = '; '.join([f'{name} has no publisher' for name in absent]
                                + [f'{name} has no subscriber' for name in deaf])
            if time.monotonic() > until:
                raise InputError(f'after {plan.patience:g} s {lacking}; is the node running? '
                                 f'existing topics: {show_names(sorted(known), 400)}')
            if not logged and time.monotonic() > began + SETTLED:
                logged = True
                self._node.get_logger().info(f'{lacking}: waiting for {plan.patience:g} s')
            time.sleep(0.1)
        types = {}
        for name in wanted:
            types[name] = known[name][0]
            message_type = _message_type(known[name][0])
            stamped = 'header' in message_type.get_fields_and_field_types()
            self._node.create_subscription(
                message_type, name, self._listener(name, name in plan.record, stamped),
                QoSProfile(depth=DEEP), raw=True)
        until = time.monotonic() + SETTLED
        while time.monotonic() < until:
            self._set_time(self._now)
            time.sleep(0.05)
        with self._lock:
            self._recorded.clear()     # messages from before the replay
        return {name: types[name] for name in plan.record}

    def _listener(self, name: str, recorded: bool, stamped: bool) -> Callable[[bytes], None]:
        last = b''

        def listen(data: bytes) -> None:
            nonlocal last
            # A node that waits for an input repeats its last message, with the same stamp: such a
            # repetition depends on the wall clock, and is no answer to the message just played.
            if stamped and data == last:
                return
            last = bytes(data)
            with self._lock:
                if recorded:
                    self._recorded.append((name, self._now, last))
                if name == self._plan.answer:
                    self._answers += 1
            if name == self._plan.answer:
                self._arrived.set()
        return listen

    def _send(self, name: str, data: bytes, awaited: bool) -> None:
        before = self._answers
        self._arrived.clear()
        self._publishers[name].publish(data)
        until = time.monotonic() + self._plan.patience
        while awaited and self._answers == before:
            if not self._arrived.wait(RESEND):
                if time.monotonic() > until:
                    raise InputError(
                        f'message {self.outcome.played + 1} of {clean(name, PATH)} got no answer '
                        f'on {self._plan.answer} within {self._plan.patience:g} s')
                self._publishers[name].publish(data)    # best effort may lose messages
                self.outcome.repeated += 1
            self._arrived.clear()

    def _write(self, writer: BagWriter) -> None:
        with self._lock:
            waiting, self._recorded = self._recorded, []
        for topic, stamp, data in waiting:
            writer.write(topic, stamp, data)
            self.outcome.recorded[topic] += 1


def _message_type(text: str) -> Any:
    """Return the class of a message type with a well-formed name."""
    match = TYPE.fullmatch(text)
    if match is None:
        raise InputError(f'{show(text)} is no message type')
    package, name = match.groups()
    try:
        return getattr(import_module(f'{package}.msg'), name)
    except (ImportError, AttributeError):
        raise InputError(f'the message type {text} is not installed') from None
