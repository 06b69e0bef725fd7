# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A report: one HTML page with the verdict first, curves, tables and the arm in motion.

The page is one file that needs no network: style, programs and data are inside. Its programs
(page/*.js) are our own, without a library, so that a report is a few hundred kilobytes and opens
at once.
"""

from __future__ import annotations

from html import escape
from importlib import resources
import json

import numpy as np

from kane_dynamics.analysis.arm_picture import arm_picture
from kane_dynamics.analysis.channels import channel
from kane_dynamics.analysis.report_plots import Plots, violations
from kane_dynamics.analysis.report_tables import (
    drive_table, figure, headline, joint_table, load_table, quantity, verdict_rows)

FRAMES_PER_SECOND = 60
MOST_FRAMES = 1500
CSS_OF = {'YES': 'yes', 'NO': 'no'}


def report_page(analysis, version=''):
    """Return the text of the page of an Analysis."""
    study = analysis.study
    plots = Plots(analysis).data()
    postures = study.motion.q[:: max(1, len(study.motion) // 50)]
    scene = arm_picture(study.robot, study.payloads, study.folder, postures)
    bad = violations(analysis)
    worst = analysis.verdict.worst
    data = {**plots, 'scene': scene, 'frames': _frames(analysis), 'bad': bad,
            'start': float(study.motion.t[0]) if worst is None or worst.time is None
            else worst.time}
    body = '\n'.join([
        _banner(analysis), _facts(analysis), _stage(analysis), '<div id="curves"></div>',
        _section('Joints', joint_table(analysis)), _section('Motors', drive_table(analysis)),
        _section('Joints and links: largest loads', load_table(analysis)), _notes(analysis),
        _source(study), f'<footer>kane_dynamics {escape(version)}; {escape(study.robot.name)}; '
        f'{len(study.motion)} samples. Drag over a curve to zoom, double click to go back, click '
        'a check to see its moment; drag the arm to turn it.</footer>'])
    return assembled(f'{study.name}: {study.robot.name}', body, data,
                     ('plots.js', 'arm.js', 'report.js'))


def impossible_page(name, reason):
    """Return the text of the page of a task that the arm cannot even reach."""
    body = (f'<section class="verdict no" id="verdict"><div class="word">NO</div>'
            f'<h1>{escape(f"The arm cannot do “{name}”: it does not get there.")}</h1>'
            f'<p>{escape(reason)}</p></section>')
    return assembled(name, body, {}, ())


def assembled(title, body, data, programs, css=''):
    """Return a whole page: body (HTML), data (for JSON) and programs of the folder page."""
    page = resources.files(__package__) / 'page'
    style = (page / 'page.css').read_text(encoding='utf-8')
    code = '\n'.join((page / name).read_text(encoding='utf-8') for name in programs)
    # `</script>` or `<!--` inside of a name would end the element
    text = json.dumps(data, separators=(',', ':'), allow_nan=False).replace('<', '\\u003c')
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<title>{escape(title)}</title><style>{style}</style></head>\n'
            f'<body class="{css}"><main>{body}</main>\n'
            f'<script type="application/json" id="data">{text}</script>\n'
            f'<script>{code}</script></body></html>\n')


def _banner(analysis):
    word, sentence, more = headline(analysis)
    return (f'<section class="verdict {CSS_OF.get(word, "open")}" id="verdict">'
            f'<div class="word">{escape(word)}</div><h1>{escape(sentence)}</h1>'
            f'<p>{escape(" ".join(more))}</p></section>')


def _facts(analysis):
    study, motion, verdict = analysis.study, analysis.study.motion, analysis.verdict
    power = np.maximum(analysis.loads.tau * motion.qd, 0.0).sum(axis=1)
    step = np.diff(analysis.tip, axis=0)
    facts = [(f'{motion.t[-1] - motion.t[0]:.3g} s', 'duration'),
             (f'{figure(np.linalg.norm(step, axis=1).sum(), 3)} m', f'way of {study.frame}')]
    if study.payloads:
        facts.append((f'{figure(sum(each.mass for each in study.payloads), 3)} kg', 'payload'))
    facts += [(f'{figure(analysis.absolute_work, 3)} J', 'absolute work'),
              (f'{figure(power.max(), 3)} W', 'peak power')]
    if verdict.worst is not None:
        facts.append((f'{100 * verdict.worst.margin:+.0f} %', 'least margin'))
    if analysis.pace.alpha:
        more = '≥ ' if analysis.pace.binding is None else ''
        facts.append((f'{more}{figure(analysis.pace.alpha, 3)} ×', 'possible pace'))
    return '<div class="facts">' + ''.join(
        f'<div class="fact"><b>{escape(value)}</b><span>{escape(name)}</span></div>'
        for value, name in facts) + '</div>'


def _stage(analysis):
    return (
        '<div class="stage"><div class="card picture"><canvas id="arm"></canvas>'
        '<div class="player"><button class="play" id="play" type="button" title="play">▶</button>'
        '<input type="range" id="time" aria-label="time"><output id="now"></output>'
        '<select id="rate" aria-label="pace"><option value="0.1">0.1 ×</option>'
        '<option value="0.25">0.25 ×</option><option value="1" selected>1 ×</option>'
        '<option value="2">2 ×</option></select>'
        '<label><input type="checkbox" id="frames"> axes</label></div></div>'
        f'<div class="card">{verdict_rows(analysis)}<p class="hint-line">Open a row for all of '
        'its limits; click one to see its worst moment. The line in a bar is the limit.</p></div>'
        '</div>')


def _section(title, content):
    return f'<h2>{escape(title)}</h2><div class="card">{content}</div>' if content else ''


def _notes(analysis):
    study = analysis.study
    notes = [text[0].upper() + text[1:] + '.' for text in analysis.verdict.unjudged]
    friction = study.dynamics.friction
    notes.append('Friction of the URDF is in the torques.' if friction is not None else
                 'No friction is in the torques.')
    if study.beams:
        notes.append(f'Links are judged at the strength of their material over {study.safety:g}.')
    if study.drives:
        notes.append('Rotor inertia and gear losses are on the side of the motors: joint torques '
                     'are without them.')
    for payload in study.payloads:
        notes.append(f'{payload.link} holds {quantity(payload.mass, "kg")}.')
    notes.append('Torques and loads are those of the arm with rigid links and joints' + (
        '; deflections follow from these loads.' if study.beams or study.soft else '.'))
    return '<h2>Assumptions, and what is not judged</h2><div class="card"><ul class="notes">' + (
        ''.join(f'<li>{escape(note)}</li>' for note in notes)) + '</ul></div>'


def _source(study):
    try:
        with open(study.source, encoding='utf-8') as stream:
            text = stream.read(200_000)
    except (OSError, UnicodeDecodeError):
        return ''
    return ('<details class="fold"><summary>The task file</summary><div class="card">'
            f'<pre>{escape(text)}</pre></div></details>')


def _frames(analysis):
    motion = analysis.study.motion
    count = int(min(MOST_FRAMES, len(motion.t), max(
        2, FRAMES_PER_SECOND * (motion.t[-1] - motion.t[0]))))
    places = np.linspace(0, len(motion.t) - 1, count).astype(int)
    return {'t': channel(motion.t[places]), 'q': [channel(row) for row in motion.q[places].T],
            'path': [channel(row) for row in analysis.tip[places].T]}
