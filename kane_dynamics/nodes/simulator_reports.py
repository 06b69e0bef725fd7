# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the simulator node says of itself on /diagnostics."""

from __future__ import annotations

from kane_dynamics.nodes.diagnostics import ERROR, Recently, report_loop, WARN
from kane_dynamics.nodes.pacers import ClockPacer, CommandPacer, WallPacer

DRIFT_WARNING = 0.01    # of the energy that was turned over


class SimulatorReports:
    """The parts of a Simulator's diagnostics."""

    def __init__(self, node):
        self._node, self._count = node, Recently().count
        for name, part in (('Loop', self._loop), ('Commands', self._commands), ('Arm', self._arm),
                           ('Model', self._model)):
            node.diagnostics.add(name, part)

    def _loop(self, report):
        node = self._node
        report.add('lifecycle state', node.state)
        pacer = node.pacer
        if pacer is None:
            return
        kinds = {WallPacer: 'wall clock', ClockPacer: '/clock', CommandPacer: 'lock-step'}
        report.add('time', kinds[type(pacer)])
        if pacer.origin is not None:
            report.add('simulated time [s]', pacer.stamp(node.k) * 1e-9)
        report.add('periods', node.k)
        if node.failed:
            report.say(ERROR, f'the simulation stands still: {node.failed}')
        elif node.paused:
            report.say(WARN, 'paused')
        if node.loop is not None:
            rate = node.parameters['update_rate'] * node.parameters['real_time_factor']
            report_loop(report, node.loop.statistics.summary(), rate)
        self._count(report, 'periods given up', pacer.slipped,
                    'the machine is too slow: simulated time fell behind')
        if isinstance(pacer, ClockPacer):
            self._count(report, 'clock jumps', pacer.jumps, 'the clock jumped')
        if isinstance(pacer, CommandPacer) and not node.paused:
            waiting_for = node.watch.waiting_for if pacer.begun else 'the first command'
            if waiting_for:
                report.say(WARN, f'waiting for {waiting_for}')

    def _commands(self, report):
        node = self._node
        simulation = node.simulation
        if simulation is None or node.pacer is None:
            return
        report.add('received', node.reader.received)
        self._count(report, 'refused', node.reader.refused, 'commands were refused')
        late = simulation.late + getattr(node.pacer, 'old', 0)
        self._count(report, 'late', late, 'commands came after their time')
        self._count(report, 'timeouts', simulation.timeouts, 'commands stayed away')
        self._count(report, 'cut to the effort limit', simulation.plant.saturated,
                    'commands were cut to the effort limit')
        report.add('driven by', 'commands' if simulation.driven
                   else f'no one: {node.parameters["without_commands"]}')

    def _arm(self, report):
        node = self._node
        if node.simulation is None:
            return
        plant = node.simulation.plant
        account, drift = plant.account, plant.energy_drift()
        turned = abs(account.work) + account.friction_loss + account.impact_loss
        relative = abs(drift) / max(turned, 1.0)
        report.add('energy drift [J]', drift)
        report.add('energy drift, relative', relative)
        report.add('work of torques and wrenches [J]', account.work)
        report.add('lost to friction [J]', account.friction_loss)
        report.add('lost at stops and brakes [J]', account.impact_loss)
        report.add('contacts', plant.contacts)
        report.add('substeps', plant.substeps)
        report.add('method', plant.method)
        node.elastic.report(report, self._count)
        if relative > DRIFT_WARNING:
            report.say(WARN, f'energy drift {drift:.3g} J of {turned:.3g} J: more substeps help')

    def _model(self, report):
        node = self._node
        self._count(report, 'descriptions refused', node.description.refused,
                    'a second robot_description was refused')
        if node.simulation is None:
            report.say(WARN, 'no arm is loaded' if node.description.source
                       else 'waiting for robot_description')
            return
        robot = node.simulation.plant.robot
        report.add('robot', robot.name)
        report.add('source', robot.source)
        report.add('joints', list(node.setup.joints))
        if node.check is not None:
            report.add('oracle', node.check.message)
            report.add('oracle error', node.check.error)
