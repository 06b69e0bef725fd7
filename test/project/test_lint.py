# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The style of the source, by flake8 with the settings of setup.cfg."""

import importlib.util
from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = ['flake8', 'flake8_docstrings', 'flake8_import_order', 'flake8_quotes']
MISSING = [name for name in PLUGINS if importlib.util.find_spec(name) is None]

pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f'not installed: {", ".join(MISSING)} (requirements/lint.txt)')


def flake8(*arguments):
    """Return the finished run of flake8 in the root of the repository."""
    return subprocess.run([sys.executable, '-m', 'flake8', *map(str, arguments)], cwd=ROOT,
                          capture_output=True, text=True)


@pytest.mark.slow       # `make lint` runs it before the tests
def test_source_follows_the_style():
    done = flake8()
    assert done.returncode == 0, f'\n{done.stdout}{done.stderr}'


@pytest.mark.parametrize(('text', 'code'), [
    ('x = ' + '1 + ' * 30 + '1', 'E501'),
    ('x = "text"', 'Q000'),
    ('import sys\nimport os\nprint(os, sys)', 'I100'),
    ('import os', 'F401'),
    ('def f():\n    """No stop at the end"""', 'D400'),
    ('def f():\n    return 1', 'D103'),
])
def test_each_kind_of_fault_is_seen(tmp_path, text, code):
    # Also shows that each plugin is at work: a missing one would find nothing.
    path = tmp_path / 'sample.py'
    path.write_text(f'"""Be a sample."""\n\n{text}\n', encoding='utf-8')
    done = flake8('--config', ROOT / 'setup.cfg', path)
    assert f' {code} ' in done.stdout, f'{done.stdout}{done.stderr}'
