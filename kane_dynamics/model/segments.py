# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A beam as rigid pieces with springs between them: coarse, but right for any deflection.

The beam is cut into N elements of equal length, each bends at its middle: a rigid half element,
N - 1 whole ones, a rigid half, and N springs. The spring gives under a moment what its element
would,

    1 / k = int dx / EI

(k = EI / h when uniform). The error falls as 1 / N^2; with springs of EI / h at the *start* of
each element it falls as 1 / N: 11 % against 0.4 % in the first frequency of eight segments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.beam import Beam
from kane_dynamics.model.outboard import central
from kane_dynamics.model.parts import Inertial, Joint, Link
from kane_dynamics.model.shapes import FAMILIES, mode_shapes
from kane_dynamics.model.tree import moved

# Turning axes in the beam frame, so that a positive angle moves the tip along +y or +z.
HINGES = {'bend_y': (0.0, 0.0, 1.0), 'bend_z': (0.0, -1.0, 0.0), 'torsion': (1.0, 0.0, 0.0)}


class Spring(NamedTuple):
    """A spring between two pieces, at x [m]; per family [N m/rad] and [N m s/rad]."""

    x: float
    stiffness: dict[str, float]
    damping: dict[str, float]


class Piece(NamedTuple):
    """A rigid piece, from its spring (the root for the first) to where the next one begins."""

    start: float      # [m]
    end: float
    m: float          # [kg]
    h: np.ndarray     # (3,) about its start, in beam axes [kg m]
    S: np.ndarray     # (3, 3) [kg m^2]


@dataclass(frozen=True, eq=False)
class SegmentChain:
    """N springs and N + 1 pieces; the first piece is rigid with the link's root."""

    beam: Beam
    rotation: np.ndarray     # (3, 3) R_LB, the beam in the link
    root: np.ndarray         # (3,) p_LB [m]
    pieces: tuple[Piece, ...]
    springs: tuple[Spring, ...]

    def piece_at(self, x):
        """Return the index of the piece that carries what rides at x [m]."""
        return sum(spring.x <= x for spring in self.springs)


def segment_chain(beam, count, damping_ratio=0.0, loads=(), rotation=None, root=None):
    """
    Return the SegmentChain of a beam cut into `count` elements.

    Springs stand in every family whose stiffness the beam has (bending planes, torsion). Damping
    is proportional to stiffness: c = 2 zeta k / omega_1, with omega_1 the first frequency of the
    family when the clamped beam carries the loads.
    """
    if count < 1:
        raise ModelError(f'segments: expected at least 1, got {count}')
    at_stations = beam.at(beam.stations)
    families = [family for family in HINGES if at_stations[FAMILIES[family].stiffness].any()]
    if not families:
        raise ModelError('segments need EI_y, EI_z or GJ of the beam')
    for family in families:
        inertia = FAMILIES[family].inertia
        if at_stations[inertia].min() <= 0.0:
            raise ModelError(f'segments with {FAMILIES[family].stiffness} need {inertia} > 0 all '
                             f'along the beam: each piece must have inertia of its own')
    first = {family: mode_shapes(beam, {family: 1}, loads=loads).frequencies[0]
             for family in families}
    h = beam.length / count
    springs = []
    for e in range(count):
        k = {family: 1.0 / beam.compliance(FAMILIES[family].stiffness, e * h, (e + 1) * h)
             for family in families}
        springs.append(Spring((e + 0.5) * h, k, {
            family: 2 * damping_ratio * k[family] / first[family] for family in families}))
    cuts = [0.0] + [spring.x for spring in springs] + [beam.length]
    pieces = tuple(_piece(beam, a, b) for a, b in zip(cuts[:-1], cuts[1:]))
    return SegmentChain(beam, np.eye(3) if rotation is None else rotation,
                        np.zeros(3) if root is None else root, pieces, tuple(springs))


def segmented(robot, link_name, chain, rest, stations):
    """
    Return a Robot where a link has become rigid pieces on spring hinges, and its springs.

    rest: (m, h, S) of the link without its beam; stations: {child joint: x}. The link keeps its
    name as the first piece; pieces are links 'link/1', ...; hinges are joints 'link/1/bend_y',
    ..., whose viscous damping is the springs'. The springs come as {joint: stiffness [N m/rad]}.
    """
    links, joints, stiffness = [], [], {}
    first = chain.pieces[0]
    whole = [a + b for a, b in zip(rest, moved(*first[2:], chain.rotation, chain.root))]
    before, R, p = link_name, chain.rotation, chain.root
    for k, (spring, piece) in enumerate(zip(chain.springs, chain.pieces[1:]), start=1):
        names = list(spring.stiffness)
        step = np.array([spring.x - (chain.springs[k - 2].x if k > 1 else 0.0), 0.0, 0.0])
        for number, family in enumerate(names):
            last = number == len(names) - 1
            child = f'{link_name}/{k}' if last else f'{link_name}/{k}/{family}'
            joint = f'{link_name}/{k}/{family}'
            joints.append(Joint(joint, 'continuous', before, child,
                                R if number == 0 else None,
                                p + R @ step if number == 0 else None,
                                HINGES[family], damping=spring.damping[family]))
            links.append(Link(child, _inertial(*piece[2:]) if last else None))
            stiffness[joint] = spring.stiffness[family]
            before = child
        R, p = np.eye(3), np.zeros(3)
    carried = []
    for joint in robot.joints:
        if joint.parent == link_name:
            k = chain.piece_at(stations[joint.name])
            if k:
                hinge = np.array([chain.springs[k - 1].x, 0.0, 0.0])
                joint = replace(joint, parent=f'{link_name}/{k}',
                                rotation=chain.rotation.T @ joint.rotation,
                                position=chain.rotation.T @ (joint.position - chain.root) - hinge)
        carried.append(joint)
    links = [replace(link, inertial=_inertial(*whole)) if link.name == link_name else link
             for link in robot.links] + links
    extensions = [element for element in robot.extensions if not (
        element.tag == 'flexible_link' and element.get('reference') == link_name)]
    return replace(robot, links=tuple(links), joints=tuple(carried + joints),
                   extensions=tuple(extensions)), stiffness


def _piece(beam, a, b):
    about_a = moved(*beam.moments(a, b), np.eye(3), np.array([-a, 0.0, 0.0]))
    return Piece(a, b, *about_a)


def _inertial(m, h, S):
    return Inertial(m, *central(m, h, S))
