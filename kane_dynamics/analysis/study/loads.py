# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Loads of a motion on joints, links and the grip of a payload.

Vukobratovic and Potkonjak 1982, 3.5: the force and moment through joint k onto its link are those
that move everything outboard of it (3.5.5-10), here the reactions of Kane's equations themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TYPE_CHECKING

import numpy as np

from kane_dynamics.analysis.study.link_beam import check_beam, LinkBeam, SectionBeam
from kane_dynamics.analysis.study.link_states import link_states, LinkStates
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.flexible.strength import stress
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray, IntArray
from kane_dynamics.numerics.rotations import turned
from kane_dynamics.trajectory.motion import Motion

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics
    from kane_dynamics.model.robot import Robot
    from kane_dynamics.model.structure.links_and_joints import Joint


@dataclass(frozen=True, eq=False)
class Loads:
    """Torques, wrenches and link states of N samples of a motion.

    tau (N, n) [N m or N] at the joints; wrenches {link: (N, 6)} force [N] and moment [N m] through
    a link's joint onto the link, about its origin and in its axes; links {link: LinkStates}.
    """

    motion: Motion
    tau: FloatArray
    wrenches: dict[str, FloatArray]
    links: dict[str, LinkStates]

    def rows(self, chosen: IntArray) -> Loads:
        """Return the Loads of some samples."""
        motion = self.motion
        return Loads(
            Motion(motion.t[chosen], motion.q[chosen], motion.qd[chosen], motion.qdd[chosen]),
            self.tau[chosen], {link: rows[chosen] for link, rows in self.wrenches.items()},
            {link: states.rows(chosen) for link, states in self.links.items()})

    def at_speed(self, dynamics: Dynamics, factor: float) -> Loads:
        """Return the Loads of the same motion run `factor` times as fast, q(factor t).

        Link states scale with the factor and its square; torques with friction do not.
        """
        motion = at_speed(self.motion, factor)
        return _loads(dynamics, motion,
                      {link: states.at_speed(factor) for link, states in self.links.items()})

    def at_rest(self, dynamics: Dynamics) -> Loads:
        """Return the Loads at rest in the configuration of the first sample."""
        motion, zero = self.motion, np.zeros_like(self.motion.q[:1])
        return _loads(dynamics, Motion(motion.t[:1], motion.q[:1], zero, zero),
                      {link: states.rows(slice(1)).at_speed(0.0)
                       for link, states in self.links.items()})


class BeamStress(NamedTuple):
    """Stresses of a beam (N,) [Pa], each the larger of that at its root and that at its tip."""

    normal: FloatArray      # of bending and of the force along the beam
    shear: FloatArray       # of torsion
    equivalent: FloatArray  # of equal distortion energy, normal and shear at one end


def at_speed(motion: Motion, factor: float) -> Motion:
    """Return the Motion run `factor` times as fast, q(factor t)."""
    start = motion.t[0]
    return Motion(start + (motion.t - start) / factor, motion.q, factor * motion.qd,
                  factor**2 * motion.qdd)


def loads_of(dynamics: Dynamics, motion: Motion) -> Loads:
    """Return the Loads of a Motion, for a rigid arm on a fixed base."""
    robot = dynamics.robot
    if robot.n_modes or robot.floating_base:
        raise InputError(f'loads: {robot.name!r} has flexible links or a floating base; expected '
                         'Dynamics(robot.rigid()) with a fixed base')
    return _loads(dynamics, motion, link_states(robot, motion))


def _loads(dynamics: Dynamics, motion: Motion, links: dict[str, LinkStates]) -> Loads:
    state = motion.q, motion.qd, motion.qdd
    reactions = dynamics.reactions_many(*state)
    return Loads(motion, dynamics.inverse_many(*state),
                 {link: reactions[:, k] for k, link in enumerate(dynamics.body_links)}, links)


