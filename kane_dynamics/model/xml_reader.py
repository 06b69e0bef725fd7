# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""XML from strangers: elements with their lines, or a refusal; no DTD, no entity, no bomb."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from kane_dynamics.exceptions import ModelError

MAX_BYTES = 32 * 2**20
MAX_ELEMENTS = 200_000
MAX_DEPTH = 64
MAX_ATTRIBUTES = 64
MAX_ATTRIBUTE_LENGTH = 10_000


@dataclass(frozen=True)
class Document:
    """A parsed file: its root element and the line of every element."""

    root: Element
    lines: dict[Element, int]
    source: str


def parse_xml(data, source):
    """
    Return the Document in data (bytes or str); source is its name in messages.

    A document type declaration is refused as a whole: entities, their expansion into gigabytes
    and files fetched from elsewhere all need one.
    """
    encoding = None
    if isinstance(data, str):
        encoding = 'utf-8'  # the text is decoded already, whatever its declaration says
        try:
            data = data.lstrip('\ufeff').lstrip().encode(encoding)
        except UnicodeEncodeError as error:
            raise ModelError(f'{source}: not valid text: {error.reason}') from None
    if len(data) > MAX_BYTES:
        raise ModelError(f'{source}: larger than {MAX_BYTES} bytes, which no robot needs')
    parser = expat.ParserCreate(encoding)
    builder, lines, depth = TreeBuilder(), {}, [0]

    def fail(message):
        raise ModelError(f'{source}:{parser.CurrentLineNumber}: {message}')

    def start(tag, attributes):
        depth[0] += 1
        if depth[0] > MAX_DEPTH:
            fail(f'elements are nested deeper than {MAX_DEPTH}')
        if len(lines) >= MAX_ELEMENTS:
            fail(f'more than {MAX_ELEMENTS} elements')
        if len(attributes) > MAX_ATTRIBUTES:
            fail(f'an element has more than {MAX_ATTRIBUTES} attributes')
        if any(len(value) > MAX_ATTRIBUTE_LENGTH for value in attributes.values()):
            fail(f'an attribute is longer than {MAX_ATTRIBUTE_LENGTH} characters')
        lines[builder.start(tag, attributes)] = parser.CurrentLineNumber

    def end(tag):
        depth[0] -= 1
        builder.end(tag)

    def doctype(*_):
        fail('a document type declaration (<!DOCTYPE ...>) is refused; remove it')

    def entity(*_):
        fail('entities are refused; write their text out')

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity
    parser.ExternalEntityRefHandler = entity
    try:
        parser.Parse(data, True)
        return Document(builder.close(), lines, source)
    except expat.ExpatError as error:
        raise ModelError(f'{source}:{error.lineno}: not well-formed XML: '
                         f'{expat.ErrorString(error.code)}') from None
    except (LookupError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f'{source}: unreadable text encoding: {error}') from None
