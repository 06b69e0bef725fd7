# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of the simulator node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kane_dynamics.nodes.common.diagnostics import ERROR, Report, WARN
from kane_dynamics.nodes.common.reports import NodeReports, Part, report_loop
from kane_dynamics.nodes.simulator.pacers import ClockPacer, CommandPacer, WallPacer

if TYPE_CHECKING:
    from kane_dynamics.nodes.simulator.node import Simulator

TIMES = {WallPacer: 'wall clock', ClockPacer: '/clock', CommandPacer: 'lock-step'}
DRIFT_WARNING = 0.01    # fraction of the energy that was exchanged


class SimulatorReports(NodeReports):
    """The parts of a Simulator's diagnostics."""

    _node: Simulator

    def parts(self) -> Mapping[str, Part]:
        """Return the parts of the node by name."""
        return {'Loop': self._loop, 'Commands': self._commands, 'Arm': self._arm}

    def _loop(self, report: Report) -> None:
        node, count = self._node, self._recently.count
        report.add('lifecycle state', node.state)
        if not node.active:
            return
        pacer = node.pacer
        report.add('time', next(text for kind, text in TIMES.items() if isinstance(pacer, kind)))
        if pacer.started:
            report.add('simulated time [s]', pacer.stamp(node.k) * 1e-9)
        report.add('periods', node.k)
        if node.failed:
            report.say(ERROR, f'the simulation is stopped: {node.failed}')
        elif node.paused:
            report.say(WARN, 'paused')
        if node.loop is not None:
            rate = node.settings.update_rate * node.settings.real_time_factor
            report_loop(report, node.loop.statistics.summary(), rate)
        count(report, 'periods given up', pacer.slipped,
              'the machine is too slow: simulated time fell behind')
        if isinstance(pacer, ClockPacer):
            count(report, 'clock jumps', pacer.jumps, 'the clock jumped')
        if isinstance(pacer, CommandPacer) and node.watch is not None and not node.paused:
            waiting_for = node.watch.waiting_for if pacer.begun else 'the first command'
            if waiting_for:
                report.say(WARN, f'waiting for {waiting_for}')

    def _commands(self, report: Report) -> None:
        node, count = self._node, self._recently.count
        if not node.active:
            return
        simulation = node.simulation
        report.add('received', node.reader.received)
        count(report, 'refused', node.reader.refused, 'commands were refused')
        late = simulation.late + getattr(node.pacer, 'old', 0)
        count(report, 'late', late, 'commands arrived after their period')
        count(report, 'timeouts', simulation.timeouts, 'commands timed out')
        count(report, 'cut to the effort limit', simulation.plant.saturated,
              'commands were cut to the effort limit')
        report.add('driven by', 'commands' if simulation.driven
                   else f'no commands: {node.settings.without_commands}')

    def _arm(self, report: Report) -> None:
        node = self._node
        if not node.configured:
            return
        with node.lock:     # else the energy may be that of another period than the work
            self._report_arm(report)

    def _report_arm(self, report: Report) -> None:
        node, plant = self._node, self._node.simulation.plant
        account, drift = plant.account, plant.energy_drift()
        exchanged = abs(account.work) + account.friction_loss + account.impact_loss
        relative = abs(drift) / max(exchanged, 1.0)
        report.add('energy drift [J]', drift)
        report.add('energy drift, relative', relative)
        report.add('work of torques and wrenches [J]', account.work)
        report.add('lost to friction [J]', account.friction_loss)
        report.add('lost at stops and brakes [J]', account.impact_loss)
        report.add('contacts', plant.contacts)
        report.add('substeps', plant.substeps)
        report.add('method', plant.method)
        node.elastic.report(report, self._recently)
        if relative > DRIFT_WARNING:
            report.say(WARN, f'energy drift {drift:.3g} J of {exchanged:.3g} J: increase substeps')
