# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""An arm that hardly moves away from where it is: M, D, K, and the matrices A, B, C, D."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kane_dynamics.analysis.differences import by_differences, steps_of
from kane_dynamics.analysis.static_sag import posed
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.coordinates import Coordinates


class Linearized(NamedTuple):
    """M dd + damping d' + stiffness d = d tau for a small displacement d (nv,)."""

    mass: np.ndarray         # (nv, nv)
    damping: np.ndarray      # (nv, nv) d tau / d qd: dampers, friction, gyroscopic terms
    stiffness: np.ndarray    # (nv, nv) d tau / d q: springs, weight, centrifugal and others


class StateSpace(NamedTuple):
    """x' = A x + B u, y = C x + D u with x = [displacement, its rate], u = joint torques."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


def small_motions(dyn, q, qd=None, qdd=None):
    """Return the Linearized arm about q (nq,), moving with qd and qdd (nv,), at rest if None.

    A floating base is displaced in its own frame.
    """
    robot = dyn.robot
    rest = np.zeros(robot.nv)
    qd, qdd = (rest if value is None else np.asarray(value, dtype=float) for value in (qd, qdd))
    coordinates, place, steps = Coordinates(robot), np.empty(robot.nq), steps_of(robot)

    def torque_at(displacement):
        coordinates.displace(q, displacement, 1.0, place)
        return dyn.inverse(place, qd, qdd)

    return Linearized(dyn.mass_matrix(q),
                      by_differences(lambda v: dyn.inverse(q, v, qdd), qd, steps),
                      by_differences(torque_at, rest, steps))


def linearize(dyn, q=None, qd=None, tau=None, outputs=None):
    """Return A, B, C, D of the arm about a pose and speed.

    q: (nq,), or the joints only: the links then sag under their weight. qd (nv,): at rest if None.
    tau (nv,): what holds q still (or its speed), if None. Inputs are the torques of the joints.
    outputs: names of joints, of modes (their coordinate), of links (x, y, z of its origin);
    all joints if None.
    """
    robot = dyn.robot
    q = posed(dyn, q)
    qd = np.zeros(robot.nv) if qd is None else np.asarray(qd, dtype=float)
    qdd = np.zeros(robot.nv) if tau is None else dyn.forward(q, qd, tau)
    M, damping, stiffness = small_motions(dyn, q, qd, qdd)
    n, first = robot.nv, robot.nv - robot.n_modes - robot.n_joints
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ stiffness, -inverse @ damping]])
    B = np.vstack([np.zeros((n, robot.n_joints)), inverse[:, first:first + robot.n_joints]])
    names = robot.joint_names if outputs is None else outputs
    C = np.vstack([np.zeros((0, n)), *(_rows(dyn, q, name, first) for name in names)])
    C = np.hstack([C, np.zeros_like(C)])
    return StateSpace(A, B, C, np.zeros((len(C), robot.n_joints)))


def _rows(dyn, q, name, first):
    robot = dyn.robot
    coordinates = (*robot.joint_names, *robot.mode_names)
    if name in coordinates:
        return np.eye(robot.nv)[[first + coordinates.index(name)]]
    if name in robot.link_names:
        return dyn.frame_jacobian(name, q)[:3]
    raise InputError(f'linearize: no output {name!r}; there are joints and modes '
                     f'{list(coordinates)} and links {list(robot.link_names)}')
