# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible links of a URDF: reader of <flexible_link>, checked against the rigid link.

    <flexible_link reference="upper_arm">
      <beam root="0 0 0" axis="1 0 0" normal="0 0 1" length="0.9144" mass_per_length="1.33937"
            EI_y="114" EI_z="114" GJ="80" EA="1e7" polar_inertia_per_length="1e-4"/>
      <modes bend_y="2" bend_z="2" torsion="1" stretch="0" shapes="tip_loaded"/>
      <damping ratio="0.01"/>
      <model order="2">full</model>
    </flexible_link>

<modes> may also have the number of mass points of the beam, nodes="5" (default: 2 n + 1 with n
modes in the largest family), and the spin for which its shapes are computed, spin="6" [rad/s] (of
the joint, about an axis normal to the beam). Instead of <modes> there may be <segments
count="8"/>. The link's <inertial> describes the whole undeformed link: its part that is not beam
is fixed to the root.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.io.extension_element import Extension
from kane_dynamics.io.text import known, show
from kane_dynamics.model.flexible.beam import Beam
from kane_dynamics.model.flexible.beam_reader import GIVEN, read_beam
from kane_dynamics.model.flexible.flexible_body import (
    flexible_body, FlexibleBody, ModelName, MODELS, Rest, rest_of)
from kane_dynamics.model.flexible.modal_constants import Station, stations
from kane_dynamics.model.flexible.mode_shapes import (
    FAMILIES, Load, mode_shapes, Modes, SHAPE_KINDS, Spin)
from kane_dynamics.model.flexible.outboard import as_load, outboard_moments
from kane_dynamics.model.flexible.segment_chain import segment_chain, SegmentChain
from kane_dynamics.model.flexible.sliding import sliding_reason
from kane_dynamics.model.structure.tree import added, MassMoments, moments, moved, NO_MASS
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

DAMPING_RATIO = 0.01    # default
MAX_SEGMENTS = 200
MAX_NODES = 64
SNAP = 1e-9             # fraction of the length: a joint this near to an end is at the end
FIT = 1e-3              # files print three or four digits of mass and inertia
CENTERLINE_POINTS = 21


@dataclass(frozen=True, eq=False)
class FlexibleLink:
    """A flexible link: its beam in the link frame, and modes with their body, or segments."""

    link: str
    beam: Beam
    rotation: FloatArray         # (3, 3) R_LB, beam axes in the link
    root: FloatArray             # (3,) p_LB [m]
    rest: Rest                   # the part of the link that is not beam
    stations: dict[str, float]   # x of each joint that leaves the link [m]; 0 is the root
    modes: Modes | None = None
    body: FlexibleBody | None = None
    segments: SegmentChain | None = None

    def __repr__(self) -> str:
        if self.body is not None:
            kind = f'modes {", ".join(self.body.mode_names)}'
        else:
            kind = f'{0 if self.segments is None else len(self.segments.springs)} segments'
        return f'FlexibleLink({self.link!r}, length {self.beam.length:.6g} m, {kind})'

    @property
    def modal(self) -> tuple[Modes, FlexibleBody]:
        """Return the modes and the body of a modal link; a link of segments has none."""
        if self.modes is None or self.body is None:
            raise ModelError(f'link {self.link!r} consists of segments and has no modes; '
                             'expected a <flexible_link> with <modes>')
        return self.modes, self.body

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Return the names of its elastic coordinates: modes, or bending of each segment."""
        if self.segments is None:
            return self.modal[1].mode_names
        return tuple(f'{k}/{family}' for k, spring in enumerate(self.segments.springs, start=1)
                     for family in spring.stiffness)

    def holds_rigidly(self, joint: str) -> bool:
        """Return whether a child joint is fixed to the link frame, at the root of the beam."""
        x = self.stations[joint]
        return x == 0.0 if self.segments is None else self.segments.piece_at(x) == 0

    def attachment_of(self, joint: str) -> int | None:
        """Return the index of the attachment of a child joint; None at the clamped root."""
        x = self.stations[joint]
        if x == 0.0:
            return None
        return [point.x for point in self.modal[1].attachments].index(x)

    def centerline(self, eta: ArrayLike) -> FloatArray:
        """Return points (n, 3) [m] of the bent axis in the link frame for eta (nm,)."""
        bent = np.array([[point.x, 0.0, 0.0] + point.displacement(eta) for point in self._line])
        return self.root + bent @ self.rotation.T

    @cached_property
    def _line(self) -> tuple[Station, ...]:
        modes, body = self.modal
        return stations(modes, np.linspace(0.0, self.beam.length, CENTERLINE_POINTS), body.level)

    def describe(self) -> str:
        """Return the beam, the modes and their frequencies as text for the log."""
        ends = self.beam.at([0.0, self.beam.length])
        values = ', '.join(
            f'{name} {a:.6g}' if a == b else f'{name} {a:.6g} ... {b:.6g}'
            for name, (a, b) in ends.items() if name in GIVEN and (a or b))
        text = f'flexible link {self.link!r}: length {self.beam.length:.6g} m, {values}'
        if self.segments is not None:
            return f'{text}; {len(self.segments.springs)} segments'
        modes, body = self.modal
        listed = ', '.join(f'{name} {w / (2 * np.pi):.4g} Hz'
                           for name, w in zip(body.mode_names, body.frequencies))
        return f'{text}; clamped at its root ({modes.kind}): {listed}'


def read_flexible_links(robot: Robot) -> dict[str, FlexibleLink]:
    """Return {link name: FlexibleLink} of the robot's <flexible_link> elements, in tree order."""
    elements = [Extension(element, robot.source) for element in robot.extensions
                if element.tag == 'flexible_link']
    named: dict[str, Extension] = {}
    for element in elements:
        name = element.element.get('reference')
        if name is None:
            element.fail("the attribute 'reference' is missing: the link it describes; "
                         f'links: {known(robot.link_names)}')
        if name not in robot.link_names:
            element.fail(f'the robot has no such link; links: {known(robot.link_names)}')
        if name in named:
            element.fail('describes this link a second time; expected one element')
        named[name] = element
    beyond = outboard_moments(robot.shaped_by or robot) if named else {}
    return {name: _read(robot, named[name], beyond) for name in robot.link_names if name in named}


