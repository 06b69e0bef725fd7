# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The arm as a table that a person can read: what `kane info arm.urdf` prints."""

from __future__ import annotations

import math
import textwrap

import numpy as np

from kane_dynamics.model.physical import check, grouped

WIDTH = 99


def describe(robot):
    """Return the robot as readable text: sizes, joints, links, frames and findings."""
    parts = [_head(robot), _joints(robot), _tied(robot), _links(robot), _frames(robot),
             _findings(robot)]
    return '\n\n'.join(part for part in parts if part) + '\n'


def _head(robot):
    base = (f'floating base {robot.base!r} (q starts with x y z, qx qy qz qw)'
            if robot.floating_base else f'base {robot.root!r} at rest')
    source = f' from {robot.source}' if robot.source else ''
    return '\n'.join([
        f'robot {robot.name!r}{source}',
        f'  {base}',
        f'  nq = {robot.nq}, nv = {robot.nv}: {robot.n_joints} joints'
        + (f', {robot.n_modes} modes' if robot.n_modes else ''),
        f'  {len(robot.links)} links, {_number(robot.total_mass)} kg, '
        f'gravity {_vector(robot.gravity)} m/s^2'])


def _joints(robot):
    if not robot.independent_joints:
        return ''
    first = 7 if robot.floating_base else 0
    rows = []
    for index, joint in enumerate(robot.independent_joints):
        limits = joint.limits
        rows.append([
            f'q[{first + index}]', joint.name, joint.kind, f'{joint.parent} -> {joint.child}',
            _vector(joint.axis), _number(limits.lower), _number(limits.upper),
            _number(limits.velocity), _number(limits.effort), _number(joint.damping),
            _number(joint.friction), _number(joint.armature)])
    titles = ['', 'joint', 'kind', 'parent -> child', 'axis', 'lower', 'upper', 'speed', 'effort',
              'damping', 'friction', 'armature']
    # few files have all of the last three, and a line has an end
    shown = [column for column in range(len(titles))
             if column < 9 or any(row[column] != '0' for row in rows)]
    titles, *rows = [[line[column] for column in shown] for line in [titles] + rows]
    return ('joints, in the order of q (rad, rad/s, N m; prismatic: m, m/s, N)\n'
            + _table(titles, rows, left=5))


def _tied(robot):
    """Return the joints without a coordinate: mimic, fixed, floating."""
    rows = []
    for joint in robot.joints:
        if joint.mimic is not None:
            mimic = joint.mimic
            how = f'{_number(mimic.multiplier)} * {mimic.joint}'
            if mimic.offset:
                how += f' {"+-"[mimic.offset < 0.0]} {_number(abs(mimic.offset))}'
        elif joint.kind in ('fixed', 'floating'):
            how = joint.kind
        else:
            continue
        rows.append([joint.name, how, f'{joint.parent} -> {joint.child}'])
    if not rows:
        return ''
    return 'joints without a coordinate\n' + _table(['joint', 'moves', 'parent -> child'], rows, 3)


def _links(robot):
    rows = []
    for link in robot.links:
        if not _massless(link):
            principal = np.linalg.eigvalsh(link.inertial.inertia)
            rows.append([link.name, _number(link.inertial.mass), _vector(link.inertial.com),
                         _vector(principal)])
    if not rows:
        return ''
    titles = ['link', 'mass [kg]', 'mass centre [m]', 'principal inertias [kg m^2]']
    return 'links\n' + _table(titles, rows, left=1)


def _frames(robot):
    """Return the links that carry no mass: frames only."""
    names = [link.name for link in robot.links if _massless(link)]
    if not names:
        return ''
    return 'frames without mass\n' + textwrap.fill(
        ', '.join(names), WIDTH, initial_indent='  ', subsequent_indent='  ',
        break_long_words=False, break_on_hyphens=False)


def _massless(link):
    return link.inertial is None or (link.inertial.mass == 0.0 and not link.inertial.inertia.any())


def _findings(robot):
    findings = check(robot)
    if not findings:
        return 'inertias: nothing to remark'
    lines = ['inertias']
    for level in ('error', 'warning'):
        for text in grouped([finding for finding in findings if finding.level == level]):
            lines.append(textwrap.fill(
                f'{level}: {text}', WIDTH, initial_indent='  ', subsequent_indent='    ',
                break_long_words=False, break_on_hyphens=False))
    return '\n'.join(lines)


def _table(titles, rows, left):
    """Return rows under their titles; the first `left` columns to the left, numbers right."""
    grid = [titles] + rows
    widths = [max(len(row[column]) for row in grid) for column in range(len(titles))]
    lines = []
    for row in grid:
        cells = (cell.ljust(width) if column < left else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(row, widths)))
        lines.append(('  ' + '  '.join(cells)).rstrip())
    return '\n'.join(lines)


def _number(value):
    """Return a number in four digits; '-' for an infinite bound."""
    if math.isinf(value):
        return '-'
    return '0' if value == 0.0 else f'{value:.4g}'


def _vector(values):
    """Return numbers in brackets, dust below 1e-12 of the largest shown as zero."""
    most = max(abs(value) for value in values)
    return '[' + ' '.join(_number(0.0 if abs(value) < 1e-12 * most else value)
                          for value in values) + ']'
