# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The parts an arm is made of, frozen and checked one by one."""

from __future__ import annotations

from dataclasses import dataclass
import math
import re
from typing import NamedTuple

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.model.topology import JOINT_KINDS, MOVING_KINDS

ROTATION_TOLERANCE = 1e-9  # departure of R R' from the identity that is still round-off
MAX_NUMBER = 1e30  # masses and lengths beyond it, multiplied, leave the range of floats
MAX_NAME_LENGTH = 200
# Names travel into messages, file names, topics and comments of generated code. Letters, digits
# and these marks cannot close a string, a comment or a line there.
NAME = re.compile(r'[\w.:/+\-()\[\]|#@,=]+( +[\w.:/+\-()\[\]|#@,=]+)*\Z')


def show(text, most=60):
    """Return foreign text as it may stand in a message: quoted, escaped and cut."""
    text = text if isinstance(text, str) else repr(text)
    return ascii(text if len(text) <= most else text[:most] + '...')


def checked_name(text, what):
    """Return text where it is a harmless name, or raise naming `what`."""
    if not isinstance(text, str) or not NAME.match(text) or len(text) > MAX_NAME_LENGTH:
        raise ModelError(
            f'{what} {show(text)} is not a name; expected 1 to {MAX_NAME_LENGTH} letters, digits, '
            'inner spaces and . : / + - ( ) [ ] | # @ , = _')
    return text


def frozen(values, shape, what, finite=True, error=ModelError):
    """Return values as a read-only float array of this shape, or raise naming `what`."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise error(f'{what}: expected numbers of shape {shape}, got {show(values)}') from None
    if array.shape != shape:
        raise error(f'{what}: expected shape {shape}, got {array.shape}')
    if finite and not (abs(array) <= MAX_NUMBER).all():
        raise error(f'{what}: expected finite numbers up to {MAX_NUMBER:g}, '
                    f'got {array.tolist()}')
    array.setflags(write=False)
    return array


def frozen_rotation(values, what, error=ModelError):
    """Return values as a read-only rotation matrix (3, 3), or raise naming `what`."""
    R = frozen(values, (3, 3), what, error=error)
    if abs(R @ R.T - np.eye(3)).max() > ROTATION_TOLERANCE or np.linalg.det(R) < 0.0:
        raise error(f'{what}: expected a rotation matrix, got {R.tolist()}')
    return R


def number(value, what, low=-math.inf, infinite=False):
    """Return value as a float not below `low`, or raise naming `what`."""
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise ModelError(f'{what}: expected a number, got {value!r}') from None
    if math.isnan(value) or (abs(value) > MAX_NUMBER and not infinite):
        raise ModelError(f'{what}: expected a finite number up to {MAX_NUMBER:g}, got {value}')
    if value < low:
        raise ModelError(f'{what}: expected at least {low:g}, got {value:g}')
    return value


def unit(axis, what):
    """Return the axis (3,) at length one, read-only; a zero axis is refused."""
    axis = frozen(axis, (3,), what)
    length = np.linalg.norm(axis)
    if length < 1e-9:
        raise ModelError(f'{what}: expected a direction, got the zero vector {axis.tolist()}')
    return axis if length == 1.0 else frozen(axis / length, (3,), what)


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass [kg], mass centre [m] and central inertia [kg m^2], in the axes of the link frame."""

    mass: float
    com: np.ndarray       # (3,) p_BBcm
    inertia: np.ndarray   # (3, 3) about the mass centre

    def __post_init__(self):
        object.__setattr__(self, 'mass', number(self.mass, 'mass'))
        object.__setattr__(self, 'com', frozen(self.com, (3,), 'mass centre'))
        inertia = frozen(self.inertia, (3, 3), 'inertia')
        if abs(inertia - inertia.T).max() > 1e-9 * abs(inertia).max():
            raise ModelError(f'inertia: expected a symmetric matrix, got {inertia.tolist()}')
        object.__setattr__(self, 'inertia', frozen((inertia + inertia.T) / 2, (3, 3), 'inertia'))


