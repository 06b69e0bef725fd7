# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The verdict of an Analysis in words, and its tables as HTML."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np

from kane_dynamics.analysis.collision.collision_check import FLOOR
from kane_dynamics.analysis.report.analysis_charts import joint_of
from kane_dynamics.analysis.report.html_parts import number, quantity, table
from kane_dynamics.analysis.study.power import integral, rms
from kane_dynamics.analysis.study.study import Analysis
from kane_dynamics.analysis.study.verdict import Check, COLLISION
from kane_dynamics.dynamics.drives.dc_drive import MotorDemand
from kane_dynamics.numerics.array_types import FloatArray

MOST_NAMES = 4          # of joints and links in a sentence


def headline(analysis: Analysis) -> tuple[str, str, list[str]]:
    """Return the word (YES, NO or NOT JUDGED), the sentence and further sentences."""
    verdict, name = analysis.verdict, analysis.study.name
    worst = verdict.worst
    if worst is None:
        return 'NOT JUDGED', 'No limit is given that this task can be checked against.', []
    if not verdict.computed:
        broken = [check for check in verdict.checks if check.reason]
        first = min(broken, key=lambda check: np.inf if check.time is None else check.time)
        return 'NO', f'“{name}” cannot be judged.', [
            f'{first}.', 'Check the numbers of the motion, the payload and the arm.']
    if verdict.passed:
        return 'YES', f'The arm can do “{name}” within {analysis.scope.within}.', _without_empty([
            f'Tightest: {worst.subject}, {worst.kind}, at {100 * worst.usage:.0f} % of its limit.',
            _speed(analysis), analysis.collisions.summary()])
    beyond = [check for check in verdict.checks
              if not check.passed and check.kind != COLLISION]
    return ('NO', f'The arm cannot do “{name}”: '
            + ', and '.join(_without_empty([_colliding(analysis), _exceeding(beyond)])) + '.',
            _without_empty([_first_collision(analysis), _worst(beyond), _speed(analysis),
                            analysis.collisions.summary()]))


def _colliding(analysis: Analysis) -> str:
    """Return the first pair that collides as a clause, '' without one."""
    found = analysis.collisions.collisions
    if not found:
        return ''
    others = f' ({len(found)} pairs collide)' if len(found) > 1 else ''
    return f'{_with_article(found[0].one)} and {_with_article(found[0].other)} collide{others}'


def _first_collision(analysis: Analysis) -> str:
    found = analysis.collisions.collisions
    if not found:
        return ''
    deepest = min(found, key=lambda pair: pair.distance)
    remedy = (' If the base stands higher than the floor, give the height of the floor, as in '
              'collision: {floor: -0.8 m}.' if any(pair.other == FLOOR for pair in found) else '')
    return (f'First collision: {found[0].names} at {found[0].first:.3f} s. Deepest: '
            f'{deepest.names}, up to {-1e3 * deepest.distance:.0f} mm at {deepest.time:.3f} s.'
            f'{remedy}')


def _with_article(name: str) -> str:
    return f'the {name}' if name == FLOOR else name


def _exceeding(beyond: list[Check]) -> str:
    """Return the joints, links and frames with a limit that is exceeded as a clause."""
    subjects = list(dict.fromkeys(check.subject for check in beyond))
    if not subjects:
        return ''
    names = ', '.join(subjects[:MOST_NAMES]) + (
        ' and others' if len(subjects) > MOST_NAMES else '')
    return f'{names} {"exceeds its limits" if len(subjects) == 1 else "exceed their limits"}'


def _worst(beyond: list[Check]) -> str:
    if not beyond:
        return ''
    worst = beyond[0]
    when = '' if worst.time is None else f' at {worst.time:.3f} s'
    return (f'Worst: {worst.subject}, {worst.kind} {quantity(worst.value, worst.unit)}{when}; '
            f'limit {allowed(worst)} ({_percent(worst)}).')


def _percent(check: Check) -> str:
    """Return the use of a limit, or the depth of a collision, as text."""
    if check.kind == COLLISION:
        return f'{1e3 * check.value:.0f} mm'
    return '–' if np.isinf(check.usage) else f'{100.0 * check.usage:.0f} %'


def _without_empty(sentences: Iterable[str]) -> list[str]:
    return [sentence for sentence in sentences if sentence]


def _speed(analysis: Analysis) -> str:
    """Return a sentence on the speed at which the task is just within all limits, or ''."""
    alpha, binding = analysis.speed_factor.alpha, analysis.speed_factor.binding
    motion = analysis.study.motion
    duration = motion.t[-1] - motion.t[0]
    if alpha is None:
        return ''
    if alpha == 0.0:
        if binding is not None and binding.kind == COLLISION:
            return 'No lower speed helps: the path itself leads to a collision.'
        if binding is None or binding.kind == 'position':
            return 'No lower speed helps: the path itself leaves the range of a joint.'
        return f'No lower speed helps: even at rest {binding.subject} is loaded beyond its limit.'
    if not analysis.verdict.passed:
        return (f'Slowed down to {100 * alpha:.0f} % of its speed it is within all limits: '
                f'{duration / alpha:.2f} s instead of {duration:.2f} s.')
    if binding is None:
        return f'It could run at least {alpha:.0f} times as fast.'
    return (f'It could run {alpha:.2f} times as fast: {duration / alpha:.2f} s instead of '
            f'{duration:.2f} s (limited by {binding.subject}, {binding.kind}).')


# -- checks --------------------------------------------------------------------------------------

def verdict_rows(analysis: Analysis) -> str:
    """Return the joints, links and frames with their checks, the worst one in the row."""
    return '<ol class="verdicts">' + ''.join(
        _subject(subject, own.worst, own.checks)
        for subject, own in analysis.verdict.subjects().items() if own.worst) + '</ol>'


