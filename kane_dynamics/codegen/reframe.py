# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Body frames that make the generated program short.

A body frame must have its origin and its z on the joint axis; the turn phi about z and the shift t
along z are free. With x on the common normal to the next joint axis (the choice of Denavit and
Hartenberg, modified) every constant rotation becomes Rx(alpha), which costs half a rotation, or
nothing when alpha is a multiple of 90 degrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import math
from typing import TypeAlias

import numpy as np

from kane_dynamics.model.structure.tree import Body, Tree
from kane_dynamics.numerics.array_types import FloatArray

Choice: TypeAlias = Sequence[tuple[float, float]]   # per body: turn phi [rad] and shift t [m]

# Constants within ZERO of 0 and entries of rotations within ONE of +-1 are set to it, which saves
# products. 1 - ONE is the cosine of 4e-8 rad; an axis with a larger tilt stays as it is.
ZERO, ONE = 1e-14, 1e-15    # rotations [1], offsets [rad], origins [m]
NEARLY_PARALLEL = 1e-5      # [rad] below this x points to the next joint: files round their angles
# Moving the origin of a body of size l along its axis by t costs log10((t/l)^2) digits of its
# inertia, and the common normal of axes that are parallel to 1e-4 rad is kilometres away.
FARTHEST = 3.0              # t, in distances between neighbouring joints


def reframe(tree: Tree, choice: Choice | None = None) -> Tree:
    """Return the tree in well-chosen body frames; `choice` repeats the frames of another tree."""
    choice = choose_frames(tree) if choice is None else choice
    bodies = []
    for body, (phi, t) in zip(tree.bodies, choice):
        phi_P, t_P = choice[body.parent] if body.parent >= 0 else (0.0, 0.0)
        C, p, psi = _constant_rotation(body, phi_P, t_P, t)
        R, shift = rotation_z(phi), np.array([0.0, 0.0, t])
        h = R.T @ (body.h - body.m * shift)
        cross_term = np.outer(shift, body.h)
        S = R.T @ (body.S - cross_term - cross_term.T + body.m * np.outer(shift, shift)) @ R
        if body.kind == 'revolute':
            turns, offset = _quarter_turns(body.offset + phi + psi)
            bodies.append(replace(body, C=C, p=p, h=h, S=S, offset=offset, quarter_turns=turns))
        elif body.kind == 'prismatic':
            bodies.append(replace(body, C=_snapped(C @ rotation_z(phi + psi)), p=p, h=h, S=S))
        else:
            bodies.append(replace(body, C=C, p=p))
    return replace(tree, bodies=tuple(bodies), frames={}, link_springs=tuple(
        replace(spring, points=(_reframed(spring.bodies[0], spring.points[0], choice),
                                _reframed(spring.bodies[1], spring.points[1], choice)))
        for spring in tree.link_springs))


def _reframed(body: int, point: FloatArray, choice: Choice) -> FloatArray:
    """Return a point of a body in its new frame."""
    if body < 0:
        return point
    phi, t = choice[body]
    return rotation_z(phi).T @ (point - np.array([0.0, 0.0, t]))


def choose_frames(tree: Tree) -> Choice:
    """Return (phi, t) per body: turn about and shift along its z axis."""
    main_child = _main_children(tree)
    farthest = _farthest_shifts(tree, main_child)
    choice: list[tuple[float, float]] = []
    for i, body in enumerate(tree.bodies):
        phi_P, t_P = choice[body.parent] if body.parent >= 0 else (0.0, 0.0)
        if body.kind not in ('revolute', 'prismatic') or body.flexible is not None:
            # the speeds of a floating body and the constants of a beam belong to their own frame
            choice.append((0.0, 0.0))
            continue
        # level with the parent's origin: no offset along z
        shifts = [-float((body.p - np.array([0.0, 0.0, t_P])) @ body.C[:, 2])]
        phi: float | None = None
        main = main_child[i]
        if main is not None:
            child = tree.bodies[main]
            z_c, p_c = child.C[:, 2], child.p
            sine = math.hypot(z_c[0], z_c[1])
            if sine > NEARLY_PARALLEL:                     # x = z x z_c, better at its foot
                phi = math.atan2(z_c[0], -z_c[1])
                along = (z_c[0] * p_c[0] + z_c[1] * p_c[1]) / sine**2
                shifts.insert(0, float(p_c[2] - z_c[2] * along))
            elif math.hypot(p_c[0], p_c[1]) > 1e-9:        # parallel axes: x toward the child
                phi = math.atan2(p_c[1], p_c[0])
        elif body.kind == 'revolute' and math.hypot(body.h[0], body.h[1]) > 1e-12:
            phi = math.atan2(body.h[1], body.h[0])         # a tip: x on the mass centre, h_y = 0
        t = next((shift for shift in shifts if abs(shift) <= farthest[i]), 0.0)
        if phi is None:                                    # nothing to gain: no joint offset
            phi = -_constant_rotation(body, phi_P, t_P, t)[2]
        choice.append((phi, t))
    return choice


