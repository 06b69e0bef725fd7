# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the monitor node says of itself on /diagnostics."""

from __future__ import annotations

import time

from kane_dynamics.motion.arm_monitor import FIGURES
from kane_dynamics.nodes.diagnostics import ERROR, Recently, WARN
from kane_dynamics.nodes.state_buffer import FIELDS

ILL = 1e3       # condition number of a Jacobian beyond which its wrench means little
SILENT = 1.0    # [s] of wall time without a complete state that is an error


class MonitorReports:
    """The parts of a Monitor node's diagnostics; events of the last seconds are warnings."""

    def __init__(self, node):
        self._node, self._count = node, Recently().count
        for name, part in (('Joint states', self._joint_states), ('Contact', self._contact),
                           ('Energy', self._energy)):
            node.diagnostics.add(name, part)

    def _joint_states(self, report):
        node = self._node
        report.add('lifecycle state', node.state)
        if node.monitor is None or not node.active:
            report.say(WARN, 'no arm is watched')
            return
        buffer, monitor = node.buffer, node.monitor
        report.add('messages', buffer.received)
        report.add('steps', monitor.steps)
        for field in FIELDS:
            missing = buffer.missing(field)
            if missing:
                report.say(ERROR, f'joint_states tell no {field} of {missing}')
        self._count(report, 'values not finite', buffer.rejected, 'values were not finite')
        self._count(report, 'refused', buffer.refused, 'messages made no sense: see the log')
        self._count(report, 'begun anew', monitor.resets,
                    'stamps went back or had a gap: observation began anew')
        self._count(report, 'states beyond reason', monitor.absurd,
                    'a state made the observer overflow: observation began anew')
        silence = time.monotonic() - node.last_step
        if silence > SILENT:
            report.say(ERROR, f'no complete joint state for {silence:.1f} s: nothing is watched')

    def _contact(self, report):
        monitor = self._node.monitor
        if monitor is None:
            return
        names = self._node.robot.joint_names
        report.add('contact', bool(monitor.contact))
        report.add('contacts', monitor.detector.contacts)
        if monitor.contact:
            report.say(WARN, f'contact, told by joint {names[monitor.detector.joint]!r}')
        for name, residual, excess in zip(names, monitor.largest_residual,
                                          monitor.largest_excess):
            report.add(f'{name}: largest residual', float(residual))
            report.add(f'{name}: largest sudden change without contact', float(excess))
        if monitor.condition > ILL:
            report.say(WARN, f'near a singular pose (condition {monitor.condition:.3g}): '
                             'parts of the wrench cannot be told')

    def _energy(self, report):
        monitor = self._node.monitor
        if monitor is None:
            return
        for name, value in zip(FIGURES, monitor.figures):
            report.add(name.replace('_', ' ') + (' [J]' if 'energy' in name else ' [W]'),
                       float(value))
