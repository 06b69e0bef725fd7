# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a robot's masses and inertias can belong to real bodies; each finding names its link."""

from __future__ import annotations

from typing import NamedTuple
import warnings

import numpy as np

from kane_dynamics.exceptions import InputError, KaneDynamicsWarning, ModelError
from kane_dynamics.model.assembly import tree_of
from kane_dynamics.model.tree import moved

FAR = 3.0              # mass centre or radius of gyration beyond this many robot lengths
NEAR = 1e-4            # radius of gyration below this many robot lengths
TRIANGLE_SLACK = 1e-3  # files print three or four digits
ROUND_OFF = 1e-9       # of the largest principal inertia
MICROMETRE = 1e-6      # [m]; m * MICROMETRE^2 is an inertia that nothing feels


class Finding(NamedTuple):
    """Something about the inertia of one link: 'error' when no torque should come of it."""

    level: str  # 'error' | 'warning'
    link: str
    message: str


def check(robot):
    """
    Return the list of Findings about masses and inertias, errors first.

    Errors: a negative mass; a body (links joined by fixed joints) with a negative principal
    inertia; a joint that moves no mass at all. Warnings: a tensor that breaks the triangle
    inequality, a mass centre far outside the robot, inertias far too large or small for the
    mass, placeholders, massless bodies between others.
    """
    tree = tree_of(robot.rigid())
    scale = _length(robot)
    findings = []
    for link in robot.links:
        if link.inertial is not None:
            findings += [Finding(level, link.name, message)
                         for level, message in _of_link(link.inertial, scale)]
    findings += _of_bodies(robot, tree)
    findings += _of_joints(robot, tree)
    return sorted(findings, key=lambda finding: finding.level)  # 'error' < 'warning'


def enforce(robot, unphysical='refuse', stacklevel=2):
    """Raise a ModelError for errors, warn about the rest; unphysical='warn' only warns."""
    if unphysical not in ('refuse', 'warn'):
        raise InputError(f"unphysical: expected 'refuse' or 'warn', got {unphysical!r}")
    findings = check(robot)
    errors = [finding for finding in findings if finding.level == 'error']
    where = robot.source or f'robot {robot.name!r}'
    if errors and unphysical == 'refuse':
        raise ModelError(f'{where}: unphysical inertias:\n{_lines(errors)}\n'
                         '  correct the file (`kane info` shows it), or load it in Python with '
                         "unphysical='warn'")
    if findings:
        warnings.warn(f'{where}: look at these inertias:\n{_lines(findings)}',
                      KaneDynamicsWarning, stacklevel=stacklevel + 1)
    return robot


def grouped(findings):
    """Return one text per message, the links that share it named together."""
    links = {}
    for finding in findings:
        links.setdefault(finding.message, []).append(repr(finding.link))
    return [f'link{"s" * (len(names) > 1)} {", ".join(names)}: {message}'
            for message, names in links.items()]


def _lines(findings):
    return '\n'.join('  ' + text for text in grouped(findings))


def _length(robot):
    """Return the longest distance that the robot's joints and drawn shapes tell of [m]."""
    lengths = [np.linalg.norm(joint.position) for joint in robot.joints]
    for link in robot.links:
        for visual in link.visuals:
            if visual.kind != 'mesh':
                lengths.append(np.linalg.norm(visual.position) + max(visual.size))
    return max(lengths, default=0.0)


def _of_link(inertial, scale):
    """Yield (level, message) about one link by itself."""
    m, principal = inertial.mass, np.linalg.eigvalsh(inertial.inertia)
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
    if scale > 0.0 and not NEAR * scale < radius < FAR * scale:
        size = 'small' if radius < scale else 'large'
        yield 'warning', (f'inertia is too {size} for {m:.4g} kg: a radius of gyration of '
                          f'{radius:.3g} m in a robot whose longest distance is {scale:.3g} m')


def _negative(principal, m):
    """Return whether a principal inertia is below zero by more than round-off."""
    return principal[0] < -ROUND_OFF * principal[2] - m * MICROMETRE ** 2


