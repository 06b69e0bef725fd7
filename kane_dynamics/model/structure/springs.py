# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Springs on an arm: on a joint, or stretched between points of two links.

All follow one law. With x the position of the joint, or the distance of the two points, the
spring pulls x back with

    F(x) = preload + stiffness (x - rest),    V(x) = preload (x - rest) + stiffness (x - rest)^2/2.

A gas spring pushes: its preload is negative. A balancer of zero free length has rest = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kane_dynamics.exceptions import ModelError
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.validation import frozen

MOST = 1e12     # stiffness [N/m, N m/rad] and force [N, N m]
End: TypeAlias = 'tuple[str, FloatArray]'   # link and point (3,) in its frame [m]


@dataclass(frozen=True, kw_only=True)
class SpringLaw:
    """The law of a spring: stiffness, rest, and the force at rest.

    stiffness [N m/rad or N/m]; rest: position of the joint or distance of the points where the
    force is `preload` [rad or m]; preload: the torque or tension there [N m or N].
    """

    stiffness: float = 0.0
    rest: float = 0.0
    preload: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.stiffness <= MOST:
            raise ModelError(f'spring: stiffness: expected 0 to {MOST:g}, got {self.stiffness:g}')
        for name, value, most in (('rest', self.rest, 1e5), ('preload', self.preload, MOST)):
            if not abs(value) <= most:
                raise ModelError(f'spring: {name}: expected a number up to {most:g}, got '
                                 f'{value:g}')
        if self.stiffness == 0.0 and self.preload == 0.0:
            raise ModelError('spring: it has neither stiffness nor preload; give one of them')

    @property
    def force_at_zero(self) -> float:
        """Return F(0) [N m or N]."""
        return self.preload - self.stiffness * self.rest


@dataclass(frozen=True, kw_only=True)
class JointSpring(SpringLaw):
    """A spring on a joint; on a flexible one it acts on the link, beyond the gear.

    joint: name of a revolute, continuous or prismatic joint, a mimic one too.
    """

    joint: str


@dataclass(frozen=True, kw_only=True)
class LinkSpring(SpringLaw):
    """A spring between points of two links; its force is positive where it pulls.

    ends: two of (link, point (3,) [m] in the frame of the link). At distance zero the force has
    no direction: keep the points apart, unless F(0) = 0.
    """

    ends: tuple[End, End]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rest < 0.0:
            raise ModelError(f'spring: rest: expected a length of at least 0 m, got {self.rest:g}')
        if len(self.ends) != 2:
            raise ModelError(f'spring: expected 2 ends, got {len(self.ends)}')
        object.__setattr__(self, 'ends', tuple(
            (link, frozen(point, (3,), f'spring: point on {link!r}', most=1e5, units=' m'))
            for link, point in self.ends))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinkSpring) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return (self.stiffness, self.rest, self.preload,
                *((link, *point.tolist()) for link, point in self.ends))


AttachedSpring: TypeAlias = JointSpring | LinkSpring


@dataclass(frozen=True)
class CoordinateSpring:
    """A JointSpring as Kane's equations see it: x = offset + sum ratio q, per term.

    terms: (index in q, index in u, ratio), two of them on a flexible joint.
    """

    terms: tuple[tuple[int, int, float], ...]
    offset: float
    law: SpringLaw


@dataclass(frozen=True)
class PointSpring:
    """A LinkSpring as Kane's equations see it: bodies (-1: the base), points in their frames."""

    bodies: tuple[int, int]
    points: tuple[FloatArray, FloatArray]
    law: SpringLaw


def spring_label(spring: AttachedSpring) -> str:
    """Return the words that name a spring in messages."""
    if isinstance(spring, JointSpring):
        return f'spring on joint {spring.joint!r}'
    return f'spring between {spring.ends[0][0]!r} and {spring.ends[1][0]!r}'
