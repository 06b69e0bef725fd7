# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of the monitor node."""

from __future__ import annotations

from collections.abc import Mapping
import time
from typing import TYPE_CHECKING

from kane_dynamics.control.monitor.arm_monitor import QUANTITIES
from kane_dynamics.nodes.common.diagnostics import ERROR, Report, WARN
from kane_dynamics.nodes.common.reports import NodeReports, Part
from kane_dynamics.nodes.common.state_buffer import FIELDS

if TYPE_CHECKING:
    from kane_dynamics.nodes.monitor.node import Monitor

ILL = 1e3       # condition number of a Jacobian beyond which the wrench is a warning
SILENT = 1.0    # [s] of wall time without a complete state that is an error


class MonitorReports(NodeReports):
    """The parts of a Monitor's diagnostics."""

    _node: Monitor

    def parts(self) -> Mapping[str, Part]:
        """Return the parts of the node by name."""
        return {'Joint states': self._joint_states, 'Contact': self._contact,
                'Energy': self._energy}

    def _joint_states(self, report: Report) -> None:
        node, count = self._node, self._recently.count
        report.add('lifecycle state', node.state)
        if not node.active:
            report.say(WARN, 'not active: no arm is monitored')
            return
        buffer, monitor = node.buffer, node.monitor
        report.add('messages', buffer.received)
        report.add('steps', monitor.steps)
        for field in FIELDS:
            missing = buffer.missing(field)
            if missing:
                report.say(ERROR, f'joint_states have no {field} of {missing}')
        self._unusable_states(report, buffer)
        count(report, 'resets', monitor.resets,
              'stamps went back or had a gap: the observer was reset')
        count(report, 'overflows', monitor.absurd,
              'a state made the observer overflow: the observer was reset')
        silence = time.monotonic() - node.last_step
        if silence > SILENT:
            report.say(ERROR, f'no complete joint state for {silence:.1f} s: no monitoring')

    def _contact(self, report: Report) -> None:
        if not self._node.configured:
            return
        monitor, names = self._node.monitor, self._node.robot.joint_names
        report.add('contact', bool(monitor.contact))
        report.add('contacts', monitor.detector.contacts)
        if monitor.contact:
            report.say(WARN, f'contact, detected at joint {names[monitor.detector.joint]!r}')
        for name, residual, excess in zip(names, monitor.largest_residual,
                                          monitor.largest_excess):
            report.add(f'{name}: largest residual', float(residual))
            report.add(f'{name}: largest sudden change without contact', float(excess))
        if monitor.condition > ILL:
            report.say(WARN, f'near a singular configuration (condition {monitor.condition:.3g}): '
                             'parts of the wrench cannot be estimated')

    def _energy(self, report: Report) -> None:
        if not self._node.configured:
            return
        monitor = self._node.monitor
        for name, value in zip(QUANTITIES, monitor.quantities):
            report.add(name.replace('_', ' ') + (' [J]' if 'energy' in name else ' [W]'),
                       float(value))
