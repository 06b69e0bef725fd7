# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of masses and inertias: can they belong to real bodies? Each finding names its link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import get_args, Literal, NamedTuple
import warnings

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsWarning, ModelError
from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Inertial
from kane_dynamics.model.structure.tree import added, Body, MassMoments, moved, Tree
from kane_dynamics.numerics.array_types import FloatArray

Level = Literal['error', 'warning']
Unphysical = Literal['refuse', 'warn']    # what to do with an 'error'

FAR = 3.0              # mass centre or radius of gyration beyond this many robot lengths
NEAR = 1e-4            # radius of gyration below this many robot lengths
TRIANGLE_SLACK = 1e-3  # files print three or four digits
ROUND_OFF = 1e-9       # of the largest principal inertia
LOST = 1e-6            # largest fraction of an inertia that may be round-off
MICROMETRE = 1e-6      # [m]; inertias below m * MICROMETRE^2 are negligible


class InertiaFinding(NamedTuple):
    """A remark on the inertia of one link; an 'error' makes torques meaningless."""

    level: Level
    link: str
    message: str


def check(robot: Robot) -> list[InertiaFinding]:
    """
    Return the findings about masses and inertias, errors first.

    Errors: a negative mass; a body (links joined by fixed joints) with a negative principal
    inertia; a joint or a spring that moves no mass at all. Warnings: a tensor that breaks the
    triangle inequality, a mass centre far outside the robot or so far that the inertia is lost in
    round-off, inertias far too large or small for the mass, placeholders, massless bodies between
    others.
    """
    tree = robot.rigid().tree
    scale = _length(robot)
    findings: list[InertiaFinding] = []
    for link in robot.links:
        if link.inertial is not None:
            findings += [InertiaFinding(level, link.name, message)
                         for level, message in _of_link(link.inertial, scale)]
    findings += _of_bodies(robot, tree)
    findings += _of_joints(robot, tree)
    findings += _of_springs(robot)
    return sorted(findings, key=lambda finding: finding.level)  # 'error' < 'warning'


def enforce(robot: Robot, unphysical: Unphysical = 'refuse', stacklevel: int = 2) -> Robot:
    """Return the robot; raise a ModelError for errors, warn about the rest.

    unphysical='warn' only warns.
    """
    if unphysical not in get_args(Unphysical):
        raise InputError(f"unphysical: expected 'refuse' or 'warn', got {unphysical!r}")
    findings = check(robot)
    errors = [finding for finding in findings if finding.level == 'error']
    where = robot.source or f'robot {robot.name!r}'
    if errors and unphysical == 'refuse':
        raise ModelError(f'{where}: unphysical inertias:\n{_lines(errors)}\n'
                         '  correct the file (`kane info` shows it), or load it in Python with '
                         "unphysical='warn'")
    if findings:
        warnings.warn(f'{where}: implausible inertias:\n{_lines(findings)}',
                      KaneDynamicsWarning, stacklevel=stacklevel + 1)
    return robot


def grouped(findings: Iterable[InertiaFinding]) -> list[str]:
    """Return one text per message, with the names of all its links."""
    links: dict[str, list[str]] = {}
    for finding in findings:
        links.setdefault(finding.message, []).append(repr(finding.link))
    return [f'link{"s" * (len(names) > 1)} {", ".join(names)}: {message}'
            for message, names in links.items()]


def _lines(findings: Iterable[InertiaFinding]) -> str:
    return '\n'.join('  ' + text for text in grouped(findings))


def _length(robot: Robot) -> float:
    """Return the longest distance in the robot's joints and visual shapes [m]."""
    lengths = [float(np.linalg.norm(joint.position)) for joint in robot.joints]
    for link in robot.links:
        for visual in link.visuals:
            if visual.kind != 'mesh':
                lengths.append(float(np.linalg.norm(visual.position)) + max(visual.size))
    return max(lengths, default=0.0)


