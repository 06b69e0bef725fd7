# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Linearization of an arm about a state: M, D, K, and the state-space matrices A, B, C, D."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TYPE_CHECKING

import numpy as np

from kane_dynamics.analysis.vibration.differences import by_differences, steps_of
from kane_dynamics.analysis.vibration.static_sag import posed
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray
from kane_dynamics.simulation.equations.coordinates import Coordinates

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics


class Linearized(NamedTuple):
    """M dd + damping d' + stiffness d = d tau for a small displacement d (nv,)."""

    mass: FloatArray         # (nv, nv)
    damping: FloatArray      # (nv, nv) d tau / d qd: dampers, friction, gyroscopic terms
    stiffness: FloatArray    # (nv, nv) d tau / d q: springs, weight, centrifugal forces


class StateSpace(NamedTuple):
    """x' = A x + B u, y = C x + D u with x = [displacement, its rate], u = joint torques."""

    A: FloatArray
    B: FloatArray
    C: FloatArray
    D: FloatArray


def small_motions(dyn: Dynamics, q: FloatArray, qd: ArrayLike | None = None,
                  qdd: ArrayLike | None = None) -> Linearized:
    """Return the Linearized arm about q (nq,), moving with qd and qdd (nv,), at rest if None.

    A floating base is displaced in its own frame.
    """
    robot = dyn.robot
    rest = np.zeros(robot.nv)
    velocity, acceleration = (rest if value is None else np.asarray(value, dtype=np.float64)
                              for value in (qd, qdd))
    coordinates, displaced, steps = Coordinates(robot), np.empty(robot.nq), steps_of(robot)

    def torque_at(displacement: FloatArray) -> FloatArray:
        coordinates.displace(q, displacement, 1.0, displaced)
        return dyn.inverse(displaced, velocity, acceleration)

    mass = dyn.mass_matrix(q)
    if dyn.friction is not None and dyn.friction.depends_on_load:    # d tau/d qdd is then not M
        mass = by_differences(lambda a: dyn.inverse(q, velocity, a), acceleration, steps)
    return Linearized(mass,
                      by_differences(lambda v: dyn.inverse(q, v, acceleration), velocity, steps),
                      by_differences(torque_at, rest, steps))


def linearize(dyn: Dynamics, q: ArrayLike | None = None, qd: ArrayLike | None = None,
              tau: ArrayLike | None = None, outputs: Sequence[str] | None = None) -> StateSpace:
    """Return A, B, C, D of the arm about a configuration and velocity.

    q: (nq,), or the joints only: the links then sag under their weight. qd (nv,): at rest if None.
    tau (nv,): if None, the torques that keep the velocity constant. Inputs are the torques of the
    joints. outputs: names of joints, of modes (their coordinate), of links (x, y, z of their
    origin); all joints if None.
    """
    robot = dyn.robot
    q = posed(dyn, q)
    qd = np.zeros(robot.nv) if qd is None else np.asarray(qd, dtype=np.float64)
    qdd = np.zeros(robot.nv) if tau is None else dyn.forward(q, qd, tau)
    M, damping, stiffness = small_motions(dyn, q, qd, qdd)
    n = robot.nv
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ stiffness, -inverse @ damping]])
    B = np.vstack([np.zeros((n, robot.n_joints)), inverse[:, robot.joints_v]])
    names = robot.joint_names if outputs is None else outputs
    C = np.vstack([np.zeros((0, n)), *(_output_rows(dyn, q, name) for name in names)])
    C = np.hstack([C, np.zeros_like(C)])
    return StateSpace(A, B, C, np.zeros((len(C), robot.n_joints)))


def _output_rows(dyn: Dynamics, q: FloatArray, name: str) -> FloatArray:
    """Return the rows (1 or 3, nv) of a joint, mode or link in C."""
    robot = dyn.robot
    coordinates = (*robot.joint_names, *robot.mode_names)
    if name in coordinates:
        return np.eye(robot.nv)[[robot.joints_v.start + coordinates.index(name)]]
    if name in robot.link_names:
        return dyn.frame_jacobian(name, q)[:3]
    raise InputError(f'linearize: no output {name!r}; there are joints and modes '
                     f'{list(coordinates)} and links {list(robot.link_names)}')
