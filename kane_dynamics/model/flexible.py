# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible links as a URDF tells them: <flexible_link>, read strictly, checked against the link.

    <flexible_link reference="upper_arm">
      <beam root="0 0 0" axis="1 0 0" normal="0 0 1" length="0.9144" mass_per_length="1.33937"
            EI_y="114" EI_z="114" GJ="80" EA="1e7" polar_inertia_per_length="1e-4"/>
      <modes bend_y="2" bend_z="2" torsion="1" stretch="0" shapes="tip_loaded"/>
      <damping ratio="0.01"/>
      <model order="2">full</model>
    </flexible_link>

<modes> may also say how many mass points stand for the beam, nodes="5" (default: twice the modes
of the richest family and one), and for which spin its shapes are made, spin="6" [rad/s] (the
joint's, about an axis square to the beam). Instead of <modes> there may be <segments count="8"/>.
The link's <inertial> describes the whole undeformed link: what is left when the beam is taken out
is rigid with the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kane_dynamics.model.beam import Beam
from kane_dynamics.model.beam_reader import GIVEN, read_beam
from kane_dynamics.model.extension import Extension
from kane_dynamics.model.flexible_body import flexible_body, FlexibleBody, MODELS, Rest
from kane_dynamics.model.modal_constants import stations
from kane_dynamics.model.outboard import as_load, outboard_moments
from kane_dynamics.model.parts import show
from kane_dynamics.model.segments import segment_chain, SegmentChain
from kane_dynamics.model.shapes import FAMILIES, mode_shapes, Modes, SHAPE_KINDS, Spin
from kane_dynamics.model.topology import known
from kane_dynamics.model.tree import moments, moved

DAMPING_RATIO = 0.01    # when the file gives none
MAX_SEGMENTS = 200
MAX_NODES = 64
SNAP = 1e-9             # of the length: a joint this near an end is at the end
FIT = 1e-3              # files print three or four digits of mass and inertia
CENTERLINE_POINTS = 21


@dataclass(frozen=True, eq=False)
class FlexibleLink:
    """A flexible link: its beam in the link frame, and modes with their body or segments."""

    link: str
    beam: Beam
    rotation: np.ndarray         # (3, 3) R_LB, beam axes in the link
    root: np.ndarray             # (3,) p_LB [m]
    rest: Rest                   # what of the link is not beam
    stations: dict[str, float]   # x of each joint that leaves the link [m]; 0 is the root
    modes: Modes | None = None
    body: FlexibleBody | None = None
    segments: SegmentChain | None = None

    def attachment_of(self, joint):
        """Return which attachment of the body a joint rides on; None at the clamped root."""
        x = self.stations[joint]
        if x == 0.0:
            return None
        return [place.x for place in self.body.attachments].index(x)

    def centerline(self, eta):
        """Return points (n, 3) [m] of the bent axis in the link frame for eta (nm,)."""
        bent = np.array([[place.x, 0.0, 0.0] + place.displacement(eta) for place in self._line])
        return self.root + bent @ self.rotation.T

    @cached_property
    def _line(self):
        return stations(self.modes, np.linspace(0.0, self.beam.length, CENTERLINE_POINTS),
                        self.body.level)

    def describe(self):
        """Return a line or two for the log: the beam, the modes, their frequencies."""
        ends = self.beam.at([0.0, self.beam.length])
        values = ', '.join(
            f'{name} {a:.6g}' if a == b else f'{name} {a:.6g} ... {b:.6g}'
            for name, (a, b) in ends.items() if name in GIVEN and (a or b))
        text = f'flexible link {self.link!r}: length {self.beam.length:.6g} m, {values}'
        if self.segments is not None:
            return f'{text}; {len(self.segments.springs)} segments'
        modes = ', '.join(f'{name} {w / (2 * np.pi):.4g} Hz'
                          for name, w in zip(self.body.mode_names, self.body.frequencies))
        return f'{text}; clamped at its root ({self.modes.kind}): {modes}'


def read_flexible_links(robot):
    """Return {link name: FlexibleLink} of the robot's <flexible_link> elements, in tree order."""
    elements = [Extension(element, robot.source) for element in robot.extensions
                if element.tag == 'flexible_link']
    named = {}
    for element in elements:
        name = element.text('reference', None)
        if name is None:
            element.fail("the attribute 'reference' is missing: the link it describes; "
                         f'links: {known(robot.link_names)}')
        if name not in robot.link_names:
            element.fail(f'the robot has no such link; links: {known(robot.link_names)}')
        if name in named:
            element.fail('describes this link a second time; expected one element')
        named[name] = element
    beyond = outboard_moments(robot) if named else {}
    return {name: _read(robot, named[name], beyond) for name in robot.link_names if name in named}


def _read(robot, element, beyond):
    name = element.text('reference')
    element.allow(('reference',),
                  ('beam', 'section', 'station', 'modes', 'segments', 'damping', 'model'))
    beam, R_LB, p_LB = read_beam(element)
    inertial = robot.link(name).inertial
    rest = _rest(element, (0.0, np.zeros(3), np.zeros((3, 3))) if inertial is None
                 else moments(inertial), moved(*beam.moments(), R_LB, p_LB))
    joints = {joint.name: _station(joint.position, beam.length, R_LB, p_LB)
              for joint in robot.child_joints(name)}
    loads = [as_load(beyond[joint], x, R_LB, p_LB) for joint, x in joints.items()]
    modes, segments = element.child('modes'), element.child('segments')
    if (modes is None) == (segments is None):
        element.fail('expected either <modes> or <segments>')
    common = dict(link=name, beam=beam, rotation=R_LB, root=p_LB, rest=rest, stations=joints)
    if segments is not None:
        segments.allow(('count',))
        if element.child('model') is not None:
            element.fail('<model> is for <modes>; segments turn by any angle')
        count = segments.count('count', low=1, high=MAX_SEGMENTS)
        chain = segments.build(segment_chain, beam, count, _ratio(element, 1)[0], loads,
                               R_LB, p_LB)
        return FlexibleLink(segments=chain, **common)
    return _modal(element, modes, loads, common)


def _modal(element, tag, loads, common):
    tag.allow((*FAMILIES, 'shapes', 'nodes', 'spin'))
    counts = {family: tag.count(family, 0) for family in FAMILIES}
    if not any(counts.values()):
        tag.fail(f'has no mode; give at least one of {", ".join(FAMILIES)}, or remove the '
                 f'<flexible_link>: the link is rigid without it')
    shapes = tag.text('shapes', 'tip_loaded', SHAPE_KINDS)
    spin = Spin(tag.number('spin', 0.0, low=0.0), float(common['rotation'][:, 0] @ common['root']))
    modes = tag.build(mode_shapes, common['beam'], counts, shapes, loads, spin=spin)
    model, level = _model(element)
    whole = [a + b for a, b in zip(common['rest'], moved(
        *common['beam'].moments(), common['rotation'], common['root']))]
    body = element.build(
        flexible_body, modes, common['link'], whole, common['rotation'], common['root'],
        sorted({x for x in common['stations'].values() if x > 0.0}),
        _ratio(element, modes.count), level, model,
        tag.count('nodes', None, low=max(2, *counts.values()), high=MAX_NODES))
    return FlexibleLink(modes=modes, body=body, **common)


def _rest(element, link, beam):
    """
    Return what of the link is not beam, or refuse a beam that its link cannot hold.

    The link's kinetic energy in every rigid motion must be at least the beam's: the 6 x 6 inertia
    of the link less that of the beam has no negative eigenvalue, but for rounding of the file.
    """
    if beam[0] > (1 + FIT) * link[0]:
        element.fail(f'the beam weighs {beam[0]:.6g} kg (mass_per_length times length), but the '
                     f'<inertial> of the whole link has {link[0]:.6g} kg')
    size = np.sqrt(np.trace(beam[2]) / beam[0]) if beam[0] > 0.0 else 1.0
    spatial_link, spatial_beam = _spatial(*link, size), _spatial(*beam, size)
    slack = 1e-9 * np.trace(spatial_link) + 1e-300
    if np.linalg.eigvalsh((1 + FIT) * spatial_link - spatial_beam).min() < -slack:
        element.fail(
            'the beam does not fit into the <inertial> of its link, which describes the whole '
            f'undeformed link: {_figures("the beam", *beam)}; {_figures("the link", *link)}')
    return Rest(*(a - b for a, b in zip(link, beam)))


def _spatial(m, h, S, size):
    """Return the 6 x 6 inertia about the link frame, rotations measured by the arc at `size`."""
    hx = np.array([[0, -h[2], h[1]], [h[2], 0, -h[0]], [-h[1], h[0], 0]]) / size
    J = (np.trace(S) * np.eye(3) - S) / size**2
    return np.block([[m * np.eye(3), -hx], [hx, J]])


def _figures(what, m, h, S):
    J = np.diag(np.trace(S) * np.eye(3) - S)
    c = h / m if m else h
    return (f'{what} has mass {m:.6g} kg, mass centre ({c[0]:.6g} {c[1]:.6g} {c[2]:.6g}) m and '
            f'inertia ({J[0]:.6g} {J[1]:.6g} {J[2]:.6g}) kg m^2 about the axes of the link frame')


def _station(position, length, R_LB, p_LB):
    """Return the x of the beam nearest to a point of the link frame [m]."""
    x = float(np.clip(R_LB[:, 0] @ (position - p_LB), 0.0, length))
    if x < SNAP * length:
        return 0.0
    return length if x > (1 - SNAP) * length else x


def _ratio(element, modes):
    tag = element.child('damping')
    if tag is None:
        return np.full(modes, DAMPING_RATIO)
    tag.allow(('ratio',))
    values = tag.numbers('ratio')
    if len(values) not in (1, modes):
        tag.fail(f'ratio: expected 1 number or {modes}, one per mode; got {len(values)}')
    if not all(0.0 <= value <= 1.0 for value in values):
        tag.fail(f'ratio: expected 0 ... 1 of critical, got {show(tag.text("ratio"))}')
    return np.broadcast_to(values, (modes,))


def _model(element):
    """Return the model's name and the level of its kinematics."""
    tag = element.child('model')
    if tag is None:
        return 'full', 2
    tag.allow(('order',))
    name = (tag.element.text or '').strip() or 'full'
    if name not in MODELS:
        tag.fail(f'unknown model {show(name)}; known: {known(MODELS)}')
    if name != 'full' and tag.has('order'):
        tag.fail(f'order is for the full model; {name!r} has its own')
    # Ruthless inertia is that of the undeformed arm: no order of the kinematics enters.
    return name, {'full': tag.count('order', 2, 2, 3), 'consistent': 2}.get(name, 0)
