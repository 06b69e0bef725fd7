# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""doc/tasks.md says what is: its programs run, the claims that it names are tests; its example."""

import contextlib
import io
from pathlib import Path
import re
import runpy

import pytest

from kane_dynamics.task.finding import POSITION_LIMIT, SINGULAR, UNREACHABLE, VELOCITY_LIMIT

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / 'doc' / 'tasks.md').read_text(encoding='utf-8')


def test_the_programs_of_the_document_print_what_the_document_shows(monkeypatch):
    monkeypatch.chdir(ROOT)
    programs = re.findall(r'```python\n(.*?)```', TEXT, re.S)
    shown = re.findall(r'```text\n(.*?)```', TEXT, re.S)
    names = {}
    for program, expected in zip(programs, shown, strict=True):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, 'doc/tasks.md', 'exec'), names)
        assert printed.getvalue() == expected


def test_every_kind_of_finding_has_its_row():
    for kind in (UNREACHABLE, SINGULAR, POSITION_LIMIT, VELOCITY_LIMIT):
        assert f'\n| `{kind}` |' in TEXT


def test_the_example_prints_its_figures_and_draws_its_picture(tmp_path, capsys):
    pytest.importorskip('matplotlib')
    main = runpy.run_path(str(ROOT / 'examples' / 'straight_line.py'))['main']
    picture = tmp_path / 'line.svg'
    main(['--plot', str(picture)])
    text = capsys.readouterr().out
    times = [float(line.split()[-2]) for line in text.splitlines() if line.endswith(' s')]
    assert times == sorted(times, reverse=True) and len(times) == 3    # asked, scaled, shortest
    assert text.count('unreachable') == 2
    off = float(re.search(r'from the line +(\S+) m', text)[1])
    assert off < 1e-6                                       # the bar
    assert 'torque over its limit' in picture.read_text(encoding='utf-8')
