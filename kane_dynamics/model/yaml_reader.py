# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""YAML read strictly: every value is asked for by kind, every complaint has a line number."""

from __future__ import annotations

import math
from pathlib import Path

import yaml

from kane_dynamics.exceptions import InputError

LARGEST = 1_000_000   # bytes of a file
DEEPEST = 20          # lists and mappings within each other


def read_yaml(path):
    """Return the top Node of a YAML file; anchors, tags and several documents are refused."""
    path = Path(path)
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f'{path}: {path.stat().st_size} bytes are too many; expected at most '
                             f'{LARGEST}')
        text = path.read_text(encoding='utf-8')
    except OSError as error:
        raise InputError(f'{path}: cannot be read: {error.strerror}') from None
    except UnicodeDecodeError:
        raise InputError(f'{path}: is not UTF-8 text') from None
    return parse_yaml(text, str(path))


def parse_yaml(text, source):
    """Return the top Node of a YAML text; `source` names it in messages."""
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                raise InputError(f'{source}:{event.start_mark.line + 1}: is nested too deeply')
            if isinstance(event, yaml.AliasEvent):
                raise InputError(f'{source}:{event.start_mark.line + 1}: aliases (*{event.anchor})'
                                 ' are not allowed; write the value out')
        top = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None)
        line = f':{mark.line + 1}' if mark else ''
        raise InputError(f'{source}{line}: is not YAML: '
                         f'{getattr(error, "problem", None) or error}') from None
    if top is None:
        raise InputError(f'{source}: is empty')
    return Node(top, source, '')


class Node:
    """A value in a YAML file; ask it for what it should be."""

    def __init__(self, node, source, name):
        self._node, self._source, self._name = node, source, name

    def fail(self, message):
        """Raise an InputError with file, line and name of this value."""
        name = f'{self._name}: ' if self._name else ''
        raise InputError(f'{self._source}:{self._node.start_mark.line + 1}: {name}{message}')

    def mapping(self, required=(), optional=None):
        """Return {key: Node}; `optional` None: any other key may be there, else only those."""
        if not isinstance(self._node, yaml.MappingNode):
            self.fail(f'expected names with values, got {self._shown()}')
        found = {}
        for key, value in self._node.value:
            if not isinstance(key, yaml.ScalarNode):
                Node(key, self._source, self._name).fail('expected a name before the colon')
            name = f'{self._name}.{key.value}' if self._name else key.value
            if key.value in found:
                Node(key, self._source, name).fail('is there twice')
            if optional is not None and key.value not in (*required, *optional):
                Node(key, self._source, name).fail(
                    f'is not known; known here: {sorted((*required, *optional))}')
            found[key.value] = Node(value, self._source, name)
        for name in required:
            if name not in found:
                self.fail(f'{name!r} is missing; there is {sorted(found)}')
        return found

    def text(self):
        """Return a text."""
        if not isinstance(self._node, yaml.ScalarNode) or not self._node.value:
            self.fail(f'expected a text, got {self._shown()}')
        return self._node.value

    def number(self, low=-math.inf, high=math.inf, above=-math.inf):
        """Return a finite number with low <= number <= high and number > above."""
        try:
            if not isinstance(self._node, yaml.ScalarNode) or self._node.style is not None:
                raise ValueError
            value = float(self._node.value)
        except ValueError:
            self.fail(f'expected a number, got {self._shown()}')
        if not math.isfinite(value):
            self.fail(f'expected a finite number, got {self._node.value}')
        if not low <= value <= high or not value > above:
            bounds = [f'>= {low:g}'] * (low > -math.inf) + [f'<= {high:g}'] * (high < math.inf) + [
                f'> {above:g}'] * (above > -math.inf)
            self.fail(f'expected a number {" and ".join(bounds)}, got {self._node.value}')
        return value

    def numbers(self, count):
        """Return a list of `count` finite numbers."""
        if not isinstance(self._node, yaml.SequenceNode) or len(self._node.value) != count:
            self.fail(f'expected a list of {count} numbers, got {self._shown()}')
        return [Node(each, self._source, f'{self._name}[{k}]').number()
                for k, each in enumerate(self._node.value)]

    def _shown(self):
        if isinstance(self._node, yaml.ScalarNode):
            return repr(self._node.value[:60])
        return ('a list of ' if isinstance(self._node, yaml.SequenceNode) else 'a mapping of ') + (
            f'{len(self._node.value)}')
