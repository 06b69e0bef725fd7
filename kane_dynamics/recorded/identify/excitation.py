# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Exciting motion: identifies as many inertias and friction parameters of an arm as possible.

Among the periodic motions within the limits, one whose regressor has a small condition number: no
combination of parameters is lost in the noise. Columns are scaled by the usual size of their
parameter, and rows by the joint's effort, so that the number does not depend on units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kane_dynamics.dynamics.friction import smooth_sign
from kane_dynamics.exceptions import InputError
from kane_dynamics.numerics.array_types import FloatArray
from kane_dynamics.recorded.identify.base_parameters import base_parameters, body_of, diagonal
from kane_dynamics.recorded.identify.consistent_fit import ConsistentFit, reference_inertias
from kane_dynamics.trajectory.fourier import FourierMotion

if TYPE_CHECKING:
    from kane_dynamics.dynamics.dynamics import Dynamics
    from kane_dynamics.model.robot import Robot

SAMPLES = 240          # per period, where the regressor is evaluated
STARTS = 24            # random motions at the start of the search
USUAL_ROTOR = 0.1      # [kg m^2 or kg]
SMOOTHING_SPEED = 0.01  # v_0 of Coulomb friction [rad/s or m/s]
USUAL_FRICTION = 0.05  # fraction of a joint's effort, at full speed


@dataclass(frozen=True, eq=False)
class ExcitationBounds:
    """Bounds of an exciting motion, each (n,): positions, speeds, accelerations and efforts."""

    lower: FloatArray
    upper: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    effort: FloatArray

    @classmethod
    def of(cls, robot: Robot, position: float = 0.8, velocity: float = 0.5,
           acceleration: float = 3.0, effort: float = 0.8,
           ranges: Mapping[str, tuple[float, float]] | None = None) -> ExcitationBounds:
        """Return the bounds of a robot: fractions of its limits, and at most an acceleration.

        Continuous joints get half a turn to each side. ranges: {joint: (lower, upper)} used
        instead of a fraction of the limits.
        """
        for name, fraction in (('position', position), ('velocity', velocity),
                               ('effort', effort)):
            if not 0.0 < fraction <= 1.0:
                raise InputError(f'the fraction of the {name} limits must be above 0 and at most '
                                 f'1, got {fraction}')
        if not 0.0 < acceleration < np.inf:
            raise InputError(f'acceleration must be positive, got {acceleration}')
        limits = robot.limits
        lower = np.where(np.isfinite(limits.lower), limits.lower, -np.pi)
        upper = np.where(np.isfinite(limits.upper), limits.upper, np.pi)
        middle, half = 0.5 * (lower + upper), 0.5 * position * (upper - lower)
        lower, upper = middle - half, middle + half
        for name, (low, high) in (ranges or {}).items():
            k = robot.joint_index(name)
            if not low < high:
                raise InputError(f'joint {name!r}: range {low:g} ... {high:g} is empty')
            lower[k], upper[k] = low, high
        unlimited = [name for name, each in zip(robot.joint_names, limits.velocity)
                     if not 0.0 < each < np.inf]
        if unlimited:
            raise InputError(f'{robot.name!r} has no velocity limit for {unlimited}; expected a '
                             'positive one: give it in the <limit> of the URDF')
        return cls(lower, upper, velocity * limits.velocity,
                   np.where(limits.acceleration > 0.0,
                            np.minimum(acceleration, limits.acceleration), acceleration),
                   np.where(limits.effort > 0.0, effort * limits.effort, np.inf))


