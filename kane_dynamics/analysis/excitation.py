# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""A motion that tells as much as possible about an arm's inertias and friction.

Among the periodic motions within the limits, one whose regressor has a small condition number: no
combination of figures may hide in the noise. Columns count in units of what is usual for their
figure, and rows in units of the joint's effort, so that the number does not depend on units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kane_dynamics.analysis.base_parameters import base_parameters
from kane_dynamics.analysis.consistent_fit import ConsistentFit, reference_inertias
from kane_dynamics.exceptions import InputError
from kane_dynamics.motion.fourier import FourierMotion

SAMPLES = 240          # per period, where the regressor is looked at
STARTS = 24            # random motions to begin with
USUAL_ROTOR = 0.1      # [kg m^2 or kg]
USUAL_FRICTION = 0.05  # of a joint's effort, at full speed


@dataclass(frozen=True, eq=False)
class Bounds:
    """What a motion must keep to: each (n,); effort as a share is already taken off."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    effort: np.ndarray

    @classmethod
    def of(cls, robot, position=0.8, velocity=0.5, acceleration=3.0, effort=0.8, ranges=None):
        """Return the bounds of a robot: shares of its limits, and an acceleration.

        Joints that turn without end get half a turn to each side. ranges: {joint: (lower, upper)}
        in place of the limits, as they stand.
        """
        for name, share in (('position', position), ('velocity', velocity), ('effort', effort)):
            if not 0.0 < share <= 1.0:
                raise InputError(f'the share of the {name} limits must be above 0 and at most 1, '
                                 f'got {share}')
        if not 0.0 < acceleration < np.inf:
            raise InputError(f'acceleration must be positive, got {acceleration}')
        limits = robot.limits
        lower = np.where(np.isfinite(limits.lower), limits.lower, -np.pi)
        upper = np.where(np.isfinite(limits.upper), limits.upper, np.pi)
        middle, half = 0.5 * (lower + upper), 0.5 * position * (upper - lower)
        lower, upper = middle - half, middle + half
        for name, (low, high) in (ranges or {}).items():
            place = robot.joint_index(name)
            if not low < high:
                raise InputError(f'joint {name!r}: range {low:g} ... {high:g} is empty')
            lower[place], upper[place] = low, high
        unlimited = [name for name, each in zip(robot.joint_names, limits.velocity)
                     if not 0.0 < each < np.inf]
        if unlimited:
            raise InputError(f'{robot.name!r} has no limit of velocity for {unlimited}; how fast '
                             'it may go would be a guess: give it in the <limit> of the URDF')
        return cls(lower, upper, velocity * limits.velocity,
                   np.full(robot.n_joints, float(acceleration)),
                   np.where(limits.effort > 0.0, effort * limits.effort, np.inf))


class Excitation:
    """Search for an exciting motion of an arm.

    Args:
        dynamics: the arm, with friction where it is known (it counts for the effort).
        bounds: what to keep to.
        period: [s] of the motion; harmonics: how many frequencies, multiples of 1/period.
        lowest: the height in the base frame [m] that origins of links stay above; None: anywhere.
        seed: of the random search.
    """

    def __init__(self, dynamics, bounds, period=10.0, harmonics=5, lowest=None, seed=0):
        if not (np.isfinite(period) and period > 0.0) or harmonics < 2:
            raise InputError(f'expected a positive period and 2 harmonics or more, got {period} s '
                             f'and {harmonics}')
        self.dynamics, self.bounds = dynamics, bounds
        self.period, self.harmonics, self._lowest = period, harmonics, lowest
        self._rng = np.random.default_rng(seed)
        self._t = np.arange(SAMPLES) * (period / SAMPLES)
        robot = dynamics.robot
        self._parameters = base_parameters(dynamics)
        torque = np.abs(dynamics.inverse_many(*self._random().sample_many(self._t))).max(axis=0)
        self._effort = np.where(np.isfinite(bounds.effort), bounds.effort, torque)
        self._widths = self._usual_sizes()
        self._links = [] if lowest is None else [
            link for link in robot.link_names if _moves(robot, link)]

    def search(self, steps=600, progress=lambda done: None):
        """Return the best FourierMotion and its condition number; `steps` motions are tried."""
        shape = (2, self.harmonics - 1, self.dynamics.robot.n_joints)
        best, free, size = np.inf, None, 0.5
        for step in range(steps):
            if step < min(STARTS, steps):
                candidate = self._rng.standard_normal(shape)
            else:
                change = self._rng.standard_normal(shape)
                if step % 2:           # all joints, then one alone
                    change *= np.arange(shape[2]) == self._rng.integers(shape[2])
                candidate = free + size * change
            cost = self._cost(self._motion(candidate))
            if cost < best:
                best, free = cost, candidate
                size = min(1.5 * size, 1.0)
            elif step >= STARTS:
                size = max(0.97 * size, 0.02)      # one step in five is to succeed
            progress(step + 1)
        motion = self._motion(free)
        broken = self._violation(motion)
        if broken > 0.0:
            raise InputError(f'no motion within the limits was found: the best one exceeds them '
                             f'by {100.0 * broken:.0f} %; lower the speed, the acceleration or '
                             'the ranges')
        return motion, self.condition(motion)

    def condition(self, motion):
        """Return the condition number of a motion's scaled regressor."""
        values = np.linalg.eigvalsh(self._normal(motion))
        return float(np.sqrt(values[-1] / max(values[0], 1e-300)))

    def largest_efforts(self, motion):
        """Return the largest torques (n,) on the way."""
        return np.abs(self.dynamics.inverse_many(*motion.sample_many(self._t))).max(axis=0)

    def _random(self):
        shape = (2, self.harmonics - 1, self.dynamics.robot.n_joints)
        return self._motion(np.random.default_rng(1).standard_normal(shape))

    def _motion(self, free):
        bounds = self.bounds
        motion = FourierMotion.resting(np.zeros(free.shape[2]), free, self.period)
        return motion.fitted(bounds.lower, bounds.upper, bounds.velocity, bounds.acceleration)

    def _cost(self, motion):
        broken = self._violation(motion)
        # what breaks limits comes after all that does not, sorted by how much it does
        return 1e6 * (1.0 + broken) if broken > 0.0 else np.log(self.condition(motion))

    def _violation(self, motion):
        """Return by which share efforts or heights are exceeded, 0 where they are kept."""
        q, qd, qdd = motion.sample_many(self._t)
        tau = np.abs(self.dynamics.inverse_many(q, qd, qdd)).max(axis=0)
        worst = float((tau / self.bounds.effort).max()) - 1.0
        for link in self._links:
            heights = self.dynamics.frame_pose_many(link, q)[1][:, 2]
            if np.ptp(heights) > 1e-9:         # one that stays where it is cannot be helped
                worst = max(worst, self._lowest - float(heights.min()))
        return max(worst, 0.0)

    def _normal(self, motion):
        """Return D W' W D: base parameters, then Coulomb, viscous and offset of each joint."""
        q, qd, qdd = motion.sample_many(self._t)
        n = q.shape[1]
        X = np.zeros((len(q), n, n))
        X[:, range(n), range(n)] = qdd
        W = np.concatenate([self.dynamics.regressor_many(q, qd, qdd), X], axis=2)
        W = W[:, :, self._parameters.independent]
        friction = np.zeros((len(q), n, 3 * n))
        sign = qd / np.sqrt(qd * qd + 0.01**2)
        for k, column in enumerate((sign, qd / self.bounds.velocity, np.ones_like(qd))):
            friction[:, range(n), range(k * n, (k + 1) * n)] = column
        W = np.concatenate([W * self._widths, friction * np.tile(
            USUAL_FRICTION * self._effort, 3)], axis=2) / self._effort[:, None]
        W = W.reshape(-1, W.shape[2])
        return W.T @ W

    def _usual_sizes(self):
        """Return how much each base parameter may usually differ from the URDF."""
        references = reference_inertias(self.dynamics.inertial_parameters)
        curvature = ConsistentFit(references, np.zeros(0), np.zeros(0, bool)).prior_curvature()
        rotors = np.full(self.dynamics.robot.n_joints, USUAL_ROTOR**2)
        spread = np.zeros((len(curvature) + len(rotors),) * 2)
        spread[:len(curvature), :len(curvature)] = np.linalg.inv(curvature)
        spread[range(len(curvature), len(spread)), range(len(curvature), len(spread))] = rotors
        rows = self._parameters.combination
        return np.sqrt(np.einsum('ki,ij,kj->k', rows, spread, rows))


def _moves(robot, link):
    joint = robot.parent_joint(link)
    while joint is not None and joint.kind == 'fixed':
        joint = robot.parent_joint(joint.parent)
    return joint is not None
