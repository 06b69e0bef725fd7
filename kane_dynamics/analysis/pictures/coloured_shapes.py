# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of links as coloured triangles."""

from __future__ import annotations

import numpy as np

from kane_dynamics.analysis.pictures.solids import triangles_of
from kane_dynamics.model.meshes.mesh import Rgb, rgb_of
from kane_dynamics.model.meshes.mesh_reduction import COARSE
from kane_dynamics.model.meshes.robot_meshes import RobotMeshes
from kane_dynamics.model.structure.links_and_joints import Shape
from kane_dynamics.numerics.array_types import FloatArray

# of links without a colour, in turn
LINK_COLOURS: tuple[Rgb, ...] = (
    (207, 213, 221), (170, 180, 192), (223, 227, 232), (148, 163, 184))

BOX_COLOUR: Rgb = (222, 196, 160)      # of obstacles


def colour_of(shape: Shape, own: Rgb | None, link: int) -> Rgb:
    """Return the colour of a shape of a link, given by its number.

    As in RViz: the colour in the mesh file (own), else that of the URDF, else LINK_COLOURS.
    """
    given = None if shape.colour is None else rgb_of(shape.colour)
    return own or given or LINK_COLOURS[link % len(LINK_COLOURS)]


def coloured_triangles(shape: Shape, meshes: RobotMeshes | None,
                       link: int) -> list[tuple[FloatArray, Rgb]]:
    """Return the triangles (T, 3, 3) [m] of a shape by colour, in the link frame.

    [] for a mesh that is not available; link: its number.
    """
    simple = triangles_of(shape.kind, shape.size)
    if simple is not None:
        parts = [(simple, colour_of(shape, None, link))]
    else:
        mesh = None if meshes is None else meshes.mesh(shape.filename, COARSE)
        parts = [] if mesh is None else [
            (mesh.points[faces] * np.asarray(shape.size), colour_of(shape, own, link))
            for own, faces in mesh.parts()]
    return [(triangles @ shape.rotation.T + shape.position, colour)
            for triangles, colour in parts]
