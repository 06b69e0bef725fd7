# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Choose the body frames that make the generated program short.

A body frame must have its origin and its z on the joint axis; the turn phi about z and the shift t
along z are free. With x on the common normal to the next joint axis (the choice of Denavit and
Hartenberg, modified) every constant rotation becomes Rx(alpha), which costs half a rotation, or
nothing when alpha is a multiple of 90 degrees.
"""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np

SNAP = 1e-14          # entries of constant rotations this close to 0 or +-1 are meant to be that
NEARLY_PARALLEL = 1e-5  # [rad] below this the foot of the common normal is too far away to use


def reframe(tree, choice=None):
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
    return replace(tree, bodies=tuple(bodies), frames={})


def choose_frames(tree):
    """Return (phi, t) per body: turn about and shift along its z axis."""
    main_child = _main_children(tree)
    choice = []
    for i, body in enumerate(tree.bodies):
        phi_P, t_P = choice[body.parent] if body.parent >= 0 else (0.0, 0.0)
        if body.kind not in ('revolute', 'prismatic') or body.flexible is not None:
            # the speeds of a floating body and the constants of a beam are told in their own frame
            choice.append((0.0, 0.0))
            continue
        # origin beside the parent's: no offset along z
        z_P = body.C[:, 2]
        t = -float((body.p - np.array([0.0, 0.0, t_P])) @ z_P)
        phi = None
        if main_child[i] is not None:
            child = tree.bodies[main_child[i]]
            z_c, p_c = child.C[:, 2], child.p
            sine = math.hypot(z_c[0], z_c[1])
            if sine > NEARLY_PARALLEL:                     # x = z x z_c, origin at its foot
                phi = math.atan2(z_c[0], -z_c[1])
                along = (z_c[0] * p_c[0] + z_c[1] * p_c[1]) / sine**2
                t = float(p_c[2] - z_c[2] * along)
            elif math.hypot(p_c[0], p_c[1]) > 1e-9:        # parallel axes: x toward the child
                phi = math.atan2(p_c[1], p_c[0])
        elif body.kind == 'revolute' and math.hypot(body.h[0], body.h[1]) > 1e-12:
            phi = math.atan2(body.h[1], body.h[0])         # a tip: x on the mass centre, h_y = 0
        if phi is None:                                    # nothing to gain: no joint offset
            phi = -_constant_rotation(body, phi_P, t_P, t)[2]
        choice.append((phi, t))
    return choice


def rotation_z(angle):
    """Return the rotation about z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _main_children(tree):
    """Return, per body, the child that carries most bodies (None for a tip)."""
    sizes = [1] * len(tree.bodies)
    main = [None] * len(tree.bodies)
    for i in reversed(range(len(tree.bodies))):
        parent = tree.bodies[i].parent
        if parent >= 0:
            sizes[parent] += sizes[i]
            if main[parent] is None or sizes[i] >= sizes[main[parent]]:
                main[parent] = i
    return main


def _constant_rotation(body, phi_P, t_P, t):
    """Return C, p of a body in new frames and the turn psi about z that C leaves to the joint."""
    if body.kind in ('floating', 'station'):
        return body.C, body.p, 0.0
    A = rotation_z(phi_P)
    if body.kind == 'fixed':                               # the parent's frame has moved
        return A.T @ body.C, A.T @ (body.p - np.array([0.0, 0.0, t_P])), 0.0
    old = A.T @ body.C
    z = _snapped(old[:, 2])
    z = z / np.linalg.norm(z)
    x = np.array([1.0, 0.0, 0.0])
    x = x - (x @ z) * z
    if np.linalg.norm(x) < 1e-6:                           # the axis lies along the parent's x
        x = np.array([0.0, 0.0, -1.0]) * np.sign(z[0])
        x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    C = _snapped(np.column_stack([x, np.cross(z, x), z]))
    left = C.T @ old
    p = A.T @ (body.p + body.C[:, 2] * t - np.array([0.0, 0.0, t_P]))
    return C, np.where(np.abs(p) < SNAP, 0.0, p), math.atan2(left[1, 0], left[0, 0])


def _quarter_turns(angle):
    """Split an angle into whole quarter turns, if it is one, and the rest."""
    turns = round(angle / (0.5 * math.pi))
    rest = angle - turns * 0.5 * math.pi
    return (turns % 4, 0.0) if abs(rest) <= SNAP else (0, angle)


def _snapped(matrix):
    """Return a rotation with entries that miss 0 or +-1 by round-off set right."""
    nearest = np.round(matrix)
    return np.where(np.abs(matrix - nearest) <= SNAP, nearest, matrix) + 0.0
