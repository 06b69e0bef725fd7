# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the feedforward node says of itself on /diagnostics."""

from __future__ import annotations

from kane_dynamics.nodes.diagnostics import ERROR, report_loop, WARN
from kane_dynamics.nodes.phases import Phase
from kane_dynamics.nodes.state_buffer import NEVER


def add_reports(node):
    """Add the parts of a Feedforward node to its diagnostics."""
    node.diagnostics.add('Loop', lambda report: _loop(node, report))
    node.diagnostics.add('Joint states', lambda report: _joint_states(node, report))
    node.diagnostics.add('Torque', lambda report: _torque(node, report))
    node.diagnostics.add('Trajectories', lambda report: _trajectories(node, report))
    node.diagnostics.add('Model', lambda report: _model(node, report))


def _loop(node, report):
    report.add('lifecycle state', node.state)
    report.add('trigger', node.parameters['trigger'])
    if node.loop is not None:
        report_loop(report, node.statistics.summary(), node.parameters['update_rate'])


def _joint_states(node, report):
    if node.loop is None:
        return
    buffer, now = node.buffer, node.now()
    needed = node.controller.needs_state
    timeout = node.parameters['state_timeout'] * 1e9
    for field in ('position', 'velocity'):
        if buffer.oldest[field] != NEVER:
            report.add(f'{field} age [ms]', (now - buffer.oldest[field]) * 1e-6)
        missing, stale = buffer.missing(field), buffer.stale(field, now, timeout)
        if missing:
            report.add(f'{field} never told of', missing)
        if stale:
            report.add(f'{field} stale', stale)
            if needed and (field == 'position' or node.controller.needs_velocity):
                report.say(ERROR, f'no {field} of joint {stale[0]!r}'
                           + (' yet' if stale[0] in missing else f' within '
                              f'{node.parameters["state_timeout"]} s'))
            elif field == 'position':
                report.say(WARN, f'no fresh position of joint {stale[0]!r}')
    for key, count in (('values not finite', buffer.rejected), ('out of order', buffer.disordered),
                       ('from the future', buffer.future)):
        report.add(key, count)
    report.add('messages', buffer.received)
    if buffer.rejected:
        report.say(WARN, f'{buffer.rejected} values were not finite')
    if buffer.future:
        report.say(WARN, f'{buffer.future} messages were stamped in the future')


def _torque(node, report):
    if node.controller is None:
        return
    controller = node.controller
    report.add('mode', controller.mode)
    report.add('phase', controller.phase.name)
    if controller.phase in (Phase.FAULT, Phase.ZERO):
        report.say(ERROR, f'{controller.phase.value}; {controller.fault.value}: '
                          f'{controller.fault_text}' if controller.fault
                   else controller.phase.value)
    elif controller.phase is not Phase.RUNNING:
        report.say(WARN, controller.phase.value)
    for fault, count in controller.faults.items():
        report.add(f'faults: {fault.value}', count)
    output = controller.output
    for text, counts in (('cut to the effort limit', output.saturated),
                         ('limited in rate', output.rate_limited)):
        report.add(f'cycles {text}', int(counts.max()))
        if counts.any():
            worst = int(counts.argmax())
            report.say(WARN, f'torque of {output.joint_names[worst]!r} {text} in '
                             f'{int(counts[worst])} cycles')
    report.add('torques not finite', output.not_finite)


def _trajectories(node, report):
    if node.controller is None:
        return
    goals, controller = node.goals, node.controller
    report.add('accepted', goals.accepted)
    report.add('refused', goals.refused)
    report.add('left behind', controller.path_violations)
    if goals.last_refusal:
        report.add('last refusal', goals.last_refusal)
        report.say(WARN, goals.last_refusal)
    if controller.path_violation:
        report.say(WARN, controller.path_violation)


def _model(node, report):
    report.add('robot_compensates_gravity', node.parameters['robot_compensates_gravity'])
    report.add('gravity [m/s^2]', list(node.parameters['gravity']))
    report.add('payload [kg]', node.parameters['payload.mass'])
    report.add('descriptions refused', node.description.refused)
    if node.description.refused:
        report.say(WARN, 'a second robot_description was refused')
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
