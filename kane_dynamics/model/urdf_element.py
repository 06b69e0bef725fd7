# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""One URDF element at a time: its name, numbers and children, refused with file and line."""

from __future__ import annotations

import math
import re

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.parts import checked_name, show

# float() would also take nan, inf, 1_000 and digits of other scripts
NUMBER = re.compile(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z', re.ASCII)
_REQUIRED = object()


class UrdfElements:
    """The elements of one document, read strictly."""

    def __init__(self, document):
        """Wrap a parsed Document."""
        self.root = document.root
        self.source = document.source
        self._lines = document.lines

    def fail(self, element, message):
        """Raise a ModelError that tells file, line and element."""
        name = element.get('name')
        label = f'<{element.tag[:60]}>' if name is None else f'{element.tag[:60]} {show(name)}'
        raise ModelError(f'{self.source}:{self._lines[element]}: {label}: {message}') from None

    def build(self, element, make, *args, **kwargs):
        """Return make(...), with file, line and element put before what it refuses."""
        try:
            return make(*args, **kwargs)
        except ModelError as error:
            self.fail(element, str(error))

    def name(self, element, key='name'):
        """Return the attribute as a harmless name."""
        text = element.get(key)
        if text is None:
            self.fail(element, f'the attribute {key!r} is missing')
        return self.build(element, checked_name, text, key)

    def child(self, element, tag, required=False):
        """Return the only child of this tag, or None; two are refused."""
        found = element.findall(tag)
        if len(found) > 1:
            self.fail(found[1], f'is the second <{tag}> of {element.tag} '
                      f'{show(element.get("name", ""))}; expected one')
        if not found and required:
            self.fail(element, f'the element <{tag}> is missing')
        return found[0] if found else None

    def number(self, element, key, default=_REQUIRED):
        """Return an attribute as a finite float; default where it is absent."""
        text = None if element is None else element.get(key)
        if text is None:
            if default is _REQUIRED:
                self.fail(element, f'the attribute {key!r} is missing')
            return default
        return self._finite(element, key, text.strip())

    def vector(self, element, key, default=_REQUIRED, size=3):
        """Return an attribute as a tuple of finite floats; default where it is absent."""
        text = None if element is None else element.get(key)
        if text is None:
            if default is _REQUIRED:
                self.fail(element, f'the attribute {key!r} is missing')
            return default
        words = text.split()
        if len(words) != size:
            self.fail(element, f'{key}: expected {size} numbers, got {show(text)}')
        return tuple(self._finite(element, key, word) for word in words)

    def _finite(self, element, key, text):
        value = float(text) if NUMBER.match(text) else math.nan
        if not math.isfinite(value):
            self.fail(element, f'{key}: expected a finite number, got {show(text)}')
        return value
