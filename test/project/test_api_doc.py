# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The API reference lists every public name, on the page of its room; Sphinx is not needed."""

import inspect
from pathlib import Path
import re

import pytest

import kane_dynamics as kd

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / 'doc' / 'api'
START = '<!-- names: written by test/project/test_api_doc.py -->\n'
END = '<!-- /names -->'
RENEW = 'run pytest --update-golden test/project/test_api_doc.py and look at the change'


def rooms():
    """Return {room: [public name, ...]} in the order of the package."""
    found = {}
    for module, names in kd._PUBLIC.items():
        found.setdefault(module.split('.')[0], []).extend(names)
    return found


def directive(name):
    """Return the lines that make Sphinx document one public name."""
    value = getattr(kd, name)
    if inspect.isclass(value):
        hidden = [base for base in value.__mro__[1:] if base.__module__.startswith('kane_dynamics')
                  and base.__name__ not in kd.__all__]
        others = [base.__name__ for base in value.__mro__[1:] if base not in hidden]
        return [f'.. autoclass:: {name}',
                *([f'   :inherited-members: {", ".join(others)}'] if hidden else []), '']
    if callable(value):
        return [f'.. autofunction:: {name}', '']
    assert isinstance(value, dict), f'{name}: say here how to document a {type(value).__name__}'
    return [f'.. py:data:: {name}', '', '   A mapping with the keys '
            + ', '.join(f'`{key}`' for key in value) + '.', '']


def sections(room):
    """Return {heading: [public name, ...]}: the room itself, its main module first; sub-rooms."""
    found = {'': []}
    modules = [module for module in kd._PUBLIC if module.split('.')[0] == room]
    for module in sorted(modules, key=lambda module: module != f'{room}.{room}'):
        heading = module.split('.')[1].capitalize() if module.count('.') > 1 else ''
        found.setdefault(heading, []).extend(kd._PUBLIC[module])
    return found


def listing(room):
    """Return the reference part of a room's page."""
    lines = []
    for heading, names in sections(room).items():
        lines += [f'## {heading}', ''] if heading and names else []
        if names:
            lines += ['```{eval-rst}', '.. currentmodule:: kane_dynamics', '']
            lines += [line for name in names for line in directive(name)]
            lines[-1:] = ['```', '']
    return '\n'.join(lines[:-1]) + '\n'


@pytest.mark.parametrize('room', rooms())
def test_the_page_of_a_room_documents_every_public_name(room, request):
    path = PAGES / f'{room}.md'
    assert path.is_file(), f'write doc/api/{room}.md, as the pages beside it, with {START!r}'
    text = path.read_text(encoding='utf-8')
    before, rest = text.split(START)
    shown, after = rest.split(END)
    if request.config.getoption('--update-golden'):
        path.write_text(before + START + listing(room) + END + after, encoding='utf-8')
        return
    assert shown == listing(room), RENEW


def test_every_public_name_is_in_the_reference_once():
    text = ''.join(path.read_text(encoding='utf-8') for path in sorted(PAGES.glob('*.md')))
    listed = re.findall(r'^\.\. (?:autoclass|autofunction|py:data):: (\w+)$', text, re.M)
    assert sorted(listed) == sorted(kd.__all__), RENEW


def test_the_index_leads_to_every_page_of_the_reference():
    index = (PAGES / 'index.md').read_text(encoding='utf-8')
    for room in rooms():
        assert f']({room}.md)' in index and f'\n{room}\n' in index, room


@pytest.mark.parametrize('name', kd.__all__)
def test_every_public_name_has_a_docstring_of_its_own(name):
    value = getattr(kd, name)
    if isinstance(value, dict):
        return
    text = value.__dict__.get('__doc__') if inspect.isclass(value) else inspect.getdoc(value)
    assert text and len(text.split()) > 3, name
    assert not text.startswith(f'{name}('), f'{name}: only the signature of a dataclass'
