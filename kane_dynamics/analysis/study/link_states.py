# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Poses, velocities and accelerations of all links of a rigid arm, for many samples at once.

The recursions of Vukobratovic and Potkonjak (1982, 2.3.14-17) over arrays of samples: for a
picture or a single analysis they take less time than compiling a program.
"""

from __future__ import annotations

from typing import NamedTuple, TYPE_CHECKING, TypeAlias

import numpy as np

from kane_dynamics.numerics.array_types import ArrayLike, FloatArray, IntArray
from kane_dynamics.numerics.rotations import turned

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot
    from kane_dynamics.model.structure.links_and_joints import Joint
    from kane_dynamics.trajectory.motion import Motion


class LinkStates(NamedTuple):
    """A link at N samples, world axes: R (N, 3, 3); the others (N, 3), p, v, a of its origin."""

    R: FloatArray
    p: FloatArray        # [m]
    v: FloatArray        # [m/s]
    w: FloatArray        # [rad/s]
    alpha: FloatArray    # [rad/s^2]
    a: FloatArray        # [m/s^2]

    def at_speed(self, factor: float) -> LinkStates:
        """Return the states of the same motion run `factor` times as fast, q(factor t)."""
        return LinkStates(self.R, self.p, factor * self.v, factor * self.w,
                          factor**2 * self.alpha, factor**2 * self.a)

    def rows(self, chosen: IntArray | slice) -> LinkStates:
        """Return the states of some samples."""
        return LinkStates(*(each[chosen] for each in self))

    def acceleration(self, point: FloatArray) -> FloatArray:
        """Return that of a point (3,) of the link frame: (N, 3) [m/s^2], world axes."""
        r = self.R @ point
        return self.a + np.cross(self.alpha, r) + np.cross(self.w, np.cross(self.w, r))


Pose: TypeAlias = tuple[FloatArray, FloatArray]


def link_poses(robot: Robot, q: ArrayLike) -> dict[str, Pose]:
    """Return {link: (R (N, 3, 3), p (N, 3) [m])} in the world, for q (N, n_joints)."""
    q = np.asarray(q, dtype=np.float64)
    poses = {robot.root: _root(robot, len(q))}
    for joint in robot.joints:
        R, p = poses[joint.parent]
        p, R = p + R @ joint.position, R @ joint.rotation
        value = _value(robot, joint, q, offset=True)
        if value is not None:
            if joint.kind == 'prismatic':
                p = p + value[:, None] * (R @ joint.axis)
            else:
                R = R @ turned(joint.axis, value)
        poses[joint.child] = (R, p)
    return poses


def link_states(robot: Robot, motion: Motion) -> dict[str, LinkStates]:
    """Return {link: LinkStates} of a Motion of the joints; the base is at rest."""
    poses = link_poses(robot, motion.q)
    zero = np.zeros((len(motion.q), 3))
    states = {robot.root: LinkStates(*poses[robot.root], zero, zero, zero, zero)}
    for joint in robot.joints:
        R, p = poses[joint.child]
        before = states[joint.parent]
        w, alpha = before.w, before.alpha
        r = p - before.p
        v = before.v + np.cross(w, r)
        a = before.a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
        rate, second = (_value(robot, joint, rows) for rows in (motion.qd, motion.qdd))
        if rate is not None and second is not None:
            e = R @ joint.axis
            velocity, acceleration = rate[:, None] * e, second[:, None] * e
            if joint.kind == 'prismatic':
                v = v + velocity
                a = a + acceleration + 2.0 * np.cross(w, velocity)
            else:
                alpha = alpha + acceleration + np.cross(w, velocity)
                w = w + velocity
        states[joint.child] = LinkStates(R, p, v, w, alpha, a)
    return states


def energies(robot: Robot, motion: Motion, states: dict[str, LinkStates]) -> FloatArray:
    """Return kinetic and potential energy (N, 2) [J] of a Motion, rotors included.

    states: `link_states` of the motion. The potential is that of all links, also those at rest.
    """
    found = np.zeros((len(motion.q), 2))
    for link in robot.links:
        if link.inertial is None:
            continue
        state, (mass, J) = states[link.name], (link.inertial.mass, link.inertial.inertia)
        c = state.R @ link.inertial.com
        v = state.v + np.cross(state.w, c)
        w = np.einsum('nji,nj->ni', state.R, state.w)
        found[:, 0] += 0.5 * mass * (v * v).sum(axis=1) + 0.5 * (w * (w @ J)).sum(axis=1)
        found[:, 1] -= mass * ((state.p + c) @ robot.gravity)
    for joint in robot.moving_joints:
        rate = _value(robot, joint, motion.qd)
        if rate is not None:
            found[:, 0] += 0.5 * joint.armature * rate**2
    return found


def _root(robot: Robot, count: int) -> Pose:
    return (np.broadcast_to(robot.base_rotation, (count, 3, 3)),
            np.broadcast_to(robot.base_position, (count, 3)))


def _value(robot: Robot, joint: Joint, rows: FloatArray,
           offset: bool = False) -> FloatArray | None:
    """Return a joint's column (N,) of rows of all joints; None where it does not move."""
    leader, ratio, shift = joint.name, 1.0, 0.0
    if joint.mimic is not None:
        leader, ratio, shift = joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset
    if leader not in robot.joint_names:
        return None
    return ratio * rows[:, robot.joint_index(leader)] + (shift if offset else 0.0)
