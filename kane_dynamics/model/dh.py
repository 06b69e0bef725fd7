# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
Arms from Denavit-Hartenberg tables, modified or standard.

    modified (Craig 1986):               T = Rx(alpha) Tx(a) Rz(theta) Tz(d)
    standard (Denavit-Hartenberg 1955):  T = Rz(theta) Tz(d) Tx(a) Rx(alpha)

T takes frame i to frame i-1; row i holds the four numbers of its T, so a modified row holds what
Craig writes alpha_{i-1}, a_{i-1}, d_i, theta_i. The coordinate q is added to theta (revolute) or
d (prismatic), whose table value is then the offset.

Angeles, Ma and Rojas (1989) use modified frames but measure b_i from the new origin back to the
common normal: their (8) is the translation (a, b sin alpha, -b cos alpha), so d = -b. Where b is
the coordinate the joint slides against z, which sign=-1 says:

    from_dh([dict(alpha=0.0, a=0.0, d=-b1),
             dict(alpha=-pi / 2, a=0.0, d=-b2),
             dict(alpha=pi / 2, a=0.0, kind='prismatic', sign=-1)], inertials=[...])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kane_dynamics.exceptions import InputError, ModelError
from kane_dynamics.model.parts import Inertial, Joint, Limits, Link, MOVING_KINDS, number
from kane_dynamics.model.physical import enforce
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.rotations import cos_sin

CONVENTIONS = ('modified', 'standard')


@dataclass(frozen=True)
class DHRow:
    """One joint of a table: alpha, theta [rad], a, d [m], and what a URDF joint has besides."""

    alpha: float = 0.0
    a: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    kind: str = 'revolute'  # or 'continuous', 'prismatic'
    sign: int = 1           # -1: the coordinate counts against z
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0

    def __post_init__(self):
        for field in ('alpha', 'a', 'd', 'theta'):
            object.__setattr__(self, field, number(getattr(self, field), field))
        if self.kind not in MOVING_KINDS:
            raise ModelError(f'kind: expected one of {MOVING_KINDS}, got {self.kind!r}')
        if self.sign not in (1, -1):
            raise ModelError(f'sign: expected 1 or -1, got {self.sign!r}')


def from_dh(table, convention='modified', inertials=None, *, name='arm', joint_names=None,
            link_names=None, tip='tip', gravity=(0.0, 0.0, -9.81), floating_base=False,
            unphysical='refuse'):
    """
    Return the Robot of a Denavit-Hartenberg table.

    table: one row per joint, a DHRow, a mapping of its fields or (alpha, a, d, theta).
    inertials: one per row, an Inertial, (mass, com, inertia) or None, in the axes of DH frame i;
    com (3,) from the origin of frame i [m], inertia (3, 3) or its diagonal (3,) about the mass
    centre [kg m^2]. joint_names: one per row, else joint_1 ...; link_names: the base and one per
    row, else base, link_1 ...

    A modified frame i is the frame of link i. A standard frame sits at the far end of its link,
    while a URDF link frame sits on the joint that moves it: inertials are moved there, and the
    last DH frame becomes the massless link `tip` (None: leave it out). unphysical: see load_urdf.
    """
    if convention not in CONVENTIONS:
        raise InputError(f'from_dh: convention is one of {CONVENTIONS}, got {convention!r}')
    rows = [_row(i, row) for i, row in enumerate(table, 1)]
    n = len(rows)
    joint_names = _named('joint_names', joint_names, [f'joint_{i}' for i in range(1, n + 1)])
    link_names = _named('link_names', link_names,
                        ['base'] + [f'link_{i}' for i in range(1, n + 1)])
    inertials = [None] * n if inertials is None else list(inertials)
    if len(inertials) != n:
        raise InputError(f'from_dh: expected {n} inertials, one per row, got {len(inertials)}')
    inertials = [_inertial(i, inertial) for i, inertial in enumerate(inertials, 1)]

    links, joints = [Link(link_names[0])], []
    R_far, p_far = np.eye(3), np.zeros(3)  # where the previous link carries its next joint
    for i, row in enumerate(rows):
        R_row, p_row = _twist(row)
        R_turn, p_slide = _turn(row)
        if convention == 'modified':
            # the joint frame is Rx(alpha) Tx(a) Rz(theta) Tz(d) in the previous frame
            R, p = R_row @ R_turn, p_row + R_row @ p_slide
            inertial = inertials[i]
        else:
            # the joint frame is Rz(theta) Tz(d) behind the previous DH frame; the DH frame of
            # this row is Tx(a) Rx(alpha) = Rx(alpha) Tx(a) further on
            R, p = R_far @ R_turn, p_far + R_far @ p_slide
            R_far, p_far = R_row, p_row
            inertial = _carried(inertials[i], R_far, p_far)
        joints.append(Joint(
            joint_names[i], row.kind, link_names[i], link_names[i + 1], R, p,
            (0.0, 0.0, float(row.sign)), row.limits, row.damping, row.friction, row.armature))
        links.append(Link(link_names[i + 1], inertial))
    if convention == 'standard' and tip is not None:
        links.append(Link(tip))
        joints.append(Joint(f'{tip}_joint', 'fixed', link_names[-1], tip, R_far, p_far))
    robot = Robot(name, links, joints, gravity, floating_base)
    return enforce(robot, unphysical)


def _row(i, row):
    if isinstance(row, DHRow):
        return row
    try:
        return DHRow(**row) if isinstance(row, Mapping) else DHRow(*row)
    except TypeError:
        raise InputError(
            f'from_dh: row {i}: expected a DHRow, a mapping of {list(DHRow.__annotations__)} or '
            f'(alpha, a, d, theta), got {row!r}') from None
    except ModelError as error:
        raise ModelError(f'from_dh: row {i}: {error}') from None


def _named(what, names, default):
    names = default if names is None else list(names)
    if len(names) != len(default):
        raise InputError(f'from_dh: expected {len(default)} {what}, got {len(names)}')
    return names


def _inertial(i, inertial):
    if inertial is None or isinstance(inertial, Inertial):
        return inertial
    try:
        mass, com, inertia = inertial
        inertia = np.asarray(inertia, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f'from_dh: inertial {i}: expected an Inertial, (mass, com, inertia) or '
                         f'None, got {inertial!r}') from None
    try:
        return Inertial(mass, com, np.diag(inertia) if inertia.ndim == 1 else inertia)
    except ModelError as error:
        raise ModelError(f'from_dh: inertial {i}: {error}') from None


def _carried(inertial, R, p):
    """Return an inertial given in a frame that is placed at R, p in the link."""
    if inertial is None:
        return None
    return Inertial(inertial.mass, p + R @ inertial.com, R @ inertial.inertia @ R.T)


def _twist(row):
    """Return R, p of Rx(alpha) Tx(a), which commute."""
    c, s = cos_sin(row.alpha)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]), np.array([row.a, 0.0, 0.0])


def _turn(row):
    """Return R, p of Rz(theta) Tz(d), which commute."""
    c, s = cos_sin(row.theta)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([0.0, 0.0, row.d])
