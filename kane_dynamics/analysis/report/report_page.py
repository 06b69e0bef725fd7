# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Report of an Analysis: one HTML page with the verdict, charts, tables and the arm in motion.

The page is one file that needs no network: style, programs and data are inside. Its programs
(page/*.js) use no library, so that a report has a few hundred kilobytes and opens at once.
"""

from __future__ import annotations

from html import escape

import numpy as np

from kane_dynamics.analysis.report.analysis_charts import chart_data, violations
from kane_dynamics.analysis.report.arm_scene import arm_scene
from kane_dynamics.analysis.report.channels import channel
from kane_dynamics.analysis.report.html_parts import (
    notes, number, page_of, player, quantity, section)
from kane_dynamics.analysis.report.tables import (
    drive_table, headline, joint_table, load_table, margin, verdict_rows)
from kane_dynamics.analysis.study.study import Analysis, Study
from kane_dynamics.io.text import clean

FRAMES_PER_SECOND = 60
MAX_FRAMES = 1500
EXTENT_SAMPLES = 50         # of a motion, that the picture is made to fit
MAX_SOURCE = 200_000        # characters of the task file
CSS_OF = {'YES': 'yes', 'NO': 'no'}


def report_page(analysis: Analysis, version: str = '') -> str:
    """Return the text of the page of an Analysis."""
    study, worst = analysis.study, analysis.verdict.worst
    rows = slice(None, None, max(1, len(study.motion) // EXTENT_SAMPLES))
    poses = {name: (state.R[rows], state.p[rows]) for name, state in analysis.loads.links.items()}
    data = {**chart_data(analysis), 'frames': _frames(analysis), 'bad': violations(analysis),
            'scene': arm_scene(study.robot, poses, study.payloads, study.folder,
                               study.surroundings),
            'start': float(study.motion.t[0]) if worst is None or worst.time is None
            else worst.time}
    body = '\n'.join([
        _banner(analysis), _facts(analysis), _stage(analysis), '<div id="curves"></div>',
        section('Joints', joint_table(analysis)), section('Motors', drive_table(analysis)),
        section('Largest loads of joints and links', load_table(analysis)),
        section('Assumptions, and limits that are not checked', notes(_assumptions(analysis))),
        _source(study), f'<footer>kane_dynamics {escape(version)}; {escape(study.robot.name)}; '
        f'{len(study.motion)} samples. Drag over a curve to zoom, double-click to reset; click a '
        'check to show its worst instant; drag the arm to rotate it. The limit of a curve is '
        'drawn where the curve comes near it.</footer>'])
    return page_of(f'{study.name}: {study.robot.name}', body, data,
                   ('plots.js', 'arm.js', 'report.js'))


def impossible_page(name: str, reason: str) -> str:
    """Return the text of the page of a task that the arm cannot reach."""
    body = (f'<section class="verdict no" id="verdict"><div class="word">NO</div>'
            f'<h1>{escape(f"The arm cannot do “{name}”: it does not get there.")}</h1>'
            f'<p>{escape(reason)}</p></section>')
    return page_of(name, body, {}, ())


def _banner(analysis: Analysis) -> str:
    word, sentence, more = headline(analysis)
    scope = ' '.join(analysis.scope.sentences()[word == 'YES':])     # the sentence names the first
    return (f'<section class="verdict {CSS_OF.get(word, "open")}" id="verdict">'
            f'<div class="word">{escape(word)}</div><h1>{escape(sentence)}</h1>'
            f'<p>{escape(" ".join(more))}</p>'
            f'<p class="scope">{escape(scope)}</p></section>')


def _facts(analysis: Analysis) -> str:
    study, motion, worst = analysis.study, analysis.study.motion, analysis.verdict.worst
    power = np.maximum(analysis.loads.tau * motion.qd, 0.0).sum(axis=1)
    length = float(np.linalg.norm(np.diff(analysis.tip, axis=0), axis=1).sum())
    facts = [(f'{motion.t[-1] - motion.t[0]:.3g} s', 'duration'),
             (f'{number(length, 3)} m', f'path length of {study.frame}')]
    if study.payloads:
        facts.append((f'{number(sum(each.mass for each in study.payloads), 3)} kg', 'payload'))
    facts += [(f'{number(analysis.absolute_work, 3)} J', 'work (absolute)'),
              (f'{number(power.max(), 3)} W', 'peak power')]
    if analysis.collisions.collisions:
        facts.append((str(len(analysis.collisions.collisions)), 'colliding pairs'))
    elif worst is not None:
        facts.append((margin(worst), 'smallest margin'))
    if analysis.speed_factor.alpha:
        at_least = '≥ ' if analysis.speed_factor.binding is None else ''
        facts.append((f'{at_least}{number(analysis.speed_factor.alpha, 3)} ×', 'possible speed'))
    return '<div class="facts">' + ''.join(
        f'<div class="fact"><b>{escape(value)}</b><span>{escape(name)}</span></div>'
        for value, name in facts) + '</div>'


def _stage(analysis: Analysis) -> str:
    return (
        f'<div class="stage">{player()}'
        f'<div class="card">{verdict_rows(analysis)}<p class="hint-line">Open a row to see all '
        'of its limits; click one to show its worst instant. The mark in a bar is the limit.</p>'
        '</div></div>')


def _assumptions(analysis: Analysis) -> list[str]:
    """Return sentences on the assumptions of an Analysis and on limits that are not given."""
    study = analysis.study
    sentences = [text[0].upper() + text[1:] + '.' for text in analysis.verdict.unjudged]
    sentences += [*analysis.collisions.not_checked, *analysis.collisions.notes()]
    if analysis.collisions.pairs:
        sentences.append('Links that a joint connects are not checked for collisions'
                         f'{", nor is the payload" if study.payloads else ""}.')
    sentences.append('Torques include the friction of the URDF.'
                     if study.dynamics.friction is not None else
                     'Torques do not include friction.')
    if study.beams:
        sentences.append('The limit of the stress in a link is the strength of its material '
                         f'divided by {study.safety:g}.')
    if study.drives:
        sentences.append('Torques of motors include rotor inertia and gear losses; torques of '
                         'joints do not.')
    sentences += [f'{payload.link} holds {quantity(payload.mass, "kg")}.'
                  for payload in study.payloads]
    sentences.append('Torques and loads are computed with rigid links and joints' + (
        '; deflections follow from these loads.' if study.all_beams else '.'))
    return sentences


def _source(study: Study) -> str:
    try:
        with open(study.source, encoding='utf-8') as stream:
            text = stream.read(MAX_SOURCE)
    except (OSError, UnicodeDecodeError):
        return ''
    return ('<details class="fold"><summary>Task file</summary><div class="card">'
            f'<pre>{escape(clean(text, MAX_SOURCE, lines=True))}</pre></div></details>')


def _frames(analysis: Analysis) -> dict[str, object]:
    """Return times, joint positions and the path of the frame for the arm in motion."""
    motion = analysis.study.motion
    count = int(min(MAX_FRAMES, len(motion.t), max(
        2, FRAMES_PER_SECOND * (motion.t[-1] - motion.t[0]))))
    rows = np.linspace(0, len(motion.t) - 1, count).astype(int)
    return {'t': channel(motion.t[rows]), 'q': [channel(each) for each in motion.q[rows].T],
            'path': [channel(each) for each in analysis.tip[rows].T]}
