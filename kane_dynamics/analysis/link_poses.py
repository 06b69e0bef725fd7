# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Where all links of a rigid arm are and how they move, for many samples, without compiling.

The recursions of Vukobratovic and Potkonjak (1982, 2.3.14-17) over arrays of samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.motion.rotation import turned


class LinkStates(NamedTuple):
    """A link at N samples, world axes: R (N, 3, 3); the others (N, 3), p, v, a of its origin."""

    R: np.ndarray
    p: np.ndarray        # [m]
    v: np.ndarray        # [m/s]
    w: np.ndarray        # [rad/s]
    alpha: np.ndarray    # [rad/s^2]
    a: np.ndarray        # [m/s^2]


def link_poses(robot, q):
    """Return {link: (R (N, 3, 3), p (N, 3) [m])} in the world, for q (N, n_joints)."""
    q = np.asarray(q, dtype=float)
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


def link_states(robot, motion):
    """Return {link: LinkStates} of a Motion of the joints; the base stands still."""
    poses = link_poses(robot, motion.q)
    still = np.zeros((len(motion.q), 3))
    states = {robot.root: LinkStates(*poses[robot.root], still, still, still, still)}
    for joint in robot.joints:
        R, p = poses[joint.child]
        before = states[joint.parent]
        w, alpha = before.w, before.alpha
        r = p - before.p
        v = before.v + np.cross(w, r)
        a = before.a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
        rate, second = (_value(robot, joint, rows) for rows in (motion.qd, motion.qdd))
        if rate is not None:
            e = R @ joint.axis
            along, turns = rate[:, None] * e, second[:, None] * e
            if joint.kind == 'prismatic':
                v = v + along
                a = a + turns + 2.0 * np.cross(w, along)
            else:
                alpha = alpha + turns + np.cross(w, along)
                w = w + along
        states[joint.child] = LinkStates(R, p, v, w, alpha, a)
    return states


def energies(robot, motion):
    """Return kinetic and potential energy (N, 2) [J] of a Motion, rotors included.

    The potential is that of all links, those at rest too.
    """
    found = np.zeros((len(motion.q), 2))
    states = link_states(robot, motion)
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
        found[:, 0] += 0.5 * joint.armature * _value(robot, joint, motion.qd)**2
    return found


def _root(robot, count):
    return (np.broadcast_to(robot.base_rotation, (count, 3, 3)),
            np.broadcast_to(robot.base_position, (count, 3)))


def _value(robot, joint, rows, offset=False):
    """Return a joint's column (N,) of rows of all joints; None where it does not move."""
    leader, ratio, shift = joint.name, 1.0, 0.0
    if joint.mimic is not None:
        leader, ratio, shift = joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset
    if leader not in robot.joint_names:
        return None
    return ratio * rows[:, robot.joint_index(leader)] + (shift if offset else 0.0)