def _read(robot: Robot, element: Extension,
          beyond: Mapping[str, MassMoments]) -> FlexibleLink:
    name = element.text('reference')
    element.allow(('reference',),
                  ('beam', 'section', 'station', 'modes', 'segments', 'damping', 'model'))
    beam, R_LB, p_LB = read_beam(element)
    sliding = sliding_reason(robot, name, p_LB, p_LB + R_LB[:, 0] * beam.length)
    if sliding:
        element.fail(f'{sliding}; remove the <flexible_link> (the link is rigid without it), make '
                     'the joint fixed, or, where the beam is clamped to a carriage, give the '
                     'carriage a link of its own with mass and fix this link to it')
    inertial = robot.link(name).inertial
    whole = NO_MASS if inertial is None else moments(inertial)
    rest = _rest(element, whole, moved(*beam.moments(), R_LB, p_LB),
                 '' if inertial is None else inertial.where)
    joints = {joint.name: _station(joint.position, beam.length, R_LB, p_LB)
              for joint in robot.child_joints(name)}
    # a payload that the shapes are not made for is not among the loads
    loads = [as_load(beyond[joint], x, R_LB, p_LB) for joint, x in joints.items()
             if joint in beyond]
    modes, segments = element.child('modes'), element.child('segments')
    link = FlexibleLink(name, beam, R_LB, p_LB, rest, joints)
    if modes is not None and segments is None:
        return _modal(element, modes, loads, link)
    if modes is not None or segments is None:
        element.fail('expected either <modes> or <segments>')
    segments.allow(('count',))
    if element.child('model') is not None:
        element.fail('<model> is for <modes>; segments bend by any angle')
    count = segments.count('count', low=1, high=MAX_SEGMENTS)
    return replace(link, segments=segments.build(
        segment_chain, beam, count, float(_ratio(element, 1)[0]), loads, R_LB, p_LB))


def _modal(element: Extension, tag: Extension, loads: Sequence[Load],
           link: FlexibleLink) -> FlexibleLink:
    """Return the link with the modes and the body of its <modes>."""
    tag.allow((*FAMILIES, 'shapes', 'nodes', 'spin'))
    counts = {family: tag.count(family, 0) for family in FAMILIES}
    if not any(counts.values()):
        tag.fail(f'has no mode; give at least one of {", ".join(FAMILIES)}, or remove the '
                 f'<flexible_link>: the link is rigid without it')
    given = tag.text('shapes', 'tip_loaded', SHAPE_KINDS)
    shapes = next(kind for kind in SHAPE_KINDS if kind == given)
    spin = Spin(tag.number('spin', 0.0, low=0.0), float(link.rotation[:, 0] @ link.root))
    modes = tag.build(mode_shapes, link.beam, counts, shapes, loads, spin=spin)
    model, level = _model(element)
    whole = added(link.rest, moved(*link.beam.moments(), link.rotation, link.root))
    body = element.build(
        flexible_body, modes, link.link, whole, link.rotation, link.root,
        sorted({x for x in link.stations.values() if x > 0.0}),
        _ratio(element, modes.count), level, model,
        tag.count('nodes', low=max(2, *counts.values()), high=MAX_NODES)
        if tag.has('nodes') else None)
    return replace(link, modes=modes, body=body)


