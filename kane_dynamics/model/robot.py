# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What the arm is: links and joints as the URDF names them, frozen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.model.parts import (  # noqa: F401  the public place of these names
    checked_name, frozen, frozen_rotation, Inertial, Joint, LimitArrays, Limits, Link, Mimic,
    Visual)
from kane_dynamics.model.topology import (  # noqa: F401
    floating_joint, JOINT_KINDS, known, MOVING_KINDS, resolve_mimics, tree_order)


@dataclass(frozen=True, eq=False)
class Robot:
    """
    A tree of links and joints in a gravity field; changed copies come from the with_... methods.

    q = [joints] and u = dq/dt for a fixed base. With a floating base
    q = [x y z, qx qy qz qw, joints] and u = [v, w, joint rates], v and w in the axes of the base.

    links and joints are put in tree order: depth first from the root, children in the order
    given. joints holds all of them: fixed, mimic (resolved to an independent leader) and, where
    the file has one, the floating joint.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...] = ()
    gravity: np.ndarray = (0.0, 0.0, -9.81)  # (3,) in the world's axes [m/s^2]
    floating_base: bool = False
    base_rotation: np.ndarray = None  # (3, 3) R_NB, the root link in the world; the identity
    base_position: np.ndarray = None  # (3,) p_NB [m]; zero
    extensions: tuple = ()  # <flexible_link> and <flexible_joint> elements, not yet read
    source: str = ''        # the file it came from, for messages

    def __post_init__(self):
        checked_name(self.name, 'robot')
        links, joints = tree_order(self.links, self.joints)
        joints = resolve_mimics(joints)
        set_ = object.__setattr__
        set_(self, 'links', links)
        set_(self, 'joints', joints)
        set_(self, 'gravity', frozen(self.gravity, (3,), 'gravity', error=InputError))
        set_(self, 'extensions', tuple(self.extensions))
        floats = floating_joint(links, joints) is not None
        set_(self, 'floating_base', bool(self.floating_base) or floats)
        rotation = np.eye(3) if self.base_rotation is None else self.base_rotation
        position = np.zeros(3) if self.base_position is None else self.base_position
        set_(self, 'base_rotation', frozen_rotation(rotation, 'base_rotation', InputError))
        set_(self, 'base_position',
             frozen(position, (3,), 'base_position', error=InputError))

    # ---- names and sizes ------------------------------------------------------------------

    @property
    def root(self) -> str:
        """Return the name of the link that has no parent."""
        return self.links[0].name

    @cached_property
    def base(self) -> str:
        """
        Return the link that the seven base coordinates place: the floating joint's child.

        Without a floating joint in the file it is the root.
        """
        joint = floating_joint(self.links, self.joints)
        return self.root if joint is None else joint.child

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        """Return the names of all links in tree order; each is also a frame."""
        return tuple(link.name for link in self.links)

    @cached_property
    def moving_joints(self) -> tuple[Joint, ...]:
        """Return the revolute, continuous and prismatic joints, mimics included."""
        return tuple(joint for joint in self.joints if joint.kind in MOVING_KINDS)

    @cached_property
    def mimic_joints(self) -> tuple[Joint, ...]:
        """Return the joints that follow another one."""
        return tuple(joint for joint in self.joints if joint.mimic is not None)

    @cached_property
    def independent_joints(self) -> tuple[Joint, ...]:
        """Return the joints that have a coordinate of their own, in q order."""
        return tuple(joint for joint in self.moving_joints if joint.mimic is None)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Return the names of the independent joints in q order."""
        return tuple(joint.name for joint in self.independent_joints)

    @property
    def n_joints(self) -> int:
        """Return the number of independent joints."""
        return len(self.joint_names)

    @property
    def n_modes(self) -> int:
        """Return the number of elastic coordinates."""
        return len(self.mode_names)

    @cached_property
    def flexible_links(self) -> dict:
        """Return {link name: FlexibleLink} of the <flexible_link> elements, in tree order."""
        if not self.extensions:
            return {}
        from kane_dynamics.model.flexible import read_flexible_links
        return read_flexible_links(self)

    @cached_property
    def flexible_joints(self) -> dict:
        """Return {joint name: FlexibleJoint} of the <flexible_joint> elements, in q order."""
        if not self.extensions:
            return {}
        from kane_dynamics.model.flexible_joint import read_flexible_joints
        return read_flexible_joints(self)

    @cached_property
    def mode_names(self) -> tuple[str, ...]:
        """Return the names of the elastic coordinates, which follow the joints in q."""
        if not self.extensions:
            return ()
        from kane_dynamics.model.assembly import elastic_names
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
    def total_mass(self) -> float:
        """Return the mass of all links [kg], those at rest included."""
        return sum(link.inertial.mass for link in self.links if link.inertial is not None)

    # ---- lookups --------------------------------------------------------------------------

    def link(self, name) -> Link:
        """Return the link of this name, or raise with the names there are."""
        return self.links[self._find(self._link_index, 'link', name)]

    def joint(self, name) -> Joint:
        """Return the joint of this name, fixed ones too, or raise with the names there are."""
        return self.joints[self._find(self._joint_index, 'joint', name)]

    def joint_index(self, name) -> int:
        """Return the place of an independent joint among the joints, 0 ... n_joints - 1."""
        return self._find(self._coordinate_index, 'independent joint', name)

    def parent_joint(self, link) -> Joint | None:
        """Return the joint whose child is this link; None for the root."""
        index = self._find(self._link_index, 'link', link)
        return self.joints[index - 1] if index else None

    def child_joints(self, link) -> tuple[Joint, ...]:
        """Return the joints that leave this link, in order."""
        self._find(self._link_index, 'link', link)
        return tuple(joint for joint in self.joints if joint.parent == link)

    def leaves(self) -> tuple[str, ...]:
        """Return the names of the links without children."""
        parents = {joint.parent for joint in self.joints}
        return tuple(name for name in self.link_names if name not in parents)

    def tip(self) -> str:
        """Return the end that most moving joints carry: of several a massless frame, the last."""
        depth = {self.root: 0}
        for joint in self.joints:
            depth[joint.child] = depth[joint.parent] + (joint.kind != 'fixed')
        weighs = {link.name: link.inertial is not None and link.inertial.mass > 0.0
                  for link in self.links}
        return max(reversed(self.leaves()), key=lambda name: (depth[name], not weighs[name]))

    @cached_property
    def limits(self) -> LimitArrays:
        """Return lower, upper, velocity, effort, each (n_joints,), infinite where not given."""
        rows = [joint.limits for joint in self.independent_joints]
        return LimitArrays(*(
            frozen([getattr(row, field) for row in rows], (len(rows),), field, finite=False)
            for field in LimitArrays._fields))

    def neutral(self) -> np.ndarray:
        """Return q (nq,) with every joint at zero and the base at the origin, unturned."""
        q = np.zeros(self.nq)
        if self.floating_base:
            q[6] = 1.0
        return q

    # ---- changed copies -------------------------------------------------------------------

    def with_gravity(self, gravity) -> Robot:
        """Return this robot under another gravity (3,) [m/s^2], in the world's axes."""
        return replace(self, gravity=gravity)

    def with_base(self, rotation=None, position=None) -> Robot:
        """Return this robot with its root placed in the world: R_NB (3, 3) and p_NB (3,) [m]."""
        return replace(
            self,
            base_rotation=self.base_rotation if rotation is None else rotation,
            base_position=self.base_position if position is None else position)

    def rigid(self) -> Robot:
        """Return this robot with rigid links and joints: what other tools read in the file."""
        return replace(self, extensions=()) if self.extensions else self

    def with_inertial(self, link, inertial) -> Robot:
        """Return this robot with the Inertial (or None: massless) of one link replaced."""
        if inertial is not None and not isinstance(inertial, Inertial):
            raise InputError(
                f'link {link!r}: expected an Inertial or None, got {type(inertial).__name__}')
        index = self._find(self._link_index, 'link', link)
        changed = replace(self.links[index], inertial=inertial)
        return replace(self, links=self.links[:index] + (changed,) + self.links[index + 1:])

    def with_payload(self, mass, com, inertia=None, link=None, name='payload') -> Robot:
        """
        Return this robot holding a load: a new link fixed to `link`, all old names kept.

        mass [kg], com (3,) [m] and inertia (3, 3) [kg m^2] about the load's mass centre are in
        the frame of `link`; without inertia the load is a point. A flexible link bends under it:
        it rides at the station of the beam nearest to its mass centre. `link` may be left out
        when the tree has one end only; with several, which one holds it would be a guess.
        """
        if link is None:
            ends = self.leaves()
            if len(ends) > 1:
                raise InputError(f'payload: the robot has {len(ends)} ends {known(ends)}; '
                                 'say which one holds it with link=...')
            link = ends[0]
        self._find(self._link_index, 'link', link)
        taken = set(self.link_names) | {joint.name for joint in self.joints}
        free, number = name, 1
        while free in taken or f'{free}_joint' in taken:
            number += 1
            free = f'{name}_{number}'
        inertia = np.zeros((3, 3)) if inertia is None else inertia
        com = frozen(com, (3,), 'mass centre')
        # on a flexible link it rides where its mass centre is, not at the clamped root
        place = com if link in self.flexible_links else np.zeros(3)
        load = Link(free, Inertial(mass, com - place, inertia))
        joint = Joint(f'{free}_joint', 'fixed', link, free, position=place)
        return replace(self, links=self.links + (load,), joints=self.joints + (joint,))

    def to_urdf(self) -> str:
        """Return the robot as URDF text; gravity and the base placement have no place in it."""
        from kane_dynamics.model.urdf_writer import write_urdf
        return write_urdf(self)

    # ---- inside ---------------------------------------------------------------------------

    @cached_property
    def _link_index(self):
        return {name: i for i, name in enumerate(self.link_names)}

    @cached_property
    def _joint_index(self):
        return {joint.name: i for i, joint in enumerate(self.joints)}

    @cached_property
    def _coordinate_index(self):
        return {name: i for i, name in enumerate(self.joint_names)}

    def _find(self, index, kind, name):
        try:
            return index[name]
        except (KeyError, TypeError):
            raise InputError(f'robot {self.name!r} has no {kind} {name!r}; '
                             f'{kind}s: {known(index)}') from None
