# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of HTML pages: the page itself, tables, sections, numbers; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from importlib import resources
import json

import numpy as np

FACTORS = {'Pa': (1e6, 'MPa')}      # units that are shown in multiples


def page_of(title: str, body: str, data: Mapping[str, object], programs: Iterable[str],
            css: str = '') -> str:
    """Return a whole page.

    body: HTML; data: for JSON, read by the programs (files of the folder page); css: class of the
    body.
    """
    folder = resources.files(__package__) / 'page'
    style = (folder / 'page.css').read_text(encoding='utf-8')
    code = '\n'.join((folder / name).read_text(encoding='utf-8') for name in programs)
    # `</script>` or `<!--` in a name would end the element
    text = json.dumps(data, separators=(',', ':'), allow_nan=False).replace('<', '\\u003c')
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<title>{escape(title)}</title><style>{style}</style></head>\n'
            f'<body class="{css}"><main>{body}</main>\n'
            f'<script type="application/json" id="data">{text}</script>\n'
            f'<script>{code}</script></body></html>\n')


def section(title: str, content: str) -> str:
    """Return a heading and a card of HTML content, '' without content."""
    return f'<h2>{escape(title)}</h2><div class="card">{content}</div>' if content else ''


def table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of text cells."""
    head = ''.join(f'<th>{escape(title)}</th>' for title in titles)
    body = ''.join('<tr>' + ''.join(f'<td>{escape(cell)}</td>' for cell in row) + '</tr>'
                   for row in rows)
    return (f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
            f'<tbody>{body}</tbody></table></div>')


def notes(sentences: Iterable[str]) -> str:
    """Return a list of sentences."""
    return ('<ul class="notes">' + ''.join(f'<li>{escape(each)}</li>' for each in sentences)
            + '</ul>')


def player() -> str:
    """Return the card of the arm in motion, driven by page/report.js."""
    return (
        '<div class="card picture"><canvas id="arm"></canvas>'
        '<div class="player"><button class="play" id="play" type="button" title="play">▶</button>'
        '<input type="range" id="time" aria-label="time"><output id="now"></output>'
        '<select id="rate" aria-label="playback speed"><option value="0.1">0.1 ×</option>'
        '<option value="0.25">0.25 ×</option><option value="1" selected>1 ×</option>'
        '<option value="2">2 ×</option></select>'
        '<label><input type="checkbox" id="frames"> axes</label></div></div>')


def number(value: float | None, digits: int = 4) -> str:
    """Return a number as text, a dash where there is none."""
    if value is None or not np.isfinite(value):
        return '–'
    if abs(value) < 1e-9:           # round-off of a value at rest
        return '0'
    text = f'{value:.{digits}g}'
    return f'{value:.0f}' if 'e' in text and 1.0 <= abs(value) < 1e12 else text


def quantity(value: float, unit: str) -> str:
    """Return a number with its unit as text."""
    factor, name = FACTORS.get(unit, (1.0, unit))
    return f'{number(value / factor)} {name}'
