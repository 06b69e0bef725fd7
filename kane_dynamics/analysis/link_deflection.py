# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""How far the end of an arm gives way, from the loads on its links and their sections.

Vukobratovic and Potkonjak 1982, chapter 4, for links whose section is known: the loads are those
of the nominal motion of the rigid arm, each link is a cantilever that moves all outboard of it,
and vibration at most adds what the deflection jumps by where the acceleration jumps (4.6.3-4). The
book lumps half of a link's mass at its end, which overestimates the sag under its own weight by a
third. Here the beam's own mass is spread along it: its weight and inertia are a load a + b x, and

    u   = F l^3 / 3EI + M l^2 / 2EI + a l^4 / 8EI + 11 b l^5 / 120EI
    phi = F l^2 / 2EI + M l / EI    + a l^3 / 6EI + b l^4 / 8EI.

What a link weighs beside its beam is lumped at both ends, as its mass centre tells.

`influence` does the same for the beams of <flexible_link>, posture by posture and in pieces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.analysis.link_poses import link_states
from kane_dynamics.analysis.loads import beam_ends

JUMP = 20.0         # an acceleration that steps so many times more than beside it jumps
TINY = 1e-6         # of the largest acceleration: no jump


class TipDeflection(NamedTuple):
    """How a frame is displaced (N, 3) [m] and turned (N, 3) [rad], world axes; quasi-static."""

    u: np.ndarray
    phi: np.ndarray

    @property
    def size(self):
        """Return the distance (N,) [m]."""
        return np.linalg.norm(self.u, axis=1)


def tip_deflection(robot, loads, beams, frame):
    """Return the TipDeflection of a link under the Loads of a motion.

    beams: `LinkBeam`s or `StiffBeam`s.
    """
    states = link_states(robot, loads.motion)
    u, phi = np.zeros((2, len(loads.motion.q), 3))
    for beam in beams:
        if not _carries(robot, beam.link, frame):
            continue
        state = states[beam.link]
        R = state.R @ beam.axes
        # the weight less the inertia of a unit mass at the ends of the beam, in its axes
        ends = [np.einsum('nji,nj->ni', R, robot.gravity - _acceleration(state, point))
                for point in (beam.root, beam.tip)]
        _, passing = beam_ends(robot, loads, beam)
        F = -passing[:, :3] + _lump(robot, beam) * ends[1]
        give, turn = (np.einsum('nij,nj->ni', R, each) for each in _gives(
            beam, F, -passing[:, 3:], *ends))
        u += give + np.cross(turn, states[frame].p - (state.p + state.R @ beam.tip))
        phi += turn
    return TipDeflection(u, phi)


def _acceleration(state, point):
    """Return that of a point (3,) of a link (N, 3) [m/s^2], world axes."""
    r = state.R @ point
    return state.a + np.cross(state.alpha, r) + np.cross(state.w, np.cross(state.w, r))


def _lump(robot, beam):
    """Return the mass [kg] at the tip that stands for what the link weighs beside its beam."""
    inertial = robot.link(beam.link).inertial
    rest = 0.0 if inertial is None else inertial.mass - beam.mass
    if rest <= 0.0:
        return 0.0
    centre = (inertial.mass * inertial.com - beam.mass * 0.5 * (beam.root + beam.tip)) / rest
    share = (centre - beam.root) @ beam.axes[:, 0] / beam.length
    return rest * min(max(float(share), 0.0), 1.0)


def _gives(beam, F, M, first, last):
    """Return displacement and rotation (N, 3) of the beam's tip against its root, beam axes.

    F, M (N, 3): at the tip; first, last: of a unit mass at the root and at the tip.
    """
    stiff, h = beam.stiffness, beam.length
    density = beam.mass / h
    a, b = density * first, density * (last - first) / h
    u, phi = np.zeros_like(F), np.zeros_like(F)
    u[:, 0] = (F[:, 0] * h + a[:, 0] * h**2 / 2 + b[:, 0] * h**3 / 3) / stiff['EA']
    phi[:, 0] = M[:, 0] * h / stiff['GJ']
    # bending along y turns about +z, along z about -y
    for k, about, sign, EI in ((1, 2, 1.0, stiff['EI_z']), (2, 1, -1.0, stiff['EI_y'])):
        f, m, a_k, b_k = F[:, k], sign * M[:, about], a[:, k], b[:, k]
        u[:, k] = (f * h**3 / 3 + m * h**2 / 2 + a_k * h**4 / 8 + 11 * b_k * h**5 / 120) / EI
        phi[:, about] = sign * (f * h**2 / 2 + m * h + a_k * h**3 / 6 + b_k * h**4 / 8) / EI
    return u, phi


def vibration_bound(motion, u, at_rest):
    """Return (N,) [m]: the most that a displacement u (N, 3) can be with undamped vibration.

    at_rest (3,): u before the motion begins, under weight alone. Each jump of the acceleration
    leaves a vibration as large as the jump of u; all of them may add up (4.6.4).
    """
    steps = np.abs(np.diff(motion.qdd, axis=0))
    left = np.vstack([np.zeros((1, steps.shape[1])), steps[:-1]])
    right = np.vstack([steps[1:], np.zeros((1, steps.shape[1]))])
    floor = TINY * np.abs(motion.qdd).max(axis=0)
    jumps = (steps > JUMP * np.maximum(left, right) + floor).any(axis=1)
    amplitude = np.zeros(len(u))
    amplitude[1:] = np.where(jumps, np.linalg.norm(np.diff(u, axis=0), axis=1), 0.0)
    amplitude[0] = np.linalg.norm(u[0] - at_rest)
    return np.linalg.norm(u, axis=1) + np.cumsum(amplitude)


def _carries(robot, link, frame):
    """Return whether a frame is outboard of a link's beam."""
    joint = robot.parent_joint(frame)
    while joint is not None:
        if joint.parent == link:
            return True
        joint = robot.parent_joint(joint.parent)
    return False
