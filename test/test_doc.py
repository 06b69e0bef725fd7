# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the documentation shows is what the package does."""

from pathlib import Path
import re

import pytest

from kane_dynamics import Dynamics, load_urdf
from kane_dynamics.codegen.python import python_source

ROOT = Path(__file__).parents[1]
PAGE = ROOT / 'doc' / 'code_generation.md'
SHOWN = re.compile(r'(<!-- generated: two_link inverse -->\n```python\n)(.*?)(```\n<!-- end -->)',
                   re.DOTALL)


def test_the_generated_text_in_the_documentation_is_what_the_generator_writes(request):
    page = PAGE.read_text()
    text = python_source(Dynamics(load_urdf(ROOT / 'urdf' / 'two_link.urdf')).program('inverse'))
    if request.config.getoption('--update-golden', default=False):
        PAGE.write_text(SHOWN.sub(lambda found: found[1] + text + found[3], page))
    shown = SHOWN.search(PAGE.read_text())
    assert shown is not None, 'the page has lost its generated part'
    assert shown[2] == text, 'run pytest --update-golden test/test_doc.py and look at the change'


def _python_blocks(path):
    return re.findall(r'```python\n(.*?)```', path.read_text(), re.DOTALL)


@pytest.mark.parametrize('number', range(len(_python_blocks(ROOT / 'README.md'))))
def test_the_code_in_the_readme_runs(number, monkeypatch):
    monkeypatch.chdir(ROOT)
    code = '\n'.join(_python_blocks(ROOT / 'README.md')[:number + 1])   # each builds on the last
    exec(compile(code, f'README.md, block {number + 1}', 'exec'), {})


def _commands():
    blocks = re.findall(r'```sh\n(.*?)```', (ROOT / 'README.md').read_text(), re.DOTALL)
    return [line.split('#')[0].strip() for block in blocks for line in block.splitlines()]


def test_every_make_target_in_the_readme_exists():
    targets = re.findall(r'^([a-z-]+):', (ROOT / 'Makefile').read_text(), re.MULTILINE)
    named = {line.split()[1] for line in _commands() if line.startswith('make ')}
    assert named and named <= set(targets), named - set(targets)


def test_links_in_the_documentation_lead_somewhere():
    for page in [ROOT / 'README.md', *sorted((ROOT / 'doc').glob('*.md'))]:
        for target in re.findall(r'\]\(([^)#:]+)\)', page.read_text()):
            assert (page.parent / target).exists(), f'{page.name}: {target}'
