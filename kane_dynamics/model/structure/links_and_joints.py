# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Links and joints of a robot description: frozen and validated."""

from __future__ import annotations

from dataclasses import dataclass, field
import math
from typing import NamedTuple, TypeAlias

import numpy as np

from kane_dynamics.exceptions import ModelError
from kane_dynamics.io.text import checked_name, show
from kane_dynamics.model.structure.topology import JOINT_KINDS, JointKind, MOVING_KINDS
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.rotations import turned
from kane_dynamics.numerics.validation import frozen, frozen_rotation, number, unit

# No arm is larger, and digits are lost beyond. Of the inertia of a body of size l, the fraction
# eps (d/l)^2 is round-off at the distance d: of 10 cm 2e-4 at 100 km, all of it at 10000 km.
MAX_LENGTH = 1e5   # [m]
MAX_ANGLE = 1e3    # [rad] of a mimic's offset: its last digit is 1e-13 rad
MAX_RATIO = 1e6    # of a mimic: the last digit of the leader's position, times that, is 1e-10

Colour: TypeAlias = tuple[float, float, float, float]    # red, green, blue, opacity, 0 to 1


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass [kg], mass centre [m] and central inertia [kg m^2], in the axes of the link frame."""

    mass: float
    com: FloatArray       # (3,) p_BBcm
    inertia: FloatArray   # (3, 3) about the mass centre
    where: str = ''       # file and line of the mass, for messages

    def __post_init__(self) -> None:
        object.__setattr__(self, 'mass', number(self.mass, 'mass'))
        com = frozen(self.com, (3,), 'mass centre', most=MAX_LENGTH, units=' m')
        object.__setattr__(self, 'com', com)
        inertia = frozen(self.inertia, (3, 3), 'inertia')
        if abs(inertia - inertia.T).max() > 1e-9 * abs(inertia).max():
            raise ModelError(f'inertia: expected a symmetric matrix, got {inertia.tolist()}')
        object.__setattr__(self, 'inertia', frozen((inertia + inertia.T) / 2, (3, 3), 'inertia'))

    def __repr__(self) -> str:
        x, y, z = self.com
        return f'Inertial({self.mass:.4g} kg, com [{x:.4g} {y:.4g} {z:.4g}] m)'


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape of a link, to draw or to check for collisions: box, cylinder, mesh, ..."""

    kind: str             # 'box', 'cylinder', 'sphere', 'capsule' or 'mesh'
    # box: x y z; cylinder, capsule: radius, length; sphere: radius [m]; mesh: scale x y z
    size: tuple[float, ...]
    rotation: FloatArray  # (3, 3), in the link frame
    position: FloatArray  # (3,) [m], in the link frame
    filename: str = ''    # of a mesh, as written in the file; not opened here
    colour: Colour | None = None    # None: that of the mesh file, or none

    def __post_init__(self) -> None:
        size = tuple(number(value, f'{self.kind} size') for value in self.size)
        object.__setattr__(self, 'size', size)
        object.__setattr__(self, 'rotation', frozen_rotation(self.rotation, 'shape rotation'))
        object.__setattr__(self, 'position', frozen(self.position, (3,), 'shape position'))


@dataclass(frozen=True, eq=False)
class Link:
    """A body of the URDF; a link without inertial carries no mass."""

    name: str
    inertial: Inertial | None = None
    visuals: tuple[Shape, ...] = ()
    collisions: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        checked_name(self.name, 'link')
        object.__setattr__(self, 'visuals', tuple(self.visuals))
        object.__setattr__(self, 'collisions', tuple(self.collisions))

    def __repr__(self) -> str:
        mass = 'massless' if self.inertial is None else f'{self.inertial.mass:.4g} kg'
        return f'Link({self.name!r}, {mass})'


