# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A link seen as a straight beam: where it runs, its section and its material."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.model.material import Material
from kane_dynamics.model.section import section_properties, SHAPES
from kane_dynamics.model.strength import Moduli, moduli

ROUND = ('tube', 'round')


class Beam:
    """What beams share: link, root and tip (3,) [m] in its frame, axes, mass, stiffness."""

    @property
    def length(self):
        """Return the length [m]."""
        return float(np.linalg.norm(self.tip - self.root))

    def is_outer(self, point):
        """Return whether a point (3,) of the link frame is beside the outer half of the beam."""
        return (np.asarray(point) - self.root) @ self.axes[:, 0] >= 0.5 * self.length


@dataclass(frozen=True, eq=False)
class StiffBeam(Beam):
    """A beam of which only the stiffness is known: {'EI_y', 'EI_z', 'GJ', 'EA'} [N m^2, N]."""

    link: str
    root: np.ndarray
    tip: np.ndarray
    axes: np.ndarray        # (3, 3) R_LB
    stiffness: dict
    mass: float             # [kg]


def flexible_beams(robot):
    """Return a StiffBeam for each <flexible_link>; a tapered one as stiff as at its middle."""
    found = []
    for name, link in robot.flexible_links.items():
        middle = link.beam.at(0.5 * link.beam.length)
        # what the file gives no stiffness for does not give way
        stiffness = {key: float(middle[key]) if middle[key] > 0.0 else np.inf
                     for key in ('EI_y', 'EI_z', 'GJ', 'EA')}
        tip = link.root + link.rotation[:, 0] * link.beam.length
        found.append(StiffBeam(name, link.root, tip, link.rotation, stiffness,
                               float(link.beam.moments()[0])))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class LinkBeam(Beam):
    """A link's beam from `root` to `tip` [m], in the link frame.

    dimensions: of the section, by name [m]; normal: the section's z in the link frame, along which
    `height` is measured (a round section needs none). `beam_of` finds the ends in the tree.
    """

    link: str
    shape: str
    dimensions: dict
    material: Material
    root: np.ndarray
    tip: np.ndarray
    normal: np.ndarray | None = None

    def __post_init__(self):
        for name in ('root', 'tip', 'normal'):
            value = getattr(self, name)
            if value is not None:
                value = np.array(value, dtype=float)
                if value.shape != (3,) or not np.isfinite(value).all():
                    raise InputError(f'section of {self.link!r}: {name} must be 3 numbers, '
                                     f'got {value.tolist()}')
                object.__setattr__(self, name, value)
        if self.length < 1e-9:
            raise InputError(f'section of {self.link!r}: its beam has no length, root and tip are '
                             f'{self.root.tolist()}')
        if self.shape not in ROUND and self.normal is None and self.shape in SHAPES:
            raise InputError(f"section of {self.link!r}: a {self.shape} needs 'normal', the "
                             'direction of its height in the link frame')
        if self.normal is not None and np.linalg.norm(
                np.cross(self.normal, self.axes[:, 0])) < 1e-6 * np.linalg.norm(self.normal):
            raise InputError(f'section of {self.link!r}: normal {self.normal.tolist()} is along '
                             'the beam')
        self.moduli         # refuses what is wrong with the dimensions

    @cached_property
    def axes(self):
        """Return R_LB (3, 3): the beam's x (root to tip), y and z in the link frame."""
        x = (self.tip - self.root) / self.length
        z = np.eye(3)[np.argmin(abs(x))] if self.normal is None else self.normal
        z = z - (z @ x) * x
        norm = np.linalg.norm(z)
        z = z / (norm if norm > 0.0 else 1.0)
        return np.column_stack([x, np.cross(z, x), z])

    @cached_property
    def moduli(self) -> Moduli:
        """Return the section's resistance."""
        return moduli(self.shape, self.dimensions)

    @cached_property
    def stiffness(self):
        """Return {'EI_y', 'EI_z', 'GJ', 'EA', ...} [N m^2, N]."""
        return section_properties(self.shape, self.dimensions, self.material.E,
                                  self.material.density, self.material.G)

    @property
    def mass(self):
        """Return the beam's mass [kg]."""
        return float(self.moduli.A * self.length * self.material.density)


def beam_of(robot, link, shape, dimensions, material, root=None, tip=None, normal=None):
    """Return the LinkBeam of a link, from its origin to where its only child joint sits.

    root, tip (3,) [m] in the link frame where it is not so.
    """
    if tip is None:
        places = [joint.position for joint in robot.child_joints(link)
                  if np.linalg.norm(joint.position) > 1e-9]
        if len(places) != 1:
            raise InputError(f"section of {link!r}: give 'tip', where its beam ends in the link "
                             f'frame [m]; {len(places)} joints leave the link away from its '
                             'origin, so it does not follow')
        tip = places[0]
    return LinkBeam(link, shape, dict(dimensions), material, np.zeros(3) if root is None else root,
                    tip, normal)
