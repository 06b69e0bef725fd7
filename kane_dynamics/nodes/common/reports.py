# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Reports of a node: the parts of its diagnostics, with those that all nodes have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TYPE_CHECKING, TypeAlias

from kane_dynamics.nodes.common.diagnostics import ERROR, Recently, Report, WARN
from kane_dynamics.nodes.common.loop_statistics import LoopSummary

if TYPE_CHECKING:
    from kane_dynamics.nodes.common.managed_node import ManagedNode
    from kane_dynamics.nodes.common.state_buffer import StateBuffer

Part: TypeAlias = Callable[[Report], object]
WARN_KEPT = 0.95    # fraction of the cycles of a loop below which the missed ones are a warning


class NodeReports:
    """The parts of a node's diagnostics; recent events are warnings.

    Subclasses list their own in `parts`; 'Model' is that of every node.
    """

    _node: ManagedNode[Any]

    def __init__(self, node: ManagedNode[Any]) -> None:
        self._node, self._recently = node, Recently()
        for name, part in {**self.parts(), 'Model': self.model}.items():
            node.diagnostics.add(name, part)

    def parts(self) -> Mapping[str, Part]:
        """Return the parts of the node by name."""
        return {}

    def model(self, report: Report) -> None:
        """Report the arm and its comparison with Pinocchio; warn while no arm is loaded."""
        node = self._node
        self._recently.count(report, 'descriptions refused', node.description.refused,
                             node.description.last_refusal)
        if not node.configured:
            report.say(WARN, 'no arm is loaded' if node.description.source
                       else 'waiting for robot_description')
            return
        report.add('robot', node.robot.name)
        report.add('source', node.robot.source)
        report.add('joints', list(node.joints))
        if node.check is not None:
            report.add('oracle', node.check.message)
            report.add('oracle error', node.check.error)

    def _unusable_states(self, report: Report, buffer: StateBuffer) -> None:
        """Count the joint_states that could not be used."""
        count = self._recently.count
        count(report, 'values not finite', buffer.rejected, 'values were not finite')
        count(report, 'refused', buffer.refused, 'messages were malformed: see the log')
        count(report, 'failed', buffer.failed, 'messages could not be processed: see the log',
              ERROR)


def report_loop(report: Report, summary: LoopSummary, rate: float) -> None:
    """Add a LoopSummary to a report; warn of missed cycles."""
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
    if summary.cycles and summary.kept < WARN_KEPT:
        report.say(WARN, f'{summary.missed} of {summary.cycles + summary.missed} cycles missed')
