# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies of Kane's equations: mass points, attachments and modal constants.

All vectors are in one frame, at first that of the link; `rotated` returns them in another frame
fixed to the clamped root. The displacement of a point is d = Phi eta + 1/2 Gam eta eta + 1/6 Cub
eta eta eta; the rotation vector at an attachment is the same with Psi, Lam, Cubpsi.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, get_args, Literal, NamedTuple, TypeVar

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.flexible.beam import gauss_points
from kane_dynamics.model.flexible.modal_constants import Station, stations
from kane_dynamics.model.flexible.mode_shapes import Modes
from kane_dynamics.model.structure.tree import MassMoments, moved
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

ModelName = Literal['full', 'consistent', 'inconsistent', 'ruthless']
MODELS: tuple[ModelName, ...] = get_args(ModelName)
# Largest tip deflection with an error of about 1 %, as a fraction of the length, by level.
DEFLECTION_RANGE = {0: 0.02, 1: 0.02, 2: 0.05, 3: 0.20}

P = TypeVar('P', bound='BeamPoint')


@dataclass(frozen=True, eq=False)
class BeamPoint(Station):
    """A Station and the position of its undeformed point, in the frame of its body."""

    position: FloatArray = field(kw_only=True)  # (3,) [m]

    def rotated(self: P, R: FloatArray, shift: FloatArray) -> P:
        """Return the point in the frame where a point r of this one is R r + shift."""
        changed: dict[str, FloatArray | None] = {'position': R @ self.position + shift}
        for name in ('Phi', 'Psi', 'Gam', 'Lam', 'Cub', 'Cubpsi'):
            tensor = getattr(self, name)
            changed[name] = None if tensor is None else np.tensordot(R, tensor, axes=1)
        return replace(self, **changed)  # type: ignore[arg-type]  # only Cub, Cubpsi may be None


@dataclass(frozen=True, eq=False)
class Node(BeamPoint):
    """A mass point of the beam; its rotation is not used."""

    mass: float = field(kw_only=True)  # [kg]


@dataclass(frozen=True, eq=False)
class Attachment(BeamPoint):
    """A point where joints attach to the beam; undeformed, its axes are the link's."""


class Rotary(NamedTuple):
    """Rotary inertia of the slices: with rates w, ed, T = 1/2 w'I0 w + w'Cr ed + 1/2 ed'Mr ed."""

    I0: FloatArray   # (3, 3) [kg m^2]
    Cr: FloatArray   # (3, nm)
    Mr: FloatArray   # (nm, nm)


class Rest(NamedTuple):
    """The rigid part of a link, about the frame origin: int dm, int r dm, int r r' dm."""

    m: float
    h: FloatArray   # (3,)
    S: FloatArray   # (3, 3)

    @property
    def J(self) -> FloatArray:
        """Return the inertia about the frame origin (3, 3) [kg m^2]."""
        return np.trace(self.S) * np.eye(3) - self.S


@dataclass(frozen=True, eq=False)
class FlexibleBody:
    """The constants of one modal link in the equations of motion."""

    link: str
    mode_names: tuple[str, ...]      # 'bend_y_1', ...
    nodes: tuple[Node, ...]
    attachments: tuple[Attachment, ...]
    tip: Attachment                  # the end of the beam, also where no joint attaches to it
    rotary: Rotary
    rest: Rest
    stiffness: FloatArray            # (nm,) the diagonal of K
    damping: FloatArray              # (nm,) the diagonal of D
    frequencies: FloatArray          # (nm,) of the link clamped at its root [rad/s]
    length: float                    # [m]
    level: int = 2                   # 0 ... 3, the order of the kinematics
    model: ModelName = 'full'

    @property
    def n_modes(self) -> int:
        """Return the number of modal coordinates."""
        return len(self.mode_names)

    @property
    def deflection_range(self) -> float:
        """Return the tip deflection [m] up to which this level is accurate to about 1 %."""
        return DEFLECTION_RANGE[self.level] * self.length

    def tip_deflection(self, eta: ArrayLike) -> FloatArray:
        """Return the displacement of the tip (..., 3) [m] for modal coordinates eta (..., nm)."""
        return self.tip.displacement(eta)

    def rotated(self, R: FloatArray, shift: FloatArray) -> FlexibleBody:
        """Return the body in the frame where a point r of this one is R r + shift."""
        return replace(
            self,
            nodes=tuple(node.rotated(R, shift) for node in self.nodes),
            attachments=tuple(point.rotated(R, shift) for point in self.attachments),
            tip=self.tip.rotated(R, shift),
            rotary=Rotary(R @ self.rotary.I0 @ R.T, R @ self.rotary.Cr, self.rotary.Mr),
            rest=Rest(*moved(*self.rest, R, shift)))


def flexible_body(modes: Modes, link: str = '', link_moments: MassMoments | None = None,
                  rotation: ArrayLike | None = None, root: ArrayLike | None = None,
                  attachments: ArrayLike = (), damping_ratio: ArrayLike = 0.0, level: int = 2,
                  model: ModelName = 'full', node_count: int | None = None) -> FlexibleBody:
    """
    Return the FlexibleBody of a beam with its Modes.

    link_moments: (m, h, S) of the whole undeformed link in the link frame; by default of the beam
    alone. rotation R_LB (3, 3) and root p_LB (3,): pose of the beam in the link. attachments: x of
    each [m]. damping_ratio: one number or one per mode, on modes.reference_mass. node_count: mass
    points of the beam; by default 2 n + 1, with n modes in the largest family, for an error of
    2e-4 in the highest mode.
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
    found = stations(modes, np.concatenate([x, np.asarray(attachments, float), [beam.length]]),
                     level)
    nodes = tuple(_point(Node, station, mass=float(dm)).rotated(R, p)
                  for station, dm in zip(found, mass))
    *attached, tip = (_point(Attachment, station).rotated(R, p) for station in found[len(x):])
    beam_moments = moved(*beam.moments(), R, p)
    link_moments = beam_moments if link_moments is None else link_moments
    ratio = np.broadcast_to(np.asarray(damping_ratio, dtype=float), (modes.count,))
    return FlexibleBody(
        link=link, mode_names=modes.names,
        nodes=nodes, attachments=tuple(attached), tip=tip, rotary=_rotary(modes, R),
        rest=rest_of(link_moments, beam_moments),
        stiffness=modes.stiffness,
        damping=2 * ratio * np.sqrt(modes.stiffness * modes.reference_mass),
        frequencies=modes.frequencies, length=beam.length, level=level, model=model)


def rest_of(link: MassMoments, beam: MassMoments) -> Rest:
    """Return the mass moments of a link without its beam."""
    return Rest(link[0] - beam[0], link[1] - beam[1], link[2] - beam[2])


def _point(kind: type[P], station: Station, **more: Any) -> P:
    values = {each.name: getattr(station, each.name) for each in fields(Station)}
    return kind(position=np.array([station.x, 0.0, 0.0]), **values, **more)


def _rotary(modes: Modes, R: FloatArray) -> Rotary:
    """Return the Rotary constants; the slices' inertia is constant in the link frame."""
    x, w = gauss_points(modes.edges)
    slices = w.ravel()[:, None, None] * modes.beam.rotary_inertia(x.ravel())
    psi = modes.fields(x.ravel()).rotation
    return Rotary(R @ slices.sum(0) @ R.T,
                  R @ np.einsum('gab,gbi->ai', slices, psi),
                  np.einsum('gai,gab,gbj->ij', psi, slices, psi))
