# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Constraints of an arm: points of links on surfaces, and joints that close loops.

Each is phi(q, t) = 0 with m rows and gives
  phi' = G qd + phi_t,   phi'' = G qdd + gamma,
so that forces lambda (m,) act on the arm as G^T lambda. Rows are in metres (force [N]) or, where
they are about axes, in radians (moment [N m]).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args, Literal, NamedTuple, Protocol, TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.rotations import normals_to, skew, unit
from kane_dynamics.numerics.validation import vector

if TYPE_CHECKING:
    from kane_dynamics.dynamics.constraints.surfaces import Surface
    from kane_dynamics.dynamics.dynamics import Dynamics

LoopKind: TypeAlias = Literal['point', 'planar', 'hinge', 'weld']
LOOPS: tuple[LoopKind, ...] = get_args(LoopKind)


class ConstraintTerms(NamedTuple):
    """phi (m,), G (m, nv), phi_t (m,) and gamma (m,) of a constraint."""

    value: FloatArray
    G: FloatArray
    rate: FloatArray
    gamma: FloatArray


class Constraint(Protocol):
    """A constraint phi(q, t) = 0 between frames of an arm."""

    frames: tuple[str, ...]     # links
    rows: int                   # m

    def terms(self, frames: Sequence[FrameState], qd: FloatArray, t: float) -> ConstraintTerms:
        """Return ConstraintTerms; frames: the FrameStates of `frames`."""


