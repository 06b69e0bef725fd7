# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
Denavit-Hartenberg tables, modified or standard, as robots.

    modified (Craig 1986):               T = Rx(alpha) Tx(a) Rz(theta) Tz(d)
    standard (Denavit-Hartenberg 1955):  T = Rz(theta) Tz(d) Tx(a) Rx(alpha)

T maps frame i to frame i-1; row i holds the four numbers of its T, so a modified row holds
alpha_{i-1}, a_{i-1}, d_i, theta_i in Craig's notation. The coordinate q is added to theta
(revolute) or d (prismatic), whose table value is then the offset.

Angeles, Ma and Rojas (1989) use modified frames but measure b_i from the new origin back to the
common normal: their (8) is the translation (a, b sin alpha, -b cos alpha), so d = -b. Where b is
the coordinate, the joint slides against z: sign=-1.

    from_dh([dict(alpha=0.0, a=0.0, d=-b1),
             dict(alpha=-pi / 2, a=0.0, d=-b2),
             dict(alpha=pi / 2, a=0.0, kind='prismatic', sign=-1)], inertials=[...])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args, Literal

import numpy as np

from kane_dynamics.exceptions import InputError, ModelError
from kane_dynamics.model.inertia_checks import enforce, Unphysical
from kane_dynamics.model.robot import gravity_vector, Robot
from kane_dynamics.model.structure.links_and_joints import Inertial, Joint, Limits, Link
from kane_dynamics.model.structure.topology import MOVING_KINDS, MovingKind
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.rotations import cos_sin
from kane_dynamics.numerics.validation import number

Convention = Literal['modified', 'standard']
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)


@dataclass(frozen=True)
class DHRow:
    """One joint of a table: alpha, theta [rad], a, d [m], limits, friction and armature."""

    alpha: float = 0.0
    a: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    kind: MovingKind = 'revolute'
    sign: Literal[1, -1] = 1     # -1: the coordinate is positive against z
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0

    def __post_init__(self) -> None:
        for field in ('alpha', 'a', 'd', 'theta'):
            object.__setattr__(self, field, number(getattr(self, field), field))
        if self.kind not in MOVING_KINDS:
            raise ModelError(f'kind: expected one of {MOVING_KINDS}, got {self.kind!r}')
        if self.sign not in (1, -1):
            raise ModelError(f'sign: expected 1 or -1, got {self.sign!r}')


Row = DHRow | Mapping[str, Any] | Sequence[Any]    # the fields of a DHRow, by name or in order
InertialOfRow = Inertial | tuple[float, ArrayLike, ArrayLike] | None
Pose = tuple[FloatArray, FloatArray]     # R (3, 3), p (3,) [m]


