# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""An arm as the pages draw it: its tree of links with shapes, ready for JSON; see page/arm.js."""

from __future__ import annotations

import numpy as np

from kane_dynamics.analysis.arm_lines import rooted
from kane_dynamics.analysis.link_poses import link_poses
from kane_dynamics.analysis.mesh_file import MeshShelf
from kane_dynamics.analysis.solid import surface
from kane_dynamics.model.flexible_body import Attachment
from kane_dynamics.model.modal_constants import stations
from kane_dynamics.model.segments import segmented

COLOURS = ('#cfd5dd', '#aab4c0', '#dfe3e8', '#94a3b8')
DARK = '#475569'
LINE_POINTS = 21
PAYLOAD_DENSITY = 2700.0        # the ball that stands for a payload is of aluminium [kg/m^3]
DIGITS = 6
MOST_POSTURES = 60              # of a motion that are looked at for the size of the picture


def arm_picture(robot, payloads=(), folder=None, postures=None):
    """Return a dict of plain numbers and texts: links in tree order, where and how they move.

    Each link: parent (-1: the world), R (9,) and p (3,) of its joint in the parent, axis, kind,
    q (index, -1: fixed), multiplier, offset, shapes; flex for a link that bends. payloads: as in a
    Study. folder: of the URDF, below and above which the meshes it names are looked for; None:
    no file is opened. postures (N, n_joints): that shall fit into the picture; None: zero.
    """
    nq, modes = robot.nq, list(robot.mode_names)
    first_mode, first_joint = nq - robot.n_modes, nq - robot.n_modes - robot.n_joints
    place = {name: first_joint + k for k, name in enumerate(robot.joint_names)}
    place.update({name: first_mode + k for k, name in enumerate(modes)})
    flexible, elastic = dict(robot.flexible_links), set(robot.flexible_joints)
    source = robot
    for name, link in list(flexible.items()):
        if link.segments is not None:
            source, _ = segmented(source, name, link.segments, link.rest, link.stations)
            del flexible[name]
    shelf = None if folder is None else MeshShelf(folder)
    index = {link.name: k for k, link in enumerate(source.links)}
    links = []
    for k, link in enumerate(source.links):
        joint = source.parent_joint(link.name)
        entry = {'name': link.name, 'parent': -1, 'R': _flat(robot.base_rotation),
                 'p': _flat(robot.base_position), 'axis': [0, 0, 1], 'kind': 'fixed', 'q': -1,
                 'multiplier': 1, 'offset': 0, 'colour': COLOURS[k % len(COLOURS)],
                 'joint': '' if joint is None else joint.name,
                 'shapes': [_shape(each, COLOURS[k % len(COLOURS)], shelf)
                            for each in link.visuals]}
        for shape, visual in zip(entry['shapes'], link.visuals):
            if shape is not None and link.name in flexible:
                shape['rigid'] = rooted(flexible[link.name], visual)
        entry['shapes'] = [shape for shape in entry['shapes'] if shape is not None]
        if joint is not None:
            entry.update(parent=index[joint.parent], R=_flat(joint.rotation),
                         p=_flat(joint.position), axis=_flat(joint.axis), kind=joint.kind)
            _moves(entry, joint, place, elastic)
            carrier = flexible.get(joint.parent)
            if carrier is not None and carrier.attachment_of(joint.name) is not None:
                entry['seat'] = _station(carrier.body.attachments[
                    carrier.attachment_of(joint.name)])
        if link.name in flexible:
            entry['flex'] = _beam(flexible[link.name], place)
        links.append(entry)
    for payload in payloads:
        radius = (0.75 * payload.mass / (np.pi * PAYLOAD_DENSITY)) ** (1 / 3)
        links[index[payload.link]]['payload'] = {'at': _flat(payload.com),
                                                 'r': round(float(radius), DIGITS)}
    centre, radius, ground = _extent(robot, shelf, [np.zeros(robot.n_joints)] if postures is None
                                     else postures[::max(1, len(postures) // MOST_POSTURES)])
    if shelf is not None:
        shelf.warn()
    return {'name': robot.name, 'nq': nq, 'links': links, 'centre': centre, 'radius': radius,
            'ground': ground, 'meshes': [] if shelf is None else shelf.meshes,
            'neutral': _flat(robot.neutral())}


def joint_sliders(robot):
    """Return [{name, q, low, high, unit}] for the joints and modes that a person may move."""
    first = robot.nq - robot.n_modes - robot.n_joints
    rows = []
    for k, joint in enumerate(robot.independent_joints):
        slides = joint.kind == 'prismatic'
        low, high = robot.limits.lower[k], robot.limits.upper[k]
        if not (np.isfinite(low) and np.isfinite(high)):
            low, high = (-1.0, 1.0) if slides else (-np.pi, np.pi)
        rows.append({'name': joint.name, 'q': first + k, 'low': float(low), 'high': float(high),
                     'unit': 'm' if slides else 'rad', 'mode': False})
    for k, name in enumerate(robot.mode_names):
        reach = _mode_reach(robot, name)
        rows.append({'name': name, 'q': first + robot.n_joints + k, 'low': -reach, 'high': reach,
                     'unit': _mode_unit(robot, name), 'mode': True})
    return rows


def _mode_unit(robot, name):
    """Return 'm' for bending and stretching modes and springs in slides, 'rad' for the others."""
    owner, _, mode = name.rpartition('/')
    if owner in robot.flexible_links:
        return 'rad' if mode.startswith('torsion') else 'm'
    slides = [joint.name for joint in robot.independent_joints if joint.kind == 'prismatic']
    return 'm' if owner in slides else 'rad'


def _mode_reach(robot, name):
    """Return the size of a mode that bends its link by a fifth of its length, or turns 20 deg."""
    link, _, mode = name.rpartition('/')
    flexible = robot.flexible_links.get(link)
    if flexible is None or flexible.body is None:
        return 0.35 if flexible is None else 1.0 / max(len(flexible.segments.springs), 1)
    k = flexible.body.mode_names.index(mode)
    tip = flexible.body.tip
    moved = np.linalg.norm(tip.Phi[:, k]) / (0.2 * flexible.beam.length)
    turned = np.linalg.norm(tip.Psi[:, k]) / 0.35
    return float(1.0 / max(moved, turned, 1e-9))


def _moves(entry, joint, place, elastic):
    name = joint.name
    if joint.mimic is not None:
        entry.update(multiplier=joint.mimic.multiplier, offset=joint.mimic.offset)
        name = joint.mimic.joint
    if joint.kind != 'fixed' and name in place:
        entry['q'] = place[name]
    if joint.name in elastic:
        entry['deflection'] = place[f'{joint.name}/deflection']


def _shape(visual, colour, shelf):
    shape = {'k': visual.kind, 's': [round(value, DIGITS) for value in visual.size],
             'R': _flat(visual.rotation), 'p': _flat(visual.position), 'c': colour}
    if visual.kind == 'mesh':
        number = None if shelf is None else shelf.number(visual.filename)
        if number is None:
            return None
        shape['mesh'] = number
    return shape


def _beam(flexible, place):
    """Return the bent axis of a modal link: polynomials at stations, in the link frame."""
    x = np.linspace(0.0, flexible.beam.length, LINE_POINTS)
    level = flexible.body.level
    line = [Attachment(position=np.array([each.x, 0.0, 0.0]), **{
        name: getattr(each, name) for name in ('x', 'Phi', 'Psi', 'Gam', 'Lam')}).rotated(
            flexible.rotation, flexible.root) for each in stations(flexible.modes, x, level)]
    return {'first': place[f'{flexible.link}/{flexible.body.mode_names[0]}'],
            'count': flexible.body.n_modes, 'r': round(0.02 * flexible.beam.length, DIGITS),
            'line': [_station(each, turns=False) for each in line]}


def _station(place, turns=True):
    """Return a station's polynomials to second order, as flat lists."""
    names = ('Phi', 'Gam', 'Psi', 'Lam') if turns else ('Phi', 'Gam')
    return {'at': _flat(place.position),
            **{name: _flat(getattr(place, name), 9) for name in names}}


def _extent(robot, shelf, postures):
    """Return the centre (3,), the radius and the ground of what is seen in some postures."""
    poses = link_poses(robot.rigid(), postures)
    points, ground = [], robot.base_position[2]
    for link in robot.links:
        R, p = poses[link.name]
        points.append(p)
        for visual in link.visuals:
            corners = _corners(visual, shelf)
            if corners is not None:
                corners = np.einsum('nij,cj->nci', R, corners) + p[:, None]
                points.append(corners.reshape(-1, 3))
                ground = min(ground, corners[0, :, 2].min())   # shapes reach below their origins
    points = np.vstack(points)
    low, high = points.min(axis=0), points.max(axis=0)
    centre = 0.5 * (low + high)
    radius = max(float(np.linalg.norm(points - centre, axis=1).max()), 0.05)
    ground = min(ground, *(p[:, 2].min() for _, p in poses.values()))
    return _flat(centre), round(radius, DIGITS), round(float(ground), DIGITS)


def _corners(visual, shelf):
    """Return the corners (8, 3) of the box about a shape, in the link frame; None: not drawn."""
    triangles = surface(visual.kind, visual.size)
    if triangles is not None:
        ends = triangles.reshape(-1, 3).min(axis=0), triangles.reshape(-1, 3).max(axis=0)
    else:
        number = None if shelf is None else shelf.number(visual.filename)
        if number is None:
            return None
        ends = np.array(shelf.extents[number]) * visual.size
    x, y, z = np.transpose(ends)
    box = np.array([(a, b, c) for a in x for b in y for c in z])
    return box @ visual.rotation.T + visual.position


def _flat(values, digits=DIGITS):
    return [round(float(value), digits) + 0.0 for value in np.asarray(values, float).ravel()]
