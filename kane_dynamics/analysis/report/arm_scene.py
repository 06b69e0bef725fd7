# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The scene of an arm for the pages: its tree of links with shapes, as JSON for page/arm.js."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kane_dynamics.analysis.collision.collision_check import Box, Surroundings
from kane_dynamics.analysis.pictures.arm_lines import rooted
from kane_dynamics.analysis.pictures.coloured_shapes import (
    BOX_COLOUR, colour_of, LINK_COLOURS)
from kane_dynamics.analysis.pictures.ground import ground_height
from kane_dynamics.analysis.pictures.solids import bounding_sphere, payload_radius, triangles_of
from kane_dynamics.analysis.study.link_states import link_poses, Pose
from kane_dynamics.analysis.study.study import HeldPayload
from kane_dynamics.model.flexible.flexible_body import Attachment
from kane_dynamics.model.flexible.flexible_joint import FlexibleJoint
from kane_dynamics.model.flexible.flexible_link import FlexibleLink
from kane_dynamics.model.flexible.modal_constants import stations
from kane_dynamics.model.flexible.segment_chain import segmented
from kane_dynamics.model.meshes.mesh import Rgb
from kane_dynamics.model.meshes.robot_meshes import PackedPart, RobotMeshes
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Joint, Shape
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

LINE_POINTS = 21        # along a flexible link
DIGITS = 6
MIN_RADIUS = 0.05       # of a picture [m]
MAX_TILT = 0.35         # of the tip of a link by the slider of a mode [rad]
MAX_BEND = 0.2          # of the same tip, as a fraction of the link's length


def arm_scene(robot: Robot, poses: Mapping[str, Pose] | None = None,
              payloads: Iterable[HeldPayload] = (),
              folder: str | Path | None = None,
              surroundings: Surroundings = Surroundings()) -> dict[str, Any]:
    """Return the scene as a dict of plain numbers and texts, links in tree order.

    Each link: parent (-1: the world), R (9,) and p (3,) of its joint in the parent, axis, kind,
    q (index, -1: fixed), multiplier, offset, shapes; flex for a flexible link. poses: {link: (R
    (N, 3, 3), p (N, 3))} that the picture is made to fit, of the rigid arm; None: at zero.
    folder: of the URDF, to resolve its mesh files; None: no file is opened. surroundings: the
    floor is the ground, boxes are further links.
    """
    index = {name: robot.joints_q.start + k for k, name in enumerate(robot.joint_names)}
    index.update({name: robot.modes_q.start + k for k, name in enumerate(robot.mode_names)})
    flexible, elastic = dict(robot.flexible_links), robot.flexible_joints
    source = robot
    for name, bent in list(flexible.items()):
        if bent.segments is not None:
            source, _ = segmented(source, name, bent.segments, bent.rest, bent.stations)
            del flexible[name]
    meshes = None if folder is None else RobotMeshes(folder)
    order = {link.name: k for k, link in enumerate(source.links)}
    links: list[dict[str, Any]] = []
    for k, link in enumerate(source.links):
        joint = source.parent_joint(link.name)
        entry: dict[str, Any] = {
            'name': link.name, 'parent': -1, 'R': _flat(robot.base_rotation),
            'p': _flat(robot.base_position), 'axis': [0, 0, 1], 'kind': 'fixed', 'q': -1,
            'multiplier': 1, 'offset': 0,
            'colour': _hexadecimal(LINK_COLOURS[k % len(LINK_COLOURS)]),
            'joint': '' if joint is None else joint.name, 'shapes': []}
        for visual in link.visuals:
            for shape in _shapes(visual, k, meshes):
                if link.name in flexible:
                    shape['rigid'] = rooted(flexible[link.name], visual)
                entry['shapes'].append(shape)
        if joint is not None:
            entry.update(parent=order[joint.parent], R=_flat(joint.rotation),
                         p=_flat(joint.position), axis=_flat(joint.axis), kind=joint.kind)
            entry.update(_coordinates(joint, index, elastic))
            carrier = flexible.get(joint.parent)
            seat = None if carrier is None else carrier.attachment_of(joint.name)
            if carrier is not None and seat is not None:
                entry['seat'] = _station(carrier.modal[1].attachments[seat])
        if link.name in flexible:
            entry['flex'] = _beam(flexible[link.name], index)
        links.append(entry)
    for payload in payloads:
        links[order[payload.link]]['payload'] = {
            'at': _flat(payload.com), 'r': round(payload_radius(payload.mass), DIGITS)}
    links += [_box(box) for box in surroundings.boxes]
    if poses is None:
        poses = link_poses(robot.rigid(), np.zeros((1, robot.n_joints)))
    scene = {'name': robot.name, 'nq': robot.nq, 'links': links,
             **_extent(robot, meshes, poses, surroundings.floor),
             'meshes': [] if meshes is None else meshes.packed,
             'neutral': _flat(robot.neutral())}
    if meshes is not None:
        meshes.warn()
    return scene


