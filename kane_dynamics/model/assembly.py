# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""From a robot to its tree: fixed links merged, z on every joint axis, flexible links opened up.

Coordinates are q = [floating base, joints, elastic coordinates]. Elastic are the modes of a
flexible link, the hinges of a segmented one, and the deflection of a flexible joint, which adds to
the angle of its motor: the joint's own coordinate is the motor's, the link is at q + deflection.
"""

from __future__ import annotations

import numpy as np

from kane_dynamics.model.tree import Body, Frame, moments, moved, Spring, Tree

NOWHERE = np.zeros(3)
NO_MASS = (0.0, np.zeros(3), np.zeros((3, 3)))


def elastic_names(robot):
    """Return the names of the elastic coordinates, in the order they follow the joints."""
    names = []
    for link, flexible in robot.flexible_links.items():
        if flexible.segments is None:
            names += [f'{link}/{mode}' for mode in flexible.body.mode_names]
        else:
            names += [f'{link}/{k}/{family}'
                      for k, spring in enumerate(flexible.segments.springs, start=1)
                      for family in spring.stiffness]
    return tuple(names + [f'{joint}/deflection' for joint in robot.flexible_joints])


def tree_of(robot):
    """Return the tree of bodies of a robot."""
    return _Assembly(robot).tree()


class _Assembly:
    """Walk the joints from the root and lay down bodies."""

    def __init__(self, robot):
        self.robot = robot
        joints, elastic = robot.joint_names, elastic_names(robot)
        first = 6 if robot.floating_base else 0
        self.speed = {name: first + k for k, name in enumerate((*joints, *elastic))}
        self.q_shift = robot.nq - robot.nv                 # q index minus u index behind the base
        self.bodies, self.moments, self.springs = [], [], []
        self.stations = {}                                 # (flexible body, attachment) -> body
        # link -> (body, R_BL, p_BL); body -1 is the world, in which the root is placed
        self.placed = {robot.root: (-1, robot.base_rotation, robot.base_position)}

    def tree(self):
        """Return the finished tree."""
        robot, hinge_stiffness = self.robot, {}
        for name, flexible in robot.flexible_links.items():
            if flexible.segments is not None:
                # here: a rigid arm should not wait for beams
                from kane_dynamics.model.segments import segmented
                robot, stiffness = segmented(robot, name, flexible.segments, flexible.rest,
                                             flexible.stations)
                hinge_stiffness.update(stiffness)
        if robot.floating_base and robot.base == robot.root:
            self._add_floating(-1, *self.placed[robot.root][1:])
            self.placed[robot.root] = (0, np.eye(3), NOWHERE)
        self._open_up(robot.root)
        for joint in robot.joints:
            self._add_joint(joint)
            if joint.name in hinge_stiffness:
                self._add_spring(joint.name, hinge_stiffness[joint.name], joint.damping)
        for link in robot.links:
            self._add_mass(link)
        return Tree(
            bodies=tuple(Body(m=m, h=h, S=S, **body)
                         for body, (m, h, S) in zip(self.bodies, self.moments)),
            frames={name: Frame(*place) for name, place in self.placed.items()},
            nq=self.robot.nq, nv=self.robot.nv, springs=tuple(self.springs))

    def _add_body(self, **fields):
        self.bodies.append(fields)
        self.moments.append(NO_MASS)
        return len(self.bodies) - 1

    def _add_floating(self, parent, R, p):
        return self._add_body(parent=parent, kind='floating', q_index=0, u_index=0, C=R, p=p)

    def _add_spring(self, name, stiffness, damping):
        speed = self.speed[name]
        self.springs.append(Spring(speed + self.q_shift, speed, stiffness, damping))

    def _add_joint(self, joint):
        parent, R_BL, p_BL = self._carrier(joint)
        R_BJ, p_BJ = R_BL @ joint.rotation, p_BL + R_BL @ joint.position
        if joint.kind == 'fixed':
            self.placed[joint.child] = (parent, R_BJ, p_BJ)
        elif joint.kind == 'floating':
            self.placed[joint.child] = (self._add_floating(parent, R_BJ, p_BJ),
                                        np.eye(3), NOWHERE)
        else:
            R_JB = frame_with_z_on(joint.axis)
            body = self._add_moving(joint, parent, R_BJ @ R_JB, p_BJ)
            self.placed[joint.child] = (body, R_JB.T, NOWHERE)
        self._open_up(joint.child)

    def _add_moving(self, joint, parent, C, p):
        leader, ratio, offset = joint.name, 1.0, 0.0
        if joint.mimic is not None:
            leader, ratio, offset = (joint.mimic.joint, joint.mimic.multiplier,
                                     joint.mimic.offset)
        kind = 'prismatic' if joint.kind == 'prismatic' else 'revolute'
        speed = self.speed[leader]
        body = self._add_body(parent=parent, kind=kind, q_index=speed + self.q_shift,
                              u_index=speed, C=C, p=p, ratio=ratio, offset=offset)
        elastic = self.robot.flexible_joints.get(joint.name)
        if elastic is not None:                            # the motor, massless, then the link
            name = f'{joint.name}/deflection'
            speed = self.speed[name]
            body = self._add_body(parent=body, kind=kind, q_index=speed + self.q_shift,
                                  u_index=speed, C=np.eye(3), p=NOWHERE)
            self._add_spring(name, elastic.stiffness, elastic.damping)
        return body

    def _carrier(self, joint):
        """Return the body that a joint hangs on, with its link's frame there."""
        body, R_BL, p_BL = self.placed[joint.parent]
        flexible = self.robot.flexible_links.get(joint.parent)
        if flexible is None or flexible.body is None:
            return body, R_BL, p_BL
        attachment = flexible.attachment_of(joint.name)
        if attachment is None:                             # at the clamped root
            return body, R_BL, p_BL
        if (body, attachment) not in self.stations:
            self.stations[body, attachment] = self._add_body(
                parent=body, kind='station', q_index=-1, u_index=-1, C=np.eye(3), p=NOWHERE,
                station=attachment)
        # undeformed, the station's axes are the link's body axes and its origin lies on the beam
        place = self.bodies[body]['flexible'].attachments[attachment].position
        return self.stations[body, attachment], R_BL, p_BL - place

    def _open_up(self, link):
        """Give the body of a flexible link its modes, and behind a fixed joint a body first."""
        flexible = self.robot.flexible_links.get(link)
        if flexible is None or flexible.body is None:
            return
        body, R_BL, p_BL = self.placed[link]
        joint = self.robot.parent_joint(link)
        if joint is None or joint.kind == 'fixed':
            if body < 0 or joint is not None:
                body = self._add_body(parent=body, kind='fixed', q_index=-1, u_index=-1,
                                      C=R_BL, p=p_BL)
            R_BL, p_BL = np.eye(3), NOWHERE
            self.placed[link] = (body, R_BL, p_BL)
        first = self.speed[f'{link}/{flexible.body.mode_names[0]}']
        self.bodies[body].update(flexible=flexible.body.rotated(R_BL, p_BL),
                                 modes_q=first + self.q_shift, modes_u=first)
        for mode, k, d in zip(flexible.body.mode_names, flexible.body.stiffness,
                              flexible.body.damping):
            self._add_spring(f'{link}/{mode}', float(k), float(d))

    def _add_mass(self, link):
        """Add a link's mass to its body: of a modal link only what is not beam."""
        body, R, p = self.placed[link.name]
        flexible = self.robot.flexible_links.get(link.name)
        if flexible is not None and flexible.body is not None:
            mass = flexible.rest
        elif link.inertial is not None:
            mass = moments(link.inertial)
        else:
            return
        if body >= 0:
            self.moments[body] = tuple(a + b for a, b in
                                       zip(self.moments[body], moved(*mass, R, p)))


def frame_with_z_on(axis):
    """Return a rotation whose third column is `axis`, exact for the coordinate axes."""
    nearest = int(np.argmax(np.abs(axis)))
    if abs(axis[nearest]) == 1.0:
        z = np.eye(3)[nearest] * axis[nearest]
        x = np.eye(3)[(nearest + 1) % 3]
    else:
        z = axis / np.linalg.norm(axis)
        x = np.eye(3)[int(np.argmin(np.abs(z)))]
        x = x - (x @ z) * z
        x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z]) + 0.0
