# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Deflection of the end of an arm, from the loads on its links and their sections.

Vukobratovic and Potkonjak 1982, chapter 4, for links of known section: the loads are those of the
nominal motion of the rigid arm, each link is a cantilever that moves everything outboard of it,
and vibration adds at most the jump of the deflection at each jump of the acceleration (4.6.3-4).
The book lumps half of a link's mass at its end, which overestimates the sag under its own weight
by a third. Here the beam's own mass is distributed along it: its weight and inertia are a load
a + b x, and

    u   = F l^3 / 3EI + M l^2 / 2EI + a l^4 / 8EI + 11 b l^5 / 120EI
    phi = F l^2 / 2EI + M l / EI    + a l^3 / 6EI + b l^4 / 8EI.

The rest of a link's mass is lumped at both ends, so that its centre is kept.

`InfluenceModel` does the same for the beams of <flexible_link>, one configuration at a time and in
pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TYPE_CHECKING

import numpy as np

from kane_dynamics.analysis.study.link_beam import LinkBeam
from kane_dynamics.analysis.study.loads import beam_ends, Loads
from kane_dynamics.numerics.array_types import FloatArray

if TYPE_CHECKING:
    from kane_dynamics.model.robot import Robot
    from kane_dynamics.trajectory.motion import Motion

JUMP = 20.0         # a jump of the acceleration: a step so many times larger than its neighbours
TINY = 1e-6         # fraction of the largest acceleration: no jump


class TipDeflection(NamedTuple):
    """Quasi-static displacement (N, 3) [m] and rotation (N, 3) [rad] of a frame, world axes."""

    u: FloatArray
    phi: FloatArray

    @property
    def size(self) -> FloatArray:
        """Return the distance (N,) [m]."""
        return np.asarray(np.linalg.norm(self.u, axis=1))


def tip_deflection(robot: Robot, loads: Loads, beams: Sequence[LinkBeam],
                   frame: str) -> TipDeflection:
    """Return the TipDeflection of a link under the Loads of a motion."""
    u, phi = np.zeros((2, len(loads.motion), 3))
    for beam in beams:
        if not _carries(robot, beam.link, frame):
            continue
        state = loads.links[beam.link]
        R = state.R @ beam.axes
        # weight less inertia of a unit mass at the ends of the beam, in its axes
        first, last = (np.einsum('nji,nj->ni', R, robot.gravity - state.acceleration(point))
                       for point in (beam.root, beam.tip))
        _, passing = beam_ends(robot, loads, beam)
        F = -passing[:, :3] + _tip_mass(robot, beam) * last
        shift, rotation = (np.einsum('nij,nj->ni', R, each) for each in _cantilever(
            beam, F, -passing[:, 3:], first, last))
        u += shift + np.cross(rotation, loads.links[frame].p - (state.p + state.R @ beam.tip))
        phi += rotation
    return TipDeflection(u, phi)


def _tip_mass(robot: Robot, beam: LinkBeam) -> float:
    """Return the part [kg] of the link's mass without its beam that is lumped at the tip."""
    inertial = robot.link(beam.link).inertial
    if inertial is None or inertial.mass <= beam.mass:
        return 0.0
    rest = inertial.mass - beam.mass
    centre = (inertial.mass * inertial.com - beam.mass * 0.5 * (beam.root + beam.tip)) / rest
    fraction = (centre - beam.root) @ beam.axes[:, 0] / beam.length
    return rest * min(max(float(fraction), 0.0), 1.0)


def _cantilever(beam: LinkBeam, F: FloatArray, M: FloatArray, first: FloatArray,
                last: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return displacement and rotation (N, 3) of the beam's tip relative to its root, beam axes.

    F, M (N, 3): at the tip; first, last (N, 3): load of a unit mass at the root and at the tip.
    """
    stiff, h = beam.stiffness, beam.length
    density = beam.mass / h
    a, b = density * first, density * (last - first) / h
    u, phi = np.zeros_like(F), np.zeros_like(F)
    u[:, 0] = (F[:, 0] * h + a[:, 0] * h**2 / 2 + b[:, 0] * h**3 / 3) / stiff['EA']
    phi[:, 0] = M[:, 0] * h / stiff['GJ']
    # bending along y rotates about +z, along z about -y
    for k, about, sign, EI in ((1, 2, 1.0, stiff['EI_z']), (2, 1, -1.0, stiff['EI_y'])):
        f, m, a_k, b_k = F[:, k], sign * M[:, about], a[:, k], b[:, k]
        u[:, k] = (f * h**3 / 3 + m * h**2 / 2 + a_k * h**4 / 8 + 11 * b_k * h**5 / 120) / EI
        phi[:, about] = sign * (f * h**2 / 2 + m * h + a_k * h**3 / 6 + b_k * h**4 / 8) / EI
    return u, phi


def vibration_bound(motion: Motion, u: FloatArray, at_rest: FloatArray) -> FloatArray:
    """Return (N,) [m]: an upper bound of the size of u (N, 3) with undamped vibration.

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
    return np.asarray(np.linalg.norm(u, axis=1) + np.cumsum(amplitude), dtype=np.float64)


def _carries(robot: Robot, link: str, frame: str) -> bool:
    """Return whether a frame is outboard of a link's beam."""
    joint = robot.parent_joint(frame)
    while joint is not None:
        if joint.parent == link:
            return True
        joint = robot.parent_joint(joint.parent)
    return False
