# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers with units, as in data sheets: '90 deg', '3000 rpm', '138 g cm^2'; converted to SI."""

from __future__ import annotations

import math
import re

from kane_dynamics.io.text import show

MAX_NUMBER = 1e30  # masses and lengths beyond it, multiplied, leave the range of floats
MAX_POSITION = 1e6  # [rad or m] of a joint in a file: beyond lies a wrong unit or a broken number
DEGREE, TURN = math.pi / 180.0, 2.0 * math.pi
# SI unit -> {accepted unit: its size in the SI unit}; a number without a unit is in SI
UNITS: dict[str, dict[str, float]] = {
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
# spellings -> their normal form; longer ones first, so that 'degrees' is not 'deg' and 'rees'
SPELLINGS = {'degrees': 'deg', 'degree': 'deg', '°': 'deg', 'º': 'deg', 'radians': 'rad',
             'radian': 'rad', ' ': '', '*': '', '·': '', '⋅': '', '∙': '', '²': '^2', '³': '^3',
             'Ω': 'ohm', '\u2126': 'ohm', 'µ': 'u', 'μ': 'u'}
MOST_BARE = 1.001 * TURN    # [rad] of an angle without a unit: beyond a turn it is in degrees
# float() would also accept nan, inf, 1_000 and digits of other scripts
NUMBER = re.compile(r'[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?', re.ASCII)


def parse(text: str, unit: str) -> float:
    """Return the number of a text in SI, or raise ValueError with the reason.

    unit: the SI unit that is expected, '' for a pure number. '.inf' and 'inf' are infinite. An
    angle of more than a turn must have its unit: without one it is probably in degrees.
    """
    text = text.strip()
    if text.lstrip('+-') in ('inf', '.inf'):
        return -math.inf if text.startswith('-') else math.inf
    text = text.replace('\N{MINUS SIGN}', '-')
    found = NUMBER.match(text)
    if found is None:
        raise ValueError(f'expected a number{wanted(unit)}')
    value, written = float(found.group()), text[found.end():].strip()
    if not written and unit == 'rad' and abs(value) > MOST_BARE:
        raise ValueError(f'{value:g} rad is {abs(value) / TURN:.1f} turns; did you mean '
                         f'{value:g} deg? An angle of more than a turn needs its unit: '
                         f'{value:g} deg or {value:g} rad')
    if not written or _plain(written) == _plain(unit):
        return value
    others = {_plain(name): size for name, size in UNITS.get(unit, {}).items()}
    if _plain(written) not in others:
        raise ValueError(f'unit {show(written)} does not fit; expected a number{wanted(unit)}')
    return value * others[_plain(written)]


def wanted(unit: str) -> str:
    """Return the accepted units for messages, such as ' in m (or mm, cm)'."""
    others = ', '.join(UNITS.get(unit, ()))
    if not unit:
        return f' (or {others})' if others else ''
    return f' in {unit}' + (f' (or {others})' if others else '')


def _plain(unit: str) -> str:
    """Return a unit in its normal form: 'Nm', 'N*m', 'N·m' and 'N m' are the same."""
    for spelling, normal in SPELLINGS.items():
        unit = unit.replace(spelling, normal)
    return unit
