# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Solutions of simulations as files: CSV tables, numpy archives and rosbag2."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.csv_table import write_table
from kane_dynamics.io.files import whole_file
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.simulation.solution import Solution

FIRST_STAMP = 1.0       # [s]: nodes take a stamp of zero for none
BASE_Q = ('x', 'y', 'z', 'qx', 'qy', 'qz', 'qw')
BASE_QD = ('vx', 'vy', 'vz', 'wx', 'wy', 'wz')


def save(solution: Solution | Sequence[Solution], path: str | Path) -> Path:
    """Write all samples of a Solution to a file, and return its path.

    solution: one, or several that follow each other in time. path: .csv, .npz, or a folder without
    ending, a rosbag2 with JointStates on /joint_states. CSV has a column for each quantity:
    t, joint.q, joint.qd, joint.tau, and so on; .npz has the same columns and, as arrays, t, q, qd,
    tau, joint_names.
    """
    parts = [solution] if isinstance(solution, Solution) else list(solution)
    path = Path(path)
    if path.suffix == '.csv':
        write_table(path, solution_columns(parts))
    elif path.suffix == '.npz':
        robot = parts[0].dynamics.robot
        with whole_file(path) as temporary, open(temporary, 'wb') as stream:
            arrays: dict[str, Any] = {**solution_columns(parts), **{
                name: np.concatenate([getattr(each, name) for each in parts])
                for name in ('q', 'qd', 'tau')}, 'joint_names': np.array(robot.joint_names)}
            np.savez(stream, **arrays)
    elif not path.suffix:
        _write_bag(parts, path)
    else:
        raise InputError(f'{path.name}: a Solution is written as .csv, as .npz, or without an '
                         'ending as a rosbag2 folder')
    return path


def solution_columns(parts: Sequence[Solution]) -> dict[str, FloatArray]:
    """Return {title: (N,)} of all quantities of Solutions that follow each other."""
    columns = [_columns(each) for each in parts]
    return {title: np.concatenate([each[title] for each in columns]) for title in columns[0]}


def _columns(solution: Solution) -> dict[str, FloatArray]:
    robot = solution.dynamics.robot
    first_q, first_v = robot.joints_q.start, robot.joints_v.start
    table: dict[str, FloatArray] = {'t': solution.t}
    if robot.floating_base:
        table.update({f'{robot.base}.{name}': solution.q[:, k] for k, name in enumerate(BASE_Q)})
        table.update({f'{robot.base}.{name}': solution.qd[:, k] for k, name in enumerate(BASE_QD)})
    names = [*robot.joint_names, *robot.mode_names]
    for k, name in enumerate(names):
        table[f'{name}.q'] = solution.q[:, first_q + k]
        table[f'{name}.qd'] = solution.qd[:, first_v + k]
        if k < robot.n_joints:
            table[f'{name}.tau'] = solution.tau[:, first_v + k]
    if solution.drives is not None and solution.inputs is not None:
        table.update({f'{name}.input': solution.inputs[:, k]
                      for k, name in enumerate(solution.drives.joint_names)})
    if solution.drives is not None and solution.drive_states is not None:
        table.update({name: solution.drive_states[:, k]
                      for k, name in enumerate(solution.drives.state_names)})
    if solution.forces is not None:
        table.update({f'constraint_{k + 1}.force': rows
                      for k, rows in enumerate(solution.forces.T)})
    energy = solution.energy()
    table.update({'kinetic_energy': energy.kinetic, 'potential_energy': energy.potential,
                  'strain_energy': energy.strain, 'work': solution.work,
                  'friction_loss': solution.friction_loss, 'impact_loss': solution.impact_loss})
    return table


def _write_bag(parts: Sequence[Solution], path: Path) -> None:
    from kane_dynamics.recorded.bags.writer import BagWriter
    robot = parts[0].dynamics.robot
    t = np.concatenate([each.t for each in parts])
    # where one solution follows another, the state at their border is written once
    kept = np.append(np.diff(t) > 0.0, True)
    stamps = np.round((t[kept] - t[0] + FIRST_STAMP) * 1e9).astype(np.int64)
    rows = {field: np.concatenate([getattr(each, name)[:, columns] for each in parts])[kept]
            for field, name, columns in (('position', 'q', robot.joints_q),
                                         ('velocity', 'qd', robot.joints_v),
                                         ('effort', 'tau', robot.joints_v))}
    with BagWriter(path) as writer:
        writer.write_joint_states('/joint_states', robot.joint_names, stamps, **rows)
