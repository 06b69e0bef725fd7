# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Tutorials run as a reader runs them: block by block, from top to bottom, in an empty folder.

Python is executed, `kane` commands are run, YAML blocks become the file that their first line
names, and a `text` block is what the block before it printed. Lines of `ros2`, `pip` and the like
are left to test_doc.py, which knows their words. Notebooks run in Jupyter.
"""

import contextlib
import io
import json
from pathlib import Path
import re
import shlex

import pytest
from test_doc import blocks

from kane_dynamics.commands.cli import main

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / 'doc' / 'tutorials'
PAGES = sorted(path for path in TUTORIALS.glob('*.md') if path.stem != 'index')
NOTEBOOKS = sorted(TUTORIALS.glob('*.ipynb'))
NEEDS = ('matplotlib', 'pinocchio', 'rosbags', 'mujoco')


def run_shell(text):
    """Run the `kane` commands of a block and return what they printed."""
    printed = io.StringIO()
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ['kane']:
            expected = 1 if 'exit status 1' in line else 0
            more = ['--no-browser'] if words[1] == 'view' else []
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                status = main([*words[1:], *more])
            assert status == expected, f'{line}\n{printed.getvalue()}'
    return printed.getvalue()


def run_python(text, names, page):
    """Execute a block and return what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, page.name, 'exec'), names)
    return printed.getvalue()


def prepared(folder):
    """Link the files that a reader has in the repository into an empty folder."""
    for name in ('urdf', 'examples', 'config'):
        (folder / name).symlink_to(ROOT / name)


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.stem)
def test_a_tutorial_runs_and_prints_what_it_shows(page, tmp_path, monkeypatch):
    for package in NEEDS:
        pytest.importorskip(package)
    prepared(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('MPLBACKEND', 'Agg')
    names, printed, ran = {'__name__': '__main__'}, '', 0
    for language, text in blocks(page):
        if language == 'python':
            printed, ran = run_python(text, names, page), ran + 1
        elif language == 'sh':
            printed, ran = run_shell(text), ran + ('kane ' in text)
        elif language == 'yaml':
            name = re.match(r'# (\S+\.yaml)\n', text)
            assert name, f'{page.name}: the first line of a YAML block names its file'
            (tmp_path / name[1]).write_text(text, encoding='utf-8')
        elif language == 'text':
            for line in text.splitlines():
                assert line.strip() in ('', '...') or line in printed.splitlines(), (
                    f'{page.name} shows {line!r}; printed:\n{printed}')
    assert ran >= 2, f'{page.name} runs nothing'


@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_jupyter(path, tmp_path):
    nbclient, nbformat = pytest.importorskip('nbclient'), pytest.importorskip('nbformat')
    pytest.importorskip('ipykernel')
    pytest.importorskip('matplotlib')
    prepared(tmp_path)
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name='python3',
                            resources={'metadata': {'path': str(tmp_path)}}).execute()
    assert any(cell.outputs for cell in notebook.cells if cell.cell_type == 'code')


@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_output_and_its_code_compiles(path):
    notebook = json.loads(path.read_text(encoding='utf-8'))
    cells = [cell for cell in notebook['cells'] if cell['cell_type'] == 'code']
    assert len(cells) >= 3
    for cell in cells:
        assert cell['outputs'] == [] and cell['execution_count'] is None
        compile(''.join(cell['source']), path.name, 'exec')


def test_there_are_two_notebooks_and_the_tutorials_that_users_ask_for():
    assert len(NOTEBOOKS) >= 2
    assert {page.stem for page in [*PAGES, *NOTEBOOKS]} >= {
        'torques', 'feedforward', 'calibration', 'task', 'flexible_arm', 'migration'}
