# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Robots: immutable trees of links and joints, with the names of the URDF."""

from __future__ import annotations

from dataclasses import dataclass, field, InitVar, replace
from functools import cached_property
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import checked_name, known
from kane_dynamics.model.structure.link_tree import LinkTree
from kane_dynamics.model.structure.links_and_joints import (
    Inertial, Joint, LimitArrays, Limits, Link, MAX_LENGTH)
from kane_dynamics.model.structure.mimic import narrowed, Reflected, reflected
from kane_dynamics.model.structure.springs import AttachedSpring
from kane_dynamics.model.structure.topology import (
    Fail, floating_joint, refuse, resolve_mimics, tree_order)
from kane_dynamics.model.structure.tree import Tree
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.numerics.validation import frozen, frozen_rotation

if TYPE_CHECKING:
    from kane_dynamics.model.flexible.flexible_joint import FlexibleJoint
    from kane_dynamics.model.flexible.flexible_link import FlexibleLink

MAX_BASE_POSITION = 1e7    # [m] of the base in the world, whose origin may be the Earth's centre


@dataclass(frozen=True, eq=False)
class Robot(LinkTree):
    """
    A tree of links and joints in a gravity field; the with_... methods return changed copies.

    q = [joints] and u = dq/dt for a fixed base. With a floating base
    q = [x y z, qx qy qz qw, joints] and u = [v, w, joint rates], v and w in the axes of the base.

    links and joints are sorted in tree order: depth first from the root, children in the order
    given. joints has all of them: fixed, mimic (resolved to an independent leader) and, where the
    file has one, the floating joint. fail: the function that refuses links and joints which are
    not one tree; a file reader gives one that adds the line.
    """

    # (3,) in the world's axes [m/s^2]
    gravity: FloatArray = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    floating_base: bool = False
    # (3, 3) R_NB and (3,) p_NB [m] of the root link in the world
    base_rotation: FloatArray = field(default_factory=lambda: np.eye(3))
    base_position: FloatArray = field(default_factory=lambda: np.zeros(3))
    extensions: tuple[Element, ...] = ()  # <flexible_link> and <flexible_joint>, not yet read
    springs: tuple[AttachedSpring, ...] = ()    # on joints and between links
    source: str = ''        # the file it was read from, for messages
    folder: str = ''        # of that file, for its meshes
    shaped_by: Robot | None = None        # see with_shapes_of
    fail: InitVar[Fail | None] = None

    def __post_init__(self, fail: Fail | None) -> None:
        fail = fail or refuse
        checked_name(self.name, 'robot')
        links, joints = tree_order(self.links, self.joints, fail)
        joints = resolve_mimics(joints, fail)
        set_ = object.__setattr__
        set_(self, 'links', links)
        set_(self, 'joints', joints)
        set_(self, 'gravity', gravity_vector(self.gravity))
        set_(self, 'extensions', tuple(self.extensions))
        set_(self, 'springs', tuple(self.springs))
        floats = floating_joint(links, joints, fail) is not None
        set_(self, 'floating_base', bool(self.floating_base) or floats)
        set_(self, 'base_rotation', _base_rotation(self.base_rotation))
        set_(self, 'base_position', _base_position(self.base_position))

    def __repr__(self) -> str:
        floating = ', floating base' if self.floating_base else ''
        return (f'Robot({self.name!r}, {self.n_joints} joints, {len(self.links)} links, '
                f'{self.total_mass:.4g} kg{floating})')

    # ---- names and sizes ------------------------------------------------------------------

    @property
    def n_modes(self) -> int:
        """Return the number of elastic coordinates."""
        return len(self.mode_names)

    @cached_property
    def flexible_links(self) -> dict[str, FlexibleLink]:
        """Return {link name: FlexibleLink} of the <flexible_link> elements, in tree order."""
        if not self.extensions:
            return {}
        from kane_dynamics.model.flexible.flexible_link import read_flexible_links
        return read_flexible_links(self)

    @cached_property
    def flexible_joints(self) -> dict[str, FlexibleJoint]:
        """Return {joint name: FlexibleJoint} of the <flexible_joint> elements, in q order."""
        if not self.extensions:
            return {}
        from kane_dynamics.model.flexible.flexible_joint import read_flexible_joints
        return read_flexible_joints(self)

    @cached_property
    def mode_names(self) -> tuple[str, ...]:
        """Return the names of the elastic coordinates, which follow the joints in q."""
        if not self.extensions:
            return ()
        from kane_dynamics.model.tree_of_robot import elastic_names
        return elastic_names(self)

    @property
    def nq(self) -> int:
        """Return the length of q."""
        return (7 if self.floating_base else 0) + self.n_joints + self.n_modes

    @property
    def nv(self) -> int:
        """Return the length of u, ud and tau."""
        return (6 if self.floating_base else 0) + self.n_joints + self.n_modes

    @property
    def joints_q(self) -> slice:
        """Return the slice of the independent joints in q."""
        return slice(self.nq - self.n_modes - self.n_joints, self.nq - self.n_modes)

    @property
    def joints_v(self) -> slice:
        """Return the slice of the independent joints in u, ud and tau."""
        return slice(self.nv - self.n_modes - self.n_joints, self.nv - self.n_modes)

    @property
    def modes_q(self) -> slice:
        """Return the slice of the elastic coordinates in q."""
        return slice(self.nq - self.n_modes, self.nq)

    @property
    def modes_v(self) -> slice:
        """Return the slice of the elastic speeds in u, ud and tau."""
        return slice(self.nv - self.n_modes, self.nv)

    @cached_property
    def tree(self) -> Tree:
        """Return the tree of moving bodies, as Kane's equations see the arm."""
        from kane_dynamics.model.tree_of_robot import tree_of
        return tree_of(self)

    # ---- lookups --------------------------------------------------------------------------

    def rigidly_fixed_to(self, link: str) -> tuple[str, ...]:
        """Return the links whose pose relative to this one is constant, itself too, in tree order.

        They are connected by fixed joints without springs. A flexible link counts by its frame,
        the clamped root: joints further along its beam are not fixed to it.
        """
        leader = {self.root: self.root}     # the link nearest to the root of each rigid group
        for joint in self.joints:
            beam = self.flexible_links.get(joint.parent)
            rigid = (joint.kind == 'fixed' and joint.name not in self.flexible_joints
                     and (beam is None or beam.holds_rigidly(joint.name)))
            leader[joint.child] = leader[joint.parent] if rigid else joint.child
        own = leader[self.link(link).name]
        return tuple(name for name in self.link_names if leader[name] == own)

    @cached_property
    def limits(self) -> LimitArrays:
        """Return the LimitArrays, each (n_joints,), infinite where not given.

        Within them mimic joints keep the limits of their own motion, too.
        """
        rows = [limits for limits, _ in self._narrowed.values()]
        return LimitArrays(*(
            frozen([getattr(row, field) for row in rows], (len(rows),), field, finite=False)
            for field in LimitArrays._fields))

    @property
    def limit_conflicts(self) -> tuple[str, ...]:
        """Return a sentence for each mimic joint whose limits contradict those of its leader."""
        return tuple(each for _, conflicts in self._narrowed.values() for each in conflicts)

    def range_of(self, name: str) -> tuple[float, float]:
        """Return lower and upper position of a moving joint [rad or m], a mimic one too."""
        joint = self.joint(name)
        if joint.mimic is None:
            limits, _ = self._narrowed[joint.name]
            return limits.lower, limits.upper
        ratio, offset = joint.mimic.multiplier, joint.mimic.offset
        if ratio == 0.0:
            return offset, offset
        first, last = (ratio * bound + offset for bound in self.range_of(joint.mimic.joint))
        return min(first, last), max(first, last)

    @cached_property
    def reflected(self) -> Reflected:
        """Return damping, friction, armature, each (n_joints,), with those of mimic joints."""
        return reflected(self.joint_names, self.moving_joints)

    def neutral(self) -> FloatArray:
        """Return q (nq,) with every joint at zero and the base at the origin without rotation."""
        q = np.zeros(self.nq)
        if self.floating_base:
            q[6] = 1.0
        return q

    # ---- changed copies -------------------------------------------------------------------

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """Return this robot under another gravity (3,) [m/s^2], in the world's axes."""
        return replace(self, gravity=gravity_vector(gravity))

    def with_base(self, rotation: ArrayLike | None = None,
                  position: ArrayLike | None = None) -> Robot:
        """Return this robot with its root link at R_NB (3, 3) and p_NB (3,) [m] in the world N.

        Gravity, paths and surfaces are given in N; `frame_pose`, Jacobians, velocities, momentum
        and mass centre are relative to N and in its axes, wherever the root link is. With a
        floating base, q[:7] is the pose relative to R_NB, p_NB: the base link is at
        R_NB R(q[3:7]) and p_NB + R_NB q[:3]. `BaseMotion` moves the whole frame N.
        """
        return replace(
            self,
            base_rotation=self.base_rotation if rotation is None else _base_rotation(rotation),
            base_position=self.base_position if position is None else _base_position(position))

    def with_shapes_of(self, robot: Robot) -> Robot:
        """Return this robot with mode shapes made for the loads of another, of the same links.

        `tip_loaded` shapes and the damping of modes depend on what is outboard: with another
        payload, the same modal coordinates are other deflections. This keeps their meaning.
        """
        return replace(self, shaped_by=robot.shaped_by or robot) if self.extensions else self

    def rigid(self) -> Robot:
        """Return this robot with rigid links and joints, as other tools read the file."""
        return replace(self, extensions=()) if self.extensions else self

    def with_springs(self, *springs: AttachedSpring) -> Robot:
        """Return this robot with these springs instead of its own."""
        from kane_dynamics.model.spring_reader import check_spring
        changed = replace(self, springs=springs)
        for spring in springs:
            check_spring(changed, spring)
        return changed

    def with_inertial(self, link: str, inertial: Inertial | None) -> Robot:
        """Return this robot with the Inertial (or None: massless) of one link replaced."""
        if inertial is not None and not isinstance(inertial, Inertial):
            raise InputError(
                f'link {link!r}: expected an Inertial or None, got {type(inertial).__name__}')
        index = self._find(self._link_index, 'link', link)
        changed = replace(self.links[index], inertial=inertial)
        return replace(self, links=self.links[:index] + (changed,) + self.links[index + 1:])

    def with_payload(self, mass: float, com: ArrayLike | None = None,
                     inertia: ArrayLike | None = None, link: str | None = None,
                     name: str = 'payload') -> Robot:
        """
        Return this robot with a payload: a new link fixed to `link`; all other names stay.

        mass [kg], com (3,) [m] and inertia (3, 3) [kg m^2] about the payload's mass centre are in
        the frame of `link`; without inertia it is a point mass. On a flexible link it is attached
        to the beam at the station nearest to its mass centre. `link` is required when the tree
        has several leaves. Mode shapes of kind `tip_loaded` are made for the new load; see
        `with_shapes_of`.
        """
        if com is None:
            raise InputError('payload: com is missing, the mass centre (3,) [m] in the frame of '
                             'the link that holds it; (0, 0, 0) is the origin of that frame')
        if link is None:
            ends = self.leaves()
            if len(ends) > 1:
                raise InputError(f'payload: the robot has {len(ends)} ends {known(ends)}; '
                                 'choose one with link=...')
            link = ends[0]
        self._find(self._link_index, 'link', link)
        taken = set(self.link_names) | {joint.name for joint in self.joints}
        free, number = name, 1
        while free in taken or f'{free}_joint' in taken:
            number += 1
            free = f'{name}_{number}'
        tensor = frozen(np.zeros((3, 3)) if inertia is None else inertia, (3, 3), 'inertia')
        centre = frozen(com, (3,), 'mass centre', most=MAX_LENGTH, units=' m')
        # on a flexible link it is attached at its mass centre, not at the clamped root
        position = centre if link in self.flexible_links else np.zeros(3)
        load = Link(free, Inertial(mass, centre - position, tensor))
        joint = Joint(f'{free}_joint', 'fixed', link, free, position=position)
        return replace(self, links=self.links + (load,), joints=self.joints + (joint,))

    def to_urdf(self) -> str:
        """Return the robot as URDF text, which does not hold gravity and the pose of the base."""
        from kane_dynamics.model.urdf_writer import write_urdf
        return write_urdf(self)

    # ---- inside ---------------------------------------------------------------------------

    @cached_property
    def _narrowed(self) -> dict[str, tuple[Limits, tuple[str, ...]]]:
        return {leader.name: narrowed(leader, [joint for joint in self.mimic_joints
                                               if joint.follows.joint == leader.name])
                for leader in self.independent_joints}


def gravity_vector(values: ArrayLike) -> FloatArray:
    """Return gravity (3,) [m/s^2] as a read-only array, or raise an InputError."""
    return frozen(values, (3,), 'gravity', error=InputError)


def _base_rotation(values: ArrayLike) -> FloatArray:
    return frozen_rotation(values, 'base_rotation', InputError)


def _base_position(values: ArrayLike) -> FloatArray:
    return frozen(values, (3,), 'base_position', error=InputError, most=MAX_BASE_POSITION,
                  units=' m')
