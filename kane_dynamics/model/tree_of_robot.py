# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Construction of the tree of moving bodies from a robot.

Links behind fixed joints are merged, z is on every joint axis, flexible links get their modes.

Coordinates are q = [floating base, joints, elastic coordinates]. Elastic coordinates are the modes
of a flexible link, the hinges of a segmented one, and the deflection of a flexible joint. The
coordinate of a flexible joint is the position of its motor; the link is at q + deflection. A fixed
joint with a spring has only the deflection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.model.structure.links_and_joints import Joint, Link
from kane_dynamics.model.structure.springs import (
    CoordinateSpring, JointSpring, LinkSpring, PointSpring)
from kane_dynamics.model.structure.tree import (
    added, Body, BodyKind, Frame, moments, moved, NO_MASS, Spring, Tree)
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.numerics.rotations import ROUND_OFF

if TYPE_CHECKING:
    from kane_dynamics.model.flexible.flexible_joint import FlexibleJoint
    from kane_dynamics.model.robot import Robot

ORIGIN = np.zeros(3)


def elastic_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the elastic coordinates, in the order of q."""
    return (*(f'{link}/{name}' for link, flexible in robot.flexible_links.items()
              for name in flexible.coordinate_names),
            *(f'{joint}/deflection' for joint in robot.flexible_joints))


def elastic_slices(robot: Robot) -> dict[str, slice]:
    """Return {flexible link: its slice of the elastic coordinates}."""
    found, first = {}, 0
    for link, flexible in robot.flexible_links.items():
        last = first + len(flexible.coordinate_names)
        found[link], first = slice(first, last), last
    return found


def tree_of(robot: Robot) -> Tree:
    """Return the tree of bodies of a robot; `robot.tree` is the same, cached."""
    return _Assembly(robot).tree()


class _Assembly:
    """The bodies, springs and frames found so far, on a walk over the joints from the root."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        joints, elastic = robot.joint_names, elastic_names(robot)
        first = 6 if robot.floating_base else 0
        self.speed = {name: first + k for k, name in enumerate((*joints, *elastic))}
        self.q_shift = robot.nq - robot.nv                 # q index minus u index behind the base
        self.bodies: list[Body] = []
        self.springs: list[Spring] = []
        self.stations: dict[tuple[int, int], int] = {}     # (flexible body, attachment) -> body
        # body -1 is the world
        self.frames = {robot.root: Frame(-1, robot.base_rotation, robot.base_position)}

    def tree(self) -> Tree:
        """Return the finished tree."""
        robot = self.robot
        hinge_stiffness: dict[str, float] = {}
        for name, flexible in robot.flexible_links.items():
            if flexible.segments is not None:
                # imported here: a rigid arm does not need the beams
                from kane_dynamics.model.flexible.segment_chain import segmented
                robot, stiffness = segmented(robot, name, flexible.segments, flexible.rest,
                                             flexible.stations)
                hinge_stiffness.update(stiffness)
        if robot.floating_base and robot.base == robot.root:
            self._add_body('floating', self.frames[robot.root])
            self.frames[robot.root] = Frame(0, np.eye(3), ORIGIN)
        self._add_modes(robot.root)
        for joint in robot.joints:
            self._add_joint(joint)
            if joint.name in hinge_stiffness:
                self._add_spring(joint.name, hinge_stiffness[joint.name], joint.damping)
        for link in robot.links:
            self._add_mass(link)
        return Tree(bodies=tuple(self.bodies), frames=self.frames, nq=self.robot.nq,
                    nv=self.robot.nv, springs=tuple(self.springs),
                    joint_springs=tuple(self._joint_springs()),
                    link_springs=tuple(self._link_springs()))

    def _joint_springs(self) -> Iterator[CoordinateSpring]:
        """Yield the springs on joints that move; in a rigid copy some do not."""
        for spring in self.robot.springs:
            if not isinstance(spring, JointSpring):
                continue
            joint = self.robot.joint(spring.joint)
            terms, offset = [], 0.0
            if joint.kind != 'fixed':
                terms.append((joint.follows.joint, joint.follows.multiplier))
                offset = joint.follows.offset
            if joint.name in self.robot.flexible_joints:
                terms.append((f'{joint.name}/deflection', 1.0))
            if terms:
                yield CoordinateSpring(tuple(
                    (self.speed[name] + self.q_shift, self.speed[name], ratio)
                    for name, ratio in terms), offset, spring)

    def _link_springs(self) -> Iterator[PointSpring]:
        """Yield the springs between links of different bodies."""
        for spring in self.robot.springs:
            if not isinstance(spring, LinkSpring):
                continue
            first, second = (self.frames[link] for link, _ in spring.ends)
            if first.body != second.body:
                (_, start), (_, end) = spring.ends
                yield PointSpring((first.body, second.body),
                                  (first.p + first.R @ start, second.p + second.R @ end), spring)

    def _add_body(self, kind: BodyKind, at: Frame, speed: int | None = None, ratio: float = 1.0,
                  offset: float = 0.0, station: int = -1) -> int:
        """Return the index of a new massless body whose joint frame is `at`.

        speed: the generalized speed of its joint; not for floating bodies and those without joint.
        """
        if kind == 'floating':
            q_index, u_index = 0, 0
        else:
            q_index, u_index = (-1, -1) if speed is None else (speed + self.q_shift, speed)
        m, h, S = NO_MASS
        self.bodies.append(Body(at.body, kind, q_index, u_index, at.R, at.p, m, h, S,
                                ratio=ratio, offset=offset, station=station))
        return len(self.bodies) - 1

    def _add_spring(self, name: str, stiffness: float, damping: float) -> None:
        speed = self.speed[name]
        self.springs.append(Spring(speed + self.q_shift, speed, stiffness, damping))

    def _add_joint(self, joint: Joint) -> None:
        parent = self._carrier(joint)
        at = Frame(parent.body, parent.R @ joint.rotation, parent.p + parent.R @ joint.position)
        elastic = self.robot.flexible_joints.get(joint.name)
        if joint.kind == 'fixed' and elastic is None:
            self.frames[joint.child] = at
        elif joint.kind == 'floating':
            self.frames[joint.child] = Frame(self._add_body('floating', at), np.eye(3), ORIGIN)
        else:
            R_JB = frame_with_z_on(joint.axis if elastic is None else np.array(elastic.axis))
            at = Frame(at.body, at.R @ R_JB, at.p)
            if joint.kind != 'fixed':
                at = Frame(self._add_moving(joint, at), np.eye(3), ORIGIN)
            body = at.body if elastic is None else self._add_deflection(elastic, at)
            self.frames[joint.child] = Frame(body, R_JB.T, ORIGIN)
        self._add_modes(joint.child)

    def _add_moving(self, joint: Joint, at: Frame) -> int:
        return self._add_body('prismatic' if joint.kind == 'prismatic' else 'revolute', at,
                              self.speed[joint.follows.joint], joint.follows.multiplier,
                              joint.follows.offset)

    def _add_deflection(self, elastic: FlexibleJoint, at: Frame) -> int:
        """Add the link side of a flexible joint; its motor, massless, is the parent."""
        name = f'{elastic.joint}/deflection'
        self._add_spring(name, elastic.stiffness, elastic.damping)
        return self._add_body(elastic.kind, at, self.speed[name])

    def _carrier(self, joint: Joint) -> Frame:
        """Return the frame of a joint's parent link, in the body that carries the joint."""
        frame = self.frames[joint.parent]
        flexible = self.robot.flexible_links.get(joint.parent)
        bent = None if frame.body < 0 else self.bodies[frame.body].flexible
        if flexible is None or bent is None or flexible.body is None:
            return frame
        attachment = flexible.attachment_of(joint.name)
        if attachment is None:                             # at the clamped root
            return frame
        if (frame.body, attachment) not in self.stations:
            self.stations[frame.body, attachment] = self._add_body(
                'station', Frame(frame.body, np.eye(3), ORIGIN), station=attachment)
        # undeformed, the station's axes are the link's body axes and its origin lies on the beam
        return Frame(self.stations[frame.body, attachment], frame.R,
                     frame.p - bent.attachments[attachment].position)

    def _add_modes(self, link: str) -> None:
        """Add the modes of a flexible link to its body; behind a fixed joint, to a new body."""
        flexible = self.robot.flexible_links.get(link)
        if flexible is None or flexible.body is None:
            return
        frame = self.frames[link]
        joint = self.robot.parent_joint(link)
        clamped = joint is None or (joint.kind == 'fixed'
                                    and joint.name not in self.robot.flexible_joints)
        if clamped:
            own = frame.body
            if frame.body < 0 or joint is not None:
                own = self._add_body('fixed', frame)
            frame = self.frames[link] = Frame(own, np.eye(3), ORIGIN)
        first = self.speed[f'{link}/{flexible.body.mode_names[0]}']
        self.bodies[frame.body] = replace(
            self.bodies[frame.body], flexible=flexible.body.rotated(frame.R, frame.p),
            modes_q=first + self.q_shift, modes_u=first)
        for mode, k, d in zip(flexible.body.mode_names, flexible.body.stiffness,
                              flexible.body.damping):
            self._add_spring(f'{link}/{mode}', float(k), float(d))

    def _add_mass(self, link: Link) -> None:
        """Add a link's mass to its body; of a modal link, the part that is not beam."""
        frame = self.frames[link.name]
        flexible = self.robot.flexible_links.get(link.name)
        if flexible is not None and flexible.body is not None:
            mass = moved(*flexible.rest, frame.R, frame.p)
        elif link.inertial is not None:
            mass = moved(*moments(link.inertial), frame.R, frame.p)
        else:
            return
        if frame.body >= 0:
            body = self.bodies[frame.body]
            m, h, S = added((body.m, body.h, body.S), mass)
            self.bodies[frame.body] = replace(body, m=m, h=h, S=S)


def frame_with_z_on(axis: FloatArray) -> FloatArray:
    """Return a rotation whose third column is `axis`, exact for the coordinate axes."""
    nearest = int(np.argmax(np.abs(axis)))
    if np.count_nonzero(np.abs(axis) >= ROUND_OFF) == 1:    # more: a tilt that changes torques
        z = np.eye(3)[nearest] * np.sign(axis[nearest])
        x = np.eye(3)[(nearest + 1) % 3]
    else:
        z = axis / np.linalg.norm(axis)
        x = np.eye(3)[int(np.argmin(np.abs(z)))]
        x = x - (x @ z) * z
        x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z]) + 0.0