def rotation_z(angle: float) -> FloatArray:
    """Return the rotation about z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _farthest_shifts(tree: Tree, main_child: list[int | None]) -> list[float]:
    """Return, per body, how far its origin may move along its axis [m].

    How far the first joint is from the origin of the world is no length of the arm; the sum of
    all lengths stands in for it.
    """
    lengths = [float(np.linalg.norm(body.p)) if body.parent >= 0 else 0.0 for body in tree.bodies]
    reach = sum(lengths)
    lengths = [reach if body.parent < 0 else length for body, length in zip(tree.bodies, lengths)]
    return [FARTHEST * max(length, 0.0 if child is None else lengths[child])
            for length, child in zip(lengths, main_child)]


def _main_children(tree: Tree) -> list[int | None]:
    """Return, per body, the child that carries most bodies (None for a tip)."""
    sizes = [1] * len(tree.bodies)
    main: list[int | None] = [None] * len(tree.bodies)
    for i in reversed(range(len(tree.bodies))):
        parent = tree.bodies[i].parent
        if parent >= 0:
            sizes[parent] += sizes[i]
            rival = main[parent]
            if rival is None or sizes[i] >= sizes[rival]:
                main[parent] = i
    return main


def _constant_rotation(body: Body, phi_P: float, t_P: float,
                       t: float) -> tuple[FloatArray, FloatArray, float]:
    """Return C, p of a body in new frames and the turn psi about z that C leaves to the joint."""
    if body.kind in ('floating', 'station'):
        return body.C, body.p, 0.0
    A = rotation_z(phi_P)
    if body.kind == 'fixed':                               # the parent's frame has moved
        return A.T @ body.C, A.T @ (body.p - np.array([0.0, 0.0, t_P])), 0.0
    old = A.T @ body.C
    z = _snapped(old[:, 2])
    z = z / np.linalg.norm(z)
    along_x = math.hypot(z[1], z[2]) < 1e-6
    x = np.array([0.0, 0.0, -np.sign(z[0])]) if along_x else np.array([1.0, 0.0, 0.0])
    for _ in range(2):      # once leaves round-off / sine along z (Parlett 1998, sec. 6.9: twice)
        x = x - (x @ z) * z
        x = x / np.linalg.norm(x)
    C = _snapped(np.column_stack([x, np.cross(z, x), z]))
    left = C.T @ old
    p = A.T @ (body.p + body.C[:, 2] * t - np.array([0.0, 0.0, t_P]))
    return C, np.where(np.abs(p) < ZERO, 0.0, p), math.atan2(left[1, 0], left[0, 0])


def _quarter_turns(angle: float) -> tuple[int, float]:
    """Split an angle into whole quarter turns, if it is one, and the rest."""
    turns = round(angle / (0.5 * math.pi))
    rest = angle - turns * 0.5 * math.pi
    return (turns % 4, 0.0) if abs(rest) <= ZERO else (0, angle)


def _snapped(matrix: FloatArray) -> FloatArray:
    """Return a rotation with the entries that miss 0 or +-1 by round-off set to it."""
    nearest = np.round(matrix)
    slack = np.where(nearest == 0.0, ZERO, ONE)
    return np.where(np.abs(matrix - nearest) <= slack, nearest, matrix) + 0.0
