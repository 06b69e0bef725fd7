# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Trees of links and joints: names, order, and walks from link to link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property

from kane_dynamics.exceptions import InputError
from kane_dynamics.io.text import known, show
from kane_dynamics.model.structure.links_and_joints import Joint, Link
from kane_dynamics.model.structure.topology import MOVING_KINDS

# Usual names of the frame at which a tool is mounted or acts.
TOOL_FRAMES = ('*tool0', '*tcp*', 'ee_link', '*_ee_link', '*tool_frame', '*tool_link',
               '*end_effector*', '*_eef', '*flange*')


@dataclass(frozen=True, eq=False)
class LinkTree:
    """Links and joints of a robot, in tree order: depth first from the root."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...] = ()

    # ---- names and sizes ------------------------------------------------------------------

    @property
    def root(self) -> str:
        """Return the name of the link that has no parent."""
        return self.links[0].name

    @cached_property
    def base(self) -> str:
        """
        Return the link whose pose is the seven base coordinates: the floating joint's child.

        Without a floating joint in the file it is the root.
        """
        floating = (joint.child for joint in self.joints if joint.kind == 'floating')
        return next(floating, self.root)

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
    def total_mass(self) -> float:
        """Return the mass of all links [kg], also of those at rest."""
        return sum(link.inertial.mass for link in self.links if link.inertial is not None)

    # ---- lookups --------------------------------------------------------------------------

    def link(self, name: str) -> Link:
        """Return the link of this name, or raise an error that lists the names."""
        return self.links[self._find(self._link_index, 'link', name)]

    def joint(self, name: str) -> Joint:
        """Return the joint of this name, of any kind, or raise an error that lists the names."""
        return self.joints[self._find(self._joint_index, 'joint', name)]

    def joint_index(self, name: str) -> int:
        """Return the index of an independent joint, 0 ... n_joints - 1."""
        return self._find(self._coordinate_index, 'independent joint', name)

    def parent_joint(self, link: str) -> Joint | None:
        """Return the joint whose child is this link; None for the root."""
        index = self._find(self._link_index, 'link', link)
        return self.joints[index - 1] if index else None

    def child_joints(self, link: str) -> tuple[Joint, ...]:
        """Return the joints whose parent is this link, in order."""
        self._find(self._link_index, 'link', link)
        return tuple(joint for joint in self.joints if joint.parent == link)

    def children(self, link: str) -> tuple[str, ...]:
        """Return the names of the links that joints connect to this one, away from the root."""
        return tuple(joint.child for joint in self.child_joints(link))

    def chain(self, link: str) -> tuple[Joint, ...]:
        """Return the joints from the root to this link, in that order; empty for the root."""
        found: list[Joint] = []
        joint = self.parent_joint(link)
        while joint is not None:
            found.append(joint)
            joint = self.parent_joint(joint.parent)
        return tuple(reversed(found))

    def leaves(self) -> tuple[str, ...]:
        """Return the names of the links without children."""
        parents = {joint.parent for joint in self.joints}
        return tuple(name for name in self.link_names if name not in parents)

    def tip(self) -> str:
        """
        Return the default tool frame.

        It is the frame with a usual name (TOOL_FRAMES, in this order) that has at least half as
        many moving joints in its chain as the longest one. Where none has, it is the leaf with
        most moving joints in its chain, or the palm where that leaf is a finger. Mimic joints and
        the joints that they follow are those of grippers and do not count. Of several it is the
        one with most moving joints, massless if possible, and the last of these.
        """
        gripper = {name for joint in self.joints if joint.mimic is not None
                   for name in (joint.name, joint.mimic.joint)}
        depth = {self.root: 0}
        for joint in self.joints:
            moves = joint.kind != 'fixed' and joint.name not in gripper
            depth[joint.child] = depth[joint.parent] + moves
        massive = {link.name for link in self.links
                   if link.inertial is not None and link.inertial.mass > 0.0}

        def rank(name: str) -> tuple[int, bool]:
            return depth[name], name not in massive

        far = [name for name in reversed(self.link_names)
               if 2 * depth[name] >= max(depth.values()) and depth[name]]
        for pattern in TOOL_FRAMES:
            named = [name for name in far if fnmatch(name.lower(), pattern)]
            if named:
                return max(named, key=rank)
        tip = max(reversed(self.leaves()), key=rank)
        finger = next((k for k, joint in enumerate(self.chain(tip)) if joint.name in gripper),
                      None)
        return tip if finger is None else self.chain(tip)[finger].parent

    # ---- inside ---------------------------------------------------------------------------

    @cached_property
    def _link_index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.link_names)}

    @cached_property
    def _joint_index(self) -> dict[str, int]:
        return {joint.name: i for i, joint in enumerate(self.joints)}

    @cached_property
    def _coordinate_index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.joint_names)}

    def _find(self, index: Mapping[str, int], kind: str, name: str) -> int:
        try:
            return index[name]
        except (KeyError, TypeError):
            raise InputError(f'robot {self.name!r} has no {kind} {show(name)}; '
                             f'{kind}s: {known(index)}') from None