def _box(box: Box) -> dict[str, Any]:
    """Return a link for an obstacle."""
    shape = {'k': 'box', 's': list(box.size), 'R': _flat(np.eye(3)), 'p': [0, 0, 0],
             'c': _hexadecimal(BOX_COLOUR)}
    return {'name': box.name, 'parent': -1, 'R': _flat(box.rotation), 'p': _flat(box.position),
            'axis': [0, 0, 1], 'kind': 'fixed', 'q': -1, 'multiplier': 1, 'offset': 0,
            'colour': shape['c'], 'joint': '', 'shapes': [shape]}


def joint_sliders(robot: Robot) -> list[dict[str, Any]]:
    """Return [{name, q, low, high, unit, mode}] of the joints and modes; q: index."""
    rows = []
    for k, joint in enumerate(robot.independent_joints):
        low, high = robot.limits.lower[k], robot.limits.upper[k]
        if not (np.isfinite(low) and np.isfinite(high)):
            low, high = (-1.0, 1.0) if joint.unit == 'm' else (-np.pi, np.pi)
        rows.append({'name': joint.name, 'q': robot.joints_q.start + k, 'low': float(low),
                     'high': float(high), 'unit': joint.unit, 'mode': False})
    for k, name in enumerate(robot.mode_names):
        largest = _mode_range(robot, name)
        rows.append({'name': name, 'q': robot.modes_q.start + k, 'low': -largest, 'high': largest,
                     'unit': _mode_unit(robot, name), 'mode': True})
    return rows


def _mode_unit(robot: Robot, name: str) -> str:
    """Return 'm' for bending and stretching modes and springs in slides, 'rad' for the others."""
    owner, _, mode = name.rpartition('/')
    if owner in robot.flexible_links:
        return 'rad' if mode.startswith('torsion') else 'm'
    elastic = robot.flexible_joints.get(owner)
    return 'm' if elastic is not None and elastic.kind == 'prismatic' else 'rad'


def _mode_range(robot: Robot, name: str) -> float:
    """Return the coordinate of a mode at which the tip of its link moves or tilts well visibly."""
    link, _, mode = name.rpartition('/')
    flexible = robot.flexible_links.get(link)
    if flexible is None:
        return MAX_TILT
    if flexible.segments is not None:
        return 1.0 / max(len(flexible.segments.springs), 1)
    _, body = flexible.modal
    k = body.mode_names.index(mode)
    moved = float(np.linalg.norm(body.tip.Phi[:, k])) / (MAX_BEND * flexible.beam.length)
    tilted = float(np.linalg.norm(body.tip.Psi[:, k])) / MAX_TILT
    return 1.0 / max(moved, tilted, 1e-9)


def _coordinates(joint: Joint, index: Mapping[str, int],
                 elastic: Mapping[str, FlexibleJoint]) -> dict[str, Any]:
    """Return the coordinates of a joint: its own or its leader's, and that of its spring."""
    entry: dict[str, Any] = {}
    name = joint.name
    if joint.mimic is not None:
        entry.update(multiplier=joint.mimic.multiplier, offset=joint.mimic.offset)
        name = joint.mimic.joint
    if joint.kind != 'fixed' and name in index:
        entry['q'] = index[name]
    spring = elastic.get(joint.name)
    if spring is not None:
        deflection = index[f'{joint.name}/deflection']
        if joint.kind == 'fixed':
            entry.update(kind=spring.kind, axis=_flat(spring.axis), q=deflection)
        else:
            entry['deflection'] = deflection
    return entry


