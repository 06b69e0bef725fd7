# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""What an arm holds: mass, centre and inertia of a load, from motion recorded while holding it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kane_dynamics.analysis.consistent_fit import ConsistentFit
from kane_dynamics.analysis.normal_equations import NormalEquations
from kane_dynamics.analysis.pseudo_inertia import (
    inertial_of, moved_parameters, parameters_of, pseudo_inertia)
from kane_dynamics.analysis.residual_scales import ResidualScales
from kane_dynamics.exceptions import InputError
from kane_dynamics.model.robot import Inertial

USUAL_MASS, USUAL_RADIUS = 1.0, 0.1     # [kg], [m]: where the fit starts, worth one sample
BLOCK = 4096
TOLD = 0.5                              # of its value: an inertia known better is told


@dataclass(frozen=True, eq=False)
class Payload:
    """A load in the frame of a link: its Inertial and three times the standard deviations.

    mass_spread [kg], centre_spread (3,) [m]; inertia_told: whether the motion was quick enough for
    the data to tell the inertia; else it is no more than a guess that fits.
    """

    link: str
    inertial: Inertial
    mass_spread: float
    centre_spread: np.ndarray
    inertia_told: bool
    count: int

    def describe(self):
        """Return the figures as text."""
        body = self.inertial
        centre = ', '.join(f'{value:.4f} +- {spread:.4f}' for value, spread in
                           zip(body.com, self.centre_spread))
        principal = ', '.join(f'{value:.4g}' for value in np.linalg.eigvalsh(body.inertia))
        return '\n'.join([
            f'payload in the frame of {self.link!r}, intervals of three standard deviations',
            f'  mass     {body.mass:.4f} +- {self.mass_spread:.4f} kg'
            + (' (no load that the data tell)' if body.mass < self.mass_spread else ''),
            f'  centre   {centre} m',
            f'  inertia  principal {principal} kg m^2'
            + ('' if self.inertia_told else ' (the data do not tell it)')])


def estimate_payload(dynamics, link, motions):
    """Return the Payload at a link from Motions with effort that can be read repeatedly.

    dynamics: the arm without the load, with its friction: `Calibration.dynamics`.
    """
    robot = dynamics.robot
    carrier = _carrier(robot, link)
    if carrier is None:
        raise InputError(f'link {link!r} is fixed to the base: no joint feels what it carries')
    own = 10 * dynamics.body_links.index(carrier)
    start = USUAL_MASS * np.diag([USUAL_RADIUS**2] * 3 + [1.0])
    R, p = _place(dynamics, carrier, link)
    reference = moved_parameters(parameters_of(start), R, p)
    problem = ConsistentFit(pseudo_inertia(reference)[None], np.zeros(0), np.zeros(0, bool))
    equations = NormalEquations(robot.n_joints, 10, 0)
    for t, Y, y in _blocks(dynamics, motions, own):
        equations.add(Y, np.zeros((*y.shape, 0)), y)
    if equations.count < 100:
        raise InputError(f'{equations.count} samples are too few to tell a payload')
    level = equations.free_variances()
    for _ in range(3):
        phi = problem.solve(*equations.weighted(level))
        scales = ResidualScales(robot.n_joints)
        for t, Y, y in _blocks(dynamics, motions, own):
            scales.add(t, y - Y @ phi)
        level = np.maximum(scales.level, 1e-300)
    A, _ = equations.weighted(level)
    spread = np.linalg.inv(A + problem.prior_curvature(phi))
    return _payload(link, phi, spread, R, p, equations.count)


def _blocks(dynamics, motions, own):
    """Yield times, columns (N, n, 10) of the load and what the arm alone does not explain."""
    for motion in motions:
        for k in range(0, len(motion), BLOCK):
            part = slice(k, k + BLOCK)
            q, qd, qdd = motion.q[part], motion.qd[part], motion.qdd[part]
            Y = dynamics.regressor_many(q, qd, qdd)[:, :, own:own + 10]
            yield motion.t[part], Y, motion.effort[part] - dynamics.inverse_many(q, qd, qdd)


def _carrier(robot, link):
    """Return the link that a joint moves and that carries `link` along, None: the base."""
    joint = robot.parent_joint(link)
    while joint is not None and joint.kind == 'fixed':
        joint = robot.parent_joint(joint.parent)
    return None if joint is None else joint.child


def _place(dynamics, carrier, link):
    """Return R, p that place the frame of `link` in that of its carrier."""
    q = dynamics.robot.neutral()
    R_NC, p_NC = dynamics.frame_pose(carrier, q)
    R_NL, p_NL = dynamics.frame_pose(link, q)
    return R_NC.T @ R_NL, R_NC.T @ (p_NL - p_NC)


def _payload(link, phi, spread, R, p, count):
    # the ten parameters move linearly: T is their matrix from the carrier's frame to the link's
    T = np.array([moved_parameters(row, R.T, -R.T @ p) for row in np.eye(10)]).T
    phi, spread = T @ phi, T @ spread @ T.T
    body = inertial_of(phi)
    # c = h / m: dc = (dh - c dm) / m
    D = np.hstack([-body.com[:, None], np.eye(3)]) / body.mass
    centre = np.sqrt(np.diag(D @ spread[:4, :4] @ D.T))
    inertia = np.sqrt(np.diag(spread))[[4, 6, 9]]
    told = bool((inertia < TOLD * np.abs(np.diag(body.inertia))).all())
    return Payload(link, body, 3.0 * float(np.sqrt(spread[0, 0])), 3.0 * centre, told, count)