class Excitation:
    """Search for an exciting motion of an arm.

    Args:
        dynamics: the arm, with friction where it is known (it counts for the effort).
        bounds: of the motion.
        period: [s] of the motion; harmonics: number of frequencies, multiples of 1/period.
        lowest: height in the base frame [m] that origins of links stay above; None: unlimited.
        seed: of the random search.
    """

    def __init__(self, dynamics: Dynamics, bounds: ExcitationBounds, period: float = 10.0,
                 harmonics: int = 5, lowest: float | None = None, seed: int = 0) -> None:
        if not (np.isfinite(period) and period > 0.0) or harmonics < 2:
            raise InputError(f'expected a positive period and 2 harmonics or more, got {period} s '
                             f'and {harmonics}')
        self.dynamics, self.bounds = dynamics, bounds
        self.period, self.harmonics = period, harmonics
        self._lowest = -np.inf if lowest is None else lowest
        self._rng = np.random.default_rng(seed)
        self._t = np.arange(SAMPLES) * (period / SAMPLES)
        robot = dynamics.robot
        self._parameters = base_parameters(dynamics)
        torque = np.abs(dynamics.inverse_many(*self._random().sample_many(self._t))).max(axis=0)
        self._effort = np.where(np.isfinite(bounds.effort), bounds.effort, torque)
        self._widths = self._usual_sizes()
        self._links = [] if lowest is None else [
            link for link in robot.link_names if body_of(robot, link) is not None]

    def search(self, steps: int = 600, progress: Callable[[int], object] = lambda done: None,
               ) -> tuple[FourierMotion, float]:
        """Return the best FourierMotion and its condition number; `steps` motions are tried."""
        shape = (2, self.harmonics - 1, self.dynamics.robot.n_joints)
        best, free, size = np.inf, np.zeros(shape), 0.5
        for step in range(steps):
            if step < min(STARTS, steps):
                candidate = self._rng.standard_normal(shape)
            else:
                change = self._rng.standard_normal(shape)
                if step % 2:           # all joints and a single one by turns
                    change *= np.arange(shape[2]) == self._rng.integers(shape[2])
                candidate = free + size * change
            cost = self._cost(self._motion(candidate))
            if cost < best:
                best, free = cost, candidate
                size = min(1.5 * size, 1.0)
            elif step >= STARTS:
                size = max(0.97 * size, 0.02)      # about one step in five succeeds
            progress(step + 1)
        motion = self._motion(free)
        excess = self._violation(motion)
        if excess > 0.0:
            raise InputError(f'no motion within the limits was found: the best one exceeds them '
                             f'by {100.0 * excess:.0f} %; lower the speed, the acceleration or '
                             'the ranges')
        return motion, self.condition(motion)

    def condition(self, motion: FourierMotion) -> float:
        """Return the condition number of a motion's scaled regressor."""
        values = np.linalg.eigvalsh(self._normal(motion))
        return float(np.sqrt(values[-1] / max(values[0], 1e-300)))

    def largest_efforts(self, motion: FourierMotion) -> FloatArray:
        """Return the largest torques (n,) of a motion."""
        return np.abs(self.dynamics.inverse_many(*motion.sample_many(self._t))).max(axis=0)

    def _random(self) -> FourierMotion:
        shape = (2, self.harmonics - 1, self.dynamics.robot.n_joints)
        return self._motion(np.random.default_rng(1).standard_normal(shape))

    def _motion(self, free: FloatArray) -> FourierMotion:
        bounds = self.bounds
        motion = FourierMotion.resting(np.zeros(free.shape[2]), free, self.period)
        return motion.fitted(bounds.lower, bounds.upper, bounds.velocity, bounds.acceleration)

    def _cost(self, motion: FourierMotion) -> float:
        excess = self._violation(motion)
        # motions that exceed limits rank after all others, by their excess
        return 1e6 * (1.0 + excess) if excess > 0.0 else float(np.log(self.condition(motion)))

    def _violation(self, motion: FourierMotion) -> float:
        """Return the largest relative excess of an effort or height [m], 0 within the limits."""
        q, _, _ = motion.sample_many(self._t)
        worst = float((self.largest_efforts(motion) / self.bounds.effort).max()) - 1.0
        for link in self._links:
            heights = self.dynamics.frame_pose_many(link, q)[1][:, 2]
            if np.ptp(heights) > 1e-9:         # a link of constant height does not count
                worst = max(worst, self._lowest - float(heights.min()))
        return max(worst, 0.0)

    def _normal(self, motion: FourierMotion) -> FloatArray:
        """Return D W' W D: base parameters, then Coulomb, viscous and offset of each joint."""
        q, qd, qdd = motion.sample_many(self._t)
        W = np.concatenate([self.dynamics.regressor_many(q, qd, qdd), diagonal(qdd)], axis=2)
        W = W[:, :, self._parameters.independent]
        sign = smooth_sign(qd, SMOOTHING_SPEED**2)
        friction = np.concatenate([diagonal(rows) for rows in (
            sign, qd / self.bounds.velocity, np.ones_like(qd))], axis=2)
        W = np.concatenate([W * self._widths, friction * np.tile(
            USUAL_FRICTION * self._effort, 3)], axis=2) / self._effort[:, None]
        W = W.reshape(-1, W.shape[2])
        return W.T @ W

    def _usual_sizes(self) -> FloatArray:
        """Return the usual difference (r,) of each base parameter from the URDF's."""
        references = reference_inertias(self.dynamics.inertial_parameters)
        curvature = ConsistentFit(references, np.zeros(0), np.zeros(0, bool)).prior_curvature()
        rotors = np.full(self.dynamics.robot.n_joints, USUAL_ROTOR**2)
        spread = np.zeros((len(curvature) + len(rotors),) * 2)
        spread[:len(curvature), :len(curvature)] = np.linalg.inv(curvature)
        spread[range(len(curvature), len(spread)), range(len(curvature), len(spread))] = rotors
        rows = self._parameters.combination
        return np.sqrt(np.einsum('ki,ij,kj->k', rows, spread, rows))