@dataclass(frozen=True)
class Limits:
    """Bounds of a joint: position [rad or m], its derivatives, effort; infinite if not given."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf      # [rad/s or m/s]
    effort: float = math.inf        # [N m or N]
    acceleration: float = math.inf  # [rad/s^2 or m/s^2], in both directions
    jerk: float = math.inf          # [rad/s^3 or m/s^3]

    def __post_init__(self) -> None:
        for name in LimitArrays._fields:
            low = -math.inf if name in ('lower', 'upper') else 0.0
            value = number(getattr(self, name), f'limit {name}', low, infinite=True)
            object.__setattr__(self, name, value)
        if self.lower > self.upper:
            raise ModelError(f'limit: lower {self.lower:g} is above upper {self.upper:g}')


class LimitArrays(NamedTuple):
    """The bounds of all independent joints, each an array (n_joints,) in q order."""

    lower: FloatArray
    upper: FloatArray
    velocity: FloatArray
    effort: FloatArray
    acceleration: FloatArray
    jerk: FloatArray


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another one: q = multiplier * q_leader + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        multiplier = number(self.multiplier, 'mimic multiplier', most=MAX_RATIO)
        object.__setattr__(self, 'multiplier', multiplier)
        object.__setattr__(self, 'offset', number(self.offset, 'mimic offset'))


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint of the URDF: its frame in the parent link, and how its child moves."""

    name: str
    kind: JointKind
    parent: str           # link names
    child: str
    # (3, 3) R_PJ, the joint frame in the parent link; default the identity
    rotation: FloatArray = field(default_factory=lambda: np.eye(3))
    # (3,) p_PJ [m]
    position: FloatArray = field(default_factory=lambda: np.zeros(3))
    # (3,) unit vector in the joint frame
    axis: FloatArray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    limits: Limits = Limits()
    damping: float = 0.0   # viscous [N m s/rad or N s/m]
    friction: float = 0.0  # Coulomb [N m or N]
    armature: float = 0.0  # reflected rotor inertia [kg m^2 or kg]
    mimic: Mimic | None = None

    @property
    def unit(self) -> str:
        """Return the unit of the joint's position: 'm' for a prismatic joint, else 'rad'."""
        return 'm' if self.kind == 'prismatic' else 'rad'

    @property
    def effort_unit(self) -> str:
        """Return the unit of the joint's effort: 'N' for a prismatic joint, else 'N m'."""
        return 'N' if self.kind == 'prismatic' else 'N m'

    @property
    def follows(self) -> Mimic:
        """Return leader, multiplier and offset; an independent joint follows itself."""
        return self.mimic or Mimic(self.name)

    def child_pose(self, q: float) -> tuple[FloatArray, FloatArray]:
        """Return R (3, 3) and p (3,) [m] of the child in the parent at a position [rad or m].

        A fixed or floating joint has the same pose, that of its frame, at any q.
        """
        if self.kind == 'prismatic':
            return self.rotation, self.position + self.rotation @ self.axis * q
        if self.kind in MOVING_KINDS:
            return self.rotation @ turned(self.axis, np.array([q]))[0], self.position
        return self.rotation, self.position

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        checked_name(self.name, 'joint')
        if self.kind not in JOINT_KINDS:
            raise ModelError(f'joint {self.name!r} is {show(self.kind)}; '
                             f'supported: {", ".join(JOINT_KINDS)}')
        set_(self, 'rotation', frozen_rotation(self.rotation, f'joint {self.name!r} rotation'))
        set_(self, 'position', frozen(self.position, (3,), f'joint {self.name!r} position',
                                      most=MAX_LENGTH, units=' m'))
        axis = self.axis if self.kind in MOVING_KINDS else (1.0, 0.0, 0.0)
        set_(self, 'axis', unit(axis, f'joint {self.name!r} axis'))
        for name in ('damping', 'friction', 'armature'):
            set_(self, name, number(getattr(self, name), f'joint {self.name!r} {name}', 0.0))
        if self.mimic is not None:
            most, units = (MAX_LENGTH, ' m') if self.kind == 'prismatic' else (MAX_ANGLE, ' rad')
            number(self.mimic.offset, f'joint {self.name!r} mimic offset', most=most, units=units)

    def __repr__(self) -> str:
        follows = '' if self.mimic is None else f', mimics {self.mimic.joint!r}'
        return f'Joint({self.name!r}, {self.kind}, {self.parent!r} -> {self.child!r}{follows})'
