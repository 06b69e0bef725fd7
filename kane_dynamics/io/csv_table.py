# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""CSV tables of samples, read with line numbers in every error, and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
import csv
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.files import whole_file
from kane_dynamics.io.limits import CSV_ROWS
from kane_dynamics.io.text import clean, PATH, show, show_names
from kane_dynamics.io.units import MAX_NUMBER, MAX_POSITION

TIMES = ('t', 'time')
FIELDS = ('q', 'qd', 'qdd')


def read_table(path: str | Path,
               joint_names: Sequence[str]) -> tuple[NDArray[np.float64], ...]:
    """Return t (N,), q (N, n) and, if the table has them, qd and qdd, in joint order.

    Columns are found by their titles: 't' or 'time' [s]; 'joint' or 'joint.q' [rad or m], and
    'joint.qd', 'joint.qdd' for every joint or for none. Other columns are ignored.
    """
    name = clean(path, PATH)
    with open(path, newline='', encoding='utf-8', errors='replace') as stream:
        rows = csv.reader(stream)
        try:
            titles = [title.strip() for title in next(rows, [])]
        except csv.Error as error:
            raise InputError(f'{name}:1: {clean(error)}') from None
        columns, fields = _columns(name, titles, joint_names)
        positions = range(1, 1 + len(joint_names))         # among the columns
        values, most = [], CSV_ROWS.value
        try:
            for row in rows:
                if row:
                    values.append(_numbers(name, rows.line_num, row, columns, titles, positions))
                if len(values) > most:
                    raise InputError(f'{name}: {CSV_ROWS.exceeded}')
        except csv.Error as error:
            raise InputError(f'{name}:{rows.line_num}: {clean(error)}') from None
    if len(values) < 2:
        raise InputError(f'{name}: a motion needs at least two rows of numbers, got {len(values)}')
    table = np.array(values)
    t = table[:, 0]
    if (np.diff(t) <= 0.0).any():
        k = int(np.argmax(np.diff(t) <= 0.0))
        raise InputError(f'{name}: times must increase; data row {k + 2} has {t[k + 1]:g} s '
                         f'after {t[k]:g} s')
    n = len(joint_names)
    return (t, *(table[:, 1 + k * n:1 + (k + 1) * n] for k in range(fields)))


def read_series(path: str | Path,
                titles: Sequence[Sequence[str]]) -> tuple[NDArray[np.float64], ...]:
    """Return t (N,) [s] and values (N, n) of n columns, each under one of its titles."""
    name = clean(path, PATH)
    try:
        with open(path, newline='', encoding='utf-8', errors='replace') as stream:
            rows = csv.reader(stream)
            header = [title.strip() for title in next(rows, [])]
            chosen = [_column(name, header, each) for each in (TIMES, *titles)]
            table = np.array([_numbers(name, rows.line_num, row, chosen, header, range(0))
                              for row in rows if row])
    except csv.Error as error:
        raise InputError(f'{name}: {clean(error)}') from None
    except OSError as error:
        raise InputError(f'{name}: {error.strerror}') from None
    if len(table) < 2:
        raise InputError(f'{name}: a table needs at least two rows of numbers, got {len(table)}')
    return table[:, 0], table[:, 1:]


def _column(name: str, header: list[str], titles: Sequence[str]) -> int:
    """Return the index of the first of some titles in the header of a table."""
    for title in titles:
        if header.count(title) > 1:
            raise InputError(f'{name}:1: the title {show(title)} comes twice')
        if title in header:
            return header.index(title)
    raise InputError(f'{name}:1: no column {" or ".join(map(repr, titles))}; there are '
                     f'{show_names(header)}')


def _columns(name: str, titles: list[str],
             joint_names: Sequence[str]) -> tuple[list[int], int]:
    """Return the column indices of time and joints, and the number of fields."""
    twice = [title for title, count in Counter(titles).items() if count > 1 and title]
    if twice:
        raise InputError(f'{name}:1: titles come twice: {show_names(twice)}')
    time = [k for k, title in enumerate(titles) if title in TIMES]
    if not time:
        raise InputError(f"{name}:1: no column 't' or 'time'; there are {show_names(titles)}")
    columns, fields = time[:1], 0
    found: list[int]
    for number, field in enumerate(FIELDS):
        names = [[f'{joint}.{field}', joint][:2 if number == 0 else 1] for joint in joint_names]
        found = [titles.index(title) for each in names
                 for title in [next((title for title in each if title in titles), None)]
                 if title is not None]
        missing = [each[-1] for each in names if not any(title in titles for title in each)]
        if number == 0 and missing:
            raise InputError(f'{name}:1: no column for {", ".join(missing)}; there are '
                             f'{show_names(titles)}')
        if missing:
            if len(missing) < len(names):
                raise InputError(f'{name}:1: {field} is there for some joints but not for '
                                 f'{", ".join(missing)}')
            break
        columns, fields = [*columns, *found], fields + 1
    return columns, fields


def _numbers(name: str, line: int, row: list[str], columns: list[int], titles: list[str],
             positions: range) -> list[float]:
    numbers = []
    for index, k in enumerate(columns):
        text = row[k] if k < len(row) else ''
        try:
            value = float(text)
        except ValueError:
            raise InputError(f'{name}:{line}: column {show(titles[k])}: expected a number, '
                             f'got {show(text)}') from None
        if not np.isfinite(value):
            raise InputError(f'{name}:{line}: column {show(titles[k])} is {show(text.strip())}; '
                             'expected a finite number')
        most = MAX_POSITION if index in positions else MAX_NUMBER
        if abs(value) > most:
            raise InputError(f'{name}:{line}: column {show(titles[k])} is {value:g}; expected '
                             f'at most {most:g}')
        numbers.append(value)
    return numbers


def write_table(path: str | Path, columns: Mapping[str, ArrayLike]) -> None:
    """Write {title: (N,)} as CSV with nine digits."""
    titles = list(columns)
    rows = np.column_stack([np.asarray(columns[title], dtype=float) for title in titles])
    form = ','.join(['%.9g'] * len(titles))
    with whole_file(path) as temporary, open(temporary, 'w', encoding='utf-8',
                                             newline='\n') as stream:
        stream.write(','.join(_quoted(title) for title in titles) + '\n')
        stream.write('\n'.join(form % tuple(row) for row in rows.tolist()) + '\n')


def _quoted(title: str) -> str:
    return '"' + title.replace('"', '""') + '"' if any(c in title for c in ',"\n') else title
