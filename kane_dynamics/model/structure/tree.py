# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Tree of moving bodies, as Kane's equations see the arm.

A `Robot` has the links and joints of the URDF. A `Tree` has only moving bodies: links behind fixed
joints are merged, every body frame has its origin on the joint and its z on the joint axis, and
the inertia is written as moments of the mass distribution about that origin,

    m = int dm,    h = int r dm,    S = int r r' dm,

which add up, translate and rotate more simply than mass centres and inertia tensors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TYPE_CHECKING

import numpy as np

from kane_dynamics.model.structure.links_and_joints import Inertial
from kane_dynamics.model.structure.springs import CoordinateSpring, PointSpring
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.flexible.flexible_body import FlexibleBody

BodyKind = Literal['revolute', 'prismatic', 'floating', 'fixed', 'station']
MassMoments = tuple[float, FloatArray, FloatArray]   # m [kg], h (3,) [kg m], S (3, 3) [kg m^2]
NO_MASS: MassMoments = (0.0, np.zeros(3), np.zeros((3, 3)))


@dataclass(frozen=True)
class Body:
    """One moving body: its parent, its joint and its mass moments.

    The body frame in its parent's frame is R_PB = C Rz(theta) with origin p_PB (revolute), or
    R_PB = C with origin p_PB + d C z (prismatic), where theta or d = ratio * q + offset.
    A floating body moves freely in its parent: q gives its position and quaternion. A flexible
    body has modes in addition to its joint, and its children are attached to bodies of kind
    'station': rigid, fixed in a station of the bent beam. A fixed body is flexible, without joint.
    """

    parent: int                  # index of the parent body; -1 is the base
    kind: BodyKind
    q_index: int                 # first coordinate in q
    u_index: int                 # first generalized speed in u
    C: FloatArray                # (3, 3) constant rotation
    p: FloatArray                # (3,) origin in the parent frame [m]
    m: float                     # [kg]
    h: FloatArray                # (3,) first moment [kg m]
    S: FloatArray                # (3, 3) second moment [kg m^2]
    ratio: float = 1.0           # a mimic joint follows its leader's coordinate
    offset: float = 0.0          # [rad or m]
    quarter_turns: int = 0       # further offset of theta, exact: sine and cosine are swapped
    flexible: FlexibleBody | None = None   # in this frame
    modes_q: int = -1            # first modal coordinate and speed of a flexible body
    modes_u: int = -1
    station: int = -1            # the attachment of its parent that a 'station' is fixed to

    @property
    def speeds(self) -> list[int]:
        """Return the generalized speeds of this body: its joint's, then its modes'."""
        own = {'floating': 6, 'fixed': 0, 'station': 0}.get(self.kind, 1)
        modes = 0 if self.flexible is None else self.flexible.n_modes
        return [*range(self.u_index, self.u_index + own),
                *range(self.modes_u, self.modes_u + modes)]


@dataclass(frozen=True)
class Spring:
    """A linear spring and damper on one coordinate: a mode, or an elastic joint."""

    q_index: int
    u_index: int
    stiffness: float
    damping: float


@dataclass(frozen=True)
class Frame:
    """A named frame (a link of the URDF) fixed in a body: R_BF and p_BF; body -1 is the base."""

    body: int
    R: FloatArray
    p: FloatArray


@dataclass(frozen=True)
class Tree:
    """Bodies, parents first, and the frames fixed in them."""

    bodies: tuple[Body, ...]
    frames: dict[str, Frame]
    nq: int
    nv: int
    springs: tuple[Spring, ...] = ()        # of elastic coordinates
    joint_springs: tuple[CoordinateSpring, ...] = ()
    link_springs: tuple[PointSpring, ...] = ()

    def __repr__(self) -> str:
        count = len(self.springs) + len(self.joint_springs) + len(self.link_springs)
        springs = f', {count} springs' if count else ''
        return (f'Tree({len(self.bodies)} bodies, {len(self.frames)} frames, nq {self.nq}, '
                f'nv {self.nv}{springs})')

    @property
    def stiffness(self) -> FloatArray:
        """Return the stiffness of the springs on each speed's coordinate (nv,) [N m/rad, N/m]."""
        return self._per_speed('stiffness')

    @property
    def damping(self) -> FloatArray:
        """Return the viscous damping of the springs on each speed (nv,) [N m s/rad, N s/m]."""
        return self._per_speed('damping')

    def without_springs(self) -> Tree:
        """Return the tree without any spring."""
        return replace(self, springs=(), joint_springs=(), link_springs=())

    def _per_speed(self, field: str) -> FloatArray:
        values = np.zeros(self.nv)
        for spring in self.springs:
            values[spring.u_index] += getattr(spring, field)
        return values

    @property
    def speed_order(self) -> list[int]:
        """Return all generalized speeds from the base to the tips, the order of elimination."""
        order: list[int] = []
        for body in self.bodies:
            order += [speed for speed in body.speeds if speed not in order]
        return order

    @property
    def speed_parents(self) -> dict[int, int]:
        """Return, per generalized speed, the next speed toward the base (-1: none).

        M is zero between speeds on different branches; this is that pattern (Featherstone 2008,
        ch. 6). Mimic joints connect branches: then any two speeds may be coupled.
        """
        order = self.speed_order
        if len(order) < sum(len(body.speeds) for body in self.bodies):
            return dict(zip(order, [-1, *order[:-1]]))
        parents: dict[int, int] = {}
        last = {-1: -1}                                    # body -> its outermost speed
        for i, body in enumerate(self.bodies):
            last[i] = last[body.parent]
            for speed in body.speeds:
                parents[speed], last[i] = last[i], speed
        return parents

    @property
    def depth(self) -> int:
        """Return the number of bodies on the longest branch from the base to a tip."""
        depths: list[int] = []
        for body in self.bodies:
            depths.append(1 + (depths[body.parent] if body.parent >= 0 else 0))
        return max(depths, default=0)


def moments(inertial: Inertial) -> MassMoments:
    """Return (m, h, S) of a link about its frame origin.

    S = (tr I / 2) 1 - I + m c c', with I the central inertia and c the mass centre.
    """
    m, c, inertia = inertial.mass, inertial.com, inertial.inertia
    S = 0.5 * np.trace(inertia) * np.eye(3) - inertia + m * np.outer(c, c)
    return m, m * c, S


def added(first: MassMoments, second: MassMoments) -> MassMoments:
    """Return the mass moments of two bodies together, about the same origin."""
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]


def moved(m: float, h: FloatArray, S: FloatArray, R: FloatArray, p: FloatArray) -> MassMoments:
    """Return mass moments in another frame, where a point r becomes R r + p."""
    h_rotated = R @ h
    cross_term = np.outer(p, h_rotated)
    return (m, h_rotated + m * p,
            R @ S @ R.T + cross_term + cross_term.T + m * np.outer(p, p))