def _rest(element: Extension, link: MassMoments, beam: MassMoments, where: str = '') -> Rest:
    """
    Return the part of the link that is not beam; a beam that its link cannot contain is refused.

    The link's kinetic energy in every rigid motion must be at least the beam's: the 6 x 6 inertia
    of the link minus that of the beam has no negative eigenvalue, except for round-off of the
    file. where: file and line of the link's mass.
    """
    if beam[0] > (1 + FIT) * link[0]:
        element.fail(f'the beam weighs {beam[0]:.6g} kg (mass_per_length times length), but the '
                     f'<inertial> of the whole link has {link[0]:.6g} kg'
                     f'{f" ({where})" if where else ""}; correct the mass and inertia of the '
                     'link, or the beam')
    size = float(np.sqrt(np.trace(beam[2]) / beam[0])) if beam[0] > 0.0 else 1.0
    spatial_link, spatial_beam = _spatial(*link, size), _spatial(*beam, size)
    slack = 1e-9 * np.trace(spatial_link) + 1e-300
    if np.linalg.eigvalsh((1 + FIT) * spatial_link - spatial_beam).min() < -slack:
        element.fail(
            'the beam does not fit into the <inertial> of its link, which describes the whole '
            f'undeformed link: {_values("the beam", *beam)}; {_values("the link", *link)}')
    return rest_of(link, beam)


def _spatial(m: float, h: FloatArray, S: FloatArray, size: float) -> FloatArray:
    """Return the 6 x 6 inertia about the link frame; rotations are arc lengths at `size` [m]."""
    hx = np.array([[0, -h[2], h[1]], [h[2], 0, -h[0]], [-h[1], h[0], 0]]) / size
    J = (np.trace(S) * np.eye(3) - S) / size**2
    return np.block([[m * np.eye(3), -hx], [hx, J]])


def _values(what: str, m: float, h: FloatArray, S: FloatArray) -> str:
    J = np.diag(np.trace(S) * np.eye(3) - S)
    c = h / m if m else h
    return (f'{what} has mass {m:.6g} kg, mass centre ({c[0]:.6g} {c[1]:.6g} {c[2]:.6g}) m and '
            f'inertia ({J[0]:.6g} {J[1]:.6g} {J[2]:.6g}) kg m^2 about the axes of the link frame')


def _station(position: FloatArray, length: float, R_LB: FloatArray, p_LB: FloatArray) -> float:
    """Return the x of the beam nearest to a point of the link frame [m]."""
    x = float(np.clip(R_LB[:, 0] @ (position - p_LB), 0.0, length))
    if x < SNAP * length:
        return 0.0
    return length if x > (1 - SNAP) * length else x


def _ratio(element: Extension, modes: int) -> FloatArray:
    """Return the damping ratio of each mode (modes,)."""
    tag = element.child('damping')
    if tag is None:
        return np.full(modes, DAMPING_RATIO)
    tag.allow(('ratio',))
    values = tag.numbers('ratio')
    if len(values) not in (1, modes):
        tag.fail(f'ratio: expected 1 number or {modes}, one per mode; got {len(values)}')
    if not all(0.0 <= value <= 1.0 for value in values):
        tag.fail(f'ratio: expected 0 ... 1 of critical, got {show(tag.text("ratio"))}')
    return np.broadcast_to(np.array(values), (modes,))


def _model(element: Extension) -> tuple[ModelName, int]:
    """Return the name of the model and the level of its kinematics."""
    tag = element.child('model')
    if tag is None:
        return 'full', 2
    tag.allow(('order',))
    given = (tag.element.text or '').strip() or 'full'
    name = next((model for model in MODELS if model == given), None)
    if name is None:
        tag.fail(f'unknown model {show(given)}; known: {known(MODELS)}')
    if name != 'full' and tag.has('order'):
        tag.fail(f'order is for the full model; {name!r} has its own')
    # Ruthless linearization keeps the inertia of the undeformed arm, whatever the order.
    return name, {'full': tag.count('order', 2, 2, 3), 'consistent': 2}.get(name, 0)
