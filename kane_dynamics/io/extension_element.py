# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Extension elements of a URDF, read strictly: unknown attributes and children are refused."""

from __future__ import annotations

from collections.abc import Callable, Collection
import math
from typing import NoReturn, ParamSpec, TypeVar
from xml.etree.ElementTree import Element

from kane_dynamics.exceptions import ModelError
from kane_dynamics.io.text import clean, known, show, WORD
from kane_dynamics.io.units import NUMBER

P = ParamSpec('P')
T = TypeVar('T')


class Extension:
    """One element, with the words that name it in messages.

    Attributes without a default are required.
    """

    def __init__(self, element: Element, where: str = '') -> None:
        """Wrap an xml.etree element; where: the file, or the parent element."""
        self.element = element
        self.tag = element.tag
        reference = element.get('reference')
        label = f'<{self.tag}>' if reference is None else f'{self.tag} {show(reference)}'
        self.who = f'{where}: {label}' if where else label

    def fail(self, message: str) -> NoReturn:
        """Raise a ModelError that names the element."""
        raise ModelError(f'{self.who}: {message}') from None

    def build(self, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return make(...); its errors get the element in front."""
        try:
            return make(*args, **kwargs)
        except ModelError as error:
            self.fail(str(error))

    def allow(self, attributes: Collection[str] = (), children: Collection[str] = ()) -> None:
        """Refuse attributes and child elements that are not listed."""
        for name in self.element.keys():
            if name not in attributes:
                self.fail(f'unknown attribute {show(name)}; known: {known(attributes)}')
        for child in self.element:
            if child.tag not in children:
                self.fail(f'unknown element <{clean(child.tag, WORD)}>; known: {known(children)}')

    def has(self, name: str) -> bool:
        """Return whether the attribute is given."""
        return self.element.get(name) is not None

    def children(self, tag: str) -> list[Extension]:
        """Return all children of this tag."""
        return [Extension(child, self.who) for child in self.element.findall(tag)]

    def child(self, tag: str) -> Extension | None:
        """Return the only child of this tag, or None; two are refused."""
        found = self.children(tag)
        if len(found) > 1:
            self.fail(f'has {len(found)} <{tag}>; expected one')
        return found[0] if found else None

    def text(self, name: str, default: str | None = None,
             choices: Collection[str] | None = None) -> str:
        """Return an attribute as it is written, one of the choices."""
        text = self.element.get(name)
        if text is None:
            return self._default(name, default)
        if choices is not None and text not in choices:
            self.fail(f'{name}: unknown {show(text)}; known: {known(choices)}')
        return text

    def numbers(self, name: str,
                default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """Return an attribute as a tuple of finite floats."""
        if not self.has(name):
            return self._default(name, default)
        text = self.text(name)
        values = tuple(float(word) if NUMBER.fullmatch(word) else math.nan
                       for word in text.split())
        if not values or not all(map(math.isfinite, values)):
            self.fail(f'{name}: expected finite numbers, got {show(text)}')
        return values

    def number(self, name: str, default: float | None = None, low: float | None = None) -> float:
        """Return an attribute as one finite float, not below `low`."""
        if not self.has(name):
            return self._default(name, default)
        values = self.numbers(name)
        if len(values) != 1:
            self.fail(f'{name}: expected one number, got {show(self.text(name))}')
        if low is not None and values[0] < low:
            self.fail(f'{name}: expected at least {low:g}, got {values[0]:g}')
        return values[0]

    def vector(self, name: str, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """Return an attribute as three finite floats."""
        if not self.has(name):
            return self._default(name, default)
        values = self.numbers(name)
        if len(values) != 3:
            self.fail(f'{name}: expected 3 numbers, got {show(self.text(name))}')
        return values

    def count(self, name: str, default: int | None = None, low: int = 0, high: int = 20) -> int:
        """Return an attribute as a whole number from low to high."""
        if not self.has(name):
            return self._default(name, default)
        text = self.text(name)
        if not (text.isascii() and text.isdigit() and len(text) < 9 and low <= int(text) <= high):
            self.fail(f'{name}: expected a whole number from {low} to {high}, got {show(text)}')
        return int(text)

    def _default(self, name: str, default: T | None) -> T:
        if default is None:
            self.fail(f'the attribute {name!r} is missing')
        return default