def _placeholder(inertia):
    """Return whether the tensor is a round power of ten times the identity, or one number."""
    value = inertia[0, 0]
    if value <= 0.0:
        return False
    if (inertia == value).all():
        return True
    power = 10.0 ** round(np.log10(value))
    return abs(value / power - 1.0) < 1e-12 and (inertia == value * np.eye(3)).all()


def _of_bodies(robot, tree):
    """Yield a Finding per body, its fixed links taken together, with a negative inertia."""
    links = _first_links(robot, tree)
    for body, link in zip(tree.bodies, links):
        if body.m > 0.0:
            # S about the mass centre, then I = tr(S) 1 - S
            S = body.S - np.outer(body.h, body.h) / body.m
            principal = np.linalg.eigvalsh(np.trace(S) * np.eye(3) - S)
            # taking the centre out costs digits when it is far away
            lost = 1e-12 * np.trace(body.S)
            if _negative(principal + lost, body.m):
                yield Finding('error', link, 'moves with principal inertias ['
                              + ' '.join(f'{value:.4g}' for value in principal)
                              + '] kg m^2 (all links fixed to it included); a body has none '
                              'below zero')


def _of_joints(robot, tree):
    """Yield a Finding per coordinate that moves no mass or finds no inertia."""
    links = _first_links(robot, tree)
    carried = _carried(tree)
    armature = {}
    for joint in robot.moving_joints:
        factor = joint.mimic.multiplier ** 2 if joint.mimic else 1.0
        armature[_leader(joint)] = armature.get(_leader(joint), 0.0) + factor * joint.armature
    by_speed = {}
    for index, body in enumerate(tree.bodies):
        by_speed.setdefault(body.u_index, []).append(index)
    for indices in by_speed.values():
        link, body = links[indices[0]], tree.bodies[indices[0]]
        joint = robot.parent_joint(link)
        rotor = 0.0 if body.kind == 'floating' else armature[_leader(joint)]
        if rotor > 0.0:
            continue
        how = 'floats' if body.kind == 'floating' else f'moves by joint {joint.name!r}'
        felt = any(_felt(tree.bodies[index], carried[index]) for index in indices)
        if not felt and not any(carried[index][0] > 0.0 for index in indices):
            yield Finding('error', link, f'{how}, but neither it nor anything beyond it has mass: '
                          'give it an <inertial>, or fix it')
        elif not felt:
            yield Finding('warning', link, f'{how}, but what it carries has no inertia about that '
                          'axis: torques can be computed, accelerations cannot')
        elif not any(tree.bodies[index].m > 0.0 for index in indices):
            yield Finding('warning', link, 'no mass of its own, though it moves: only what '
                          'hangs beyond resists')


def _leader(joint):
    return joint.mimic.joint if joint.mimic else joint.name


def _felt(body, carried):
    """Return whether the coordinate of a body finds any inertia in what it carries."""
    m, _, S = carried
    if body.kind == 'revolute':
        return S[0, 0] + S[1, 1] > 1e-12 * m * MICROMETRE ** 2  # about the body's z
    return m > 0.0


def _carried(tree):
    """
    Return per body the mass moments of it and all beyond it, about its origin.

    In one arbitrary pose: inertia that is zero there for no reason but the pose is not expected.
    """
    pose = np.random.default_rng(0).uniform(-1.0, 1.0, max(tree.nq, 1))
    total = [(body.m, body.h, body.S) for body in tree.bodies]
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
            total[body.parent] = tuple(
                own + other for own, other in zip(total[body.parent], moved(*total[index], R, p)))
    return total


def _first_links(robot, tree):
    """Return per body the link that its joint moves (the base link for a floating base)."""
    first = [None] * len(tree.bodies)
    for name in reversed(robot.link_names):
        body = tree.frames[name].body
        if body >= 0:
            first[body] = name
    if robot.floating_base:
        first[0] = robot.base
    return first
