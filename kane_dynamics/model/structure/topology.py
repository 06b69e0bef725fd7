# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Topology of a robot: links and joints in tree order; anything but one tree is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import get_args, Literal, NoReturn, Protocol, TYPE_CHECKING

from kane_dynamics.exceptions import ModelError
from kane_dynamics.io.text import known

if TYPE_CHECKING:
    from kane_dynamics.model.structure.links_and_joints import Joint, Link

MovingKind = Literal['revolute', 'continuous', 'prismatic']
JointKind = Literal['revolute', 'continuous', 'prismatic', 'fixed', 'floating']
MOVING_KINDS: tuple[MovingKind, ...] = get_args(MovingKind)
JOINT_KINDS: tuple[JointKind, ...] = get_args(JointKind)


class Fail(Protocol):
    """A function that refuses a link or joint."""

    def __call__(self, kind: str, name: str, message: str) -> NoReturn:
        """Raise a ModelError."""
        ...


def refuse(kind: str, name: str, message: str) -> NoReturn:
    """Raise a ModelError that names the link or joint; file readers add the line instead."""
    raise ModelError(f'{kind} {name!r}: {message}')


def tree_order(links: Iterable[Link], joints: Iterable[Joint],
               fail: Fail = refuse) -> tuple[tuple[Link, ...], tuple[Joint, ...]]:
    """
    Return links and joints sorted depth first from the root, children in the order given.

    Refused are duplicate names, unknown links, a link with two parents, no root or several, and
    a cycle outside the tree.
    """
    links, joints = tuple(links), tuple(joints)
    if not links:
        fail('robot', '', 'has no link; expected at least one')
    _unique('link', links, fail)
    _unique('joint', joints, fail)
    by_name = {link.name: link for link in links}
    children: dict[str, list[Joint]] = {name: [] for name in by_name}
    parent_joint: dict[str, Joint] = {}
    for joint in joints:
        for role, name in (('parent', joint.parent), ('child', joint.child)):
            if name not in by_name:
                fail('joint', joint.name,
                     f'its {role} link {name!r} does not exist; links: {known(by_name)}')
        if joint.parent == joint.child:
            fail('joint', joint.name, f'parent and child are the same link {joint.child!r}')
        if joint.child in parent_joint:
            fail('joint', joint.name,
                 f'link {joint.child!r} is already the child of joint '
                 f'{parent_joint[joint.child].name!r}; a link with two parents closes a loop, '
                 'which a tree cannot hold: cut the loop by removing one of the two joints')
        parent_joint[joint.child] = joint
        children[joint.parent].append(joint)

    roots = [link.name for link in links if link.name not in parent_joint]
    if not roots:
        fail('link', links[0].name, 'every link is the child of a joint: the tree is cyclic')
    if len(roots) > 1:
        fail('link', roots[1],
             f'the tree has several roots {known(roots)}: connect them by joints, or remove them')

    ordered, stack = [], list(reversed(children[roots[0]]))
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack.extend(reversed(children[joint.child]))
    if len(ordered) != len(joints):
        reached = {roots[0]} | {joint.child for joint in ordered}
        lost = [link.name for link in links if link.name not in reached]
        fail('link', lost[0], f'links {known(lost)} form a cycle that the root '
             f'{roots[0]!r} does not reach')
    return (by_name[roots[0]],) + tuple(by_name[j.child] for j in ordered), tuple(ordered)


def resolve_mimics(joints: Iterable[Joint], fail: Fail = refuse) -> tuple[Joint, ...]:
    """
    Return joints whose mimics all point at an independent joint.

    q_a = m_a q_b + o_a with q_b = m_b q_c + o_b gives q_a = m_a m_b q_c + (m_a o_b + o_a).
    """
    joints = tuple(joints)
    by_name = {joint.name: joint for joint in joints}
    resolved = []
    for joint in joints:
        if joint.mimic is not None:
            if joint.kind not in MOVING_KINDS:
                fail('joint', joint.name, f'a {joint.kind} joint cannot mimic another one')
            mimic, seen = joint.mimic, [joint.name]
            while True:
                if mimic.joint in seen:
                    fail('joint', joint.name,
                         f'its mimics form a cycle: {" -> ".join(seen + [mimic.joint])}')
                if mimic.joint not in by_name:
                    fail('joint', seen[-1], f'mimics the unknown joint {mimic.joint!r}; '
                         f'joints: {known(by_name)}')
                leader = by_name[mimic.joint]
                if leader.kind not in MOVING_KINDS:
                    fail('joint', seen[-1],
                         f'mimics {leader.name!r}, which is {leader.kind} and does not move')
                if leader.mimic is None:
                    break
                seen.append(leader.name)
                try:
                    mimic = replace(
                        mimic, joint=leader.mimic.joint,
                        multiplier=mimic.multiplier * leader.mimic.multiplier,
                        offset=mimic.multiplier * leader.mimic.offset + mimic.offset)
                    joint = replace(joint, mimic=mimic)
                except ModelError as error:
                    fail('joint', joint.name, f'mimics {" -> ".join(seen[1:])}: {error}')
        resolved.append(joint)
    return tuple(resolved)


def floating_joint(links: tuple[Link, ...], joints: tuple[Joint, ...],
                   fail: Fail = refuse) -> Joint | None:
    """
    Return the floating joint of an ordered tree, or None.

    Its parent must be a massless root, and every moving joint must be below it.
    """
    floating = [joint for joint in joints if joint.kind == 'floating']
    if not floating:
        return None
    root, first = links[0], floating[0]
    if len(floating) > 1:
        fail('joint', floating[1].name, f'is a second floating joint, after {first.name!r}; '
             'one robot has at most one floating base')
    if first.parent != root.name:
        fail('joint', first.name, f'is floating but leaves link {first.parent!r}; only a joint '
             f'that leaves the root {root.name!r} may float')
    if root.inertial is not None and root.inertial.mass != 0.0:
        fail('joint', first.name, f'is floating and leaves the root {root.name!r} of mass '
             f'{root.inertial.mass:g} kg; the root of a floating joint must be massless')
    below = {first.child}
    for joint in joints:
        if joint.parent in below:
            below.add(joint.child)
        elif joint.kind in MOVING_KINDS:
            fail('joint', joint.name, f'is not below the floating joint {first.name!r}; '
                 'every moving joint must be below the floating base')
    return first


def _unique(kind: str, parts: Iterable[Link | Joint], fail: Fail) -> None:
    seen = set()
    for part in parts:
        if part.name in seen:
            fail(kind, part.name, f'two {kind}s have this name; give each its own')
        seen.add(part.name)
