# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Mutations of texts and bytes: what hands, editors, disks and enemies do to files."""

import re

VALUES = (b'nan', b'inf', b'-inf', b'1e308', b'-1', b'0', b'', b'1e-320', b'9' * 400, b' 1',
          b'1,5', b'0x10', b'1e5', b'-0', b'1_0', b'.5', b'5.', b'+3', b'0 0 1', b'0 0 0',
          b'1 2', b'true', b'\xc2\xa01', b'\xd9\xa3', b'floating', b'planar', b'prismatic',
          b'fixed', b'base', b'1e-9', b'1e30', b'3.14159265358979', b'~', b'[]', b'{}',
          b'!!python/object:os', b'*a', b'deg', b'1 m', b'- 1', b'${1/0}', b'$(find x)', b'\x00')
PIECES = (b'<', b'>', b'"', b'&', b'\0', b'&#0;', b'</robot>', b'<link name="x"/>', b'<mimic/>',
          b'<!--', b']]>', b'<![CDATA[', b'<?x?>', b'\n', b'\t', b'  ', b':', b',', b'\xff\xfe',
          b'\xef\xbb\xbf', b'#', b'&a ', b'<axis xyz="0 0 1"/>', b'<inertial/>', b'\r')
STRETCHES = (1, 1, 3, 10, 40, 200)
NUMBER = re.compile(rb'[-+]?\d+\.?\d*(?:e[-+]?\d+)?')
ATTRIBUTE = re.compile(rb'="[^"]*"')


def mutated_text(data, rng):
    """Return a text with values, elements, lines and characters changed."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(TEXT)(data, rng)
    return data


def mutated_bytes(data, rng):
    """Return bytes that were overwritten, cut, zeroed, doubled, taken out or swapped."""
    for _ in range(rng.choice((1, 1, 2))):
        data = rng.choice(BYTES)(data, rng)
    return data


def _replaced(data, match, value):
    return data[:match.start()] + value + data[match.end():]


def _a_match(pattern, data, rng):
    at = rng.randrange(len(data) + 1)
    return pattern.search(data, at) or pattern.search(data)


def _value(data, rng):
    match = _a_match(ATTRIBUTE, data, rng)
    return data if match is None else _replaced(data, match, b'="' + rng.choice(VALUES) + b'"')


def _number(data, rng):
    match = _a_match(NUMBER, data, rng)
    if match is None:
        return data
    try:
        value = float(match.group())
    except ValueError:
        value = 0.0
    return _replaced(data, match, rng.choice((
        rng.choice(VALUES), b'%r' % (value * rng.choice((-1.0, 0.5, 10.0, 1e3, 1e-3, 1.0001))))))


def _element(data, rng):
    """Take out, double or move a whole line: an element, a field."""
    lines = data.split(b'\n')
    at = rng.randrange(len(lines))
    line = lines.pop(at)
    how = rng.randrange(3)
    if how == 1:
        lines[at:at] = [line, line]
    elif how == 2:
        lines.insert(rng.randrange(len(lines) + 1), line)
    return b'\n'.join(lines)


def _piece(data, rng):
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(PIECES) + data[at + rng.choice((0, 0, 1, 5)):]


def _stretch(data, rng):
    at, size = rng.randrange(len(data) + 1), rng.choice(STRETCHES)
    how = rng.randrange(3)
    if how == 0:
        return data[:at] + data[at + size:]
    if how == 1:
        return data[:at] + data[at:at + size] + data[at:]
    other = rng.randrange(len(data) + 1)
    return data[:at] + data[other:other + size] + data[at:]


def _byte(data, rng):
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1:]


def _zeros(data, rng):
    at, size = rng.randrange(len(data) + 1), rng.choice((16, 512, 4096))
    return data[:at] + bytes(min(size, len(data) - at)) + data[at + size:]


def _cut(data, rng):
    return data[:rng.randrange(len(data) + 1)]


TEXT = (_value, _value, _number, _number, _number, _element, _element, _piece, _stretch, _byte)
BYTES = (_byte, _byte, _zeros, _cut, _stretch)
