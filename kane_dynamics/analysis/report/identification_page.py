# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Page of an Identification: verdict, curves before and after, parameters with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
import math

from kane_dynamics.analysis.report.evaluation_page import (
    banner, comparison_charts, error_table, FOOTER)
from kane_dynamics.analysis.report.html_parts import notes, page_of, section
from kane_dynamics.recorded.evaluate import Evaluation
from kane_dynamics.recorded.identify.conclusion import Conclusion
from kane_dynamics.recorded.identify.identification import Estimate, Identification

BAR = 220           # [pixels], width of the picture of an interval
TERMS = {'coulomb': 'Coulomb friction', 'viscous': 'viscous friction', 'offset': 'offset',
         'rotor': 'rotor inertia', 'rise': 'rise of friction at low speed',
         'load': 'friction per load'}


def identification_page(name: str, conclusion: Conclusion, found: Identification,
                        before: Evaluation, after: Evaluation, account: Iterable[str]) -> str:
    """Return the text of the page of an Identification.

    before, after: of the URDF's model and the identified one, on the data of validation; account:
    lines on the recording.
    """
    title = f'{name}: identified from a recording'
    by_term: dict[str, list[Estimate]] = {}
    for each in found.friction:
        by_term.setdefault(each.name.partition('(')[0], []).append(each)
    body = '\n'.join([
        f'<h1>{escape(title)}</h1>', banner(conclusion),
        section('Errors on the data of validation', error_table(
            after, {'RMSE of the URDF': before.rmse})),
        '<div id="curves"></div>',
        *(section(f'{TERMS.get(term, term).capitalize()}, intervals of three standard deviations',
                  _intervals([(each.name.partition('(')[2][:-1], each) for each in rows]))
          for term, rows in by_term.items()),
        section('Base parameters, intervals of three standard deviations [kg, kg m, kg m²]',
                _intervals([(each.name, each) for each in found.base])),
        section('Recording', notes(account)), FOOTER])
    return page_of(title, body, {**comparison_charts(before, after)}, ('plots.js', 'curves.js'))


def _intervals(rows: Sequence[tuple[str, Estimate]]) -> str:
    """Return a table of parameters, each with a picture of its interval; '' without rows."""
    ends = [abs(each.value) + 3.0 * each.sigma for _, each in rows if each.identified]
    most = max(ends, default=0.0) or 1.0
    cells = ''.join(
        f'<tr{"" if each.identified else _SOFT}><td>{escape(name)}</td>'
        f'<td>{each.value:.4g}</td><td>{_spread(each)}</td><td>{escape(each.unit)}</td>'
        f'<td>{_bar(each, most)}</td></tr>' for name, each in rows)
    return ('<div class="scroll"><table class="intervals"><thead><tr><th>parameter</th>'
            '<th>value</th><th>±</th><th>unit</th><th>interval, zero in the middle</th></tr>'
            f'</thead><tbody>{cells}</tbody></table></div>') if rows else ''


_SOFT = ' class="soft" title="not identifiable from the data"'


def _spread(each: Estimate) -> str:
    return f'{3.0 * each.sigma:.2g}' if math.isfinite(each.sigma) else 'any'


def _bar(each: Estimate, most: float) -> str:
    """Return an SVG of the interval and the value, on an axis from -most to most."""
    def x(value: float) -> float:
        return BAR * (0.5 + 0.5 * max(-1.0, min(value / most, 1.0)))

    spread = 3.0 * each.sigma if math.isfinite(each.sigma) else math.inf
    low, high = x(each.value - spread), x(each.value + spread)
    return (f'<svg width="{BAR}" height="14" role="img"><title>{escape(str(each))}</title>'
            f'<line x1="{BAR / 2}" x2="{BAR / 2}" y1="0" y2="14" stroke="currentColor" '
            f'opacity=".3"/><line x1="{low:.1f}" x2="{high:.1f}" y1="7" y2="7" '
            f'stroke="currentColor" stroke-width="4" opacity=".35"/>'
            f'<circle cx="{x(each.value):.1f}" cy="7" r="3" fill="currentColor"/></svg>')
