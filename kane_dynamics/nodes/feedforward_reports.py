# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the feedforward node says of itself on /diagnostics."""

from __future__ import annotations

from kane_dynamics.nodes.diagnostics import ERROR, Recently, report_loop, WARN
from kane_dynamics.nodes.phases import Phase
from kane_dynamics.nodes.state_buffer import NEVER


class Reports:
    """The parts of a Feedforward node's diagnostics; events of the last seconds are warnings."""

    def __init__(self, node):
        self._node, self._count = node, Recently().count
        for name, part in (('Loop', self._loop), ('Joint states', self._joint_states),
                           ('Torque', self._torque), ('Trajectories', self._trajectories),
                           ('Deflection', self._deflection), ('Model', self._model)):
            node.diagnostics.add(name, part)

    def _loop(self, report):
        node = self._node
        report.add('lifecycle state', node.state)
        report.add('trigger', node.parameters['trigger'])
        if node.loop is not None:
            report_loop(report, node.statistics.summary(), node.parameters['update_rate'])

    def _joint_states(self, report):
        node = self._node
        if node.loop is None:
            return
        buffer, controller, now = node.buffer, node.controller, node.now()
        timeout = node.parameters['state_timeout']
        for field in ('position', 'velocity'):
            if buffer.oldest[field] != NEVER:
                report.add(f'{field} age [ms]', (now - buffer.oldest[field]) * 1e-6)
            missing = buffer.missing(field)
            stale = buffer.stale(field, now, timeout * 1e9)
            if missing:
                report.add(f'{field} never told of', missing)
            if stale:
                report.add(f'{field} stale', stale)
                text = (f'no {field} of joint {stale[0]!r} '
                        + ('yet' if stale[0] in missing else f'within {timeout} s'))
                if controller.needs_velocity or field == 'position':
                    report.say(ERROR if controller.needs_state else WARN, text)
        report.add('messages', buffer.received)
        report.add('out of order', buffer.disordered)
        self._count(report, 'values not finite', buffer.rejected, 'values were not finite')
        self._count(report, 'from the future', buffer.future, 'messages came from the future')
        self._count(report, 'refused', buffer.refused, 'messages made no sense: see the log')

    def _torque(self, report):
        controller = self._node.controller
        if controller is None:
            return
        report.add('mode', controller.mode)
        report.add('phase', controller.phase.name)
        if controller.phase in (Phase.FAULT, Phase.ZERO):
            reason = f' ({controller.fault.value}: {controller.fault_text})'
            report.say(ERROR, controller.phase.value + (reason if controller.fault else ''))
        elif controller.phase is not Phase.RUNNING:
            report.say(WARN, controller.phase.value)
        for fault, count in controller.faults.items():
            report.add(f'faults: {fault.value}', count)
        output = controller.output
        for text, counts in (('cut to the effort limit', output.saturated),
                             ('limited in rate', output.rate_limited)):
            self._count(report, f'cycles {text}', int(counts.max()),
                        f'torque of {output.joint_names[int(counts.argmax())]!r} was {text}')
        report.add('torques not finite', output.not_finite)
        topic, rivals = self._node.messages.rivals()
        if rivals > 0:
            report.say(WARN, f'{rivals} more publish on {topic}: whose torque acts is a matter of '
                             'chance')

    def _trajectories(self, report):
        controller = self._node.controller
        if controller is None:
            return
        goals = self._node.goals
        report.add('accepted', goals.accepted)
        self._count(report, 'refused', goals.refused, goals.last_refusal)
        self._count(report, 'given up', controller.given_up, controller.last_given_up[2])

    def _deflection(self, report):
        node = self._node
        if node.controller is None:
            return
        if node.elastic is None:
            report.add('elastic', 'rigid')
        else:
            node.elastic.report(report, self._count)

    def _model(self, report):
        node = self._node
        for name in ('robot_compensates_gravity', 'gravity', 'payload.mass'):
            report.add(name, node.parameters[name])
        self._count(report, 'descriptions refused', node.description.refused,
                    'a second robot_description was refused')
        if node.controller is None:
            report.say(WARN, 'no arm is loaded' if node.description.source
                       else 'waiting for robot_description')
            return
        report.add('robot', node.robot.name)
        report.add('source', node.robot.source)
        report.add('joints', list(node.settings.command_joints))
        if node.check is not None:
            report.add('oracle', node.check.message)
            report.add('oracle error', node.check.error)
