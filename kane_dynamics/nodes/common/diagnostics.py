# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of a node on /diagnostics, named as in REP-107 and diagnostic_updater."""

from __future__ import annotations

from collections.abc import Callable, Hashable
import math
import time
import traceback

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from kane_dynamics.io.text import clean

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


class Report:
    """The status of one part of a node: the worst level counts, messages are joined."""

    def __init__(self, part: str = '') -> None:
        self.part, self.level = part, OK
        self.messages: list[str] = []
        self.values: list[KeyValue] = []

    def say(self, level: bytes, message: object) -> None:
        """Raise the level to at least `level` and add a message."""
        self.level = max(self.level, level)
        self.messages.append(clean(message))

    def add(self, key: str, value: object) -> None:
        """Add a value; floats are rounded to six digits."""
        self.values.append(KeyValue(
            key=key, value=f'{value:.6g}' if isinstance(value, float) else clean(value)))

    def status(self, name: str, hardware_id: str) -> DiagnosticStatus:
        """Return the DiagnosticStatus."""
        return DiagnosticStatus(
            level=self.level, name=name, hardware_id=hardware_id,
            message='; '.join(self.messages) or 'OK', values=self.values)


class Recently:
    """Counts that grew within the last seconds: only recent events are warnings."""

    def __init__(self, seconds: float = 10.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._counts: dict[Hashable, int] = {}
        self._grew: dict[Hashable, float] = {}

    def grew(self, key: Hashable, count: int) -> bool:
        """Return whether a count, initially 0, grew recently."""
        if count != self._counts.get(key, 0):
            self._grew[key] = self._clock()
        self._counts[key] = count
        return self._clock() - self._grew.get(key, -math.inf) < self._seconds

    def count(self, report: Report, key: str, count: int, warning: str,
              level: bytes = WARN) -> None:
        """Add a count to a Report; warn if it grew recently.

        Each part has its own counts: two parts may use the same key.
        """
        report.add(key, count)
        if self.grew((report.part, key), count):
            report.say(level, warning)


class Diagnostics:
    """Publisher of the reports of a node's parts, every period [s] of wall time.

    Each part is a function that fills a `Report`. Its status is named '<node>: <part>', with the
    node's namespace so that the names of two arms differ.
    """

    def __init__(self, node: Node, period: float = 1.0) -> None:
        self.hardware_id = ''
        self._node = node
        self._parts: dict[str, Callable[[Report], object]] = {}
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self._timer = node.create_timer(period, self.publish,
                                        clock=Clock(clock_type=ClockType.STEADY_TIME))

    def add(self, name: str, part: Callable[[Report], object]) -> None:
        """Add a part by name and the function that fills its Report."""
        self._parts[name] = part

    def publish(self) -> None:
        """Publish now."""
        array = DiagnosticArray()
        array.header.stamp = self._node.get_clock().now().to_msg()
        node_name = self._node.get_fully_qualified_name().lstrip('/')
        for name, part in self._parts.items():
            report = Report(name)
            try:
                part(report)
            except Exception as error:  # a report must not take the node down
                report.say(ERROR, 'report failed: ' + traceback.format_exception_only(error)[-1])
            array.status.append(report.status(f'{node_name}: {name}', self.hardware_id))
        self._publisher.publish(array)