def _subject(subject: str, worst: Check, checks: Iterable[Check]) -> str:
    width = min(100.0 * worst.usage, 125.0) / 1.25
    details = ''.join(
        f'<button type="button" class="{"good" if check.passed else "bad"}"'
        f'{_link_to_instant(check)}><span>{escape(check.kind)}</span>'
        f'<span>{escape(quantity(check.value, check.unit))}</span>'
        f'<span>{escape(_limit(check))}</span>'
        f'<span>{_when(check)}</span>'
        f'<span class="margin">{margin(check)}</span></button>'
        for check in checks)
    return (f'<li class="{"good" if worst.passed else "bad"}"><details><summary>'
            f'<span class="mark">{"✓" if worst.passed else "✗"}</span>'
            f'<span class="subject">{escape(subject)}</span>'
            f'<span class="kind">{escape(worst.kind)}</span>'
            f'<span class="bar"><i style="width:{width:.1f}%"></i></span>'
            f'<span class="percent">{_percent(worst)}</span></summary>'
            f'<div class="checks">{details}</div></details></li>')


def _limit(check: Check) -> str:
    return 'depth, at most' if check.kind == COLLISION else (
        f'limit {allowed(check)}')


def allowed(check: Check) -> str:
    """Return the limit of a check with its unit as text; an interval where it is one."""
    if check.lower is None or check.upper is None:
        return quantity(check.limit, check.unit)
    return f'[{number(check.lower)}, {number(check.upper)}] {check.unit}'


def margin(check: Check) -> str:
    """Return the remaining fraction of a limit as text."""
    return '–' if np.isinf(check.usage) else f'{100.0 * check.margin:+.0f} %'


def _link_to_instant(check: Check) -> str:
    return '' if check.time is None else (
        f' data-time="{check.time:.6g}" title="show this instant"')


def _when(check: Check) -> str:
    if check.reason:
        return escape(check.reason)
    if check.time is None:
        return 'whole task'
    first = '' if check.first is None else f', first {check.first:.3f} s'
    return f'{check.time:.3f} s{first}'


# -- tables --------------------------------------------------------------------------------------

def joint_table(analysis: Analysis) -> str:
    """Return the table of peaks, power and work of the joints."""
    rows = []
    for joint, use in zip(analysis.study.robot.independent_joints, analysis.uses):
        effort, speed = joint.effort_unit, f'{joint.unit}/s'
        rows.append([joint.name, f'{number(use.peak_torque)} {effort}',
                     f'{use.peak_torque_time:.3f} s', f'{number(use.rms_torque)} {effort}',
                     f'{number(use.peak_speed)} {speed}',
                     f'{number(use.peak_acceleration)} {speed}²', f'{number(use.peak_power)} W',
                     f'{number(use.least_power)} W', f'{number(use.absolute_work)} J',
                     f'{number(use.driving_work)} J', f'{number(use.net_work)} J'])
    sums = [sum(getattr(use, name) for use in analysis.uses)
            for name in ('absolute_work', 'driving_work', 'net_work')]
    rows.append(['all', *[''] * 7, *(f'{number(value)} J' for value in sums)])
    return table(['joint', 'peak torque', 'at', 'RMS torque', 'peak speed', 'peak acceleration',
                  'peak power', 'peak braking power', 'absolute work',
                  'work without regeneration', 'net work'], rows)


def drive_table(analysis: Analysis) -> str:
    """Return the table of the demands on motors, '' without motors."""
    t, rows = analysis.study.motion.t, []
    for name, demand in analysis.demands.items():
        if not isinstance(demand, MotorDemand):
            continue
        rows.append([
            name, f'{number(np.abs(demand.torque).max())} N m',
            f'{number(np.abs(demand.speed).max() * 60 / (2 * np.pi))} rpm',
            f'{number(np.abs(demand.current).max())} A',
            f'{number(float(rms(t, demand.current)))} A',
            f'{number(np.abs(demand.voltage).max())} V', f'{number(demand.power.max())} W',
            *(f'{number(float(integral(t, each)))} J' for each in (
                np.maximum(demand.power, 0.0), demand.power, demand.copper_loss,
                demand.gear_loss))])
    return table(['motor', 'peak torque', 'peak speed', 'peak current', 'RMS current',
                  'peak voltage', 'peak power', 'energy without regeneration', 'net energy',
                  'copper loss', 'gear loss'], rows) if rows else ''


def load_table(analysis: Analysis) -> str:
    """Return the table of the largest reactions in joints and grips, and of stresses in links."""
    rows = []
    for link, wrench in analysis.loads.wrenches.items():
        stress = analysis.stresses.get(link)
        rows.append([joint_of(analysis, link), link, *_largest(analysis, wrench),
                     '' if stress is None else quantity(stress.equivalent.max(), 'Pa'),
                     '' if stress is None else quantity(stress.shear.max(), 'Pa')])
    for payload, grip in zip(analysis.study.payloads, analysis.grips):
        rows.append(['grip', payload.link, *_largest(analysis, grip), '', ''])
    return table(['joint', 'link', 'force', 'at', 'moment', 'at', 'equivalent stress',
                  'torsion stress'], rows)


def _largest(analysis: Analysis, wrench: FloatArray) -> list[str]:
    """Return the largest force and moment of a wrench (N, 6), each with its time, as text."""
    t = analysis.study.motion.t
    cells = []
    for part, unit in ((wrench[:, :3], 'N'), (wrench[:, 3:], 'N m')):
        size = np.sqrt((part * part).sum(axis=1))
        cells += [f'{number(size.max())} {unit}', f'{t[size.argmax()]:.3f} s']
    return cells
