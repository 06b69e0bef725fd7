# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What a motion loads: joints, links and the grip on the payload.

Vukobratovic and Potkonjak 1982, 3.5: the force and moment through joint k onto its link are those
that move everything outboard of it (3.5.5-10), here the pairs of Kane's equations themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kane_dynamics.analysis.link_poses import link_states
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.strength import Stress, stress
from kane_dynamics.motion.recording import Motion
from kane_dynamics.motion.rotation import turned


@dataclass(frozen=True, eq=False)
class Loads:
    """Torques and wrenches of N samples of a motion.

    tau (N, n) [N m or N] at the joints; wrenches {link: (N, 6)} force [N] and moment [N m] through
    a link's joint onto the link, about its origin and in its axes.
    """

    motion: Motion
    tau: np.ndarray
    wrenches: dict[str, np.ndarray]


def loads_of(dynamics, motion):
    """Return the Loads of a Motion, for an arm without elastic coordinates."""
    robot = dynamics.robot
    if robot.n_modes or robot.floating_base:
        raise InputError(f'loads: {robot.name!r} has coordinates beside its joints; ask for '
                         'Dynamics(robot.rigid()) with a fixed base')
    arrays = (motion.q, motion.qd, motion.qdd)
    tau = dynamics.inverse_many(*arrays)
    rows = dynamics.reactions_many(*arrays)
    return Loads(motion, tau, {link: rows[:, k] for k, link in enumerate(dynamics.body_links)})


def held_wrench(robot, motion, link, mass, com, inertia=None):
    """Return (N, 6): force and moment by which a link holds a body, about its origin, in its axes.

    mass [kg], com (3,) [m] and inertia (3, 3) [kg m^2] about the mass centre, in the link's frame
    (3.5.17-19): F = m (a - g), M = com x F + J alpha + w x J w.
    """
    robot.link(link)                                        # raises with the names there are
    state = link_states(robot, motion)[link]
    # all in the link's axes
    w, alpha, a = (np.einsum('nji,nj->ni', state.R, each) for each in (
        state.w, state.alpha, state.a - robot.gravity))
    com = np.asarray(com, dtype=float)
    J = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, dtype=float)
    force = mass * (a + np.cross(alpha, com) + np.cross(w, np.cross(w, com)))
    moment = np.cross(com, force) + alpha @ J.T + np.cross(w, w @ J.T)
    return np.hstack([force, moment])


def link_stress(robot, loads, beam):
    """Return the Stress (N,) of a LinkBeam: the larger of that at its root and at its tip.

    Bending is the moment normal to the beam's axis, torsion the one along it (3.5.11-16).
    """
    ends = [stress(beam.moduli, wrench[:, 0], *wrench[:, 3:].T)
            for wrench in beam_ends(robot, loads, beam)]
    at_root = ends[0].equivalent >= ends[1].equivalent
    return Stress(*(np.where(at_root, a, b) for a, b in zip(*ends)))


def beam_ends(robot, loads, beam):
    """Return force and moment (N, 6) that pass outward through the root and the tip of a beam.

    About these points and in the axes of the beam (`LinkBeam.axes`). What is attached to the
    outer half of the beam, or fixed there, passes through the tip.
    """
    if beam.link not in loads.wrenches:
        raise InputError(f'section of {beam.link!r}: no moving joint carries this link; joints '
                         f'carry {list(loads.wrenches)}')
    root = _moved(loads.wrenches[beam.link], beam.root)
    tip = np.zeros_like(root)
    for joint, R, p in _children(robot, beam.link):
        if not beam.is_outer(p):
            continue
        if joint.kind == 'fixed':
            inertial = robot.link(joint.child).inertial
            if inertial is not None:
                held = held_wrench(robot, loads.motion, beam.link, inertial.mass,
                                   p + R @ inertial.com, R @ inertial.inertia @ R.T)
                tip += _moved(held, beam.tip)
            continue
        k = robot.joint_index(joint.name if joint.mimic is None else joint.mimic.joint)
        q = loads.motion.q[:, k]
        if joint.mimic is not None:
            q = joint.mimic.multiplier * q + joint.mimic.offset
        turn, shift = np.broadcast_to(R, (len(q), 3, 3)), np.zeros((len(q), 3))
        if joint.kind == 'prismatic':
            shift = q[:, None] * (R @ joint.axis)
        else:
            turn = R @ turned(joint.axis, q)
        wrench = loads.wrenches[joint.child].reshape(-1, 2, 3)
        force, moment = (np.einsum('nij,nj->ni', turn, wrench[:, part]) for part in (0, 1))
        tip += np.hstack([force, moment + np.cross(p + shift - beam.tip, force)])
    return tuple(np.hstack([each[:, :3] @ beam.axes, each[:, 3:] @ beam.axes])
                 for each in (root, tip))


def _moved(wrench, point):
    """Return the wrench about another point (3,) of the same frame."""
    return np.hstack([wrench[:, :3], wrench[:, 3:] - np.cross(point, wrench[:, :3])])


def _children(robot, link, R=None, p=None):
    """Yield the joints that leave a link or what is fixed to it, with their place on the link."""
    R, p = (np.eye(3), np.zeros(3)) if R is None else (R, p)
    for joint in robot.child_joints(link):
        R_child, p_child = R @ joint.rotation, p + R @ joint.position
        yield joint, R_child, p_child
        if joint.kind == 'fixed':
            yield from _children(robot, joint.child, R_child, p_child)
