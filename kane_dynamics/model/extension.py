# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""An extension element of a URDF read strictly: what is not known is refused, with its name."""

from __future__ import annotations

import math

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.parts import show
from kane_dynamics.model.topology import known
from kane_dynamics.model.urdf_element import NUMBER

_REQUIRED = object()


class Extension:
    """One element, with the words that name it in messages."""

    def __init__(self, element, where=''):
        """Wrap an xml.etree element; where: the file, or the element it stands in."""
        self.element = element
        self.tag = element.tag
        reference = element.get('reference')
        label = f'<{self.tag}>' if reference is None else f'{self.tag} {show(reference)}'
        self.who = f'{where}: {label}' if where else label

    def fail(self, message):
        """Raise a ModelError that names the element."""
        raise ModelError(f'{self.who}: {message}') from None

    def build(self, make, *args, **kwargs):
        """Return make(...), with the element put before what it refuses."""
        try:
            return make(*args, **kwargs)
        except ModelError as error:
            self.fail(str(error))

    def allow(self, attributes=(), children=()):
        """Refuse attributes and child elements that are not listed."""
        for name in self.element.keys():
            if name not in attributes:
                self.fail(f'unknown attribute {show(name)}; known: {known(attributes)}')
        for child in self.element:
            if child.tag not in children:
                self.fail(f'unknown element <{str(child.tag)[:60]}>; known: {known(children)}')

    def has(self, name):
        """Return whether the attribute is given."""
        return self.element.get(name) is not None

    def children(self, tag):
        """Return all children of this tag."""
        return [Extension(child, self.who) for child in self.element.findall(tag)]

    def child(self, tag):
        """Return the only child of this tag, or None; two are refused."""
        found = self.children(tag)
        if len(found) > 1:
            self.fail(f'has {len(found)} <{tag}>; expected one')
        return found[0] if found else None

    def text(self, name, default=_REQUIRED, choices=None):
        """Return an attribute as it stands, one of the choices."""
        text = self.element.get(name)
        if text is None:
            if default is _REQUIRED:
                self.fail(f'the attribute {name!r} is missing')
            return default
        if choices is not None and text not in choices:
            self.fail(f'{name}: unknown {show(text)}; known: {known(choices)}')
        return text

    def numbers(self, name, default=_REQUIRED):
        """Return an attribute as a tuple of finite floats."""
        text = self.text(name, default)
        if text is default:
            return default
        values = tuple(float(word) if NUMBER.match(word) else math.nan for word in text.split())
        if not values or not all(map(math.isfinite, values)):
            self.fail(f'{name}: expected finite numbers, got {show(text)}')
        return values

    def number(self, name, default=_REQUIRED, low=None):
        """Return an attribute as one finite float, not below `low`."""
        values = self.numbers(name, default)
        if values is default:
            return default
        if len(values) != 1:
            self.fail(f'{name}: expected one number, got {show(self.text(name))}')
        if low is not None and values[0] < low:
            self.fail(f'{name}: expected at least {low:g}, got {values[0]:g}')
        return values[0]

    def vector(self, name, default=_REQUIRED):
        """Return an attribute as three finite floats."""
        values = self.numbers(name, default)
        if values is not default and len(values) != 3:
            self.fail(f'{name}: expected 3 numbers, got {show(self.text(name))}')
        return values

    def count(self, name, default=_REQUIRED, low=0, high=20):
        """Return an attribute as a whole number between low and high."""
        text = self.text(name, default)
        if text is default:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 9 and low <= int(text) <= high):
            self.fail(f'{name}: expected a whole number from {low} to {high}, got {show(text)}')
        return int(text)
