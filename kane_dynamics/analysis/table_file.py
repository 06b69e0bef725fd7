# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of samples as CSV: read with the line of every mistake, and written."""

from __future__ import annotations

import csv

import numpy as np

from kane_dynamics.exceptions import InputError

TIMES = ('t', 'time')
FIELDS = ('q', 'qd', 'qdd')
MOST_ROWS = 10_000_000


def read_table(path, joint_names):
    """Return t (N,), q (N, n) and, where the table has them, qd and qdd, in joint order.

    Columns are found by their titles: 't' or 'time' [s]; 'joint' or 'joint.q' [rad or m], and
    'joint.qd', 'joint.qdd' for every joint or for none. Others are left alone.
    """
    with open(path, newline='', encoding='utf-8', errors='replace') as stream:
        rows = csv.reader(stream)
        try:
            titles = [title.strip() for title in next(rows, [])]
        except csv.Error as error:
            raise InputError(f'{path}:1: {error}') from None
        columns, fields = _columns(path, titles, joint_names)
        values = []
        try:
            for row in rows:
                if row:
                    values.append(_numbers(path, rows.line_num, row, columns, titles))
                if len(values) > MOST_ROWS:
                    raise InputError(f'{path}: more than {MOST_ROWS} rows')
        except csv.Error as error:
            raise InputError(f'{path}:{rows.line_num}: {error}') from None
    if len(values) < 2:
        raise InputError(f'{path}: a motion needs two rows of numbers or more, got {len(values)}')
    table = np.array(values)
    t = table[:, 0]
    if (np.diff(t) <= 0.0).any():
        k = int(np.argmax(np.diff(t) <= 0.0))
        raise InputError(f'{path}: times must grow; row {k + 2} of the numbers has {t[k + 1]:g} s '
                         f'after {t[k]:g} s')
    n = len(joint_names)
    return (t, *(table[:, 1 + k * n:1 + (k + 1) * n] for k in range(fields)))


def _columns(path, titles, joint_names):
    """Return the places of time and joints among the titles, and how many fields there are."""
    twice = {title for title in titles if titles.count(title) > 1 and title}
    if twice:
        raise InputError(f'{path}:1: titles come twice: {", ".join(sorted(twice))}')
    time = [k for k, title in enumerate(titles) if title in TIMES]
    if not time:
        raise InputError(f"{path}:1: no column 't' or 'time'; there are {', '.join(titles)}")
    columns, fields = time[:1], 0
    for number, field in enumerate(FIELDS):
        names = [[f'{joint}.{field}', joint][:2 if number == 0 else 1] for joint in joint_names]
        found = [next((titles.index(name) for name in each if name in titles), None)
                 for each in names]
        missing = [each[-1] for each, place in zip(names, found) if place is None]
        if number == 0 and missing:
            raise InputError(f'{path}:1: no column for {", ".join(missing)}; there are '
                             f'{", ".join(titles)}')
        if missing:
            if len(missing) < len(names):
                raise InputError(f'{path}:1: {field} is there for some joints but not for '
                                 f'{", ".join(missing)}')
            break
        columns, fields = [*columns, *found], fields + 1
    return columns, fields


def _numbers(path, line, row, columns, titles):
    numbers = []
    for k in columns:
        text = row[k] if k < len(row) else ''
        try:
            value = float(text)
        except ValueError:
            raise InputError(f'{path}:{line}: column {titles[k]!r}: expected a number, got '
                             f'{text[:40]!r}') from None
        if not np.isfinite(value):
            raise InputError(f'{path}:{line}: column {titles[k]!r} is {text.strip()}')
        numbers.append(value)
    return numbers


def write_table(path, columns):
    """Write {title: (N,)} as CSV with nine digits."""
    titles = list(columns)
    rows = np.column_stack([np.asarray(columns[title], dtype=float) for title in titles])
    form = ','.join(['%.9g'] * len(titles))
    with open(path, 'w', encoding='utf-8', newline='\n') as stream:
        stream.write(','.join(_quoted(title) for title in titles) + '\n')
        stream.write('\n'.join(form % tuple(row) for row in rows.tolist()) + '\n')


def _quoted(title):
    return '"' + title.replace('"', '""') + '"' if any(c in title for c in ',"\n') else title
