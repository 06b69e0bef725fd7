# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Poses, shapes and colours of URDF elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias
from xml.etree.ElementTree import Element

import numpy as np

from kane_dynamics.io.units import NUMBER
from kane_dynamics.io.urdf_elements import UrdfElements
from kane_dynamics.model.structure.links_and_joints import Colour, Shape
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.rotations import from_quaternion, from_rpy

WITHOUT_QUATERNIONS = '1.0'     # version of the specification

Colours: TypeAlias = dict[str, Colour]      # {name of a material: colour}


def read_shapes(xml: UrdfElements, link: Element, tag: str,
                colours: Colours | None = None) -> tuple[Shape, ...]:
    """Return the shapes of the elements <visual> or <collision> of a link."""
    shapes = (_shape(xml, element, colours or {}) for element in link.findall(tag))
    return tuple(shape for shape in shapes if shape is not None)


def _shape(xml: UrdfElements, element: Element, colours: Colours) -> Shape | None:
    R, p = read_origin(xml, element)
    geometry = xml.child(element, 'geometry')
    shape = next(iter(geometry), None) if geometry is not None else None
    if shape is None:
        return None
    filename = ''
    size: tuple[float, ...]
    if shape.tag == 'box':
        size = xml.vector(shape, 'size', (1.0, 1.0, 1.0))
    elif shape.tag in ('cylinder', 'capsule'):
        size = (xml.number(shape, 'radius'), xml.number(shape, 'length'))
    elif shape.tag == 'sphere':
        size = (xml.number(shape, 'radius'),)
    elif shape.tag == 'mesh':
        size = xml.vector(shape, 'scale', (1.0, 1.0, 1.0))
        filename = shape.get('filename', '')
    else:
        return None     # a shape of another tool
    return xml.build(element, Shape, shape.tag, size, R, p, filename,
                     _colour_of(element, colours))


def named_colours(xml: UrdfElements) -> Colours:
    """Return the colours of all named materials; the first definition of a name counts."""
    colours: Colours = {}
    for material in _materials(xml.root):
        colour = _colour(material)
        if colour is not None:
            colours.setdefault(material.get('name', ''), colour)
    return colours


def _materials(root: Element) -> Iterator[Element]:
    yield from root.iterfind('material')
    yield from root.iterfind('link/visual/material')


def _colour_of(element: Element, colours: Colours) -> Colour | None:
    """Return the colour of a <visual>: of its material, or of the material that it names."""
    material = element.find('material')
    if material is None:
        return None
    return _colour(material) or colours.get(material.get('name', ''))


def _colour(material: Element) -> Colour | None:
    """Return the <color> of a material; None for none, or for one that is malformed.

    A colour does not change a torque: a robot is not refused for it.
    """
    element = material.find('color')
    words = [] if element is None else element.get('rgba', '').split()
    if len(words) != 4 or not all(NUMBER.fullmatch(word) for word in words):
        return None
    red, green, blue, opacity = (min(max(float(word), 0.0), 1.0) for word in words)
    return red, green, blue, opacity


def version_of(xml: UrdfElements) -> str:
    """Return the version of the specification that a file follows."""
    return xml.root.get('version', '1.0').strip()


def read_origin(xml: UrdfElements, element: Element) -> tuple[FloatArray, FloatArray]:
    """Return R (3, 3) and p (3,) of the <origin> child; the identity and zero without one."""
    origin = xml.child(element, 'origin')
    position = np.array(xml.vector(origin, 'xyz', (0.0, 0.0, 0.0)))
    if origin is not None and 'quat_xyzw' in origin.attrib:
        if version_of(xml) == WITHOUT_QUATERNIONS:
            xml.fail(origin, 'quat_xyzw needs URDF 1.1: other readers ignore it in a file of '
                     'version 1.0; write <robot version="1.1" ...>, or use rpy instead')
        if 'rpy' in origin.attrib:
            xml.fail(origin, 'has both rpy and quat_xyzw; give one of them')
        quaternion = xml.vector(origin, 'quat_xyzw', size=4)
        return xml.build(origin, from_quaternion, quaternion), position
    return from_rpy(xml.vector(origin, 'rpy', (0.0, 0.0, 0.0))), position
