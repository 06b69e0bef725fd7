# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""requirements/install.py: progress, uv; and the wheel in an empty environment."""

import os
from pathlib import Path
import re
import runpy
import subprocess
import sys

import pytest
from test_package import copy_of_the_source, run

ROOT = Path(__file__).resolve().parents[2]
INSTALL = runpy.run_path(str(ROOT / 'requirements' / 'install.py'), run_name='install')
PIP = """Collecting numpy==2.4.6
  Using cached numpy-2.4.6-cp311.whl (16.9 MB)
Collecting scipy==1.17.1
  Downloading scipy-1.17.1-cp311-cp311-manylinux_2_27_x86_64.whl (35.2 MB)
Collecting six
  Downloading six-1.17.0-py2.py3-none-any.whl (11 kB)
Installing collected packages: six, numpy, scipy
Successfully installed numpy-2.4.6 scipy-1.17.1
ERROR: something is odd
"""


def test_progress_of_pip_is_shown(capsys):
    INSTALL['report_progress'](PIP.splitlines(keepends=True))
    out, err = capsys.readouterr()
    assert out.splitlines() == ['[kane_dynamics] downloading scipy (35.2 MB)',
                                '[kane_dynamics] installing 3 packages']
    assert err == 'ERROR: something is odd\n'


def test_progress_is_one_line_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, 'isatty', lambda: True, raising=False)
    INSTALL['report_progress'](PIP.splitlines(keepends=True))
    shown = capsys.readouterr().out
    assert shown.count('\n') == 1 and '3 packages found; six' in shown
    assert 'installing 3 packages' in shown.split('\r')[-1]


@pytest.mark.parametrize(('code', 'expected'), [(0, True), (1, False)])
def test_uv_is_used_where_it_is_installed(tmp_path, monkeypatch, code, expected):
    uv = tmp_path / 'uv'
    uv.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/called\nexit {code}\n')
    uv.chmod(0o755)
    monkeypatch.setenv('PATH', f'{tmp_path}{os.pathsep}{os.environ["PATH"]}')
    assert INSTALL['uv_install']('-r', 'x.txt') is expected
    assert re.fullmatch(r'pip install --python \S+/\.venv/bin/python -r x\.txt\n',
                        (tmp_path / 'called').read_text())


def test_pip_is_used_without_uv(monkeypatch, tmp_path):
    monkeypatch.setenv('PATH', str(tmp_path))
    assert INSTALL['uv_install']('-r', 'x.txt') is False


def test_the_first_part_of_the_demo_needs_neither_ros_nor_pinocchio_nor_ffmpeg():
    first = INSTALL['requirements_of'](INSTALL['files_of']('first'))
    assert set(first) == {'setuptools', 'numpy', 'scipy', 'pyyaml', 'llvmlite'}
    demo = INSTALL['requirements_of'](INSTALL['files_of']('demo'))
    assert 'pin' not in demo and 'imageio-ffmpeg' not in demo and 'ros-rclpy' in demo


@pytest.mark.slow
def test_the_wheel_in_an_empty_environment_runs_the_first_lines_of_the_readme(tmp_path):
    pytest.importorskip('build', reason='build is not installed')
    source = copy_of_the_source(tmp_path / 'source')
    run(sys.executable, '-m', 'build', '--no-isolation', '--outdir', tmp_path / 'dist', source)
    [wheel], [sdist] = (list((tmp_path / 'dist').glob(f'*.{ending}'))
                        for ending in ('whl', 'tar.gz'))
    assert sdist.stat().st_size > 1e5
    run(sys.executable, '-m', 'venv', tmp_path / 'empty')
    python = tmp_path / 'empty' / 'bin' / 'python'
    done = subprocess.run([python, '-m', 'pip', 'install', '-q', f'{wheel}[robots]'],
                          capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f'no packages from a registry: {done.stderr[-200:]}')
    section = (ROOT / 'README.md').read_text().partition('## First torques')[2]
    lines = re.search(r'```python\n(.*?)```', section, re.S)[1]
    shown = run(python, '-c', lines, cwd=tmp_path,
                env={**os.environ, 'BROWSER': 'true', 'PYTHONPATH': ''})
    torques = [float(word) for word in re.findall(r'-?\d+\.?\d*(?:e[-+]\d+)?', shown)]
    assert len(torques) == 6 and 30.0 < abs(torques[1]) < 100.0      # the shoulder of a UR5
