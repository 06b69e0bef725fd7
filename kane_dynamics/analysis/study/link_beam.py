# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Links modelled as straight beams: ends, section and material."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.model.flexible.material import Material
from kane_dynamics.model.flexible.section import section_properties, SHAPES
from kane_dynamics.model.flexible.sliding import sliding_reason
from kane_dynamics.model.flexible.strength import Moduli, moduli
from kane_dynamics.model.structure.springs import LinkSpring
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

ROUND = ('tube', 'round')
MASS_TOLERANCE = 1e-3      # relative; files give three or four digits of a mass


@dataclass(frozen=True, eq=False)
class LinkBeam:
    """A straight beam of known stiffness along a link; vectors are in the link frame."""

    link: str
    root: FloatArray                # (3,) [m]
    tip: FloatArray                 # (3,) [m]
    axes: FloatArray                # (3, 3) R_LB: the beam's x (root to tip), y and z
    stiffness: Mapping[str, float]  # {'EI_y', 'EI_z', 'GJ', 'EA'} [N m^2, N]
    mass: float                     # [kg]

    @property
    def length(self) -> float:
        """Return the length [m]."""
        return float(np.linalg.norm(self.tip - self.root))

    def is_outer(self, point: ArrayLike) -> bool:
        """Return whether a point (3,) of the link frame is at the outer half of the beam."""
        return bool((np.asarray(point) - self.root) @ self.axes[:, 0] >= 0.5 * self.length)


@dataclass(frozen=True, eq=False)
class SectionBeam(LinkBeam):
    """A LinkBeam with a known section, made by `section_beam` or `beam_of`."""

    shape: str
    dimensions: Mapping[str, float]   # of the section, by name [m]
    material: Material
    moduli: Moduli                    # of the section


def flexible_beams(robot: Robot) -> tuple[LinkBeam, ...]:
    """Return a LinkBeam for each <flexible_link>, with the stiffness at its middle."""
    found = []
    for name, link in robot.flexible_links.items():
        middle = link.beam.at(0.5 * link.beam.length)
        # rigid where the file gives no stiffness
        stiffness = {key: float(middle[key]) if middle[key] > 0.0 else np.inf
                     for key in ('EI_y', 'EI_z', 'GJ', 'EA')}
        tip = link.root + link.rotation[:, 0] * link.beam.length
        found.append(LinkBeam(name, link.root, tip, link.rotation, stiffness,
                              float(link.beam.moments()[0])))
    return tuple(found)


def section_beam(link: str, shape: str, dimensions: Mapping[str, float], material: Material,
                 root: ArrayLike, tip: ArrayLike, normal: ArrayLike | None = None) -> SectionBeam:
    """Return the SectionBeam of a link from `root` to `tip` (3,) [m], in the link frame.

    dimensions: of the section, by name [m]; normal (3,): the section's z in the link frame, along
    which `height` is measured (round sections need none).
    """
    root, tip = _vector(link, 'root', root), _vector(link, 'tip', tip)
    length = float(np.linalg.norm(tip - root))
    if length < 1e-9:
        raise InputError(f'section of {link!r}: its beam has no length, root and tip are '
                         f'{root.tolist()}')
    if shape not in ROUND and normal is None and shape in SHAPES:
        raise InputError(f"section of {link!r}: a {shape} needs 'normal', the direction of its "
                         'height in the link frame')
    x = (tip - root) / length
    z = np.eye(3)[np.argmin(abs(x))] if normal is None else _vector(link, 'normal', normal)
    if np.linalg.norm(np.cross(z, x)) <= 1e-6 * np.linalg.norm(z):
        raise InputError(f'section of {link!r}: normal {z.tolist()} is along the beam')
    z = z - (z @ x) * x
    z = z / np.linalg.norm(z)
    section = moduli(shape, dimensions)       # raises for wrong dimensions
    properties = section_properties(shape, dimensions, material.E, material.density, material.G)
    stiffness = {key: float(value) for key, value in properties.items()}
    return SectionBeam(link, root, tip, np.column_stack([x, np.cross(z, x), z]), stiffness,
                       float(section.A * length * material.density), shape, dict(dimensions),
                       material, section)


def _vector(link: str, name: str, value: ArrayLike) -> FloatArray:
    vector = np.array(value, dtype=np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise InputError(f'section of {link!r}: {name} must be 3 numbers, got {vector.tolist()}')
    return vector


def beam_of(robot: Robot, link: str, shape: str, dimensions: Mapping[str, float],
            material: Material, root: ArrayLike | None = None, tip: ArrayLike | None = None,
            normal: ArrayLike | None = None) -> SectionBeam:
    """Return the SectionBeam of a link, by default from its origin to its only child joint.

    root, tip (3,) [m] in the link frame: other ends.
    """
    if tip is None:
        ends = [joint.position for joint in robot.child_joints(link)
                if np.linalg.norm(joint.position) > 1e-9]
        if len(ends) != 1:
            raise InputError(f"section of {link!r}: give 'tip', the end of its beam in the link "
                             f'frame [m]; {len(ends)} joints leave the link away from its origin, '
                             'expected one')
        tip = ends[0]
    beam = section_beam(link, shape, dimensions, material, np.zeros(3) if root is None else root,
                        tip, normal)
    check_beam(robot, beam)
    return beam


def check_beam(robot: Robot, beam: LinkBeam) -> None:
    """Raise for a beam whose loads are not known, or that is heavier than its link."""
    sliding = sliding_reason(robot, beam.link, beam.root, beam.tip)
    if sliding:
        raise InputError(f'section of {beam.link!r}: {sliding}; remove the section (stress and '
                         'deflection of this link are then not judged), or make the joint fixed')
    carried = {beam.link}       # the link, and what fixed joints attach to it
    for joint in robot.joints:
        if joint.kind == 'fixed' and joint.parent in carried:
            carried.add(joint.child)
    if any(link in carried for spring in robot.springs if isinstance(spring, LinkSpring)
           for link, _ in spring.ends):
        raise InputError(f'section of {beam.link!r}: a spring between links acts on this link, '
                         'and its load on the beam is not computed; remove the section (stress '
                         'and deflection of this link are then not judged), or the spring')
    inertial = robot.link(beam.link).inertial
    mass = 0.0 if inertial is None else inertial.mass
    if beam.mass > (1.0 + MASS_TOLERANCE) * mass:
        where = (inertial.where if inertial is not None else '') or robot.source
        raise InputError(
            f'section of {beam.link!r}: it weighs {beam.mass:.4g} kg (area times length '
            f'{beam.length:.4g} m times density), but the link '
            f'{"has no <inertial>" if inertial is None else f"weighs {mass:.4g} kg"} in '
            f'{where or f"robot {robot.name!r}"}, and torques and energies follow from that mass; '
            'correct the mass and inertia of the link, or the section')