def from_dh(table: Iterable[Row], convention: Convention = 'modified',
            inertials: Iterable[InertialOfRow] | None = None, *, name: str = 'arm',
            joint_names: Iterable[str] | None = None, link_names: Iterable[str] | None = None,
            tip: str | None = 'tip', gravity: ArrayLike = (0.0, 0.0, -9.81),
            floating_base: bool = False, unphysical: Unphysical = 'refuse') -> Robot:
    """
    Return the Robot of a Denavit-Hartenberg table.

    table: one row per joint, a DHRow, a mapping of its fields or (alpha, a, d, theta).
    inertials: one per row, an Inertial, (mass, com, inertia) or None, in the axes of DH frame i;
    com (3,) from the origin of frame i [m], inertia (3, 3) or its diagonal (3,) about the mass
    centre [kg m^2]. joint_names: one per row, else joint_1 ...; link_names: the base and one per
    row, else base, link_1 ...

    A modified frame i is the frame of link i. A standard frame is at the far end of its link,
    while a URDF link frame is on the joint that moves it: inertials are moved there, and the last
    DH frame becomes the massless link `tip` (None: no such link). unphysical: see load_urdf.
    """
    if convention not in CONVENTIONS:
        raise InputError(f'from_dh: convention is one of {CONVENTIONS}, got {convention!r}')
    rows = [_row(i, row) for i, row in enumerate(table, 1)]
    n = len(rows)
    joint_names = _named('joint_names', joint_names, [f'joint_{i}' for i in range(1, n + 1)])
    link_names = _named('link_names', link_names,
                        ['base'] + [f'link_{i}' for i in range(1, n + 1)])
    given = [None] * n if inertials is None else list(inertials)
    if len(given) != n:
        raise InputError(f'from_dh: expected {n} inertials, one per row, got {len(given)}')
    of_rows = [_inertial(i, inertial) for i, inertial in enumerate(given, 1)]

    links, joints = [Link(link_names[0])], []
    R_far, p_far = np.eye(3), np.zeros(3)  # standard: the DH frame of a link in its URDF frame
    for i, row in enumerate(rows):
        R_x, p_x = _x_screw(row)
        R_z, p_z = _z_screw(row)
        if convention == 'modified':
            # the joint frame is Rx(alpha) Tx(a) Rz(theta) Tz(d) in the previous frame
            R, p = R_x @ R_z, p_x + R_x @ p_z
            inertial = of_rows[i]
        else:
            # the joint frame is Rz(theta) Tz(d) after the previous DH frame; the DH frame of
            # this row is Tx(a) Rx(alpha) = Rx(alpha) Tx(a) after that
            R, p = R_far @ R_z, p_far + R_far @ p_z
            R_far, p_far = R_x, p_x
            inertial = _moved(of_rows[i], R_far, p_far)
        joints.append(Joint(
            joint_names[i], row.kind, link_names[i], link_names[i + 1], R, p,
            np.array([0.0, 0.0, float(row.sign)]), row.limits, row.damping, row.friction,
            row.armature))
        links.append(Link(link_names[i + 1], inertial))
    if convention == 'standard' and tip is not None:
        links.append(Link(tip))
        joints.append(Joint(f'{tip}_joint', 'fixed', link_names[-1], tip, R_far, p_far))
    robot = Robot(name, tuple(links), tuple(joints), gravity_vector(gravity), floating_base)
    return enforce(robot, unphysical)


def _row(i: int, row: Row) -> DHRow:
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


def _named(what: str, names: Iterable[str] | None, default: list[str]) -> list[str]:
    given = default if names is None else list(names)
    if len(given) != len(default):
        raise InputError(f'from_dh: expected {len(default)} {what}, got {len(given)}')
    return given


def _inertial(i: int, inertial: InertialOfRow) -> Inertial | None:
    if inertial is None or isinstance(inertial, Inertial):
        return inertial
    try:
        mass, given, tensor = inertial
        com, inertia = np.asarray(given), np.asarray(tensor, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f'from_dh: inertial {i}: expected an Inertial, (mass, com, inertia) or '
                         f'None, got {inertial!r}') from None
    try:
        return Inertial(mass, com, np.diag(inertia) if inertia.ndim == 1 else inertia)
    except ModelError as error:
        raise ModelError(f'from_dh: inertial {i}: {error}') from None


def _moved(inertial: Inertial | None, R: FloatArray, p: FloatArray) -> Inertial | None:
    """Return an inertial in the link frame, in which its given frame is at R, p."""
    if inertial is None:
        return None
    return Inertial(inertial.mass, p + R @ inertial.com, R @ inertial.inertia @ R.T)


def _x_screw(row: DHRow) -> Pose:
    """Return R, p of Rx(alpha) Tx(a), which commute."""
    c, s = cos_sin(row.alpha)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]), np.array([row.a, 0.0, 0.0])


def _z_screw(row: DHRow) -> Pose:
    """Return R, p of Rz(theta) Tz(d), which commute."""
    c, s = cos_sin(row.theta)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([0.0, 0.0, row.d])