@dataclass(frozen=True, eq=False)
class Visual:
    """A shape to draw: box, cylinder, sphere, capsule or mesh, placed in its link's frame."""

    kind: str
    # box: x y z; cylinder, capsule: radius, length; sphere: radius [m]; mesh: scale x y z
    size: tuple[float, ...]
    rotation: np.ndarray  # (3, 3)
    position: np.ndarray  # (3,) [m]
    filename: str = ''    # of a mesh, as the file says it; never opened here

    def __post_init__(self):
        size = tuple(number(value, f'{self.kind} size') for value in self.size)
        object.__setattr__(self, 'size', size)
        object.__setattr__(self, 'rotation', frozen_rotation(self.rotation, 'visual rotation'))
        object.__setattr__(self, 'position', frozen(self.position, (3,), 'visual position'))


@dataclass(frozen=True, eq=False)
class Link:
    """A body of the URDF; a link without inertial carries no mass."""

    name: str
    inertial: Inertial | None = None
    visuals: tuple[Visual, ...] = ()

    def __post_init__(self):
        checked_name(self.name, 'link')
        object.__setattr__(self, 'visuals', tuple(self.visuals))


@dataclass(frozen=True)
class Limits:
    """Bounds of a joint: position [rad or m], speed, effort [N m or N]; infinite if not given."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf

    def __post_init__(self):
        for field, low in (('lower', -math.inf), ('upper', -math.inf),
                           ('velocity', 0.0), ('effort', 0.0)):
            value = number(getattr(self, field), f'limit {field}', low, infinite=True)
            object.__setattr__(self, field, value)
        if self.lower > self.upper:
            raise ModelError(f'limit: lower {self.lower:g} is above upper {self.upper:g}')


class LimitArrays(NamedTuple):
    """The bounds of all independent joints, each an array (n_joints,) in q order."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another one: q = multiplier * q_leader + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self):
        object.__setattr__(self, 'multiplier', number(self.multiplier, 'mimic multiplier'))
        object.__setattr__(self, 'offset', number(self.offset, 'mimic offset'))


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint of the URDF: where it sits in its parent link and how its child moves."""

    name: str
    kind: str             # one of JOINT_KINDS
    parent: str           # link names
    child: str
    rotation: np.ndarray = None  # (3, 3) R_PJ, the joint frame in the parent link; the identity
    position: np.ndarray = None  # (3,) p_PJ [m]; zero
    axis: np.ndarray = (1.0, 0.0, 0.0)  # (3,) unit vector in the joint frame
    limits: Limits = Limits()
    damping: float = 0.0   # viscous [N m s/rad or N s/m]
    friction: float = 0.0  # Coulomb [N m or N]
    armature: float = 0.0  # reflected rotor inertia [kg m^2 or kg]
    mimic: Mimic | None = None

    def __post_init__(self):
        set_ = object.__setattr__
        checked_name(self.name, 'joint')
        if self.kind not in JOINT_KINDS:
            raise ModelError(f'joint {self.name!r} is {show(self.kind)}; '
                             f'supported: {", ".join(JOINT_KINDS)}')
        rotation = np.eye(3) if self.rotation is None else self.rotation
        position = np.zeros(3) if self.position is None else self.position
        set_(self, 'rotation', frozen_rotation(rotation, f'joint {self.name!r} rotation'))
        set_(self, 'position', frozen(position, (3,), f'joint {self.name!r} position'))
        axis = self.axis if self.kind in MOVING_KINDS else (1.0, 0.0, 0.0)
        set_(self, 'axis', unit(axis, f'joint {self.name!r} axis'))
        for field in ('damping', 'friction', 'armature'):
            value = number(getattr(self, field), f'joint {self.name!r} {field}', 0.0)
            set_(self, field, value)
