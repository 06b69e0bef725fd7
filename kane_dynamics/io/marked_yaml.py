# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""YAML with line numbers, so that every error in a file names its line.

Only numbers and strings are made from the text: each reader asks for the nodes that it knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import NoReturn, ParamSpec, TypeVar

import yaml

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.files import near_file
from kane_dynamics.io.limits import YAML_BYTES, YAML_DEPTH
from kane_dynamics.io.text import clean, did_you_mean, PATH, show, WORD
from kane_dynamics.io.units import MAX_NUMBER, MAX_POSITION, parse

MERGE = 'tag:yaml.org,2002:merge'
YES, NO = ('true', 'yes', 'on'), ('false', 'no', 'off')

P = ParamSpec('P')
T = TypeVar('T')


class FileError(InputError):
    """An error in a file: its name, its line, and the reason."""

    def __init__(self, file: str, line: int, message: str) -> None:
        super().__init__(f'{file}:{line}: {message}')
        self.file, self.line, self.reason = file, line, message

    def __reduce__(self) -> tuple[type[FileError], tuple[str, int, str]]:
        return FileError, (self.file, self.line, self.reason)


class ImpossibleError(FileError):
    """A valid task that the arm cannot reach; the message says where."""

    def __reduce__(self) -> tuple[type[FileError], tuple[str, int, str]]:
        return ImpossibleError, (self.file, self.line, self.reason)


