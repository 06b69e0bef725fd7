# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Untrusted XML: elements with line numbers; document types and entities are refused."""

from __future__ import annotations

from dataclasses import dataclass
import re
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from kane_dynamics.exceptions import ModelError
from kane_dynamics.io.limits import (
    XML_ATTRIBUTES, XML_BYTES, XML_DEPTH, XML_ELEMENTS, XML_VALUE)

# A start tag that has a tab or line break in a value, after other characters. XML makes a space of
# it; tinyxml2 and so urdfdom keep it.
WRAPPED = re.compile(rb'<[^<>"\']*(?:"[^"<]*"[^<>"\']*|\'[^\'<]*\'[^<>"\']*)*'
                     rb'(?:"[^"<]*[^"<\s][\t\r\n]|\'[^\'<]*[^\'<\s][\t\r\n])')


@dataclass(frozen=True)
class Document:
    """A parsed file: its root element and the line of every element.

    wrapped: the elements with a tab or line break in a value.
    """

    root: Element
    lines: dict[Element, int]
    source: str
    wrapped: frozenset[Element] = frozenset()


def parse_xml(data: str | bytes, source: str) -> Document:
    """
    Return the Document in `data`; `source` is its name in messages.

    A document type declaration is refused as a whole: entities, their expansion into gigabytes
    and external files all need one.
    """
    encoding = None
    if isinstance(data, str):
        encoding = 'utf-8'  # the text is decoded already, whatever its declaration says
        try:
            data = data.lstrip('\ufeff').lstrip().encode(encoding)
        except UnicodeEncodeError as error:
            raise ModelError(f'{source}: not valid text: {error.reason}') from None
    if len(data) > XML_BYTES.value:
        raise ModelError(f'{source}: {XML_BYTES.exceeded}')
    deepest, most_elements = XML_DEPTH.value, XML_ELEMENTS.value
    most_attributes, longest = XML_ATTRIBUTES.value, XML_VALUE.value
    parser = expat.ParserCreate(encoding)
    builder, depth = TreeBuilder(), [0]
    lines: dict[Element, int] = {}
    wrapped: set[Element] = set()

    def fail(message: str) -> NoReturn:
        raise ModelError(f'{source}:{parser.CurrentLineNumber}: {message}')

    def start(tag: str, attributes: dict[str, str]) -> None:
        depth[0] += 1
        if depth[0] > deepest:
            fail(XML_DEPTH.exceeded)
        if len(lines) >= most_elements:
            fail(XML_ELEMENTS.exceeded)
        if len(attributes) > most_attributes:
            fail(XML_ATTRIBUTES.exceeded)
        if any(len(value) > longest for value in attributes.values()):
            fail(XML_VALUE.exceeded)
        element = builder.start(tag, attributes)
        lines[element] = parser.CurrentLineNumber
        if WRAPPED.match(data, parser.CurrentByteIndex):
            wrapped.add(element)

    def end(tag: str) -> None:
        depth[0] -= 1
        builder.end(tag)

    def doctype(*_: object) -> NoReturn:
        fail('a document type declaration (<!DOCTYPE ...>) is refused; remove it')

    def entity(*_: object) -> NoReturn:
        fail('entities are refused; write their text out')

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity
    parser.ExternalEntityRefHandler = entity
    try:
        parser.Parse(data, True)
        return Document(builder.close(), lines, source, frozenset(wrapped))
    except expat.ExpatError as error:
        raise ModelError(f'{source}:{error.lineno}: not well-formed XML: '
                         f'{expat.ErrorString(error.code)}') from None
    except (LookupError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f'{source}: unreadable text encoding: {error}') from None
