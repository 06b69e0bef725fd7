# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Arms that nobody designed: random geometry, dense inertias, any joints, any branches."""

import numpy as np

from kane_dynamics.model.robot import Robot
from kane_dynamics.model.structure.links_and_joints import Inertial, Joint, Link, Mimic


def rotation(rng):
    """Return a random rotation matrix."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.linalg.det(Q)


def inertial(rng):
    """Return the mass, mass centre and central inertia of six random mass points."""
    masses, points = rng.uniform(0.1, 0.5, 6), rng.uniform(-0.3, 0.3, (6, 3))
    com = masses @ points / masses.sum()
    arms = points - com
    inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms))
    return Inertial(masses.sum(), com, inertia)


def chain(kinds, seed, gravity=(0.0, 0.0, -9.81), armature=False, **robot):
    """Return a serial arm: 'R' turns, 'P' slides, 'C' turns without limits, 'F' is fixed."""
    return tree(kinds, range(len(kinds)), seed, gravity, armature, **robot)


def tree(kinds, parents, seed, gravity=(0.0, 0.0, -9.81), armature=False, mimics=None, **robot):
    """Return an arm with branches: joint k leaves link parents[k]; link 0 is the base.

    mimics: {joint number: (leader number, multiplier, offset)}.
    """
    rng = np.random.default_rng(seed)
    names = {'R': 'revolute', 'P': 'prismatic', 'C': 'continuous', 'F': 'fixed'}
    links, joints = [Link('link_0', inertial(rng))], []
    for k, (kind, parent) in enumerate(zip(kinds, parents)):
        links.append(Link(f'link_{k + 1}', inertial(rng)))
        follows = None
        if mimics and k in mimics:
            leader, *numbers = mimics[k]
            follows = Mimic(f'joint_{leader}', *numbers)
        joints.append(Joint(
            f'joint_{k}', names[kind], f'link_{parent}', f'link_{k + 1}', rotation(rng),
            rng.uniform(-0.5, 0.5, 3), axis=rng.normal(size=3), mimic=follows,
            armature=rng.uniform(0.01, 0.2) if armature and kind != 'F' else 0.0))
    return Robot(f'random_{seed}', links, joints, gravity, **robot)


def state(robot, rng, count=None):
    """Return q, qd, qdd: one state, or `count` of them in rows."""
    shape = () if count is None else (count,)
    q = rng.uniform(-np.pi, np.pi, (*shape, robot.nq))
    if robot.floating_base:
        q[..., 3:7] /= np.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
    return q, *rng.uniform(-2.0, 2.0, (2, *shape, robot.nv))
