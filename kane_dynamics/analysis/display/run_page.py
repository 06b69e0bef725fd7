# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Page of a run: the arm in motion, curves, energies and balances."""

from __future__ import annotations

from kane_dynamics.analysis.display.motion_page import motion_page
from kane_dynamics.analysis.display.shown_motion import ShownMotion
from kane_dynamics.analysis.run_file.run import RunResult
from kane_dynamics.recorded.saved_solution import solution_columns


def run_page(result: RunResult) -> str:
    """Return the text of the HTML page of a RunResult."""
    robot = result.run.dynamics.robot
    q, columns = result.q, solution_columns(result.phases)
    facts = [(f'Balance, {solution.t[0]:g} to {solution.t[-1]:g} s', str(balance))
             for solution, balance in zip(result.phases, result.balances())]
    facts += [('Note', each) for each in result.remarks]
    more = [('Work and losses', 'Work', 'J', {
        name: columns[name] for name in ('work', 'friction_loss', 'impact_loss')})]
    for title, ending, unit in (('Inputs of the drives', '.input', 'V or A'),
                                ('Constraint forces', '.force', 'N or N m')):
        chosen = {name: values for name, values in columns.items() if name.endswith(ending)}
        if chosen:
            more.append((title, title, unit, chosen))
    motion = ShownMotion(
        result.run.name, robot.joint_names, result.t, q[:, robot.joints_q],
        result.qd[:, robot.joints_v], effort=result.tau[:, robot.joints_v], robot=robot, q=q,
        energies=result.energies(), facts=tuple(facts), more=tuple(more))
    return motion_page(motion, robot, q, result.run.frame)
