# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Untrusted text in messages: escaped, so that it stays within its line, and shortened.

Names in files and messages reach terminals, logs, diagnostics and pages. Without escaping they
could forge log lines with line breaks, control the terminal with escape sequences, or fill a disk
with a single name. `clean` is for whole messages, `show` for one quoted value, `show_names` for a
list of names, `known` for a list of names to choose from, `did_you_mean` for the nearest of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
import re

from kane_dynamics.exceptions import ModelError

LINE = 1000     # characters of a message
WORD = 60       # of a quoted value
NAMES = 100     # of a list of names
CHOICES = 400   # of a list of names to choose from
PATH = 200      # of the name of a file or topic
TRACE = 10_000  # of a traceback
MAX_NAME_LENGTH = 200
# Names travel into messages, file names, topics and comments of generated code. Letters, digits
# and these marks cannot close a string, a comment or a line there.
NAME = re.compile(r'[\w.:/+\-()\[\]|#@,=]+( +[\w.:/+\-()\[\]|#@,=]+)*\Z')


def clean(text: object, most: int = LINE, lines: bool = False) -> str:
    """Return text without unprintable characters, at most `most` characters long.

    lines: keep line breaks, for messages whose untrusted parts went through `show` already.
    """
    text = str(text)
    escaped = ''.join(c if c.isprintable() or lines and c == '\n'
                      else c.encode('unicode_escape').decode('ascii') for c in text[:most])
    if len(text) <= most and len(escaped) <= most:
        return escaped
    return escaped[:most - 3] + '...'


def show(value: object, most: int = WORD) -> str:
    """Return an untrusted value as `repr` does, but escaped and shortened; text is quoted."""
    if not isinstance(value, str):
        return clean(repr(value), most)
    quoted = repr(value[:most])
    if len(value) <= most and len(quoted) <= most + 2:
        return quoted
    return f'{quoted[:most + 1].removesuffix(quoted[0])}...{quoted[0]}'


def show_names(names: Iterable[object], most: int = NAMES) -> str:
    """Return a list of names, at most about `most` characters: those that fit, and the count."""
    names = list(names)
    shown, length = [], 0
    for name in names:
        shown.append(show(name))
        length += len(shown[-1]) + 2
        if length > most and len(shown) < len(names):
            return f'[{", ".join(shown)}, ... ({len(names)} in all)]'
    return f'[{", ".join(shown)}]'


def checked_name(text: str, what: str) -> str:
    """Return a name that is safe in messages, files and generated code, or raise."""
    if not isinstance(text, str) or not NAME.match(text) or len(text) > MAX_NAME_LENGTH:
        raise ModelError(
            f'{what} {show(text)} is not a name; expected 1 to {MAX_NAME_LENGTH} letters, digits, '
            'inner spaces and . : / + - ( ) [ ] | # @ , = _')
    return text


def known(names: Iterable[object]) -> str:
    """Return a list of names to choose from."""
    return show_names(names, CHOICES)


def counted(number: int, noun: str) -> str:
    """Return '1 piece', '2 pieces'."""
    return f'{number} {noun}{"s" * (number != 1)}'


def did_you_mean(name: str, names: Iterable[str], begin: str = '; ') -> str:
    """Return '; did you mean X?' with the nearest of some names; '' if none is near.

    Case, and what separates words, do not count: 'wayPoints' is near to 'way_points'.
    """
    plain = {_without_marks(each): each for each in names}
    near = get_close_matches(_without_marks(name), plain, 1)
    return f'{begin}did you mean {show(plain[near[0]])}?' if near else ''


def _without_marks(name: str) -> str:
    return re.sub(r'[\s_-]', '', name).lower()
