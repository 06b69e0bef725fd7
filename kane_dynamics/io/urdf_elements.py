# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""URDF elements: names, numbers and children, with file and line in every error."""

from __future__ import annotations

from collections.abc import Callable
import math
import re
from typing import NoReturn, ParamSpec, TypeVar
import warnings
from xml.etree.ElementTree import Element

from kane_dynamics.exceptions import KaneDynamicsWarning, ModelError
from kane_dynamics.io.text import checked_name, clean, show, WORD
from kane_dynamics.io.units import NUMBER
from kane_dynamics.io.xml_reader import Document

SPACES = ' \t\r\n'    # of XML; strip() and split() of str take no-break spaces as well
WORDS = re.compile(f'[^{SPACES}]+')

P = ParamSpec('P')
T = TypeVar('T')


class UrdfElements:
    """The elements of one document, read strictly."""

    def __init__(self, document: Document) -> None:
        """Wrap a parsed Document."""
        self.root = document.root
        self.source = document.source
        self._lines, self._wrapped = document.lines, document.wrapped

    def where(self, element: Element) -> str:
        """Return file and line of an element."""
        return f'{self.source}:{self._lines[element]}'

    def fail(self, element: Element, message: str) -> NoReturn:
        """Raise a ModelError with file, line and element."""
        name = element.get('name')
        tag = clean(element.tag, WORD)
        label = f'<{tag}>' if name is None else f'{tag} {show(name)}'
        raise ModelError(f'{self.where(element)}: {label}: {message}') from None

    def build(self, element: Element, make: Callable[P, T], *args: P.args,
              **kwargs: P.kwargs) -> T:
        """Return make(...); its errors get file, line and element in front."""
        try:
            return make(*args, **kwargs)
        except ModelError as error:
            self.fail(element, str(error))

    def name(self, element: Element, key: str = 'name') -> str:
        """Return the attribute as a checked name."""
        text = element.get(key)
        if text is None:
            self.fail(element, f'the attribute {key!r} is missing')
        return self.build(element, checked_name, text, key)

    def child(self, element: Element, tag: str) -> Element | None:
        """Return the only child of this tag, or None; two are refused."""
        found = element.findall(tag)
        if len(found) > 1:
            self.fail(found[1], f'is the second <{tag}> of {element.tag} '
                      f'{show(element.get("name", ""))}; expected one')
        return found[0] if found else None

    def required_child(self, element: Element, tag: str) -> Element:
        """Return the only child of this tag."""
        child = self.child(element, tag)
        if child is None:
            self.fail(element, f'the element <{tag}> is missing')
        return child

    def number(self, element: Element | None, key: str, default: float | None = None) -> float:
        """Return an attribute as a finite float, or the default if element or key is absent."""
        text = None if element is None else element.get(key)
        if element is None or text is None:
            return self._default(element, key, default)
        if text.rstrip(SPACES) != text:
            self._warn(element, key, f'a space follows the number {show(text)}; urdfdom '
                       '(Pinocchio, RViz) does not read it: remove the space')
        return self._finite(element, key, text.strip(SPACES))

    def vector(self, element: Element | None, key: str,
               default: tuple[float, ...] | None = None, size: int = 3) -> tuple[float, ...]:
        """Return an attribute as finite floats, or the default if element or key is absent."""
        text = None if element is None else element.get(key)
        if element is None or text is None:
            return self._default(element, key, default)
        if element in self._wrapped or not set('\t\r\n').isdisjoint(text):
            self._warn(element, key, f'{show(text)} has a tab or a line break in the file; '
                       'urdfdom (Pinocchio, RViz) does not read it: use spaces')
        words = WORDS.findall(text)
        if len(words) != size:
            self.fail(element, f'{key}: expected {size} numbers, got {show(text)}')
        return tuple(self._finite(element, key, word) for word in words)

    def _warn(self, element: Element, key: str, message: str) -> None:
        warnings.warn(f'{self.where(element)}: <{clean(element.tag, WORD)}> {key}: {message}',
                      KaneDynamicsWarning, stacklevel=4)

    def _default(self, element: Element | None, key: str, default: T | None) -> T:
        if default is None:
            self.fail(self.root if element is None else element,
                      f'the attribute {key!r} is missing')
        return default

    def _finite(self, element: Element, key: str, text: str) -> float:
        value = float(text) if NUMBER.fullmatch(text) else math.nan
        if not math.isfinite(value):
            self.fail(element, f'{key}: expected a finite number, got {show(text)}')
        return value
