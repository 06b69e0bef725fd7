# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Torques from motion and motion from torques, as programs."""

from __future__ import annotations

import numpy as np

from kane_dynamics.kane import recursive

LONG_CHAIN = 12                 # joints in a row beyond which M and its factors are not even tried


def inverse(arm, name):
    """Record tau for given accelerations."""
    return arm.record(name, ('q', 'u', 'ud'), lambda reduced, _, g, q, u, ud:
                      arm.torques(reduced, g, q, u, ud), (arm.nv,))


def bias(arm, name):
    """Record tau at zero acceleration."""
    rest = [0.0] * arm.nv
    return arm.record(name, ('q', 'u'), lambda reduced, _, g, q, u:
                      arm.torques(reduced, g, q, u, rest), (arm.nv,))


def gravity(arm, name):
    """Record the torques that hold the arm at rest."""
    rest = [0.0] * arm.nv
    return arm.record(name, ('q',), lambda reduced, _, g, q:
                      arm.kane(reduced, q, rest, rest, g)[0], (arm.nv,))


def mass_matrix(arm, name):
    """Record M."""
    return arm.record(name, ('q',), lambda reduced, _, g, q:
                      sum(arm.mass(reduced, q), []), (arm.nv, arm.nv))


def forward(arm, name):
    """Take M ud = tau - bias by factors of M, or joint by joint: whichever is shorter."""
    programs = []
    if arm.tree.depth <= LONG_CHAIN:
        programs.append(arm.record(name, ('q', 'u', 'tau'), arm.accelerations,
                                   (arm.nv,)))
    rigid = not arm.tree.springs
    if rigid and len(arm.tree.bodies) == arm.robot.n_joints + int(arm.robot.floating_base):
        programs.append(arm.record(name, ('q', 'u', 'tau'), _recursively(arm),
                                   (arm.nv,)))
    return min(programs, key=lambda program: program.operation_count.mul
               + program.operation_count.add) if programs else arm.record(
                   name, ('q', 'u', 'tau'), arm.accelerations, (arm.nv,))


def hybrid(arm, name):
    """Record [tau of the joints, ud of the modes] for given accelerations of the joints.

    Modal rows hold no torque: M_ee ud_e = -c_e with c = kane(q, u, [ud_q, 0]), and
    tau = c_q + M_qe ud_e.
    """
    modes = range(arm.first_mode, arm.nv)

    def function(reduced, _, g, q, u, ud):
        given = [*ud, *([0.0] * len(modes))]
        c = arm.loads(reduced, g, q, u, given)
        M = arm.mass(reduced, q)
        elastic = arm.factors(reduced, M, modes).solve([-value for value in c])
        tau = [c[k] + sum(M[k][j] * elastic[j] for j in modes)
               for k in range(arm.first_mode)]
        return arm.driven(tau, u) + [elastic[j] for j in modes]
    return arm.record(name, ('q', 'u', 'ud_joints'), function, (arm.nv,))


def inverse_moving_base(arm, name):
    """Record tau on a base that is moved: w, alpha, a."""
    return arm.record(name, ('q', 'u', 'ud', 'base'), lambda reduced, _, g, q, u, ud, base:
                      arm.torques(reduced, g, q, u, ud, base=_motion(base)), (arm.nv,))


def forward_moving_base(arm, name):
    """Record ud on a base that is moved: w, alpha, a."""
    return arm.record(name, ('q', 'u', 'tau', 'base'),
                      lambda reduced, tree, g, q, u, tau, base: arm.accelerations(
                          reduced, tree, g, q, u, tau, base=_motion(base)), (arm.nv,))


def _recursively(arm):
    def function(reduced, _, g, q, u, tau):
        return recursive.forward(reduced, q, u, arm.driving(tau, u), g, arm.armature)
    return function


def _motion(base):
    """Return (w, alpha, a) from the nine numbers of a prescribed base motion."""
    return np.array(base[:3]), np.array(base[3:6]), np.array(base[6:9])


PROGRAMS = {record.__name__: record for record in (
    inverse, bias, gravity, mass_matrix, forward, hybrid, inverse_moving_base,
    forward_moving_base)}
