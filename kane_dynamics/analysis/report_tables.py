# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The words and tables of a report, as HTML; everything from outside is escaped."""

from __future__ import annotations

from html import escape

import numpy as np

from kane_dynamics.analysis.power import rms
from kane_dynamics.dynamics.dc_drive import MotorDemand

FACTORS = {'Pa': (1e6, 'MPa')}      # units that are told in another size


def figure(value, digits=4):
    """Return a number for people."""
    if value is None or not np.isfinite(value):
        return '–'
    if abs(value) < 1e-9:                                  # rounding of what does not move
        return '0'
    text = f'{value:.{digits}g}'
    return f'{value:.0f}' if 'e' in text and abs(value) >= 1.0 else text


def quantity(value, unit):
    """Return a number with its unit, for people."""
    factor, name = FACTORS.get(unit, (1.0, unit))
    return f'{figure(value / factor)} {name}'


def headline(analysis):
    """Return (word, sentence, further sentences) of the verdict."""
    verdict, study = analysis.verdict, analysis.study
    failed = [check for check in verdict.checks if not check.passed]
    more = []
    if not verdict.checks:
        return 'NOT JUDGED', 'No limit is given that this task could be held against.', []
    if failed:
        subjects = sorted({check.subject for check in failed},
                          key=[check.subject for check in failed].index)
        sentence = (f'The arm cannot do “{study.name}” as it is: '
                    f'{", ".join(subjects[:4])}{" and others" if len(subjects) > 4 else ""} '
                    f'{"goes" if len(subjects) == 1 else "go"} beyond what is allowed.')
    else:
        sentence = f'The arm can do “{study.name}”.'
    worst = verdict.worst
    if failed:
        when = '' if worst.time is None else f' at {worst.time:.3f} s'
        more.append(f'Worst: {worst.subject}, {worst.kind} {quantity(worst.value, worst.unit)}'
                    f'{when}; allowed {quantity(worst.limit, worst.unit)} '
                    f'({100 * worst.usage:.0f} %).')
    else:
        more.append(f'Tightest: {worst.subject}, {worst.kind}, at {100 * worst.usage:.0f} % of '
                    f'what is allowed.')
    more.append(_pace(analysis))
    return ('NO' if failed else 'YES'), sentence, [text for text in more if text]


def _pace(analysis):
    pace = analysis.pace
    duration = analysis.study.motion.t[-1] - analysis.study.motion.t[0]
    if pace.alpha is None:
        return ''
    if pace.alpha == 0.0:
        if pace.binding is not None and pace.binding.kind == 'position':
            return 'No pace helps: the way itself leaves the range of a joint.'
        return f'No pace helps: even at rest {pace.binding.subject} is loaded beyond its limit.'
    first = pace.binding
    stop = '' if first is None else f' ({first.subject}, {first.kind}, comes first)'
    if analysis.verdict.passed:
        if pace.binding is None:
            return f'It could go at least {pace.alpha:.0f} times as fast.'
        return (f'It could go {pace.alpha:.2f} times as fast: {duration / pace.alpha:.2f} s '
                f'instead of {duration:.2f} s{stop}.')
    return (f'Slowed down to {100 * pace.alpha:.0f} % it fits: {duration / pace.alpha:.2f} s '
            f'instead of {duration:.2f} s.')


def table(titles, rows, css=''):
    """Return a table; cells are texts, or (text, css class) pairs."""
    head = ''.join(f'<th>{escape(title)}</th>' for title in titles)
    body = []
    for row in rows:
        cells = [(cell, '') if isinstance(cell, str) else cell for cell in row]
        body.append('<tr>' + ''.join(
            f'<td{f" class={name}" if name else ""}>{escape(text)}</td>'
            for text, name in cells) + '</tr>')
    return (f'<div class="scroll"><table class="{css}"><thead><tr>{head}</tr></thead>'
            f'<tbody>{"".join(body)}</tbody></table></div>')


def verdict_rows(analysis):
    """Return the list of joints, links and frames with their worst check, as HTML."""
    return '<ol class="verdicts">' + ''.join(
        _subject(subject, own.worst, own.checks)
        for subject, own in analysis.verdict.subjects().items()) + '</ol>'


