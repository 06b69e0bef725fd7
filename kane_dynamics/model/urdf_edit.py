# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Edits of a URDF file that keep all else: visuals, collisions, transmissions, extensions."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from kane_dynamics.model.structure.links_and_joints import Inertial
from kane_dynamics.model.urdf_writer import inertial_element


def set_inertials(root: Element, inertials: Mapping[str, Inertial | None]) -> None:
    """Replace <inertial> of the named links; None removes it."""
    for link in root.iter('link'):
        name = str(link.get('name'))
        if name in inertials:
            for element in link.findall('inertial'):
                link.remove(element)
            inertial = inertials[name]
            if inertial is not None:
                link.insert(0, inertial_element(inertial))


def urdf_with_note(root: Element, note: str) -> str:
    """Return the text of a URDF, with a comment at its top."""
    root.insert(0, ElementTree.Comment(f' {note.replace("--", "- -")} '))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding='unicode') + '\n'
