# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Identification of a payload: mass, centre and inertia from motion recorded while holding it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.exceptions import InputError
from kane_dynamics.model.structure.links_and_joints import Inertial
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.recorded.identify.base_parameters import body_of
from kane_dynamics.recorded.identify.consistent_fit import ConsistentFit
from kane_dynamics.recorded.identify.normal_equations import (
    effort_blocks, error_bias, have_errors, NormalEquations, ResidualScales)
from kane_dynamics.recorded.identify.pseudo_inertia import (
    inertial_of, moved_parameters, parameters_of, pseudo_inertia)

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics
    from kane_dynamics.trajectory.motion import Motion

USUAL_MASS, USUAL_RADIUS = 1.0, 0.1     # [kg], [m]: prior of the fit, worth one sample
# The inertia is identified if its standard deviation is below this fraction of its value.
IDENTIFIED = 0.5


@dataclass(frozen=True, eq=False)
class PayloadEstimate:
    """A payload in the frame of a link: its Inertial and three times the standard deviations.

    mass_spread [kg], centre_spread (3,) [m]; inertia_identified: whether the motion was fast
    enough to identify the inertia; if not, it is a guess that agrees with the data.
    """

    link: str
    inertial: Inertial
    mass_spread: float
    centre_spread: FloatArray
    inertia_identified: bool
    count: int

    def describe(self) -> str:
        """Return the estimate as text."""
        body = self.inertial
        centre = ', '.join(f'{value:.4f} +- {spread:.4f}' for value, spread in
                           zip(body.com, self.centre_spread))
        principal = ', '.join(f'{value:.4g}' for value in np.linalg.eigvalsh(body.inertia))
        return '\n'.join([
            f'payload in the frame of {self.link!r}, intervals of three standard deviations',
            f'  mass     {body.mass:.4f} +- {self.mass_spread:.4f} kg'
            + (' (no payload identified)' if body.mass < self.mass_spread else ''),
            f'  centre   {centre} m',
            f'  inertia  principal {principal} kg m^2'
            + ('' if self.inertia_identified else ' (not identifiable from the data)')])


def estimate_payload(dynamics: Dynamics, link: str,
                     motions: Iterable[Motion]) -> PayloadEstimate:
    """Return the PayloadEstimate at a link from Motions with effort that can be read repeatedly.

    dynamics: the arm without the payload, with its friction: `Calibration.dynamics`.
    """
    robot = dynamics.robot
    body = body_of(robot, link)
    if body is None:
        raise InputError(f'link {link!r} is fixed to the base: no joint feels its payload; choose '
                         'a link that a joint moves')
    first = 10 * dynamics.body_links.index(body)
    start = USUAL_MASS * np.diag([USUAL_RADIUS**2] * 3 + [1.0])
    R, p = _pose_in(dynamics, body, link)
    reference = moved_parameters(parameters_of(start), R, p)
    problem = ConsistentFit(pseudo_inertia(reference)[None], np.zeros(0), np.zeros(0, bool))
    equations = _gather(dynamics, motions, first)
    if equations.count < 100:
        raise InputError(f'{equations.count} samples are too few to identify a payload; expected '
                         '100 or more')
    level = equations.free_variances()
    for _ in range(3):
        phi = problem.solve(*equations.weighted(level))
        scales = ResidualScales(robot.n_joints)
        for t, Y, y in _blocks(dynamics, motions, first):
            scales.add(t, y - Y @ phi)
        level = np.maximum(scales.level, 1e-300)
    A, _ = equations.weighted(level)
    spread = np.asarray(np.linalg.inv(A + problem.prior_curvature(phi)), dtype=np.float64)
    if have_errors(motions):
        bias = error_bias(phi, lambda factor: problem.solve(
            *_gather(dynamics, motions, first, factor).weighted(level)))
        spread += np.outer(bias, bias)
    return _estimate(link, phi, spread, R, p, equations.count)


def _blocks(dynamics: Dynamics, motions: Iterable[Motion], first: int,
            error_factor: float = 0.0) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """Yield times, columns (N, n, 10) of the payload and residuals of the arm without it."""
    for motion, effort in effort_blocks(motions, error_factor):
        state = motion.q, motion.qd, motion.qdd
        Y = dynamics.regressor_many(*state)[:, :, first:first + 10]
        yield motion.t, Y, effort - dynamics.inverse_many(*state)


def _gather(dynamics: Dynamics, motions: Iterable[Motion], first: int,
            error_factor: float = 0.0) -> NormalEquations:
    equations = NormalEquations(dynamics.robot.n_joints, 10, 0)
    for _, Y, y in _blocks(dynamics, motions, first, error_factor):
        equations.add(Y, np.zeros((*y.shape, 0)), y)
    return equations


def _pose_in(dynamics: Dynamics, body: str, link: str) -> tuple[FloatArray, FloatArray]:
    """Return the pose R (3, 3), p (3,) [m] of `link` in the frame of the body that carries it."""
    q = dynamics.robot.neutral()
    R_NB, p_NB = dynamics.frame_pose(body, q)
    R_NL, p_NL = dynamics.frame_pose(link, q)
    return R_NB.T @ R_NL, R_NB.T @ (p_NL - p_NB)


def _estimate(link: str, phi: FloatArray, spread: FloatArray, R: FloatArray, p: FloatArray,
              count: int) -> PayloadEstimate:
    # the ten parameters transform linearly: T is their matrix from the body's frame to the link's
    T = np.array([moved_parameters(row, R.T, -R.T @ p) for row in np.eye(10)]).T
    phi, spread = T @ phi, T @ spread @ T.T
    body = inertial_of(phi)
    # c = h / m: dc = (dh - c dm) / m
    D = np.hstack([-body.com[:, None], np.eye(3)]) / body.mass
    centre = np.sqrt(np.diag(D @ spread[:4, :4] @ D.T))
    inertia = np.sqrt(np.diag(spread))[[4, 6, 9]]
    identified = bool((inertia < IDENTIFIED * np.abs(np.diag(body.inertia))).all())
    return PayloadEstimate(link, body, 3.0 * float(np.sqrt(spread[0, 0])), 3.0 * centre,
                           identified, count)
