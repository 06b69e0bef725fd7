# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""
The algorithm of Angeles, Ma and Rojas 1989, for use by the other examples.

"An algorithm for the inverse dynamics of n-axis general manipulators using Kane's equations",
1989. Frames are of modified Denavit-Hartenberg kind, but b_i is the z_i coordinate of the point
where axis x_{i-1} meets axis z_i, so a joint is displaced by -b_i z_i: equation (8). Three
printed equations contradict this or earlier equations, and are corrected here:
  (35), (43)  a sliding joint's partial velocity is -e_i, as (19) has it, not e_i
  stage 1     prints (8) with the signs of b reversed
  stage 2     subtracts W (a_i - rho_{i-1}) where (18) and (20) add it
"""

import numpy as np

import kane_dynamics as kd
from kane_dynamics import Limits


def robot_of(rows, inertials, convention='modified', **named):
    """
    Return the Robot of a table of the paper.

    rows: (alpha [deg], a [m], b [m], kind); b of a prismatic joint is its coordinate and the value
    here is added to it. inertials: (mass [kg], mass centre (3,) [m], central inertias (3,)), in
    frame i; convention='standard' reads them in the far frame of link i instead.
    """
    table = [dict(alpha=np.radians(alpha), a=a, d=-b, kind=kind,
                  sign=-1 if kind == 'prismatic' else 1,
                  limits=Limits(-1.0, 1.0) if kind == 'prismatic'
                  else Limits(-2 * np.pi, 2 * np.pi))
             for alpha, a, b, kind in rows]
    if convention == 'standard':  # row i holds what the modified row i+1 calls alpha and a
        far = [(row['alpha'], row['a']) for row in table[1:]] + [(0.0, 0.0)]
        for row, (alpha, a) in zip(table, far):
            row.update(alpha=alpha, a=a)
    return kd.from_dh(table, convention, inertials, **named)


def transforms(rows, q):
    """Yield Q_i (3, 3) and a_i (3,) of every joint, equations (7) and (8)."""
    for (alpha, a, b, kind), value in zip(rows, q):
        theta, b = (0.0, b + value) if kind == 'prismatic' else (value, b)
        ca, sa = np.cos(np.radians(alpha)), np.sin(np.radians(alpha))
        c, s = np.cos(theta), np.sin(theta)
        yield (np.array([[c, -s, 0.0], [ca * s, ca * c, -sa], [sa * s, sa * c, ca]]),
               np.array([a, b * sa, -b * ca]))


def pose(rows, q):
    """Return R (3, 3) and p (3,) of the last frame in the base."""
    R, p = np.eye(3), np.zeros(3)
    for Q, a in transforms(rows, q):
        R, p = R @ Q, p + R @ a
    return R, p


def inverse_dynamics(rows, inertials, gravity, q, qd, qdd):
    """Return the driving torques and forces tau (n,), equations (12)-(14) and (41)-(51)."""
    n, e = len(rows), np.array([0.0, 0.0, 1.0])
    Q, a = zip(*transforms(rows, q))
    w, wd = np.zeros(3), np.zeros(3)           # (14)
    p, rho, W = -np.asarray(gravity, dtype=float), np.zeros(3), np.zeros((3, 3))  # (51)
    forces, moments = [], []
    for i, (mass, centre, inertias) in enumerate(inertials):
        p = p + W @ (a[i] - rho)               # (18), (20), the part in frame i-1
        w, wd, p = Q[i].T @ w, Q[i].T @ wd, Q[i].T @ p
        if rows[i][3] == 'prismatic':
            p = p - qdd[i] * e - 2 * np.cross(w, qd[i] * e)
        else:
            w = w + qd[i] * e                                       # (12)
            wd = wd + np.cross(w, qd[i] * e) + qdd[i] * e           # (13)
        rho = np.asarray(centre, dtype=float)
        W = skew(wd) + skew(w) @ skew(w)                            # (53)
        p = p + W @ rho                        # (18), (20), the part in frame i
        inertias = np.asarray(inertias)
        forces.append(mass * p)
        moments.append(inertias * wd + np.cross(w, inertias * w) + np.cross(rho, mass * p))  # (2)
    tau, v, m = np.zeros(n), np.zeros(3), np.zeros(3)
    for i in reversed(range(n)):
        if i + 1 < n:
            v, m = Q[i + 1] @ v, Q[i + 1] @ m
            m = m + np.cross(a[i + 1], v)                           # (46), (47)
        v, m = v + forces[i], m + moments[i]                        # (49)
        # b grows against z: the minus that (43) lacks
        tau[i] = -v @ e if rows[i][3] == 'prismatic' else m @ e     # (42), (43)
    return tau


def skew(v):
    """Return the matrix of v x."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def published_count(n):
    """Return multiplications and additions of the algorithm for n revolute joints, (58), (59)."""
    return 105 * n - 109, 90 * n - 105