def _of_link(inertial: Inertial, scale: float) -> Iterator[tuple[Level, str]]:
    """Yield (level, message) about one link alone."""
    m = inertial.mass
    principal = np.asarray(np.linalg.eigvalsh(inertial.inertia), dtype=np.float64)
    least, middle, most = principal
    shown = '[' + ' '.join(f'{value:.4g}' for value in principal) + '] kg m^2'
    if m < 0.0:
        yield 'error', f'mass {m:g} kg is negative'
        return
    if m == 0.0:
        if most > 0.0 or least < 0.0:
            yield 'warning', f'principal inertias {shown} but no mass'
        return
    distance = np.linalg.norm(inertial.com)
    if scale > 0.0 and distance > FAR * scale:
        yield 'warning', (f'mass centre lies {distance:.3g} m from the link frame, but the '
                          f'longest distance in the robot is {scale:.3g} m')
    if _negative(principal, m):
        yield 'warning', f'principal inertias {shown} are not all positive'
        return
    if most <= m * MICROMETRE ** 2:
        yield 'warning', 'mass but no inertia: a point mass'
        return
    if _placeholder(inertial.inertia):
        yield 'warning', f'inertia {shown} looks like a placeholder'
        return
    if most > (least + middle) * (1.0 + TRIANGLE_SLACK) + m * MICROMETRE ** 2:
        yield 'warning', (f'principal inertias {shown} break the triangle inequality: no body '
                          'has a moment larger than the sum of the other two')
    radius = np.sqrt(most / m)  # of gyration
    lost = np.finfo(float).eps * (distance / radius) ** 2   # I in the sum I + m d^2
    if lost > LOST:
        yield 'warning', (f'mass centre lies {distance:.3g} m from the link frame, '
                          f'{distance / radius:.1g} radii of gyration: the fraction {lost:.0e} of '
                          'the inertia is lost in round-off')
    if scale > 0.0 and not NEAR * scale < radius < FAR * scale:
        size = 'small' if radius < scale else 'large'
        yield 'warning', (f'inertia is too {size} for {m:.4g} kg: a radius of gyration of '
                          f'{radius:.3g} m in a robot whose longest distance is {scale:.3g} m')


def _negative(principal: FloatArray, m: float) -> bool:
    """Return whether a principal inertia is below zero by more than round-off."""
    return bool(principal[0] < -ROUND_OFF * principal[2] - m * MICROMETRE ** 2)


def _placeholder(inertia: FloatArray) -> bool:
    """Return whether the tensor is a round power of ten times the identity, or one number."""
    value = inertia[0, 0]
    if value <= 0.0:
        return False
    if (inertia == value).all():
        return True
    power = 10.0 ** round(np.log10(value))
    return abs(value / power - 1.0) < 1e-12 and bool((inertia == value * np.eye(3)).all())


def _of_bodies(robot: Robot, tree: Tree) -> Iterator[InertiaFinding]:
    """Yield a finding per body, its fixed links included, with a negative inertia."""
    links = _first_links(robot, tree)
    for body, link in zip(tree.bodies, links):
        if body.m > 0.0:
            # S about the mass centre, then I = tr(S) 1 - S
            S = body.S - np.outer(body.h, body.h) / body.m
            principal = np.linalg.eigvalsh(np.trace(S) * np.eye(3) - S)
            # the difference loses digits when the mass centre is far away
            lost = 1e-12 * np.trace(body.S)
            if _negative(principal + lost, body.m):
                shown = ' '.join(f'{value:.4g}' for value in principal)
                yield InertiaFinding('error', link, f'moves with principal inertias [{shown}] '
                                     'kg m^2 (all links fixed to it included); a body has none '
                                     'below zero')


