# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""One HTML file with tables and curves, which needs nothing but a browser.

Curves are inline SVG, drawn from an Envelope: a band from the smallest to the largest value of
each bin in time. Everything that comes from outside is escaped.
"""

from __future__ import annotations

from html import escape

import numpy as np

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 940, 190, 62, 26, 8
COLOURS = ('#8a8f98', '#c2410c')    # measured, model

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2328; background: #fff;
       max-width: 1000px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin: 1.6em 0 .2em; }
table { border-collapse: collapse; } th, td { padding: .15em .8em; text-align: right; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 1px solid #8a8f98; }
svg { width: 100%; height: auto; } svg text { font-size: 12px; fill: #57606a; }
.key { display: inline-block; width: 1.6em; height: .6em; margin: 0 .3em 0 1em; }
pre { background: #f6f8fa; padding: .8em; overflow-x: auto; white-space: pre-wrap; }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117; } pre { background: #161b22; }
  svg text { fill: #9aa4af; } }
"""


def curve_page(title, sections):
    """Return the text of a page; sections are pieces of HTML by the functions below."""
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
            f'<style>{STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n'
            + '\n'.join(sections) + '\n</body></html>\n')


def text_block(text):
    """Return text as it stands, in a box."""
    return f'<pre>{escape(text)}</pre>'


def table(titles, rows):
    """Return a table; cells are texts."""
    head = ''.join(f'<th>{escape(title)}</th>' for title in titles)
    body = ''.join('<tr>' + ''.join(f'<td>{escape(cell)}</td>' for cell in row) + '</tr>'
                   for row in rows)
    return f'<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def legend(names):
    """Return what the colours of curves mean."""
    return '<p>' + ''.join(f'<span class="key" style="background:{colour}"></span>{escape(name)}'
                           for name, colour in zip(names, COLOURS)) + '</p>'


def curves(title, t, bands, unit):
    """Return a heading and a chart of bands [(low (B,), high (B,)), ...] over bins t (B,) [s]."""
    if not len(t):
        return f'<h2>{escape(title)}</h2><p>no data</p>'
    low = min(float(band[0].min()) for band in bands)
    high = max(float(band[1].max()) for band in bands)
    if high - low < 1e-9 * max(abs(high), abs(low), 1e-9):
        low, high = low - 1.0, high + 1.0
    start, end = float(t[0]), float(t[-1]) if t[-1] > t[0] else float(t[0]) + 1.0
    x = LEFT + (t - start) / (end - start) * (WIDTH - LEFT - 10)

    def y(values):
        return HEIGHT - BOTTOM - (values - low) / (high - low) * (HEIGHT - BOTTOM - TOP)

    parts = [f'<h2>{escape(title)}</h2>',
             f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">']
    for value in _ticks(low, high, 4):
        at = float(y(value))
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{at:.1f}" y2="{at:.1f}" '
                     f'stroke="#8a8f98" stroke-opacity=".3"/><text x="{LEFT - 6}" '
                     f'y="{at + 4:.1f}" text-anchor="end">{value:g}</text>')
    for value in _ticks(start, end, 8):
        at = LEFT + (value - start) / (end - start) * (WIDTH - LEFT - 10)
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - 8}" text-anchor="middle">'
                     f'{value:g} s</text>')
    parts.append(f'<text x="4" y="{TOP + 8}">{escape(unit)}</text>')
    for piece in _pieces(t):
        for (bottom, top), colour in zip(bands, COLOURS):
            parts.append(_band(x[piece], y(bottom[piece]), y(top[piece]), colour))
    return '\n'.join([*parts, '</svg>'])


def _band(x, bottom, top, colour):
    there = ' '.join(f'{a:.1f},{b:.1f}' for a, b in zip(x, top))
    back = ' '.join(f'{a:.1f},{b:.1f}' for a, b in zip(x[::-1], bottom[::-1]))
    return (f'<polygon points="{there} {back}" fill="{colour}" fill-opacity=".8" '
            f'stroke="{colour}" stroke-width="1" stroke-linejoin="round"/>')


def _pieces(t):
    """Yield slices of bins without a hole in time between them."""
    steps = np.diff(t)
    usual = float(np.median(steps)) if len(steps) else 0.0
    cuts = [0, *(np.flatnonzero(steps > 3.0 * usual) + 1), len(t)]
    for first, end in zip(cuts, cuts[1:]):
        yield slice(first, end)


def _ticks(low, high, most):
    """Return round numbers between two: steps of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / most
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    return [round(k * step, 12) for k in range(int(np.ceil(low / step)),
                                               int(np.floor(high / step)) + 1)]
