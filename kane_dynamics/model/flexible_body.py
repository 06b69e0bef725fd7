# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A flexible link as Kane's equations see it: mass points, attachments and modal constants.

All vectors are in one frame, the link's to begin with; `rotated` writes them in another one that
is fixed to the clamped root. In a station's polynomial d = Phi eta + 1/2 Gam eta eta + 1/6 Cub eta
eta eta; the rotation vector at an attachment is the same with Psi, Lam, Cubpsi.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.beam import gauss_points
from kane_dynamics.model.modal_constants import Station, stations
from kane_dynamics.model.tree import moved

MODELS = ('full', 'consistent', 'inconsistent', 'ruthless')
DEFLECTION_RANGE = {0: 0.02, 1: 0.02, 2: 0.05, 3: 0.20}  # of the length, by level: good to 1 %


@dataclass(frozen=True, eq=False)
class Placed(Station):
    """A Station with the place of its undeformed point, in the frame of its body."""

    position: np.ndarray = None  # (3,) [m]

    def rotated(self, R, shift):
        """Return it in the frame where a point r of this one is R r + shift."""
        changed = {'position': R @ self.position + shift}
        for name in ('Phi', 'Psi', 'Gam', 'Lam', 'Cub', 'Cubpsi'):
            tensor = getattr(self, name)
            changed[name] = None if tensor is None else np.tensordot(R, tensor, axes=1)
        return replace(self, **changed)


@dataclass(frozen=True, eq=False)
class Node(Placed):
    """A mass point of the beam; its rotation is not used."""

    mass: float = 0.0  # [kg]


@dataclass(frozen=True, eq=False)
class Attachment(Placed):
    """A place where other bodies ride on the beam; undeformed, its axes are the link's."""


class Rotary(NamedTuple):
    """Rotary inertia of the slices: with rates w, ed, T = 1/2 w'I0 w + w'Cr ed + 1/2 ed'Mr ed."""

    I0: np.ndarray   # (3, 3) [kg m^2]
    Cr: np.ndarray   # (3, nm)
    Mr: np.ndarray   # (nm, nm)


class Rest(NamedTuple):
    """The rigid part of the link, about the frame origin: int dm, int r dm, int r r' dm."""

    m: float
    h: np.ndarray   # (3,)
    S: np.ndarray   # (3, 3)

    @property
    def J(self):
        """Return the inertia about the frame origin (3, 3) [kg m^2]."""
        return np.trace(self.S) * np.eye(3) - self.S


@dataclass(frozen=True, eq=False)
class FlexibleBody:
    """Everything the equations of motion need of one modal link."""

    link: str
    mode_names: tuple[str, ...]      # 'bend_y_1', ...
    nodes: tuple[Node, ...]
    attachments: tuple[Attachment, ...]
    tip: Attachment                  # the end of the beam, whether or not something rides there
    rotary: Rotary
    rest: Rest
    stiffness: np.ndarray            # (nm,) the diagonal of K
    damping: np.ndarray              # (nm,) the diagonal of D
    frequencies: np.ndarray          # (nm,) of the link clamped at its root [rad/s]
    length: float                    # [m]
    level: int = 2                   # 0 ... 3, the order of the kinematics
    model: str = 'full'              # one of MODELS

    @property
    def n_modes(self):
        """Return the number of modal coordinates."""
        return len(self.mode_names)

    @property
    def deflection_range(self):
        """Return the tip deflection [m] up to which this level is good to about one per cent."""
        return DEFLECTION_RANGE[self.level] * self.length

    def tip_deflection(self, eta):
        """Return the displacement of the tip (3,) [m] for modal coordinates eta (nm,)."""
        return self.tip.displacement(eta)

    def rotated(self, R, shift):
        """Return the body written in the frame where a point r of this one is R r + shift."""
        return replace(
            self,
            nodes=tuple(node.rotated(R, shift) for node in self.nodes),
            attachments=tuple(place.rotated(R, shift) for place in self.attachments),
            tip=self.tip.rotated(R, shift),
            rotary=Rotary(R @ self.rotary.I0 @ R.T, R @ self.rotary.Cr, self.rotary.Mr),
            rest=Rest(*moved(*self.rest, R, shift)))


def flexible_body(modes, link='', link_moments=None, rotation=None, root=None, attachments=(),
                  damping_ratio=0.0, level=2, model='full', node_count=None):
    """
    Return the FlexibleBody of a beam with its Modes.

    link_moments: (m, h, S) of the whole undeformed link in the link frame; the beam alone when
    left out. rotation R_LB (3, 3) and root p_LB (3,) place the beam in the link. attachments: x of
    each [m]. damping_ratio: one number or one per mode, on modes.reference_mass. node_count: mass
    points of the beam; 2 n + 1 with n modes in the richest family carry the highest mode to 2e-4.
    """
    if model not in MODELS:
        raise ModelError(f'unknown model {model!r}; known: {", ".join(MODELS)}')
    R = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
    p = np.zeros(3) if root is None else np.asarray(root, dtype=float)
    beam = modes.beam
    if node_count is None:
        richest = max((modes.families.count(family) for family in modes.families), default=0)
        node_count = max(2, 2 * richest + 1)
    x, mass = beam.mass_points(node_count)
    places = stations(modes, np.concatenate([x, np.asarray(attachments, float), [beam.length]]),
                      level)
    placed = [_place(Node, place, mass=float(dm)) for place, dm in zip(places, mass)]
    placed += [_place(Attachment, place) for place in places[len(x):]]
    beam_moments = moved(*beam.moments(), R, p)
    link_moments = beam_moments if link_moments is None else link_moments
    ratio = np.broadcast_to(np.asarray(damping_ratio, dtype=float), (modes.count,))
    in_link = [place.rotated(R, p) for place in placed]
    return FlexibleBody(
        link=link, mode_names=modes.names,
        nodes=tuple(in_link[:len(x)]), attachments=tuple(in_link[len(x):-1]), tip=in_link[-1],
        rotary=_rotary(modes, R),
        rest=Rest(*(whole - part for whole, part in zip(link_moments, beam_moments))),
        stiffness=modes.stiffness,
        damping=2 * ratio * np.sqrt(modes.stiffness * modes.reference_mass),
        frequencies=modes.frequencies, length=beam.length, level=level, model=model)


def _place(kind, station, **more):
    values = {field.name: getattr(station, field.name) for field in fields(Station)}
    return kind(position=np.array([station.x, 0.0, 0.0]), **values, **more)


def _rotary(modes, R):
    """Return the Rotary constants, the slices' inertia taken fixed in the link frame."""
    x, w = gauss_points(modes.edges)
    slices = w.ravel()[:, None, None] * modes.beam.rotary_inertia(x.ravel())
    psi = modes.fields(x.ravel()).rotation
    return Rotary(R @ slices.sum(0) @ R.T,
                  R @ np.einsum('gab,gbi->ai', slices, psi),
                  np.einsum('gai,gab,gbj->ij', psi, slices, psi))
