# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The beam of a <flexible_link>: where it lies in the link and what it is made of.

A <beam> places it and may hold its properties. Otherwise these come from one <section>, or from
several <station x="...">, each with properties or with shape, dimensions and material.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.model.beam import Beam
from kane_dynamics.model.parts import unit
from kane_dynamics.model.section import MATERIAL, SHAPES
from kane_dynamics.model.topology import known

GIVEN = ('mass_per_length', 'EI_y', 'EI_z', 'GJ', 'EA', 'polar_inertia_per_length')
PLACE = ('root', 'axis', 'normal', 'length')
MAX_STATIONS = 200
PERPENDICULAR = 1e-6    # cosine between axis and normal that a rounded file may have


def read_beam(element):
    """Return the Beam, R_LB and p_LB of the element."""
    tag = element.child('beam')
    if tag is None:
        element.fail('the element <beam> is missing: root, axis, normal and length of the beam')
    sections, tables = element.children('section'), element.children('station')
    tag.allow(PLACE + GIVEN)
    given = [name for name in GIVEN if tag.has(name)]
    if bool(given) + bool(sections) + bool(tables) != 1 or len(sections) > 1:
        element.fail('expected the properties of the beam once: as attributes of <beam>, as one '
                     f'<section>, or as several <station>; got attributes {known(given)}, '
                     f'{len(sections)} <section>, {len(tables)} <station>')
    length = tag.number('length')
    if given:
        values = {name: tag.number(name, low=0.0) for name in given}
        beam = tag.build(Beam.uniform, length, **values)
    elif sections:
        shape, values = _section(sections[0], ())
        beam = sections[0].build(Beam.of_section, length, shape, **values)
    else:
        beam = _tapered(element, tables, length)
    return (beam, *_placed(tag))


def _placed(tag):
    """Return R_LB, with columns axis, normal x axis, normal, and p_LB."""
    x = tag.build(unit, tag.vector('axis', (1.0, 0.0, 0.0)), 'axis')
    z = tag.build(unit, tag.vector('normal', (0.0, 0.0, 1.0)), 'normal')
    if abs(x @ z) > PERPENDICULAR:
        angle = np.degrees(np.arccos(np.clip(x @ z, -1.0, 1.0)))
        tag.fail(f'normal must be perpendicular to axis; they are {angle:.4g} degrees apart '
                 f'(axis {x.tolist()}, normal {z.tolist()})')
    z = z - (x @ z) * x
    z = z / np.linalg.norm(z)
    return (np.column_stack([x, np.cross(z, x), z]) + 0.0,
            np.array(tag.vector('root', (0.0, 0.0, 0.0))))


def _section(tag, more):
    """Return the shape and the numbers of a <section>, or of a <station> with a shape."""
    shape = tag.text('shape', choices=tuple(SHAPES))
    names = SHAPES[shape][1]
    tag.allow((*more, 'shape', *names, *MATERIAL))
    values = {name: tag.number(name, low=0.0) for name in (*names, 'E', 'density')}
    if tag.has('G'):
        values['G'] = tag.number('G', low=0.0)
    return shape, values


def _tapered(element, tables, length):
    """Return the Beam of several <station>."""
    if len(tables) > MAX_STATIONS:
        element.fail(f'has {len(tables)} <station>; expected at most {MAX_STATIONS}')
    shapes, rows = [], []
    for tag in tables:
        x = tag.number('x')
        if not 0.0 <= x <= length:
            tag.fail(f'x = {x:g} m lies outside the beam, which reaches from 0 to {length:g} m')
        if tag.has('shape'):
            shape, values = _section(tag, ('x',))
        else:
            tag.allow(('x', *GIVEN))
            shape, values = '', {name: tag.number(name, low=0.0) for name in GIVEN
                                 if tag.has(name)}
        shapes.append(shape)
        rows.append((x, values))
        if shape != shapes[0] or set(values) != set(rows[0][1]):
            tag.fail('all stations must give the same quantities; the first has '
                     f'{known(["shape"] * bool(shapes[0]) + list(rows[0][1]))}'
                     + (f' of a {shapes[0]}' if shapes[0] else ''))
    return element.build(Beam, length, [x for x, _ in rows],
                         {name: [values[name] for _, values in rows] for name in rows[0][1]},
                         shapes[0])
