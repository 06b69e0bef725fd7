# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The arm as Kane's equations see it: bodies in a tree, each turning about or sliding along its z.

A `Robot` speaks the URDF's language (links, fixed joints, any axis). A `Tree` has only what moves:
links behind fixed joints are merged, every body frame has its origin on the joint and its z on the
joint axis, and the inertia is written as moments of the mass distribution about that origin,

    m = int dm,    h = int r dm,    S = int r r' dm,

because these add up, move and rotate more simply than mass centres and inertia tensors do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Body:
    """One moving body: its place in the tree, its joint and its mass moments.

    The body frame in its parent's frame is R_PB = C Rz(theta) with origin p_PB (revolute), or
    R_PB = C with origin p_PB + d C z (prismatic), where theta or d = ratio * q + offset.
    A floating body moves freely in its parent: q gives its position and quaternion. A flexible
    body has modes besides its joint, and what rides on it hangs on bodies of kind 'station':
    rigid, at rest in a station of the bent beam. A fixed body is flexible but has no joint.
    """

    parent: int                  # index of the parent body; -1 is the base
    kind: str                    # 'revolute' | 'prismatic' | 'floating' | 'fixed' | 'station'
    q_index: int                 # first coordinate in q
    u_index: int                 # first generalized speed in u
    C: np.ndarray                # (3, 3) constant rotation
    p: np.ndarray                # (3,) origin in the parent frame [m]
    m: float                     # [kg]
    h: np.ndarray                # (3,) first moment [kg m]
    S: np.ndarray                # (3, 3) second moment [kg m^2]
    ratio: float = 1.0           # a mimic joint follows its leader's coordinate
    offset: float = 0.0          # [rad or m]
    quarter_turns: int = 0       # further offset of theta, exact: sine and cosine are swapped
    flexible: object = None      # a model.flexible_body.FlexibleBody in this frame, or None
    modes_q: int = -1            # first modal coordinate and speed of a flexible body
    modes_u: int = -1
    station: int = -1            # which attachment of its parent a 'station' rides on

    @property
    def speeds(self):
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
    R: np.ndarray
    p: np.ndarray


@dataclass(frozen=True)
class Tree:
    """Bodies in an order where parents come first, and the frames that ride on them."""

    bodies: tuple
    frames: dict
    nq: int
    nv: int
    springs: tuple = ()

    @property
    def speed_order(self):
        """Return all generalized speeds from the base to the tips: the order to eliminate in."""
        order = []
        for body in self.bodies:
            order += [speed for speed in body.speeds if speed not in order]
        return order

    @property
    def speed_parents(self):
        """Return, per generalized speed, the next speed toward the base (-1: none).

        M is zero between speeds on different branches; this is that pattern (Featherstone 2008,
        ch. 6). Mimic joints tie branches together: then every speed may meet every other one.
        """
        order = self.speed_order
        if len(order) < sum(len(body.speeds) for body in self.bodies):
            return dict(zip(order, [-1, *order[:-1]]))
        parents, last = {}, {-1: -1}                       # last: innermost speeds come first
        for i, body in enumerate(self.bodies):
            last[i] = last[body.parent]
            for speed in body.speeds:
                parents[speed], last[i] = last[i], speed
        return parents

    @property
    def depth(self):
        """Return the number of bodies on the longest way from the base to a tip."""
        depths = []
        for body in self.bodies:
            depths.append(1 + (depths[body.parent] if body.parent >= 0 else 0))
        return max(depths, default=0)


def moments(inertial):
    """Return (m, h, S) of a link about its frame origin.

    S = (tr I / 2) 1 - I + m c c', with I the central inertia and c the mass centre.
    """
    m, c, inertia = inertial.mass, inertial.com, inertial.inertia
    S = 0.5 * np.trace(inertia) * np.eye(3) - inertia + m * np.outer(c, c)
    return m, m * c, S


def moved(m, h, S, R, p):
    """Return mass moments in another frame: points become R r + p."""
    h_rotated = R @ h
    cross_term = np.outer(p, h_rotated)
    return (m, h_rotated + m * p,
            R @ S @ R.T + cross_term + cross_term.T + m * np.outer(p, p))
