# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""YAML that remembers its lines, so that every mistake in a file is told with its place.

Nothing is constructed from the text but numbers and strings: the file's nodes are read one by one
by who knows what they mean.
"""

from __future__ import annotations

import difflib
from pathlib import Path

import yaml

from kane_dynamics.exceptions import InputError
from kane_dynamics.model.parts import show
from kane_dynamics.model.units import parse

MOST_BYTES = 4_000_000
DEEPEST = 20          # lists and names within each other
MERGE = 'tag:yaml.org,2002:merge'
YES, NO = ('true', 'yes', 'on'), ('false', 'no', 'off')


class FileError(InputError):
    """Report a mistake in a file: its name, line, the place in its structure, and the reason."""

    def __init__(self, file, line, message):
        super().__init__(f'{file}:{line}: {message}')
        self.file, self.line, self.reason = file, line, message

    def __reduce__(self):
        return FileError, (self.file, self.line, self.reason)


class ImpossibleError(FileError):
    """Report a task that is told well but that the arm cannot reach; the place is in the words."""

    def __reduce__(self):
        return ImpossibleError, (self.file, self.line, self.reason)


class Marked:
    """A value of the file: a mapping, a list or a text, with its line and its path."""

    def __init__(self, node, file, path=''):
        self.node, self.file, self.path = node, file, path

    @property
    def line(self):
        """Return the line in the file, from 1."""
        return self.node.start_mark.line + 1

    def fail(self, message, error=FileError):
        """Raise a FileError here."""
        raise error(self.file, self.line, f'{self.path}: {message}' if self.path else message)

    # -- kinds ----------------------------------------------------------------------------------

    @property
    def is_mapping(self):
        """Return whether it is `name: value` lines."""
        return isinstance(self.node, yaml.MappingNode)

    @property
    def is_list(self):
        """Return whether it is a list."""
        return isinstance(self.node, yaml.SequenceNode)

    @property
    def is_text(self):
        """Return whether it is a single word, number or text."""
        return isinstance(self.node, yaml.ScalarNode)

    @property
    def is_empty(self):
        """Return whether nothing is written."""
        return self.is_text and self.node.value.strip() in ('', '~', 'null')

    def _kind(self):
        if self.is_empty:
            return 'nothing'
        return 'a list' if self.is_list else 'names with values' if self.is_mapping else (
            show(self.node.value))

    # -- mappings -------------------------------------------------------------------------------

    def entries(self):
        """Return {name: Marked}; a name that comes twice is refused."""
        if not self.is_mapping:
            self.fail(f'expected names with values, got {self._kind()}')
        found, merged = {}, {}
        for key, value in self.node.value:
            place = Marked(key, self.file, self.path)
            if key.tag == MERGE:
                for node in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    for name, entry in Marked(node, self.file, self.path).entries().items():
                        merged.setdefault(name, entry)
                continue
            if not isinstance(key, yaml.ScalarNode):
                place.fail('expected a name')
            if key.value in found:
                place.fail(f'{show(key.value)} is given a second time; first in line '
                           f'{found[key.value].line}')
            found[key.value] = Marked(value, self.file, f'{self.path}.{key.value}'.lstrip('.'))
        return {**merged, **found}

    def fields(self, known, required=()):
        """Return {name: Marked} where every name is one of `known` and the required are there."""
        entries = self.entries()
        for name, value in entries.items():
            if name not in known:
                close = difflib.get_close_matches(name, known, 1)
                meant = f'; did you mean {close[0]!r}?' if close else ';'
                self._key(name).fail(f'unknown name {show(name)}{meant} known here: '
                                     f'{", ".join(known)}')
        missing = [name for name in required if name not in entries]
        if missing:
            self.fail(f'{", ".join(missing)} missing; known here: {", ".join(known)}')
        return entries

    def _key(self, name):
        for key, _ in self.node.value:
            if getattr(key, 'value', None) == name:
                return Marked(key, self.file, self.path)
        return self

    # -- lists and single values ----------------------------------------------------------------

    def items(self):
        """Return the Marked values of a list."""
        if not self.is_list:
            self.fail(f'expected a list, got {self._kind()}')
        return [Marked(node, self.file, f'{self.path}[{k + 1}]')
                for k, node in enumerate(self.node.value)]

    def text(self, choices=None):
        """Return the text, one of `choices` where these are given."""
        if not self.is_text or self.is_empty:
            self.fail(f'expected a text, got {self._kind()}')
        value = self.node.value
        if choices is not None and value not in choices:
            close = difflib.get_close_matches(value, choices, 1)
            meant = f'; did you mean {close[0]!r}?' if close else ';'
            self.fail(f'{show(value)} is not known{meant} there are {", ".join(choices)}')
        return value

    def flag(self):
        """Return True or False."""
        value = self.text().lower()
        if value not in YES + NO:
            self.fail(f'expected yes or no, got {show(value)}')
        return value in YES

    def number(self, unit='', low=None, high=None, above=None, infinite=False):
        """Return the number in SI; bounds: low <= value <= high, above < value."""
        if not self.is_text or self.is_empty:
            self.fail(f'expected a number, got {self._kind()}')
        try:
            value = parse(self.node.value, unit)
        except ValueError as error:
            self.fail(f'{show(self.node.value)}: {error}')
        if not infinite and not abs(value) < float('inf'):
            self.fail(f'expected a finite number, got {show(self.node.value)}')
        name = f' {unit}' if unit else ''
        if low is not None and value < low:
            self.fail(f'expected at least {low:g}{name}, got {value:g}')
        if high is not None and value > high:
            self.fail(f'expected at most {high:g}{name}, got {value:g}')
        if above is not None and not value > above:
            self.fail(f'expected more than {above:g}{name}, got {value:g}')
        return value

    def numbers(self, count=None, unit=''):
        """Return a list of numbers, `count` of them where it is given."""
        values = [item.number(unit) for item in self.items()]
        if count is not None and len(values) != count:
            self.fail(f'expected {count} numbers, got {len(values)}')
        return values

    def build(self, function, *arguments, **more):
        """Return function(...), its complaint told with this place in the file."""
        try:
            return function(*arguments, **more)
        except FileError:
            raise
        except (InputError, ValueError) as error:
            self.fail(str(error))


def read_yaml(path):
    """Return the Marked root of a YAML file."""
    path = Path(path)
    try:
        with open(path, 'rb') as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f'{path}: cannot be read: {error.strerror}') from None
    if len(content) > MOST_BYTES:
        raise FileError(path.name, 1, f'more than {MOST_BYTES} bytes are too many')
    try:
        text = content.decode('utf-8')
    except UnicodeDecodeError as error:
        raise FileError(path.name, content[:error.start].count(b'\n') + 1,
                        f'not UTF-8 text: byte {error.start}') from None
    return parse_yaml(text, path.name)


def parse_yaml(text, file='task'):
    """Return the Marked root of YAML text; `file` names it in messages."""
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                raise FileError(file, event.start_mark.line + 1, 'nested too deeply')
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        reason = '; '.join(part for part in (error.context, error.problem) if part)
        raise FileError(file, line, f'this is not YAML: {reason}') from None
    except yaml.YAMLError as error:
        raise FileError(file, 1, f'this is not YAML: {str(error)[:200]}') from None
    if root is None:
        raise FileError(file, 1, 'the file is empty')
    return Marked(root, file)
