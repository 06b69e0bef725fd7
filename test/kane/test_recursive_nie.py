# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Nie's general algorithm (1988, chapter III), written out here, gives the same torques."""

from pathlib import Path

import numpy as np
import pytest

import kane_dynamics as kd
from kane_dynamics.model.structure.links_and_joints import Joint, Link

ROOT = Path(__file__).resolve().parents[2]
GRAVITY = (0.0, 9.81, 0.0)  # of the thesis, along +y of the base


def general_recursion(arm, q, u, ud, gravity):
    """
    Return f of (3.62) by the general algorithm of chapter III, as it stands there but for slips.

    arm: per joint (prismatic, alpha, mass, inertias, D, L); frame k is turned by Rz(q) Rx(alpha)
    (Rx(alpha) when prismatic) behind frame k-1. Corrected: the cross products of (3.33) and (3.34)
    start with a plus, and w_k^k = 0 when joint k is prismatic.
    """
    n = len(arm)
    w, wd, s, sd = (np.zeros((n, 3)) for _ in range(4))  # row r: partial of speed r
    F, Z, K, Y = np.zeros((n, n)), np.zeros(n), np.zeros(n), np.asarray(gravity)
    for k, (prismatic, alpha, mass, inertias, D, L) in enumerate(arm):
        angle, rate = (0.0, 0.0) if prismatic else (q[k], u[k])
        c, sn, ca, sa = np.cos(angle), np.sin(angle), np.cos(alpha), np.sin(alpha)
        A = np.array([[c, -sn * ca, sn * sa], [sn, c * ca, -c * sa], [0, sa, ca]])
        Adot = rate * np.array([[-sn, -c * ca, c * sa], [c, -sn * ca, sn * sa], [0, 0, 0]])
        e, Y = A[2], Y @ A                                                        # (3.52)
        w, wd = w @ A, wd @ A + w @ Adot                                          # (3.4), (3.13)
        P, Pdot = s @ A, sd @ A + s @ Adot                                        # (3.30)
        slide, glide = (q[k] * e, u[k] * e) if prismatic else (0 * e, 0 * e)
        if not prismatic:
            w[k] = e
        D, L = np.add(D, slide), np.add(L, slide)
        v, s = P + np.cross(w, D), P + np.cross(w, L)                             # (3.14)-(3.25)
        vd = Pdot + np.cross(wd, D) + np.cross(w, glide)                          # (3.26)-(3.34)
        sd = Pdot + np.cross(wd, L) + np.cross(w, glide)
        if prismatic:
            v[k] = s[k] = e
        W, V, inertias = u @ w, u @ v, np.asarray(inertias)
        accelerations = u @ vd + np.cross(W, V)                                   # (3.36)-(3.38)
        H = inertias * (u @ wd) + np.cross(W, inertias * W)                       # (3.45)
        F += w * inertias @ w.T + mass * v @ v.T                                  # (3.56)
        Z += w @ H + mass * v @ accelerations                                     # (3.57)
        K += mass * v @ Y                                                         # (3.60)
    return F @ ud + Z - K


def as_robot(arm, gravity):
    """Return the same arm for kane_dynamics: joint k sits at L^{k-1}, axis z of frame k-1."""
    links, joints, origin = [Link('base')], [], np.zeros(3)
    for k, (prismatic, alpha, mass, inertias, D, L) in enumerate(arm, 1):
        c, s = np.cos(alpha), np.sin(alpha)
        R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        joints.append(Joint(f'joint_{k}', 'prismatic' if prismatic else 'revolute', links[-1].name,
                            f'link_{k}', R, origin, R[2]))
        links.append(Link(f'link_{k}', kd.Inertial(mass, D, np.diag(inertias))))
        origin = L
    return kd.Robot('general', links, joints, gravity)


@pytest.mark.parametrize('name', ['intelledex_605.urdf', 'intelledex_605_full.urdf'])
def test_the_general_recursion_of_the_thesis_gives_the_605s_torques(name):
    rng = np.random.default_rng(605)
    robot = kd.load_urdf(ROOT / 'urdf' / name, gravity=GRAVITY)
    dyn = kd.Dynamics(robot)
    arm = []
    for k in range(1, 7):
        inertial = robot.link(f'link_{k}').inertial
        L = robot.joint(f'joint_{k + 1}').position if k < 6 else np.zeros(3)
        alpha = (np.pi / 2, -np.pi / 2, 0, 0, -np.pi / 2, 0)[k - 1]
        arm.append((False, alpha, inertial.mass, np.diag(inertial.inertia), inertial.com, L))
    for _ in range(20):
        q, qd, qdd = rng.uniform(-3, 3, (3, 6))
        # torques are of the size of 100 N m: 1e-12 is some fifty roundings of that
        np.testing.assert_allclose(dyn.inverse(q, qd, qdd),
                                   general_recursion(arm, q, qd, qdd, GRAVITY), 0, 1e-12)


@pytest.mark.parametrize('kinds', ['RRPRRR', 'PRRRPR', 'PPPRRR', 'RPRP'])
def test_the_general_recursion_gives_the_torques_of_sliding_joints_too(kinds):
    rng = np.random.default_rng(len(kinds) + kinds.count('P'))
    n, gravity = len(kinds), (1.0, -2.0, 9.0)
    arm = [(kind == 'P', rng.uniform(-2, 2), rng.uniform(1, 5), rng.uniform(0.5, 0.9, 3),
            rng.uniform(-0.5, 0.5, 3), rng.uniform(-0.5, 0.5, 3)) for kind in kinds]
    dyn = kd.Dynamics(as_robot(arm, gravity), backend='python')
    for _ in range(5):
        q, qd, qdd = rng.uniform(-2, 2, (3, n))
        expected = general_recursion(arm, q, qd, qdd, gravity)
        np.testing.assert_allclose(dyn.inverse(q, qd, qdd), expected, rtol=1e-12, atol=1e-11)