def _shapes(visual: Shape, link: int, meshes: RobotMeshes | None) -> Iterator[dict[str, Any]]:
    """Yield a shape, of a mesh its parts by colour, none where it is not available."""
    parts: Iterable[PackedPart | None] = (None,)
    if visual.kind == 'mesh':
        parts = () if meshes is None else meshes.parts(visual.filename)
    for part in parts:
        shape: dict[str, Any] = {
            'k': visual.kind, 's': [round(value, DIGITS) for value in visual.size],
            'R': _flat(visual.rotation), 'p': _flat(visual.position),
            'c': _hexadecimal(colour_of(visual, None if part is None else part.colour, link))}
        if part is not None:
            shape['mesh'] = part.number
        yield shape


def _hexadecimal(colour: Rgb) -> str:
    return '#%02x%02x%02x' % colour


def _beam(flexible: FlexibleLink, index: Mapping[str, int]) -> dict[str, Any]:
    """Return the axis of a flexible link: polynomials at stations, in the link frame."""
    modes, body = flexible.modal        # a chain of segments is drawn as links
    x = np.linspace(0.0, flexible.beam.length, LINE_POINTS)
    line = [Attachment(position=np.array([each.x, 0.0, 0.0]), **{
        name: getattr(each, name) for name in ('x', 'Phi', 'Psi', 'Gam', 'Lam')}).rotated(
            flexible.rotation, flexible.root)
        for each in stations(modes, x, body.level)]
    return {'first': index[f'{flexible.link}/{body.mode_names[0]}'],
            'count': body.n_modes, 'r': round(0.02 * flexible.beam.length, DIGITS),
            'line': [_station(each, ('Phi', 'Gam')) for each in line]}


def _station(station: Attachment,
             names: Iterable[str] = ('Phi', 'Gam', 'Psi', 'Lam')) -> dict[str, list[float]]:
    """Return the polynomials of a station to second order, as flat lists."""
    return {'at': _flat(station.position),
            **{name: _flat(getattr(station, name), 9) for name in names}}


def _extent(robot: Robot, meshes: RobotMeshes | None,
            poses: Mapping[str, Pose], floor: float | None) -> dict[str, Any]:
    """Return the centre (3,) and radius of the arm in all poses, and the height of the ground."""
    points, lowest = [], robot.base_position[2]
    for link in robot.links:
        R, p = poses[link.name]
        points.append(p)
        for visual in link.visuals:
            corners = _corners(visual, meshes)
            if corners is not None:
                corners = np.einsum('nij,cj->nci', R, corners) + p[:, None]
                points.append(corners.reshape(-1, 3))
                lowest = min(lowest, corners[0, :, 2].min())   # shapes reach below their origins
    centre, radius = bounding_sphere(np.vstack(points))
    lowest = min(lowest, *(p[:, 2].min() for _, p in poses.values()))
    ground = ground_height(robot, float(lowest), floor)
    return {'centre': _flat(centre), 'radius': round(max(radius, MIN_RADIUS), DIGITS),
            'ground': round(ground, DIGITS)}


def _corners(visual: Shape, meshes: RobotMeshes | None) -> FloatArray | None:
    """Return the corners (8, 3) of the box about a shape, in the link frame; None: not drawn."""
    triangles = triangles_of(visual.kind, visual.size)
    if triangles is not None:
        points = triangles.reshape(-1, 3)
        ends = np.array([points.min(axis=0), points.max(axis=0)])
    else:
        if meshes is None or not meshes.parts(visual.filename):
            return None
        ends = np.array(meshes.extents[visual.filename]) * visual.size
    x, y, z = np.transpose(ends)
    box = np.array([(a, b, c) for a in x for b in y for c in z])
    return box @ visual.rotation.T + visual.position


def _flat(values: ArrayLike, digits: int = DIGITS) -> list[float]:
    """Return rounded numbers as a flat list, without negative zeros."""
    return [round(float(value), digits) + 0.0 for value in np.asarray(values, float).ravel()]