def _of_joints(robot: Robot, tree: Tree) -> Iterator[InertiaFinding]:
    """Yield a finding per coordinate that moves no mass or no inertia."""
    links = _first_links(robot, tree)
    carried = _carried(tree)
    armature = dict(zip(robot.joint_names, robot.reflected.armature))
    by_speed: dict[int, list[int]] = {}
    for index, body in enumerate(tree.bodies):
        if body.ratio != 0.0:           # a mimic joint of multiplier 0 does not move
            by_speed.setdefault(body.u_index, []).append(index)
    for indices in by_speed.values():
        link, body = links[indices[0]], tree.bodies[indices[0]]
        mover = robot.parent_joint(link)
        if body.kind == 'floating' or mover is None:
            how = 'floats'
        elif armature[mover.follows.joint] > 0.0:
            continue
        else:
            how = f'moves by joint {mover.name!r}'
        resists = any(_resists(tree.bodies[index], carried[index]) for index in indices)
        if not resists and not any(carried[index][0] > 0.0 for index in indices):
            yield InertiaFinding('error', link, f'{how}, but neither it nor anything beyond it '
                                 'has mass: give it an <inertial>, or fix it')
        elif not resists:
            yield InertiaFinding('warning', link, f'{how}, but what it carries has no inertia '
                                 'about that axis: torques can be computed, accelerations cannot')
        elif not any(tree.bodies[index].m > 0.0 for index in indices):
            yield InertiaFinding('warning', link, 'moves, but has no mass of its own: only the '
                                 'links beyond it have inertia')


def _of_springs(robot: Robot) -> Iterator[InertiaFinding]:
    """Yield a finding per flexible joint whose spring moves no mass or no inertia.

    The rotor of its motor is on the other side of the spring and does not count.
    """
    if not robot.flexible_joints:
        return
    from kane_dynamics.model.flexible.outboard import outboard_moments
    beyond = outboard_moments(robot)
    for name, spring in robot.flexible_joints.items():
        joint = robot.joint(name)
        R_JP = joint.rotation.T
        m, _, S = moved(*beyond[name], R_JP, -R_JP @ joint.position)
        axis = np.array(spring.axis)
        inertia = m if spring.kind == 'prismatic' else np.trace(S) - axis @ S @ axis
        if m == 0.0:
            yield InertiaFinding(
                'error', joint.child, f'moves on the spring of joint {name!r}, but neither it nor '
                'anything beyond it has mass: give it an <inertial>, or remove the '
                '<flexible_joint>')
        elif inertia <= 1e-12 * m * MICROMETRE ** 2:
            yield InertiaFinding(
                'warning', joint.child, f'moves on the spring of joint {name!r}, but what it '
                'carries has no inertia about that axis: torques can be computed, accelerations '
                'cannot')


def _resists(body: Body, carried: MassMoments) -> bool:
    """Return whether the coordinate of a body moves any inertia, given what the body carries."""
    m, _, S = carried
    if body.kind == 'revolute':
        return bool(S[0, 0] + S[1, 1] > 1e-12 * m * MICROMETRE ** 2)  # about the body's z
    return m > 0.0


def _carried(tree: Tree) -> list[MassMoments]:
    """
    Return per body the mass moments of it and all bodies beyond it, about its origin.

    The pose is random, so that no inertia vanishes only because of the pose.
    """
    pose = np.random.default_rng(0).uniform(-1.0, 1.0, max(tree.nq, 1))
    total: list[MassMoments] = [(body.m, body.h, body.S) for body in tree.bodies]
    for index in reversed(range(len(tree.bodies))):
        body = tree.bodies[index]
        if body.parent >= 0:
            value = body.ratio * pose[body.q_index] + body.offset
            value += body.quarter_turns * np.pi / 2
            R, p = body.C, body.p
            if body.kind == 'revolute':
                c, s = np.cos(value), np.sin(value)
                R = R @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            else:
                p = p + value * R[:, 2]
            total[body.parent] = added(total[body.parent], moved(*total[index], R, p))
    return total


def _first_links(robot: Robot, tree: Tree) -> list[str]:
    """Return per body the link that its joint moves (the base link for a floating base)."""
    first = [''] * len(tree.bodies)
    for name in reversed(robot.link_names):
        body = tree.frames[name].body
        if body >= 0:
            first[body] = name
    if robot.floating_base:
        first[0] = robot.base
    return first
