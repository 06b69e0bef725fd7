# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Type annotations: all arguments and returns have one, and mypy is strict without exemptions."""

import ast
from pathlib import Path
import re

import pytest
from test_imports import sources

ROOT = Path(__file__).resolve().parents[2]
MOST_IGNORED = 4        # `type: ignore`, each with its error code


def unannotated(text):
    """Return (count of arguments and returns, those without annotation as 'function:argument')."""
    count, found = 0, []

    def visit(node, in_class=False):
        nonlocal count
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                arguments = child.args
                given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs,
                         *filter(None, (arguments.vararg, arguments.kwarg))]
                static = any(ast.unparse(each) == 'staticmethod'
                             for each in child.decorator_list)
                if in_class and not static:
                    given.remove((arguments.posonlyargs + arguments.args)[0])   # self or cls
                count += len(given) + 1
                found.extend(f'{child.name}:{each.arg}' for each in given
                             if each.annotation is None)
                if child.returns is None:
                    found.append(f'{child.name}:return')
            visit(child, isinstance(child, ast.ClassDef)
                  or in_class and isinstance(child, ast.If))    # if TYPE_CHECKING:
    visit(ast.parse(text))
    return count, found


def test_every_argument_and_return_is_annotated(record_property):
    total, missing = 0, []
    for path, text in sources().items():
        count, found = unannotated(text)
        total += count
        missing += [f'{path}: {each}' for each in found]
    record_property('figure', f'{total} arguments and returns are annotated, of {total} in all')
    assert total > 5000 and missing == []


@pytest.mark.parametrize(('text', 'expected'), [
    ('def f(a: int, *b: int, **c: int) -> None: ...', []),
    ('def f(a, *, b): ...', ['f:a', 'f:b', 'f:return']),
    ('class A:\n    def f(self, a) -> None: ...', ['f:a']),
    ('class A:\n    @staticmethod\n    def f(a) -> None: ...', ['f:a']),
    ('def f() -> None:\n    def g(a): ...', ['g:a', 'g:return']),
])
def test_missing_annotations_are_found(text, expected):
    assert unannotated(text)[1] == expected


def test_the_package_says_that_it_is_typed():
    assert (ROOT / 'kane_dynamics' / 'py.typed').is_file()
    assert 'py.typed' in (ROOT / 'setup.py').read_text()


def test_mypy_is_strict_and_few_lines_are_ignored():
    settings = (ROOT / 'pyproject.toml').read_text()
    assert re.search(r'^strict = true$', settings, re.M)
    for loophole in ('ignore_errors', 'exclude', 'untyped_defs', 'any_generics', 'optional'):
        assert loophole not in settings
    ignored = [(path, line) for path, text in sources().items() for line in text.splitlines()
               if 'type: ignore' in line]
    assert len(ignored) <= MOST_IGNORED
    assert [each for each in ignored if not re.search(r'type: ignore\[[a-z-]+\]', each[1])] == []
    assert not [path for path, text in sources().items() if 'mypy: ' in text]
