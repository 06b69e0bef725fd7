# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of the feedforward node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kane_dynamics.control.phase import Phase
from kane_dynamics.nodes.common.diagnostics import ERROR, Report, WARN
from kane_dynamics.nodes.common.reports import NodeReports, Part, report_loop
from kane_dynamics.nodes.common.state_buffer import NEVER

if TYPE_CHECKING:
    from kane_dynamics.nodes.feedforward.node import Feedforward

SLOW_STATES = 0.8   # fraction of update_rate below which the rate of joint_states is a warning


class FeedforwardReports(NodeReports):
    """The parts of a Feedforward node's diagnostics."""

    _node: Feedforward

    def parts(self) -> Mapping[str, Part]:
        """Return the parts of the node by name."""
        return {'Loop': self._loop, 'Joint states': self._joint_states, 'Torque': self._torque,
                'Trajectories': self._trajectories, 'Deflection': self._deflection}

    def _loop(self, report: Report) -> None:
        node = self._node
        report.add('lifecycle state', node.state)
        report.add('trigger', node.settings.trigger)
        if not node.active:
            return
        summary, rate = node.statistics.summary(), node.settings.update_rate
        report_loop(report, summary, rate)
        if (node.settings.trigger == 'joint_states' and not node.sim_time
                and 0.0 < summary.rate < SLOW_STATES * rate):
            report.say(WARN, f'joint_states come at {summary.rate:.4g} Hz; gains are checked for '
                             f'update_rate {rate:g} Hz')

    def _joint_states(self, report: Report) -> None:
        node, count = self._node, self._recently.count
        if not node.active:
            return
        buffer, controller, now = node.buffer, node.controller, node.now()
        timeout = node.settings.state_timeout
        for field in ('position', 'velocity'):
            if buffer.oldest[field] != NEVER:
                report.add(f'{field} age [ms]', (now - buffer.oldest[field]) * 1e-6)
            missing = buffer.missing(field)
            stale = buffer.stale(field, now, timeout * 1e9)
            if missing:
                report.add(f'{field} never received', missing)
            if stale:
                report.add(f'{field} stale', stale)
                text = (f'no {field} of joint {stale[0]!r} '
                        + ('yet' if stale[0] in missing else f'within {timeout} s'))
                if controller.needs_velocity or field == 'position':
                    report.say(ERROR if controller.needs_state else WARN, text)
        report.add('messages', buffer.received)
        report.add('out of order', buffer.disordered)
        count(report, 'from the future', buffer.future, 'messages were stamped in the future')
        self._unusable_states(report, buffer)

    def _torque(self, report: Report) -> None:
        if not self._node.configured:
            return
        controller = self._node.controller
        report.add('mode', controller.mode)
        report.add('phase', controller.phase.name)
        if controller.phase in (Phase.FAULT, Phase.ZERO):
            reason = '' if controller.fault is None else (
                f' ({controller.fault.value}: {controller.fault_text})')
            report.say(ERROR, controller.phase.value + reason)
        elif controller.phase is not Phase.RUNNING:
            report.say(WARN, controller.phase.value)
        for fault, count in controller.faults.items():
            report.add(f'faults: {fault.value}', count)
        output = controller.output
        for text, counts in (('cut to the effort limit', output.saturated),
                             ('limited in rate', output.rate_limited)):
            self._recently.count(
                report, f'cycles {text}', int(counts.max()),
                f'torque of {output.joint_names[int(counts.argmax())]!r} was {text}')
        report.add('torques not finite', output.not_finite)
        topic, rivals = self._node.messages.rivals()
        if rivals > 0:
            report.say(WARN, f'{rivals} other publishers on {topic}: which torque acts is '
                             'undefined')

    def _trajectories(self, report: Report) -> None:
        node, count = self._node, self._recently.count
        if not node.configured:
            return
        report.add('accepted', node.goals.accepted)
        count(report, 'refused', node.goals.refused, node.goals.last_refusal)
        count(report, 'given up', node.controller.given_up, node.controller.last_given_up[2])

    def _deflection(self, report: Report) -> None:
        node = self._node
        if not node.configured:
            return
        if node.elastic is None:
            report.add('elastic', 'rigid')
        else:
            node.elastic.report(report, self._recently)

    def model(self, report: Report) -> None:
        """Report gravity, payload and the arm."""
        settings = self._node.settings
        report.add('robot_compensates_gravity', settings.robot_compensates_gravity)
        report.add('gravity', settings.gravity)
        report.add('payload.mass', settings.payload.mass)
        super().model(report)