class Marked:
    """A value of the file: a mapping, a list or a text, with its line and its path."""

    def __init__(self, node: yaml.Node, file: str, path: str = '') -> None:
        self.node, self.file, self.path = node, file, path

    @property
    def line(self) -> int:
        """Return the line in the file, from 1."""
        return self.node.start_mark.line + 1

    def fail(self, message: str, error: type[FileError] = FileError) -> NoReturn:
        """Raise a FileError with the line of this value."""
        raise error(self.file, self.line, f'{self.path}: {message}' if self.path else message)

    # -- kinds ----------------------------------------------------------------------------------

    @property
    def is_mapping(self) -> bool:
        """Return whether it is a mapping of names to values."""
        return isinstance(self.node, yaml.MappingNode)

    @property
    def is_list(self) -> bool:
        """Return whether it is a list."""
        return isinstance(self.node, yaml.SequenceNode)

    @property
    def is_text(self) -> bool:
        """Return whether it is a single word, number or text."""
        return isinstance(self.node, yaml.ScalarNode)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is written."""
        return (isinstance(self.node, yaml.ScalarNode)
                and self.node.value.strip() in ('', '~', 'null'))

    def _kind(self) -> str:
        if self.is_empty:
            return 'nothing'
        return 'a list' if self.is_list else 'names with values' if self.is_mapping else (
            show(self.node.value))

    # -- mappings -------------------------------------------------------------------------------

    def entries(self) -> dict[str, Marked]:
        """Return {name: Marked}; a name that comes twice is refused."""
        return self._entries(set())

    def _entries(self, seen: set[yaml.Node]) -> dict[str, Marked]:
        """Return {name: Marked}; seen: nodes that are merged already, which add nothing more.

        Without it, merges of merges take a time that is exponential in the length of the file.
        """
        seen.add(self.node)
        if not self.is_mapping:
            self.fail(f'expected names with values, got {self._kind()}')
        found: dict[str, Marked] = {}
        merged: dict[str, Marked] = {}
        for key, value in self.node.value:
            name = Marked(key, self.file, self.path)
            if key.tag == MERGE:
                for node in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    if node in seen:
                        continue
                    for key_, entry in Marked(node, self.file, self.path)._entries(seen).items():
                        merged.setdefault(key_, entry)
                continue
            if not isinstance(key, yaml.ScalarNode):
                name.fail('expected a name')
            if key.value in found:
                name.fail(f'{show(key.value)} is given a second time; first in line '
                          f'{found[key.value].line}')
            path = f'{self.path}.{clean(key.value, WORD)}'.lstrip('.')
            found[key.value] = Marked(value, self.file, path)
        return {**merged, **found}

    def fields(self, known: Collection[str],
               required: Iterable[str] = ()) -> dict[str, Marked]:
        """Return {name: Marked}; names that are not `known` and missing ones are refused."""
        entries = self.entries()
        for name in entries:
            if name not in known:
                self._key(name).fail(f'unknown name {show(name)}{did_you_mean(name, known) or ";"}'
                                     f' known here: {", ".join(known)}')
        missing = [name for name in required if name not in entries]
        if missing:
            self.fail(f'{", ".join(missing)} missing; known here: {", ".join(known)}')
        return entries

    def without(self, names: Collection[str]) -> Marked:
        """Return the same mapping without some of its names."""
        node = yaml.MappingNode(self.node.tag, [
            (key, value) for key, value in self.node.value
            if getattr(key, 'value', None) not in names], self.node.start_mark, self.node.end_mark)
        return Marked(node, self.file, self.path)

    def _key(self, name: str) -> Marked:
        for key, _ in self.node.value:
            if getattr(key, 'value', None) == name:
                return Marked(key, self.file, self.path)
        return self

    # -- lists and single values ----------------------------------------------------------------

    def items(self) -> list[Marked]:
        """Return the Marked values of a list."""
        if not self.is_list:
            self.fail(f'expected a list, got {self._kind()}')
        return [Marked(node, self.file, f'{self.path}[{k + 1}]')
                for k, node in enumerate(self.node.value)]

    def text(self, choices: Collection[str] | None = None) -> str:
        """Return the text, one of `choices` where these are given."""
        if not self.is_text or self.is_empty:
            self.fail(f'expected a text, got {self._kind()}')
        value: str = self.node.value
        if choices is not None and value not in choices:
            self.fail(f'{show(value)} is not known{did_you_mean(value, choices) or ";"} there are '
                      f'{", ".join(choices)}')
        return value

    def file_path(self, folder: str | Path) -> Path:
        """Return the path that the text names, relative to a folder; it must exist."""
        path = Path(folder, self.text())
        try:
            found = path.exists()
        except OSError as error:            # a name that is too long
            self.fail(f'{show(str(path), PATH)}: {error.strerror}')
        if not found:
            self.fail(f'{show(str(path), PATH)} does not exist{near_file(path) or ";"} paths are '
                      'relative to this file')
        return path

    def flag(self) -> bool:
        """Return True or False."""
        value = self.text().lower()
        if value not in YES + NO:
            self.fail(f'expected yes or no, got {show(value)}')
        return value in YES

    def number(self, unit: str = '', low: float | None = None, high: float | None = None,
               above: float | None = None, infinite: bool = False) -> float:
        """Return the number in SI; bounds: low <= value <= high, above < value."""
        if not self.is_text or self.is_empty:
            self.fail(f'expected a number, got {self._kind()}')
        try:
            value = parse(self.node.value, unit)
        except ValueError as error:
            self.fail(f'{show(self.node.value)}: {error}')
        if not infinite and not abs(value) <= MAX_NUMBER:
            self.fail(f'expected a finite number up to {MAX_NUMBER:g}, got '
                      f'{show(self.node.value)}')
        name = f' {unit}' if unit else ''
        if low is not None and value < low:
            self.fail(f'expected at least {low:g}{name}, got {value:g}')
        if high is not None and value > high:
            self.fail(f'expected at most {high:g}{name}, got {value:g}')
        if above is not None and not value > above:
            self.fail(f'expected more than {above:g}{name}, got {value:g}')
        return value

    def position(self, unit: str) -> float:
        """Return the position of a joint in SI."""
        return self.number(unit, low=-MAX_POSITION, high=MAX_POSITION)

    def numbers(self, count: int | None = None, unit: str = '') -> list[float]:
        """Return a list of numbers, `count` of them where it is given."""
        values = [item.number(unit) for item in self.items()]
        if count is not None and len(values) != count:
            self.fail(f'expected {count} numbers, got {len(values)}')
        return values

    def build(self, function: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> T:
        """Return function(...); its errors get the line of this value."""
        try:
            return function(*arguments, **more)
        except FileError:
            raise
        except (InputError, ValueError) as error:
            self.fail(str(error))


def read_yaml(path: str | Path) -> Marked:
    """Return the Marked root of a YAML file."""
    path = Path(path)
    try:
        with open(path, 'rb') as stream:
            content = stream.read(YAML_BYTES.value + 1)
    except OSError as error:
        raise InputError(f'{clean(path, PATH)}: cannot be read: {error.strerror}'
                         f'{near_file(path)}') from None
    name = clean(path.name, PATH)
    if len(content) > YAML_BYTES.value:
        raise FileError(name, 1, YAML_BYTES.exceeded)
    try:
        text = content.decode('utf-8')
    except UnicodeDecodeError as error:
        raise FileError(name, content[:error.start].count(b'\n') + 1,
                        f'not UTF-8 text: byte {error.start}') from None
    return parse_yaml(text, name)


def parse_yaml(text: str, file: str = 'task') -> Marked:
    """Return the Marked root of YAML text; `file` names it in messages."""
    try:
        depth, deepest = 0, YAML_DEPTH.value
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > deepest:
                raise FileError(file, event.start_mark.line + 1, YAML_DEPTH.exceeded)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        reason = '; '.join(part for part in (error.context, error.problem) if part)
        raise FileError(file, line, f'this is not YAML: {clean(reason, 200)}') from None
    except yaml.YAMLError as error:
        raise FileError(file, 1, f'this is not YAML: {clean(error, 200)}') from None
    if root is None:
        raise FileError(file, 1, 'the file is empty')
    return Marked(root, file)