def held_wrench(state: LinkStates, gravity: FloatArray, mass: float, com: ArrayLike,
                inertia: ArrayLike | None = None) -> FloatArray:
    """Return (N, 6): force and moment by which a link holds a body, about its origin, in its axes.

    state: of the link; gravity (3,) [m/s^2], world axes; mass [kg], com (3,) [m] and inertia
    (3, 3) [kg m^2] about the mass centre, in the link's frame (3.5.17-19):
    F = m (a - g), M = com x F + J alpha + w x J w.
    """
    # all in the link's axes
    w, alpha, a = (np.einsum('nji,nj->ni', state.R, each) for each in (
        state.w, state.alpha, state.a - gravity))
    com = np.asarray(com, dtype=np.float64)
    J = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, dtype=np.float64)
    force = mass * (a + np.cross(alpha, com) + np.cross(w, np.cross(w, com)))
    moment = np.cross(com, force) + alpha @ J.T + np.cross(w, w @ J.T)
    return np.hstack([force, moment])


def link_stress(robot: Robot, loads: Loads, beam: SectionBeam) -> BeamStress:
    """Return the BeamStress of a SectionBeam.

    Bending is the moment normal to the beam's axis, torsion the one along it (3.5.11-16).
    """
    root, tip = (stress(beam.moduli, wrench[:, 0], *wrench[:, 3:].T)
                 for wrench in beam_ends(robot, loads, beam))
    return BeamStress(*(np.maximum(getattr(root, name), getattr(tip, name))
                        for name in BeamStress._fields))


def beam_ends(robot: Robot, loads: Loads, beam: LinkBeam) -> tuple[FloatArray, FloatArray]:
    """Return force and moment (N, 6) that pass outward through the root and the tip of a beam.

    About these points and in the axes of the beam (`LinkBeam.axes`). The load of everything
    attached to the outer half of the beam passes through the tip.
    """
    check_beam(robot, beam)
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
                held = held_wrench(loads.links[beam.link], robot.gravity, inertial.mass,
                                   p + R @ inertial.com, R @ inertial.inertia @ R.T)
                tip += _moved(held, beam.tip)
            continue
        rotation, position = _joint_pose(robot, joint, loads.motion.q, R, p)
        wrench = loads.wrenches[joint.child].reshape(-1, 2, 3)
        force, moment = (np.einsum('nij,nj->ni', rotation, wrench[:, part]) for part in (0, 1))
        tip += np.hstack([force, moment + np.cross(position - beam.tip, force)])
    root, tip = (np.hstack([each[:, :3] @ beam.axes, each[:, 3:] @ beam.axes])
                 for each in (root, tip))
    return root, tip


def _joint_pose(robot: Robot, joint: Joint, q: FloatArray, R: FloatArray,
                p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the pose (N, 3, 3), (N, 3) of a joint's child in the link it leaves at R, p."""
    value = q[:, robot.joint_index(joint.name if joint.mimic is None else joint.mimic.joint)]
    if joint.mimic is not None:
        value = joint.mimic.multiplier * value + joint.mimic.offset
    if joint.kind == 'prismatic':
        return np.broadcast_to(R, (len(q), 3, 3)), p + value[:, None] * (R @ joint.axis)
    return R @ turned(joint.axis, value), np.broadcast_to(p, (len(q), 3))


def _moved(wrench: FloatArray, point: FloatArray) -> FloatArray:
    """Return the wrench about another point (3,) of the same frame."""
    return np.hstack([wrench[:, :3], wrench[:, 3:] - np.cross(point, wrench[:, :3])])


def _children(robot: Robot, link: str, R: FloatArray | None = None, p: FloatArray | None = None,
              ) -> Iterator[tuple[Joint, FloatArray, FloatArray]]:
    """Yield the joints that leave a link or what is fixed to it, with their pose on the link."""
    R, p = np.eye(3) if R is None else R, np.zeros(3) if p is None else p
    for joint in robot.child_joints(link):
        R_child, p_child = R @ joint.rotation, p + R @ joint.position
        yield joint, R_child, p_child
        if joint.kind == 'fixed':
            yield from _children(robot, joint.child, R_child, p_child)
