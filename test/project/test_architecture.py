# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""doc/architecture.md and the public names agree with the package."""

import ast
from pathlib import Path
import re
import subprocess
import sys

import pytest
from test_imports import ORDER, sources

import kane_dynamics as kd

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / 'doc' / 'architecture.md'
PROGRAMS = [*sorted((ROOT / 'examples').glob('*.py')), *sorted((ROOT / 'doc').glob('*.md')),
            ROOT / 'README.md', ROOT / 'examples' / 'README.md']


def rooms_table():
    """Return the table of folders with the first line of their docstrings."""
    rows = ['| folder | what is inside |', '|---|---|']
    texts = {path: text for path, text in sources().items() if path.endswith('/__init__.py')}
    rank = {room: k for k, rooms in enumerate(ORDER) for room in rooms}
    for path in sorted(texts, key=lambda path: (rank[path.split('/')[0]], path)):
        line = ast.get_docstring(ast.parse(texts[path])).splitlines()[0]
        rows.append(f'| `{path.removesuffix("/__init__.py")}` | {line} |')
    return '\n'.join(rows)


def test_the_table_of_rooms_is_that_of_the_folders(request):
    text = PAGE.read_text(encoding='utf-8')
    start = '<!-- rooms: printed by test/project/test_architecture.py -->\n'
    end = '<!-- /rooms -->'
    before, rest = text.split(start)
    shown, after = rest.split(end)
    if request.config.getoption('--update-golden'):
        PAGE.write_text(before + start + rooms_table() + '\n' + end + after, encoding='utf-8')
        return
    assert shown.strip() == rooms_table(), (
        'run pytest --update-golden test/project/test_architecture.py and look at the change')


def test_every_step_of_the_walks_exists():
    steps = re.findall(r'^\| \d+ \| `([\w/]+\.py)` \| `(\w+)` \|', PAGE.read_text(), re.M)
    assert len(steps) >= 20
    for path, function in steps:
        tree = ast.parse((ROOT / 'kane_dynamics' / path).read_text(encoding='utf-8'))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert function in names, f'{path} has no function {function}'


def test_every_room_is_in_the_drawing():
    drawing = PAGE.read_text().split('```')[1]
    for rooms in ORDER:
        for room in rooms:
            assert room == '__main__' or re.search(rf'\b{room}\b', drawing), room


def test_tests_mirror_the_rooms():
    rooms = {room for rooms in ORDER for room in rooms} - {'exceptions', '__main__'}
    assert {room for room in rooms if not (ROOT / 'test' / room).is_dir()} == set()
    wrong = []
    for room in rooms:
        # test_<module>.py or test_<folder>.py, with a theme behind it where there are several
        stems = {part for path in sources() if path.startswith(f'{room}/')
                 for part in (Path(path).stem, Path(path).parent.name)}
        wrong += [path.relative_to(ROOT).as_posix()
                  for path in (ROOT / 'test' / room).glob('test_*.py')
                  if not any(f'{path.stem}_'.startswith(f'test_{stem}_') for stem in stems)]
    assert wrong == [], 'name them after the module or folder that they test'


# ---- public names ---------------------------------------------------------------------------


def test_dir_shows_the_public_names_and_nothing_else():
    assert sorted(dir(kd)) == sorted([*kd.__all__, '__version__'])
    for name in kd.__all__:
        assert not name.startswith('_') and getattr(kd, name) is not None


def test_no_two_public_names_are_the_same():
    names = [name for names in kd._PUBLIC.values() for name in names]
    assert sorted(names) == sorted(set(names))


def public_folders():
    """Return the folders that a page of doc/ names as a place to import from."""
    return set(re.findall(r'`kane_dynamics\.([a-z_.]+)`', '\n'.join(
        path.read_text(encoding='utf-8') for path in (ROOT / 'doc').glob('*.md'))))


@pytest.mark.parametrize('path', PROGRAMS, ids=lambda path: path.name)
def test_documents_and_examples_use_public_names_only(path):
    text = path.read_text(encoding='utf-8')
    blocks = [text] if path.suffix == '.py' else re.findall(r'```python\n(.*?)```', text, re.S)
    for block in blocks:
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or '').startswith(
                    'kane_dynamics.'):
                assert node.module.removeprefix('kane_dynamics.') in public_folders(), (
                    f'{path.name}:{node.lineno} imports from {node.module}: take a public name of '
                    'kane_dynamics, or document the module in doc/')
            if isinstance(node, ast.ImportFrom) and node.module == 'kane_dynamics':
                assert {alias.name for alias in node.names} <= {*kd.__all__, '__version__'}


def loaded_by(statement):
    """Return the modules that one statement loads in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, '-c', f'{statement}\nimport sys\nprint(*sys.modules)'],
        cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_the_package_loads_no_room_and_no_scipy():
    loaded = loaded_by('import kane_dynamics')
    assert [name for name in loaded if name.startswith('kane_dynamics.')] == []
    assert 'scipy' not in loaded and 'numpy' not in loaded


def test_a_torque_does_not_wait_for_scipy():
    loaded = loaded_by(
        "import kane_dynamics as kd\nkd.Dynamics(kd.load_urdf('urdf/two_link.urdf'))"
        '.inverse([0.1, 0.2], [0, 0], [0, 0])')
    assert 'scipy' not in loaded


@pytest.mark.parametrize('module', ['kane_dynamics.trajectory.motion', 'kane_dynamics.io.text',
                                    'kane_dynamics.numerics.rotations'])
def test_a_leaf_module_loads_few_others(module):
    loaded = [name for name in loaded_by(f'import {module}') if name.startswith('kane_dynamics')]
    assert len(loaded) <= 12, loaded
