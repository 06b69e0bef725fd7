# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Robot tables: the text that `kane info arm.urdf` prints."""

from __future__ import annotations

from collections.abc import Iterable
import math
import textwrap

import numpy as np

from kane_dynamics.io.text import counted
from kane_dynamics.model.inertia_checks import check, grouped, InertiaFinding
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Inertial
from kane_dynamics.model.structure.springs import spring_label

WIDTH = 99


def describe(robot: Robot, more: Iterable[InertiaFinding] = ()) -> str:
    """Return the robot as readable text: sizes, joints, links, frames and findings.

    more: findings beside those of `check`.
    """
    parts = [_head(robot), _joints(robot), _dependent(robot), _links(robot), _frames(robot),
             _springs(robot), _findings([*check(robot), *more])]
    return '\n\n'.join(part for part in parts if part) + '\n'


def _head(robot: Robot) -> str:
    base = (f'floating base {robot.base!r} (q starts with x y z, qx qy qz qw)'
            if robot.floating_base else f'base {robot.root!r} at rest')
    source = f' from {robot.source}' if robot.source else ''
    return '\n'.join([
        f'robot {robot.name!r}{source}',
        f'  {base}',
        f'  nq = {robot.nq}, nv = {robot.nv}: {counted(robot.n_joints, "joint")}'
        + (f', {counted(robot.n_modes, "mode")}' if robot.n_modes else ''),
        f'  {counted(len(robot.links), "link")}, {_number(robot.total_mass)} kg, '
        f'gravity {_vector(robot.gravity)} m/s^2'])


def _joints(robot: Robot) -> str:
    if not robot.independent_joints:
        return ''
    first = robot.joints_q.start
    rows = []
    for index, joint in enumerate(robot.independent_joints):
        rows.append([
            f'q[{first + index}]', joint.name, joint.kind, f'{joint.parent} -> {joint.child}',
            _vector(joint.axis), *(_number(values[index]) for values in robot.limits),
            *(_number(values[index]) for values in robot.reflected)])
    titles = ['', 'joint', 'kind', 'parent -> child', 'axis', 'lower', 'upper', 'speed', 'effort',
              'acceleration', 'jerk', 'damping', 'friction', 'armature']
    # from acceleration on, a column is shown only where the file has values of it
    shown = [column for column in range(len(titles))
             if column < 9 or any(row[column] not in ('0', _number(math.inf)) for row in rows)]
    titles, *rows = [[line[column] for column in shown] for line in [titles] + rows]
    return ('joints, in the order of q (rad, rad/s, N m; prismatic: m, m/s, N)\n'
            + _table(titles, rows, left=5))


def _dependent(robot: Robot) -> str:
    """Return the joints without a coordinate: mimic, fixed, floating."""
    rows = []
    for joint in robot.joints:
        if joint.mimic is not None:
            mimic = joint.mimic
            how = f'{_number(mimic.multiplier)} * {mimic.joint}'
            if mimic.offset:
                how += f' {"+-"[mimic.offset < 0.0]} {_number(abs(mimic.offset))}'
        elif joint.kind in ('fixed', 'floating'):
            how = joint.kind + ', on a spring' * (joint.name in robot.flexible_joints)
        else:
            continue
        rows.append([joint.name, how, f'{joint.parent} -> {joint.child}'])
    if not rows:
        return ''
    return 'joints without a coordinate\n' + _table(['joint', 'moves', 'parent -> child'], rows, 3)


def _links(robot: Robot) -> str:
    rows = []
    for link in robot.links:
        inertial = link.inertial
        if inertial is not None and not _massless(inertial):
            rows.append([link.name, _number(inertial.mass), _vector(inertial.com),
                         _vector(np.linalg.eigvalsh(inertial.inertia))])
    if not rows:
        return ''
    titles = ['link', 'mass [kg]', 'mass centre [m]', 'principal inertias [kg m^2]']
    return 'links\n' + _table(titles, rows, left=1)


def _frames(robot: Robot) -> str:
    """Return the links without mass: frames only."""
    names = [link.name for link in robot.links if _massless(link.inertial)]
    if not names:
        return ''
    return 'frames without mass\n' + textwrap.fill(
        ', '.join(names), WIDTH, initial_indent='  ', subsequent_indent='  ',
        break_long_words=False, break_on_hyphens=False)


def _massless(inertial: Inertial | None) -> bool:
    return inertial is None or (inertial.mass == 0.0 and not inertial.inertia.any())


def _springs(robot: Robot) -> str:
    rows = [[spring_label(spring)[len('spring '):], *(_number(value) for value in (
        spring.stiffness, spring.rest, spring.preload))] for spring in robot.springs]
    if not rows:
        return ''
    return 'springs (N m/rad, rad, N m; between links: N/m, m, N)\n' + _table(
        ['spring', 'stiffness', 'rest', 'preload'], rows, left=1)


def _findings(findings: list[InertiaFinding]) -> str:
    if not findings:
        return 'inertias: nothing to remark'
    lines = ['inertias']
    for level in ('error', 'warning'):
        for text in grouped([finding for finding in findings if finding.level == level]):
            lines.append(textwrap.fill(
                f'{level}: {text}', WIDTH, initial_indent='  ', subsequent_indent='    ',
                break_long_words=False, break_on_hyphens=False))
    return '\n'.join(lines)


def _table(titles: list[str], rows: list[list[str]], left: int) -> str:
    """Return rows under their titles; the first `left` columns are left-aligned."""
    grid = [titles] + rows
    widths = [max(len(row[column]) for row in grid) for column in range(len(titles))]
    lines = []
    for row in grid:
        cells = (cell.ljust(width) if column < left else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(row, widths)))
        lines.append(('  ' + '  '.join(cells)).rstrip())
    return '\n'.join(lines)


def _number(value: float) -> str:
    """Return a number in four digits; '-' for an infinite limit."""
    if math.isinf(value):
        return '-'
    return '0' if value == 0.0 else f'{value:.4g}'


def _vector(values: Iterable[float]) -> str:
    """Return numbers in brackets; those below 1e-12 of the largest are shown as zero."""
    values = list(values)
    most = max(abs(value) for value in values)
    return '[' + ' '.join(_number(0.0 if abs(value) < 1e-12 * most else value)
                          for value in values) + ']'
