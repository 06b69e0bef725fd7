# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""/diagnostics once a second, named as REP-107 and diagnostic_updater do."""

from __future__ import annotations

import math
import time
import traceback

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


class Report:
    """What one part of a node says of itself: the worst level wins, messages add up."""

    def __init__(self):
        self.level, self.messages, self.values = OK, [], []

    def say(self, level, message):
        """Raise the level and add to the message."""
        self.level = max(self.level, level)
        self.messages.append(message)

    def add(self, key, value):
        """Add a figure; floats are shortened to six digits."""
        self.values.append(KeyValue(
            key=key, value=f'{value:.6g}' if isinstance(value, float) else str(value)))

    def status(self, name, hardware_id):
        """Return the DiagnosticStatus."""
        return DiagnosticStatus(
            level=self.level, name=name, hardware_id=hardware_id,
            message='; '.join(self.messages) or 'OK', values=self.values)


class Recently:
    """Tell which counts grew within the last seconds: what is long past is no warning."""

    def __init__(self, seconds=10.0, clock=time.monotonic):
        self._seconds, self._clock = seconds, clock
        self._counts, self._grew = {}, {}

    def grew(self, key, count):
        """Return whether a count, which starts at 0, grew lately."""
        if count != self._counts.get(key, 0):
            self._grew[key] = self._clock()
        self._counts[key] = count
        return self._clock() - self._grew.get(key, -math.inf) < self._seconds

    def count(self, report, key, count, warning):
        """Add a count to a Report; warn where it grew lately."""
        report.add(key, count)
        if self.grew(key, count):
            report.say(WARN, warning)


class Diagnostics:
    """Publish the reports of a node's parts, also while ROS time stands.

    The period [s] is of wall time.

    Each part is a function that is given a `Report` to fill. Its status is called
    '<node>: <part>', the node with its namespace so that two arms do not share a name.
    """

    def __init__(self, node, period=1.0):
        self.hardware_id = ''
        self._node = node
        self._parts = {}
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self._timer = node.create_timer(period, self.publish,
                                        clock=Clock(clock_type=ClockType.STEADY_TIME))

    def add(self, name, part):
        """Add a part: its name and the function that fills its Report."""
        self._parts[name] = part

    def publish(self):
        """Publish now."""
        array = DiagnosticArray()
        array.header.stamp = self._node.get_clock().now().to_msg()
        node_name = self._node.get_fully_qualified_name().lstrip('/')
        for name, part in self._parts.items():
            report = Report()
            try:
                part(report)
            except Exception as error:  # a report must not take the node down
                report.say(ERROR, 'report failed: ' + traceback.format_exception_only(error)[-1])
            array.status.append(report.status(f'{node_name}: {name}', self.hardware_id))
        self._publisher.publish(array)


def report_loop(report, summary, rate, warn_kept=0.95):
    """Fill a report with a LoopSummary; the level is WARN where too few cycles are kept."""
    report.add('update rate [Hz]', float(rate))
    report.add('measured rate [Hz]', summary.rate)
    report.add('cycles', summary.cycles)
    report.add('missed cycles', summary.missed)
    report.add('cycles kept [%]', 100.0 * summary.kept)
    for key, value in (('period error median', summary.period_error_median),
                       ('period error p99', summary.period_error_p99),
                       ('period error max', summary.period_error_max),
                       ('compute time median', summary.compute_median),
                       ('compute time p99', summary.compute_p99),
                       ('compute time max', summary.compute_max)):
        report.add(f'{key} [ms]', 1e3 * value)
    if summary.cycles and summary.kept < warn_kept:
        report.say(WARN, f'{summary.missed} of {summary.cycles + summary.missed} cycles missed')
