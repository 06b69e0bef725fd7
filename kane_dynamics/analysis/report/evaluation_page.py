# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Page of an Evaluation: table of errors; charts of measured and model efforts and the error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

import numpy as np

from kane_dynamics.analysis.report.channels import channel, extremes
from kane_dynamics.analysis.report.charts import chart, ChartData, ChartGroup, group
from kane_dynamics.analysis.report.html_parts import notes, page_of, section, table
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.recorded.evaluate import Evaluation
from kane_dynamics.recorded.identify.conclusion import Conclusion

COLUMNS = {'rms': 'RMS', 'rmse': 'RMSE', 'normalized': 'RMSE/RMS', 'r2': 'R²',
           'worst': 'largest error', 'worst_time': 'at [s]'}
CURVES = ('measured', 'model', 'error')      # of each joint, as in Evaluation.envelope
FOOTER = ('<footer>Drag over a curve to zoom, double-click to reset; click a name to hide its '
          'curve. Each curve goes through the smallest and the largest value of short intervals, '
          'so that peaks are kept.</footer>')
GAP = 3.0       # of the usual distance of bins: a wider one is a gap in the recording


def evaluation_page(name: str, evaluation: Evaluation, account: Iterable[str],
                    conclusion: Conclusion | None = None) -> str:
    """Return the text of the page of a recording; account: lines on the model and the data."""
    title = f'{name}: measured and model efforts'
    body = '\n'.join([
        f'<h1>{escape(title)}</h1>', banner(conclusion) if conclusion else '',
        section('Errors of the model', error_table(evaluation)),
        section('Remarks', notes(evaluation.remarks()) if evaluation.remarks() else ''),
        '<div id="curves"></div>', section('Recording and model', notes(account)), FOOTER])
    return page_of(title, body, {**_charts(evaluation)}, ('plots.js', 'curves.js'))


def banner(conclusion: Conclusion) -> str:
    """Return the verdict of a page: grade, sentence, further sentences, next step."""
    css = {'GOOD': 'yes', 'POOR': 'no'}.get(conclusion.grade, 'open')
    step = f'Next: {conclusion.next_step}' if conclusion.next_step else ''
    return (f'<section class="verdict {css}" id="verdict"><div class="word">'
            f'{escape(conclusion.grade)}</div><h1>{escape(conclusion.sentence)}</h1>'
            f'<p>{escape(" ".join(conclusion.more))}</p><p class="scope">{escape(step)}</p>'
            '</section>')


def error_table(evaluation: Evaluation, more: Mapping[str, FloatArray] | None = None) -> str:
    """Return the table of errors; more: {title: values (n,)} of further columns."""
    rows = [[str(row['joint']), str(row['unit']),
             *(_decimals(float(row[key])) for key in COLUMNS),
             *(_decimals(float(values[j])) for values in (more or {}).values())]
            for j, row in enumerate(evaluation.rows())]
    return table(['joint', 'unit', *COLUMNS.values(), *(more or {})], rows)


def _decimals(value: float) -> str:
    return f'{value:.3f}' if np.isfinite(value) else '–'


def _charts(evaluation: Evaluation) -> ChartData:
    n, signals = len(evaluation.joint_names), _signals(evaluation)
    return over_time(evaluation, [group('Measured and model efforts', [
        chart(name, unit, {label: signals[k * n + j] for k, label in enumerate(CURVES)},
              height=200)
        for j, (name, unit) in enumerate(zip(evaluation.joint_names, evaluation.units))],
        wide=True)])


def comparison_charts(before: Evaluation, after: Evaluation) -> ChartData:
    """Return charts of measured effort, both models and both errors, on the same data."""
    n, old, new = len(after.joint_names), _signals(before), _signals(after)
    charts = []
    for j, (name, unit) in enumerate(zip(after.joint_names, after.units)):
        charts += [chart(f'{name}: effort', unit, {
            'measured': new[j], 'URDF': old[n + j], 'identified': new[n + j]}, height=200),
            chart(f'{name}: error', unit, {'URDF': old[2 * n + j], 'identified': new[2 * n + j]},
                  height=140)]
    return over_time(after, [group('Before and after', charts, wide=True)])


def over_time(evaluation: Evaluation, groups: list[ChartGroup]) -> ChartData:
    """Return charts at the times of an Evaluation's envelope, with its gaps."""
    starts = evaluation.envelope.t
    steps = np.diff(starts)
    width = float(steps.min()) if len(steps) else 0.0
    gaps = np.flatnonzero(steps > GAP * np.median(steps)) + 1 if len(steps) else np.zeros(0)
    t = (starts[:, None] + width * np.array([[0.25, 0.75]])).ravel()
    return {'t': channel(t), 'breaks': [2 * int(k) for k in gaps], 'diagrams': [],
            'groups': groups}


def _signals(evaluation: Evaluation) -> list[FloatArray]:
    """Return curves (2 B,) of the efforts measured and modelled and of the error, by joint."""
    envelope = evaluation.envelope
    return [_signal(low, high) for low, high in zip(envelope.low.T, envelope.high.T)]


def _signal(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return a curve (2 B,) through both extremes of B bins, in the order of the trend."""
    middle = low + high
    falls = np.gradient(middle) < 0.0 if len(middle) > 1 else np.zeros(len(middle), dtype=bool)
    return extremes(low, high, falls)
