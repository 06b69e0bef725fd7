# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Reader of the beam of a <flexible_link>: its pose in the link and its properties.

<beam> gives the pose and may hold the properties. Otherwise these come from one <section>, or from
several <station x="...">, each with properties or with shape, dimensions and material.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kane_dynamics.io.extension_element import Extension
from kane_dynamics.io.text import known
from kane_dynamics.model.flexible.beam import Beam
from kane_dynamics.model.flexible.section import MATERIAL, SHAPES
from kane_dynamics.model.structure.links_and_joints import MAX_LENGTH
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.validation import unit

GIVEN = ('mass_per_length', 'EI_y', 'EI_z', 'GJ', 'EA', 'polar_inertia_per_length')
POSE = ('root', 'axis', 'normal', 'length')
MAX_STATIONS = 200
PERPENDICULAR = 1e-6    # largest cosine between axis and normal that counts as round-off


def read_beam(element: Extension) -> tuple[Beam, FloatArray, FloatArray]:
    """Return the Beam of a <flexible_link>, its R_LB (3, 3) and p_LB (3,) [m]."""
    tag = element.child('beam')
    if tag is None:
        element.fail('the element <beam> is missing: root, axis, normal and length of the beam')
    sections, tables = element.children('section'), element.children('station')
    tag.allow(POSE + GIVEN)
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
    return (beam, *_pose(tag))


def _pose(tag: Extension) -> tuple[FloatArray, FloatArray]:
    """Return R_LB, with columns axis, normal x axis, normal, and p_LB."""
    x = tag.build(unit, tag.vector('axis', (1.0, 0.0, 0.0)), 'axis')
    z = tag.build(unit, tag.vector('normal', (0.0, 0.0, 1.0)), 'normal')
    if abs(x @ z) > PERPENDICULAR:
        angle = np.degrees(np.arccos(np.clip(x @ z, -1.0, 1.0)))
        tag.fail(f'normal must be perpendicular to axis; they are {angle:.4g} degrees apart '
                 f'(axis {x.tolist()}, normal {z.tolist()})')
    z = z - (x @ z) * x
    z = z / np.linalg.norm(z)
    root = np.array(tag.vector('root', (0.0, 0.0, 0.0)))
    if np.abs(root).max() > MAX_LENGTH:
        tag.fail(f'root: expected coordinates up to {MAX_LENGTH:g} m, got {root.tolist()}')
    return np.column_stack([x, np.cross(z, x), z]) + 0.0, root


def _section(tag: Extension, more: tuple[str, ...]) -> tuple[str, dict[str, float]]:
    """Return the shape and the numbers of a <section>, or of a <station> with a shape."""
    shape = tag.text('shape', choices=tuple(SHAPES))
    names = SHAPES[shape][1]
    tag.allow((*more, 'shape', *names, *MATERIAL))
    values = {name: tag.number(name, low=0.0) for name in (*names, 'E', 'density')}
    if tag.has('G'):
        values['G'] = tag.number('G', low=0.0)
    return shape, values


def _tapered(element: Extension, tables: Sequence[Extension], length: float) -> Beam:
    """Return the Beam of several <station>."""
    if len(tables) > MAX_STATIONS:
        element.fail(f'has {len(tables)} <station>; expected at most {MAX_STATIONS}')
    shapes: list[str] = []
    rows: list[tuple[float, dict[str, float]]] = []
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
    return element.build(Beam, length, np.array([x for x, _ in rows]),
                         {name: np.array([values[name] for _, values in rows])
                          for name in rows[0][1]},
                         shapes[0])
