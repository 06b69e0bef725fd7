# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Sampled loop of an arm: its mass matrices, springs and dampers at many configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math

import numpy as np

from kane_dynamics.control.loop_gains import FeedbackLaw, SampledLoop
from kane_dynamics.dynamics.dynamics import Dynamics
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.robot import Robot
from kane_dynamics.numerics.array_types import ArrayLike, FloatArray

CONFIGURATIONS = 200
SMALLEST_INERTIA = 1e-12    # [kg m^2 or kg]: less than this is round-off
REACH = math.pi             # range of a joint without limits, +- [rad or m]


def arm_loop(dynamics: Dynamics, rate: float, *, active: Sequence[str] | None = None,
             locked: Mapping[str, float] | None = None, viscous: ArrayLike | None = None,
             armature: ArrayLike = 0.0, law: FeedbackLaw = 'pd', delay: int = 1,
             q: ArrayLike | None = None) -> SampledLoop:
    """Return the SampledLoop of an arm on a fixed base.

    Args:
        dynamics: of the arm, with its payload.
        active: names of the n joints with feedback, in the arm's order; None: all.
        locked: {name: position} of all other joints.
        viscous: (n,) friction [N m s/rad or N s/m]; None: `<dynamics damping>` of the URDF,
            that of mimic joints included.
        armature: (n,) or a number, rotor inertias on top of the URDF's [kg m^2 or kg].
        law, delay: as of SampledLoop.
        q: (N, nq) configurations; None: 200 within the joint limits.
    """
    robot = dynamics.robot
    active = robot.joint_names if active is None else tuple(active)
    chosen = [robot.joint_index(name) for name in active]
    rows = configurations(robot) if q is None else np.array(q, dtype=np.float64)
    for name, position in (locked or {}).items():
        rows[:, robot.joint_index(name)] = position
    free = np.array([*chosen, *range(robot.n_joints, robot.nv)])
    damping, stiffness = robot.tree.damping, robot.tree.stiffness
    damping[chosen] = robot.reflected.damping[chosen] if viscous is None else viscous
    M = _mass_matrices(dynamics, rows)[:, free[:, None], free]
    joints = np.arange(len(active))
    M[:, joints, joints] += np.asarray(armature, dtype=np.float64)
    light = [name for name, least in zip(active, M[:, joints, joints].min(axis=0))
             if not least > SMALLEST_INERTIA]
    if light:
        raise InputError(f'joints {light} move no inertia, so that no gains are stable: give '
                         'their links mass, or set armature')
    return SampledLoop(M, rate, len(active), damping[free], stiffness[free], law, delay)


def configurations(robot: Robot, count: int = CONFIGURATIONS, seed: int = 0) -> FloatArray:
    """Return q (count, nq), uniform within the joint limits, links straight."""
    limits = robot.limits
    lower = np.where(np.isfinite(limits.lower), limits.lower, -REACH)
    upper = np.where(np.isfinite(limits.upper), limits.upper, REACH)
    q = np.zeros((count, robot.nq))
    q[:, :robot.n_joints] = np.random.default_rng(seed).uniform(lower, upper,
                                                                (count, robot.n_joints))
    return q


def _mass_matrices(dynamics: Dynamics, q: FloatArray) -> FloatArray:
    """Return M (N, nv, nv) at q (N, nq), without code that a node does not compile anyway."""
    robot = dynamics.robot
    if robot.n_modes:       # generated Python: a tenth of a second, machine code takes several
        return Dynamics(robot, backend='python').mass_matrix_many(q)
    # column j of M is inverse(q, 0, e_j) - inverse(q, 0, 0)
    n, rest = robot.nv, np.zeros((len(q), robot.nv))
    weight = dynamics.inverse_many(q, rest, rest)
    return np.stack([dynamics.inverse_many(q, rest, rest + unit) - weight for unit in np.eye(n)],
                    axis=-1)
