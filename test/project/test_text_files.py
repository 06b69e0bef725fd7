# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Text files: line ends, trailing spaces, and the width of Markdown."""

from pathlib import Path
import re
import subprocess

import pytest

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 100
ENDINGS = {'.py', '.md', '.rst', '.yaml', '.yml', '.toml', '.cfg', '.txt', '.urdf', '.xml', '.js',
           '.css'}


def tracked():
    """Return the text files that git tracks; without git, those of the source folders."""
    done = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT,
                          capture_output=True, text=True)
    names = done.stdout.splitlines() if done.returncode == 0 else [
        path.relative_to(ROOT).as_posix() for folder in ('kane_dynamics', 'test', 'doc')
        for path in (ROOT / folder).rglob('*')]
    return [ROOT / name for name in names
            if Path(name).suffix in ENDINGS and (ROOT / name).is_file()]


def test_text_files_end_with_one_line_break_and_have_no_trailing_spaces():
    wrong = []
    for path in tracked():
        text = path.read_bytes().decode('utf-8')
        if '\r' in text or re.search(r'[ \t]+$', text, re.M) or (
                text and (not text.endswith('\n') or text.endswith('\n\n'))):
            wrong.append(path.relative_to(ROOT).as_posix())
    assert wrong == []


def too_wide(text):
    """Yield (line number, line) of Markdown prose beyond WIDTH: not tables, code and pictures."""
    code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith('```'):
            code = not code
        elif (not code and len(line) > WIDTH and not line.lstrip().startswith(('|', '!['))
              and max(map(len, line.split())) < WIDTH - 20):
            yield number, line


@pytest.mark.parametrize('path', [path for path in tracked() if path.suffix == '.md'],
                         ids=lambda path: path.relative_to(ROOT).as_posix())
def test_markdown_is_wrapped(path):
    assert list(too_wide(path.read_text(encoding='utf-8'))) == []


def test_a_line_that_is_too_wide_is_found():
    wide = 'word ' * 21
    text = f'short\n{wide}\n| {wide} |\n```\n{wide}\n```'
    assert [number for number, _ in too_wide(text)] == [2]
