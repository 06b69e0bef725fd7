# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as people and data sheets write them: '90 deg', '3000 rpm', '138 g cm^2'; SI within."""

from __future__ import annotations

import math
import re

DEGREE, TURN = math.pi / 180.0, 2.0 * math.pi
# SI unit -> {what may be written: its size}; the SI unit itself needs not be written
UNITS = {
    '': {'%': 0.01},
    'rad': {'deg': DEGREE},
    'rad/s': {'deg/s': DEGREE, 'rpm': TURN / 60.0},
    'rad/s^2': {'deg/s^2': DEGREE},
    'm': {'mm': 1e-3, 'cm': 1e-2},
    'm/s': {'mm/s': 1e-3},
    'm/s^2': {'mm/s^2': 1e-3},
    's': {'ms': 1e-3, 'min': 60.0, 'h': 3600.0},
    'Hz': {'kHz': 1e3},
    'kg': {'g': 1e-3},
    'kg m^2': {'g cm^2': 1e-7, 'kg cm^2': 1e-4, 'g m^2': 1e-3},
    'N m': {'mN m': 1e-3, 'kN m': 1e3},
    'N': {'kN': 1e3},
    'N m/A': {'mN m/A': 1e-3},
    'V s/rad': {'V/rpm': 60.0 / TURN, 'V/krpm': 0.06 / TURN},
    'V': {'mV': 1e-3},
    'A': {'mA': 1e-3},
    'ohm': {'mohm': 1e-3},
    'H': {'mH': 1e-3, 'uH': 1e-6},
    'J': {'kJ': 1e3},
    'W': {'kW': 1e3},
    'Pa': {'kPa': 1e3, 'MPa': 1e6, 'GPa': 1e9, 'bar': 1e5},
    'kg/m^3': {'g/cm^3': 1e3},
    'm^2': {'cm^2': 1e-4, 'mm^2': 1e-6},
    'm^3': {'l': 1e-3, 'cm^3': 1e-6},
    'm^3/s/A': {'l/min/A': 1e-3 / 60.0},
}
NUMBER = re.compile(r'[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?')


def parse(text, unit):
    """Return the number in SI that a text tells, or raise ValueError with the reason.

    unit: the SI unit that is expected, '' for a pure number. '.inf' and 'inf' are infinite.
    """
    text = text.strip()
    if text.lstrip('+-') in ('inf', '.inf'):
        return -math.inf if text.startswith('-') else math.inf
    found = NUMBER.match(text)
    if found is None:
        raise ValueError(f'expected a number{wanted(unit)}')
    value, written = float(found.group()), text[found.end():].strip()
    if not written or _plain(written) == _plain(unit):
        return value
    others = {_plain(name): size for name, size in UNITS.get(unit, {}).items()}
    if _plain(written) not in others:
        raise ValueError(f'unit {written!r} does not fit; expected a number{wanted(unit)}')
    return value * others[_plain(written)]


def wanted(unit):
    """Return ' in m (or mm, cm)' for messages."""
    others = ', '.join(UNITS.get(unit, ()))
    if not unit:
        return f' (or {others})' if others else ''
    return f' in {unit}' + (f' (or {others})' if others else '')


def _plain(unit):
    """Return a unit as it may be compared: 'Nm', 'N*m' and 'N m' are one."""
    return unit.replace(' ', '').replace('*', '').replace('²', '^2').replace('³', '^3').replace(
        'Ω', 'ohm').replace('µ', 'u')