class FrameState:
    """Pose and motion of a frame, computed from q and qd by bound code in `update`."""

    def __init__(self, dynamics: Dynamics, frame: str, q: FloatArray, qd: FloatArray) -> None:
        dynamics.robot.link(frame)                          # raises with the names there are
        nv = dynamics.robot.nv
        self._qd, self._pose = qd, np.zeros((3, 4))
        self.J, self._A = np.zeros((6, nv)), np.zeros(6)
        self._steps = (dynamics.bind('frame_pose', q, self._pose, frame=frame),
                       dynamics.bind('frame_jacobian', q, self.J, frame=frame),
                       dynamics.bind('frame_acceleration', q, qd, np.zeros(nv), self._A,
                                     frame=frame))
        self._linear, self._angular = self.J[:3], self.J[3:]
        self.R, self.w = self._pose[:, :3], np.zeros(3)
        self.alpha = self._A[3:]            # angular acceleration at qdd = 0

    def update(self) -> None:
        """Fill the terms for the present q and qd."""
        for step in self._steps:
            step()
        np.dot(self._angular, self._qd, out=self.w)

    def point(self, position: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return position (3,), J (3, nv) and acceleration at qdd = 0 of a point of the link.

        position: (3,) [m] in the link's frame.
        """
        r = self.R @ position
        J = self._linear - skew(r) @ self._angular
        W = skew(self.w)
        drift = self._A[:3] + (skew(self.alpha) + W @ W) @ r
        return self._pose[:, 3] + r, J, drift


class PointOnSurfaces:
    """A point (3,) [m] of a link kept on one surface, or on the curve where two of them meet."""

    def __init__(self, frame: str, *surfaces: Surface, point: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        if not 1 <= len(surfaces) <= 3 or not all(hasattr(s, 'evaluate') for s in surfaces):
            raise InputError('a point is kept on one surface, on a curve (two) or at a position '
                             f'(three); got {[type(s).__name__ for s in surfaces]}')
        self.frames: tuple[str, ...] = (frame,)
        self.rows = len(surfaces)
        self._surfaces, self._point = surfaces, vector(point, 'point')

    def terms(self, frames: Sequence[FrameState], qd: FloatArray, t: float) -> ConstraintTerms:
        """Return ConstraintTerms; frames: FrameStates of `frames`."""
        p, J, drift = frames[0].point(self._point)
        v = J @ qd
        found = [surface.evaluate(p, t) for surface in self._surfaces]
        # h'' = g . a + v . H v + 2 g_t . v + h_tt
        gamma = [s.gradient @ drift + v @ s.hessian @ v + 2.0 * s.gradient_rate @ v + s.rate_rate
                 for s in found]
        return ConstraintTerms(np.array([s.value for s in found]),
                               np.array([s.gradient @ J for s in found]),
                               np.array([s.rate for s in found]), np.array(gamma))


class Loop:
    """A joint that closes a loop: points (3,) [m] of two links kept together.

    kind: 'point' (a ball joint, 3 rows), 'planar' (2 rows, within the plane whose normal is
    `axis`, in base axes; for mechanisms in that plane), 'hinge' (5 rows; `axis` (3,) is the
    hinge's, in the first link) or 'weld' (6 rows). rotation: (3, 3) of the second link in the
    first where a hinge or weld is closed. `Loop.closed` takes all that from a configuration.
    """

    def __init__(self, first: str, second: str, point_first: ArrayLike = (0.0, 0.0, 0.0),
                 point_second: ArrayLike = (0.0, 0.0, 0.0), kind: LoopKind = 'point',
                 axis: ArrayLike | None = None, rotation: ArrayLike | None = None) -> None:
        if kind not in LOOPS:
            raise InputError(f'kind {kind!r} is unknown; there are {list(LOOPS)}')
        if (axis is None) == (kind in ('planar', 'hinge')):
            raise InputError(f'a loop of kind {kind!r} '
                             + ('needs an axis' if axis is None else 'has no axis'))
        if first == second:
            raise InputError(f'a loop needs two links; both are {first!r}')
        self.frames: tuple[str, ...] = (first, second)
        self.kind = kind
        self._points = vector(point_first, 'point_first'), vector(point_second, 'point_second')
        self.rows = {'point': 3, 'planar': 2, 'hinge': 5, 'weld': 6}[kind]
        self._seen: FloatArray = np.eye(3)
        self._pairs: list[tuple[FloatArray, FloatArray]] = []
        # R_first R = R_second where the loop is closed
        R: FloatArray = np.eye(3) if rotation is None else np.array(rotation, dtype=float)
        if R.shape != (3, 3) or abs(R @ R.T - np.eye(3)).max() > 1e-6:
            raise InputError('rotation must be that of the second link in the first, (3, 3); got '
                             f'{R.tolist()}')
        if axis is not None and kind == 'planar':
            self._seen = normals_to(unit(axis, 'axis'))
        elif axis is not None and kind == 'hinge':
            held = unit(axis, 'axis')
            # the axis of the first is normal to two directions of the second
            self._pairs = [(held, R.T @ t) for t in normals_to(held)]
        elif kind == 'weld':
            e = np.eye(3)
            self._pairs = [(R @ e[i], e[j]) for i, j in ((2, 1), (0, 2), (1, 0))]

    @classmethod
    def closed(cls, dynamics: Dynamics, q: ArrayLike, first: str, second: str,
               point_first: ArrayLike = (0.0, 0.0, 0.0), kind: LoopKind = 'point',
               axis: ArrayLike | None = None) -> Loop:
        """Return the loop that is closed at q (nq,), at a point (3,) of the first link."""
        (R1, p1), (R2, p2) = (dynamics.frame_pose(link, q) for link in (first, second))
        there = p1 + R1 @ vector(point_first, 'point_first')
        return cls(first, second, point_first, R2.T @ (there - p2), kind, axis, R1.T @ R2)

    def terms(self, frames: Sequence[FrameState], qd: FloatArray, t: float) -> ConstraintTerms:
        """Return ConstraintTerms; frames: FrameStates of `frames`."""
        one, two = frames
        p1, J1, a1 = one.point(self._points[0])
        p2, J2, a2 = two.point(self._points[1])
        value, G = self._seen @ (p1 - p2), self._seen @ (J1 - J2)
        gamma = self._seen @ (a1 - a2)
        if self._pairs:
            more = [self._normal(one, two, h, t_) for h, t_ in self._pairs]
            value = np.concatenate([value, [each[0] for each in more]])
            G = np.vstack([G, [each[1] for each in more]])
            gamma = np.concatenate([gamma, [each[2] for each in more]])
        return ConstraintTerms(value, G, np.zeros(len(value)), gamma)

    @staticmethod
    def _normal(one: FrameState, two: FrameState, held_one: FloatArray,
                held_two: FloatArray) -> tuple[float, FloatArray, float]:
        """Return phi, G, gamma of h . t = 0, h held by the first frame and t by the second.

        phi' = (w1 - w2) . (h x t);  phi'' adds the rates h' = w1 x h, t' = w2 x t.
        """
        h, t = one.R @ held_one, two.R @ held_two
        H, w = skew(h), one.w - two.w
        cross = H @ t
        rate = H @ (skew(two.w) @ t) - skew(t) @ (skew(one.w) @ h)
        return (float(h @ t), cross @ (one.J[3:] - two.J[3:]),
                float(cross @ (one.alpha - two.alpha) + w @ rate))