def _subject(subject, first, checks):
    percent = 100.0 * first.usage
    width = min(percent, 125.0) / 1.25
    details = ''.join(
        f'<button type="button" class="{"good" if check.passed else "bad"}"'
        f'{_when(check)}><span>{escape(check.kind)}</span>'
        f'<span>{escape(quantity(check.value, check.unit))}</span>'
        f'<span>of {escape(quantity(check.limit, check.unit))}</span>'
        f'<span>{_moment(check)}</span>'
        f'<span class="margin">{100.0 * check.margin:+.0f} %</span></button>'
        for check in checks)
    return (f'<li class="{"good" if first.passed else "bad"}"><details><summary>'
            f'<span class="mark">{"✓" if first.passed else "✗"}</span>'
            f'<span class="subject">{escape(subject)}</span>'
            f'<span class="kind">{escape(first.kind)}</span>'
            f'<span class="bar"><i style="width:{width:.1f}%"></i></span>'
            f'<span class="percent">{percent:.0f} %</span></summary>'
            f'<div class="checks">{details}</div></details></li>')


def _when(check):
    return '' if check.time is None else f' data-time="{check.time:.6g}" title="show this moment"'


def _moment(check):
    if check.time is None:
        return 'whole task'
    if check.passed:
        return f'{check.time:.3f} s'
    return f'{check.time:.3f} s, first {check.first:.3f} s'


def joint_table(analysis):
    """Return the table of peaks, work and power per joint."""
    rows = []
    for joint, use in zip(analysis.study.robot.independent_joints, analysis.uses):
        slides = joint.kind == 'prismatic'
        torque, speed = ('N', 'm/s') if slides else ('N m', 'rad/s')
        rows.append([joint.name, f'{figure(use.peak_torque)} {torque}',
                     f'{use.peak_torque_time:.3f} s', f'{figure(use.rms_torque)} {torque}',
                     f'{figure(use.peak_speed)} {speed}',
                     f'{figure(use.peak_acceleration)} {speed}²', f'{figure(use.peak_power)} W',
                     f'{figure(use.least_power)} W', f'{figure(use.absolute_work)} J',
                     f'{figure(use.driving_work)} J', f'{figure(use.net_work)} J'])
    sums = [sum(getattr(use, name) for use in analysis.uses)
            for name in ('absolute_work', 'driving_work', 'net_work')]
    rows.append(['all', '', '', '', '', '', '', '', *(f'{figure(value)} J' for value in sums)])
    return table(['joint', 'peak torque', 'at', 'r.m.s. torque', 'peak speed',
                  'peak acceleration', 'peak power', 'braking power', 'absolute work',
                  'without regeneration', 'with regeneration'], rows)


def drive_table(analysis):
    """Return the table of what motors are asked for, or ''."""
    t, rows = analysis.study.motion.t, []
    for name, demand in analysis.demands.items():
        if not isinstance(demand, MotorDemand):
            continue
        power = np.maximum(demand.power, 0.0)
        rows.append([
            name, f'{figure(np.abs(demand.torque).max())} N m',
            f'{figure(np.abs(demand.speed).max() * 60 / (2 * np.pi))} rpm',
            f'{figure(np.abs(demand.current).max())} A', f'{figure(rms(t, demand.current))} A',
            f'{figure(np.abs(demand.voltage).max())} V', f'{figure(demand.power.max())} W',
            f'{figure(_total(t, power))} J', f'{figure(_total(t, demand.power))} J',
            f'{figure(_total(t, demand.copper_loss))} J',
            f'{figure(_total(t, demand.gear_loss))} J'])
    return table(['motor', 'peak torque', 'peak speed', 'peak current', 'r.m.s. current',
                  'peak voltage', 'peak power', 'electric energy', 'with regeneration',
                  'lost in copper', 'lost in gears'], rows) if rows else ''


def load_table(analysis):
    """Return the table of the largest reactions through joints and of stresses."""
    rows = []
    for link, wrench in analysis.loads.wrenches.items():
        force, moment = (np.linalg.norm(wrench[:, part], axis=1)
                         for part in (slice(0, 3), slice(3, 6)))
        t = analysis.study.motion.t
        stress = analysis.stresses.get(link)
        rows.append([link, f'{figure(force.max())} N', f'{t[force.argmax()]:.3f} s',
                     f'{figure(moment.max())} N m', f'{t[moment.argmax()]:.3f} s',
                     '' if stress is None else quantity(stress.equivalent.max(), 'Pa'),
                     '' if stress is None else quantity(stress.shear.max(), 'Pa')])
    for payload, grip in zip(analysis.study.payloads, analysis.grips):
        force, moment = (np.linalg.norm(grip[:, part], axis=1)
                         for part in (slice(0, 3), slice(3, 6)))
        t = analysis.study.motion.t
        rows.append([f'grip of {payload.link}', f'{figure(force.max())} N',
                     f'{t[force.argmax()]:.3f} s', f'{figure(moment.max())} N m',
                     f'{t[moment.argmax()]:.3f} s', '', ''])
    return table(['through the joint of', 'force', 'at', 'moment', 'at', 'equivalent stress',
                  'torsion stress'], rows)


def _total(t, values):
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(t)))
