# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Sliding beams: those whose free length or load position depends on a prismatic joint.

Vukobratovic and Potkonjak 1982, (4.3.6): the length of a link varies where the link itself slides
along its axis (a boom in a guide) and where the next link slides along it (a carriage on a beam).
Beams here have a constant length and constant points of attachment, which is right

* where the prismatic axis is not along the beam: a gantry, a beam across its carriage;
* where the beam's link is fixed to a link with mass that slides: it is clamped to that carriage;
* where a link slides out of the tip and never along the beam: the tip carries it.
"""

from __future__ import annotations

from collections.abc import Iterator
import math
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.model.structure.links_and_joints import Joint
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot

ALONG = math.cos(math.radians(10.0))    # axes closer than this are parallel
TRAVEL = 1e-6                           # fraction of the length below which nothing slides


def sliding_reason(robot: Robot, link: str, root: ArrayLike, tip: ArrayLike) -> str:
    """Return why a beam of constant length is wrong for a link; empty where it is right.

    root, tip: ends of the beam (3,) [m] in the link frame.
    """
    start = np.asarray(root, dtype=float)
    along_beam = np.asarray(tip, dtype=float) - start
    length = float(np.linalg.norm(along_beam))
    x = along_beam / length
    joint, R_JL = _carrier(robot, link)
    if joint is not None and abs(joint.axis @ R_JL @ x) > ALONG:
        lower, upper = robot.range_of(joint.name)
        if upper - lower > TRAVEL * length:
            return (f'the link slides along its beam by the prismatic joint {joint.name!r} '
                    f'({_span(lower, upper)}): the free length depends on the joint, but the '
                    'model keeps it constant')
    for joint, direction, position in _sliders(robot, link, np.eye(3), np.zeros(3)):
        along = float(x @ direction)
        if abs(along) <= ALONG:
            continue
        offset = float(x @ (position - start))
        first, last = sorted(offset + along * q for q in robot.range_of(joint.name))
        if min(max(last, 0.0), length) - min(max(first, 0.0), length) > TRAVEL * length:
            return (f'the prismatic joint {joint.name!r} slides link {joint.child!r} along the '
                    f'beam ({_span(first, last)} from its root, length {length:.4g} m): the '
                    'position of the load depends on the joint, but the model keeps it constant')
    return ''


def _carrier(robot: Robot, link: str) -> tuple[Joint | None, FloatArray]:
    """Return the prismatic joint that carries a link, and R_JL (3, 3), the link in its frame.

    Fixed joints are followed through massless parents, which are frames only; a parent with mass
    is a carriage that the link is clamped to.
    """
    R_JL, joint = np.eye(3), robot.parent_joint(link)
    while joint is not None and joint.kind == 'fixed' and _massless(robot, joint.parent):
        R_JL = joint.rotation @ R_JL
        joint = robot.parent_joint(joint.parent)
    return (joint if joint is not None and joint.kind == 'prismatic' else None), R_JL


def _sliders(robot: Robot, link: str, R: FloatArray,
             p: FloatArray) -> Iterator[tuple[Joint, FloatArray, FloatArray]]:
    """Yield prismatic joints on a link or its frames: joint, direction, position in the link."""
    for joint in robot.child_joints(link):
        R_joint, p_joint = R @ joint.rotation, p + R @ joint.position
        if joint.kind == 'prismatic':
            yield joint, R_joint @ joint.axis, p_joint
        elif joint.kind == 'fixed' and _massless(robot, joint.child):
            yield from _sliders(robot, joint.child, R_joint, p_joint)


def _massless(robot: Robot, link: str) -> bool:
    inertial = robot.link(link).inertial
    return inertial is None or inertial.mass == 0.0


def _span(first: float, last: float) -> str:
    return f'{first:.4g} ... {last:.4g} m'
